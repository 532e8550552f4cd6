"""The small YAML file beside a URDF that completes a robot's description.

The same schema serves Atlas and a user's own robot. Fields are plain and
mutable because `yaml_load_typed` fills them; `RobotModel` checks every name
against the URDF.
"""

import logging
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache, lru_cache
from math import isfinite
from pathlib import Path

from backbeat.models.actuation.drives import MotorDescription, check_drives
from backbeat.models.actuation.parallel import ParallelDescription
from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.common.outside_file import is_file, is_there
from backbeat.models.common.yaml_file import parse_yaml
from backbeat.models.robot.inheritance import Stamp, lineage, merged_text, stamp
from backbeat.models.robot.roles import check_roles, joints_by_role, opposed_joints
from backbeat.models.urdf.checks.inertia import refuse_impossible_bodies
from backbeat.models.urdf.loading.contact_sets import check_contact_set
from backbeat.models.urdf.overlay.file import made_from
from backbeat.models.urdf.overlay.made_description import made_description


@dataclass
class ContactDescription:
    """A flat patch of the robot that touches the world.

    With zero half sizes the patch is a point and carries a pure force; with a half
    length alone it is a line, which bears no moment about itself.
    """

    # Link the patch is on.
    link: str = ""
    # Patch center in the link frame [m]; the patch's z axis points out of the
    # supporting surface, x along the length.
    position: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])
    # Roll, pitch, yaw of the patch frame in the link frame [rad].
    rpy: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])
    # Half length (x) and half width (y) of the patch [m].
    half_length: float = 0.0
    half_width: float = 0.0
    # Joints of the limb between base and patch, base first; five to seven for a leg.
    limb: list[str] = field(default_factory=list)
    # Sole that does not rest as a whole while this contact comes along: that of a foot
    # which plays a pedal, and here is its heel.
    stands_for: str = ""


@dataclass
class EquipmentDescription:
    """Something the robot can carry, welded on, or more places it can touch with."""

    # Model file, relative to this YAML file; empty for contacts alone.
    file: str = ""
    # Frame of the robot it is welded to.
    parent: str = ""
    # Pose of the item's root link in that frame: position [m], rpy [rad].
    position: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])
    rpy: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])
    # Contacts that come with it, by name.
    contacts: dict[str, ContactDescription] = field(default_factory=dict)


@dataclass
class PostureDescription:
    """A named configuration: joints that are not named are at zero."""

    # Another posture to start from.
    base: str = ""
    # Height of the base origin above the ground [m]; zero: soles on the ground.
    height: float = 0.0
    # Joint angles [rad]; `l_`/`r_` names are taken as written.
    joints: dict[str, float] = field(default_factory=dict)


@dataclass
class ServoGains:
    """Joint servo of one joint group: bandwidth and the least inertia at its joints."""

    # Natural frequency of the position loop [Hz], critically damped.
    frequency: float = 3.0
    # Floor of the joint's own inertia for the gains [kg m^2]: tiny wrists would
    # otherwise be too soft to hold anything. Where it is so high that a servo of 1 kHz
    # cannot hold its gains, the robot is refused; see
    # `backbeat.models.actuation.servo_margin`.
    least_inertia: float = 0.01


@dataclass
class BodyPartDescription:
    """A part of the body that people have a word for."""

    # Its frame, link or contact.
    frame: str = ""
    # Joint group that moves it beside the rest of the body; "" if none does.
    limb: str = ""


@dataclass
class PlaceDescription:
    """A place on or beside the body that people have a word for."""

    # Link it moves with.
    link: str = ""
    # Place in the link frame [m]; on the left, and mirrored for what is on the right.
    position: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])


@dataclass
class TaskSpaceDescription:
    """What a controller in task space takes where a scenario does not say otherwise."""

    # Frame that is the hand; "" if the robot has none.
    hand: str = ""
    # Posture at the start.
    start: str = ""


@dataclass
class RobotDescription:
    """Schema of a robot's description beyond its URDF."""

    # Short name used on the command line.
    name: str = ""
    # Robot that ships, or YAML beside this one, to start from: what follows is on top.
    like: str = ""
    # URDF, or an overlay of one, relative to this YAML file.
    urdf: str = ""
    # Link that floats.
    base: str = ""
    # Whether that link is fixed to the world's origin instead: an arm on its stand.
    fixed: bool = False
    # Link whose tilt indicates a fall.
    trunk: str = ""
    # Patches that can carry weight, by name.
    contacts: dict[str, ContactDescription] = field(default_factory=dict)
    # Joint groups by name.
    groups: dict[str, list[str]] = field(default_factory=dict)
    # Joints or groups by role, see `backbeat.models.robot.roles`; [] for none, and a
    # minus before a joint that turns the other way.
    roles: dict[str, list[str]] = field(default_factory=dict)
    # Hand and start in task space.
    task_space: TaskSpaceDescription = field(default_factory=TaskSpaceDescription)
    # Pairs of groups that mirror each other.
    mirror_groups: dict[str, str] = field(default_factory=dict)
    # Joints whose sign flips when left and right are exchanged.
    mirror_flips: list[str] = field(default_factory=list)
    # Items that can be welded on, by set name and then item name.
    equipment: dict[str, dict[str, EquipmentDescription]] = field(default_factory=dict)
    # Named configurations.
    postures: dict[str, PostureDescription] = field(default_factory=dict)
    # Joints that stay where they are, and where [rad]: fingers, say.
    locked: dict[str, float] = field(default_factory=dict)
    # Effort limits of joints that have none in the URDF, and get motors by it, by name
    # [N m or N].
    efforts: dict[str, float] = field(default_factory=dict)
    # What all joints are told, whatever hardware interfaces the URDF has: "effort"; ""
    # for what these say.
    hardware_interface: str = ""
    # What of it touches: minimal, primitives or hull; "" for what the URDF says.
    contact_set: str = ""
    # Words for postures: parts of the body and places on it, by name.
    parts: dict[str, BodyPartDescription] = field(default_factory=dict)
    places: dict[str, PlaceDescription] = field(default_factory=dict)
    # Servo gains by group name.
    servo: dict[str, ServoGains] = field(default_factory=dict)
    # Inertia that motors add behind their gears, by joint, group or role [kg m^2]; in
    # place of what the model file says.
    armature: dict[str, float] = field(default_factory=dict)
    # Torque over speed of motors, by joint, group or role.
    motors: dict[str, MotorDescription] = field(default_factory=dict)
    # Pairs of joints that two motors drive together, by a name.
    parallel: dict[str, ParallelDescription] = field(default_factory=dict)
    # How far inside the hard limits soft ones lie at least, wherever the URDF has them
    # [rad or m]; 0 leaves them there.
    soft_limit_margin: float = 0.0
    # Old joint names that are still accepted, old: new.
    aliases: dict[str, str] = field(default_factory=dict)

    def contacts_with(self, equipment: Sequence[str]) -> dict[str, ContactDescription]:
        """Contacts of the robot and of what it carries, by name."""
        contacts = dict(self.contacts)
        for name in equipment:
            for item in self.equipment[name].values():
                contacts.update(item.contacts)
        return contacts

    def role_joints(self) -> dict[str, tuple[str, ...]]:
        """Names of joints by role, from the base outward."""
        return joints_by_role(self.roles, self.groups)

    def opposed_joints(self) -> frozenset[str]:
        """Joints that turn the other way than their roles."""
        return opposed_joints(self.roles)

    def posture_angles(self, name: str) -> dict[str, float]:
        """Joint angles of a named posture [rad], with its base postures resolved.

        Raises:
            BackbeatError: no such posture, or it is its own base.
        """
        chain: list[str] = []
        while name or not chain:  # an empty base ends the chain, an empty name is none
            if name not in self.postures:
                raise unknown_name("posture", name, self.postures)
            if name in chain:
                raise BackbeatError(f"posture {name!r} is its own base")
            chain.append(name)
            name = self.postures[name].base
        angles: dict[str, float] = {}
        for link in reversed(chain):
            angles.update(self.postures[link].joints)
        return angles

    def twins(self) -> dict[str, str]:
        """The joint on the other side, by joint of a group that mirrors another."""
        twin = {}
        for left, right in self.mirror_groups.items():
            pairs = zip(self.groups[left], self.groups[right], strict=True)
            for a, b in pairs:
                twin[a], twin[b] = b, a
        return twin


_HERE = Path(__file__).parents[1] / "robots"
# Every YAML in a folder of a robot is one; overlays of URDFs lie beside them.
SHIPPED = {
    path.stem: path
    for path in sorted(_HERE.glob("*/*.yaml"))
    if not path.name.endswith(".overlay.yaml")
}


def find_description(robot: str | Path) -> Path:
    """Path of a robot's YAML: a shipped name or a file of the user's.

    Raises:
        BackbeatError: neither a shipped robot nor an existing file.
    """
    if str(robot) in SHIPPED:
        return SHIPPED[str(robot)]
    path = Path(robot)
    if path.suffix in (".yaml", ".yml") and is_there(path):
        return path
    known = ", ".join(sorted(SHIPPED))
    raise BackbeatError(
        f"unknown robot {str(robot)!r}; known: {known}, or the path of a robot YAML"
    )


def load_description(path: str | Path) -> RobotDescription:
    """Loads a robot YAML and checks what can be checked without the URDF.

    Raises:
        BackbeatError: the file cannot be read, or says what makes no sense; or its
            URDF has a link that no body can be.
    """
    path = Path(path)
    paths = lineage(path, SHIPPED)
    description = deepcopy(_loaded(paths, tuple(map(stamp, paths))))
    urdf = made_description(path.parent / description.urdf)
    if urdf != path.parent / description.urdf:
        description.urdf = str(urdf.resolve())
    _check_bodies(stamp(urdf))
    return description


def robot_files(path: str | Path) -> tuple[Path, ...]:
    """All YAMLs and model files that describe a robot."""
    path = Path(path)
    paths = lineage(path, SHIPPED)
    description = _loaded(paths, tuple(map(stamp, paths)))
    items = [i for s in description.equipment.values() for i in s.values() if i.file]
    others = dict.fromkeys(path.parent / item.file for item in items)
    return (*paths, *made_from(path.parent / description.urdf), *others)


def robot_stamps(path: str | Path) -> tuple[Stamp, ...]:
    """Stamps by which changes of a robot's YAML and its model files are noticed."""
    return tuple(map(stamp, robot_files(path)))


@cache
def tell_new_name(old: str, new: str) -> None:
    """Says, once, that a joint has another name now."""
    logging.getLogger(__name__).warning("the joint %r is called %r now", old, new)


@lru_cache(maxsize=8)
def _check_bodies(urdf: Stamp) -> None:
    """Checks the links of a URDF as it is at its last change."""
    path = Path(urdf[0])
    if path.suffix == ".urdf":
        refuse_impossible_bodies(path)


@lru_cache(maxsize=8)
def _loaded(paths: tuple[Path, ...], _stamps: tuple[Stamp, ...]) -> RobotDescription:
    """A robot YAML as it is at its last change; a build reads it a dozen times."""
    path = paths[0]
    description = parse_yaml(RobotDescription, merged_text(paths), str(path))
    for key in ("name", "urdf", "base"):
        if not getattr(description, key):
            raise BackbeatError(f"{path}: the robot needs a value for {key!r}")
    if not is_file(path.parent / description.urdf):
        raise BackbeatError(f"{path}: no such URDF {description.urdf!r} beside it")
    check_contact_set(description.contact_set)
    check_roles(description.role_joints(), path)
    check_drives(description, path)
    if not 0 <= description.soft_limit_margin < 1:
        raise BackbeatError(
            f"{path}: soft_limit_margin is {description.soft_limit_margin:g}; it must "
            "be from 0 to 1 rad"
        )
    for name, place in description.places.items():
        _check_pose(path, name, place.position, [0.0, 0.0, 0.0])
    contacts = dict(description.contacts)
    for items in description.equipment.values():
        for name, item in items.items():
            _check_pose(path, name, item.position, item.rpy)
            _check_item(path, name, item)
            contacts.update(item.contacts)
    for name, contact in contacts.items():
        _check_pose(path, name, contact.position, contact.rpy)
        sizes = contact.half_length, contact.half_width
        if not (sizes == (0.0, 0.0) or (sizes[0] > 0.0 and sizes[1] >= 0.0)):
            raise BackbeatError(
                f"{path}: contact {name!r} needs half_length and half_width > 0 for a "
                "patch, a half_length alone for a line, or both 0 for a point"
            )
    return description


def _check_item(path: Path, name: str, item: EquipmentDescription) -> None:
    if item.file:
        if not is_file(path.parent / item.file):
            raise BackbeatError(f"{path}: no such file {item.file!r} for {name!r}")
        return
    if not item.contacts:
        raise BackbeatError(f"{path}: {name!r} needs a file or contacts")
    if item.parent or any(item.position) or any(item.rpy):
        raise BackbeatError(f"{path}: {name!r} has a place but no file to put there")


def _check_pose(path: Path, name: str, position: list[float], rpy: list[float]) -> None:
    for key, value in (("position", position), ("rpy", rpy)):
        if len(value) != 3 or not all(map(isfinite, value)):
            raise BackbeatError(f"{path}: {key} of {name!r} needs three numbers")
