"""Transport: where in a performance one is, and how it goes on."""

import time
from collections import deque
from typing import Any

import numpy as np

from backbeat.stage.frames.frame import PlaybackSource, pulses

# A step forward or back [s], and a leap where there is no beat [s].
STEP, LEAP = 1.0 / 30.0, 0.5
# What is of late, for a pace [s].
LAST = 1.0
# Times closer than this are one [s].
SAME = 1e-6


class Transport:
    """Time of a performance under play, pause, seeking and loops.

    Attributes:
        start, end: first and last time [s].
        stops: (n,) times that leaps go to: beats, or else half seconds [s].
        time: the present [s].
        is_playing: whether it goes on.
        speed: behavior seconds a second of the clock.
        loops: whether it begins again at the end.
    """

    def __init__(
        self,
        start: float,
        end: float,
        stops: np.ndarray,
        speed: float = 1.0,
        loops: bool = False,
    ) -> None:
        """Stands at the start."""
        self.start, self.end, self.stops = start, end, stops
        self.time, self.is_playing = start, False
        self.speed, self.loops = speed, loops

    def play(self, on: bool) -> None:
        """Goes on or stands still; at the end, going on is from the start."""
        if on and self.time >= self.end - SAME:
            self.time = self.start
        self.is_playing = on

    def seek(self, t: float) -> None:
        """Goes to a time, or to the end that is nearest."""
        self.time = float(np.clip(t, self.start, self.end))

    def beat(self, number: float) -> None:
        """Goes to the beat of a number, counted from 1."""
        index = int(np.clip(round(number), 1, len(self.stops))) - 1
        self.seek(self.stops[index])

    def leap(self, count: float) -> None:
        """Goes so many beats on, or back when negative."""
        index = (
            np.searchsorted(self.stops, self.time + SAME, side="right") - 1 + count
            if count > 0
            else np.searchsorted(self.stops, self.time - SAME) + count
        )
        self.seek(self.stops[int(np.clip(index, 0, len(self.stops) - 1))])

    def obey(self, name: str, value: Any) -> None:
        """Does a command of `backbeat.stage.web.commands.PLAYING` about time."""
        if name == "loop":
            self.loops = value
        elif name == "speed":
            self.speed = value
        else:
            getattr(self, name)(value)

    def step(self, count: float) -> None:
        """Stands still, so many steps on, or back when negative."""
        self.is_playing = False
        self.seek(self.time + count * STEP)

    def go_on(self, elapsed: float) -> bool:
        """Lets time pass by the clock [s]; says whether it began again."""
        if not self.is_playing:
            return False
        then = self.time + self.speed * elapsed
        if then < self.end:
            self.time = then
            return False
        if self.loops and self.end > self.start:
            self.time = self.start + (then - self.end) % (self.end - self.start)
            return True
        self.time, self.is_playing = self.end, False
        return False


class Pace:
    """How fast a simulation has been of late, against the clock."""

    def __init__(self) -> None:
        """Knows nothing yet."""
        self._seen: deque[tuple[float, float]] = deque()

    def note(self, t: float) -> None:
        """Notes that it is at time t [s] by now."""
        now = time.perf_counter()
        # It began anew, or it stood still: earlier times do not count.
        if self._seen and (t <= self._seen[-1][1] or now - self._seen[-1][0] > LAST):
            self._seen.clear()
        self._seen.append((now, t))
        while self._seen[0][0] < now - LAST:
            self._seen.popleft()

    def __str__(self) -> str:
        """In words; nothing before half a second is known."""
        if not self._seen:
            return ""
        (began, first), (now, last) = self._seen[0], self._seen[-1]
        if now - began < 0.5 * LAST:
            return ""
        return f"{(last - first) / (now - began):.2f} × real time"


def stops(source: PlaybackSource) -> np.ndarray:
    """Times that leaps go to: the beats, or half seconds without music [s]."""
    beats = np.array([time for time, _ in pulses(source)])
    return beats if len(beats) else np.arange(0.0, source.end + LEAP, LEAP)


def at_start(source: PlaybackSource, speed: float, loops: bool) -> Transport:
    """The transport of a source, at rest at its start; see `Transport`."""
    return Transport(source.start, source.end, stops(source), speed, loops)
