"""A priority level at one state: what its tasks can do without disturbing those above.

In the letters of the literature, with N the null space of all levels above (the
identity for the first) and p the level,

    stacked Jacobian        G    = the Jacobians of its tasks, one below the other
    prioritized Jacobian    G*   = G N
    compliance              A    = G* M^-1 G*' = G M^-1 G*'
    task inertia            L    = A^+, rank-adjusted
    generalized inverse     Gbar = M^-1 G*' L
    null space              N_p  = N (1 - Gbar G*)

The work is done in the few weighted coordinates y of the accelerations that torques can
make (`ConstrainedDynamics`), where E = G C^-T F and N becomes a symmetric projector S;
the matrices above are attributes for inspection.

Sources
    Khatib, Sentis, Park, Warren, "Whole-Body Dynamic Behavior and Control of Human-like
    Robots", 2004.
    Sentis, "Synthesis and Control of Whole-Body Behaviors in Humanoid Systems", 2007.
"""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from backbeat.optimization.task_space.tasks.constrained_dynamics import (
    ConstrainedDynamics,
    solve_lower,
    solve_upper,
)
from backbeat.optimization.task_space.tasks.motion_tasks import MotionTask, row_weights
from backbeat.optimization.task_space.tasks.rank import (
    RankAdjusted,
    deciding,
    rank_adjusted,
)

# How forces of a level are chosen where many do: the least acceleration energy, or the
# least squares of a force that is projected afterwards.
WAYS = ("least acceleration energy", "least squares")


class Level:
    """One level of tasks at one state.

    Attributes:
        tasks: its tasks.
        B: (m, nv) stacked Jacobian, weighted.
        E: (m, r) the same in coordinates of what torques can do.
        bias: (m,) accelerations with vdot = 0.
        weight: (m,) weights.
        S: (r, r) null space of the levels above in those coordinates.
        rank: compliance and task inertia, with what of them is kept.
        is_nonsingular: whether directions are kept or given up as a whole, here and
            above.
    """

    def __init__(
        self,
        tasks: Sequence[MotionTask],
        dynamics: ConstrainedDynamics,
        above: "Level | None",
        heaviest: float,
    ) -> None:
        """Computes a level below another one.

        Args:
            tasks: its tasks.
            dynamics: the robot.
            above: the level above; None for the first.
            heaviest: see `rank_adjusted` [kg].
        """
        self.tasks, self._dynamics, self._above = tuple(tasks), dynamics, above
        state = dynamics.state
        self.G = np.vstack([t.jacobian(state) for t in tasks])
        self.bias = np.concatenate([t.bias(state) for t in tasks])
        self.weight = np.concatenate([row_weights(t) for t in tasks])
        self._heaviest = heaviest
        self.B = dynamics.weigh(self.G)
        self.E = self.B @ dynamics.F
        self.S = np.eye(self.E.shape[1]) if above is None else above.left
        self._E_star = self.E if above is None else self.E @ self.S
        self.rank = self._find_rank()
        nonsingular_above = above is None or above.is_nonsingular
        self.is_nonsingular: bool = nonsingular_above and not self.rank.is_partial

    def _find_rank(self) -> RankAdjusted:
        """Compliance and task inertia."""
        A, heaviest, above = self._E_star @ self.E.T, self._heaviest, self._above
        if above is None:
            return rank_adjusted(A, heaviest)
        if above.is_nonsingular and self.is_even:
            found = deciding(self.E, self.S, heaviest)
            if found is not None:
                return found
        return rank_adjusted(A, heaviest, self.E @ self.E.T)

    @property
    def is_even(self) -> bool:
        """Whether all of its tasks have the same weight."""
        return bool(self.weight.min() == self.weight.max())

    @cached_property
    def left(self) -> np.ndarray:
        """(r, r) null space of the levels above and this one, as `S` is."""
        return np.asarray(self.S - self._E_star.T @ self.rank.inverse @ self._E_star)

    @property
    def projector_above(self) -> np.ndarray:
        """(nv, nv) weighted null space of the levels above."""
        return np.asarray(self._dynamics.F @ self.S @ self._dynamics.F.T)

    @property
    def projector_below(self) -> np.ndarray:
        """(nv, nv) weighted null space of the levels above and this one."""
        return np.asarray(self._dynamics.F @ self.left @ self._dynamics.F.T)

    @property
    def metric(self) -> np.ndarray:
        """(m, m) R: missing accelerations x count as |R x|^2 where not all can be had.

        By the weights of the tasks where these differ, else as a kinetic energy.
        """
        if self.is_even:
            return self.rank.metric
        return np.diag(np.sqrt(self.weight / self.weight.max()))

    @property
    def desired(self) -> np.ndarray:
        """(m,) desired accelerations at present."""
        return np.concatenate([t.desired for t in self.tasks])

    def acceleration_before(self, a: np.ndarray) -> np.ndarray:
        """(m,) task accelerations that weighted accelerations a (nv,) already make."""
        return np.asarray(self.B @ a + self.bias)

    def wanted_change(self, a: np.ndarray) -> np.ndarray:
        """(m,) what is missing to the desired accelerations, conflicts resolved."""
        missing = self.desired - self.acceleration_before(a)
        return self.rank.resolve(missing, self.weight)

    def task_force(self, change: np.ndarray) -> np.ndarray:
        """(m,) forces in task space that make a change: F = L change."""
        return np.asarray(self.rank.inverse @ change)

    def force(self, a: np.ndarray, way: str = WAYS[0]) -> np.ndarray:
        """(nv,) weighted forces that make what is missing, in the null space above.

        Args:
            a: (nv,) weighted accelerations that are there already.
            way: one of WAYS; the first is f = G*' L change.
        """
        change = self.wanted_change(a)
        if way == WAYS[0]:
            return self._dynamics.F @ (self._E_star.T @ self.task_force(change))
        # G M^-1 N' f = change by least squares in f, then N' f.
        C = self._dynamics.C
        X = solve_upper(C, self._projected.T).T
        inverse = rank_adjusted(X @ X.T, self._heaviest**2).inverse
        return np.asarray(
            self.projector_above @ solve_lower(C, X.T @ (inverse @ change))
        )

    def gravity_force(self) -> np.ndarray:
        """(m,) force in task space that holds the robot against gravity: Gbar' g."""
        C = self._dynamics.C
        return self._felt(solve_lower(C, -self._dynamics.state.gravity_forces))

    def inertial_force(self) -> np.ndarray:
        """(m,) force in task space of Coriolis and centrifugal forces c.

        It is Gbar' c - L Jdot v: with that of gravity, and without contacts and
        damping, the task force is L desired + both.
        """
        state = self._dynamics.state
        c = state.bias + state.gravity_forces
        felt = self._felt(solve_lower(self._dynamics.C, c))
        return felt - self.rank.inverse @ self.bias

    def _felt(self, phi: np.ndarray) -> np.ndarray:
        """(m,) force in task space of weighted forces phi: Gbar' f."""
        return np.asarray(self.rank.inverse @ (self._projected @ phi))

    @cached_property
    def _projected(self) -> np.ndarray:
        """(m, nv) B P, weighted."""
        return np.asarray(self._E_star @ self._dynamics.F.T)

    @cached_property
    def prioritized_jacobian(self) -> np.ndarray:
        """(m, nv) G*."""
        return self._projected @ self._dynamics.C.T

    @property
    def compliance(self) -> np.ndarray:
        """(m, m) A."""
        return np.asarray(self._E_star @ self.E.T)

    @property
    def inertia(self) -> np.ndarray:
        """(m, m) L."""
        return self.rank.inverse

    @cached_property
    def generalized_inverse(self) -> np.ndarray:
        """(nv, m) Gbar."""
        return solve_upper(self._dynamics.C, self._projected.T @ self.rank.inverse)

    @cached_property
    def null_space_above(self) -> np.ndarray:
        """(nv, nv) N of the levels above."""
        return solve_upper(self._dynamics.C, self.projector_above @ self._dynamics.C.T)

    @cached_property
    def null_space(self) -> np.ndarray:
        """(nv, nv) N_p."""
        return solve_upper(self._dynamics.C, self.projector_below @ self._dynamics.C.T)
