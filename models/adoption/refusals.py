"""What keeps a description from being a humanoid's, and what it must be given first."""

from collections.abc import Mapping
from pathlib import Path

from backbeat.models.adoption.model_tree import ModelTree
from backbeat.models.common.errors import BackbeatError
from backbeat.models.urdf.checks.topology import check_topology
from backbeat.models.urdf.reading.description import (
    SINGLE,
    WORLD,
    Description,
    Joint,
    listed,
)
from backbeat.models.urdf.reading.finding import Severity

# Heights of humanoids that stand on two feet [m]; a thousand times more is millimeters.
TALLEST, MILLIMETERS = 5.0, 100.0


def find_base(description: Description) -> str:
    """The link that floats.

    Raises:
        BackbeatError: there is no single one, or it is fixed to the world.
    """
    name = description.path.name
    for finding in check_topology(description):
        if finding.severity is Severity.ERROR:
            raise BackbeatError(f"{name} line {finding.line}: {finding.what}")
    roots = description.roots()
    on_world = [
        j
        for j in description.joints.values()
        if j.parent == WORLD or (j.parent in roots and j.type == "floating")
    ]
    if on_world:
        return _on_world(name, on_world)
    if len(roots) != 1:
        raise BackbeatError(f"{name} has no links that make a tree")
    return roots[0]


def _on_world(name: str, joints: list[Joint]) -> str:
    joint = joints[0]
    if len(joints) == 1 and joint.type == "floating":
        return joint.child
    raise BackbeatError(
        f"{name} line {joint.line}: the joint {joint.name} of type {joint.type} holds "
        f"{joint.child} to {joint.parent!r}, so that the tree has no floating base; "
        f"take this joint and the link {joint.parent!r} out, or give it the type "
        "floating"
    )


def check_joints(description: Description) -> None:
    """Refuses joints that no motor can drive as they are.

    Raises:
        BackbeatError: a ball or planar joint, or a second floating one.
    """
    base = [j for j in description.joints.values() if j.type == "floating"]
    for joint in description.moving_joints():
        if joint.type in SINGLE or (joint.type == "floating" and joint is base[0]):
            continue
        raise BackbeatError(
            f"{description.path.name} line {joint.line}: the joint {joint.name} is "
            f"{joint.type}, and robots have revolute, continuous, prismatic and fixed "
            f"joints; write it as hinges in a row, or fix it by an overlay (`joints: "
            f"{{{joint.name}: {{type: fixed}}}}`)"
        )


def check_size(tree: ModelTree) -> None:
    """Refuses a robot in other units than meters.

    Raises:
        BackbeatError: it is higher than any humanoid, or has no size or mass.
    """
    name, height = tree.description.path.name, tree.height
    if height > MILLIMETERS:
        raise BackbeatError(
            f"{name}: its joints spread over {height:.0f} m in height, as if lengths "
            "were in millimeters; a URDF has meters: divide every length by 1000 (and "
            "inertias in kg mm^2 by a million)"
        )
    if height > TALLEST:
        raise BackbeatError(
            f"{name}: its joints spread over {height:.3g} m in height, and the tallest "
            f"humanoid has {TALLEST:g} m; a URDF has meters: see which unit it is in"
        )
    if height < 0.02:
        raise BackbeatError(
            f"{name}: its joints are within {1e3 * height:.3g} mm of one height; it "
            "has no legs, or its lengths are not in meters"
        )


def check_masses(tree: ModelTree, held: Mapping[str, float]) -> None:
    """Refuses moving joints beyond which nothing has mass.

    Raises:
        BackbeatError: there is one.
    """
    for joint in tree.joints:
        leader = joint.joint.mimic
        if joint.name in held or (leader is not None and leader.joint in held):
            continue
        if tree.mass_beyond(joint) <= 0.0:
            link = tree.moved_link(joint)
            raise BackbeatError(
                f"{tree.description.path.name} line "
                f"{tree.description.links[link].line}: nothing that the joint "
                f"{joint.name} moves has mass; give the link {link} an <inertial> with "
                "mass and inertia, or fix the joint"
            )


def missing_efforts(tree: ModelTree, held: Mapping[str, float]) -> list[str]:
    """Names of moving joints without an effort limit above zero."""
    return [
        j.name
        for j in tree.joints
        if j.name not in held
        and j.joint.mimic is None
        and (j.joint.limit is None or not j.joint.limit.effort)
    ]


def refuse_missing_efforts(path: str | Path, names: list[str]) -> None:
    """Says that efforts are missing, and how to give them.

    Raises:
        BackbeatError: always.
    """
    raise BackbeatError(
        f"{Path(path).name} has no effort limit for {listed(names)}; say what the "
        "motors can, in N m, by `--effort 100` for all of these, or "
        f"`--effort {names[0]}=100` joint by joint, or write <limit effort=...> in it"
    )
