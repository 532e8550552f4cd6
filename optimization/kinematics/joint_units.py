"""Units of joints: what distances and errors of those that slide count as.

A joint that turns is in radians and one that slides in meters. What holds for joints in
general, as the distance from stops and the costs of errors, is for radians.
"""

import numpy as np

from backbeat.models.robot.model import RobotModel

# A joint that slides counts as one that turns at this radius [m/rad], that of a hand
# with the travel of a gripper's fingers.
RADIUS = 0.1


def joint_units(robot: RobotModel) -> np.ndarray:
    """(nj,) positions that count as one radian, 1 rad or `RADIUS` [rad or m]."""
    return np.where(robot.tree.revolute, 1.0, RADIUS)
