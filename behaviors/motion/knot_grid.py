"""KnotGrid: knots on every beat that matters, and evenly between."""

import itertools
from collections.abc import Iterable

import numpy as np
import scipy

from backbeat.behaviors.music.notation.tempo import Tempo

# Most time between knots [s].
SPACING = 0.0515
# A stroke has its shape from as many.
SPAN_KNOTS = 6
# ... unless they were closer than this for it [s].
CLOSEST = 0.013
# Most growth of the time between knots from one anchor to the next: an acceleration
# by differences is off where it changes, and an interpolated curve rings there.
GROWTH = 1.2
# The same of the time that is left when stretches have whole numbers of knots.
MOST_GROWTH = 1.25
# Most time between knots that are evened out, as a share of `SPACING`.
MOST_SPACING = 1.1
# Factor on the time between knots where they have to be closer.
FINER = 0.6
# Weight of a change of the time between knots at an anchor, beside one elsewhere: a
# stick is where it should be only if knots are as far apart before as after.
STEADY = 10.0
# What is nearer than this shares a knot in its middle [s].
TOGETHER = 0.005
# Digits of a knot's share of its stretch: a change elsewhere, whose effect decays from
# stretch to stretch, then leaves knots as they are to the last bit.
SHARE_DIGITS = 9


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
        spans: Iterable[tuple[float, float]] = (),
        finer: Iterable[Iterable[float]] = (),
    ) -> None:
        """Lays knots.

        Args:
            tempo: beats to seconds.
            beats: where the music ends.
            anchors: beats at which there has to be a knot.
            spans: first and last beat of spans, each with several knots however short.
            finer: sets of beats; from anchor to anchor about each of them knots are
                closer, and closer still about those that are in several sets.
        """
        ends = [0.0, beats]
        points = _apart(np.unique([*ends, *anchors]), tempo, ends)
        spacing = np.full(len(points) - 1, SPACING)
        for a, b in spans:
            inside = (points[1:] > a + 1e-9) & (points[:-1] < b - 1e-9)
            most = max((tempo.time(b) - tempo.time(a)) / SPAN_KNOTS, CLOSEST)
            spacing[inside] = np.minimum(spacing[inside], most)
        for beats_of_set in finer:
            at = np.searchsorted(points, list(beats_of_set), side="right") - 1
            spacing[np.unique(np.clip(at, 0, len(spacing) - 1))] *= FINER
        for i in range(1, len(spacing)):
            spacing[i] = min(spacing[i], GROWTH * spacing[i - 1])
        for i in reversed(range(len(spacing) - 1)):
            spacing[i] = min(spacing[i], GROWTH * spacing[i + 1])
        lengths = np.diff([tempo.time(float(p)) for p in points])
        shares = _shares(lengths, spacing)
        spans = [
            a + (b - a) * share
            for (a, b), share in zip(itertools.pairwise(points), shares, strict=True)
        ]
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


def _shares(lengths: np.ndarray, spacing: np.ndarray) -> list[np.ndarray]:
    """Where the knots of each stretch are, as of `_even`, nowhere too far apart.

    Args:
        lengths: (n,) of the stretches [s].
        spacing: (n,) most mean time between their knots [s].
    """
    spacing = spacing.copy()
    while True:
        counts = _counts(lengths, spacing)
        shares = _even(lengths, counts)
        widest = lengths * [np.diff(share, append=1.0).max() for share in shares]
        wide = widest > MOST_SPACING * SPACING
        if not wide.any():
            return shares
        # Beside closer knots those of a stretch are further apart than in the mean.
        spacing[wide] = lengths[wide] / (counts[wide] + 1)


def _counts(lengths: np.ndarray, spacing: np.ndarray) -> np.ndarray:
    """(n,) intervals in each stretch, not much longer in one than in the next.

    Args:
        lengths: (n,) of the stretches [s].
        spacing: (n,) most time between their knots [s].
    """
    counts = np.maximum(1, np.ceil(lengths / spacing - 1e-6)).astype(int)
    while True:
        step = lengths / counts
        beside = np.minimum(np.r_[np.inf, step[:-1]], np.r_[step[1:], np.inf])
        coarse = step > MOST_GROWTH * beside
        if not coarse.any():
            return counts
        counts += coarse


def _even(lengths: np.ndarray, counts: np.ndarray) -> list[np.ndarray]:
    """Where the knots of each stretch are, as shares of it, the last one left out.

    The time between knots changes as little as it can from one interval to the next,
    and least of all where two stretches meet.

    Args:
        lengths: (n,) of the stretches [s].
        counts: (n,) their intervals.
    """
    steps = np.repeat(lengths / counts, counts)
    ends = np.cumsum(counts)
    size, total = len(steps), len(lengths)
    weight = np.ones(size - 1)
    weight[ends[:-1] - 1] = STEADY
    weight *= 2 / (steps[1:] + steps[:-1])
    change = scipy.sparse.diags([-weight, weight], [0, 1], (size - 1, size))
    stretch = np.repeat(np.arange(total), counts)
    sums = scipy.sparse.csc_matrix((np.ones(size), (stretch, np.arange(size))))
    # The least squares of changes, with the lengths of stretches given.
    system = scipy.sparse.bmat([[change.T @ change, sums.T], [sums, None]], "csc")
    steps = scipy.sparse.linalg.splu(system).solve(np.r_[np.zeros(size), lengths])[
        :size
    ]
    return [
        np.round(np.cumsum(np.r_[0.0, part[:-1]]) / part.sum(), SHARE_DIGITS)
        for part in np.split(steps, ends[:-1])
    ]


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
