"""Push: a force on a body for a while."""

from dataclasses import dataclass

import numpy as np

from backbeat.models.common.bounds import LONGEST_SIMULATED
from backbeat.models.common.errors import BackbeatError, shown
from backbeat.models.common.schema import key

# What nothing that pushes a robot exceeds: impulse [N s] and mean force [N]. Beyond,
# numbers leave all bounds before anybody can fall.
MOST_IMPULSE, MOST_FORCE = 1e4, 1e6


@dataclass
class Push:
    """A force on a body for a while."""

    time: float = key(0.0, "s")
    """Start, in time of the behavior [s], before the run ends."""
    duration: float = key(0.1, "s", gt=0, le=LONGEST_SIMULATED)
    """Length of the push."""
    impulse: list[float] = key([0.0, 0.0, 0.0], "N s", length=3)
    """Impulse [N s] along the world's axes: forward, left and up of a robot that has
    not turned. 60 N s are 600 N for 0.1 s; at most 10 000 N s."""
    body: str = key("")
    """Link that is pushed, at its frame's origin; the robot's base if it is left
    out."""

    def check(self) -> None:
        """Raises a BackbeatError when it is beyond all that pushes a robot."""
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
