"""Lower jumps: flights that last too long for a robot get shorter, or are refused.

How high a jump gets is up to how long it takes. A shorter one has the same middle; what
is recorded of it happens in less time, and what is before and after it, until half a
second away, in more. One that is too short gets the least time that a jump takes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from backbeat.behaviors.recording.flights.jumps import Flight
from backbeat.models.common.errors import BackbeatError

# Time before and after a jump that is stretched, at most [s].
AROUND = 0.5
# Smaller changes of its duration are not worth a word [s].
SLIGHT = 0.005
LOWER = "lower"


@dataclass(frozen=True)
class TimeChange:
    """Times of a recording, and what they become.

    Attributes:
        own, made: (m,) times of the recording and of what is made of it [s].
    """

    own: np.ndarray
    made: np.ndarray

    def source(self, t: np.ndarray) -> np.ndarray:
        """Times of the recording, of what is made of it [s]."""
        return np.interp(t, self.made, self.own)

    def moved(self, t: float) -> float:
        """What a time of the recording becomes [s]."""
        return float(np.interp(t, self.own, self.made))


def lowered(
    t: np.ndarray,
    jumps: Sequence[Flight],
    longest: float,
    made_so: float,
    shortest: float,
) -> tuple[TimeChange, list[Flight]]:
    """Jumps that last no longer than they may.

    Args:
        t: (n,) times of the recording [s].
        jumps: in order.
        longest: that a flight takes [s].
        made_so: what those get that last longer [s].
        shortest: what those get that last less [s].
    """
    own, made, found = [float(t[0])], [float(t[0])], []
    ends = [float(t[0]), *(x for j in jumps for x in (j.start, j.end)), float(t[-1])]
    for i, jump in enumerate(jumps):
        if shortest <= jump.duration <= longest:
            found.append(jump)
            continue
        T = made_so if jump.duration > longest else shortest
        middle = 0.5 * (jump.start + jump.end)
        start, end = middle - 0.5 * T, middle + 0.5 * T
        before = min(AROUND, 0.5 * (jump.start - ends[2 * i]))
        after = min(AROUND, 0.5 * (ends[2 * i + 3] - jump.end))
        own += [jump.start - before, jump.start, jump.end, jump.end + after]
        made += [jump.start - before, start, end, jump.end + after]
        found.append(jump._replace(start=start, end=end))
    times = [np.array([*x, float(t[-1])]) for x in (own, made)]
    return TimeChange(times[0], times[1]), found


def check_heights(
    jumps: Sequence[Flight],
    longest: float,
    gravity: float,
    robot: str,
    where: str,
) -> None:
    """Refuses jumps that a robot cannot make.

    Args:
        jumps: of a recording.
        longest: that a flight takes [s].
        gravity: [m/s^2].
        robot: its name.
        where: names the recording.

    Raises:
        BackbeatError: one is too high, with its time, speed and height.
    """
    for jump in jumps:
        said = (
            f"{where}: the jump at {jump.start:.2f} s flies for {jump.duration:.2f} s, "
            f"which takes {jump.speed(gravity):.1f} m/s and gets "
            f"{jump.rise(gravity):.2f} m high"
        )
        if jump.duration > longest:
            most = Flight(0.0, longest, (), ())
            raise BackbeatError(
                f"{said}; {robot} flies for at most {longest:.2f} s, with "
                f"{most.speed(gravity):.1f} m/s and {most.rise(gravity):.2f} m high: "
                f"'jumps: {LOWER}' (--jumps {LOWER}) makes it lower"
            )


def flights_said(jumps: Sequence[Flight], own: Sequence[Flight], gravity: float) -> str:
    """What became of the jumps of a recording, in words.

    Args:
        jumps: as they are made.
        own: as they were recorded.
        gravity: [m/s^2].
    """
    told = []
    for jump, was in zip(jumps, own, strict=True):
        other = abs(jump.duration - was.duration) > SLIGHT
        instead = f" instead of {was.duration:.2f} s" if other else ""
        told.append(
            f"{jump.duration:.2f} s{instead} at {was.start:.2f} s, "
            f"{1e3 * jump.rise(gravity):.0f} mm high"
        )
    count = f"{len(jumps)} flight{'s' if len(jumps) > 1 else ''}"
    return f"{count} kept ({'; '.join(told)})"
