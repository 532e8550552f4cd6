"""Arm swing: the joints that swing the arms of a walking robot."""

import numpy as np

from backbeat.behaviors.footsteps.step import FEET
from backbeat.models.robot.model import RobotModel


def swinging_joints(robot: RobotModel) -> tuple[np.ndarray, np.ndarray] | None:
    """(2,) joints that swing the arms, and (2,) signs that send the left one back.

    None for a robot without shoulders.
    """
    joints, signs = [], []
    for side, way in zip(FEET, (1.0, -1.0), strict=True):
        pitch = robot.roles.turning(f"{side} shoulder pitch")
        if pitch is None and f"{side} shoulder" not in robot.roles:
            return None
        # Without the turns of its joints, a shoulder swings about the first of them.
        name, sign = pitch or (robot.roles.names(f"{side} shoulder")[0], way)
        joints.append(robot.joint_index(name))
        signs.append(way * sign)
    return np.array(joints), np.array(signs)
