"""Collision shapes for planning: spheres on the robot against solid shapes.

The robot's own collision geometry, read through Drake, is covered by spheres.
Each sphere keeps its distance from solids: shapes of the scene, fixed in the
world, and shapes of other links. Which pairs matter is decided by Drake's
collision filters: links that share a joint, or are filtered in the URDF, are not
a pair.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from pydrake.geometry import (
    Box,
    Capsule,
    Cylinder,
    GeometryId,
    Sphere,
)
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
from pydrake.systems.framework import DiagramBuilder

from models.robot import Frame, RobotModel
from models.rotations import compiled

# Joints from the root of a limb whose links keep apart by design.
NEAR_JOINTS = 3
# Distances beyond this are all the same [m].
FAR = 0.15
# Kinds of solids.
CYLINDER, CAPSULE, BOX = range(3)
WORLD = -1
# Most distance between spheres on a rod thinner than them [m]: two drum sticks with
# spheres 4 cm apart would cross between them, each sphere 1 cm from the other stick.
BEADS = 0.03
# Least radius of a rod as planners see it [m]: one stick passes through another within
# a few milliseconds, between two instants at which anybody looks.
THIN = 0.01


@dataclass(frozen=True)
class Solid:
    """A solid shape on a fused body or in the world.

    Attributes:
        name: link or thing it belongs to.
        kind: CYLINDER, CAPSULE or BOX.
        body: fused body, or WORLD.
        X_PS: its pose in the body or the world; axes along z.
        size: (3,) radius and half length, or half sizes of a box [m].
        inner: the thing itself, where planners see it larger than it is.
    """

    name: str
    kind: int
    body: int
    X_PS: RigidTransform
    size: np.ndarray
    inner: "Solid | None" = None

    @property
    def reach(self) -> float:
        """Radius of the ball around its center that holds it [m]."""
        if self.kind == CAPSULE:
            return float(self.size[0] + self.size[1])
        return float(np.linalg.norm(self.size))


@dataclass(frozen=True)
class Feeler:
    """A sphere on the robot that keeps its distance.

    Attributes:
        link: link or item it covers.
        part: name of the shape it was made from.
        frame: where it is on the fused model.
        radius: [m].
        geometry: Drake's geometry it was made from.
    """

    link: str
    part: str
    frame: Frame
    radius: float
    geometry: GeometryId


@dataclass(frozen=True)
class CollisionModel:
    """Feelers, solids and who keeps away from whom.

    Attributes:
        feelers: spheres on the robot.
        solids: shapes of scene and robot.
        pairs: (feelers, solids) whether the pair counts.
        margin: distance to keep [m].
        is_swept: whether feelers are so thin and fast that they could pass through a
            solid between two knots.
    """

    feelers: tuple[Feeler, ...]
    solids: tuple[Solid, ...]
    pairs: np.ndarray
    margin: float
    is_swept: bool = True

    def arrays(self) -> "CollisionArrays":
        """The same as arrays for compiled code."""
        feelers, solids = self.feelers, self.solids
        lists = [np.where(row)[0] for row in self.pairs]
        candidates = np.full((len(feelers), max([0, *map(len, lists)]) + 1), -1)
        for i, found in enumerate(lists):
            candidates[i, : len(found)] = found
        size = np.array([s.size for s in solids], float).reshape(-1, 3)
        S = len(solids)
        return CollisionArrays(
            body=np.array([f.frame.body for f in feelers], np.int64),
            p=np.array([f.frame.p_PF for f in feelers], float).reshape(-1, 3),
            radius=np.array([f.radius for f in feelers], float),
            kind=np.array([s.kind for s in solids], np.int64),
            solid_body=np.array([s.body for s in solids], np.int64),
            solid_R=np.array([s.X_PS.rotation().matrix() for s in solids]).reshape(
                S, 3, 3
            ),
            solid_p=np.array([s.X_PS.translation() for s in solids]).reshape(S, 3),
            size=size,
            reach=np.array([s.reach for s in solids], float),
            candidates=candidates.astype(np.int64),
            R=np.zeros((S, 3, 3)),
            r=np.zeros((S, 3)),
        )

    def restricted(
        self, feelers: Sequence[int], without: Sequence[str]
    ) -> "CollisionModel":
        """Some of the feelers, among all solids but those of some links."""
        kept = list(feelers)
        pairs = self.pairs[kept].copy()
        for j, solid in enumerate(self.solids):
            if solid.name in without:
                pairs[:, j] = False
        chosen = tuple(self.feelers[i] for i in kept)
        return CollisionModel(chosen, self.solids, pairs, self.margin, self.is_swept)

    def feelers_of(self, link: str, part: str) -> list[int]:
        """Indices of the feelers of one shape of a link."""
        return [
            i for i, f in enumerate(self.feelers) if (f.link, f.part) == (link, part)
        ]


NOTHING = CollisionModel((), (), np.zeros((0, 0), bool), 0.0)


class CollisionArrays(NamedTuple):
    """A CollisionModel for compiled code."""

    body: np.ndarray  # (F,) fused body of each feeler
    p: np.ndarray  # (F, 3) its center there
    radius: np.ndarray  # (F,)
    kind: np.ndarray  # (S,)
    solid_body: np.ndarray  # (S,) fused body, or -1 for the world
    solid_R: np.ndarray  # (S, 3, 3)
    solid_p: np.ndarray  # (S, 3)
    size: np.ndarray  # (S, 3)
    reach: np.ndarray  # (S,) radius of a ball around each solid
    candidates: np.ndarray  # (F, most) solids of each feeler, -1 at the end
    R: np.ndarray  # (S, 3, 3) scratch: rotations of the solids
    r: np.ndarray  # (S, 3) scratch: their places from the base origin


class _Shapes:
    """The robot's collision shapes as Drake reads them, on fused bodies."""

    def __init__(self, robot: RobotModel) -> None:
        builder = DiagramBuilder()
        plant, self.scene_graph = AddMultibodyPlantSceneGraph(builder, 0.0)
        robot.add_to(plant)
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
                for g in self.plant.GetCollisionGeometriesForBody(body):
                    shape = self.inspector.GetShape(g)
                    X = self.inspector.GetPoseInFrame(g)
                    found.append((g, name, self.robot.link_frame(name), shape, X))
        return found


def make_collision_model(
    robot: RobotModel,
    links: Sequence[str],
    scene: Sequence[Solid],
    margin: float = 0.01,
) -> CollisionModel:
    """Covers links by feelers and pairs them with everything they could meet.

    Args:
        robot: the robot.
        links: links, or items carried, that keep their distance.
        scene: solids of the scene.
        margin: distance to keep [m].
    """
    shapes = _Shapes(robot)
    feelers: list[Feeler] = []
    solids = list(scene)
    sources: list[GeometryId | None] = [None] * len(solids)
    for g, name, link, shape, X_LG in shapes.items():
        X_PL = RigidTransform(RotationMatrix(link.R_PF), link.p_PF)
        if name in links:
            for p_LS, radius in cover(shape, X_LG):
                p = X_PL.multiply(p_LS)
                frame = Frame(name, link.body, np.eye(3), p)
                part = shapes.inspector.GetName(g).split("::")[-1]
                feelers.append(Feeler(name, part, frame, radius, g))
        solid = _solid(name, link.body, shape, X_PL @ X_LG)
        if solid is not None:
            solids.append(solid)
            sources.append(g)
    pairs = np.zeros((len(feelers), len(solids)), bool)
    for i, feeler in enumerate(feelers):
        for j, source in enumerate(sources):
            pairs[i, j] = source is None or _may_touch(shapes, feeler, source)
    return CollisionModel(tuple(feelers), tuple(solids), pairs, margin)


def make_self_collision_model(
    robot: RobotModel, margin: float = 0.01, scene: Sequence[Solid] = ()
) -> CollisionModel:
    """Keeps the ends of the limbs away from each other and the rest of the robot.

    Feelers cover the links beyond the first `NEAR_JOINTS` joints of every limb,
    for those before them cannot get anywhere. Of two links with feelers one feels
    for both.

    Args:
        robot: the robot.
        margin: distance to keep [m].
        scene: solids around the robot, to keep away from too.
    """
    if not scene and margin in _ALONE.setdefault(robot, {}):
        return _ALONE[robot][margin]
    links = [n for n, body in _links(robot) if _depth(robot, body) > NEAR_JOINTS]
    model = make_collision_model(robot, links, scene, margin)
    pairs = model.pairs.copy()
    for i, feeler in enumerate(model.feelers):
        first = links[: links.index(feeler.link)]
        pairs[i] &= [solid.name not in first for solid in model.solids]
    used = np.where(pairs.any(1))[0]
    feelers = tuple(model.feelers[i] for i in used)
    # Alone the thick ends of limbs move too little between knots to pass each other.
    found = CollisionModel(feelers, model.solids, pairs[used], margin, bool(scene))
    if not scene:
        _ALONE[robot][margin] = found
    return found


# Models of robots alone, by their margin: each is made once.
_ALONE: WeakKeyDictionary[RobotModel, dict[float, CollisionModel]] = WeakKeyDictionary()


def _links(robot: RobotModel) -> list[tuple[str, int]]:
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


def _may_touch(shapes: _Shapes, feeler: Feeler, source: GeometryId) -> bool:
    """Whether Drake would let two of the robot's shapes collide."""
    inspector, plant = shapes.inspector, shapes.plant
    if inspector.CollisionFiltered(feeler.geometry, source):
        return False
    bodies = [
        plant.GetBodyFromFrameId(inspector.GetFrameId(g))
        for g in (feeler.geometry, source)
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
    if isinstance(shape, Capsule):
        size = np.array([shape.radius(), 0.5 * shape.length(), 0.0])
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


@compiled
def signed_distance(kind, size, x, n):
    """Signed distance of the local point x from a solid, gradient in n."""
    if kind == CAPSULE:
        z = min(max(x[2], -size[1]), size[1])
        dx, dy, dz = x[0], x[1], x[2] - z
        d = np.sqrt(dx * dx + dy * dy + dz * dz)
        s = 1 / max(d, 1e-9)
        n[0], n[1], n[2] = dx * s, dy * s, dz * s
        return d - size[0]
    if kind == CYLINDER:
        rho = np.sqrt(x[0] * x[0] + x[1] * x[1])
        s = 1 / max(rho, 1e-9)
        a, b = rho - size[0], abs(x[2]) - size[1]
        sign = 1.0 if x[2] >= 0 else -1.0
        if a > 0 and b > 0:
            d = np.sqrt(a * a + b * b)
            n[0], n[1], n[2] = a * x[0] * s / d, a * x[1] * s / d, b * sign / d
            return d
        if a > b:
            n[0], n[1], n[2] = x[0] * s, x[1] * s, 0.0
            return a
        n[0], n[1], n[2] = 0.0, 0.0, sign
        return b
    d2 = 0.0
    inside = -1e30
    axis = 0
    for i in range(3):
        e = abs(x[i]) - size[i]
        n[i] = 0.0
        if e > inside:
            inside = e
            axis = i
        if e > 0:
            d2 += e * e
            n[i] = e if x[i] >= 0 else -e
    if inside > 0:
        d = np.sqrt(d2)
        for i in range(3):
            n[i] /= d
        return d
    n[axis] = 1.0 if x[axis] >= 0 else -1.0
    return inside


@compiled
def distances(arrays, tree, ws, p_WB, on, g, D, linearize):
    """Distance of every feeler from its nearest solid, and its derivative.

    Args:
        arrays: CollisionArrays.
        tree, ws: tree and workspace after `models.dynamics.forward_pass`.
        p_WB: (3,) base origin in the world.
        on: (F,) which feelers to look at; the others get FAR.
        g: (F,) written: distances, at most FAR [m].
        D: (F, nv) written when `linearize`: derivatives; zero when far.
        linearize: whether to write derivatives.
    """
    _place_solids(arrays, ws, p_WB)
    r = np.empty(3)
    x = np.empty(3)
    n = np.empty(3)
    normal = np.empty(3)
    for f in range(arrays.body.shape[0]):
        g[f] = FAR
        if linearize:
            for j in range(D.shape[1]):
                D[f, j] = 0.0
        if not on[f]:
            continue
        b = arrays.body[f]
        for i in range(3):
            r[i] = ws.p[b, i]
            for m in range(3):
                r[i] += ws.R[b, i, m] * arrays.p[f, m]
        best = FAR
        nearest = -1
        for e in range(arrays.candidates.shape[1]):
            s = arrays.candidates[f, e]
            if s < 0:
                break
            dx = r[0] - arrays.r[s, 0]
            dy = r[1] - arrays.r[s, 1]
            dz = r[2] - arrays.r[s, 2]
            room = best + arrays.reach[s] + arrays.radius[f]
            if room < 0 or dx * dx + dy * dy + dz * dz > room * room:
                continue
            R = arrays.R[s]
            for i in range(3):
                x[i] = R[0, i] * dx + R[1, i] * dy + R[2, i] * dz
            d = signed_distance(arrays.kind[s], arrays.size[s], x, n)
            d -= arrays.radius[f]
            if d < best:
                best = d
                nearest = s
                for i in range(3):
                    normal[i] = R[i, 0] * n[0] + R[i, 1] * n[1] + R[i, 2] * n[2]
        g[f] = best
        if linearize and nearest >= 0:
            _add_point_speed(tree, ws, b, r, normal, 1.0, D[f])
            if arrays.solid_body[nearest] >= 0:
                a = arrays.solid_body[nearest]
                _add_point_speed(tree, ws, a, r, normal, -1.0, D[f])


@compiled
def _place_solids(arrays, ws, p_WB):
    """Poses of all solids from the base origin, world axes."""
    for s in range(arrays.kind.shape[0]):
        b = arrays.solid_body[s]
        for i in range(3):
            if b < 0:
                arrays.r[s, i] = arrays.solid_p[s, i] - p_WB[i]
                for m in range(3):
                    arrays.R[s, i, m] = arrays.solid_R[s, i, m]
                continue
            t = ws.p[b, i]
            for o in range(3):
                t += ws.R[b, i, o] * arrays.solid_p[s, o]
            arrays.r[s, i] = t
            for m in range(3):
                t = 0.0
                for o in range(3):
                    t += ws.R[b, i, o] * arrays.solid_R[s, o, m]
                arrays.R[s, i, m] = t


@compiled
def _add_point_speed(tree, ws, body, r, n, sign, out):
    """out += sign * n' Jv of the point r riding on a body."""
    nf = 6 if tree.floating else 0
    if nf:
        out[0] += sign * (n[2] * r[1] - n[1] * r[2])
        out[1] += sign * (n[0] * r[2] - n[2] * r[0])
        out[2] += sign * (n[1] * r[0] - n[0] * r[1])
        for i in range(3):
            out[3 + i] += sign * n[i]
    if body == 0:
        return
    na = tree.num_ancestors[body - 1]
    for i in range(na + 1):
        j = nf + (tree.ancestor[body - 1, i] if i < na else body - 1)
        s = ws.S[j]
        out[j] += sign * (
            n[0] * (s[3] + s[1] * r[2] - s[2] * r[1])
            + n[1] * (s[4] + s[2] * r[0] - s[0] * r[2])
            + n[2] * (s[5] + s[0] * r[1] - s[1] * r[0])
        )
