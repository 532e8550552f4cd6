"""Collision shapes of a Drake plant, in MuJoCo's model-editing interface."""

from typing import Any, NamedTuple

import numpy as np
from pydrake.geometry import (
    Box,
    Capsule,
    Convex,
    Cylinder,
    Ellipsoid,
    GeometryId,
    HalfSpace,
    Mesh,
    Shape,
    Sphere,
)
from pydrake.math import RigidTransform
from pydrake.multibody.tree import BodyIndex

from backbeat.models.common.errors import BackbeatError
from backbeat.models.contact.cones import collision_shapes
from backbeat.models.mjcf.tree import pose
from backbeat.models.world.ground import THICKNESS
from backbeat.models.world.scene import World

# The slab of the ground, which stops any fall.
GROUND = "ground"


class PlacedShape(NamedTuple):
    """A collision shape of a plant.

    Attributes:
        geometry: its id in the scene graph.
        body: number of its body in the plant.
        name: unlike that of any other.
        friction: its coefficient.
    """

    geometry: GeometryId
    body: int
    name: str
    friction: float


def placed_shapes(world: World) -> list[PlacedShape]:
    """All collision shapes of a world, those of a body one after the other."""
    plant, inspector = world.plant, world.scene_graph.model_inspector()
    found: list[PlacedShape] = []
    names: dict[str, int] = {}
    for k in range(plant.num_bodies()):
        for geometry in collision_shapes(
            plant, inspector, plant.get_body(BodyIndex(k))
        ):
            name = inspector.GetName(geometry).replace("::", "/")
            names[name] = names.get(name, 0) + 1
            if names[name] > 1:
                name = f"{name}_{names[name]}"
            surface = inspector.GetProximityProperties(geometry)
            mu = surface.GetProperty("material", "coulomb_friction").dynamic_friction()
            found.append(PlacedShape(geometry, k, name, float(mu)))
    return found


def add_shape(
    mujoco: Any, spec: Any, body: Any, world: World, shape: PlacedShape
) -> Any:
    """Adds a shape to a body of a specification.

    Args:
        mujoco: the module.
        spec: `MjSpec` of the body.
        body: what carries it there.
        world: that the shape is of.
        shape: the shape.

    Raises:
        BackbeatError: MuJoCo has no such shape.
    """
    inspector = world.scene_graph.model_inspector()
    what, X = (
        inspector.GetShape(shape.geometry),
        inspector.GetPoseInFrame(shape.geometry),
    )
    if shape.name == GROUND:
        # A plane is what a slab is from above, and cheaper to collide with.
        X = X @ RigidTransform([0.0, 0.0, 0.5 * THICKNESS])
        what = HalfSpace()
    # Bodies have their masses from the plant, those without any too.
    made = body.add_geom(name=shape.name, condim=3, mass=0.0, **pose(X))
    kinds = mujoco.mjtGeom
    if isinstance(what, Mesh | Convex):
        made.type, made.meshname = kinds.mjGEOM_MESH, shape.name
        _add_hull(spec, shape.name, what)
        return made
    kind, size = shape_size(kinds, what)
    made.type, made.size = kind, size
    return made


def shape_size(kinds: Any, what: Shape) -> tuple[Any, list[float]]:
    """MuJoCo's type and size of a shape that is no mesh: its half sizes.

    Args:
        kinds: `mjtGeom`.
        what: the shape.

    Raises:
        BackbeatError: MuJoCo has no such shape.
    """
    match what:
        case Sphere():
            return kinds.mjGEOM_SPHERE, [what.radius(), 0.0, 0.0]
        case Box():
            return kinds.mjGEOM_BOX, list(0.5 * np.array(what.size()))
        case Cylinder():
            return kinds.mjGEOM_CYLINDER, [what.radius(), 0.5 * what.length(), 0.0]
        case Capsule():
            return kinds.mjGEOM_CAPSULE, [what.radius(), 0.5 * what.length(), 0.0]
        case Ellipsoid():
            return kinds.mjGEOM_ELLIPSOID, [what.a(), what.b(), what.c()]
        case HalfSpace():
            return kinds.mjGEOM_PLANE, [0.0, 0.0, 1.0]
    raise BackbeatError(
        f"a shape is a {type(what).__name__}, which the engine mujoco does not have; "
        "simulate this world by engine: drake"
    )


def _add_hull(spec: Any, name: str, what: Mesh | Convex) -> None:
    """Adds the convex hull of a mesh, which is what Drake collides."""
    hull = what.GetConvexHull()
    points = np.array([hull.vertex(i) for i in range(hull.num_vertices())])
    made = spec.add_mesh(name=name)
    made.uservert = points.ravel().astype(np.float32)
