"""NonsingularSpace: contacts and levels of a robot at states far from singularities."""

import numpy as np

from backbeat.models.state.configuration import Configuration
from backbeat.optimization.task_space.levels.nonsingular_factors import (
    WHOLE,
    Factors,
    Units,
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
        factors: of contacts and levels.
        f_0: (nv,) forces there anyway [N m].
        units: what torques do, once `count_in` was called.
    """

    def __init__(self, rows: TaskRows, num_velocities: int, num_joints: int) -> None:
        """Allocates the memory for tasks of a robot."""
        n, m, self.held = num_velocities, len(rows.bias), int(rows.ends[0])
        r = max(n - self.held, 0)
        self.rows, self.count = rows, -1
        self.factors: Factors = Factors(
            ends=rows.ends,
            kinds=rows.kinds.copy(),
            U=np.empty((n, n)),
            W=np.empty((n, num_joints)),
            B=np.empty((m, n)),
            diagonal=np.empty(m),
            scale=np.empty(m),
            D=np.empty((r, r)),
        )
        self.f_0, self._has_base = np.zeros(n), n > num_joints
        self._unit = np.ones(num_joints)
        self.units: Units = Units(
            unit=self._unit,
            K=np.empty((r, num_joints)),
            diagonal=np.empty(r),
            scale=np.empty(r),
        )
        self._is_counted = False

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
        self.f_0, self._is_counted = known_forces(state, applied), False
        self.factors.kinds[:] = rows.kinds
        self.count = factor_levels(
            state.mass_matrix, rows.G, rows.even(), base, heaviest, self.factors
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
        start_levels(self.factors, self.count, self.f_0, wish, x, lead)
        return x, lead

    def add_levels(
        self, force: np.ndarray, wish: np.ndarray, x: np.ndarray
    ) -> np.ndarray:
        """(1 + levels, r) what levels add without limits.

        Args:
            force: (1 + levels, nv) desired joint torques [N m].
            wish: (m,) of `TaskRows`.
            x: (nv,) of `start`; written: accelerations with all levels.
        """
        Y = np.empty((len(self.factors.kinds), len(self.factors.D)))
        solve_levels(self.factors, self.count, force, wish, x, Y)
        return Y

    def left_below(self, level: int, left: int) -> int:
        """Coordinates that are decided once a level (1 for the first) has its program.

        Args:
            level: the level.
            left: coordinates that those above decide.
        """
        if self.factors.kinds[level] == WHOLE:
            return max(left, int(self.rows.ends[level]))
        return len(self.f_0)

    def count_in(self, unit: np.ndarray) -> None:
        """Counts torques in units (nj,) [N m] from now on."""
        if not self._is_counted or unit is not self.units.unit:
            self.units = self.units._replace(unit=unit)
            factor_units(self.factors.W, self.held, self.units)
            self._is_counted = True

    def smallest_torques(self, y: np.ndarray) -> np.ndarray:
        """(nj,) smallest torques, as they are counted, that make y (r,) [N m]."""
        tau = np.empty(self.factors.W.shape[1])
        assert self._is_counted
        smallest_torques(self.units, y, tau)
        return tau

    def solve(
        self, force: np.ndarray, wish: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Torques (nj,) without limits, and (1 + levels, nv) forces of levels [N m].

        With a free base the torques are the smallest ones.
        """
        x, _ = self.start(wish)
        Y, forces = self.add_levels(force, wish, x), np.zeros_like(force)
        level_forces(self.factors, self.count, Y, forces)
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
        torque_outcome(self.factors, self.count, self.f_0, wish, tau, vdot, F, error)
        return vdot, F, error
