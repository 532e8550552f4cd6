"""Collision shapes of a robot, read through Drake and covered by spheres.

Which pairs matter is decided by Drake's collision filters: links that share a joint, or
are filtered in the URDF, are not a pair.
"""

import itertools
from collections.abc import Sequence
from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np
from pydrake.geometry import (
    Box,
    Capsule,
    Convex,
    Cylinder,
    Ellipsoid,
    GeometryId,
    Mesh,
    Sphere,
)
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
from pydrake.systems.framework import DiagramBuilder

from backbeat.models.collision.shapes import (
    BOX,
    CAPSULE,
    CYLINDER,
    CollisionModel,
    CollisionSphere,
    Solid,
)
from backbeat.models.common.errors import BackbeatError, located, shown, unknown_name
from backbeat.models.contact.cones import collision_shapes
from backbeat.models.dynamics.frames import Frame
from backbeat.models.robot.model import RobotModel

# Joints from the root of a limb whose links keep apart by design.
NEAR_JOINTS = 3
# Most distance between spheres on a rod thinner than them [m]: two drum sticks with
# spheres 4 cm apart would cross between them, each sphere 1 cm from the other stick.
BEADS = 0.03
# Least radius of a rod as planners see it [m]: one stick passes through another within
# a few milliseconds, between two samples of an observer.
THIN = 0.01
# A sphere with less radius is a point to stand on; what it is on is the solid [m].
POINT = 2e-3
# Part of a sphere at a corner of a box.
CORNER = "corner"


class _Shapes:
    """The robot's collision shapes as Drake reads them, on fused bodies."""

    def __init__(self, robot: RobotModel) -> None:
        builder = DiagramBuilder()
        plant, self.scene_graph = AddMultibodyPlantSceneGraph(builder, 0.0)
        robot.add_to(plant, self.scene_graph)
        plant.Finalize()
        # Kept alive: it owns plant and scene graph.
        self.diagram = builder.Build()
        self.plant, self.robot = plant, robot
        self.inspector = self.scene_graph.model_inspector()

    def items(self) -> list[tuple[GeometryId, str, Frame, object, RigidTransform]]:
        """Geometry, link name, link frame, shape and its pose in the link."""
        found = []
        for instance in [self.robot.robot_instance, *self.robot.equipment_items()]:
            index = (
                self.plant.GetModelInstanceByName(instance)
                if isinstance(instance, str)
                else instance
            )
            for body_index in self.plant.GetBodyIndices(index):
                body = self.plant.get_body(body_index)
                name = body.name() if not isinstance(instance, str) else instance
                for g in collision_shapes(self.plant, self.inspector, body):
                    shape, X = _boxed(
                        self.inspector.GetShape(g), self.inspector.GetPoseInFrame(g)
                    )
                    found.append((g, name, self.robot.link_frame(name), shape, X))
        return found


def _boxed(shape: object, X_LG: RigidTransform) -> tuple[object, RigidTransform]:
    """A box around a hull or an ellipsoid, for planners; others as they are.

    Of a mesh its convex hull collides.
    """
    if isinstance(shape, Ellipsoid):
        return Box(2 * shape.a(), 2 * shape.b(), 2 * shape.c()), X_LG
    if not isinstance(shape, Convex | Mesh):
        return shape, X_LG
    hull = shape.GetConvexHull()
    corners = np.array([hull.vertex(i) for i in range(hull.num_vertices())])
    low, high = corners.min(0), corners.max(0)
    middle = RigidTransform(0.5 * (low + high))
    return Box(*np.maximum(high - low, 1e-4)), X_LG @ middle


def make_collision_model(
    robot: RobotModel,
    links: Sequence[str],
    scene: Sequence[Solid],
    margin: float = 0.01,
) -> CollisionModel:
    """Covers links by spheres and pairs them with everything they could meet.

    Args:
        robot: the robot.
        links: links, or items carried, that keep their distance.
        scene: solids of the scene.
        margin: distance to keep [m].
    """
    shapes = _Shapes(robot)
    spheres: list[CollisionSphere] = []
    solids = list(scene)
    sources: list[GeometryId | None] = [None] * len(solids)
    for g, name, link, shape, X_LG in shapes.items():
        X_PL = RigidTransform(RotationMatrix(link.R_PF), link.p_PF)
        if name in links:
            for p_LS, radius in cover(shape, X_LG):
                p = X_PL.multiply(p_LS)
                frame = Frame(name, link.body, np.eye(3), p)
                part = shapes.inspector.GetName(g).split("::")[-1]
                spheres.append(CollisionSphere(name, part, frame, radius, g))
        solid = _solid(name, link.body, shape, X_PL @ X_LG)
        if solid is not None:
            solids.append(solid)
            sources.append(g)
    pairs = np.zeros((len(spheres), len(solids)), bool)
    for i, sphere in enumerate(spheres):
        for j, source in enumerate(sources):
            pairs[i, j] = source is None or _may_touch(shapes, sphere, source)
    return CollisionModel(tuple(spheres), tuple(solids), pairs, margin)


def make_self_collision_model(
    robot: RobotModel,
    margin: float = 0.01,
    scene: Sequence[Solid] = (),
    apart: Sequence[Sequence[str]] = (),
) -> CollisionModel:
    """Keeps the ends of the limbs away from each other and the rest of the robot.

    Spheres cover the links beyond the first `NEAR_JOINTS` joints of every limb,
    for those before them cannot get anywhere. Of two links with spheres one has
    for both.

    Args:
        robot: the robot.
        margin: distance to keep [m].
        scene: solids around the robot, to keep away from too.
        apart: pairs of links that keep the distance too, however near they are.

    Raises:
        BackbeatError: a pair that is none, or a link without a shape.
    """
    model = _ends_apart(robot, margin, scene)
    return _with_pairs(robot, model, apart) if apart else model


def _ends_apart(
    robot: RobotModel, margin: float, scene: Sequence[Solid]
) -> CollisionModel:
    """The model of `make_self_collision_model` without pairs that are asked for."""
    if not scene and margin in _ALONE.setdefault(robot, {}):
        return _ALONE[robot][margin]
    shaped = links_with_shapes(robot)
    links = [n for n, body in shaped if _depth(robot, body) > NEAR_JOINTS]
    model = make_collision_model(robot, links, scene, margin)
    pairs = model.pairs.copy()
    for i, sphere in enumerate(model.spheres):
        first = links[: links.index(sphere.link)]
        pairs[i] &= [solid.name not in first for solid in model.solids]
    used = np.where(pairs.any(1))[0]
    spheres = tuple(model.spheres[i] for i in used)
    # Alone the thick ends of limbs move too little between knots to pass each other.
    found = CollisionModel(spheres, model.solids, pairs[used], margin, bool(scene))
    if not scene:
        _ALONE[robot][margin] = found
    return found


def _with_pairs(
    robot: RobotModel, model: CollisionModel, apart: Sequence[Sequence[str]]
) -> CollisionModel:
    """A collision model with pairs of links that keep their distance too."""
    known = [name for name, _ in links_with_shapes(robot)]
    for pair in apart:
        if len(pair) != 2 or pair[0] == pair[1]:
            raise BackbeatError(
                f"apart has pairs of two links, as in 'apart: [[head, chest]]', not "
                f"{shown(list(pair))}",
                path=("apart",),
            )
        for link in pair:
            if link not in known:
                with located("apart"):
                    what = f"link with a shape of {robot.name}"
                    raise unknown_name(what, link, known)
    links = sorted({link for pair in apart for link in pair})
    near = make_collision_model(robot, links, (), model.margin)
    spheres, rows = list(model.spheres), [model.pairs]
    for pair in apart:
        # The smaller of two covers is closer to the shape that it covers.
        covers = {n: [f for f in near.spheres if f.link == n] for n in pair}
        link = min(pair, key=lambda n: (max(f.radius for f in covers[n]), n))
        (other,) = (n for n in pair if n != link)
        spheres += covers[link]
        row = np.array([solid.name == other for solid in model.solids])
        rows.append(np.tile(row, (len(covers[link]), 1)))
    return replace(model, spheres=tuple(spheres), pairs=np.vstack(rows))


# Models of robots alone, by their margin: each is made once.
_ALONE: WeakKeyDictionary[RobotModel, dict[float, CollisionModel]] = WeakKeyDictionary()


def with_corners(model: CollisionModel, bodies: tuple[int, int]) -> CollisionModel:
    """A model in which corners of boxes on two bodies keep away from each other's.

    Spheres along a box leave out its corners, with which hands that cross meet.

    Args:
        model: with the boxes among its solids.
        bodies: two fused bodies.
    """
    spheres, rows = list(model.spheres), [model.pairs]
    for body, other in (bodies, bodies[::-1]):
        meets = [s.kind == BOX and s.body == other for s in model.solids]
        for box in (s for s in model.solids if s.kind == BOX and s.body == body):
            # All corners of a box have the geometry of its spheres.
            sphere = next(f for f in model.spheres if f.link == box.name)
            for signs in itertools.product((-1.0, 1.0), repeat=3):
                p = box.X_PS.multiply(box.size * signs)
                frame = Frame(box.name, body, np.eye(3), p)
                spheres.append(replace(sphere, part=CORNER, frame=frame, radius=0.0))
                rows.append(np.array([meets]))
    return replace(model, spheres=tuple(spheres), pairs=np.vstack(rows))


def links_with_shapes(robot: RobotModel) -> list[tuple[str, int]]:
    """Links and items with collision shapes, and the fused body of each."""
    found = {name: frame.body for _, name, frame, _, _ in _Shapes(robot).items()}
    return list(found.items())


def _depth(robot: RobotModel, body: int) -> int:
    """Joints between a body and the next one that the tree branches at."""
    parents, depth = robot.tree.parent, 0
    while body > 0:
        body = int(parents[body - 1])
        depth += 1
        if np.count_nonzero(parents == body) > 1:
            break
    return depth


def _may_touch(shapes: _Shapes, sphere: CollisionSphere, source: GeometryId) -> bool:
    """Whether Drake would let two of the robot's shapes collide."""
    inspector, plant = shapes.inspector, shapes.plant
    if inspector.CollisionFiltered(sphere.geometry, source):
        return False
    bodies = [
        plant.GetBodyFromFrameId(inspector.GetFrameId(g))
        for g in (sphere.geometry, source)
    ]
    if plant.GetBodiesWeldedTo(bodies[0]) and bodies[1].index() in {
        b.index() for b in plant.GetBodiesWeldedTo(bodies[0])
    }:
        return False
    # What is welded to a link inherits the link's neighbors.
    return not _neighbors(shapes, bodies[0], bodies[1])


def _neighbors(shapes: _Shapes, a: object, b: object) -> bool:
    """Whether two bodies are at most two joints apart."""
    robot = shapes.robot
    index = [robot.body_of(shapes.plant, body) for body in (a, b)]
    chains = []
    for i in index:
        chain = [i]
        while i > 0 and len(chain) < 3:
            i = int(robot.tree.parent[i - 1])
            chain.append(i)
        chains.append(chain)
    return index[0] in chains[1] or index[1] in chains[0]


def cover(shape: object, X_LG: RigidTransform) -> list[tuple[np.ndarray, float]]:
    """Spheres (center in the link, radius) that cover a shape along its length."""
    if isinstance(shape, Sphere):
        return [(np.array(X_LG.translation()), shape.radius())]
    if isinstance(shape, Capsule | Cylinder):
        r, half = shape.radius(), 0.5 * shape.length()
        if isinstance(shape, Cylinder):
            half = max(0.0, half - r)
        axis = np.array([0.0, 0.0, 1.0])
    elif isinstance(shape, Box):
        sizes = np.array(shape.size())
        long = int(np.argmax(sizes))
        r = 0.5 * float(np.delete(sizes, long).max())
        half = max(0.0, 0.5 * sizes[long] - r)
        axis = np.eye(3)[long]
    else:
        return []
    spacing = max(1.2 * r, BEADS)
    count = max(1, int(np.ceil(2 * half / spacing)) + 1)
    return [(X_LG.multiply(axis * s), r) for s in np.linspace(-half, half, count)]


def _solid(name: str, body: int, shape: object, X: RigidTransform) -> Solid | None:
    if isinstance(shape, Sphere) and shape.radius() < POINT:
        return None
    if isinstance(shape, Capsule | Sphere):
        length = 0.0 if isinstance(shape, Sphere) else shape.length()
        size = np.array([shape.radius(), 0.5 * length, 0.0])
        rod = Solid(name, CAPSULE, body, X, size)
        if shape.radius() >= THIN:
            return rod
        return replace(rod, size=np.array([THIN, *size[1:]]), inner=rod)
    if isinstance(shape, Cylinder):
        size = np.array([shape.radius(), 0.5 * shape.length(), 0.0])
        return Solid(name, CYLINDER, body, X, size)
    if isinstance(shape, Box):
        return Solid(name, BOX, body, X, 0.5 * np.array(shape.size()))
    return None
