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
torques the smallest ones, counted in limits: no program is solved then, nor for the
levels above the first that limits concern.

Sources
    Boyd, Vandenberghe, "Convex Optimization", 2004.
    Kanoun, Lamiraux, Wieber, "Kinematic Control of Redundant Manipulators: Generalizing
    the Task-Priority Framework to Inequality Task", 2011 (levels as programs).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from models.contact import PATCH_MARGIN, wrench_cone
from models.errors import BackbeatError
from optimization.qp import INFINITY, QuadraticProgram, make_solver
from optimization.task_space.constrained_dynamics import solve_lower, solve_upper
from optimization.task_space.limits import JointLimits
from optimization.task_space.motion_tasks import ContactTask
from optimization.task_space.task_space import TaskForces, TaskSpace

# Weight of the acceleration energy beside the tasks, relative to theirs, and of torques
# that accelerate nothing, which only limits bring into conflict with them.
ENERGY, TORQUE = 1e-6, 1.0
# Passes over each program, each near the answer of the last: what the small weights
# cost a task shrinks by as much again, and so does what torques cost it at limits.
PASSES, SETTLED = 4, 1e-9
# Share of the largest singular value below which a direction is already decided.
DECIDED = 1e-7
# Room in limits that programs below the first are given, the least that does.
ROOMS = (1e-6, 1e-5, 1e-4)
# Residuals that are accepted of solutions, and zero but for rounding.
ACCEPTED, ROUNDING = 1e-6, 1e-12
# (k, n) rows, (k,) lower and (k,) upper bounds.
Limits = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class LimitedForces(TaskForces):
    """What the tasks come to within limits.

    Attributes:
        at_limit: (nj,) whether a joint's torque is at its limit.
        is_solved: whether all programs were. If not, torques are those of the levels
            that were, and truncated ones if none was.
    """

    at_limit: np.ndarray
    is_solved: bool


class LimitedProgram:
    """Torques for the tasks of a task space within limits."""

    def __init__(
        self,
        space: TaskSpace,
        limits: JointLimits | None = None,
        friction: float = 0.6,
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
            solver: back end of `optimization.qp`.

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
        self._solver = make_solver(solver)
        robot = space.robot
        # Torques are counted in limits; those without one, in weights of the robot.
        limit = self.limits.effort
        self._unit = np.where(np.isfinite(limit), limit, robot.weight)

    def solve(self) -> LimitedForces:
        """Torques at the state of the task space, as far as limits allow."""
        return self._within_limits() or self._at_limits()

    def _within_limits(self) -> LimitedForces | None:
        """Torques without limits, where they are within them; None elsewhere.

        No level can do better within limits than without them, so that nothing is
        left for programs to find.
        """
        space = self.space
        if space.reactions or not self._is_plain():
            return None
        phi = sum(space.weighted_forces().values(), np.zeros(len(space.state.v)))
        tau = space.dynamics.torques(phi, self._unit)
        if not (np.abs(tau) <= self.limits.effort).all():
            return None
        found = space.outcome(tau, {})
        base = space.robot.base_velocities
        least, most = self.limits.accelerations(space.state.v[base:])
        vdot = found.vdot[base:]
        if not ((least <= vdot) & (vdot <= most)).all():
            return None
        F = space.dynamics.reaction(tau)
        if any((cone @ F[at] > 0.0).any() for cone, at in self._cones()):
            return None
        return self._limited(found, True)

    def _is_plain(self) -> bool:
        """Whether programs without limits would come to what the closed form does.

        Directions that are given up by half are so in ways of their own, between which
        torques would jump.
        """
        partial = any(level.rank.is_partial for level in self.space.levels.values())
        return self.level_weights is None and not partial

    def _limited(self, found: TaskForces, is_solved: bool) -> LimitedForces:
        at_limit = self.limits.effort - np.abs(found.tau) <= ACCEPTED * self._unit
        return LimitedForces(
            found.tau, found.vdot, {}, found.reaction, found.error, at_limit, is_solved
        )

    def _at_limits(self) -> LimitedForces:
        """Torques by programs, level by level."""
        space, dynamics = self.space, self.space.dynamics
        self._set_unknowns()
        self._a_1 = dynamics.contact_acceleration()
        self._F_1 = dynamics.reaction(np.zeros(len(self._unit)))
        rows = self._limit_rows()
        levels = [[p] for p in space.priorities]
        if self.level_weights is not None:
            levels = [space.priorities]
        z, free, is_solved = np.zeros(len(self._unit)), np.eye(len(self._unit)), True
        decided, z = self._decided(rows)
        if decided:
            free = _null_space(np.vstack([self._stack([p], z)[0] for p in decided]))
            levels = levels[len(decided) :]
        if space.reactions:
            levels.append([])
        for left, together in enumerate(levels, 1 - len(levels)):
            J, wish = self._stack(together, z) if together else self._reaction_rows()
            small = np.where(self._moves | (not together), ENERGY, TORQUE)
            # A solver may take what hardly has room for what has none.
            for room in ROOMS:
                change = self._solve_level(J, wish, z, free, rows, small, room)
                if change is not None:
                    break
            if change is None:
                is_solved = False
                break
            z = z + free @ change
            if left:
                free = free @ _null_space(J @ free)
            if not free.shape[1]:
                break
        limit = self.limits.effort
        tau = np.clip(self._unit * (self._X @ z), -limit, limit)
        if not z.any():
            tau = self.limits.truncate(space.solve().tau)[0]
        return self._limited(space.outcome(tau, {}), is_solved)

    def _decided(self, rows: Limits) -> tuple[list[int], np.ndarray]:
        """Priorities from the highest on that limits do not concern, and their z."""
        z, found = np.zeros(len(self._unit)), list[int]()
        if not self._is_plain():
            return found, z
        A, lower, upper = rows
        total = np.zeros(len(self._T))
        for priority, phi in self.space.weighted_forces().items():
            total = total + phi
            # All of it moves the robot: what accelerates nothing stays at zero.
            further = self._T.T @ total
            there = A @ further
            if not ((lower <= there) & (there <= upper)).all():
                break
            found.append(priority)
            z = further
        return found, z

    def _set_unknowns(self) -> None:
        """Unknowns z: weighted accelerations, and torques that accelerate nothing.

        Torques are X z in units of their limits. So the acceleration energy is z'z
        over the first of them, however light a wrist and heavy a shoulder are.
        """
        motion, force = self.space.dynamics.torque_maps()
        U, s, V = np.linalg.svd(motion * self._unit)
        moving = int(np.sum(s > DECIDED * s[0]))
        self._X = np.hstack([V[:moving].T / s[:moving], V[moving:].T])
        self._T, self._R = np.zeros_like(motion), (force * self._unit) @ self._X
        self._T[:, :moving] = U[:, :moving]
        self._moves = np.arange(len(self._unit)) < moving

    def _stack(
        self, priorities: list[int], z: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Rows J z = wish of one level, or of all of them, with their weights."""
        J, wish, space = [], [], self.space
        for p in priorities:
            share = 1.0 if self.level_weights is None else self.level_weights[p]
            level = space.levels.get(p)
            if level is None:
                # Torques asked for, as the accelerations that they would add.
                root, C = np.sqrt(share), space.dynamics.C
                J.append(root * self._T)
                phi = space.null_space(p) @ solve_lower(C, space.joint_force(p))
                wish.append(root * (phi + self._T @ z))
                continue
            R, rows = np.sqrt(share) * level.metric, level.B @ self._T
            J.append(R @ rows)
            # Of directions that are given up, only the share that is kept.
            change = level.wanted_change(self._a_1 + self._T @ z)
            kept = level.compliance @ level.task_force(change)
            wish.append(R @ (kept + rows @ z))
        return np.vstack(J), np.concatenate(wish)

    def _reaction_rows(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows for the forces of contacts that tasks ask for, in weights."""
        rows, weight = self.space.reaction_rows(), self.space.robot.weight
        desired = np.concatenate([r.desired for r in self.space.reactions])
        return self._R[rows] / weight, (desired - self._F_1[rows]) / weight

    def _limit_rows(self) -> Limits:
        """(k, nj) rows, (k,) lower and (k,) upper bounds of all limits, in z."""
        space, base = self.space, self.space.robot.base_velocities
        one = np.where(np.isfinite(self.limits.effort), 1.0, INFINITY)
        A, lower, upper = [self._X], [-one], [one]
        least, most = self.limits.accelerations(space.state.v[base:])
        C = space.dynamics.C
        ours = np.isfinite(least) | np.isfinite(most)
        there = solve_upper(C, self._a_1)[base:]
        A.append(solve_upper(C, self._T)[base:][ours])
        lower.append((least - there)[ours])
        upper.append((most - there)[ours])
        for cone, at in self._cones():
            rows = cone / space.robot.weight
            A.append(rows @ self._R[at])
            lower.append(np.full(len(cone), -INFINITY))
            upper.append(-rows @ self._F_1[at])
        return np.vstack(A), np.concatenate(lower), np.concatenate(upper)

    def _cones(self) -> list[tuple[np.ndarray, slice]]:
        """Rows C of cones C F <= 0 in world axes, and where each contact's F is."""
        cones, at, space = [], 0, self.space
        for task in space.contacts:
            part = slice(at, at + task.dimension)
            at += task.dimension
            contact = space.robot.contacts.get(task.name)
            if not isinstance(task, ContactTask) or contact is None:
                continue
            R_CW = space.state.pose(task.frame).rotation().matrix().T
            if task.held == [3, 4, 5] and contact.is_point:
                cones.append((_pyramid(self.friction) @ R_CW, part))
            if task.held == [*range(6)] and not contact.is_point:
                cone = _patch_cone(
                    contact.half_length, contact.half_width, self.friction
                )
                turned = np.hstack([cone[:, :3] @ R_CW, cone[:, 3:] @ R_CW])
                cones.append((turned, part))
        return cones

    def _solve_level(
        self,
        J: np.ndarray,
        wish: np.ndarray,
        z: np.ndarray,
        free: np.ndarray,
        rows: Limits,
        small: np.ndarray,
        least_room: float,
    ) -> np.ndarray | None:
        """Change y of z + free y that one level makes; None where none was found."""
        A, lower, upper = rows
        Jf, missing = J @ free, wish - J @ z
        # Weights count against a wish of average size.
        small = small * max(float(np.sum(Jf * Jf)) / len(J), ROUNDING)
        H = Jf.T @ Jf + (free.T * small) @ free
        at, A = A @ z, np.ascontiguousarray(A @ free)
        lower, upper = lower - at, upper - at
        if z.any():
            # What the levels above have found is feasible, rounding or not.
            lower = np.minimum(lower, -least_room)
            upper = np.maximum(upper, least_room)
        y, dual = np.zeros(len(H)), None
        for k in range(PASSES):
            # Torques that accelerate nothing are small at first; then all of it stays
            # near where the last pass ended.
            near = np.where(self._moves | (k > 0), -(free @ y), z)
            g = free.T @ (small * near) - Jf.T @ missing
            solution = self._solver.solve(QuadraticProgram(H, g, A, lower, upper), dual)
            room = ACCEPTED * (1.0 + float(np.abs(at).max()))
            if not (solution.found and solution.primal_residual() <= room):
                return None
            y, before, dual = solution.x, y, solution.dual
            if np.abs(y - before).max() <= SETTLED:
                break
        return y


def _null_space(J: np.ndarray) -> np.ndarray:
    """(n, k) orthonormal basis of what J (m, n) does not see."""
    _, s, V = np.linalg.svd(J)
    return V[int(np.sum(s > DECIDED * max(s.max(initial=0.0), ROUNDING))) :].T


@lru_cache(maxsize=32)
def _patch_cone(half_length: float, half_width: float, friction: float) -> np.ndarray:
    """(16, 6) rows of the cone of a patch in its own axes."""
    length, width = PATCH_MARGIN * half_length, PATCH_MARGIN * half_width
    return wrench_cone(length, width, friction)


def _pyramid(friction: float) -> np.ndarray:
    """(5, 3) rows C of C f <= 0: no pulling, and friction inside its circle."""
    mu = friction / np.sqrt(2.0)
    return np.array(
        [[0, 0, -1], [1, 0, -mu], [-1, 0, -mu], [0, 1, -mu], [0, -1, -mu]], float
    )
