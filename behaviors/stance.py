"""Standing still somewhere: where a motion starts, and on what."""

from collections.abc import Sequence

import numpy as np
from pydrake.math import RigidTransform

from models.configuration import Configuration
from models.errors import BackbeatError
from models.robot import RobotModel


def start_configuration(robot: RobotModel, posture: str) -> np.ndarray:
    """(nq,) a named posture with the middle of the standing patches at the origin.

    Args:
        robot: the robot; a fixed base stays where it is.
        posture: name in the robot YAML.
    """
    q = robot.posture(posture)
    if robot.floating:
        poses = support_poses(robot, q)
        middle = np.mean([X.translation() for X in poses.values()], axis=0)
        q[4:6] -= middle[:2]
    return q


def support_poses(
    robot: RobotModel, q: np.ndarray, names: Sequence[str] | None = None
) -> dict[str, RigidTransform]:
    """Poses X_WC of the patches at q, leveled onto the ground z = 0.

    Args:
        robot: the robot.
        q: (nq,) configuration.
        names: patches; None for the soles.

    Raises:
        BackbeatError: a patch is far from lying on the ground.
    """
    configuration = Configuration(robot, q)
    if names is None:
        names = robot.soles
    poses = {}
    for name in names:
        X_WC = configuration.pose(name)
        tilt = np.arccos(np.clip(X_WC.rotation().matrix()[2, 2], -1, 1))
        if abs(X_WC.translation()[2]) > 0.02 or tilt > 0.05:
            raise BackbeatError(
                f"{name} is not flat on the ground in the start posture: "
                f"height {X_WC.translation()[2]:.3f} m, tilt {np.degrees(tilt):.1f} deg"
            )
        poses[name] = X_WC
    return poses
