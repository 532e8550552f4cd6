"""Report on a robot: groups, masses, inertias, shapes, limits and frames."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from backbeat.models.urdf.checks.inertia import principal_moments
from backbeat.models.urdf.reading.description import Description, Joint, Link, Shape
from backbeat.models.urdf.reading.forward_kinematics import center_of_mass


@dataclass(frozen=True)
class ModelReport:
    """Tables of plain data, a row for each thing.

    Attributes:
        name: of the robot.
        file: its URDF.
        mass_kg: of all links.
        center_of_mass_m: in the root's frame, all joints at zero.
        shapes: how many are drawn and touched, by kind.
        joint_types: how many joints there are of each type.
        groups: names of moving joints by group; "other" has those that are in none.
        links: inertial, visual and collision parts of each link.
        joints: kinematics, limits, friction, drive and what is only shown of each.
        frames: names of frames that are fixed to links, links without mass among
            them, each with the link that carries it.
    """

    name: str
    file: str
    mass_kg: float
    center_of_mass_m: list[float]
    shapes: dict[str, dict[str, int]]
    joint_types: dict[str, int]
    groups: dict[str, list[str]]
    links: list[dict[str, Any]]
    joints: list[dict[str, Any]]
    frames: list[dict[str, Any]]


def model_report(
    description: Description, groups: Mapping[str, Sequence[str]] | None = None
) -> ModelReport:
    """The report of a description that is a tree.

    Args:
        description: the robot.
        groups: names of joint groups with their joints, as a robot YAML has them.
    """
    mass, center = center_of_mass(description)
    joints, links = description.joints.values(), description.links.values()
    return ModelReport(
        name=description.name,
        file=str(description.path),
        mass_kg=mass,
        center_of_mass_m=[round(float(c), 9) for c in center],
        shapes={
            "drawn": _shapes([s for k in links for s in k.visuals]),
            "touched": _shapes([s for k in links for s in k.collisions]),
        },
        joint_types=dict(Counter(j.type for j in joints)),
        groups=_groups(description, groups or {}),
        links=[_link_row(description, link) for link in links],
        joints=[_joint_row(description, joint) for joint in joints],
        frames=_frames(description),
    )


def _groups(
    description: Description, groups: Mapping[str, Sequence[str]]
) -> dict[str, list[str]]:
    moving = [j.name for j in description.moving_joints()]
    found = {
        group: [n for n in names if n in moving] for group, names in groups.items()
    }
    grouped = {name for names in found.values() for name in names}
    other = [name for name in moving if name not in grouped]
    return found | ({"other": other} if other else {})


def _link_row(description: Description, link: Link) -> dict[str, Any]:
    row: dict[str, Any] = {"link": link.name, "line": link.line}
    inertial = link.inertial
    if inertial is not None:
        row |= {
            "mass_kg": inertial.mass,
            "center_of_mass_m": list(inertial.origin.xyz),
            "inertial_rpy_rad": list(inertial.origin.rpy),
            "inertia_kg_m2": list(inertial.inertia or ()),
            "principal_moments_kg_m2": [float(p) for p in principal_moments(inertial)],
        }
    carrier = [j for j in description.joints.values() if j.child == link.name]
    return row | {
        "visuals": _shapes(link.visuals),
        "collisions": _shapes(link.collisions),
        "parent_joint": carrier[0].name if carrier else "",
        "child_joints": [
            j.name for j in description.joints.values() if j.parent == link.name
        ],
    }


def _shapes(shapes: Sequence[Shape]) -> dict[str, int]:
    return dict(Counter(s.geometry.kind for s in shapes if s.geometry is not None))


def _joint_row(description: Description, joint: Joint) -> dict[str, Any]:
    limit, dynamics, safety = joint.limit, joint.dynamics, joint.safety
    drives = description.transmissions_of(joint.name)
    row: dict[str, Any] = {
        "joint": joint.name,
        "line": joint.line,
        "type": joint.type,
        "parent": joint.parent,
        "child": joint.child,
        "origin_xyz_m": list(joint.origin.xyz),
        "origin_rpy_rad": list(joint.origin.rpy),
    }
    if joint.type != "fixed":
        row["axis"] = list(joint.axis)
    for key in ("lower", "upper", "effort", "velocity"):
        row[key] = getattr(limit, key) if limit is not None else None
    row |= {
        "damping": list(dynamics.damping) if dynamics is not None else [],
        "friction": dynamics.friction if dynamics is not None else 0.0,
        "actuators": [e.name for t in drives for e in t.actuators],
        "interfaces": [i for t in drives for e in t.joints for i in e.interfaces],
    }
    if safety is not None:
        row["safety_controller"] = {
            "soft_lower_limit": safety.soft_lower,
            "soft_upper_limit": safety.soft_upper,
            "k_position": safety.k_position,
            "k_velocity": safety.k_velocity,
        }
    if joint.mimic is not None:
        mimic = joint.mimic
        row["mimic"] = {
            "joint": mimic.joint,
            "multiplier": mimic.multiplier,
            "offset": mimic.offset,
        }
    if joint.calibration is not None:
        row["calibration"] = {
            "rising": joint.calibration.rising,
            "falling": joint.calibration.falling,
            "reference_position": joint.calibration.reference_position,
        }
    return row


def _frames(description: Description) -> list[dict[str, Any]]:
    """Frames by name: Drake's, and links without mass that are fixed to others."""
    rows = [
        {
            "frame": f.name,
            "link": f.link,
            "xyz_m": list(f.origin.xyz),
            "rpy_rad": list(f.origin.rpy),
        }
        for f in description.frames.values()
    ]
    for joint in description.joints.values():
        child = description.links.get(joint.child)
        if joint.type == "fixed" and child is not None and child.inertial is None:
            rows.append(
                {
                    "frame": child.name,
                    "link": joint.parent,
                    "xyz_m": list(joint.origin.xyz),
                    "rpy_rad": list(joint.origin.rpy),
                }
            )
    return rows
