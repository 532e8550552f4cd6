"""Score: what is played when, by which hand, and when hands rest.

A hand's time is made of Hold and Goto stretches: it rests on a drum while the torso
dances, or it goes from one drum to the next, which it strikes on arrival.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Self

from backbeat.behaviors.music.notation.count_in import count_in_beats
from backbeat.behaviors.music.notation.tempo import Tempo
from backbeat.models.common.errors import BackbeatError

if TYPE_CHECKING:
    from backbeat.behaviors.music.notation.left_out import LeftOut

HANDS = ("left", "right")
FEET = ("left foot", "right foot")
# Codes of remarks: hits left out that two hands cannot play, how many; and hits moved
# to a grid, by how much at most [ms].
DROPPED, MOVED = "dropped", "moved"
# Ornaments of hits as they are written, and a stroke of one that may be left out.
FLAM, DRAG, BUZZ, GRACE = "flam", "drag", "buzz", "grace"
# Beats at the end of a hold in which resting hands are on their way, and the least
# number of beats between a hit and a rest of the same hand.
LEAVE_BEATS = 1.0
LEAST_TRANSFER = 0.75


class Remark(str):
    """A sentence on what became of hits, with what a program makes of it.

    Attributes:
        code: what it is about.
        amount: how much of it.
    """

    code: str
    amount: int

    def __new__(cls, sentence: str, code: str = "", amount: int = 0) -> Self:
        """The sentence with its fields."""
        made = super().__new__(cls, sentence)
        made.code, made.amount = code, amount
        return made


def amounts(remarks: Iterable[str], code: str) -> list[int]:
    """The amount of each remark of a code."""
    return [r.amount for r in remarks if isinstance(r, Remark) and r.code == code]


@dataclass(frozen=True)
class Hit:
    """One hit.

    Attributes:
        beat: when, in beats from the start.
        member: drum.
        hand: one of HANDS, or of FEET; empty as long as it is open.
        velocity: loudness as in MIDI, 1 to 127.
        ornament: FLAM, DRAG or BUZZ where it is to be played as one, GRACE of a stroke
            that belongs to one; empty for a plain hit.
        beats: how long a BUZZ goes on.
    """

    beat: float
    member: str
    hand: str
    velocity: int
    ornament: str = ""
    beats: float = 0.0

    @property
    def is_grace(self) -> bool:
        """Whether it belongs to an ornament, and may be left out of it."""
        return self.ornament == GRACE


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
        first = self.contact_start - LEAST_TRANSFER + 1e-9
        last = self.contact_end + LEAST_TRANSFER - 1e-9
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
class HandMove:
    """An explicit Goto: a hand is sent somewhere, with a hit at its end or without.

    Attributes:
        hand: "left" or "right".
        beat, beats: start and length in beats.
        member: drum that it hits, or above which it ends; empty for a place.
        place: (3,) where its tip ends, from the kit's place on the floor [m].
        velocity: of the hit, as in MIDI; 0 without one.
    """

    hand: str
    beat: float
    beats: float
    member: str = ""
    place: tuple[float, float, float] = (0.0, 0.0, 0.0)
    velocity: int = 0

    @property
    def end(self) -> float:
        """Beat at which it is over."""
        return self.beat + self.beats


@dataclass(frozen=True)
class HandTarget:
    """Where a hand is without a hit or a rest: at the end of a Goto, or waiting.

    Attributes:
        hand: "left" or "right".
        beat, beats: when it gets there, and how long it holds there [beats].
        member: drum above which its tip is; empty for a place.
        place: (3,) where its tip is, from the kit's place on the floor [m].
    """

    hand: str
    beat: float
    beats: float
    member: str = ""
    place: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @property
    def name(self) -> str:
        """What people call it; targets of a name are at one place."""
        if self.member:
            return f"place over the {self.member}"
        return "place " + ", ".join(f"{x:.3f}" for x in self.place)


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


Stop = tuple[float, str, Hold | HandTarget | None]


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
        offset: where in the backing that is [s].
        count_in: clicks of sticks before the music begins.
        may_drop: whether hits that cannot be played may be left out.
        moves: explicit Gotos in order of time.
        targets: where hands are sent, and where they wait, in order of time.
        lead_in: beat at which a file's own music, and a backing track, begins.
        notes: MIDI notes of its file, each with what it is meant for and its hits.
        left_out: hits that are not played, in order of time for each cause.
    """

    tempo: Tempo
    hits: tuple[Hit, ...]
    holds: tuple[Hold, ...]
    beats: float
    sections: tuple[Section, ...] = ()
    remarks: tuple[str, ...] = ()
    backing: str = ""
    lead_in: float = 0.0
    offset: float = 0.0
    count_in: int = 0
    may_drop: bool = False
    moves: tuple[HandMove, ...] = ()
    targets: tuple[HandTarget, ...] = ()
    notes: tuple[tuple[int, str, int], ...] = ()
    left_out: "tuple[LeftOut, ...]" = ()

    def count_in_beats(self, where: str) -> list[float]:
        """Beats of the count-in, before its first hold ends.

        Raises:
            BackbeatError: they do not fit before it; `where` names the score.
        """
        begins = self.lead_in
        if not begins and self.holds:
            begins = self.holds[0].beat + self.holds[0].beats
        return count_in_beats(self.count_in, begins, self.tempo.meter, where)

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
        raise BackbeatError(
            f"the score has no section {name!r}; it has {known}", subject=name
        )

    def stops(self, hand: str) -> list[Stop]:
        """(beat, drum or target, what holds from there) of a hand, in order.

        A hold has two: where the hand comes to rest, and where its contact ends; so
        has a target at which it stays.
        """
        stops: list[Stop] = []
        stops += [(h.beat, h.member, None) for h in self.of_hand(hand)]
        for hold in self.holds:
            if hand in hold.rest:
                stops.append((hold.contact_start, hold.rest[hand], hold))
                stops.append((hold.contact_end, hold.rest[hand], None))
        for target in self.targets:
            if target.hand == hand:
                stays = target.beats > 0
                stops.append((target.beat, target.name, target if stays else None))
                if stays:
                    stops.append((target.beat + target.beats, target.name, None))
        return sorted(stops, key=lambda stop: (stop[0], stop[2] is not None))

    def stretches(self, hand: str) -> list[Hold | HandTarget | Goto]:
        """What a hand does from its first drum to its last, without gaps.

        A hold of the hand lasts until its contact ends; ways fill the rest.
        """
        found: list[Hold | HandTarget | Goto] = []
        for (beat, start, rest), (after, end, _) in pairwise(self.stops(hand)):
            found.append(rest or Goto(beat, after - beat, start, end))
        return found


def counted(number: int) -> str:
    """So many hits, as people say it."""
    return f"{number} hit" if number == 1 else f"{number} hits"
