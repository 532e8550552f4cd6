"""The schema of kit files, and what members of a kit may be."""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.outside_file import is_file
from backbeat.models.common.schema import check_values, key
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

    foot: str = key("right", choices=FEET)
    """The foot that plays it: `left` or `right`."""
    heel: list[float] = key([0.324, -0.14, 0.0], "m", length=3)
    """Position of the heel on the floor, where the board is hinged, in the kit's
    axes."""
    rest_deg: float = key(18.0, "deg", ge=4.0, le=30.0)
    """Angle of the board over the floor at rest."""
    hit_deg: float = key(5.0, "deg", ge=3.0, le=25.0)
    """Angle of the board when the beater touches."""
    arm: float = key(0.2, "m", ge=0.05, le=0.5)
    """Length of the beater's arm."""
    gear: float = key(2.3, ge=0.5, le=5.0)
    """Rotation of the arm per rotation of the board."""
    lift: float = key(2.0, "N m", ge=0.5, le=8.0)
    """Torque on the board that lifts it at rest."""
    stiffness: float = key(8.0, "N m/rad", ge=0.0, le=40.0)
    """Increase of that torque as the board goes down."""
    board: list[float] = key([0.13, 0.31], "m", length=2)
    """Where the board begins and ends from the heel."""
    width: float = key(0.15, "m", ge=0.04, le=0.4)
    """Width of the board, at least that of the sole."""


@dataclass
class MemberDescription:
    """One member of the kit, as in the YAML file."""

    number: int = key(0, ge=0, le=999)
    """Its number in scores; 0 for the next free one."""
    kind: str = key("drum", choices=KINDS)
    """`drum`, `cymbal` or `pad`."""
    place: list[float] = key([0.0, 0.0, 0.0], "m", length=3)
    """Strike point, from the point on the floor under the pelvis: ahead, left, up."""
    radius: float = key(0.15, "m", ge=0.02, le=1.0)
    """Radius of the strike surface."""
    depth: float = key(0.1, "m", ge=0.002, le=1.5)
    """Depth under the strike surface."""
    tilt_deg: float = key(0.0, "deg", ge=-90.0, le=90.0)
    """Tilt towards the player [deg]; 90 for a head that faces the player."""
    notes: list[int] = key(list)
    """General MIDI note numbers, the first of which is written."""
    stiffness: float = key(1e5, "N/m", ge=1e3, le=1e6)
    """Stiffness of the surface under a tip."""
    restitution: float = key(0.35, ge=0.02, le=0.95)
    """Share of its speed that a tip keeps after being dropped there, on a free
    stick."""
    mesh: str = key("")
    """Visual shape: a glTF or OBJ file, from the folder of this file, with its origin
    at the strike point and z along the normal; empty for a shape that is drawn from
    kind and size."""
    sound: str = key("", choices=SOUNDS)
    """Sound: `kick`, `snare`, `tom`, `hi_hat`, `ride`, `crash`, `cowbell` or `block`;
    empty for the one that suits kind, name and size."""
    pedal: PedalDescription | None = key(None)
    """Pedal with which a foot plays it, see below; without one the hands play it."""


@dataclass
class ChairDescription:
    """The drummer's chair."""

    place: list[float] = key([0.0, 0.0, 0.0], "m", length=3)
    """Point on the floor under its middle."""
    radius: float = key(0.17, "m", ge=0.05, le=0.5)
    """Radius of its seat."""
    height: float = key(0.5, "m", ge=0.15, le=0.9)
    """Height of its top."""


@dataclass
class KitDescription:
    """Schema of a kit file."""

    name: str = key("")
    """Its name in messages and reports."""
    base: str = key(USUAL)
    """The kit that it changes: one that ships, a kit file from the folder of this one,
    or `none`."""
    scale: float = key(1.0, ge=SCALES[0], le=SCALES[1])
    """Factor on all lengths of this file and of its bases: places, sizes, pedals,
    chair; what is under a tip stays."""
    remove: list[str] = key(list)
    """Members of the base to leave out."""
    members: dict[str, MemberDescription] = key(dict)
    """Members that it adds, or changes key by key, by name."""
    chair: ChairDescription = key(ChairDescription)
    """Seat of a seated drummer, see below."""


def check_kit(kit: KitDescription, where: str) -> None:
    """Refuses a whole kit that makes no sense.

    Raises:
        BackbeatError: the first thing, and what it may be.
    """
    if not 1 <= len(kit.members) <= MOST_MEMBERS:
        raise BackbeatError(
            f"{where}: a kit has 1 to {MOST_MEMBERS} members, not {len(kit.members)}"
        )
    check_values(kit, where)
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


def _check_member(member: MemberDescription, where: str) -> None:
    if not member.number:
        raise BackbeatError(f"{where}: number is {member.number}; it is 1 to 999")
    _check_place(member.place, where)
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
    _check_place(pedal.heel, where, "heel")
    if pedal.heel[2] != 0.0:
        raise BackbeatError(f"{where}: heel is {pedal.heel}; heels rest on the floor")
    if not 0.0 <= pedal.board[0] < pedal.board[1] <= LONGEST:
        raise BackbeatError(
            f"{where}: board is {pedal.board}; give where it begins and ends from the "
            f"heel in meters, up to {LONGEST:g}"
        )
    if pedal.rest_deg - pedal.hit_deg < LEAST_TRAVEL:
        raise BackbeatError(
            f"{where}: goes from {pedal.rest_deg:g} to {pedal.hit_deg:g} degrees; "
            f"rest_deg is at least {LEAST_TRAVEL:g} above hit_deg"
        )


def _check_place(place: list[float], where: str, name: str = "place") -> None:
    if not np.all(np.abs(place) <= FARTHEST):
        raise BackbeatError(
            f"{where}: {name} is {place}; give ahead, left and up in meters, each up "
            f"to {FARTHEST:g}"
        )
