"""Differences between two descriptions of a robot."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from backbeat.models.urdf.reading.description import Description, Joint, Link
from backbeat.models.urdf.reading.forward_kinematics import center_of_mass

# Relative difference of two numbers that may have been rounded differently.
SAME = 1e-6


@dataclass(frozen=True)
class ModelDifference:
    """A value that differs, or ("present") a thing that one of the two lacks.

    Attributes:
        kind: "robot", "link", "joint" or "frame".
        name: of the thing, in the second description.
        quantity: what differs.
        first, second: the values; None where there is none.
    """

    kind: str
    name: str
    quantity: str
    first: Any
    second: Any

    def as_data(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)


def differences(
    a: Description, b: Description, aliases: Mapping[str, str] | None = None
) -> list[ModelDifference]:
    """Differences in the order robot, links, joints, frames.

    Args:
        a, b: the descriptions.
        aliases: names of joints in `a` with their names in `b`, where they differ.
    """
    named = dict(aliases or {})
    renamed = {named.get(n, n): j for n, j in a.joints.items()}
    found = [*_of_robot(a, b)]
    found += _compared("link", a.links, b.links, _link_values)
    found += _compared("joint", renamed, b.joints, _joint_values)
    found += _compared(
        "frame", a.frames, b.frames, lambda f: {"link": f.link, "xyz": f.origin.xyz}
    )
    return found


def renamed_joints(
    a: Description, b: Description, aliases: Mapping[str, str]
) -> dict[str, str]:
    """The aliases that two descriptions need: names in `a` with those in `b`."""
    both = dict(aliases) | {new: old for old, new in aliases.items()}
    missing = [n for n in a.joints if n not in b.joints]
    found = {n: both[n] for n in missing if both.get(n) in b.joints}
    for name in missing:  # Two old names of one joint.
        new = aliases.get(name)
        for old, other in aliases.items():
            if name not in found and other == new and new and old in b.joints:
                found[name] = old
    return found


def _of_robot(a: Description, b: Description) -> Iterator[ModelDifference]:
    values = []
    for robot in (a, b):
        mass, center = center_of_mass(robot)
        values.append(
            {
                "mass_kg": mass,
                "center_of_mass_m": tuple(float(c) for c in center),
                "links": len(robot.links),
                "moving_joints": len(list(robot.moving_joints())),
            }
        )
    for key in values[0]:
        if not _same(values[0][key], values[1][key]):
            yield ModelDifference("robot", b.name, key, values[0][key], values[1][key])


def _compared(
    kind: str, first: Mapping[str, Any], second: Mapping[str, Any], values: Any
) -> Iterator[ModelDifference]:
    for name in dict.fromkeys([*first, *second]):
        if name not in second or name not in first:
            yield ModelDifference(kind, name, "present", name in first, name in second)
            continue
        one, other = values(first[name]), values(second[name])
        for key in one:
            if not _same(one[key], other[key]):
                yield ModelDifference(kind, name, key, one[key], other[key])


def _link_values(link: Link) -> dict[str, Any]:
    inertial = link.inertial
    return {
        "mass_kg": inertial.mass if inertial else None,
        "center_of_mass_m": inertial.origin.xyz if inertial else None,
        "inertial_rpy_rad": inertial.origin.rpy if inertial else None,
        "inertia_kg_m2": inertial.inertia if inertial else None,
        "visuals": tuple(s.geometry.kind for s in link.visuals if s.geometry),
        "collisions": tuple(s.geometry.kind for s in link.collisions if s.geometry),
    }


def _joint_values(joint: Joint) -> dict[str, Any]:
    limit, dynamics, safety = joint.limit, joint.dynamics, joint.safety
    values: dict[str, Any] = {
        "type": joint.type,
        "parent": joint.parent,
        "child": joint.child,
        "origin_xyz_m": joint.origin.xyz,
        "origin_rpy_rad": joint.origin.rpy,
        "axis": joint.axis if joint.type != "fixed" else None,
    }
    for key in ("lower", "upper", "effort", "velocity"):
        values[key] = getattr(limit, key) if limit else None
    values["damping"] = dynamics.damping if dynamics else (0.0,)
    values["friction"] = dynamics.friction if dynamics else 0.0
    values["soft_limits"] = (safety.soft_lower, safety.soft_upper) if safety else None
    return values


def _same(a: Any, b: Any) -> bool:
    if a is None or b is None or isinstance(a, str | bool):
        return bool(a == b)
    first, second = np.atleast_1d(a), np.atleast_1d(b)
    if first.shape != second.shape or first.dtype.kind == "U":
        return bool(first.shape == second.shape and (first == second).all())
    return bool(np.allclose(first, second, rtol=SAME, atol=1e-12))
