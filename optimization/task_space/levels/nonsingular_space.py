"""NonsingularSpace: contacts and levels of a robot at states far from singularities."""

import numpy as np

from backbeat.models.state.configuration import Configuration
from backbeat.optimization.task_space.levels.nonsingular_factors import (
    WHOLE,
    factor_levels,
    factor_units,
)
from backbeat.optimization.task_space.levels.nonsingular_levels import (
    level_forces,
    smallest_torques,
    solve_levels,
    start_levels,
    torque_outcome,
)
from backbeat.optimization.task_space.levels.task_rows import TaskRows
from backbeat.optimization.task_space.tasks.constrained_dynamics import known_forces


class NonsingularSpace:
    """The triangle of `nonsingular_factors.py` at one state, and what it says of tasks.

    Attributes:
        rows: of contacts and levels.
        held: coordinates that contacts hold.
        count: reflections of contacts and levels; -1 near singularities.
        kinds: (1 + levels,) of `nonsingular_factors.py`.
        U, W, B, diagonal, scale, D: of `factor_levels`.
        f_0: (nv,) forces there anyway [N m].
        K, K_diagonal, K_scale: of `factor_units`, once `count_in` was called.
    """

    def __init__(self, rows: TaskRows, num_velocities: int, num_joints: int) -> None:
        """Allocates the memory for tasks of a robot."""
        n, m, self.held = num_velocities, len(rows.bias), int(rows.ends[0])
        r = max(n - self.held, 0)
        self.rows, self.count, self.kinds = rows, -1, rows.kinds.copy()
        self.U, self.W = np.empty((n, n)), np.empty((n, num_joints))
        self.B, self.D = np.empty((m, n)), np.empty((r, r))
        self.diagonal, self.scale = np.empty(m), np.empty(m)
        self.f_0, self._has_base = np.zeros(n), n > num_joints
        self.K, self._unit = np.empty((r, num_joints)), np.ones(num_joints)
        self.K_diagonal, self.K_scale = np.empty(r), np.empty(r)
        self._counted: np.ndarray | None = None

    def update(
        self, state: Configuration, heaviest: float, applied: np.ndarray | None
    ) -> bool:
        """Moves to a state; whether it is far from singularities.

        Args:
            state: the robot, up to date.
            heaviest: see `rank_adjusted` [kg].
            applied: (nv,) known forces besides gravity and damping [N m].
        """
        rows, base = self.rows, state.robot.base_velocities
        rows.update(state)
        self.f_0, self._counted = known_forces(state, applied), None
        self.kinds[:] = rows.kinds
        self.count = factor_levels(
            *(state.mass_matrix, rows.G, rows.ends, self.kinds, rows.even()),
            *(base, heaviest, self.U, self.W, self.B, self.diagonal, self.scale),
            self.D,
        )
        return bool(self.count >= 0)

    def start(self, wish: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations without torques, in coordinates x.

        Args:
            wish: (m,) of `TaskRows`.

        Returns:
            (nv,) with contacts holding, and (m_1,) the first of them without.
        """
        x, lead = np.empty(len(self.f_0)), np.empty(self.held)
        start_levels(
            *(self.U, self.B, self.diagonal, self.scale, self.rows.ends, self.count),
            *(self.f_0, wish, x, lead),
        )
        return x, lead

    def add_levels(
        self, force: np.ndarray, wish: np.ndarray, x: np.ndarray
    ) -> np.ndarray:
        """(1 + levels, r) what levels add without limits.

        Args:
            force: (1 + levels, nv) joint torques asked for [N m].
            wish: (m,) of `TaskRows`.
            x: (nv,) of `start`; written: accelerations with all levels.
        """
        Y = np.empty((len(self.kinds), len(self.D)))
        solve_levels(
            *(self.U, self.W, self.B, self.diagonal, self.scale, self.D),
            *(self.rows.ends, self.kinds, self.count, force, wish, x, Y),
        )
        return Y

    def left_below(self, level: int, left: int) -> int:
        """Coordinates that are decided once a level (1 for the first) has its program.

        Args:
            level: the level.
            left: coordinates that those above decide.
        """
        if self.kinds[level] == WHOLE:
            return max(left, int(self.rows.ends[level]))
        return len(self.f_0)

    def count_in(self, unit: np.ndarray) -> None:
        """Counts torques in units (nj,) [N m] from now on."""
        if unit is not self._counted:
            factor_units(self.W, self.held, unit, self.K, self.K_diagonal, self.K_scale)
            self._counted = unit

    def smallest_torques(self, y: np.ndarray) -> np.ndarray:
        """(nj,) smallest torques, as they are counted, that make y (r,) [N m]."""
        tau = np.empty(self.W.shape[1])
        assert self._counted is not None
        smallest_torques(self.K, self.K_diagonal, self.K_scale, self._counted, y, tau)
        return tau

    def solve(
        self, force: np.ndarray, wish: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Torques (nj,) without limits, and (1 + levels, nv) forces of levels [N m].

        With a free base the torques are the smallest ones.
        """
        x, _ = self.start(wish)
        Y, forces = self.add_levels(force, wish, x), np.zeros_like(force)
        level_forces(self.U, self.B, self.scale, self.count, self.held, Y, forces)
        if not self._has_base:
            return forces.sum(axis=0), forces
        self.count_in(self._unit)
        return self.smallest_torques(Y.sum(axis=0)), forces

    def outcome(
        self, tau: np.ndarray, wish: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What torques (nj,) come to [N m].

        Returns:
            (nv,) accelerations, (m_1,) forces of contacts [N m, N], and (m,)
            accelerations missing.
        """
        vdot, F = np.empty(len(self.f_0)), np.empty(self.held)
        error = np.zeros(len(wish))
        torque_outcome(
            *(self.U, self.W, self.B, self.diagonal, self.scale, self.rows.ends),
            *(self.kinds, self.count, self.f_0, wish, tau, vdot, F, error),
        )
        return vdot, F, error
