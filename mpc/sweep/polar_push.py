"""PolarPush: a push of a sweep, by size and direction."""

from dataclasses import dataclass

import numpy as np

from backbeat.models.common.bounds import LONGEST_SIMULATED
from backbeat.models.common.schema import key
from backbeat.mpc.scenario.parts.push import Push


@dataclass
class PolarPush:
    """A push by size and direction."""

    time: float = key(1.0, "s")
    """Start, in time of the behavior."""
    time_spread: float = key(0.0, "s", ge=0, le=LONGEST_SIMULATED)
    """Largest shift of the start by the seed, to either side."""
    duration: float = key(0.1, "s", gt=0, le=LONGEST_SIMULATED)
    """Length of the push."""
    impulse: float = key(0.0, "N s")
    """Size of the impulse."""
    direction_deg: float = key(0.0, "deg")
    """Horizontal direction [deg]: 0 is forward, 90 to the left."""
    direction_spread_deg: float = key(0.0, "deg", ge=0, le=360.0)
    """Largest rotation of the direction by the seed, to either side [deg]; 180 makes it
    any direction."""
    body: str = key("")
    """Link that is pushed; the robot's base if it is left out."""

    def push(self) -> Push:
        """The same in world axes."""
        angle = np.radians(self.direction_deg)
        # Without the dust of trigonometry, so that a direction of 90 is sideways.
        x, y = np.round(self.impulse * np.array([np.cos(angle), np.sin(angle)]), 9)
        impulse = [float(x) + 0.0, float(y) + 0.0, 0.0]
        return Push(self.time, self.duration, impulse, self.body)
