"""How frames move along a motion that is given as arrays over a grid."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Array3, Array4, Indices, Matrix
from backbeat.models.compiled.bound import Bound, bind
from backbeat.models.dynamics.frame_arrays import frame_arrays
from backbeat.models.dynamics.frames import Frame
from backbeat.models.dynamics.kinematic_tree import (
    KinematicTree,
    Workspace,
    make_workspace,
)
from backbeat.models.dynamics.kinematics import (
    base_position,
    frame_acceleration,
    frame_pose,
)
from backbeat.models.dynamics.recursion import forward_pass
from backbeat.models.dynamics.rotations import add_cross
from backbeat.models.robot.model import RobotModel


class FrameTrajectories(NamedTuple):
    """Poses and spatial motion of n frames at M samples, all in world axes."""

    R_WF: np.ndarray  # (M, n, 3, 3)
    p_WF: np.ndarray  # (M, n, 3) [m]
    V_WF: np.ndarray  # (M, n, 6) angular, linear [rad/s, m/s]
    A_WF: np.ndarray  # (M, n, 6) angular, linear [rad/s^2, m/s^2]


def frame_trajectories(
    robot: RobotModel,
    frames: Sequence[Frame],
    q: np.ndarray,
    v: np.ndarray,
    vdot: np.ndarray,
) -> FrameTrajectories:
    """Poses, velocities and accelerations of frames along a motion.

    Args:
        robot: the robot.
        frames: n frames of it.
        q: (M, nq) configurations.
        v: (M, nv) velocities [rad/s, m/s].
        vdot: (M, nv) accelerations [rad/s^2, m/s^2].
    """
    M, n = len(q), len(frames)
    bound = bind((robot.tree, make_workspace(robot.tree), *frame_arrays(frames)))
    found = FrameTrajectories(
        np.empty((M, n, 3, 3)),
        np.empty((M, n, 3)),
        np.empty((M, n, 6)),
        np.empty((M, n, 6)),
    )
    motion = (np.ascontiguousarray(x, float) for x in (q, v, vdot))
    _trace(bound, *motion, *found)
    return found


@compiled
def _trace(
    bound: Bound[tuple[KinematicTree, Workspace, Indices, Array3, Matrix]],
    q: Matrix,
    v: Matrix,
    vdot: Matrix,
    R: Array4,
    p: Array3,
    V: Array3,
    A: Array3,
) -> None:
    tree, ws, bodies, R_BF, p_BF = bound.content
    p_WB, r = np.empty(3), np.empty(3)
    for m in range(q.shape[0]):
        forward_pass(tree, q[m], v[m], vdot[m], 0.0, ws, False)
        base_position(tree, q[m], p_WB)
        for n in range(bodies.shape[0]):
            frame_pose(tree, ws, q[m], bodies[n], R_BF[n], p_BF[n], R[m, n], r)
            frame_acceleration(ws, bodies[n], r, 0.0, A[m, n])
            of_body = ws.V[bodies[n]]
            for i in range(3):
                p[m, n, i] = p_WB[i] + r[i]
                V[m, n, i] = of_body[i]
                V[m, n, 3 + i] = of_body[3 + i]
            add_cross(of_body[:3], r, V[m, n, 3:])
