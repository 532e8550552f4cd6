"""KnotGrid: knots on every beat that matters, and evenly between."""

import itertools
from collections.abc import Iterable

import numpy as np

from behaviors.music.tempo import Tempo

# Most time between knots [s].
SPACING = 0.0515
# A stroke has its shape from as many.
WAY_KNOTS = 6
# Most growth of the time between knots from one anchor to the next: an acceleration
# by differences is off where it changes, and an interpolated curve rings there.
GROWTH = 1.2
# What is nearer than this shares a knot in its middle [s].
TOGETHER = 0.005


class KnotGrid:
    """Knots of a trajectory that follows music.

    Attributes:
        beats: (N,) beat of each knot.
        times: (N,) its time [s], absolute.
    """

    def __init__(
        self,
        tempo: Tempo,
        beats: float,
        anchors: Iterable[float],
        ways: Iterable[tuple[float, float]] = (),
    ) -> None:
        """Lays knots.

        Args:
            tempo: beats to seconds.
            beats: where the music ends.
            anchors: beats at which there has to be a knot.
            ways: first and last beat of ways, each with several knots however short.
        """
        ends = [0.0, beats]
        points = _apart(np.unique([*ends, *anchors]), tempo, ends)
        spacing = np.full(len(points) - 1, SPACING)
        for a, b in ways:
            inside = (points[1:] > a + 1e-9) & (points[:-1] < b - 1e-9)
            most = (tempo.time(b) - tempo.time(a)) / WAY_KNOTS
            spacing[inside] = np.minimum(spacing[inside], most)
        for i in range(1, len(spacing)):
            spacing[i] = min(spacing[i], GROWTH * spacing[i - 1])
        for i in reversed(range(len(spacing) - 1)):
            spacing[i] = min(spacing[i], GROWTH * spacing[i + 1])
        spans = []
        for (a, b), h in zip(itertools.pairwise(points), spacing, strict=True):
            count = int(np.ceil((tempo.time(b) - tempo.time(a)) / h - 1e-6))
            spans.append(a + (b - a) / count * np.arange(max(1, count)))
        self.beats = np.concatenate([*spans, points[-1:]])
        # Absolute beat times, so that a hit's knot is at its time to the last bit.
        self.times = np.array([tempo.time(float(b)) for b in self.beats])

    def knot(self, beat: float) -> int:
        """The knot nearest to a beat."""
        k = int(np.searchsorted(self.beats, beat))
        near = [i for i in (k - 1, k) if 0 <= i < len(self.beats)]
        return min(near, key=lambda i: abs(self.beats[i] - beat))

    def at(self, time: float) -> int:
        """The knot nearest to a time [s]."""
        return int(np.abs(self.times - time).argmin())

    def within(self, start: float, end: float) -> np.ndarray:
        """Knots whose times are in [start, end] [s]."""
        inside = (self.times >= start - 1e-9) & (self.times <= end + 1e-9)
        return np.flatnonzero(inside)

    def before(self, k: int, time: float) -> int:
        """The last knot at least `time` [s] before knot k."""
        return max(0, int(np.searchsorted(self.times, self.times[k] - time + 1e-9)) - 1)

    def after(self, k: int, time: float) -> int:
        """The first knot at least `time` [s] after knot k."""
        k = int(np.searchsorted(self.times, self.times[k] + time - 1e-9))
        return min(k, len(self.times) - 1)


def _apart(points: np.ndarray, tempo: Tempo, ends: list[float]) -> np.ndarray:
    """Points with those that are nearly at the same time merged, but for the ends."""
    groups = [[float(points[0])]]
    for point in points[1:]:
        if tempo.time(float(point)) - tempo.time(groups[-1][0]) < TOGETHER:
            groups[-1].append(float(point))
        else:
            groups.append([float(point)])
    places = []
    for group in groups:
        fixed = [p for p in group if p in ends]
        # One point stays what it is to the last bit.
        middle = group[0] if len(group) == 1 else sum(group) / len(group)
        places.append(fixed[0] if fixed else middle)
    return np.array(places)
