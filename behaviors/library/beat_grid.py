"""BeatGrid: when beats and pulses of a motion are, and where in its bars a time is."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from backbeat.behaviors.music.notation.meter import MeterMap, Pulse, bar_in_words


@dataclass(frozen=True)
class BeatGrid:
    """Beats of a motion; it has none without music.

    Attributes:
        bpm: tempo [beats/min], 0 without music.
        meter: its bars.
        marked: beats that are marked, as (beat, time [s]): all there are where the
            tempo changes, and else none.
    """

    bpm: float
    meter: MeterMap
    marked: Sequence[tuple[float, float]] = ()

    def beat_times(self, end: float) -> np.ndarray:
        """Absolute times of whole beats up to a time, the first at 0 [s]."""
        beats, times = self._points(end)
        return times[beats == np.round(beats)]

    def pulses(self, end: float) -> list[tuple[float, Pulse]]:
        """Pulses of the bars up to a time, each with its own [s]."""
        beats, times = self._points(end)
        if not len(beats):
            return []
        found = self.meter.pulses(float(beats[-1]))
        at = np.interp([p.beat for p in found], beats, times)
        return list(zip(at.tolist(), found, strict=True))

    def beat(self, time: float) -> float | None:
        """Beat at a time [s], counted from zero; None without music."""
        if self.marked:
            beats, times = zip(*self.marked, strict=True)
            return float(np.interp(time, times, beats))
        return time * self.bpm / 60.0 if self.bpm > 0 else None

    def place(self, time: float) -> tuple[int, float] | None:
        """Bar of the file and quarter note in it at a time [s], as of `MeterMap`."""
        beat = self.beat(time)
        return None if beat is None else self.meter.place(beat)

    def points(self, end: float) -> list[tuple[float, float]]:
        """Pulses and whole beats up to a time, as (beat, time [s])."""
        beats, times = self._points(end)
        return list(zip(beats.tolist(), times.tolist(), strict=True))

    def _points(self, end: float) -> tuple[np.ndarray, np.ndarray]:
        """Pulses and whole beats up to a time, and when they are [s]."""
        if self.marked:
            points = np.array([p for p in self.marked if p[1] <= end + 1e-9])
            return points.reshape(-1, 2)[:, 0], points.reshape(-1, 2)[:, 1]
        if self.bpm <= 0 or not end >= 0:
            return np.zeros(0), np.zeros(0)
        last = end * self.bpm / 60.0 + 1e-9
        pulses = [p.beat for p in self.meter.pulses(last)]
        beats = np.union1d(np.arange(int(last) + 1.0), pulses)
        return beats, beats * 60.0 / self.bpm


def place_in_words(place: tuple[int, float] | None) -> str:
    """A place in music, as messages say it; empty for none."""
    if place is None:
        return ""
    return f"{bar_in_words(place[0])}, beat {round(place[1], 2):g}"
