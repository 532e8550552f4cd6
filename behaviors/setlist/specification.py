"""Setlists: behaviors in a row, as a YAML file gives them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from backbeat.behaviors.motion.authored import Authored
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.schema import check_values, key

MOST_REPEATS = 100
# Slowest and fastest tempo that a show may have [beats/min].
TEMPOS = (20.0, 300.0)
# Tempos this near to each other are one [beats/min]: MIDI has the length of a beat in
# whole microseconds, which is up to 0.00075 off at 300.
_SAME_TEMPO = 1e-3


def same_tempo(one: float, other: float) -> bool:
    """Whether two tempos [beats/min] differ by what files round them to at most."""
    return abs(one - other) <= _SAME_TEMPO


@dataclass
class SetlistEntry:
    """A behavior in a setlist."""

    behavior: str = key("")
    """Shipped name, or path of its specification from the folder of the setlist."""
    repeat: int = key(1, ge=1, le=MOST_REPEATS)
    """Number of times, in succession."""
    rest: float = key(0.0, "s", ge=0, le=60)
    """Pause before it, in addition to the transition."""
    beats: float = key(0.0, ge=0, le=60)
    """The same in beats, in a show with a tempo."""
    until: float = key(0.0, ge=0)
    """Beat of the behavior at which it is ended early; 0 for its end."""

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


@dataclass
class SetlistSpecification(Authored):
    """Schema of `kind: setlist`."""

    kind: str = "setlist"
    bpm: float = key(0.0, "beats/min")
    """Tempo of all behaviors that have beats [beats/min]; 0 leaves each its own, and
    these must be equal."""
    behaviors: list[SetlistEntry] = key(list)
    """Behaviors, in order of time."""
    step_back: float = key(0.6, "m", ge=0, le=2)
    """Minimum distance from its drums at which the robot comes in, dances and jumps
    [m]; larger where that would reach the drums."""

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
        check_values(self, self.name)
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
        for i, entry in enumerate(self.behaviors):
            if not entry.behavior:
                where = f"{self.name}, entry {i + 1}"
                yield ("behaviors", i, "behavior"), f"{where}: name a behavior"
