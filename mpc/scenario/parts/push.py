"""Push: a force on a body for a while."""

from dataclasses import dataclass, field

import numpy as np

from backbeat.models.common.errors import BackbeatError, shown

# What nothing that pushes a robot exceeds: impulse [N s] and mean force [N]. Beyond,
# numbers leave all bounds before anybody can fall.
MOST_IMPULSE, MOST_FORCE = 1e4, 1e6


@dataclass
class Push:
    """A force on a body for a while."""

    # Start, in time of the behavior [s].
    time: float = 0.0
    # Length of the push [s].
    duration: float = 0.1
    # Impulse in world axes [N s].
    impulse: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])
    # Link that is pushed, at its frame's origin; "" for the robot's base.
    body: str = ""

    def check(self) -> None:
        """Raises a BackbeatError when its values make no sense."""
        if len(self.impulse) != 3 or not np.isfinite(self.impulse).all():
            raise BackbeatError("scenario: a push needs an impulse x, y, z in N s")
        if not (np.isfinite(self.time) and 0 < self.duration < np.inf):
            raise BackbeatError("scenario: a push needs a time and a duration > 0 s")
        size = float(np.linalg.norm(self.impulse))
        if size > MOST_IMPULSE or size > MOST_FORCE * self.duration:
            raise BackbeatError(
                f"scenario: a push of {size:g} N s in {self.duration:g} s is beyond "
                f"all that pushes a robot; it must be at most {MOST_IMPULSE:g} N s, "
                f"and {MOST_FORCE:g} N"
            )


def read_push(text: str) -> Push:
    """Reads a push of the base from "time,x,y,z" [s, N s].

    Raises:
        BackbeatError: not four numbers.
    """
    try:
        time, *impulse = (float(x) for x in text.split(","))
    except ValueError:
        time, impulse = 0.0, []
    if len(impulse) != 3:
        raise BackbeatError(
            "a push is TIME,X,Y,Z in s and N s, for instance 2.0,60,0,0; not "
            f"{shown(text)}"
        )
    return Push(time=time, impulse=impulse)
