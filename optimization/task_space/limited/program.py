"""LimitedProgram: tasks by priority within limits, as quadratic programs.

With the accelerations and contact forces that torques make,

    a = a_1 + T tau,    F = F_1 + R tau     (contacts holding, a weighted)

each level p, from the highest on, solves

    minimize    |R_p (B_p a + bias - desired)|^2 + small |a - a_above|^2
    subject to  B_k a as the levels k < p have it
                lower <= tau <= upper                    torques
                lower <= joint accelerations <= upper    speeds, accelerations
                cones of the contacts

so a level gives way to limits before any level above it does. R measures what is
missed: by the weights of the tasks where these differ, else as a kinetic energy. Of
directions that are too heavy only a share is desired (`rank.py`). Without priorities
all levels are one program, each with a weight of its own.

Where limits are not active the accelerations are those of `TaskSpace.solve`, and the
torques the smallest ones, counted in limits: no program is solved then. Where they are,
as many levels from the highest on as limits allow do as they would without limits,
which is the best there is for them, and programs are solved for the others alone.

Sources
    Boyd, Vandenberghe, "Convex Optimization", 2004.
    Kanoun, Lamiraux, Wieber, "Kinematic Control of Redundant Manipulators: Generalizing
    the Task-Priority Framework to Inequality Task", 2011 (levels as programs).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from backbeat.models.common.errors import BackbeatError
from backbeat.models.contact.friction import TRACKED_FRICTION
from backbeat.optimization.qp.settling import SettlingProgram, SettlingSolver
from backbeat.optimization.task_space.levels.task_forces import TaskForces
from backbeat.optimization.task_space.levels.task_space import TaskSpace
from backbeat.optimization.task_space.limited.cones import ContactCones
from backbeat.optimization.task_space.limited.limit_rows import LimitRows, limit_rows
from backbeat.optimization.task_space.limited.limits import JointLimits
from backbeat.optimization.task_space.limited.nonsingular_limits import (
    Bounds,
    is_within,
)
from backbeat.optimization.task_space.limited.nonsingular_program import (
    ACCEPTED,
    ENERGY,
    ROOMS,
    TORQUE,
    Active,
    NonsingularProgram,
)
from backbeat.optimization.task_space.tasks.constrained_dynamics import (
    DECIDED,
    solve_lower,
)

# Zero but for rounding.
ROUNDING = 1e-12


@dataclass(frozen=True)
class LimitedForces(TaskForces):
    """What the tasks come to within limits.

    Attributes:
        at_limit: (nj,) whether a joint's torque is at its limit.
        is_solved: whether all programs were. If not, torques are those of the levels
            that were, and truncated ones if none was.
        active: for priorities whose program was solved, which limits were active.
    """

    at_limit: np.ndarray
    is_solved: bool
    active: Active


class LimitedProgram:
    """Torques for the tasks of a task space within limits."""

    def __init__(
        self,
        space: TaskSpace,
        limits: JointLimits | None = None,
        friction: float = TRACKED_FRICTION,
        level_weights: Mapping[int, float] | None = None,
        solver: str = "daqp",
    ) -> None:
        """Prepares the program.

        Args:
            space: tasks and contacts; its state is that of its last `update`.
            limits: of the joints; None for those of the robot.
            friction: of contacts that are patches or points of the robot.
            level_weights: for each priority, its weight against the others; None for
                strict priorities.
            solver: back end of `backbeat.optimization.qp.program`.

        Raises:
            BackbeatError: a priority has no weight, or no such solver.
        """
        self.space, self.friction = space, friction
        self.limits = limits or JointLimits.of(space.robot)
        self.level_weights = level_weights
        if level_weights is not None:
            missing = [p for p in space.priorities if not level_weights.get(p, 0) > 0]
            if missing:
                raise BackbeatError(
                    f"priority {missing[0]} needs a positive weight against the others"
                )
        self._solver = SettlingSolver(solver)
        robot = space.robot
        # Torques are counted in limits; those without one, in weights of the robot.
        limit = self.limits.effort
        self._unit = np.where(np.isfinite(limit), limit, robot.weight)
        self._cones = ContactCones(space, friction)
        parts = self.limits, self._unit, self._cones, self._solver
        self._nonsingular = NonsingularProgram(space, *parts)

    def solve(self, last: LimitedForces | None = None) -> LimitedForces:
        """Torques at the state of the task space, as far as limits allow.

        Args:
            last: what this came to a tick ago. Which limits were active then is where
                the search for those that are active now begins; the answer is that of
                the latter, and does not depend on it.
        """
        space = self.space
        is_nonsingular = self._is_nonsingular()
        if is_nonsingular and space.nonsingular is not None and not space.reactions:
            guess = last.active if last is not None else {}
            answer = self._nonsingular.solve(space.nonsingular, guess)
            if answer is not None:
                return self._limited(*answer)
        self._basis = space.dynamics.torque_basis(self._unit)
        nothing = np.zeros(len(space.state.v))
        # Weighted forces without limits: of none, the first, the first two ... levels.
        free = [nothing]
        if is_nonsingular:
            free = [*accumulate(space.weighted_forces().values(), initial=nothing)]
            if not space.reactions:
                within = self._within_limits(free[-1])
                if within is not None:
                    return within
        return self._at_limits(free)

    def _within_limits(self, phi: np.ndarray) -> LimitedForces | None:
        """Torques for weighted forces (nv,), if they are within limits.

        No level can do better within limits than without them, so that nothing is
        left for programs to find.
        """
        space, base = self.space, self.space.robot.base_velocities
        tau = self._basis.torques(phi)
        found = space.outcome(tau, {})
        ranges = self.limits.accelerations(space.state.v[base:], space.joint_angles)
        F = np.concatenate([np.zeros(0), *found.reaction.values()])
        bounds = Bounds(*self._efforts(), *ranges, self._cones.rows())
        if not is_within(tau, found.vdot[base:], F, bounds):
            return None
        return self._limited(found, True, {})

    def _efforts(self) -> tuple[np.ndarray, np.ndarray]:
        """(nj,) least and most torques at the state of the task space [N m]."""
        space = self.space
        return self.limits.efforts(space.state.v[space.robot.base_velocities :])

    def _is_nonsingular(self) -> bool:
        """Whether programs without limits would come to what the closed form does.

        Directions that are given up by half are so in ways of their own, between which
        torques would jump.
        """
        return self.level_weights is None and self.space.is_nonsingular

    def _limited(
        self, found: TaskForces, is_solved: bool, active: Active
    ) -> LimitedForces:
        least, most = self._efforts()
        margin = np.minimum(most - found.tau, found.tau - least)
        at_limit = margin <= ACCEPTED * self._unit
        tau, vdot, F = found.tau, found.vdot, found.reaction
        return LimitedForces(tau, vdot, {}, F, found.error, at_limit, is_solved, active)

    def _at_limits(self, free: list[np.ndarray]) -> LimitedForces:
        """Torques by programs, level by level.

        Args:
            free: for none, one, two ... levels from the highest on, (nv,) weighted
                forces that they come to without limits.
        """
        space, basis = self.space, self._basis
        self._set_unknowns()
        rows = limit_rows(space, self.limits, self._cones.rows(), basis)
        levels = [[p] for p in space.priorities]
        if self.level_weights is not None:
            levels = [space.priorities]
        if space.reactions:
            levels.append([])
        for count in reversed(range(min(len(free), len(levels)))):
            # All of it moves the robot: what accelerates nothing begins at zero.
            start = self._T.T @ free[count]
            z, is_solved = self._solve_levels(levels, count, start, rows)
            if is_solved:
                break
        X, efforts = np.hstack([basis.moving, basis.still]), self._efforts()
        tau = np.clip(self._unit * (X @ z), *efforts)
        if not z.any():
            tau = np.clip(space.solve().tau, *efforts)
        return self._limited(space.outcome(tau, {}), is_solved, {})

    def _solve_levels(
        self, levels: list[list[int]], count: int, z: np.ndarray, rows: LimitRows
    ) -> tuple[np.ndarray, bool]:
        """What levels below the first so many come to, which keep what z gives them.

        Args:
            levels: priorities together in each.
            count: how many of them z (nj,) is the best for.
            z: z itself; it may be beyond limits.
            rows: all limits.

        Returns:
            The new z, and whether all of them were solved.
        """
        free, is_feasible = np.eye(len(z)), count > 0 and rows.hold(z)
        if count:
            decided = [self._rows(p) for level in levels[:count] for p in level]
            free = _null_space(np.vstack(decided))
            if not free.shape[1]:
                return z, is_feasible
        for left, together in enumerate(levels[count:], 1 + count - len(levels)):
            if together:
                J, wish = self._stack(together, z)
            else:
                J, wish = self._reaction_rows(rows)
            small = np.where(self._moves | (not together), ENERGY, TORQUE)
            change = None
            # A solver may take what hardly has room for what has none.
            for room in ROOMS if is_feasible else (0.0,):
                change = self._solve_level(J, wish, z, free, rows, small, room)
                if change is not None:
                    break
            if change is None:
                return z, False
            z, is_feasible = z + free @ change, True
            if left:
                free = free @ _null_space(J @ free)
            if not free.shape[1]:
                break
        return z, True

    def _set_unknowns(self) -> None:
        """Unknowns z: weighted accelerations, and torques that accelerate nothing.

        Torques are X z in units of their limits. So the acceleration energy is z'z
        over the first of them, however light a wrist and heavy a shoulder are.
        """
        basis, n = self._basis, len(self._unit)
        moving = basis.T.shape[1]
        self._T = np.zeros((len(basis.T), n))
        self._T[:, :moving] = basis.T
        self._moves = np.arange(n) < moving
        self._a_1 = self.space.dynamics.contact_acceleration()

    def _metric(self, priority: int) -> np.ndarray | float:
        """R of a level, or its root weight where its task is torques."""
        weights, level = self.level_weights, self.space.levels.get(priority)
        root = 1.0 if weights is None else np.sqrt(weights[priority])
        return root if level is None else root * level.metric

    def _rows(self, priority: int) -> np.ndarray:
        """(k, nj) rows J of a level, weighted."""
        level, R = self.space.levels.get(priority), self._metric(priority)
        # Desired torques count as the accelerations that they would add.
        return R * self._T if level is None else R @ (level.B @ self._T)

    def _stack(
        self, priorities: list[int], z: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Rows J z = wish of one level, or of all of them, with their weights."""
        J, wish, space = [], [], self.space
        for p in priorities:
            R, level = self._metric(p), space.levels.get(p)
            J.append(self._rows(p))
            if level is None:
                phi = solve_lower(space.dynamics.C, space.joint_force(p))
                missing = R * (space.null_space(p) @ phi)
            else:
                # Of directions that are given up, only the share that is kept.
                change = level.wanted_change(self._a_1 + self._T @ z)
                missing = R @ (level.compliance @ level.task_force(change))
            wish.append(missing + J[-1] @ z)
        return np.vstack(J), np.concatenate(wish)

    def _reaction_rows(self, rows: LimitRows) -> tuple[np.ndarray, np.ndarray]:
        """Rows for contact forces that tasks have, in weights."""
        asked, weight = self.space.reaction_rows(), self.space.robot.weight
        desired = np.concatenate([r.desired for r in self.space.reactions])
        missing = desired - rows.reaction_0[asked]
        return rows.reaction[asked] / weight, missing / weight

    def _solve_level(
        self,
        J: np.ndarray,
        wish: np.ndarray,
        z: np.ndarray,
        free: np.ndarray,
        rows: LimitRows,
        small: np.ndarray,
        room: float,
    ) -> np.ndarray | None:
        """Change y of z + free y that one level makes; None where none was found.

        Limits are taken to have some room at z, rounding or not.
        """
        Jf, missing = J @ free, wish - J @ z
        # Weights count against a wish of average size.
        small = small * max(float(np.sum(Jf * Jf)) / len(J), ROUNDING)
        H = Jf.T @ Jf + (free.T * small) @ free
        at, A = rows.A @ z, rows.A @ free
        lower, upper = rows.lower - at, rows.upper - at
        if room:
            lower, upper = np.minimum(lower, -room), np.maximum(upper, room)
        accepted = ACCEPTED * (1.0 + float(np.abs(at).max()))
        # Torques that accelerate nothing are small at first; then all of it stays
        # near where the last pass ended.
        toward = Jf.T @ missing
        g = free.T @ (small * np.where(self._moves, 0.0, z)) - toward
        near = (free.T * small) @ free
        found = self._solver.solve(
            SettlingProgram(H, g, A, lower, upper, near, toward, accepted)
        )
        return found.x if found.found else None


def _null_space(J: np.ndarray) -> np.ndarray:
    """(n, k) orthonormal basis of what J (m, n) does not see."""
    _, s, V = np.linalg.svd(J)
    return V[int(np.sum(s > DECIDED * max(s.max(initial=0.0), ROUNDING))) :].T
