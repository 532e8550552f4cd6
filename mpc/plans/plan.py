"""Plan: output of the predictive controller, input of the whole-body controller."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Array3, Matrix, Vector
from backbeat.models.compiled.bound import Bound, bind
from backbeat.mpc.plans.stepping import AddedStep
from backbeat.mpc.plans.swing import Swing
from backbeat.mpc.plans.touchdown import Touchdown
from backbeat.mpc.walking.walk import Walk


class PlanArrays(NamedTuple):
    """The part of a plan that compiled code reads; see `Plan` for its meaning."""

    ends: Vector
    durations: Vector
    phases: Vector
    deviation: Matrix
    wrench: Array3
    shift: Array3


@dataclass(frozen=True)
class Plan:
    """Deviations from the behavior over the horizon, and its timing.

    Attributes:
        time: when the plan was made, or later by a known planning time [s].
        phase: phase of the behavior at that time [s].
        rate: phase rate of the first interval [-]; 1 keeps the tempo.
        durations: (N,) time of each interval of the horizon [s].
        phases: (N + 1,) phases of the knots [s].
        deviation: (N + 1, 12) CoM, CoM velocity, angular momentum per mass and
            body rotation, each minus the behavior's.
        wrench: (N, C, 6) planned patch wrenches [weights], in patch axes.
        com: (N + 1, 3) predicted center of mass [m].
        shift: (N + 1, S, 2) places of the soles minus the behavior's [m].
        steps: steps that the behavior does not make.
        touchdowns: feet that landed early, or have not landed yet.
        ground: height of the ground that the robot stands on, minus the behavior's
            [m]; heights in `deviation` and `com` count from it.
        external_force_z: estimate of the vertical force besides those of the contacts
            [weights]; positive for a robot that is lighter than its model.
        external_acceleration_xy: (2,) estimate of the horizontal acceleration by
            external forces, which is assumed for a short time only [m/s^2].
        friction_scale: estimated share of the assumed friction that the floor
            provides; less than 1 after a sole has slid.
        balanced_at: when the DCM error was small last [s].
        com_lowering: share of the weights' `com_lowering` at the start of the plan.
        may_step: whether soles may leave their places in the behavior.
        swings: soles in the air until the next plan, and where they land.
        walk: what is followed in place of the behavior; None for the behavior.
        objective: minimum of the program; compares plans from one state.
        status: "solved", or why this plan is an older one carried on.
        is_fresh: whether a solver found this plan.
        iterations: iterations of the solver.
        solve_time: wall time of the solve [s].
        solve_cpu: processor time of the solve [s].
    """

    time: float
    phase: float
    rate: float
    durations: np.ndarray
    phases: np.ndarray
    deviation: np.ndarray
    wrench: np.ndarray
    com: np.ndarray
    shift: np.ndarray
    steps: tuple[AddedStep, ...] = ()
    touchdowns: tuple[Touchdown, ...] = ()
    swings: tuple[Swing, ...] = ()
    walk: Walk | None = None
    ground: float = 0.0
    external_force_z: float = 0.0
    external_acceleration_xy: np.ndarray = field(default_factory=lambda: np.zeros(2))
    friction_scale: float = 1.0
    balanced_at: float = -np.inf
    com_lowering: float = 0.0
    may_step: bool = True
    objective: float = 0.0
    status: str = "solved"
    is_fresh: bool = True
    iterations: int = 0
    solve_time: float = field(default=0.0, compare=False)
    solve_cpu: float = field(default=0.0, compare=False)

    @property
    def changes(self) -> tuple[AddedStep | Touchdown, ...]:
        """All that makes its contacts differ from the behavior's."""
        return self.steps + self.touchdowns

    def phase_at(self, t: float) -> float:
        """Phase of the behavior at time t >= time [s]."""
        k, since = self._interval(t - self.time)
        return float(self.phases[k]) + self._rate_of(k) * since

    def rate_at(self, t: float) -> float:
        """Phase rate at time t >= time [-].

        A plan is in force for longer than a first interval that ends with a switch of
        contacts, and a step after it has a tempo of its own.
        """
        return self._rate_of(self._interval(t - self.time)[0])

    def time_to(self, s: float) -> float:
        """How long after its time phase s >= phase is reached [s]."""
        if s <= self.phases[1]:
            return (s - self.phase) / self.rate
        last = len(self.durations) - 1
        k = min(int(np.searchsorted(self.phases, s, side="right")) - 1, last)
        return float(self.ends[k - 1] + (s - self.phases[k]) / self._rate_of(k))

    def _interval(self, elapsed: float) -> tuple[int, float]:
        """Number of the interval at a time after its own, and time since its begin.

        The last one goes on.
        """
        if elapsed <= self.durations[0]:
            return 0, elapsed
        last = len(self.durations) - 1
        k = min(int(np.searchsorted(self.ends, elapsed)), last)
        return k, float(elapsed - self.ends[k - 1])

    def _rate_of(self, k: int) -> float:
        """Phase rate of an interval [-]."""
        if k == 0:
            return self.rate
        return float((self.phases[k + 1] - self.phases[k]) / self.durations[k])

    def at(self, t: float) -> "PlanSample":
        """The plan at time t; beyond the horizon its end is held."""
        deviation, turning = np.empty(12), np.empty((2, 3))
        elapsed = max(0.0, t - self.time)
        k = interpolate(
            self.ends, self.durations, self.deviation, elapsed, deviation, turning
        )
        return PlanSample(deviation, self.wrench[k], self.shift[k + 1], turning)

    @cached_property
    def ends(self) -> np.ndarray:
        """(N,) when the intervals end, from the start of the horizon [s]."""
        return np.cumsum(self.durations)

    @cached_property
    def bound(self) -> Bound[PlanArrays]:
        """Its arrays for compiled functions: a plan lasts for many ticks."""
        arrays = self.durations, self.phases, self.deviation, self.wrench, self.shift
        return bind(PlanArrays(self.ends, *arrays))


def empty_plan() -> Plan:
    """A plan of no robot, for ports that have to say what goes through them."""
    z = np.zeros
    return Plan(0, 0, 1, z(1), z(2), z((2, 12)), z((1, 0, 6)), z((2, 3)), z((2, 0, 2)))


class PlanSample(NamedTuple):
    """A plan at one time.

    Attributes:
        deviation: (12,) as in `Plan`.
        wrench: (C, 6) patch wrenches [weights], in patch axes.
        shift: (S, 2) places of the soles minus the behavior's [m].
        turning: (2, 3) angular velocity and acceleration of the body against the
            behavior [rad/s, rad/s^2].
    """

    deviation: np.ndarray
    wrench: np.ndarray
    shift: np.ndarray
    turning: np.ndarray


@compiled
def phase_and_rate(plan, elapsed, rate):
    """Phase and phase rate of `PlanArrays` at a time after the plan's own.

    Args:
        plan: the arrays.
        elapsed: time since the plan's own [s].
        rate: phase rate of its first interval [-].
    """
    if elapsed <= plan.durations[0]:
        return plan.phases[0] + rate * elapsed, rate
    k, last = 0, plan.durations.shape[0] - 1
    while k < last and plan.ends[k] < elapsed:
        k += 1
    since = elapsed
    if k > 0:
        since -= plan.ends[k - 1]
        rate = (plan.phases[k + 1] - plan.phases[k]) / plan.durations[k]
    return plan.phases[k] + rate * since, rate


@compiled
def interpolate(
    ends: Vector,
    h: Vector,
    deviation: Matrix,
    elapsed: float,
    now: Vector,
    turning: Matrix,
) -> int:
    """Writes deviation and turning at a time of the horizon; returns its interval.

    Mean velocities of the intervals are those of their middles.
    """
    N = h.shape[0]
    k = min(np.searchsorted(ends, elapsed, side="right"), N - 1)
    start = ends[k - 1] if k > 0 else 0.0
    u = min(1.0, (elapsed - start) / h[k])
    for m in range(now.shape[0]):
        now[m] = (1 - u) * deviation[k, m] + u * deviation[k + 1, m]
    turning[:] = 0.0
    if u >= 1.0 or N < 2:
        return k
    # The two middles around now, or those nearest to it.
    i = min(max(k if u > 0.5 else k - 1, 0), N - 2)
    since = u * h[k] - 0.5 * h[i]
    since += h[i] if k > i else 0.0
    for m in range(3):
        a, b, c = deviation[i, 9 + m], deviation[i + 1, 9 + m], deviation[i + 2, 9 + m]
        mean, after = (b - a) / h[i], (c - b) / h[i + 1]
        turning[1, m] = (after - mean) / (0.5 * (h[i] + h[i + 1]))
        turning[0, m] = mean + since * turning[1, m]
    return k
