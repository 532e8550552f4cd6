"""Atlas with hands and a sensor head: 54 joints that stand, fingers held or locked."""

import numpy as np
import pytest

from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.store import Library
from backbeat.models.robot.description import load_description
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario

CLOSING = """kind: posture
name: closing
summary: It closes its hands while it stands.
robot: atlas_hands
start: stand
stations:
  - {posture: stand, move: 0.2, hold: 0.1}
  - posture: stand
    angles: {l_index_knuckle: 1.0, l_thumb_knuckle: 0.9, r_middle_tip: 1.1}
    move: 0.5
    hold: 0.3
"""


@pytest.fixture(scope="module")
def robot():
    return RobotModel("atlas_hands")


def test_it_has_54_joints_and_the_mass_of_its_parts(robot):
    assert robot.num_joints == 54
    assert [len(robot.groups[f"{s}_fingers"]) for s in "lr"] == [12, 12]
    parts = 175.117964 + 2 * 0.55 + 0.8 - (1.4199 - 0.62)
    assert robot.total_mass == pytest.approx(parts, abs=1e-3)


def test_the_head_has_its_frames(robot):
    """Eyes are 70 mm apart, and pictures' axes are turned as pictures have them."""
    state = Configuration(robot, robot.posture("stand"))
    left, right = state.pose("left_eye"), state.pose("right_eye")
    apart = left.translation() - right.translation()
    assert apart == pytest.approx([0.0, 0.07, 0.0], abs=1e-9)
    optical = left.rotation().inverse() @ state.pose("left_eye_optical").rotation()
    # z looks forward, x to the right, y down.
    axes = [[0, 0, 1], [-1, 0, 0], [0, -1, 0]]
    np.testing.assert_allclose(optical.matrix(), axes, atol=1e-9)
    for frame in ("lidar", "head_imu"):
        assert state.pose(frame).translation()[2] > 1.6


def test_one_hand_is_the_mirror_image_of_the_other(robot):
    q = robot.posture("stand")
    for name, angle in (("l_index_spread", 0.3), ("l_thumb_knuckle", 1.0)):
        q[7 + robot.joint_index(name)] = angle
    one = Configuration(robot, q)
    for left, right in (("index", "little"), ("thumb", "thumb")):
        p = one.pose(f"l_{left}_far").translation()
        other = Configuration(robot, robot.mirrored(q))
        # Drawings of the arms differ from side to side by less than 0.1 mm.
        p_mirrored = other.pose(f"r_{right}_far").translation() * [1, -1, 1]
        np.testing.assert_allclose(p, p_mirrored, atol=1e-4)


def test_it_is_tracked_with_fingers_held_by_servos(tmp_path):
    path = tmp_path / "closing.yaml"
    path.write_text(CLOSING)
    behavior = build(str(path), Library(tmp_path / "library"))
    robot = behavior.robot_model
    push = Push(0.2, 0.1, [10.0, 5.0, 0.0], "utorso")
    run = run_scenario(Scenario.of("closing", pushes=[push]).check(), behavior)
    assert not run.fell
    metrics = run_metrics(run)
    assert metrics["com_error_mm"]["rms"] < 15.0
    end = run.x[-1, robot.base_positions : robot.num_positions]
    for name, angle in (("l_index_knuckle", 1.0), ("r_middle_tip", 1.1)):
        assert end[robot.joint_index(name)] == pytest.approx(angle, abs=0.05)


def test_fingers_can_be_locked():
    stand = load_description(RobotModel("atlas_hands").description).postures["stand"]
    names = RobotModel("atlas_hands").joint_names
    fingers = [n for n in names if n.endswith(("_spread", "_knuckle", "_tip"))]
    locked = {n: stand.joints.get(n, 0.0) for n in fingers}
    robot = RobotModel("atlas_hands", locked=locked)
    assert robot.num_joints == 30
    assert robot.total_mass == pytest.approx(RobotModel("atlas_hands").total_mass)
