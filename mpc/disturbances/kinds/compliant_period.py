"""CompliantPeriod: joints that are soft springs for a part of a run."""

import math
from dataclasses import dataclass
from typing import ClassVar

from backbeat.models.actuation.servo_modes import COMPENSATION
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.schema import key
from backbeat.mpc.disturbances.disturbance import Disturbance

# Stiffer than this no joint is soft [N m/rad].
MOST_STIFFNESS = 1e4


@dataclass
class CompliantPeriod(Disturbance):
    """Joints that are soft springs about their commanded positions."""

    name: ClassVar[str] = "compliance"
    list_key: ClassVar[str] = "compliant"
    text: ClassVar[str] = "Joints that are soft springs for a limited time, see below."

    joints: list[str] = key(list)
    """Joints, or groups of them, that do not support the robot."""
    start: float = key(0.0, "s")
    """Time from which they are [soft springs](motors.md#soft-joints-in-a-run) about
    the positions that they are commanded, in time of the behavior."""
    end: float | None = key(None, "s")
    """Time until which they are [s]; the end of the run if not given."""
    stiffness: float = key(50.0, "N m/rad", gt=0, le=MOST_STIFFNESS)
    """Stiffness of the springs."""
    damping: float | None = key(None, "N m s/rad", ge=0, le=MOST_STIFFNESS)
    """Damping of the springs [N m s/rad]; if not given critical, as far as it is stable
    with the delay of the motors."""
    compensation: float = key(COMPENSATION, ge=0, le=1)
    """Share of measured friction that motors compensate."""

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
        if self.start >= end:
            raise BackbeatError(
                f"scenario: joints are compliant from {self.start:g} to {end:g} s; the "
                "end must come after the start"
            )
