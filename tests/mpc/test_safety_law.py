"""The safety law of a robot that ships, in closed loop."""

import numpy as np
import pytest

from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.store import Library
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario

STANDING = """kind: posture
name: v3-stand
summary: Atlas v3 stands.
robot: atlas_v3_calibrated
start: stand
stations:
  - {posture: stand, move: 0.4, hold: 0.6}
"""
# The left hand is thrown back and down, so that the elbow straightens at 11 rad/s.
THROW = Push(0.2, 0.05, [-12.0, 0.0, -12.0], "l_hand")


@pytest.fixture(scope="module")
def standing(tmp_path_factory):
    folder = tmp_path_factory.mktemp("v3")
    path = folder / "v3-stand.yaml"
    path.write_text(STANDING)
    return build(str(path), Library(folder / "library"))


def test_a_fast_elbow_stops_before_its_stop(standing):
    robot = standing.robot_model
    i = robot.joint_index("l_arm_elx")
    stop = robot.position_lower[i]
    nearest = {}
    for is_bounded in (False, True):
        scenario = Scenario.of(
            "v3-stand", safety_law=is_bounded, duration=0.5, pushes=[THROW]
        )
        run = run_scenario(scenario.check(), standing)
        assert not run.fell
        q = run.x[:, robot.base_positions + i]
        v = run.x[:, robot.num_positions + robot.base_velocities + i]
        assert v.min() < -10.0
        nearest[is_bounded] = float(q.min() - stop)
    assert nearest[False] < 0.005
    # Soft limits lie 0.1 rad inside the hard ones.
    assert nearest[True] == pytest.approx(0.1, abs=0.02)


def test_the_law_leaves_alone_what_keeps_away_from_stops(standing):
    runs = [
        run_scenario(
            Scenario.of("v3-stand", lead_in=0.1, duration=0.4, safety_law=law).check(),
            standing,
        )
        for law in (False, True)
    ]
    np.testing.assert_array_equal(runs[0].x, runs[1].x)
