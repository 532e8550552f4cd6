"""Meter: bars of a piece, and where they begin.

Places are in beats, which are quarter notes whatever the meter: a bar of 7/8 is 3.5
beats long. What is counted and clicked in it are pulses, notes of its denominator:
seven eighths.
"""

import math
import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from backbeat.models.common.errors import BackbeatError

LEAST_BAR, MOST_BAR = 0.25, 16.0
DENOMINATORS = (1, 2, 4, 8, 16, 32, 64)
# Bars and beats are rounded to a billionth of a beat, so that the first beat of a bar
# is not the fifth of the one before.
DIGITS = 9


@dataclass(frozen=True)
class Meter:
    """A time signature.

    Attributes:
        numerator: pulses of a bar.
        denominator: which note a pulse is: 4 for a quarter, 8 for an eighth.
    """

    numerator: int = 4
    denominator: int = 4

    def __post_init__(self) -> None:
        """Raises BackbeatError for what is no meter."""
        if self.denominator not in DENOMINATORS:
            raise BackbeatError(
                f"'{self}' is not a meter; its lower number is one of "
                f"{', '.join(map(str, DENOMINATORS))}",
                path=("meter",),
            )
        if not LEAST_BAR <= self.beats <= MOST_BAR:
            raise BackbeatError(
                f"'{self}' is not a meter; a bar has a quarter to 16 beats",
                path=("meter",),
            )

    @property
    def beats(self) -> float:
        """Quarter notes of a bar; 3.5 for 7/8."""
        return 4 * self.numerator / self.denominator

    @property
    def pulse(self) -> float:
        """Quarter notes of a pulse; 0.5 for 7/8."""
        return 4 / self.denominator

    def __str__(self) -> str:
        """As musicians write it: 7/8."""
        return f"{self.numerator}/{self.denominator}"


@dataclass(frozen=True)
class MeterChange:
    """A new meter from a beat on, with which a bar begins.

    Attributes:
        beat: when, in beats from the start.
        meter: the meter.
    """

    beat: float
    meter: Meter


@dataclass(frozen=True)
class Pulse:
    """A pulse of a bar.

    Attributes:
        beat: when, in beats from the start.
        bar: its bar, counted as by `MeterMap.place`.
        number: which of the bar's pulses it is, counted from one.
        count: pulses of the bar; fewer than its meter has where the next meter cuts it.
    """

    beat: float
    bar: int
    number: int
    count: int


def check_order(beats: list[float], what: str) -> None:
    """Refuses changes before the start, or that do not come one after the other.

    Raises:
        BackbeatError: they are in disorder.
    """
    if any(not b >= 0 for b in beats) or any(a >= b for a, b in pairwise(beats)):
        raise BackbeatError(f"changes of {what} come one after the other, from beat 0")


@dataclass(frozen=True)
class MeterMap:
    """Meters of a piece: one when it has no changes.

    Attributes:
        first: meter at the start.
        changes: changes in order; one at beat 0 takes the place of `first`.
        lead_in: how many bars were put before those of the file. Bars are counted
            from the file's first, so that these have numbers below one.
    """

    first: Meter = Meter()
    changes: tuple[MeterChange, ...] = ()
    lead_in: int = 0
    _bars: tuple[tuple[float, int, Meter], ...] = field(
        init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        """Raises BackbeatError for changes in disorder."""
        check_order([c.beat for c in self.changes], "meter")
        if self.changes and self.changes[0].beat == 0:
            # One way to say it, so that what is stored comes back the same.
            object.__setattr__(self, "first", self.changes[0].meter)
            object.__setattr__(self, "changes", self.changes[1:])
        object.__setattr__(self, "_bars", self._count())

    def at(self, beat: float) -> Meter:
        """The meter of the bar that a beat is in."""
        return self._bars[self._part(beat)][2]

    def place(self, beat: float) -> tuple[int, float]:
        """Bar of the file and quarter note in it of a beat, both counted from one."""
        beat = round(beat, DIGITS)
        start, bars, meter = self._bars[self._part(beat)]
        more = int((beat - start) // meter.beats)
        return bars + more + 1 - self.lead_in, beat - start - more * meter.beats + 1

    def start(self, bar: int) -> float:
        """The beat with which a bar of the file begins, counted from one."""
        bar += self.lead_in
        i = max(0, bisect_right([bars for _, bars, _ in self._bars], bar - 1) - 1)
        start, bars, meter = self._bars[i]
        return start + (bar - 1 - bars) * meter.beats

    def pulses(self, end: float) -> list[Pulse]:
        """All pulses from the start up to a beat."""
        found: list[Pulse] = []
        stops = [*(start for start, _, _ in self._bars[1:]), math.inf]
        for (start, before, meter), stop in zip(self._bars, stops, strict=True):
            n, size = meter.numerator, meter.pulse
            past = math.floor(round((end - start) / size, DIGITS)) + 1
            # Pulses until the next meter, which may cut a bar.
            own = (stop - start) / size
            own = own if math.isinf(own) else math.ceil(round(own, DIGITS))
            for k in range(int(min(past, own))):
                bar = k // n
                count = int(min(n, own - bar * n))
                own_bar = before + bar + 1 - self.lead_in
                place = (own_bar, k - bar * n + 1, count)
                found.append(Pulse(start + k * size, *place))
        return found

    def moved(self, beats: float) -> "list[MeterChange]":
        """Its meters as changes of a longer piece in which it starts on a beat."""
        return [MeterChange(beats + start, meter) for start, _, meter in self._bars]

    def to_plain(self) -> list[list[float | str]]:
        """Beats and meters as plain data, ready for JSON."""
        return [[start, str(meter)] for start, _, meter in self._bars]

    def __str__(self) -> str:
        """As musicians write it, with the bars at which it changes."""
        words = [str(self._bars[0][2])]
        words += [
            f"{meter} from bar {bars + 1 - self.lead_in}"
            for (_, _, before), (_, bars, meter) in pairwise(self._bars)
            if meter != before  # else a bar begins anew, in the same meter
        ]
        return ", ".join(words)

    def _part(self, beat: float) -> int:
        return max(0, bisect_right([b for b, _, _ in self._bars], beat) - 1)

    def _count(self) -> tuple[tuple[float, int, Meter], ...]:
        """(beat, bars before it, meter) from each change on."""
        bars = [(0.0, 0, self.first)]
        for change in self.changes:
            start, before, meter = bars[-1]
            if change.beat <= start:
                bars.pop()
            more = math.ceil(round((change.beat - start) / meter.beats, DIGITS))
            bars.append((change.beat, before + more, change.meter))
        return tuple(bars)


# What a piece has that says nothing of it.
COMMON = MeterMap()


def read_meter(text: str, where: str) -> Meter:
    """A meter such as "4/4" or "7/8".

    Raises:
        BackbeatError: no meter, or a bar that is too short or long.
    """
    match = re.fullmatch(r"\s*(\d{1,2})\s*/\s*(\d{1,2})\s*", text, re.ASCII)
    if match is None:
        raise BackbeatError(
            f"{where}: {text[:20]!r} is not a meter; write for example 3/4 or 7/8",
            path=("meter",),
            subject=text,
        )
    try:
        return Meter(int(match[1]), int(match[2]))
    except BackbeatError as error:
        raise error.reworded(f"{where}: {error}") from None


def first_meter(beats_per_bar: int, meter: str, where: str) -> Meter:
    """The meter at the start, as files say it.

    Args:
        beats_per_bar: quarter notes of a bar, where there is no meter.
        meter: such as "7/8", or empty.
        where: name of the file in errors.

    Raises:
        BackbeatError: as `read_meter`.
    """
    if meter:
        return read_meter(meter, where)
    if not LEAST_BAR <= beats_per_bar <= MOST_BAR:
        raise BackbeatError(
            f"{where}: beats_per_bar is {beats_per_bar:g}; a bar has 1 to 16 beats",
            path=("beats_per_bar",),
        )
    return Meter(beats_per_bar, 4)


def meter_map(first: Meter, changes: Iterable[tuple[int, Meter]]) -> MeterMap:
    """A meter map from changes at bars, in order.

    Raises:
        BackbeatError: a bar is not after the one before it.
    """
    found = MeterMap(first)
    last = 1
    for i, (bar, meter) in enumerate(changes):
        if bar <= last:
            raise BackbeatError(
                f"the meter changes in bar {bar}; changes come one after the other, "
                "from bar 2",
                path=("meters", i),
            )
        change = MeterChange(found.start(bar), meter)
        found = MeterMap(first, (*found.changes, change))
        last = bar
    return found


def bar_in_words(bar: int) -> str:
    """A bar as messages say it; those of a lead-in have no number in the file."""
    return f"bar {bar}" if bar > 0 else "the bars before the first"


def meter_from_plain(
    plain: Sequence[Sequence[float | str]], lead_in: int = 0
) -> MeterMap:
    """The inverse of `MeterMap.to_plain`.

    Args:
        plain: beats and meters.
        lead_in: as of `MeterMap`.

    Raises:
        BackbeatError: no meter, or changes in disorder.
        ValueError, TypeError, IndexError: it has another form.
    """
    meters = [(float(beat), read_meter(str(m), "meter")) for beat, m in plain]
    changes = tuple(MeterChange(beat, m) for beat, m in meters[1:])
    return MeterMap(meters[0][1], changes, lead_in)
