"""A knee is straight where its limb is longest, by the kinematics of its links."""

import numpy as np
import pytest

from backbeat.behaviors.library.behavior import Mount, make_robot
from backbeat.models.dynamics.frames import Frame
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.kinematics.straight_limbs import find_knee
from tests.behaviors.short_legs import write


@pytest.mark.parametrize("name", ["atlas", "short"])
def test_a_leg_is_longest_where_its_knee_is_straight(name, tmp_path):
    path = name if name == "atlas" else str(write(tmp_path, 0.15))
    robot = make_robot(path, (), Mount())
    for contact in robot.soles:
        knee = find_knee(robot, contact)
        assert knee is not None
        assert robot.joint_names[knee.joint] == f"{contact[0]}_leg_kny"
        angles = knee.straight + np.array([-0.3, -0.1, 0.0, 0.1, 0.3])
        lengths = [ankle_distance(robot, contact, knee.joint, a) for a in angles]
        assert int(np.argmax(lengths)) == 2
        assert lengths[1] == pytest.approx(lengths[3], abs=1e-9)
        assert lengths[0] == pytest.approx(lengths[4], abs=1e-9)


def ankle_distance(robot, contact, knee, angle):
    """From the middle of a hip's last axis to that of the ankle's first one [m]."""
    q = robot.posture("stand")
    q[robot.base_positions + knee] = angle
    q[:7] = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    state, side = Configuration(robot, q), contact[0]
    hip, ankle = (
        state.place(Frame(joint, robot.joint_index(joint) + 1, np.eye(3), np.zeros(3)))
        for joint in (f"{side}_leg_hpy", f"{side}_leg_aky")
    )
    return float(np.linalg.norm(hip - ankle))
