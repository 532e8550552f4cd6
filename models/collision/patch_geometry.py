"""Patch geometry: what soles, and other patches that carry weight, touch with."""

from collections.abc import Sequence

from pydrake.geometry import (
    AddCompliantHydroelasticProperties,
    AddRigidHydroelasticProperties,
    Box,
    CollisionFilterDeclaration,
    GeometryId,
    GeometrySet,
    ProximityProperties,
    Role,
    RoleAssign,
    SceneGraph,
    SceneGraphInspector,
    Sphere,
)
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import RigidBody

from backbeat.models.contact.cones import SOLE, collision_shapes
from backbeat.models.robot.loading import find_frame
from backbeat.models.robot.model import RobotModel

# Pressure of a sole that is pressed together by all of its height [Pa], and that height
# [m]: hard rubber. Harder ones, 1e8, stand on an edge as soon as they carry little, and
# turn on it; softer ones, 5e6, tilt with every step, which no plan models.
SOLE_MODULUS, SOLE_HEIGHT = 2e7, 0.02
# A patch that is no sole touches with spheres at its corners [m].
CORNER_RADIUS = 0.005


def add_patches(
    plant: MultibodyPlant, graph: SceneGraph, robot: RobotModel
) -> list[GeometryId]:
    """Adds spheres to the corners of all patches but soles that have such already.

    Args:
        plant: plant with the robot, not finalized.
        graph: its scene graph.
        robot: the robot model.

    Returns:
        Other shapes of these soles, for `keep_apart` when the ground is there.
    """
    inspector, wandering = graph.model_inspector(), []
    for name in robot.patches:
        body = support_body(plant, robot, name)
        shapes = collision_shapes(plant, inspector, body)
        if name in robot.soles:
            if _count_spheres(inspector, shapes) >= len(robot.contacts[name].corners()):
                continue
            wandering += shapes
        _add_corners(plant, robot, name)
    return wandering


def support_body(plant: MultibodyPlant, robot: RobotModel, name: str) -> RigidBody:
    """The body that touches where a patch is.

    That of the patch's link, or, where it is a frame without a shape, as soles often
    are, one with a shape that it is fixed to.
    """
    own = find_frame(plant, robot.contact_link(name)).body()
    bodies = [own, *plant.GetBodiesWeldedTo(own)]
    touching = [b for b in bodies if plant.GetCollisionGeometriesForBody(b)]
    return touching[0] if touching else own


def keep_apart(
    plant: MultibodyPlant, graph: SceneGraph, shapes: Sequence[GeometryId]
) -> None:
    """Lets shapes of soles that rest on their corners not touch the ground as well."""
    ground = collision_shapes(plant, graph.model_inspector(), plant.world_body())
    filters = CollisionFilterDeclaration()
    filters.ExcludeBetween(GeometrySet(list(shapes)), GeometrySet(ground))
    graph.collision_filter_manager().Apply(filters)


def soften_soles(
    plant: MultibodyPlant, graph: SceneGraph, robot: RobotModel, friction: float
) -> None:
    """Gives soles a surface that yields in place of points, and the ground a rigid one.

    Elandt, Drumwright, Sherman, Ruina, "A pressure field model for fast, robust
    approximation of net contact force and moment between nominally rigid objects",
    2019.
    """
    source, inspector = plant.get_source_id(), graph.model_inspector()
    for name in robot.soles:
        frame = find_frame(plant, robot.contact_link(name))
        body = support_body(plant, robot, name)
        for geometry in collision_shapes(plant, inspector, body):
            graph.RemoveRole(source, geometry, Role.kProximity)
        patch = robot.contacts[name]
        X_BC = frame.GetFixedPoseInBodyFrame() @ robot.contact_in_link(name)
        size = (2 * patch.half_length, 2 * patch.half_width, SOLE_HEIGHT)
        properties = SOLE.properties(friction)
        AddCompliantHydroelasticProperties(SOLE_HEIGHT, SOLE_MODULUS, properties)
        middle = RigidTransform([0.0, 0.0, 0.5 * SOLE_HEIGHT])
        plant.RegisterCollisionGeometry(
            frame.body(), X_BC @ middle, Box(*size), f"{name}_surface", properties
        )
    for geometry in collision_shapes(plant, inspector, plant.world_body()):
        properties = ProximityProperties(inspector.GetProximityProperties(geometry))
        AddRigidHydroelasticProperties(1.0, properties)
        graph.AssignRole(source, geometry, properties, RoleAssign.kReplace)


def _count_spheres(inspector: SceneGraphInspector, shapes: Sequence[GeometryId]) -> int:
    return sum(isinstance(inspector.GetShape(s), Sphere) for s in shapes)


def _add_corners(plant: MultibodyPlant, robot: RobotModel, name: str) -> None:
    """Adds a sphere to each corner of a patch, its lowest point in the patch.

    A box on a box touches in one point that wanders; four spheres carry moments, and
    flat things on them rest.
    """
    frame = find_frame(plant, robot.contact_link(name))
    X_BC = frame.GetFixedPoseInBodyFrame() @ robot.contact_in_link(name)
    for i, corner in enumerate(robot.contacts[name].corners()):
        plant.RegisterCollisionGeometry(
            frame.body(),
            X_BC @ RigidTransform(corner + [0.0, 0.0, CORNER_RADIUS]),
            Sphere(CORNER_RADIUS),
            f"{name}_corner_{i}",
            SOLE.properties(),
        )
