"""Segments of a motion: Hold and Goto, each with its path variable.

A hand that drums holds where it rests or waits, and goes from there to the next drum;
the path variable s runs from 0 to 1 over every segment (G. Bahati, S. Esteban, "Atlas
The Drummer", 2021). A posture tour holds its stations and goes from one to the next.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from backbeat.behaviors.kinematic.segments import Kind
from backbeat.behaviors.library.behavior import Event

# Hands by their stick tips.
HANDS = {"l_stick_tip": "left", "r_stick_tip": "right"}
OF_HANDS = ("strike", "rest", "target")
# Shorter segments are none [s].
SHORTEST = 1e-6


@dataclass(frozen=True)
class PathSegment:
    """A stretch of what moves.

    Attributes:
        part: "left" or "right" hand; empty for the whole body.
        kind: "Hold" stays, "Goto" moves.
        start, end: [s].
        where: what it holds at or goes to: a drum, a place, a station.
    """

    part: str
    kind: Kind
    start: float
    end: float
    where: str

    def path_variable(self, t: float) -> float:
        """Path variable s at a time [s], 0 to 1."""
        return min(max((t - self.start) / (self.end - self.start), 0.0), 1.0)


def path_segments(kind: str, events: Sequence[Event], end: float) -> list[PathSegment]:
    """Segments from the events of a behavior, part by part in order of time.

    Args:
        kind: of the behavior; other than drumming and posture tours have none.
        events: of the behavior.
        end: its last time [s].
    """
    found: list[PathSegment] = []
    for tip, hand in HANDS.items():
        stops = [e for e in events if e.kind in OF_HANDS and e.who == tip]
        found += _between(hand, stops, end)
    if not found and kind == "posture":
        found = _between("", [e for e in events if e.kind == "segment"], end)
    return found


def _between(part: str, stops: Sequence[Event], end: float) -> list[PathSegment]:
    """Holds at stops that last, and Gotos between them."""
    ends = sorted((e.time, e.time + e.duration, e.what) for e in stops)
    found: list[PathSegment] = []
    before = 0.0
    for start, left, what in ends:
        where, start = what.replace("_", " "), max(start, before)
        if start - before > SHORTEST:
            found.append(PathSegment(part, "Goto", before, start, where))
        if left - start > SHORTEST:
            found.append(PathSegment(part, "Hold", start, left, where))
        before = max(before, left)
    if ends and end - before > SHORTEST:
        if found[-1:] and found[-1].kind == "Hold":
            before = found.pop().start  # it goes on where it is
        found.append(PathSegment(part, "Hold", before, end, where))
    return found
