"""A priority level at one state: what its tasks can do without disturbing those above.

In the letters of the literature, with N the null space of all levels above (the
identity for the first) and p the level,

    stacked Jacobian        G    = the Jacobians of its tasks, one below the other
    prioritized Jacobian    G*   = G N
    compliance              A    = G* M^-1 G*' = G M^-1 G*'
    task inertia            L    = A^+, rank-adjusted
    generalized inverse     Gbar = M^-1 G*' L
    null space              N_p  = N (1 - Gbar G*)

The work is done in weighted coordinates (`ConstrainedDynamics`), where B = G C^-T and
N becomes a symmetric projector P; the matrices above are there by name for whoever
wants to see them.

Sources
    Khatib, Sentis, Park, Warren, "Whole-Body Dynamic Behavior and Control of Human-like
    Robots", 2004.
    Sentis, "Synthesis and Control of Whole-Body Behaviors in Humanoid Systems", 2007.
"""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from optimization.task_space.constrained_dynamics import (
    ConstrainedDynamics,
    solve_lower,
    solve_upper,
)
from optimization.task_space.motion_tasks import MotionTask
from optimization.task_space.rank import rank_adjusted

# How forces of a level are chosen where many do: the least acceleration energy, or the
# least squares of a force that is projected afterwards.
WAYS = ("least acceleration energy", "least squares")


class Level:
    """One level of tasks at one state.

    Attributes:
        tasks: its tasks.
        B: (m, nv) stacked Jacobian, weighted.
        bias: (m,) accelerations with vdot = 0.
        weight: (m,) weights.
        P: (nv, nv) weighted null space of the levels above.
        rank: compliance and task inertia, with what of them is kept.
    """

    def __init__(
        self,
        tasks: Sequence[MotionTask],
        dynamics: ConstrainedDynamics,
        P: np.ndarray,
        heaviest: float,
    ) -> None:
        """Computes a level in the null space P of those above.

        Args:
            tasks: its tasks.
            dynamics: the robot.
            P: (nv, nv) weighted null space above.
            heaviest: see `rank_adjusted` [kg].
        """
        self.tasks, self._dynamics, self.P = tuple(tasks), dynamics, P
        state = dynamics.state
        self.G = np.vstack([t.jacobian(state) for t in tasks])
        self.bias = np.concatenate([t.bias(state) for t in tasks])
        self.weight = np.concatenate([_weights(t) for t in tasks])
        self._heaviest = heaviest
        self.B = dynamics.weigh(self.G)
        self._B_star = self.B @ P
        alone = None if P is dynamics.P else self.B @ dynamics.P @ self.B.T
        self.rank = rank_adjusted(self._B_star @ self.B.T, heaviest, alone)

    @cached_property
    def projector_below(self) -> np.ndarray:
        """(nv, nv) weighted null space of the levels above and this one."""
        return self.P - self._B_star.T @ self.rank.inverse @ self._B_star

    @property
    def metric(self) -> np.ndarray:
        """(m, m) R: missing accelerations x count as |R x|^2 where not all can be had.

        By the weights of the tasks where these differ, else as a kinetic energy.
        """
        if self.weight.min() == self.weight.max():
            return self.rank.metric
        return np.diag(np.sqrt(self.weight / self.weight.max()))

    @property
    def desired(self) -> np.ndarray:
        """(m,) accelerations asked for at present."""
        return np.concatenate([t.desired for t in self.tasks])

    def acceleration_before(self, a: np.ndarray) -> np.ndarray:
        """(m,) task accelerations that weighted accelerations a (nv,) already make."""
        return np.asarray(self.B @ a + self.bias)

    def wanted_change(self, a: np.ndarray) -> np.ndarray:
        """(m,) what is missing to the accelerations asked for, conflicts resolved."""
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
            return np.asarray(self._B_star.T @ self.task_force(change))
        # G M^-1 N' f = change by least squares in f, then N' f.
        C = self._dynamics.C
        X = solve_upper(C, self._B_star.T).T
        inverse = rank_adjusted(X @ X.T, self._heaviest**2).inverse
        return np.asarray(self.P @ solve_lower(C, X.T @ (inverse @ change)))

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
        return np.asarray(self.rank.inverse @ (self._B_star @ phi))

    @cached_property
    def prioritized_jacobian(self) -> np.ndarray:
        """(m, nv) G*."""
        return self._B_star @ self._dynamics.C.T

    @property
    def compliance(self) -> np.ndarray:
        """(m, m) A."""
        return self._B_star @ self.B.T

    @property
    def inertia(self) -> np.ndarray:
        """(m, m) L."""
        return self.rank.inverse

    @cached_property
    def generalized_inverse(self) -> np.ndarray:
        """(nv, m) Gbar."""
        return solve_upper(self._dynamics.C, self._B_star.T @ self.rank.inverse)

    @cached_property
    def null_space_above(self) -> np.ndarray:
        """(nv, nv) N of the levels above."""
        return solve_upper(self._dynamics.C, self.P @ self._dynamics.C.T)

    @cached_property
    def null_space(self) -> np.ndarray:
        """(nv, nv) N_p."""
        return solve_upper(self._dynamics.C, self.projector_below @ self._dynamics.C.T)


def _weights(task: MotionTask) -> np.ndarray:
    """(d,) weights of a task; those of a constraint are all alike."""
    weight = 1.0 if task.weight is None else task.weight
    return np.full(task.dimension, weight, float)
