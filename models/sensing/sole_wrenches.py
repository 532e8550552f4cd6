"""Wrenches on the soles of a robot, as sensors fixed to them measure them."""

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Array3, Indices, Matrix, Vector
from backbeat.models.compiled.bound import Bound, bind
from backbeat.models.dynamics.frame_arrays import frame_arrays
from backbeat.models.dynamics.kinematic_tree import (
    KinematicTree,
    Workspace,
    make_workspace,
)
from backbeat.models.dynamics.kinematics import base_position, frame_pose
from backbeat.models.dynamics.recursion import forward_pass
from backbeat.models.robot.model import RobotModel


class SoleWrenches:
    """Turns wrenches about the origin of the world into the axes of soles."""

    def __init__(self, robot: RobotModel) -> None:
        """Prepares the soles of a robot."""
        frames = [robot.contacts[n].frame for n in robot.soles]
        self._bound = bind(
            (
                robot.tree,
                make_workspace(robot.tree),
                *frame_arrays(frames),
                np.zeros(robot.num_velocities),
            )
        )

    def at(self, q: np.ndarray, wrenches: np.ndarray) -> np.ndarray:
        """(S, 6) moment and force in the axes of each sole, about its origin [N m, N].

        Args:
            q: (nq,) configuration.
            wrenches: (S, 6) about the origin of the world, in its axes [N m, N].
        """
        out = np.empty(wrenches.shape)
        _turn(self._bound, q, wrenches, out)
        return out


@compiled
def _turn(
    bound: Bound[tuple[KinematicTree, Workspace, Indices, Array3, Matrix, Vector]],
    q: Vector,
    wrenches: Matrix,
    out: Matrix,
) -> None:
    tree, ws, bodies, R_BS, p_BS, still = bound.content
    forward_pass(tree, q, still, still, 0.0, ws, False)
    p_WB, R, r = np.empty(3), np.empty((3, 3)), np.empty(3)
    base_position(tree, q, p_WB)
    for c in range(bodies.shape[0]):
        frame_pose(tree, ws, q, bodies[c], R_BS[c], p_BS[c], R, r)
        x, y, z = p_WB[0] + r[0], p_WB[1] + r[1], p_WB[2] + r[2]
        w = wrenches[c]
        nx = w[0] - (y * w[5] - z * w[4])
        ny = w[1] - (z * w[3] - x * w[5])
        nz = w[2] - (x * w[4] - y * w[3])
        for i in range(3):
            out[c, i] = R[0, i] * nx + R[1, i] * ny + R[2, i] * nz
            out[c, 3 + i] = R[0, i] * w[3] + R[1, i] * w[4] + R[2, i] * w[5]
