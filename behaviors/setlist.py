"""Setlists: behaviors in a row, as people write them."""

from dataclasses import dataclass, field, replace

import numpy as np

from behaviors.authored import Authored
from models.errors import BackbeatError

MOST_REPEATS = 100


@dataclass
class Number:
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


@dataclass
class SetlistSpecification(Authored):
    """Schema of `kind: setlist`."""

    kind: str = "setlist"
    behaviors: list[Number] = field(default_factory=list)
    # How far from the place where it drums the robot comes in, dances and jumps [m].
    step_back: float = 0.6

    def numbers(self) -> list[Number]:
        """The behaviors in order, repeats written out; rests come once."""
        return [
            n if i == 0 else replace(n, rest=0.0, beats=0.0)
            for n in self.behaviors
            for i in range(n.repeat)
        ]

    def check(self) -> None:
        """Refuses what cannot be played.

        Raises:
            BackbeatError: no behavior, or a number that makes no sense.
        """
        if not self.behaviors:
            raise BackbeatError(f"{self.name}: a setlist needs behaviors")
        for i, number in enumerate(self.behaviors, 1):
            where = f"{self.name}, number {i}"
            if not number.behavior:
                raise BackbeatError(f"{where}: name a behavior")
            if not 1 <= number.repeat <= MOST_REPEATS:
                raise BackbeatError(
                    f"{where}: repeat is {number.repeat}; it goes from 1 to "
                    f"{MOST_REPEATS}"
                )
            rests = (number.rest, number.beats)
            if not all(np.isfinite(x) and 0 <= x <= 60 for x in rests):
                raise BackbeatError(f"{where}: a rest is 0 to 60 seconds or beats")
            if not (np.isfinite(number.until) and number.until >= 0):
                raise BackbeatError(f"{where}: until is a beat >= 0")
        if not (np.isfinite(self.step_back) and 0 <= self.step_back <= 2):
            raise BackbeatError(f"{self.name}: step_back is 0 to 2 m")
