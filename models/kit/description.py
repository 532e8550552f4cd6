"""Kit files: the members of a drum kit, read from YAML and checked.

A kit file says what is different from the kit that it is based on: members that it
names are added or changed key by key, others stay. The whole kit is kept as one text,
which travels with behaviors and runs, for a file may be gone when they are played.
"""

import re
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from backbeat.models.common.errors import BackbeatError, located, shown, unknown_name
from backbeat.models.common.outside_file import is_file, read_text
from backbeat.models.common.yaml_file import parse_yaml, read_tree
from backbeat.models.contact.restitution import struck_material
from backbeat.models.meshing import references
from backbeat.models.urdf.reading.meshes import resolve

FOLDER = Path(__file__).parent
# The kit that is meant when nothing else is said, and a base without members.
USUAL, NOTHING = "drum-kit", "none"
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
}
FEET = ("left", "right")
# Least way of a board from rest to hit [deg].
LEAST_WAY = 3.0
FARTHEST = 5.0  # of a member from the drummer [m]


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
    # Members of the base that it does not have.
    remove: list[str] = field(default_factory=list)
    # Members that it adds, or changes key by key.
    members: dict[str, MemberDescription] = field(default_factory=dict)
    # Seat of a seated drummer.
    chair: ChairDescription = field(default_factory=ChairDescription)


def shipped_kits() -> list[str]:
    """Names of the kits that ship."""
    return sorted(path.stem.replace("_", "-") for path in FOLDER.glob("*.yaml"))


def find_kit(name: str, folder: str | Path) -> Path:
    """Path of a kit: one that ships, or a file.

    Args:
        name: name of a kit that ships, or path of a kit file.
        folder: where paths start.

    Raises:
        BackbeatError: there is neither.
    """
    folder = Path(folder)
    if Path(name).suffix in (".yaml", ".yml"):
        path = folder / name
        if not is_file(path):
            raise BackbeatError(f"no kit file {path}; `kit` is a path from {folder}")
        return path
    if name not in shipped_kits():
        known = [*shipped_kits(), "the path of a kit file, which ends in .yaml"]
        raise unknown_name("kit", name, known)
    return FOLDER / f"{name.replace('-', '_')}.yaml"


def kit_sources(name: str, folder: str | Path) -> list[Path]:
    """Files besides those of Backbeat that a kit is made of."""
    found: list[Path] = []
    while name != NOTHING:
        path = find_kit(name, folder)
        if path.parent == FOLDER or path in found:
            break
        found.append(path)
        name, folder = _description(path)[0].base, path.parent
    return found


def kit_text(name: str, folder: str | Path) -> str:
    """The whole of a kit as text, with all that its bases say; "" for the usual one.

    Raises:
        BackbeatError: a file cannot be read, or says what makes no sense.
    """
    path = find_kit(name, folder)
    if path == find_kit(USUAL, FOLDER):
        return ""
    with located(file=path):
        tree = _whole(path, ())
        _number(tree["members"])
        text = yaml.safe_dump(tree, sort_keys=False, default_flow_style=None)
        _check(parse_yaml(KitDescription, text, str(path)), str(path))
    return str(text)


@lru_cache(maxsize=16)
def parse_kit(text: str) -> KitDescription:
    """The kit of a text of `kit_text`; not to be changed by who asks.

    Raises:
        BackbeatError: it is none.
    """
    if not text:
        return _description(find_kit(USUAL, FOLDER))[0]
    description = parse_yaml(KitDescription, text, "the kit of the scene")
    _check(description, "the kit of the scene")
    return description


def _description(path: Path) -> tuple[KitDescription, dict[str, Any]]:
    """A kit file and its plain data, as they stand."""
    text = read_text(path)
    description = parse_yaml(KitDescription, text, str(path))
    tree = read_tree(text, str(path))
    # What Drake's reader takes for a mapping may be nothing at all.
    for key in ("members", "chair"):
        tree[key] = tree.get(key) or {}
    return description, tree


def _whole(path: Path, above: tuple[Path, ...]) -> dict[str, Any]:
    """Plain data of a kit with its bases; members are complete but for what is usual.

    Args:
        path: of the kit.
        above: kits that are based on it.
    """
    if path.resolve() in above:
        raise BackbeatError(f"{path}: is based on itself; change `base` of one of both")
    description, tree = _description(path)
    base: dict[str, Any] = {"members": {}, "chair": {}}
    if description.base != NOTHING and path != find_kit(USUAL, FOLDER):
        under = find_kit(description.base, path.parent)
        with located(file=under):
            base = _whole(under, (*above, path.resolve()))
    members = base["members"]
    for name in description.remove:
        if name not in members:
            raise unknown_name(f"member to remove in {path}", name, members)
        del members[name]
    for name, keys in tree["members"].items():
        own = dict(keys or {})
        if name not in members and not {"place", "notes"} <= set(own):
            raise BackbeatError(
                f"{path}: the member {str(name)[:40]!r} is new; give its place [m] and "
                "its notes, MIDI note numbers such as 36 for a kick"
            )
        if own.get("mesh"):
            own["mesh"] = str(_mesh_of(path, str(name), str(own["mesh"])))
        before = members.get(name, {})
        if isinstance(own.get("pedal"), dict) and before.get("pedal"):
            own["pedal"] = before["pedal"] | own["pedal"]
        members[name] = before | own
    return {
        "name": description.name or path.stem,
        "base": NOTHING,
        "members": members,
        "chair": base["chair"] | tree["chair"],
    }


def _number(members: dict[str, dict[str, Any]]) -> None:
    """Gives members without a number the next that is free."""
    taken = {m.get("number", 0) for m in members.values()}
    free = iter(n for n in range(1, len(members) + len(taken) + 1) if n not in taken)
    for member in members.values():
        if not member.get("number", 0):
            member["number"] = next(free)


def _check(kit: KitDescription, where: str) -> None:
    """Refuses a whole kit that makes no sense.

    Raises:
        BackbeatError: the first thing, and what it may be.
    """
    if not 1 <= len(kit.members) <= MOST_MEMBERS:
        raise BackbeatError(
            f"{where}: a kit has 1 to {MOST_MEMBERS} members, not {len(kit.members)}"
        )
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
    for key, low, high in (("radius", 0.05, 0.5), ("height", 0.3, 0.9)):
        _check_range(getattr(kit.chair, key), key, (low, high), f"{where}: chair")


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


def _mesh_of(kit: Path, member: str, mesh: str) -> Path:
    """The file of a mesh that a kit file names.

    As with robots, it lies beside or below the file or in a package that the user has
    named, and so does all that it refers to: a kit of somebody else could carry a file
    of the user's into a recording that is shared.
    """
    found = resolve(mesh, kit)
    where = f"{kit}: the mesh {shown(mesh)} of {member[:40]}"
    if found.path is None:
        raise BackbeatError(f"{where} is not read: {found.problem}; {found.remedy}")
    if is_file(found.path) and (wrong := references.problem(found.path)):
        raise BackbeatError(f"{where} is not read: {wrong}")
    return found.path.resolve()


def _check_pedal(pedal: PedalDescription, where: str) -> None:
    if pedal.foot not in FEET:
        raise unknown_name(f"foot in {where}", pedal.foot, FEET)
    _check_place(pedal.heel, where, "heel")
    if pedal.heel[2] != 0.0:
        raise BackbeatError(f"{where}: heel is {pedal.heel}; heels rest on the floor")
    for key, bounds in PEDAL_RANGES.items():
        _check_range(getattr(pedal, key), key, bounds, where)
    if pedal.rest_deg - pedal.hit_deg < LEAST_WAY:
        raise BackbeatError(
            f"{where}: goes from {pedal.rest_deg:g} to {pedal.hit_deg:g} degrees; "
            f"rest_deg is at least {LEAST_WAY:g} above hit_deg"
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
