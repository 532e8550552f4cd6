"""CompliantPeriod: joints that are soft springs for a part of a run."""

import math
from dataclasses import dataclass, field

from backbeat.models.actuation.servo_modes import COMPENSATION
from backbeat.models.common.errors import BackbeatError

# Stiffer than this no joint is soft [N m/rad].
MOST_STIFFNESS = 1e4


@dataclass
class CompliantPeriod:
    """Joints that are soft springs about their commanded positions."""

    # Joints, or groups of them.
    joints: list[str] = field(default_factory=list)
    # When, in time of the behavior [s]; without an end, to the end of the run.
    start: float = 0.0
    end: float | None = None
    # Of the springs [N m/rad].
    stiffness: float = 50.0
    # Of the springs [N m s/rad]; if not given, critical for the inertia that a joint
    # feels, and no more than motors that are late can do.
    damping: float | None = None
    # Share of measured friction that motors make up for.
    compensation: float = COMPENSATION

    def is_on(self, time: float) -> bool:
        """Whether it holds at a time of the behavior [s]."""
        return self.start <= time < (math.inf if self.end is None else self.end)

    def check(self) -> None:
        """Raises a BackbeatError when its values make no sense."""
        if not self.joints:
            raise BackbeatError(
                "scenario: compliant joints need names or groups of joints as 'joints'"
            )
        end = math.inf if self.end is None else self.end
        if not (math.isfinite(self.start) and self.start < end):
            raise BackbeatError(
                f"scenario: joints are compliant from {self.start:g} to {end:g} s; the "
                "end must come after the start"
            )
        if not 0 < self.stiffness <= MOST_STIFFNESS:
            raise BackbeatError(
                f"scenario: the stiffness of compliant joints is {self.stiffness:g}; "
                f"it must be above 0 and at most {MOST_STIFFNESS:g} N m/rad"
            )
        if self.damping is not None and not 0 <= self.damping <= MOST_STIFFNESS:
            raise BackbeatError(
                f"scenario: the damping of compliant joints is {self.damping:g}; it "
                "must be 0 or more N m s/rad"
            )
        if not 0 <= self.compensation <= 1:
            raise BackbeatError(
                f"scenario: compensation is {self.compensation:g}; it must be a share "
                "from 0 to 1"
            )
