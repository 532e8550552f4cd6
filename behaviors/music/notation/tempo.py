"""Tempo: beats to seconds and back, always absolute, never summed note by note.

A beat is a quarter note. Tempo changes are steps, or ramps in which the tempo moves
evenly from beat to beat: bpm(b) = bpm_0 + (bpm_1 - bpm_0) (b - b_0) / B over B beats,
whose time is the integral of 60 / bpm(b), a logarithm. Every time is that of the
change before it and one closed form from there.
"""

import math
from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import pairwise

from backbeat.behaviors.music.notation.meter import (
    COMMON,
    MeterMap,
    bar_in_words,
    check_order,
)
from backbeat.models.common.errors import BackbeatError

LEAST_BPM, MOST_BPM = 20.0, 400.0


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
class Song:
    """A song among several in a row.

    Attributes:
        beat: at which it begins, with a pause.
        start: beat of its own first bar.
        name: what messages call it.
        bars_before: how many bars were put before those of its file.
    """

    beat: float
    start: float
    name: str
    bars_before: int = 0


@dataclass(frozen=True)
class Tempo:
    """A tempo map: constant when it has no changes.

    Attributes:
        bpm: quarter notes per minute, at the start when the tempo changes.
        meter: the bars.
        changes: tempo changes in order; one at beat 0 takes the place of `bpm`.
        songs: those that it goes through, in order; none of a single one.
    """

    bpm: float
    meter: MeterMap = COMMON
    changes: tuple[TempoChange, ...] = ()
    songs: tuple[Song, ...] = field(default=(), compare=False)
    _stretches: tuple[_Stretch, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Raises BackbeatError for a tempo that is no music, or for disorder."""
        _check_bpm(self.bpm)
        for change in self.changes:
            _check_bpm(change.bpm)
            if change.end_bpm is not None:
                _check_bpm(change.end_bpm)
        check_order([c.beat for c in self.changes], "tempo")
        object.__setattr__(self, "_stretches", self._lay_out())

    @property
    def is_constant(self) -> bool:
        """Whether there is one tempo from start to end."""
        return len(self._stretches) == 1 and self._stretches[0].growth == 0.0

    @property
    def beat_length(self) -> float:
        """Length of a beat, b = 60 / BPM [s]; of the first when the tempo changes."""
        return 60.0 / self.bpm

    def longest_beat(self, end: float) -> float:
        """Length of a beat where the tempo is lowest, up to a beat [s]."""
        beats = [0.0, end]
        for change in self.changes:
            beats += [change.beat, change.beat + change.beats]
        return 60.0 / min(self.bpm_at(b) for b in beats if 0 <= b <= end)

    def marked_beats(self, end: float) -> list[tuple[float, float]]:
        """Beats and pulses with their times [s] up to a beat, where the tempo changes.

        None where it does not: there they are a beat length apart.
        """
        if self.is_constant:
            return []
        whole = map(float, range(int(end + 1e-9) + 1))
        beats = {*whole, *(p.beat for p in self.meter.pulses(end))}
        return [(b, self.time(b)) for b in sorted(beats)]

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
        """Bar of the file and quarter note in it of a beat, as of `MeterMap`."""
        bar, at = self.meter.place(beat)
        song = self._song(beat)
        if song is not None:
            bar -= song.bars_before + self.meter.place(song.start)[0] - 1
        return bar, at

    def in_words(self, beat: float, digits: int | None = None) -> str:
        """Bar of the file and quarter note in it, such as "bar 3, beat 1.5".

        Of several songs its name is said too.

        Args:
            beat: counted from zero.
            digits: to round the quarter note to.
        """
        bar, at = self.place(beat)
        told = at if digits is None else round(at, digits)
        song = self._song(beat)
        of = "" if song is None else f" of {song.name}"
        return f"{bar_in_words(bar)}, beat {told:g}{of}"

    def _song(self, beat: float) -> Song | None:
        """The song that a beat is in."""
        return next((s for s in reversed(self.songs) if s.beat <= beat), None)

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


def _check_bpm(bpm: float) -> None:
    if not LEAST_BPM <= bpm <= MOST_BPM:
        raise BackbeatError(
            f"bpm is {bpm:g}; a tempo is 20 to 400 beats per minute", path=("bpm",)
        )
