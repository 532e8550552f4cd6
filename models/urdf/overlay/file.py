"""Overlay: a small YAML that changes a description and leaves its file alone."""

from dataclasses import dataclass
from pathlib import Path

from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.schema import key
from backbeat.models.common.yaml_file import load_yaml
from backbeat.models.urdf.checks.inertia import is_of_a_body
from backbeat.models.urdf.reading.description import INERTIA


@dataclass
class LinkChange:
    """New mass properties of a link; what is left out stays."""

    mass: float | None = key(None, "kg", gt=0)
    """Mass; the inertia changes in proportion."""
    mass_factor: float = key(1.0, gt=0)
    """Factor on the mass instead."""
    center_of_mass: list[float] | None = key(None, "m", length=3)
    """Center of mass in the link frame."""
    center_of_mass_shift: list[float] | None = key(None, "m", length=3)
    """Displacement of the center of mass instead."""
    inertia: list[float] | None = key(None, "kg m²", length=6)
    """ixx, ixy, ixz, iyy, iyz, izz about the center of mass, after all changes."""
    collisions: str = key("")
    """Collision shapes of this link, in place of the robot's `collisions`."""


@dataclass
class SafetyChange:
    """New values of a joint's safety controller, which is made if there is none."""

    soft_lower: float | None = key(None, "rad or m")
    """Lower position at which the velocity bound is zero."""
    soft_upper: float | None = key(None, "rad or m")
    """Upper position at which the velocity bound is zero."""
    k_position: float | None = key(None, "1/s", ge=0)
    """Velocity per distance."""
    k_velocity: float | None = key(None, "N m s/rad or N s/m", ge=0)
    """Effort per velocity."""


@dataclass
class JointChange:
    """New values of a joint; what is left out stays."""

    type: str = key("")
    """Type as in a URDF, such as `fixed`."""
    lower: float | None = key(None, "rad or m")
    """Lower position limit."""
    upper: float | None = key(None, "rad or m")
    """Upper position limit."""
    effort: float | None = key(None, "N m or N", ge=0)
    """Effort limit."""
    velocity: float | None = key(None, "rad/s or m/s", ge=0)
    """Velocity limit."""
    effort_factor: float = key(1.0, gt=0)
    """Factor on the effort limit."""
    damping: float | None = key(None, "N m s/rad or N s/m", ge=0)
    """Viscous damping."""
    friction: float | None = key(None, "N m or N", ge=0)
    """Coulomb friction."""
    safety_controller: SafetyChange = key(SafetyChange)
    """Soft limits and gains of its safety controller."""


@dataclass
class AddedBody:
    """A box that is welded to a link, such as a battery pack."""

    link: str = key("")
    """Link that it is welded to."""
    mass: float | None = key(None, "kg", gt=0)
    """Mass; the density is uniform."""
    size: list[float] | None = key(None, "m", length=3)
    """Edges along x, y and z."""
    position: list[float] = key([0.0, 0.0, 0.0], "m", length=3)
    """Position of its center in the link frame."""
    rpy: list[float] = key([0.0, 0.0, 0.0], "rad", length=3)
    """Its roll, pitch and yaw there."""
    collision: bool = key(True)
    """Whether it can be touched."""


@dataclass
class Attachment:
    """Another description whose root is welded to a link, such as a hand or a head."""

    file: str = key("")
    """URDF, from this file's folder."""
    link: str = key("")
    """Link that its root is welded to."""
    position: list[float] = key([0.0, 0.0, 0.0], "m", length=3)
    """Position of its root in the link frame."""
    rpy: list[float] = key([0.0, 0.0, 0.0], "rad", length=3)
    """Its roll, pitch and yaw there."""
    prefix: str = key("")
    """Put before every name in it, so that two of a kind can be attached."""


@dataclass
class Overlay:
    """Changes of a description, made in the order of the fields."""

    urdf: str = key("")
    """The description to change, or an overlay of one, from this file's folder."""
    name: str = key("")
    """Name of the robot that results; that of the description if it is left out."""
    remove: list[str] = key(list)
    """Links to remove, with everything attached to them."""
    links: dict[str, LinkChange] = key(dict)
    """Changes of links, by name."""
    joints: dict[str, JointChange] = key(dict)
    """Changes of joints, by name."""
    mass_factor: float = key(1.0, gt=0)
    """Factor on every mass and inertia, after the changes of links."""
    collisions: str = key("")
    """Collision shapes: `none`, `visuals`, `box` (of each link's inertia), or a pattern
    of the names of `<collision>`, such as `"*_simple"`; all if it is left out."""
    bodies: dict[str, AddedBody] = key(dict)
    """Boxes to add, by name."""
    attachments: dict[str, Attachment] = key(dict)
    """Descriptions to attach, by name."""


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
    for name, link in overlay.links.items():
        _check_link(f"{path}: link {name!r}", link)
    for name, joint in overlay.joints.items():
        low = joint.safety_controller.soft_lower
        high = joint.safety_controller.soft_upper
        if low is not None and high is not None and low > high:
            raise BackbeatError(f"{path}: joint {name!r}: soft limits are exchanged")
    for name, body in overlay.bodies.items():
        if body.mass is None:
            raise BackbeatError(f"{path}: body {name!r} needs a mass in kg")
        if body.size is None or min(body.size) <= 0:
            raise BackbeatError(
                f"{path}: body {name!r}: every edge in size has to be above zero"
            )
    for name, attachment in overlay.attachments.items():
        if not attachment.file:
            raise BackbeatError(f"{path}: {name!r} names no 'file' to attach")
    return overlay


def _check_link(where: str, link: LinkChange) -> None:
    if link.mass is not None and link.mass_factor != 1.0:
        raise BackbeatError(f"{where}: give mass or mass_factor, not both")
    if link.inertia:
        _check_inertia(where, link.inertia)
    if link.center_of_mass and link.center_of_mass_shift:
        raise BackbeatError(f"{where}: give center_of_mass or its shift, not both")


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
