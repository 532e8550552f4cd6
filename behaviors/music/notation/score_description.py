"""The keys of a score file in YAML.

A part is a hold, or bars that are played. Bars come as lines of hands, as tablature,
as a list of hits, or as several of them together.

A line of a hand has one word a step: the number of a drum, `-` for nothing, `|` where
the eye wants a bar line. `3 - 1 -` with two steps a beat is the snare on one beat and
the hi-hat on the next. An accent is `3!`, a ghost note `3?`.
"""

from dataclasses import dataclass

from backbeat.behaviors.music.notation.backing import LONGEST
from backbeat.behaviors.music.notation.count_in import MOST_CLICKS
from backbeat.models.common.schema import key

# Loudest velocity, as in MIDI, and most steps of a line in a beat.
LOUDEST, MOST_STEPS_PER_BEAT = 127, 48
UNPLAYABLE = ("refuse", "drop")


@dataclass
class HitDescription:
    """One hit of a list; `bar` and `beat` are counted from one, within the part."""

    bar: int = key(1, ge=1)
    """Bar of the part, counted from one."""
    beat: float = key(1.0)
    """Quarter note in the bar, counted from one; 2.5 is the eighth after the second."""
    member: str = key("")
    """A member of the kit by name or number, or another piece such as kick."""
    velocity: int = key(90, ge=1, le=LOUDEST)
    """Loudness as in MIDI, 1 to 127."""
    hand: str = key("", choices=("", "left", "right"))
    """"left", "right", or empty to let the program choose."""


@dataclass
class PartDescription:
    """A part of a score as in the YAML: a hold, or bars to play."""

    name: str = key("")
    """Its name in messages and reports."""
    hold: float = key(0.0)
    """Beats of a hold: the hands rest and the torso dances."""
    rest: dict[str, str] = key(dict)
    """Drum that each hand rests on in a hold, by hand."""
    sway: float = key(0.2, "rad")
    """Rotation of the torso to each side in a hold."""
    sway_beats: float = key(2.0)
    """Beats of a full swing of the torso."""
    goto: float = key(0.0)
    """Beats of a goto: the hands are sent to a target, and reach it at its end."""
    to: dict[str, str] = key(dict)
    """Drum that each hand is sent to in a goto, by hand; without a hit, above it."""
    place: dict[str, list[float]] = key(dict, "m")
    """Position of the stick's tip to which each hand is sent: forward, left and up from
    the kit's place on the floor."""
    velocity: int = key(0)
    """Loudness of the hits that a goto ends with, as in MIDI; 0 without hits."""
    left: str = key("")
    """Line of the left hand; empty for a hand that waits."""
    right: str = key("")
    """Line of the right hand."""
    tab: str = key("")
    """Drum tablature; hands are chosen automatically."""
    hits: list[HitDescription] = key(list)
    """List of hits at exact times."""
    bars: int = key(0)
    """Bars of a part that is only a list of hits, 0 for as many as it needs; or bars of
    silence in a part without notes."""
    repeat: int = key(1, ge=1)
    """Number of times the bars are played."""
    steps_per_beat: int = key(0, ge=0, le=MOST_STEPS_PER_BEAT)
    """Steps of a line or a tab per beat; 0 for the score's lines and a tab's bars."""
    bpm: float = key(0.0)
    """Tempo from here on; 0 for no change."""
    end_bpm: float = key(0.0)
    """Tempo at the end of the part, reached linearly; 0 for none."""
    meter: str = key("")
    """Meter from here on, such as "7/8"; empty for no change."""


@dataclass
class Adaptation:
    """What is done to notes so that a kit has them and two hands can play them."""

    map: list[str] = key(list)
    """Meaning of MIDI notes: `22=hi_hat`, the name of a map that ships, or of a file
    beside this one."""
    absent: str = key("drop")
    """Treatment of pieces that the kit lacks: "map", "drop" or "refuse"."""
    mapping: dict[str, str] = key(dict)
    """The same by piece: a member to play instead, "drop" or "refuse"."""
    unplayable: str = key("refuse", choices=UNPLAYABLE)
    """Treatment of hits that two hands cannot play: "refuse" or "drop"."""
    tempo_factor: float = key(1.0, ge=0.1, le=4.0)
    """Factor on all tempos, applied before hands are chosen."""
    grid: int = key(0)
    """Moves hits to the nearest of so many steps of a whole note; 0 leaves them."""
    least_velocity: int = key(1, ge=1, le=LOUDEST)
    """Leaves out softer hits, 1 to 127 as in MIDI."""


@dataclass
class ScoreDescription(Adaptation):
    """Schema of a score file."""

    title: str = key("")
    """Its title in messages and reports."""
    bpm: float = key(98.0, "1/min")
    """Tempo, of quarter notes."""
    beats_per_bar: int = key(4)
    """Quarter notes in a bar."""
    meter: str = key("")
    """Meter such as "7/8"; empty to use `beats_per_bar`."""
    steps_per_beat: int = key(2, ge=1, le=MOST_STEPS_PER_BEAT)
    """Steps of a hand's line per beat."""
    swing: float = key(0.5)
    """Share of a pair of notes before the off-beat, 0.5 to 0.75."""
    swing_note: int = key(8)
    """Which notes swing: 8 or 16."""
    notes: str = key("")
    """A tablature or MIDI file beside this one, in place of parts."""
    backing: str = key("")
    """A WAV file beside this one that plays along."""
    offset: float = key(0.0, "s", ge=-LONGEST, le=LONGEST)
    """Where in the backing the music begins [s]; below 0 it begins before that."""
    count_in: int = key(0, ge=0, le=MOST_CLICKS)
    """Clicks of sticks before the first hold ends, a pulse of the meter apart, heard
    and not played."""
    parts: list[PartDescription] = key(list)
    """Parts, in order of time."""
