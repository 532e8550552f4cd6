"""Covers: links welded beside a joint that overlap the links it moves.

Drake lets the two links of a joint overlap. A shell that is welded to one of them is a
neighbor of the other all the same, and makers draw it around the joint. Where it
overlaps in postures that a robot certainly takes, all angles at zero or standing, it is
taken as part of what it is welded to.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from pydrake.geometry import CollisionFilterDeclaration, GeometrySet, SceneGraph
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, MultibodyPlant
from pydrake.multibody.tree import ModelInstanceIndex, RigidBody
from pydrake.systems.framework import DiagramBuilder

from backbeat.models.contact.cones import collision_shapes
from backbeat.models.robot.fusing import set_joints
from backbeat.models.robot.loading import add_robot
from backbeat.models.robot.mimic import Follower, Following
from backbeat.models.urdf.reading.description import Description

Pair = tuple[str, str]


def find_covers(
    path: str | Path,
    urdf: Description,
    followers: Sequence[Follower],
    parents: Sequence[int],
    body_of: Callable[[MultibodyPlant, RigidBody], int],
    postures: Iterable[dict[str, float]],
) -> tuple[Pair, ...]:
    """Links, one of them welded beside the joint between them, that overlap at rest.

    Args:
        path: robot YAML.
        urdf: its description.
        followers: its mimic joints that follow another.
        parents: parent of every fused body but the base.
        body_of: fused body that a body of a plant of the robot is part of.
        postures: angles of all joints [rad] in postures that the robot certainly takes.
    """
    links = urdf.links
    welded = [j.child for j in urdf.joints.values() if j.type == "fixed"]
    if not any(links[name].collisions for name in welded):
        return ()
    builder = DiagramBuilder()
    plant, graph = AddMultibodyPlantSceneGraph(builder, 0.0)
    instance = add_robot(plant, path, (), merged_links=True)
    plant.Finalize()
    candidates = set(_beside_joints(plant, instance, parents, body_of))
    if not candidates:
        return ()
    diagram = builder.Build()
    root = diagram.CreateDefaultContext()
    context = plant.GetMyMutableContextFromRoot(root)
    inspector, found = graph.model_inspector(), set[Pair]()
    for angles in postures:
        set_joints(plant, context, angles)
        q = plant.GetPositions(context)
        Following(plant, followers).place(q)
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
    plant: MultibodyPlant,
    instance: ModelInstanceIndex,
    parents: Sequence[int],
    body_of: Callable[[MultibodyPlant, RigidBody], int],
) -> Iterator[Pair]:
    """Pairs of links with shapes, one joint apart but not the links of that joint."""
    links = [plant.get_body(i) for i in plant.GetBodyIndices(instance)]
    links = [b for b in links if plant.GetCollisionGeometriesForBody(b)]
    joints = (plant.get_joint(i) for i in plant.GetJointIndices(instance))
    own = {_pair(j.parent_body(), j.child_body()) for j in joints}
    bodies = [body_of(plant, b) for b in links]
    for i, a in enumerate(bodies):
        for j, b in enumerate(bodies[:i]):
            is_near = (a > 0 and parents[a - 1] == b) or (b > 0 and parents[b - 1] == a)
            if is_near and _pair(links[i], links[j]) not in own:
                yield _pair(links[i], links[j])


def _pair(a: RigidBody, b: RigidBody) -> Pair:
    first, second = sorted((a.name(), b.name()))
    return first, second
