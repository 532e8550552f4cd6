"""Plan: what the predictive controller hands to the whole-body controller."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from mpc.stepping import Step, Swing
from mpc.touchdown import Touchdown


@dataclass(frozen=True)
class Plan:
    """Deviations from the behavior over the horizon, and its timing.

    Attributes:
        time: when the plan was made, or later by a known planning time [s].
        phase: phase of the behavior at that time [s].
        rate: phase rate from then on [-]; 1 keeps the tempo.
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
        lift: vertical force that the world adds to what is believed [weights]; a
            robot that is lighter than its model feels one.
        swings: soles in the air until the next plan, and where they go.
        objective: what the solver made least; compares plans of one state.
        status: "solved", or why this plan is an older one carried on.
        is_fresh: whether a solver found this plan.
        iterations: iterations of the solver.
        solve_time: wall time of the solve [s].
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
    steps: tuple[Step, ...] = ()
    touchdowns: tuple[Touchdown, ...] = ()
    swings: tuple[Swing, ...] = ()
    ground: float = 0.0
    lift: float = 0.0
    objective: float = 0.0
    status: str = "solved"
    is_fresh: bool = True
    iterations: int = 0
    solve_time: float = field(default=0.0, compare=False)

    @property
    def changes(self) -> tuple[Step | Touchdown, ...]:
        """All that makes its contacts differ from the behavior's."""
        return self.steps + self.touchdowns

    def phase_at(self, t: float) -> float:
        """Phase of the behavior at time t >= time [s]."""
        return self.phase + self.rate * (t - self.time)

    def at(self, t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Deviation (12,), wrenches (C, 6) and sole shifts (S, 2) at time t.

        Past the horizon they are held.
        """
        k, u = self._locate(t)
        deviation = (1 - u) * self.deviation[k] + u * self.deviation[k + 1]
        return deviation, self.wrench[k], self.shift[k + 1]

    def turning(self, t: float) -> np.ndarray:
        """(2, 3) angular velocity and acceleration of the body against the behavior.

        Mean velocities of the intervals are those of their middles [rad/s, rad/s^2].
        """
        k, u = self._locate(t)
        if u >= 1.0:
            return np.zeros((2, 3))
        h = self.durations
        # The two middles around t, or those nearest to it.
        i = min(max(k if u > 0.5 else k - 1, 0), len(h) - 2)
        turn = self.deviation[i : i + 3, 9:]
        mean, after = (turn[1] - turn[0]) / h[i], (turn[2] - turn[1]) / h[i + 1]
        out = np.empty((2, 3))
        out[1] = change = (after - mean) / (0.5 * (h[i] + h[i + 1]))
        since = u * h[k] - 0.5 * h[i] + (h[i] if k > i else 0.0)
        out[0] = mean + since * change
        return out

    @cached_property
    def _ends(self) -> np.ndarray:
        """(N,) when the intervals end, from the start of the horizon [s]."""
        return np.cumsum(self.durations)

    def _locate(self, t: float) -> tuple[int, float]:
        """Interval of the horizon at time t, and the share of it that is over."""
        ends = self._ends
        elapsed = max(0.0, t - self.time)
        k = min(int(np.searchsorted(ends, elapsed, side="right")), len(ends) - 1)
        start = ends[k - 1] if k else 0.0
        return k, min(1.0, (elapsed - start) / self.durations[k])
