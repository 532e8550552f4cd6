"""Where motions start: on soles that are flat, with joints within their limits."""

import re
from pathlib import Path

import numpy as np
import pytest

from backbeat.behaviors.posture.stance import start_configuration
from backbeat.behaviors.specification.checking import check_file
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel
from tests.backbeat.robots import make_waver

DOCS = Path(__file__).parents[2] / "docs/how_to"
STEPS = """kind: footsteps
name: two-steps
summary: Two steps.
robot: robot.yaml
start: ready
steps:
  - {feet: both, time: 0.6}
  - {feet: right, time: 0.7, to: [0.1, 0.0]}
  - {feet: both, time: 1.2}
"""


@pytest.fixture
def written(tmp_path):
    """`written(old, new)` is the path of a robot whose YAML has changed."""

    def write(*changes):
        text = (DOCS / "own_robot.yaml").read_text()
        text = text.replace("urdf: ", f"urdf: {DOCS}/")
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        path = tmp_path / "robot.yaml"
        path.write_text(text)
        return path

    return write


@pytest.mark.parametrize(
    ("joint", "angle"), [("l_leg_aky", -0.544), ("l_leg_akx", 0.0)]
)
def test_a_tilted_sole_is_refused_with_the_angle_that_mends_it(written, joint, angle):
    """By 0.01 rad, which a start would lift off the ground by more than passes."""
    said = f"{joint}: {angle}" if angle else "l_leg_hpy: -0.538"
    off = f"{joint}: {angle + 0.01:g}" + ("" if angle else ", l_leg_hpy: -0.538")
    path = written((said, off))
    (path.parent / "steps.yaml").write_text(STEPS)
    (found,) = check_file(path.parent / "steps.yaml")
    sentence = found.finding.sentence
    assert "left_shoe is not flat" in sentence
    assert "tilt 0.57 deg" in sentence
    name, value = re.search(r"; (\w+) at (-?[\d.]+) in place", sentence).groups()
    assert name == joint
    assert float(value) == pytest.approx(angle, abs=1e-3)
    mended = RobotModel(
        written((said, off), (f"{name}: {angle + 0.01:g}", f"{name}: {value}"))
    )
    assert np.isfinite(start_configuration(mended, "ready")).all()


def test_a_posture_beyond_a_stop_is_refused_before_anything_is_solved(written):
    path = written(("l_leg_kny: 1.082", "l_leg_kny: 2.5"))
    (path.parent / "steps.yaml").write_text(STEPS)
    (found,) = check_file(path.parent / "steps.yaml")
    assert "posture 'ready' has l_leg_kny at 2.5, outside" in found.finding.sentence


def test_a_joint_left_at_zero_outside_of_its_range_is_refused(tmp_path):
    path = make_waver(tmp_path)
    urdf = tmp_path / "waver.urdf"
    urdf.write_text(urdf.read_text().replace('lower="-2"', 'lower="0.5"'))
    with pytest.raises(BackbeatError, match="shoulder at 0, where it is if a posture"):
        RobotModel(path).posture("rest")
