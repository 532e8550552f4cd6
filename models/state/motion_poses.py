"""Poses of frames along a motion, all samples in one compiled call."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Array3, Array4, Matrix
from backbeat.models.compiled.bound import Bound, bind
from backbeat.models.dynamics import kinematics
from backbeat.models.dynamics import recursion as dynamics
from backbeat.models.dynamics.frame_arrays import FrameArrays, frame_arrays
from backbeat.models.dynamics.frames import Frame
from backbeat.models.dynamics.kinematic_tree import make_workspace
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.robot_state import BoundRobot


class MotionPoses(NamedTuple):
    """Where frames of a robot are along a motion.

    Attributes:
        R: (n, frames, 3, 3) rotations R_WF.
        p: (n, frames, 3) places p_WF [m].
        com: (n, 3) center of mass [m].
    """

    R: np.ndarray
    p: np.ndarray
    com: np.ndarray


def motion_poses(
    robot: RobotModel, q: np.ndarray, frames: Sequence[Frame | str]
) -> MotionPoses:
    """Poses of frames at each configuration of a motion.

    They are those of `backbeat.models.state.configuration`, to the last bit.

    Args:
        robot: whose motion it is.
        q: (n, nq) configurations.
        frames: frames, or their names.
    """
    arrays = frame_arrays([robot.frame(f) if isinstance(f, str) else f for f in frames])
    q = np.ascontiguousarray(q, float)
    n, F = len(q), len(frames)
    found = MotionPoses(np.empty((n, F, 3, 3)), np.empty((n, F, 3)), np.empty((n, 3)))
    bound = bind(BoundRobot(robot.tree, make_workspace(robot.tree)))
    _write_poses(bound, q, arrays, *found)
    return found


@compiled
def _write_poses(
    bound: Bound[BoundRobot],
    q: Matrix,
    frames: FrameArrays,
    R_WF: Array4,
    p_WF: Array3,
    com: Matrix,
) -> None:
    """Writes poses of frames and the center of mass at each configuration."""
    tree, ws = bound.content
    p_WB, r = np.empty(3), np.empty(3)
    for k in range(q.shape[0]):
        dynamics.place_bodies(tree, q[k], ws)
        kinematics.base_position(tree, q[k], p_WB)
        kinematics.center_of_mass(tree, ws, r)
        for i in range(3):
            com[k, i] = p_WB[i] + r[i]
        for f in range(frames.body.shape[0]):
            body, R, p = frames.body[f], frames.R_PF[f], frames.p_PF[f]
            kinematics.frame_pose(tree, ws, q[k], body, R, p, R_WF[k, f], r)
            for i in range(3):
                p_WF[k, f, i] = p_WB[i] + r[i]
