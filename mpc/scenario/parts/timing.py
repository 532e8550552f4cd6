"""TimingSettings: how long a run is, and how often things happen in it."""

from dataclasses import dataclass

import numpy as np

from backbeat.models.common.bounds import LONGEST_SIMULATED
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.schema import key


@dataclass(frozen=True)
class TimingSettings:
    """Beginning and end of a run, and the periods of what happens over and over."""

    lead_in: float = key(0.5, "s", ge=0, le=LONGEST_SIMULATED)
    """Time before the behavior starts, in which the robot settles."""
    lead_out: float = key(0.5, "s", ge=0, le=LONGEST_SIMULATED)
    """Time simulated after the behavior ends."""
    duration: float = key(0.0, "s", ge=0, le=LONGEST_SIMULATED)
    """End of the run, in time of the behavior [s]; 0 plays it all."""
    time_step: float = key(0.001, "s", ge=1e-5, le=0.005)
    """Plant step."""
    plan_period: float = key(0.02, "s", ge=2e-4, le=1.0)
    """Time between plans."""
    tick_period: float = key(0.002, "s", ge=1e-4, le=0.1)
    """Time between ticks of the whole-body controller."""
    planning_time: float = key(0.0, "s", ge=0)
    """Time from a plan's initial state until it takes effect [s], known to the
    controller."""

    @property
    def sensor_period(self) -> float:
        """Time between samples of the sensors [s]: 1 ms, in whole plant steps."""
        return self.time_step * max(1, round(1e-3 / self.time_step))

    def next_tick(self, now: float) -> float:
        """Time of the behavior at the control tick after a time of the Context [s]."""
        number = int(np.floor(now / self.tick_period + 1e-6)) + 1
        return number * self.tick_period - self.lead_in

    def check(self) -> None:
        """Raises a BackbeatError when its values do not go together."""
        for name in ("plan_period", "tick_period"):
            steps = getattr(self, name) / self.time_step
            if steps < 1 - 1e-9 or abs(steps - round(steps)) > 1e-6:
                raise BackbeatError(
                    f"scenario: {name} must be a multiple of time_step "
                    f"({self.time_step} s)"
                )
        if self.planning_time > self.plan_period:
            raise BackbeatError(
                f"scenario: planning_time is {self.planning_time}; it must be from 0 "
                f"to plan_period ({self.plan_period} s)"
            )
