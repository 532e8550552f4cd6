"""Score: what is played when, by which hand, and when hands rest.

A hand's time is made of Hold and Goto stretches: it rests on a drum while the torso
dances, or it goes from one drum to the next, which it strikes on arrival.
"""

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from behaviors.music.tempo import Tempo
from models.errors import BackbeatError

HANDS = ("left", "right")
FEET = ("left foot", "right foot")
# Beats at the end of a hold in which resting hands are on their way, and the least
# number of beats between a hit and a rest of the same hand.
LEAVE_BEATS = 1.0
LEAST_WAY = 0.75
# What both take at least where beats are short [s], and the most of a hold, as a share
# of it, that either takes from its rest.
LEAVE_TIME, WAY_TIME, MOST_SHARE = 0.6, 0.4, 0.4
# Beats that a rest takes at least.
LEAST_REST = 0.25


@dataclass(frozen=True)
class Hit:
    """One hit.

    Attributes:
        beat: when, in beats from the start.
        member: drum.
        hand: one of HANDS, or of FEET; empty as long as it is open.
        velocity: loudness as in MIDI, 1 to 127.
    """

    beat: float
    member: str
    hand: str
    velocity: int


@dataclass(frozen=True)
class Hold:
    """A stretch in which hands rest on drums and the torso dances.

    Attributes:
        beat, beats: start and length in beats.
        name: what people call it.
        rest: drum of each resting hand, by hand.
        sway: turn of the torso to each side [rad].
        sway_beats: beats of a full swing.
        come_beats, leave_beats: at its start and at its end, in which hands that rest
            are on their way.
    """

    beat: float
    beats: float
    name: str
    rest: Mapping[str, str]
    sway: float
    sway_beats: float
    come_beats: float = 0.0
    leave_beats: float = LEAVE_BEATS

    @property
    def contact_start(self) -> float:
        """Beat at which hands come to rest: later where they hit just before."""
        return self.beat + self.come_beats

    @property
    def contact_end(self) -> float:
        """Beat at which hands leave their drums: what follows is for the way."""
        return self.beat + self.beats - self.leave_beats

    def is_busy(self, hand: str, beat: float) -> bool:
        """Whether a hand rests here at a beat, or is too near to its rest to hit."""
        first = self.contact_start - LEAST_WAY + 1e-9
        last = self.contact_end + LEAST_WAY - 1e-9
        return first < beat < last and hand in self.rest


@dataclass(frozen=True)
class Goto:
    """A hand's way from one drum to the next.

    Attributes:
        beat, beats: start and length in beats.
        start, end: the drums.
    """

    beat: float
    beats: float
    start: str
    end: str


@dataclass(frozen=True)
class Section:
    """A named part of a score.

    Attributes:
        name: what people call it.
        beat, beats: start and length in beats.
    """

    name: str
    beat: float
    beats: float


@dataclass(frozen=True)
class Score:
    """What is played.

    Attributes:
        tempo: tempo map.
        hits: hits in order of time.
        holds: holds in order of time.
        beats: total length in beats.
        sections: parts in order of time.
        remarks: sentences on what became of hits that are not played as written.
        backing: name of an audio file beside the score; empty for none.
        may_drop: whether hits that cannot be played may be left out.
        lead_in: beat at which a file's own music, and a backing track, begins.
    """

    tempo: Tempo
    hits: tuple[Hit, ...]
    holds: tuple[Hold, ...]
    beats: float
    sections: tuple[Section, ...] = ()
    remarks: tuple[str, ...] = ()
    backing: str = ""
    lead_in: float = 0.0
    may_drop: bool = False

    def of_hand(self, hand: str) -> list[Hit]:
        """Hits of one hand."""
        return [h for h in self.hits if h.hand == hand]

    @property
    def feet(self) -> list[str]:
        """Feet that play, of FEET."""
        return [foot for foot in FEET if self.of_hand(foot)]

    def section(self, name: str) -> Section:
        """The first section of a name.

        Raises:
            BackbeatError: there is none.
        """
        for section in self.sections:
            if section.name == name:
                return section
        known = ", ".join(dict.fromkeys(s.name for s in self.sections if s.name))
        raise BackbeatError(f"the score has no section {name!r}; it has {known}")

    def stops(self, hand: str) -> list[tuple[float, str, Hold | None]]:
        """(beat, drum, hold that begins) where a hand is at a head, in order.

        A hold has two: where the hand comes to rest, and where its contact ends.
        """
        stops: list[tuple[float, str, Hold | None]] = []
        stops += [(h.beat, h.member, None) for h in self.of_hand(hand)]
        for hold in self.holds:
            if hand in hold.rest:
                stops.append((hold.contact_start, hold.rest[hand], hold))
                stops.append((hold.contact_end, hold.rest[hand], None))
        return sorted(stops, key=lambda stop: stop[:2])

    def stretches(self, hand: str) -> list[Hold | Goto]:
        """What a hand does from its first drum to its last, without gaps.

        A hold of the hand lasts until its contact ends; ways fill the rest.
        """
        found: list[Hold | Goto] = []
        for (beat, start, rest), (after, end, _) in pairwise(self.stops(hand)):
            found.append(rest or Goto(beat, after - beat, start, end))
        return found


def with_ways(
    holds: Sequence[Hold], hits: Sequence[Hit], tempo: Tempo
) -> tuple[Hold, ...]:
    """Holds with time for the ways to and from their drums.

    Args:
        holds: in order of time.
        hits: in order of time; the hand of any of them may be open.
        tempo: of the score.
    """
    beats = [h.beat for h in hits]
    found = []
    for hold in holds:
        before = hits[: bisect_right(beats, hold.beat)]
        found.append(_with_ways(hold, before, tempo.bpm_at(hold.beat) / 60))
    return tuple(found)


def _with_ways(hold: Hold, before: Sequence[Hit], per_second: float) -> Hold:
    """A hold with time for its ways, from hits up to it and beats a second."""
    most = MOST_SHARE * hold.beats
    leave = max(LEAVE_BEATS, min(LEAVE_TIME * per_second, most))
    way = max(LEAST_WAY, WAY_TIME * per_second)
    hands = ("", *hold.rest)
    last = next((h.beat for h in reversed(before) if h.hand in hands), -math.inf)
    come = max(0.0, last + way - hold.beat)
    # Nobody comes from a hit so close that the hold would be over.
    come = come if come <= min(most, hold.beats - leave - LEAST_REST) else 0.0
    return replace(hold, come_beats=come, leave_beats=leave)


class Rests:
    """Finds the hold that keeps a hand from a hit, among holds in order of time."""

    def __init__(self, holds: Sequence[Hold]) -> None:
        self.holds = holds
        self._starts = [h.beat for h in holds]

    def at(self, hand: str, beat: float) -> Hold | None:
        """The hold in which, or too near to which, a hand would have to hit."""
        # Holds are longer than a way: none but these two can be near.
        last = bisect_right(self._starts, beat + LEAST_WAY)
        for hold in self.holds[max(0, last - 2) : last]:
            if hold.is_busy(hand, beat):
                return hold
        return None


def check_ways(
    hits: Sequence[Hit], holds: Sequence[Hold], tempo: Tempo, where: str
) -> None:
    """Refuses hits of a hand that rests or has no time to come from its rest.

    Raises:
        BackbeatError: such a hit, with its bar and beat.
    """
    rests = Rests(holds)
    for hit in hits:
        hold = rests.at(hit.hand, hit.beat)
        if hold is not None:
            bar, at = tempo.place(hit.beat)
            raise BackbeatError(
                f"{where}: the {hit.hand} hand rests in {hold.name!r} and has no "
                f"time for the {hit.member} in bar {bar}, beat {at:g}; leave "
                f"{LEAST_WAY:g} beats before a hold and 1 beat inside its end"
            )


def counted(number: int) -> str:
    """So many hits, as people say it."""
    return f"{number} hit" if number == 1 else f"{number} hits"
