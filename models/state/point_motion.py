"""Positions and velocities of points of a robot, fast enough for every step."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Indices, Matrix, Vector
from backbeat.models.compiled.bound import Bound, bind
from backbeat.models.dynamics.frame_arrays import frame_arrays
from backbeat.models.dynamics.frames import Frame
from backbeat.models.dynamics.kinematic_tree import (
    KinematicTree,
    Workspace,
    make_workspace,
)
from backbeat.models.dynamics.kinematics import base_position, frame_pose
from backbeat.models.dynamics.recursion import forward_pass
from backbeat.models.dynamics.rotations import add_cross
from backbeat.models.robot.model import RobotModel


class PointArrays(NamedTuple):
    """Frames of a robot, as compiled functions take them.

    Attributes:
        tree: of the robot.
        workspace: of `forward_pass`.
        body: (n,) numbers of the bodies.
        p_PF: (n, 3) origins in them [m].
        still: (nv,) zeros.
    """

    tree: KinematicTree
    workspace: Workspace
    body: Indices
    p_PF: Matrix
    still: Vector


class PointMotion:
    """Places and velocities of the origins of frames.

    Attributes:
        arrays: for `write_motions`.
    """

    def __init__(self, robot: RobotModel, frames: Sequence[Frame]) -> None:
        """Prepares the frames of a robot."""
        at, still = frame_arrays(frames), np.zeros(robot.num_velocities)
        workspace = make_workspace(robot.tree)
        self.arrays = PointArrays(robot.tree, workspace, at.body, at.p_PF, still)
        self._bound, self._n = bind(self.arrays), len(frames)

    def at(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """(n, 6) place [m] and velocity [m/s] of each origin at (q, v), world axes."""
        out = np.empty((self._n, 6))
        _motions(self._bound, q, v, out)
        return out


@compiled
def _motions(bound: Bound[PointArrays], q: Vector, v: Vector, out: Matrix) -> None:
    write_motions(bound.content, q, v, out)


@compiled
def write_motions(of, q, v, out):
    """Writes what `PointMotion.at` returns into (n, 6) out."""
    tree, ws, bodies, points, still = of
    forward_pass(tree, q, v, still, 0.0, ws, False)
    p_WB = np.empty(3)
    base_position(tree, q, p_WB)
    same, R, r = np.eye(3), np.empty((3, 3)), np.empty(3)
    for n in range(bodies.shape[0]):
        frame_pose(tree, ws, q, bodies[n], same, points[n], R, r)
        V = ws.V[bodies[n]]
        for i in range(3):
            out[n, i] = p_WB[i] + r[i]
            out[n, 3 + i] = V[3 + i]
        add_cross(V[:3], r, out[n, 3:])
