"""Overlay: a small YAML that changes a description and leaves its file alone."""

import math
from dataclasses import dataclass, field
from pathlib import Path

from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.yaml_file import load_yaml
from backbeat.models.urdf.checks.inertia import is_of_a_body
from backbeat.models.urdf.reading.description import INERTIA


@dataclass
class LinkChange:
    """New mass properties of a link; empty lists and nan leave what is there."""

    # Mass [kg], or a factor on what it is. Inertia goes along in proportion.
    mass: float = math.nan
    mass_factor: float = 1.0
    # Center of mass in the link frame [m], or a shift of it.
    center_of_mass: list[float] = field(default_factory=list)
    center_of_mass_shift: list[float] = field(default_factory=list)
    # ixx, ixy, ixz, iyy, iyz, izz about the center of mass [kg m^2], as they will be.
    inertia: list[float] = field(default_factory=list)
    # What of it touches, in place of the robot's `collisions`; see there.
    collisions: str = ""


@dataclass
class SafetyChange:
    """New values of a joint's safety controller, which is made if there is none."""

    # Where velocity bounds are zero [rad or m]; see
    # `backbeat.models.actuation.safety_law`.
    soft_lower: float = math.nan
    soft_upper: float = math.nan
    # Velocity per distance [1/s], effort per velocity [N m s/rad or N s/m].
    k_position: float = math.nan
    k_velocity: float = math.nan


@dataclass
class JointChange:
    """New values of a joint; nan leaves what is there."""

    type: str = ""
    lower: float = math.nan
    upper: float = math.nan
    effort: float = math.nan
    velocity: float = math.nan
    effort_factor: float = 1.0
    damping: float = math.nan
    friction: float = math.nan
    safety_controller: SafetyChange = field(default_factory=SafetyChange)


@dataclass
class AddedBody:
    """A box that is welded to a link, such as a battery pack."""

    link: str = ""
    mass: float = 0.0
    # Edges along x, y and z [m]; the box is solid and alike throughout.
    size: list[float] = field(default_factory=list)
    # Pose of its center in the link: position [m], rpy [rad].
    position: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])
    rpy: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])
    # Whether it can be touched.
    collision: bool = True


@dataclass
class Attachment:
    """Another description whose root is welded to a link, such as a hand or a head."""

    # URDF, relative to this file.
    file: str = ""
    link: str = ""
    position: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])
    rpy: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])
    # Put before every name in it, so that two of a kind can be attached.
    prefix: str = ""


@dataclass
class Overlay:
    """Changes of a description, made in the order of the fields."""

    # The description that is changed, or an overlay of one, relative to this file.
    urdf: str = ""
    # Name of the robot that results; "" keeps it.
    name: str = ""
    # Links that are taken away with all that hangs on them.
    remove: list[str] = field(default_factory=list)
    links: dict[str, LinkChange] = field(default_factory=dict)
    joints: dict[str, JointChange] = field(default_factory=dict)
    # Factor on every mass and inertia, after the changes of links.
    mass_factor: float = 1.0
    # What touches: none, visuals (what is drawn), box (of each link's inertia), or a
    # pattern of the names of <collision>, such as "*_simple"; "" leaves all.
    collisions: str = ""
    bodies: dict[str, AddedBody] = field(default_factory=dict)
    attachments: dict[str, Attachment] = field(default_factory=dict)


def load_overlay(path: str | Path) -> Overlay:
    """Reads an overlay.

    Raises:
        BackbeatError: it cannot be read, or holds what makes no sense by itself.
    """
    overlay = load_yaml(Overlay, path)
    if not overlay.urdf:
        raise BackbeatError(f"{path}: name the description to change as 'urdf'")
    given = overlay.name, *overlay.bodies, *overlay.attachments
    for name in (*given, *(a.prefix for a in overlay.attachments.values())):
        if not name.isprintable():
            raise BackbeatError(
                f"{path}: {name!r} has characters that no name may have"
            )
    _check_positive(path, "mass_factor", overlay.mass_factor)
    for name, link in overlay.links.items():
        _check_link(f"{path}: link {name!r}", link)
    for name, joint in overlay.joints.items():
        _check_positive(f"{path}: joint {name!r}", "effort_factor", joint.effort_factor)
        for key in ("effort", "velocity", "damping", "friction"):
            if getattr(joint, key) < 0:
                raise BackbeatError(f"{path}: joint {name!r}: {key} is below zero")
        safety = joint.safety_controller
        if safety.k_position < 0 or safety.k_velocity < 0:
            raise BackbeatError(f"{path}: joint {name!r}: a gain is below zero")
        if safety.soft_lower > safety.soft_upper:
            raise BackbeatError(f"{path}: joint {name!r}: soft limits are exchanged")
    for name, body in overlay.bodies.items():
        where = f"{path}: body {name!r}"
        _check_positive(where, "mass", body.mass)
        _check_vector(where, "size", body.size, 3)
        if min(body.size) <= 0:
            raise BackbeatError(f"{where}: every edge in size has to be above zero")
    for kind in (overlay.bodies, overlay.attachments):
        for name, item in kind.items():
            where = f"{path}: {name!r}"
            _check_vector(where, "position", item.position, 3)
            _check_vector(where, "rpy", item.rpy, 3)
    for name, attachment in overlay.attachments.items():
        if not attachment.file:
            raise BackbeatError(f"{path}: {name!r} names no 'file' to attach")
    return overlay


def _check_link(where: str, link: LinkChange) -> None:
    _check_positive(where, "mass_factor", link.mass_factor)
    if not math.isnan(link.mass):
        _check_positive(where, "mass", link.mass)
        if link.mass_factor != 1.0:
            raise BackbeatError(f"{where}: give mass or mass_factor, not both")
    for key, length in (
        ("center_of_mass", 3),
        ("center_of_mass_shift", 3),
        ("inertia", 6),
    ):
        if getattr(link, key):
            of = f" ({', '.join(INERTIA)})" if key == "inertia" else ""
            _check_vector(where, key, getattr(link, key), length, of)
    if link.inertia:
        _check_inertia(where, link.inertia)
    if link.center_of_mass and link.center_of_mass_shift:
        raise BackbeatError(f"{where}: give center_of_mass or its shift, not both")


def _check_positive(where: object, key: str, value: float) -> None:
    if not (value > 0 and math.isfinite(value)):
        raise BackbeatError(f"{where}: {key} has to be above zero, and is {value:g}")


def _check_inertia(where: object, value: list[float]) -> None:
    """Refuses the inertia of no body that it is only for being in another order."""
    pairs = zip(INERTIA, value, strict=True)
    said = ", ".join(f"{name} {number:g}" for name, number in pairs)
    xx, yy, zz, xy, xz, yz = value
    ordered = [xx, xy, xz, yy, yz, zz]
    if is_of_a_body(ordered) and not is_of_a_body(value):
        written = ", ".join(f"{number:g}" for number in ordered)
        raise BackbeatError(
            f"{where}: no body has the inertia {said}; did you mean [{written}]?"
        )


def _check_vector(
    where: object, key: str, value: list[float], length: int, of: str = ""
) -> None:
    if len(value) != length or not all(map(math.isfinite, value)):
        raise BackbeatError(f"{where}: {key} needs {length} numbers{of}")


def is_overlay(path: str | Path) -> bool:
    """Whether a file is to be read as an overlay, and not as a description."""
    path = Path(path)
    return path.suffix in (".yaml", ".yml")


def made_from(path: str | Path) -> tuple[Path, ...]:
    """A description, or an overlay and all files that it makes one of.

    Raises:
        BackbeatError: an overlay cannot be read, or is made from itself.
    """
    path = Path(path)
    found, waiting = [path], [path] if is_overlay(path) else []
    for overlay in waiting:  # Grows while it is gone through.
        change = load_overlay(overlay)
        for name in (change.urdf, *(a.file for a in change.attachments.values())):
            source = overlay.parent / name
            if source.resolve() in {p.resolve() for p in waiting}:
                raise BackbeatError(f"{path}: the overlay is made from itself")
            found.append(source)
            if is_overlay(source):
                waiting.append(source)
    return tuple(found)
