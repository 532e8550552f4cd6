"""Rotation of one frame of a robot, without anything else."""

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Matrix, Vector
from backbeat.models.compiled.bound import Bound, bind
from backbeat.models.dynamics.frames import Frame
from backbeat.models.dynamics.kinematic_tree import (
    KinematicTree,
    Workspace,
    make_workspace,
)
from backbeat.models.dynamics.kinematics import frame_pose
from backbeat.models.dynamics.recursion import forward_pass
from backbeat.models.robot.model import RobotModel


class FrameRotation:
    """The rotation of one frame."""

    def __init__(self, robot: RobotModel, frame: Frame) -> None:
        """Prepares a frame of a robot."""
        still = np.zeros(robot.num_velocities)
        at = (frame.body, frame.R_PF, frame.p_PF)
        self._bound = bind((robot.tree, make_workspace(robot.tree), still, *at))

    def at(self, q: np.ndarray) -> np.ndarray:
        """(3, 3) rotation matrix R_WF at a configuration (nq,)."""
        R = np.empty((3, 3))
        _turned(self._bound, q, R)
        return R


@compiled
def _turned(
    bound: Bound[tuple[KinematicTree, Workspace, Vector, int, Matrix, Vector]],
    q: Vector,
    R: Matrix,
) -> None:
    tree, ws, still, body, R_PF, p_PF = bound.content
    forward_pass(tree, q, still, still, 0.0, ws, False)
    frame_pose(tree, ws, q, body, R_PF, p_PF, R, np.empty(3))
