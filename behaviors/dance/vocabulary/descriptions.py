"""Descriptions of a choreography: its moves, changes of meter and tempo, phrases."""

import math
from dataclasses import dataclass

from backbeat.behaviors.music.notation.meter import MeterMap
from backbeat.models.common.schema import key


@dataclass
class MeterDescription:
    """A change of meter in a choreography."""

    bar: int = key(0)
    """Bar with which it begins, counted from one."""
    meter: str = key("")
    """The meter from there on, such as "7/8"."""


@dataclass
class TempoDescription:
    """A change of tempo in a choreography."""

    bar: float = key(0.0)
    """Bar with which it begins, counted from one; 0 to use `at`."""
    at: float = key(0.0)
    """Beat at which it begins, counted from zero."""
    bpm: float = key(0.0, "beats/min")
    """The tempo from there on."""
    beats: float = key(0.0, ge=0)
    """Beats over which that tempo is reached evenly; 0 for at once."""

    def start(self, meter: MeterMap) -> float:
        """Beat at which it begins, counted from zero."""
        return beat_of_bar(self.bar, meter) if self.bar else self.at


@dataclass
class PhraseDescription:
    """A phrase that is danced again: all moves that begin in some beats."""

    bar: float = key(0.0)
    """Bar with which it begins, counted from one; 0 to use `at`."""
    at: float = key(0.0)
    """Beat at which it begins, counted from zero."""
    beats: float = key(0.0)
    """Its length in beats."""
    again: list[float] = key(list)
    """Where it is danced again: bars if it has a `bar`, and beats counted from zero
    otherwise."""
    alternate: bool = key(False)
    """Whether it is mirrored the first time that it is danced again, and every second
    time from there."""

    def start(self, meter: MeterMap) -> float:
        """Beat at which it begins, counted from zero."""
        return beat_of_bar(self.bar, meter) if self.bar else self.at

    def starts_again(self, meter: MeterMap) -> list[float]:
        """Beats at which it is danced again, counted from zero."""
        return [beat_of_bar(x, meter) if self.bar else x for x in self.again]


@dataclass
class MoveDescription:
    """A move in a choreography."""

    move: str = key("")
    """Name of the move; see `backbeat moves`."""
    at: float = key(0.0)
    """Beat at which it starts, counted from zero."""
    bar: float = key(0.0)
    """Bar in which it starts, counted from one; 0 to use `at`."""
    beat: float = key(1.0)
    """Beat of that bar, counted from one."""
    beats: float | None = key(None)
    """Duration in beats; the usual one of the move if it is left out."""
    values: dict[str, float] = key(dict)
    """Values of its parameters."""
    repeat: int = key(1)
    """Number of times, in succession."""
    alternate: bool = key(False)
    """Whether every second repetition is mirrored."""
    mirror: bool = key(False)
    """Exchanges left and right."""
    blend: float = key(0.0)
    """Beats over which it fades in while the move that ends at its start fades out,
    half of them before; 0 fades that one out first and this one in after it."""
    timing: float | None = key(None)
    """Beat priority: 0 puts balance first, 1 holds the beat; the dance's if it is left
    out."""
    tracking: float = key(0.5)
    """How closely the motion follows the move: 0 is soft, 1 is stiff."""

    def start(self, meter: MeterMap) -> float:
        """Beat on which it starts, counted from zero."""
        if self.bar:
            return beat_of_bar(self.bar, meter) + self.beat - 1
        return self.at


def beat_of_bar(bar: float, meter: MeterMap) -> float:
    """Beat, counted from zero, at which a bar or a share of one begins."""
    whole = math.floor(bar)
    start = meter.start(whole)
    return start + (bar - whole) * meter.at(start).beats
