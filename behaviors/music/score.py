"""Score: hits and holds on a grid of beats, read from lines of text.

A line belongs to a hand and has one word a step: the number of a drum, `-` for
nothing, `|` where the eye wants a bar line. `3 - 1 -` with two steps a beat is
the snare on one beat and the hi-hat on the next. An accent is `3!`, a ghost note
`3?`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from behaviors.music.tempo import Tempo
from models.errors import BackbeatError

HANDS = ("left", "right")
# Beats at the end of a hold in which resting hands are on their way, and the least
# number of beats between a hit and a rest of the same hand.
LEAVE_BEATS = 1.0
LEAST_WAY = 0.75
LOUDNESS = {"!": 115, "": 90, "?": 50}
# Most turn of the torso to each side in a hold [rad].
MOST_SWAY = 0.6
# Ten minutes at the fastest tempo.
MOST_BEATS = 4000


@dataclass
class PartDescription:
    """A part of a score as in the YAML: a hold, or bars to play."""

    # What people call it.
    name: str = ""
    # Beats to hold: the hands rest and the torso dances.
    hold: float = 0.0
    # Drum that each hand rests on in a hold, by hand.
    rest: dict[str, str] = field(default_factory=dict)
    # Turn of the torso to each side in a hold [rad], and beats of a full swing.
    sway: float = 0.2
    sway_beats: float = 2.0
    # One line a hand; empty for a hand that waits.
    left: str = ""
    right: str = ""
    # How often the bars are played.
    repeat: int = 1


@dataclass
class ScoreDescription:
    """Schema of a score file."""

    title: str = ""
    bpm: float = 98.0
    beats_per_bar: int = 4
    # Steps of a line per beat.
    steps_per_beat: int = 2
    parts: list[PartDescription] = field(default_factory=list)


@dataclass(frozen=True)
class Hit:
    """One hit.

    Attributes:
        beat: when, in beats from the start.
        member: drum.
        hand: "left" or "right".
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
    """

    beat: float
    beats: float
    name: str
    rest: Mapping[str, str]
    sway: float
    sway_beats: float

    @property
    def contact_end(self) -> float:
        """Beat at which hands leave their drums: the last beat is for the way."""
        return self.beat + self.beats - LEAVE_BEATS


@dataclass(frozen=True)
class Score:
    """What is played.

    Attributes:
        tempo: the tempo.
        hits: hits in order of time.
        holds: holds in order of time.
        beats: total length in beats.
    """

    tempo: Tempo
    hits: tuple[Hit, ...]
    holds: tuple[Hold, ...]
    beats: float

    def of_hand(self, hand: str) -> list[Hit]:
        """Hits of one hand."""
        return [h for h in self.hits if h.hand == hand]


def compile_score(
    description: ScoreDescription, numbers: Mapping[int, str], where: str
) -> Score:
    """Reads the lines of a score.

    Args:
        description: the score as in the file.
        numbers: drum names by their number.
        where: name of the score in errors.

    Raises:
        BackbeatError: a word, drum or length makes no sense; says bar and beat.
    """
    tempo = Tempo(description.bpm, description.beats_per_bar)
    if description.steps_per_beat < 1 or not description.parts:
        raise BackbeatError(f"{where}: needs parts and at least one step per beat")
    hits: list[Hit] = []
    holds: list[Hold] = []
    beat = 0.0
    for part in description.parts:
        if part.hold != 0:
            _check_hold(part, numbers, where)
            holds.append(
                Hold(
                    beat,
                    part.hold,
                    part.name or "hold",
                    dict(part.rest),
                    part.sway,
                    part.sway_beats,
                )
            )
            beat += part.hold
            continue
        if part.repeat < 1:
            raise BackbeatError(f"{where}: repeat of part {part.name!r} must be >= 1")
        for _ in range(part.repeat):
            played, beats = _read_bars(part, description, numbers, beat, where)
            hits.extend(played)
            beat += beats
            if beat > MOST_BEATS:
                raise BackbeatError(f"{where}: more than {MOST_BEATS} beats")
    hits.sort(key=lambda h: (h.beat, h.hand))
    _check_ways(hits, holds, tempo, where)
    return Score(tempo, tuple(hits), tuple(holds), beat)


def _check_ways(hits: list[Hit], holds: list[Hold], tempo: Tempo, where: str) -> None:
    """Refuses hits of a hand that rests or has no time to come from its rest."""
    for hold in holds:
        low, high = hold.beat - LEAST_WAY, hold.contact_end + LEAST_WAY
        for hit in hits:
            if hit.hand in hold.rest and low < hit.beat < high:
                bar, at = tempo.position(tempo.time(hit.beat))
                raise BackbeatError(
                    f"{where}: the {hit.hand} hand rests in {hold.name!r} and has no "
                    f"time for the {hit.member} in bar {bar}, beat {at:g}; leave "
                    f"{LEAST_WAY:g} beats before a hold and 1 beat inside its end"
                )


def _check_hold(part: PartDescription, numbers: Mapping[int, str], where: str) -> None:
    if not LEAVE_BEATS < part.hold <= MOST_BEATS:
        raise BackbeatError(
            f"{where}: hold {part.name!r} takes {part.hold:g} beats; it takes more "
            f"than {LEAVE_BEATS:g} and up to {MOST_BEATS}"
        )
    for hand, member in part.rest.items():
        if hand not in HANDS:
            raise BackbeatError(f"{where}: {hand!r} is not a hand; left or right")
        if member not in numbers.values():
            raise BackbeatError(
                f"{where}: part {part.name!r} rests on {member!r}; the kit has "
                f"{', '.join(numbers.values())}"
            )
    if not (part.sway_beats >= 0.5 and abs(part.sway) <= MOST_SWAY):
        raise BackbeatError(
            f"{where}: in hold {part.name!r} the torso sways {part.sway:g} rad in "
            f"{part.sway_beats:g} beats; it may sway {MOST_SWAY:g} rad to each side, "
            "in at least half a beat"
        )


def _read_bars(
    part: PartDescription,
    description: ScoreDescription,
    numbers: Mapping[int, str],
    start: float,
    where: str,
) -> tuple[list[Hit], float]:
    """Hits of a part and its length in beats."""
    lines = {h: getattr(part, h).replace("|", " ").split() for h in HANDS}
    steps = max(len(words) for words in lines.values())
    if steps == 0:
        raise BackbeatError(f"{where}: part {part.name!r} neither holds nor plays")
    members = {str(number): name for number, name in numbers.items()}
    hits = []
    for hand, words in lines.items():
        if words and len(words) != steps:
            raise BackbeatError(
                f"{where}: in part {part.name!r} the left hand has "
                f"{len(lines['left'])} steps and the right {len(lines['right'])}"
            )
        for i, word in enumerate(words):
            if word == "-":
                continue
            beat = start + i / description.steps_per_beat
            number, mark = (word[:-1], word[-1]) if word[-1] in "!?" else (word, "")
            if number not in members:
                bar, at = divmod(beat, description.beats_per_bar)
                raise BackbeatError(
                    f"{where}: {word!r} in bar {int(bar) + 1}, beat {at + 1:g} is not "
                    f"a drum; numbers are {', '.join(map(str, sorted(numbers)))}"
                )
            hits.append(Hit(beat, members[number], hand, LOUDNESS[mark]))
    return hits, steps / description.steps_per_beat
