"""Checks of a robot YAML against its URDF: names exist, the tree is connected.

A slip here would otherwise be a robot without a foot or with a limp arm, found out
much later.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from pathlib import Path

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import BodyIndex, Joint, ModelInstanceIndex, RigidBody

from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.robot.description import RobotDescription
from backbeat.models.robot.joints import RobotJoints
from backbeat.models.robot.mimic import Follower
from backbeat.models.urdf.reading.description import listed

# How far a center of mass is below the ground for its link to hang in it [m].
SUNK = 1e-3
# Of angles that people write with some digits [rad].
ROUNDING = 1e-6


def check_tree(
    plant: MultibodyPlant, instance: ModelInstanceIndex, base: str, where: str | Path
) -> None:
    """Checks that a robot is one tree of simple joints that grows from its base.

    Args:
        plant: plant with the robot, not yet finalized.
        instance: the robot in it.
        base: base link of the YAML.
        where: the YAML, for the message.

    Raises:
        BackbeatError: it is not.
    """
    names = [plant.get_body(i).name() for i in plant.GetBodyIndices(instance)]
    if base not in names:
        raise unknown_name(f"base of {where}", base, names)
    joints = [plant.get_joint(i) for i in plant.GetJointIndices(instance)]
    for joint in joints:
        if joint.type_name() not in ("revolute", "prismatic", "weld"):
            raise BackbeatError(
                f"{where}: joint {joint.name()!r} is {joint.type_name()}; only "
                "revolute, continuous, prismatic and fixed joints are known. No motor "
                "drives such a joint: fix it, by an overlay for instance "
                f"(`joints: {{{joint.name()}: {{type: fixed}}}}`)"
            )
    world = plant.world_body().index()
    carried = {
        j.child_body().name() for j in joints if j.parent_body().index() != world
    }
    roots = [name for name in names if name not in carried]
    others = [name for name in roots if name != base]
    if base in carried and len(roots) == 1:
        raise BackbeatError(
            f"{where}: the base is {base!r}, but the tree of links begins with "
            f"{roots[0]!r}, which is to float; write `base: {roots[0]}`"
        )
    if others:
        raise BackbeatError(
            f"{where}: the base is {base!r}, but no joint carries the link "
            f"{others[0]!r}, which would be a body of its own; connect it with a joint "
            "of type fixed, or take it out by `remove` of an overlay"
        )
    if base in carried:
        raise BackbeatError(
            f"{where}: the base {base!r} is not where the tree of links begins"
        )


def is_held(plant: MultibodyPlant, instance: ModelInstanceIndex, base: str) -> bool:
    """Whether a robot's own file fixes its base to the world."""
    joints = [plant.get_joint(i) for i in plant.GetJointIndices(instance)]
    world = plant.world_body().index()
    return any(
        j.parent_body().index() == world and j.child_body().name() == base
        for j in joints
    )


def check_support(
    plant: MultibodyPlant, body: RigidBody, followers: Sequence[Follower], what: str
) -> None:
    """Checks that what carries a robot is moved by joints that its models have.

    Args:
        plant: finalized plant of the robot.
        body: what touches.
        followers: joints that follow others, which models leave where they are.
        what: its name, for the message.

    Raises:
        BackbeatError: between body and base is a follower.
    """
    joints = [plant.get_joint(i) for i in plant.GetJointIndices()]
    carriers = {j.child_body().index(): j for j in joints}
    leaders = {f.name: f.leader for f in followers}
    while body.index() in carriers:
        joint = carriers[body.index()]
        if joint.name() in leaders:
            raise BackbeatError(
                f"{what} is moved by the joint {joint.name()!r}, which follows "
                f"{leaders[joint.name()]!r}; a robot cannot rest on a follower"
            )
        body = joint.parent_body()


def check_driven(joints: Sequence[str], driven: Set[str], where: str | Path) -> None:
    """Checks that every moving joint has a motor.

    Args:
        joints: names of the moving joints.
        driven: names of those with a motor.
        where: the YAML, for the message.

    Raises:
        BackbeatError: one has none, and no controller could do anything about it.
    """
    limp = [name for name in joints if name not in driven]
    if limp:
        raise BackbeatError(
            f"{where}: no motor drives the joint {limp[0]!r}; give it a <transmission> "
            f"and an effort in the URDF, or hold it: `locked: {{{limp[0]}: 0.0}}`"
        )


def check_names(
    description: RobotDescription, plant: MultibodyPlant, where: str | Path
) -> None:
    """Checks that every joint, group and posture that a YAML names exists.

    Args:
        description: the YAML.
        plant: finalized plant of the robot.
        where: the YAML, for the message.

    Raises:
        BackbeatError: one does not.
    """
    joints = {j.name() for j in _moving_joints(plant)}
    for part, names in _joints_named(description):
        for name in names:
            if name not in joints:
                raise unknown_name(f"joint in {part} of {where}", name, joints)
    groups = description.groups
    sides = [n for pair in description.mirror_groups.items() for n in pair]
    for part, found in (("mirror_groups", sides), ("servo", [*description.servo])):
        for name in found:
            if name not in groups:
                raise unknown_name(f"group in {part} of {where}", name, groups)
    for left, right in description.mirror_groups.items():
        if len(groups[left]) != len(groups[right]):
            raise BackbeatError(
                f"{where}: {left} and {right} mirror each other and need equally "
                "many joints"
            )
    start = description.task_space.start
    if start and start not in description.postures:
        raise unknown_name(
            f"posture in task_space of {where}", start, description.postures
        )
    for name, posture in description.postures.items():
        for joint, angle in posture.joints.items():
            if not np.isfinite(angle):
                raise BackbeatError(
                    f"{where}: {joint} has no number in posture {name!r}"
                )


def sunk(plant: MultibodyPlant, q: np.ndarray) -> str:
    """A note about bodies of a robot on a fixed base that are in the ground.

    Args:
        plant: the robot alone, finalized.
        q: (nq,) where its joints are [rad or m].

    Returns:
        The note; "" if the centers of mass of all bodies are above the ground.
    """
    context = plant.CreateDefaultContext()
    plant.SetPositions(context, q)
    heights = {}
    for i in range(1, plant.num_bodies()):
        body = plant.get_body(BodyIndex(i))
        if body.get_mass(context) > 0.0:
            p_BoBcm = body.CalcCenterOfMassInBodyFrame(context)
            heights[body.name()] = (body.EvalPoseInWorld(context) @ p_BoBcm)[2]
    low = sorted((n for n, z in heights.items() if z < -SUNK), key=lambda n: heights[n])
    if not low:
        return ""
    return (
        f"on its fixed base it hangs in the ground: {listed(low)}, down to "
        f"{-heights[low[0]]:.2f} m below; leave out `fixed`, or fix the base higher, "
        'by a fixed joint from <link name="world"/> in the URDF'
    )


def check_posture(
    joints: RobotJoints, angles: Mapping[str, float], q: np.ndarray, where: str
) -> None:
    """Checks that a posture has every joint within its limits.

    Args:
        joints: of the robot, with their limits.
        angles: what the posture says, by joint.
        q: (nj,) all its joints [rad, m]; those that it does not name are at zero.
        where: the posture, for the message.

    Raises:
        BackbeatError: it has one outside.
    """
    low, high = joints.position_lower, joints.position_upper
    for i in np.flatnonzero((q < low - ROUNDING) | (q > high + ROUNDING)):
        name = joints.names[i]
        silent = "" if name in angles else ", where it is if a posture does not name it"
        raise BackbeatError(
            f"{where} has {name} at {q[i]:g}{silent}, outside of its limits "
            f"{low[i]:g} to {high[i]:g}"
        )


def _moving_joints(plant: MultibodyPlant) -> list[Joint]:
    joints = [plant.get_joint(i) for i in plant.GetJointIndices()]
    return [j for j in joints if j.num_velocities() == 1]


def _joints_named(
    description: RobotDescription,
) -> Iterator[tuple[str, list[str]]]:
    """Parts of the YAML with the joints that they name."""
    for group, names in description.groups.items():
        yield f"group {group!r}", names
    for role, members in description.role_joints().items():
        yield f"role {role!r}", [*members]
    yield "mirror_flips", description.mirror_flips
    yield "aliases", [*description.aliases.values()]
    for posture, angles in description.postures.items():
        yield f"posture {posture!r}", [*angles.joints]
    for contact, patch in description.contacts.items():
        yield f"contact {contact!r}", patch.limb
    for items in description.equipment.values():
        for item in items.values():
            for contact, patch in item.contacts.items():
                yield f"contact {contact!r}", patch.limb
