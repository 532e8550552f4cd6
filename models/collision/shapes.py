"""Collision shapes for planning: spheres on the robot against solid shapes.

Each sphere keeps its distance from solids: shapes of the scene, fixed in the
world, and shapes of other links.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from pydrake.geometry import GeometryId
from pydrake.math import RigidTransform

from backbeat.models.compiled.arrays import Array3, IndexMatrix, Indices, Matrix, Vector
from backbeat.models.dynamics.frames import Frame

# Distances beyond this are all the same [m].
FAR = 0.15
# Kinds of solids.
CYLINDER, CAPSULE, BOX = range(3)
WORLD = -1


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
class CollisionSphere:
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
    """Spheres, solids and which pairs of them keep a distance.

    Attributes:
        spheres: spheres on the robot.
        solids: shapes of scene and robot.
        pairs: (spheres, solids) whether the pair counts.
        margin: distance to keep [m].
        checks_midpoints: whether distances are also checked half way between knots,
            for spheres so thin and fast that they could pass through a solid there.
    """

    spheres: tuple[CollisionSphere, ...]
    solids: tuple[Solid, ...]
    pairs: np.ndarray
    margin: float
    checks_midpoints: bool = True

    def arrays(self) -> "CollisionArrays":
        """The same as arrays for compiled code."""
        spheres, solids = self.spheres, self.solids
        lists = [np.where(row)[0] for row in self.pairs]
        candidates = np.full((len(spheres), max([0, *map(len, lists)]) + 1), -1)
        for i, found in enumerate(lists):
            candidates[i, : len(found)] = found
        size = np.array([s.size for s in solids], float).reshape(-1, 3)
        S = len(solids)
        return CollisionArrays(
            body=np.array([f.frame.body for f in spheres], np.int64),
            p=np.array([f.frame.p_PF for f in spheres], float).reshape(-1, 3),
            radius=np.array([f.radius for f in spheres], float),
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
        self, spheres: Sequence[int], without: Sequence[str]
    ) -> "CollisionModel":
        """Some of the spheres, among all solids but those of some links."""
        kept = list(spheres)
        pairs = self.pairs[kept].copy()
        for j, solid in enumerate(self.solids):
            if solid.name in without:
                pairs[:, j] = False
        chosen = tuple(self.spheres[i] for i in kept)
        return CollisionModel(
            chosen, self.solids, pairs, self.margin, self.checks_midpoints
        )

    def watches(self, link: str, other: str) -> bool:
        """Whether two links, or items, keep a distance from each other."""
        links, solids = [f.link for f in self.spheres], [s.name for s in self.solids]
        return any(
            {links[i], solids[j]} == {link, other}
            for i, j in np.argwhere(self.pairs).tolist()
        )

    def spheres_of(self, link: str, part: str) -> list[int]:
        """Indices of the spheres of one shape of a link."""
        return [
            i for i, f in enumerate(self.spheres) if (f.link, f.part) == (link, part)
        ]


NOTHING = CollisionModel((), (), np.zeros((0, 0), bool), 0.0)


class CollisionArrays(NamedTuple):
    """A CollisionModel for compiled code."""

    body: Indices  # (F,) fused body of each sphere
    p: Matrix  # (F, 3) its center there
    radius: Vector  # (F,)
    kind: Indices  # (S,)
    solid_body: Indices  # (S,) fused body, or -1 for the world
    solid_R: Array3  # (S, 3, 3)
    solid_p: Matrix  # (S, 3)
    size: Matrix  # (S, 3)
    reach: Vector  # (S,) radius of a ball around each solid
    candidates: IndexMatrix  # (F, most) solids of each sphere, -1 at the end
    R: Array3  # (S, 3, 3) scratch: rotations of the solids
    r: Matrix  # (S, 3) scratch: their places from the base origin
