"""Tempo: beats to seconds and back, always absolute, never summed note by note.

A beat is a quarter note. Tempo changes are steps, or ramps in which the tempo moves
evenly from beat to beat: bpm(b) = bpm_0 + (bpm_1 - bpm_0) (b - b_0) / B over B beats,
whose time is the integral of 60 / bpm(b), a logarithm. Every time is that of the
change before it and one closed form from there.
"""

import math
import re
from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import pairwise

from models.errors import BackbeatError

LEAST_BPM, MOST_BPM = 20.0, 400.0
LEAST_BAR, MOST_BAR = 0.25, 16.0
# Bars and beats are told to a billionth of a beat, so that the first beat of a bar is
# not the fifth of the one before.
DIGITS = 9


@dataclass(frozen=True)
class TempoChange:
    """A new tempo from a beat on.

    Attributes:
        beat: when, in beats from the start.
        bpm: quarter notes per minute.
        end_bpm: tempo that a ramp leads to; None for a step.
        beats: length of the ramp, after which its last tempo stays.
    """

    beat: float
    bpm: float
    end_bpm: float | None = None
    beats: float = 0.0


@dataclass(frozen=True)
class MeterChange:
    """A new meter from a beat on, with which a bar begins.

    Attributes:
        beat: when, in beats from the start.
        beats_per_bar: quarter notes of a bar; 3.5 for 7/8.
    """

    beat: float
    beats_per_bar: float


@dataclass(frozen=True)
class _Stretch:
    """A stretch of constant or evenly moving tempo, with its absolute start [s]."""

    beat: float
    time: float
    bpm: float
    # Change of the tempo per beat, in shares of the tempo at the start.
    growth: float = 0.0

    def seconds(self, beats: float) -> float:
        """Time that so many beats from the start take [s]."""
        if self.growth == 0.0:
            return beats * 60.0 / self.bpm
        return 60.0 / (self.bpm * self.growth) * math.log1p(self.growth * beats)

    def beats(self, seconds: float) -> float:
        """Beats of so much time from the start; the inverse of `seconds`."""
        if self.growth == 0.0:
            return seconds * self.bpm / 60.0
        return math.expm1(seconds * self.bpm * self.growth / 60.0) / self.growth


@dataclass(frozen=True)
class Tempo:
    """A tempo map: constant when it has no changes.

    Attributes:
        bpm: quarter notes per minute, at the start when the tempo changes.
        beats_per_bar: quarter notes of a bar, of the first bar when the meter changes.
        changes: tempo changes in order; one at beat 0 takes the place of `bpm`.
        meters: meter changes in order.
    """

    bpm: float
    beats_per_bar: float = 4
    changes: tuple[TempoChange, ...] = ()
    meters: tuple[MeterChange, ...] = ()
    _stretches: tuple[_Stretch, ...] = field(init=False, repr=False, compare=False)
    _bars: tuple[tuple[float, int, float], ...] = field(
        init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        """Raises BackbeatError for a tempo that is no music, or for disorder."""
        _check_bpm(self.bpm)
        _check_bar(self.beats_per_bar)
        for change in self.changes:
            _check_bpm(change.bpm)
            if change.end_bpm is not None:
                _check_bpm(change.end_bpm)
        for meter in self.meters:
            _check_bar(meter.beats_per_bar)
        _check_order([c.beat for c in self.changes], "tempo")
        _check_order([m.beat for m in self.meters], "meter")
        object.__setattr__(self, "_stretches", self._lay_out())
        object.__setattr__(self, "_bars", self._count_bars())

    @property
    def is_constant(self) -> bool:
        """Whether there is one tempo from start to end."""
        return len(self._stretches) == 1 and self._stretches[0].growth == 0.0

    @property
    def beat_length(self) -> float:
        """Length of a beat, b = 60 / BPM [s]; of the first when the tempo changes."""
        return 60.0 / self.bpm

    def bpm_at(self, beat: float) -> float:
        """Tempo at a beat, from the right [beats/min]."""
        s = self._stretches[max(0, self._before(beat))]
        return s.bpm * (1.0 + s.growth * (beat - s.beat))

    def time(self, beat: float) -> float:
        """Absolute time of a beat counted from zero [s]."""
        stretch = self._stretches[max(0, self._before(beat))]
        return stretch.time + stretch.seconds(beat - stretch.beat)

    def beat(self, time: float) -> float:
        """Beat at an absolute time [s], counted from zero; the inverse of `time`."""
        i = bisect_right([s.time for s in self._stretches], time) - 1
        stretch = self._stretches[max(0, i)]
        return stretch.beat + stretch.beats(time - stretch.time)

    def position(self, time: float) -> tuple[int, float]:
        """Bar, counted from one, and quarter note in it, counted from one."""
        return self.place(self.beat(time))

    def place(self, beat: float) -> tuple[int, float]:
        """Bar and quarter note in it of a beat, both counted from one."""
        beat = round(beat, DIGITS)
        i = max(0, bisect_right([b for b, _, _ in self._bars], beat) - 1)
        start, bars, length = self._bars[i]
        more = int((beat - start) // length)
        return bars + more + 1, beat - start - more * length + 1

    def _before(self, beat: float) -> int:
        return bisect_right([s.beat for s in self._stretches], beat) - 1

    def _lay_out(self) -> tuple[_Stretch, ...]:
        """Stretches between changes, each with its absolute start."""
        steps = [TempoChange(0.0, self.bpm), *self.changes]
        pieces: list[tuple[float, float, float]] = []
        for change, after in pairwise([*steps, None]):
            assert change is not None
            end = math.inf if after is None else after.beat
            if end <= change.beat:
                continue  # the first, when a change takes its place
            if change.end_bpm is None or change.beats <= 0:
                pieces.append((change.beat, change.end_bpm or change.bpm, 0.0))
                continue
            growth = (change.end_bpm / change.bpm - 1.0) / change.beats
            pieces.append((change.beat, change.bpm, growth))
            if change.beat + change.beats < end:
                pieces.append((change.beat + change.beats, change.end_bpm, 0.0))
        stretches = [_Stretch(pieces[0][0], 0.0, *pieces[0][1:])]
        for beat, bpm, growth in pieces[1:]:
            last = stretches[-1]
            time = last.time + last.seconds(beat - last.beat)
            stretches.append(_Stretch(beat, time, bpm, growth))
        return tuple(stretches)

    def _count_bars(self) -> tuple[tuple[float, int, float], ...]:
        """(beat, bars before it, length of a bar) from each meter change on."""
        bars = [(0.0, 0, float(self.beats_per_bar))]
        for meter in self.meters:
            start, before, length = bars[-1]
            if meter.beat <= start:
                bars.pop()
            more = math.ceil(round((meter.beat - start) / length, DIGITS))
            bars.append((meter.beat, before + more, float(meter.beats_per_bar)))
        return tuple(bars)


def read_meter(meter: str, where: str) -> float:
    """Quarter notes of a bar of a meter such as "4/4" or "7/8".

    Raises:
        BackbeatError: no meter, or a bar that is too short or long.
    """
    match = re.fullmatch(r"\s*(\d{1,2})\s*/\s*(1|2|4|8|16|32)\s*", meter, re.ASCII)
    if match is None:
        raise BackbeatError(
            f"{where}: {meter[:20]!r} is not a meter; write for example 3/4 or 7/8"
        )
    beats_per_bar = 4 * int(match[1]) / int(match[2])
    _check_bar(beats_per_bar)
    return beats_per_bar


def _check_bpm(bpm: float) -> None:
    if not LEAST_BPM <= bpm <= MOST_BPM:
        raise BackbeatError(f"bpm is {bpm:g}; a tempo is 20 to 400 beats per minute")


def _check_bar(beats_per_bar: float) -> None:
    if not LEAST_BAR <= beats_per_bar <= MOST_BAR:
        raise BackbeatError(
            f"beats_per_bar is {beats_per_bar:g}; a bar has a quarter to 16 beats"
        )


def _check_order(beats: list[float], what: str) -> None:
    """Refuses changes before the start, or that do not come one after the other."""
    if any(not b >= 0 for b in beats) or any(a >= b for a, b in pairwise(beats)):
        raise BackbeatError(f"changes of {what} come one after the other, from beat 0")
