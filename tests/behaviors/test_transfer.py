"""Motions for another robot, at the size of its legs."""

import numpy as np
import pytest

from backbeat.behaviors.dance.choreography import DanceSpecification
from backbeat.behaviors.footsteps.specification import FootstepSpecification
from backbeat.behaviors.posture.specification import PostureSpecification
from backbeat.behaviors.specification.kinds import (
    Variant,
    find_specification,
    read_any,
)
from backbeat.behaviors.specification.transfer import transferred
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel
from tests.behaviors.drake_robot import DrakeRobot
from tests.models.humanoids import write_humanoid

SHIPPED = ("march", "side-step", "groove", "bow")


@pytest.fixture(scope="module")
def t1(tmp_path_factory):
    """Path of the YAML of a T1, whose legs are half as long as Atlas's."""
    return str(write_humanoid(tmp_path_factory.mktemp("t1"), "t1", "box"))


@pytest.fixture(scope="module")
def ratio(t1):
    """Straight legs by Drake: first joint to sole, of the T1 by Atlas."""
    lengths = []
    for robot, hip in (("atlas", "l_uglut"), (t1, "Hip_Pitch_Left")):
        model = RobotModel(robot)
        drake = DrakeRobot(model)
        q = np.zeros(model.num_positions)
        q[0] = 1.0
        drake.set(q, np.zeros(model.num_velocities))
        sole = drake.pose("l_foot").translation()
        at = drake.plant.GetFrameByName(hip).CalcPoseInWorld(drake.context)
        lengths.append(float(np.linalg.norm(at.translation() - sole)))
    return lengths[1] / lengths[0]


def read(name, robot):
    return read_any(find_specification(name), Variant(robot=robot))[0]


@pytest.mark.parametrize("name", SHIPPED)
def test_a_motion_goes_to_a_robot_at_its_size(name, t1, ratio):
    specification = read(name, t1)
    assert specification.name == name
    assert specification.robot == t1
    # A hip whose joints are apart is longer along these than it is straight.
    assert specification.scale == pytest.approx(ratio, rel=0.06)


def test_a_motion_for_its_own_robot_is_as_it_was():
    own = read("march", "atlas")
    assert (own.name, own.scale) == ("march", 1.0)


def test_steps_are_as_long_as_legs_and_take_the_same_time(t1):
    own, other = (read("walk-6", robot).plan("") for robot in ("", t1))
    scale = read("walk-6", t1).scale
    far = [
        X["l_foot"].translation()[0] - start["l_foot"].translation()[0]
        for plan in (own, other)
        for start, X in [[plan.problem.schedule.phases[i].contacts for i in (0, -1)]]
    ]
    assert far[0] == pytest.approx(1.0)
    assert far[1] / far[0] == pytest.approx(scale)
    assert other.problem.times[-1] == own.problem.times[-1]


def test_a_dance_is_as_deep_as_legs_allow(t1):
    def depth(robot):
        specification = read("sway-and-bounce", robot)
        plan = specification.plan(find_specification("sway-and-bounce").parent)
        (com,) = (t for t in plan.problem.tasks if type(t).__name__.startswith("Cen"))
        height = com.p_WG[:, 2]
        return height[0] - height.min()

    scale = read("sway-and-bounce", t1).scale
    assert depth(t1) / depth("") == pytest.approx(scale, rel=1e-6)


def test_what_a_robot_lacks_is_left_out_and_said(t1):
    plan = read("groove", t1).plan(find_specification("groove").parent)
    said = [r for r in plan.remarks if "has no joint for" in r]
    assert "t1 has no joint for neck pitch, and leaves it out of nod" in said
    assert any("left shoulder roll" in r for r in said)
    plan = read("walk-6", t1).plan("")
    assert plan.remarks == (
        "t1 has no joint for left and right shoulder pitch, and its arms do not swing",
    )
    plan = read("bow", t1).plan("")
    assert any("has no neck pitch, which is left out" in r for r in plan.remarks)


@pytest.mark.parametrize(
    ("name", "robot", "said"),
    [
        ("outstanding", "t1", "has no sticks to drum with"),
        ("march", "ur10", "ur10 has no legs"),
        ("march", "atlaz", "atlas"),
    ],
)
def test_what_cannot_be_built_for_a_robot_is_refused(name, robot, said, t1):
    with pytest.raises(BackbeatError, match=said):
        read(name, t1 if robot == "t1" else robot)


def test_what_is_wrong_is_said_of_a_line_of_the_file(tmp_path, t1):
    path = tmp_path / "hop.yaml"
    path.write_text(
        "# A comment stays.\nkind: footsteps\nname: hop\nsummary: Hops.\nsteps:\n"
        "  - {feet: both, time: 0.6}\n  - {feet: left, time: 0.7}\n"
    )
    specification, text = read_any(path, Variant(robot=t1))
    lines = text.splitlines()
    assert lines[6] == "  - {feet: left, time: 0.7}"
    assert lines[2] == "name: hop"
    assert lines[7] == f"robot: {t1}"
    assert specification.robot == t1
    flow = tmp_path / "flow.yaml"
    flow.write_text(
        "{kind: footsteps, name: flow, summary: S., steps: [{feet: both, time: 1}]}\n"
    )
    specification, text = read_any(flow, Variant(robot=t1))
    assert specification.robot == t1
    assert f"robot: {t1}" in text


@pytest.mark.parametrize("scale", [0.0, -1.0, 100.0, float("nan")])
@pytest.mark.parametrize(
    "specification",
    [
        FootstepSpecification(name="x", steps=[]),
        PostureSpecification(name="x"),
        DanceSpecification(name="x", tracks={"legs": []}),
    ],
    ids=lambda s: s.kind,
)
def test_a_scale_that_makes_no_sense_is_refused(specification, scale):
    with pytest.raises(BackbeatError):
        type(specification)(**{**vars(specification), "scale": scale}).plan("")


def test_lengths_add_up_over_two_robots(t1):
    once = read("march", t1)
    back = transferred(once, "atlas")
    assert back.scale == pytest.approx(1.0, abs=1e-4)
    assert (back.name, back.robot) == ("march", "atlas")


def test_a_robot_that_only_shares_the_name_is_another_one(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("like: atlas\n")
    assert read("march", str(path)).robot == str(path)
