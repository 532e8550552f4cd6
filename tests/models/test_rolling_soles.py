"""Soles that roll about their length: which do, and where they touch."""

import numpy as np
import pytest
from pydrake.math import RollPitchYaw

from backbeat.models.common.errors import BackbeatError
from backbeat.models.dynamics.frames import LINE
from backbeat.models.dynamics.rolling import ROLLED, level, roll
from backbeat.models.robot.model import RobotModel
from tests.models.humanoids import write_humanoid

UP, HALF = np.array([0.0, 0.0, 1.0]), 0.015


def ways(phi, half_width=HALF, yaw=0.4):
    """Ways to pivot and place of a sole that is rolled by phi, and its rotation."""
    R = RollPitchYaw(phi, 0.0, yaw).ToRotationMatrix().matrix()
    to_pivot, to_place = np.empty(3), np.empty(3)
    roll(R, UP, half_width, to_pivot, to_place)
    return to_pivot, to_place, R


@pytest.mark.parametrize(
    ("robot", "rolls"), [("h1", True), ("g1", False), ("t1", False), ("atlas", False)]
)
def test_soles_of_legs_without_ankle_roll_roll(robot, rolls):
    model = RobotModel(robot)
    assert [model.contacts[n].rolls for n in model.soles] == [rolls, rolls]


@pytest.mark.parametrize(("half_width", "rolls"), [(0.0, True), (0.05, False)])
def test_a_line_rolls_and_a_wide_sole_does_not(tmp_path, half_width, rolls):
    path = write_humanoid(tmp_path, "h1", "spheres")
    text = path.read_text()
    assert "half_width: 0.015" in text
    path.write_text(text.replace("half_width: 0.015", f"half_width: {half_width}"))
    sole = RobotModel(path).contacts["l_foot"]
    assert sole.rolls == rolls
    assert sole.bearing[1] == (LINE if rolls else half_width)
    assert not sole.is_point


@pytest.mark.parametrize("sizes", [(0.0, 0.01), (0.1, -0.01), (float("nan"), 0.01)])
def test_other_sizes_are_refused(tmp_path, sizes):
    path = write_humanoid(tmp_path, "h1", "spheres")
    text = path.read_text()
    keys = "half_length: 0.14", "half_width: 0.015"
    for key, size in zip(keys, sizes, strict=True):
        assert key in text
        value = ".nan" if np.isnan(size) else size
        text = text.replace(key, f"{key.split(':')[0]}: {value}")
    path.write_text(text)
    with pytest.raises(
        BackbeatError,
        match=r"half_length alone for a line|half_width is -|length is nan",
    ):
        RobotModel(path)


@pytest.mark.parametrize("phi", [-0.3, -0.05, 0.0, 0.02, 0.2])
def test_the_pivot_is_the_lower_edge_and_the_place_rests(phi):
    """The place moves as the material point at the pivot does."""
    to_pivot, to_place, R = ways(phi)
    lower = min(HALF * R[2, 1], -HALF * R[2, 1])
    # On its edge, and within what is rounded off it.
    assert abs(to_place[2] - lower) < HALF * ROLLED
    if abs(phi) > 0.1:
        assert to_pivot == pytest.approx(-np.sign(phi) * HALF * R[:, 1], abs=2e-4)
    h = 1e-6
    rate = (ways(phi + h)[1] - ways(phi - h)[1]) / (2 * h)
    expected = np.cross(R[:, 0], to_pivot)
    assert rate == pytest.approx(expected, abs=0.6 * HALF * abs(phi) ** 3 + 1e-8)


def test_a_flat_sole_and_one_that_does_not_roll_are_where_they_are():
    for phi, half_width in ((0.0, HALF), (0.3, -1.0), (0.3, 0.0)):
        to_pivot, to_place, _ = ways(phi, half_width)
        assert not to_pivot.any()
        assert not to_place.any()


def test_level_takes_the_roll_off_and_nothing_else():
    pitched = RollPitchYaw(0.0, 0.1, 0.4).ToRotationMatrix().matrix()
    turned = pitched @ RollPitchYaw(0.25, 0.0, 0.0).ToRotationMatrix().matrix()
    out = np.empty((3, 3))
    level(turned, UP, out)
    assert out == pytest.approx(pitched, abs=1e-12)
