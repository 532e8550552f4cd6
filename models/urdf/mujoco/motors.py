"""Effort limits of joints by their motors, and what couples joints, of an MJCF."""

from typing import Any

from backbeat.models.common.errors import BackbeatError, shown
from backbeat.models.urdf.mujoco.values import ACTUATORS, MjcfValues
from backbeat.models.urdf.reading.document import attributes, children, tag

# What a joint follows: the other, multiplier and offset.
Mimics = dict[str, tuple[str, float, float]]


def effort_limits(reader: MjcfValues, root: Any) -> dict[str, float]:
    """Effort limits by joint [N m or N], of joints whose motors have one."""
    found: dict[str, float] = {}
    for actuator in (e for a in children(root, "actuator") for e in children(a)):
        said = reader.all(actuator)
        joint = said.get("joint", said.get("jointinparent", ""))
        if not joint or tag(actuator) not in ACTUATORS:
            continue
        gear = float(reader.numbers(actuator, said.get("gear", "1"))[0])
        # A motor's force is its control; a position is none.
        ranges = ["forcerange", *(["ctrlrange"] if tag(actuator) == "motor" else [])]
        for key in ranges:
            if key in said:
                ends = reader.numbers(actuator, said[key], 2)
                effort = float(abs(ends).max()) * abs(gear)
                if effort > 0:
                    found[joint] = min(effort, found.get(joint, effort))
                    break
    return found


def follows(reader: MjcfValues, root: Any, bodies: set[str]) -> Mimics:
    """What joints follow, by joint.

    Raises:
        BackbeatError: links are connected otherwise than by joints.
    """
    found: Mimics = {}
    for constraint in (e for q in children(root, "equality") for e in children(q)):
        said = reader.all(constraint)
        if said.get("active", "true") == "false":
            continue
        kind, where = tag(constraint), reader.where(constraint)
        if kind == "joint":
            found |= _followed(reader, constraint, said)
            continue
        ends = [said[k] for k in ("body1", "body2", "site1", "site2") if k in said]
        if (
            kind in ("connect", "weld")
            and not bodies & set(ends)
            and "site1" not in said
        ):
            continue
        raise BackbeatError(
            f"{where} between {' and '.join(map(shown, ends)) or 'links'} closes a "
            "loop, and a robot is a tree here; take it out with the links that it "
            "alone carries, and give the joint that they drive a motor of its own"
        )
    return found


def _followed(reader: MjcfValues, constraint: Any, said: dict[str, str]) -> Mimics:
    offset, factor, *rest = [
        *reader.numbers(constraint, said.get("polycoef", "0 1 0 0 0")),
        *(0.0, 0.0),
    ]
    if any(rest):
        raise BackbeatError(
            f"{reader.where(constraint)} couples joints by a curve, and joints follow "
            "others by a factor and an offset here; take it out"
        )
    first, second = said.get("joint1", ""), said.get("joint2", "")
    if not second:
        raise BackbeatError(
            f"{reader.where(constraint)} holds the joint {shown(first)}; take the "
            "joint out of the model"
        )
    return {first: (second, float(factor), float(offset))}


def tendons(root: Any) -> list[str]:
    """Names of tendons, which do nothing here."""
    found = [e for t in children(root, "tendon") for e in children(t)]
    return [attributes(e).get("name", tag(e)) for e in found]


def excluded(root: Any) -> list[tuple[str, str]]:
    """Pairs of bodies that do not touch."""
    found = [e for c in children(root, "contact") for e in children(c, "exclude")]
    return [
        (attributes(e).get("body1", ""), attributes(e).get("body2", "")) for e in found
    ]
