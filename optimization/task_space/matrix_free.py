"""One point task and torques below it, without forming a mass matrix or a null space.

    f = G' L change + N' f_below,    N' f = f - G' L G M^-1 f

takes four products with M^-1 and as many with G, each in a time that grows with
the number of joints. `TaskSpace` does the same, and any number of levels, with dense
matrices, which for robots of everyday size is as fast; benchmarks/task_space.py says
from how many joints on this is faster.

Khatib, "A Unified Approach for Motion and Force Control of Robot Manipulators: The
Operational Space Formulation", 1987.
"""

import numpy as np

from models.dynamics_operators import DynamicsOperators
from models.robot import RobotModel
from optimization.task_space.motion_tasks import PointTask
from optimization.task_space.rank import rank_adjusted
from optimization.task_space.task_space import HEAVIEST


class MatrixFreePoint:
    """A point task of three dimensions, on a robot whose base is bolted down."""

    def __init__(self, robot: RobotModel, task: PointTask) -> None:
        """Prepares the task."""
        self._operators, self._frame = DynamicsOperators(robot), task.frame
        self._heaviest = HEAVIEST * robot.total_mass

    def forces(
        self, q: np.ndarray, change: np.ndarray, below: np.ndarray
    ) -> np.ndarray:
        """(nv,) forces that make a change and do below what does not disturb it.

        Args:
            q: (nq,) configuration.
            change: (3,) acceleration that is missing [m/s^2].
            below: (nv,) forces below [N m].
        """
        ops, frame = self._operators, self._frame
        ops.update(q)
        G = np.zeros((3, len(below)))
        A = np.zeros((3, 3))
        for i in range(3):
            wrench = np.zeros(6)
            wrench[3 + i] = 1.0
            G[i] = ops.jacobian_transpose(frame, wrench)
            A[:, i] = ops.jacobian(frame, ops.inverse_mass(G[i]))[3:]
        L = rank_adjusted(0.5 * (A + A.T), self._heaviest).inverse
        felt = ops.jacobian(frame, ops.inverse_mass(below))[3:]
        return np.asarray(below + G.T @ (L @ (change - felt)))
