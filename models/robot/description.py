"""The small YAML file beside a URDF that completes a robot's description.

The same schema serves Atlas and a user's own robot. `RobotModel` checks every
name against the URDF.
"""

import logging
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from backbeat.models.actuation.drives import MotorDescription, check_drives
from backbeat.models.actuation.parallel import ParallelDescription
from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.common.outside_file import is_file, is_there
from backbeat.models.common.schema import key
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

    link: str = key("")
    """Link the patch is on."""
    position: list[float] = key([0.0, 0.0, 0.0], "m", length=3)
    """Patch center in the link frame [m]; the patch's z axis points out of the
    supporting surface, x along the length."""
    rpy: list[float] = key([0.0, 0.0, 0.0], "rad", length=3)
    """Roll, pitch, yaw of the patch frame in the link frame."""
    half_length: float = key(0.0, "m", ge=0)
    """Half length of the patch (x)."""
    half_width: float = key(0.0, "m", ge=0)
    """Half width of the patch (y)."""
    limb: list[str] = key(list)
    """Joints of the limb between base and patch, base first; five to seven for a
    leg."""
    stands_for: str = key("")
    """Sole that does not rest as a whole while this contact comes along: that of a foot
    which plays a pedal, and here is its heel."""


@dataclass
class EquipmentDescription:
    """Something the robot can carry, welded on, or more places it can touch with."""

    file: str = key("")
    """Model file, relative to this YAML file; empty for contacts alone."""
    parent: str = key("")
    """Frame of the robot it is welded to."""
    position: list[float] = key([0.0, 0.0, 0.0], "m", length=3)
    """Position of the item's root link in that frame."""
    rpy: list[float] = key([0.0, 0.0, 0.0], "rad", length=3)
    """Its roll, pitch and yaw there."""
    contacts: dict[str, ContactDescription] = key(dict)
    """Contacts that come with it, by name."""


@dataclass
class PostureDescription:
    """A named configuration: joints that are not named are at zero."""

    base: str = key("")
    """Another posture to start from."""
    height: float = key(0.0, "m")
    """Height of the base origin above the ground [m]; zero: soles on the ground."""
    joints: dict[str, float] = key(dict, "rad")
    """Joint angles [rad]; `l_`/`r_` names are taken as written."""


@dataclass
class ServoGains:
    """Joint servo of one joint group: bandwidth and the least inertia at its joints."""

    frequency: float = key(3.0, "Hz")
    """Natural frequency of the position loop [Hz], critically damped."""
    least_inertia: float = key(0.01, "kg m^2")
    """Floor of the joint's own inertia for the gains [kg m^2]: tiny wrists would
    otherwise be too soft to hold anything. Where it is so high that a servo of 1 kHz
    cannot hold its gains, the robot is refused; see
    `backbeat.models.actuation.servo_margin`."""


@dataclass
class BodyPartDescription:
    """A part of the body that people have a word for."""

    frame: str = key("")
    """Its frame, link or contact."""
    limb: str = key("")
    """Joint group that moves it beside the rest of the body; "" if none does."""


@dataclass
class PlaceDescription:
    """A place on or beside the body that people have a word for."""

    link: str = key("")
    """Link it moves with."""
    position: list[float] = key([0.0, 0.0, 0.0], "m", length=3)
    """Place in the link frame [m]; on the left, and mirrored for what is on the
    right."""


@dataclass
class TaskSpaceDescription:
    """What a controller in task space takes where a scenario does not say otherwise."""

    hand: str = key("")
    """Frame that follows targets if a scenario names none."""
    start: str = key("")
    """Initial posture."""


@dataclass
class RobotDescription:
    """Schema of a robot's description beyond its URDF."""

    name: str = key("")
    """Short name."""
    like: str = key("")
    """Robot that ships, or YAML beside this one, to start from; own keys override its
    keys."""
    urdf: str = key("")
    """URDF, or an overlay of one, from this file's folder."""
    base: str = key("")
    """Floating base link."""
    fixed: bool = key(False)
    """Whether the base is fixed to the world instead."""
    trunk: str = key("")
    """Link whose tilt indicates a fall; the base if it is left out."""
    contacts: dict[str, ContactDescription] = key(dict)
    """Patches and points that can carry weight, by name."""
    groups: dict[str, list[str]] = key(dict)
    """Lists of joints, by name."""
    roles: dict[str, list[str]] = key(dict)
    """Functions of joints: lists of joints or groups by [role](robots.md#roles), from
    the base outward; `[]` for none."""
    task_space: TaskSpaceDescription = key(TaskSpaceDescription)
    """Hand and start of `backbeat play --task-space`."""
    mirror_groups: dict[str, str] = key(dict)
    """Pairs of groups that mirror each other, left: right."""
    mirror_flips: list[str] = key(list)
    """Joints whose sign changes when left and right are exchanged."""
    equipment: dict[str, dict[str, EquipmentDescription]] = key(dict)
    """Objects that it can carry, by set and item."""
    postures: dict[str, PostureDescription] = key(dict)
    """Named configurations."""
    locked: dict[str, float] = key(dict, "rad")
    """Joints that do not move, with their position."""
    efforts: dict[str, float] = key(dict, "N m or N")
    """Effort limits of joints that have none in the URDF, and get motors by it."""
    hardware_interface: str = key("")
    """`effort`: all joints take efforts, whatever the URDF says; what that says if it
    is left out."""
    contact_set: str = key("")
    """[Collision shapes](robots.md#collision-shapes): `minimal`, `primitives` or
    `hull`; those of the URDF if it is left out."""
    parts: dict[str, BodyPartDescription] = key(dict)
    """Words of postures for parts of the body."""
    places: dict[str, PlaceDescription] = key(dict)
    """Words of postures for places on it."""
    servo: dict[str, ServoGains] = key(dict)
    """Servo gains by group."""
    armature: dict[str, float] = key(dict)
    """Inertia that [motors](motors.md#electric-motors) add behind their gears, by
    joint, group or role [kg m²]; in place of what the model file says."""
    motors: dict[str, MotorDescription] = key(dict)
    """`stall_torque` [N m] and `top_speed` [rad/s] of motors whose torque falls with
    speed, by joint, group or role."""
    parallel: dict[str, ParallelDescription] = key(dict, "N m")
    """Pairs of joints that [two motors](motors.md#two-motors-for-two-joints) drive
    together, by a name: `joints`, `motor_torques`, `effort` [N m], and if torque falls
    with speed `stall_torque` and `top_speed`."""
    soft_limit_margin: float = key(0.0, "rad", ge=0, lt=1)
    """Minimum distance of the soft limits inside the hard limits."""
    aliases: dict[str, str] = key(dict)
    """Old names of joints that are still accepted, old: new."""

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
    for name in ("name", "urdf", "base"):
        if not getattr(description, name):
            raise BackbeatError(f"{path}: the robot needs a value for {name!r}")
    if not is_file(path.parent / description.urdf):
        raise BackbeatError(f"{path}: no such URDF {description.urdf!r} beside it")
    check_contact_set(description.contact_set)
    check_roles(description.role_joints(), path)
    check_drives(description, path)
    contacts = dict(description.contacts)
    for items in description.equipment.values():
        for name, item in items.items():
            _check_item(path, name, item)
            contacts.update(item.contacts)
    for name, contact in contacts.items():
        sizes = contact.half_length, contact.half_width
        if sizes[1] > 0.0 == sizes[0]:
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
