"""The schema of kit files, and what members of a kit may be."""

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.common.outside_file import is_file
from backbeat.models.contact.restitution import struck_material

# The kit that is meant when nothing else is said.
USUAL = "drum-kit"
KINDS = ("drum", "cymbal", "pad")
# How members may sound; empty for what their kind, name and size suggest.
SOUNDS = ("", "kick", "snare", "tom", "hi_hat", "ride", "crash", "cowbell", "block")
# Endings of meshes that the stage can show.
MESHES = (".gltf", ".glb", ".obj")
MOST_MEMBERS = 32
# Names that bodies of the scene have already.
TAKEN = ("chair", "world")
# Least and most of what a member may have: sizes [m], degrees, [N/m], shares.
RANGES = {
    "radius": (0.02, 1.0),
    "depth": (0.002, 1.5),
    "tilt_deg": (-90.0, 90.0),
    "stiffness": (1e3, 1e6),
    "restitution": (0.02, 0.95),
}
# The same of a pedal: angles [deg], length [m], ratio, [N m], [N m/rad].
PEDAL_RANGES = {
    "rest_deg": (4.0, 30.0),
    "hit_deg": (3.0, 25.0),
    "arm": (0.05, 0.5),
    "gear": (0.5, 5.0),
    "lift": (0.5, 8.0),
    "stiffness": (0.0, 40.0),
    "width": (0.04, 0.4),
}
FEET = ("left", "right")
# Least way of a board from rest to hit [deg].
LEAST_TRAVEL = 3.0
FARTHEST = 5.0  # of a member from the drummer [m]
LONGEST = 0.6  # way from the heel to the end of a board [m]
SCALES = (0.2, 5.0)  # factors on lengths of a kit


@dataclass
class PedalDescription:
    """A pedal: a board under a foot, and a beater that it swings at the member.

    Board and beater are hinged, and a chain couples their angles.
    """

    # The foot that plays it: "left" or "right".
    foot: str = "right"
    # Where the heel rests on the floor and the board is hinged, in the kit's axes [m].
    heel: list[float] = field(default_factory=lambda: [0.324, -0.14, 0.0])
    # Angle of the board over the floor at rest,
    rest_deg: float = 18.0
    # and when the beater touches [deg].
    hit_deg: float = 5.0
    # Length of the beater's arm [m].
    arm: float = 0.2
    # Turns of the arm per turn of the board.
    gear: float = 2.3
    # Torque on the board that lifts it at rest [N m],
    lift: float = 2.0
    # and how it grows as the board goes down [N m/rad].
    stiffness: float = 8.0
    # Where the board begins and ends from its hinge, for heels rest on the floor [m],
    board: list[float] = field(default_factory=lambda: [0.13, 0.31])
    # and how wide it is, at least as the sole [m].
    width: float = 0.15


@dataclass
class MemberDescription:
    """One member of the kit, as in the YAML file."""

    # Number in the drummers' numbering; 0 for the next that is free.
    number: int = 0
    # "drum", "cymbal" or "pad".
    kind: str = "drum"
    # Strike point, from the point on the floor under the pelvis: ahead, left, up [m].
    place: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])
    # Radius of the strike surface [m],
    radius: float = 0.15
    # and depth under it [m].
    depth: float = 0.1
    # Tilt towards the player [deg]; 90 for a head that faces him.
    tilt_deg: float = 0.0
    # General MIDI note numbers, the first of which is written.
    notes: list[int] = field(default_factory=list)
    # Of the surface under a tip [N/m].
    stiffness: float = 1e5
    # Share of its speed that a tip has after it was dropped there, on a free stick.
    restitution: float = 0.35
    # How it looks: a glTF or OBJ file, from the folder of this file, with its origin at
    # the strike point and z along the normal; empty for a shape that is drawn from kind
    # and size.
    mesh: str = ""
    # How it sounds: kick, snare, tom, hi_hat, ride, crash, cowbell or block; empty for
    # what kind, name and size suggest.
    sound: str = ""
    # What a foot plays it with; without one hands do.
    pedal: PedalDescription | None = None


@dataclass
class ChairDescription:
    """The drummer's chair."""

    # On the floor under its middle [m].
    place: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])
    # Radius of its seat [m],
    radius: float = 0.17
    # and height of its top [m].
    height: float = 0.5


@dataclass
class KitDescription:
    """Schema of a kit file."""

    # What people call it.
    name: str = ""
    # The kit that it changes: one that ships, a kit file from the folder of this one,
    # or none.
    base: str = USUAL
    # Factor on all lengths of this file and its bases; what is under a tip stays.
    scale: float = 1.0
    # Members of the base that it does not have.
    remove: list[str] = field(default_factory=list)
    # Members that it adds, or changes key by key.
    members: dict[str, MemberDescription] = field(default_factory=dict)
    # Seat of a seated drummer.
    chair: ChairDescription = field(default_factory=ChairDescription)


def check_kit(kit: KitDescription, where: str) -> None:
    """Refuses a whole kit that makes no sense.

    Raises:
        BackbeatError: the first thing, and what it may be.
    """
    if not 1 <= len(kit.members) <= MOST_MEMBERS:
        raise BackbeatError(
            f"{where}: a kit has 1 to {MOST_MEMBERS} members, not {len(kit.members)}"
        )
    check_kit_scale(kit.scale, where)
    numbers: dict[int, str] = {}
    feet: dict[str, str] = {}
    for name, member in kit.members.items():
        if not re.fullmatch(r"[a-z][a-z0-9_]{0,39}", name) or name in TAKEN:
            raise BackbeatError(
                f"{where}: a member is called {name[:40]!r}; take up to 40 lower-case "
                f"letters, digits and _, and none of {', '.join(TAKEN)}"
            )
        _check_member(member, f"{where}: {name}")
        other = numbers.setdefault(member.number, name)
        if other != name:
            raise BackbeatError(
                f"{where}: {other} and {name} both have number {member.number}; leave "
                "one out, and it gets the next that is free"
            )
        if member.pedal is not None:
            other = feet.setdefault(member.pedal.foot, name)
            if other != name:
                raise BackbeatError(
                    f"{where}: {other} and {name} both have a pedal for the "
                    f"{member.pedal.foot} foot; a foot has one"
                )
    _check_place(kit.chair.place, f"{where}: chair")
    for key, low, high in (("radius", 0.05, 0.5), ("height", 0.15, 0.9)):
        _check_range(getattr(kit.chair, key), key, (low, high), f"{where}: chair")


def check_kit_scale(scale: float, where: str) -> None:
    """Refuses a factor on the lengths of a kit that makes no sense.

    Raises:
        BackbeatError: it is out of `SCALES`.
    """
    _check_range(scale, "scale", SCALES, where)


def _check_member(member: MemberDescription, where: str) -> None:
    if member.kind not in KINDS:
        raise unknown_name(f"kind in {where}", member.kind, KINDS)
    if member.sound not in SOUNDS:
        raise unknown_name(f"sound in {where}", member.sound, SOUNDS[1:])
    if not 1 <= member.number <= 999:
        raise BackbeatError(f"{where}: number is {member.number}; it is 1 to 999")
    _check_place(member.place, where)
    for key, bounds in RANGES.items():
        _check_range(getattr(member, key), key, bounds, where)
    if not member.notes or any(not 0 <= n <= 127 for n in member.notes):
        raise BackbeatError(
            f"{where}: notes is {member.notes}; give one MIDI note number or more, 0 "
            "to 127, such as 36 for a kick or 38 for a snare"
        )
    try:
        struck_material(member.stiffness, member.restitution)
    except BackbeatError as error:
        raise BackbeatError(f"{where}: {error}") from None
    if member.pedal is not None:
        _check_pedal(member.pedal, f"{where}: pedal")
    if member.mesh and Path(member.mesh).suffix.lower() not in MESHES:
        raise BackbeatError(
            f"{where}: mesh is {member.mesh[:200]!r}; a mesh ends in "
            f"{', '.join(MESHES)}"
        )
    if member.mesh and not is_file(Path(member.mesh)):
        raise BackbeatError(
            f"{where}: there is no mesh {member.mesh}; leave it out for a drawn shape"
        )


def _check_pedal(pedal: PedalDescription, where: str) -> None:
    if pedal.foot not in FEET:
        raise unknown_name(f"foot in {where}", pedal.foot, FEET)
    _check_place(pedal.heel, where, "heel")
    if pedal.heel[2] != 0.0:
        raise BackbeatError(f"{where}: heel is {pedal.heel}; heels rest on the floor")
    for key, bounds in PEDAL_RANGES.items():
        _check_range(getattr(pedal, key), key, bounds, where)
    if len(pedal.board) != 2 or not 0.0 <= pedal.board[0] < pedal.board[1] <= LONGEST:
        raise BackbeatError(
            f"{where}: board is {pedal.board}; give where it begins and ends from the "
            f"heel in meters, up to {LONGEST:g}"
        )
    if pedal.rest_deg - pedal.hit_deg < LEAST_TRAVEL:
        raise BackbeatError(
            f"{where}: goes from {pedal.rest_deg:g} to {pedal.hit_deg:g} degrees; "
            f"rest_deg is at least {LEAST_TRAVEL:g} above hit_deg"
        )


def _check_place(place: list[float], where: str, key: str = "place") -> None:
    if len(place) != 3 or not np.all(np.abs(place) <= FARTHEST):
        raise BackbeatError(
            f"{where}: {key} is {place}; give ahead, left and up in meters, each up to "
            f"{FARTHEST:g}"
        )


def _check_range(
    value: float, key: str, bounds: tuple[float, float], where: str
) -> None:
    low, high = bounds
    if not low <= value <= high:
        raise BackbeatError(f"{where}: {key} is {value:g}; it is {low:g} to {high:g}")
