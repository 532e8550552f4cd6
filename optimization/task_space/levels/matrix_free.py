"""One point task and torques below it, without forming a mass matrix or a null space.

    f = G' L change + N' f_below,    N' f = f - G' L G M^-1 f

with G, M and G' as operators (`backbeat.models.state.operator_matrices`): four products
with M^-1, as many with G, each in a time that grows with
the number of joints. `TaskSpace` does the same, and any number of levels, with dense
matrices, which for robots of everyday size is as fast; benchmarks/task_space.py says
from how many joints on this is faster.

Khatib, "A Unified Approach for Motion and Force Control of Robot Manipulators: The
Operational Space Formulation", 1987.
"""

import numpy as np

from backbeat.models.robot.model import RobotModel
from backbeat.models.state.operator_matrices import MassMatrix, TaskJacobian
from backbeat.models.state.operators import DynamicsOperators
from backbeat.optimization.task_space.levels.task_space import HEAVIEST
from backbeat.optimization.task_space.tasks.motion_tasks import PointTask
from backbeat.optimization.task_space.tasks.rank import rank_adjusted


class MatrixFreePoint:
    """A point task of three dimensions, on a robot whose base is bolted down."""

    def __init__(self, robot: RobotModel, task: PointTask) -> None:
        """Prepares the task."""
        self._operators = DynamicsOperators(robot)
        self._M = MassMatrix(self._operators)
        self._G = TaskJacobian(self._operators, [task.frame])
        self._heaviest = HEAVIEST * robot.total_mass

    def forces(
        self, q: np.ndarray, change: np.ndarray, below: np.ndarray
    ) -> np.ndarray | None:
        """(nv,) forces that make a change and do below what does not disturb it.

        None near a singularity, where directions are given up little by little, and
        what is below gets them: that is for `TaskSpace`.

        Args:
            q: (nq,) configuration.
            change: (3,) acceleration that is missing [m/s^2].
            below: (nv,) forces below [N m].
        """
        self._operators.update(q)
        G, M = self._G, self._M
        A = (G @ M.inverse @ G.T).dense()
        rank = rank_adjusted(0.5 * (A + A.T), self._heaviest)
        if not rank.is_full:
            return None
        felt = G @ (M.inverse @ below)
        return below + G.T @ (rank.inverse @ (change - felt))
