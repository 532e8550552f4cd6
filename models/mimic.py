"""Mimic joints: those that follow another, position = multiplier x other + offset.

Drake couples them by a constraint in discrete plants, and keeps a position for each.
Our models of control and optimization are trees of joints that move by themselves, in
which a follower cannot be: it is held with the joint that it follows, or refused.
"""

from collections.abc import Mapping

from models.description.description import SINGLE, Description
from models.errors import BackbeatError


def locked_followers(
    description: Description, locked: Mapping[str, float]
) -> dict[str, float]:
    """Angles of all joints that are held: those given, and what follows them.

    Args:
        description: what the URDF says.
        locked: angles of joints that are held [rad or m], by name.

    Raises:
        BackbeatError: a joint follows one that moves, or one that there is not, or it
            is held elsewhere than where it would have to be.
    """
    held, waiting = dict(locked), True
    while waiting:
        waiting = False
        for joint in description.joints.values():
            if joint.mimic is None or joint.type not in SINGLE:
                continue
            leader = description.joints.get(joint.mimic.joint)
            where = f"{description.path} line {joint.line}: joint {joint.name!r}"
            if leader is None:
                raise BackbeatError(
                    f"{where} mimics {joint.mimic.joint!r}, and there is no such joint"
                )
            at = 0.0 if leader.type == "fixed" else held.get(leader.name)
            if at is None:
                continue
            wanted = joint.mimic.multiplier * at + joint.mimic.offset
            if joint.name not in held:
                held[joint.name], waiting = wanted, True
            elif abs(held[joint.name] - wanted) > 1e-6:
                raise BackbeatError(
                    f"{where} is locked at {held[joint.name]:g} and mimics "
                    f"{leader.name!r}, with which it would be at {wanted:g}"
                )
    for joint in description.joints.values():
        if joint.mimic is not None and joint.type in SINGLE and joint.name not in held:
            raise BackbeatError(
                f"{description.path} line {joint.line}: joint {joint.name!r} mimics "
                f"{joint.mimic.joint!r}, which moves; in our models every joint moves "
                "by itself. Hold it in the robot's YAML: "
                f"`locked: {{{joint.mimic.joint}: 0.0}}`"
            )
    return held
