"""Schema of move files."""

from dataclasses import dataclass

from backbeat.behaviors.dance.vocabulary.move import TRACKS
from backbeat.models.common.schema import key

FEET = ("left", "right", "none")
EXTREMES = ("most", "least", "lands")
# A number, or a sum with parameters of the move, such as "0.1 + 0.5 size".
Amount = float | str


@dataclass
class ParameterDescription:
    """A parameter of a move."""

    min: float = key(0.0)
    """Least value."""
    default: float = key(0.0)
    """Value where a dance gives none."""
    max: float = key(0.0)
    """Greatest value."""
    unit: str = key("")
    """Unit, for messages and tables."""


@dataclass
class StepDescription:
    """A step of a move of the legs."""

    at: float = key(0.0, ge=0, le=1)
    """When the foot leaves the ground, as a share of the move's length."""
    until: float = key(1.0, ge=0, le=1)
    """When it lands, likewise."""
    feet: str = key("", choices=FEET)
    """Feet that stay on the ground: `none` in a jump. It has to be given."""
    to: list[Amount] = key([0.0, 0.0], "m", length=2)
    """How far it goes forward and to its left."""
    turn: Amount = key(0.0, "rad")
    """How far it turns to its left."""
    clearance: Amount = key(0.05, "m")
    """How far the foot is lifted."""
    via: list[list[Amount]] = key(list, "m")
    """Places on its way, forward, left and up from where it starts."""


@dataclass
class MarkerDescription:
    """The instant of a move that falls on the beat."""

    at: float = key(0.0, ge=0, le=1)
    """When it is, as a share of the move's length."""
    what: str = key("")
    """What happens, in a few words."""
    channel: str = key("")
    """Where it shows: a channel of the keyframes, a foot that lands, or its place, such
    as `right foot.x`."""
    extreme: str = key("", choices=EXTREMES)
    """What the channel is then: greatest, least, or a foot that lands. It has to be
    given."""


@dataclass
class MoveFile:
    """Schema of a move."""

    name: str = key("")
    """Name by which dances call it: small letters, digits and `-`."""
    track: str = key("legs", choices=TRACKS)
    """Track on which it stands."""
    summary: str = key("")
    """One line that describes it."""
    parameters: dict[str, ParameterDescription] = key(dict)
    """Parameters by name, each with `min`, `default`, `max` and `unit`."""
    length: Amount = key(4.0, "beats")
    """Length at which it is done once."""
    repeats: bool = key(True)
    """Whether it can be done again and again without a pause; a gesture is done once
    and begins and ends at rest."""
    keyframes: list[dict[str, Amount]] = key(list)
    """Offsets from the start posture by channel, each at a share `at` of the length."""
    steps: list[StepDescription] = key(list)
    """Steps of the feet, in order of time."""
    marker: MarkerDescription | None = key(None)
    """The instant that falls on the beat."""
    entry: list[str] | None = key(None)
    """States from which it can begin: `stand` for the legs, any for other tracks."""
    exit: str = key("")
    """State in which it ends, if that is another one than before."""
    hold: float | None = key(None, ge=0, le=1)
    """Share of the length at which a gesture is held when it is given more beats."""
    apart: dict[str, float] = key(dict)
    """How far arms are taken apart where a robot carries something, by channel."""
