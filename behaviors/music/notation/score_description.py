"""The keys of a score file in YAML.

A part is a hold, or bars that are played. Bars come as lines of hands, as tablature,
as a list of hits, or as several of them together.

A line of a hand has one word a step: the number of a drum, `-` for nothing, `|` where
the eye wants a bar line. `3 - 1 -` with two steps a beat is the snare on one beat and
the hi-hat on the next. An accent is `3!`, a ghost note `3?`.
"""

from dataclasses import dataclass, field


@dataclass
class HitDescription:
    """One hit of a list; `bar` and `beat` are counted from one, within the part."""

    bar: int = 1
    # Quarter note in the bar; 2.5 is the eighth after the second.
    beat: float = 1.0
    # A member of the kit by name or number, or another piece such as kick.
    member: str = ""
    # Loudness as in MIDI, 1 to 127.
    velocity: int = 90
    # "left", "right", or empty for whichever is better.
    hand: str = ""


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
    # Beats of a goto: hands are sent somewhere, and are there when they are over.
    goto: float = 0.0
    # Drum that each hand is sent to in a goto, by hand; without a hit, above it.
    to: dict[str, str] = field(default_factory=dict)
    # Place of the stick's tip that each hand is sent to: forward, left and up from the
    # kit's place on the floor [m].
    place: dict[str, list[float]] = field(default_factory=dict)
    # Loudness of the hits that a goto ends with, as in MIDI; 0 without hits.
    velocity: int = 0
    # One line a hand; empty for a hand that waits.
    left: str = ""
    right: str = ""
    # Drum tablature; hands are found.
    tab: str = ""
    # Hits one by one, exactly when they say.
    hits: list[HitDescription] = field(default_factory=list)
    # Bars of a part that is a list of hits alone, 0 for as many as it takes; or bars of
    # silence where there is nothing else.
    bars: int = 0
    # How often the bars are played.
    repeat: int = 1
    # Steps of a line or a tab per beat; 0 for the score's lines and a tab's bars.
    steps_per_beat: int = 0
    # Tempo from here on, and one that it moves to evenly over the part; 0 for none.
    bpm: float = 0.0
    end_bpm: float = 0.0
    # Meter from here on, such as "7/8"; empty for no change.
    meter: str = ""


@dataclass
class Adaptation:
    """What is done to notes so that a kit has them and two hands can play them."""

    # What MIDI notes are meant for: NOTE=TARGET, such as 22=hi_hat, the name of a map
    # that ships, such as roland, or of a file beside this one.
    map: list[str] = field(default_factory=list)
    # What becomes of pieces that the kit lacks: "map", "drop" or "refuse".
    absent: str = "drop"
    # The same by piece: a member to play instead, "drop" or "refuse".
    mapping: dict[str, str] = field(default_factory=dict)
    # What becomes of hits that two hands cannot play: "refuse" or "drop".
    unplayable: str = "refuse"
    # Factor on all tempos, before hands are found.
    tempo_factor: float = 1.0
    # Hits are moved to the nearest of so many steps of a whole note, such as 16; 0
    # leaves them where they are.
    grid: int = 0
    # Hits that are softer are left out, 1 to 127 as in MIDI.
    least_velocity: int = 1


@dataclass
class ScoreDescription(Adaptation):
    """Schema of a score file."""

    title: str = ""
    bpm: float = 98.0
    beats_per_bar: int = 4
    # Meter such as "7/8"; empty for that of `beats_per_bar`.
    meter: str = ""
    # Steps of a hand's line per beat.
    steps_per_beat: int = 2
    # Share of a pair of notes before the off-beat, 0.5 to 0.75, and which notes.
    swing: float = 0.5
    swing_note: int = 8
    # A tablature or MIDI file beside this one, in place of parts.
    notes: str = ""
    # A WAV file beside this one to play along with.
    backing: str = ""
    parts: list[PartDescription] = field(default_factory=list)
