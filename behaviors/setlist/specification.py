"""Setlists: behaviors in a row, as a YAML file gives them."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from backbeat.behaviors.motion.authored import Authored
from backbeat.models.common.errors import BackbeatError

MOST_REPEATS = 100
# Slowest and fastest tempo that a show may have [beats/min].
TEMPOS = (20.0, 300.0)


@dataclass
class SetlistEntry:
    """A behavior in a setlist."""

    # Shipped name, or path of its specification from the folder of the setlist.
    behavior: str = ""
    # How many times in a row.
    repeat: int = 1
    # Rest before it, beyond what the way there takes: in seconds or, in a show with a
    # tempo, in beats.
    rest: float = 0.0
    beats: float = 0.0
    # Beat of the behavior on which it is left, whatever it is doing; 0 for its end.
    until: float = 0.0

    def __str__(self) -> str:
        """The entry in words."""
        said = [self.behavior]
        if self.repeat != 1:
            said.append(f"{self.repeat} times")
        if self.rest:
            said.append(f"after {self.rest:g} s")
        if self.beats:
            said.append(f"after {self.beats:g} beats")
        if self.until:
            said.append(f"until beat {self.until:g}")
        return ", ".join(said)

    def problems(self) -> Iterator[tuple[str, str]]:
        """Keys whose values make no sense, each with half a sentence."""
        if not self.behavior:
            yield "behavior", "name a behavior"
        if not 1 <= self.repeat <= MOST_REPEATS:
            text = f"repeat is {self.repeat}; it goes from 1 to {MOST_REPEATS}"
            yield "repeat", text
        for key in ("rest", "beats"):
            value = getattr(self, key)
            if not (np.isfinite(value) and 0 <= value <= 60):
                yield key, f"a rest is 0 to 60 seconds or beats, not {value:g}"
        if not (np.isfinite(self.until) and self.until >= 0):
            yield "until", "until is a beat >= 0"


@dataclass
class SetlistSpecification(Authored):
    """Schema of `kind: setlist`."""

    kind: str = "setlist"
    # Tempo of all that has beats [beats/min]; 0 leaves each its own, which must be one.
    bpm: float = 0.0
    behaviors: list[SetlistEntry] = field(default_factory=list)
    # How far from the place where it drums the robot comes in, dances and jumps, at
    # least [m]; more where that would reach the drums.
    step_back: float = 0.6

    def entries(self) -> list[SetlistEntry]:
        """The behaviors in order, repeats written out; rests come once."""
        return [
            n if i == 0 else replace(n, rest=0.0, beats=0.0)
            for n in self.behaviors
            for i in range(n.repeat)
        ]

    def __str__(self) -> str:
        """A line for every behavior."""
        at = f" at {self.bpm:g} BPM" if self.bpm else ""
        lines = [f"{self.name}: {len(self.behaviors)} behaviors{at}"]
        return "\n".join([*lines, *(f"  {entry}" for entry in self.behaviors)])

    def check(self) -> None:
        """Refuses what cannot be played.

        Raises:
            BackbeatError: no behavior, or a value that makes no sense.
        """
        for path, sentence in self.problems():
            raise BackbeatError(sentence, path=path)

    def problems(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """Keys whose values make no sense, each with a sentence."""
        if not self.behaviors:
            yield ("behaviors",), f"{self.name}: a setlist needs behaviors"
        slow, fast = TEMPOS
        if self.bpm != 0 and not slow <= self.bpm <= fast:
            yield (
                ("bpm",),
                f"{self.name}: bpm is {self.bpm:g}; it goes from {slow:g} to {fast:g}",
            )
        if not (np.isfinite(self.step_back) and 0 <= self.step_back <= 2):
            yield ("step_back",), f"{self.name}: step_back is 0 to 2 m"
        for i, entry in enumerate(self.behaviors):
            for key, sentence in entry.problems():
                where = f"{self.name}, entry {i + 1}"
                yield ("behaviors", i, key), f"{where}: {sentence}"
