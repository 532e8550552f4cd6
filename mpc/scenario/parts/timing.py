"""TimingSettings: how long a run is, and how often things happen in it."""

from dataclasses import dataclass

import numpy as np

from backbeat.models.common.bounds import LONGEST_SIMULATED
from backbeat.models.common.errors import BackbeatError

# Shortest and longest of what happens over and over [s]: more often, a second takes
# hours; more rarely, nothing is controlled.
PERIODS = {
    "time_step": (1e-5, 0.005),
    "tick_period": (1e-4, 0.1),
    "plan_period": (2e-4, 1.0),
}


@dataclass(frozen=True)
class TimingSettings:
    """Beginning and end of a run, and the periods of what happens over and over."""

    # Time before the behavior starts, in which the robot settles [s].
    lead_in: float = 0.5
    # Time simulated after the behavior ends [s].
    lead_out: float = 0.5
    # Stop earlier, at this time of the behavior [s]; 0 plays it all.
    duration: float = 0.0
    # Plant step [s].
    time_step: float = 0.001
    # Time between plans and between whole-body ticks [s].
    plan_period: float = 0.02
    tick_period: float = 0.002
    # How much later than its state a plan takes effect [s]; the plan allows for it.
    planning_time: float = 0.0

    @property
    def sensor_period(self) -> float:
        """Time between samples of the sensors [s]: 1 ms, in whole plant steps."""
        return self.time_step * max(1, round(1e-3 / self.time_step))

    def next_tick(self, now: float) -> float:
        """Time of the behavior at the control tick after a time of the Context [s]."""
        number = int(np.floor(now / self.tick_period + 1e-6)) + 1
        return number * self.tick_period - self.lead_in

    def check(self) -> None:
        """Raises a BackbeatError when its values make no sense."""
        for name in ("lead_in", "lead_out", "duration"):
            value = getattr(self, name)
            if not 0 <= value <= LONGEST_SIMULATED:
                raise BackbeatError(
                    f"scenario: {name} is {value}; it must be from 0 to "
                    f"{LONGEST_SIMULATED:g} s"
                )
        for name, (least, most) in PERIODS.items():
            if not least <= getattr(self, name) <= most:
                raise BackbeatError(
                    f"scenario: {name} is {getattr(self, name)}; it must be from "
                    f"{least:g} to {most:g} s"
                )
        for name in ("plan_period", "tick_period"):
            steps = getattr(self, name) / self.time_step
            if steps < 1 - 1e-9 or abs(steps - round(steps)) > 1e-6:
                raise BackbeatError(
                    f"scenario: {name} must be a multiple of time_step "
                    f"({self.time_step} s)"
                )
        if not 0 <= self.planning_time <= self.plan_period:
            raise BackbeatError(
                f"scenario: planning_time is {self.planning_time}; it must be from 0 "
                f"to plan_period ({self.plan_period} s)"
            )
