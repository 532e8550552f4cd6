"""NonsingularProgram: tasks by priority within limits, far from singularities.

What `LimitedProgram` says, in the unknowns of `nonsingular_limits.py`.
"""

from dataclasses import dataclass

import numpy as np

from backbeat.optimization.qp.settling import EXACT, SettlingProgram, SettlingSolver
from backbeat.optimization.task_space.levels.nonsingular_space import NonsingularSpace
from backbeat.optimization.task_space.levels.task_forces import TaskForces
from backbeat.optimization.task_space.levels.task_space import TaskSpace
from backbeat.optimization.task_space.limited.cones import ContactCones
from backbeat.optimization.task_space.limited.level_programs import (
    LevelProgram,
    LevelTasks,
    level_program,
)
from backbeat.optimization.task_space.limited.limits import JointLimits
from backbeat.optimization.task_space.limited.nonsingular_limits import (
    Bounds,
    LimitedUnknowns,
    hold,
    is_within,
    move_rows,
    nonsingular_rows,
)

# Weight of the acceleration energy beside the tasks, relative to theirs, and of torques
# that accelerate nothing, which only limits bring into conflict with them.
ENERGY, TORQUE = 1e-6, 1.0
# Room in limits that programs below the first are given, the least that does.
ROOMS = (1e-6, 1e-5, 1e-4)
# Violation of a limit that is accepted, relative to values of its kind.
ACCEPTED = 1e-6

# For each priority whose program was solved, which limits were active there.
Active = dict[int, np.ndarray]


@dataclass
class _Instant:
    """Data of the robot in one solve.

    Attributes:
        nonsingular: contacts and levels.
        tasks: their desired values.
        limits: unknowns, and all limits.
        last, active: what was active at the last tick, and is now.
        is_hard: whether a program had no exact answer.
    """

    nonsingular: NonsingularSpace
    tasks: LevelTasks
    limits: LimitedUnknowns
    last: Active
    active: Active
    is_hard: bool = False


class NonsingularProgram:
    """Torques within limits for the tasks of a task space."""

    def __init__(
        self,
        space: TaskSpace,
        limits: JointLimits,
        unit: np.ndarray,
        cones: ContactCones,
        solver: SettlingSolver,
    ) -> None:
        """Prepares the program.

        Args:
            space: tasks and contacts.
            limits: of the joints.
            unit: (nj,) units in which torques are counted [N m].
            cones: of the contacts.
            solver: for the programs of levels.
        """
        self._space, self._limits, self._unit = space, limits, unit
        self._cones, self._solver = cones, solver
        self._small = np.array([ENERGY, TORQUE])

    def solve(
        self, nonsingular: NonsingularSpace, last: Active
    ) -> tuple[TaskForces, bool, Active] | None:
        """Torques at the state of the task space, as far as limits allow.

        None where so many limits are active that a program has no exact answer.

        Args:
            nonsingular: contacts and levels there.
            last: what was active at a tick before; {} for nothing. It is a guess.

        Returns:
            What they come to, whether all programs were solved, and what is active.
        """
        space, limits, base = (
            self._space,
            self._limits,
            self._space.robot.base_velocities,
        )
        wish, force = nonsingular.rows.wish(), space.joint_forces(nonsingular.rows)
        nonsingular.count_in(self._unit)
        x, lead = nonsingular.start(wish)
        Y = nonsingular.add_levels(force, wish, x.copy())
        tau = nonsingular.smallest_torques(Y.sum(axis=0))
        vdot, F, error = nonsingular.outcome(tau, wish)
        least, most = limits.accelerations(space.state.v[base:], space.joint_angles)
        efforts = limits.efforts(space.state.v[base:])
        bounds = Bounds(*efforts, least, most, self._cones.rows())
        # No level can do better within limits than without them.
        if is_within(tau, vdot[base:], F, bounds):
            return space.collect(nonsingular, tau, {}, vdot, F, error), True, {}
        unknowns = self._rows(nonsingular, x, lead, bounds)
        weight, even = nonsingular.rows.weights(), nonsingular.rows.even()
        active, tasks = Active(), LevelTasks(wish, weight, even, x, Y)
        now = _Instant(nonsingular, tasks, unknowns, last, active)
        z, is_solved = self._at_limits(now)
        if now.is_hard:
            return None
        tau = np.clip(self._unit * (z @ unknowns.X), *efforts)
        if not z.any():
            tau = np.clip(space.solve().tau, *efforts)
        found = nonsingular.outcome(tau, wish)
        return space.collect(nonsingular, tau, {}, *found), is_solved, active

    def _rows(
        self,
        nonsingular: NonsingularSpace,
        x: np.ndarray,
        lead: np.ndarray,
        bounds: Bounds,
    ) -> LimitedUnknowns:
        """Torques per unknown, and all limits; see `nonsingular_limits.py`."""
        n, count = len(self._unit), 2 * len(self._unit) + len(bounds.cones)
        X, A = np.empty((n, n)), np.empty((count, n))
        out = LimitedUnknowns(X, A, np.empty(count), np.empty(count))
        bounds = bounds._replace(cones=bounds.cones / self._space.robot.weight)
        of, units = nonsingular.factors, nonsingular.units
        nonsingular_rows(of, units, x, lead, bounds, out)
        return out

    def _at_limits(self, now: _Instant) -> tuple[np.ndarray, bool]:
        """Unknowns z (nj,) by programs, and whether all of them were solved.

        As many levels as limits allow keep what they have without limits.
        """
        n, Y = len(self._unit), now.tasks.Y
        z, is_solved = np.zeros(n), False
        for count in reversed(range(len(Y) - 1)):
            z = np.zeros(n)
            z[: Y.shape[1]] = Y[: count + 1].sum(axis=0)
            is_solved = self._solve_levels(now, count, z)
            if is_solved or now.is_hard:
                break
        return z, is_solved

    def _solve_levels(self, now: _Instant, count: int, z: np.ndarray) -> bool:
        """Whether all levels below the first so many were solved.

        Args:
            now: the instant.
            count: how many levels z is the best for.
            z: (nj,) unknowns, which may be beyond limits; written.
        """
        nonsingular, held = now.nonsingular, now.nonsingular.held
        is_feasible = count > 0 and hold(now.limits, z)
        left = held
        for level in range(1, 1 + count):
            left = nonsingular.left_below(level, left)
        now.active.clear()
        for level in range(1 + count, len(now.tasks.Y)):
            if left - held == len(z) or now.is_hard:
                return is_feasible
            # A solver may take what hardly has room for what has none.
            for room in ROOMS if is_feasible else (0.0,):
                if self._solve_level(now, level, left, room, z) or now.is_hard:
                    break
            else:
                return False
            is_feasible = True
            left = nonsingular.left_below(level, left)
        return True

    def _solve_level(
        self, now: _Instant, level: int, left: int, room: float, z: np.ndarray
    ) -> bool:
        """Whether one level's change of z was found, which is added.

        Limits are taken to have some room at z, rounding or not.
        """
        nonsingular, first = now.nonsingular, left - now.nonsingular.held
        n, m = len(z) - first, len(now.limits.A)
        H, near, A = np.empty((n, n)), np.empty((n, n)), np.empty((m, n))
        g, toward, lower, upper = np.empty(n), np.empty(n), np.empty(m), np.empty(m)
        out = LevelProgram(H, g, near, toward)
        of = nonsingular.factors
        level_program(of, level, left, now.tasks, z, self._small, out)
        worst = move_rows(now.limits, z, first, room, A, lower, upper)
        accepted = ACCEPTED * (1.0 + worst)
        priority = [*nonsingular.rows.levels][level - 1]
        found = self._solver.solve(
            SettlingProgram(H, g, A, lower, upper, near, toward, accepted),
            now.last.get(priority),
        )
        if found.found:
            now.is_hard = found.status != EXACT
            z[first:] += found.x
            now.active[priority] = np.sign(found.dual)
        return found.found
