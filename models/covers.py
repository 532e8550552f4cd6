"""Covers: links welded beside a joint that rub at what it moves.

Drake lets the two links of a joint overlap. A shell that is welded to one of them is a
neighbor of the other all the same, and makers draw it around the joint. Where it
overlaps in postures that a robot certainly takes, all angles at zero or standing, it is
taken as part of what it is welded to.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from pydrake.geometry import CollisionFilterDeclaration, GeometrySet, SceneGraph
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, MultibodyPlant
from pydrake.multibody.tree import ModelInstanceIndex, RigidBody
from pydrake.systems.framework import DiagramBuilder

from models.contact import collision_shapes
from models.fusing import set_joints
from models.mimic import Following
from models.robot_loading import add_robot

if TYPE_CHECKING:
    from models.robot import RobotModel

# The posture besides that of all angles at zero.
STANDING = "stand"

Pair = tuple[str, str]


def find_covers(robot: "RobotModel") -> tuple[Pair, ...]:
    """Links, one of them welded beside the joint between them, that overlap at rest."""
    links = robot.urdf.links
    welded = [j.child for j in robot.urdf.joints.values() if j.type == "fixed"]
    if not any(links[name].collisions for name in welded):
        return ()
    builder = DiagramBuilder()
    plant, graph = AddMultibodyPlantSceneGraph(builder, 0.0)
    instance = add_robot(plant, robot.description, (), slimmed=True)
    plant.Finalize()
    candidates = set(_beside_joints(robot, plant, instance))
    if not candidates:
        return ()
    diagram = builder.Build()
    root = diagram.CreateDefaultContext()
    context = plant.GetMyMutableContextFromRoot(root)
    inspector, found = graph.model_inspector(), set[Pair]()
    for angles in _rest_angles(robot):
        set_joints(plant, context, angles)
        q = plant.GetPositions(context)
        Following(plant, robot.followers).place(q)
        plant.SetPositions(context, q)
        query = graph.get_query_output_port().Eval(graph.GetMyContextFromRoot(root))
        for touch in query.ComputePointPairPenetration():
            bodies = (
                plant.GetBodyFromFrameId(inspector.GetFrameId(g))
                for g in (touch.id_A, touch.id_B)
            )
            found.add(_pair(*bodies))
    return tuple(sorted(found & candidates))


def keep_covers_off(
    plant: MultibodyPlant,
    graph: SceneGraph,
    instance: ModelInstanceIndex,
    pairs: tuple[Pair, ...],
) -> None:
    """Lets pairs of links of a robot not touch each other.

    Args:
        plant, graph: plant with the robot, and its scene graph.
        instance: the robot in it.
        pairs: names of links.
    """
    inspector, filters = graph.model_inspector(), CollisionFilterDeclaration()
    for pair in pairs:
        a, b = (
            GeometrySet(
                collision_shapes(plant, inspector, plant.GetBodyByName(n, instance))
            )
            for n in pair
        )
        filters.ExcludeBetween(a, b)
    graph.collision_filter_manager().Apply(filters)


def _beside_joints(
    robot: "RobotModel", plant: MultibodyPlant, instance: ModelInstanceIndex
) -> Iterator[Pair]:
    """Pairs of links with shapes, one joint apart but not the links of that joint."""
    links = [plant.get_body(i) for i in plant.GetBodyIndices(instance)]
    links = [b for b in links if plant.GetCollisionGeometriesForBody(b)]
    joints = (plant.get_joint(i) for i in plant.GetJointIndices(instance))
    own = {_pair(j.parent_body(), j.child_body()) for j in joints}
    parent = np.asarray(robot.tree.parent)
    bodies = [robot.body_of(plant, b) for b in links]
    for i, a in enumerate(bodies):
        for j, b in enumerate(bodies[:i]):
            is_near = (a > 0 and parent[a - 1] == b) or (b > 0 and parent[b - 1] == a)
            if is_near and _pair(links[i], links[j]) not in own:
                yield _pair(links[i], links[j])


def _rest_angles(robot: "RobotModel") -> Iterator[dict[str, float]]:
    zero = dict.fromkeys(robot.joint_names, 0.0) | dict(robot.locked)
    yield zero
    if STANDING in robot.posture_names:
        known = set(zero)
        angles = robot.posture_joints(STANDING)
        yield zero | {n: a for n, a in angles.items() if n in known}


def _pair(a: RigidBody, b: RigidBody) -> Pair:
    first, second = sorted((a.name(), b.name()))
    return first, second
