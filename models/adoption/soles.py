"""Soles: the rectangle that a foot stands on, from what of it touches."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from pydrake.geometry import Mesh

from backbeat.models.adoption.model_tree import ModelTree, TreeJoint
from backbeat.models.common.errors import BackbeatError
from backbeat.models.urdf.reading.description import Geometry, Pose, Shape
from backbeat.models.urdf.reading.forward_kinematics import transform
from backbeat.models.urdf.reading.meshes import TOUCHED, mesh_file
from backbeat.models.urdf.reading.writing import roll_pitch_yaw

# How far above its lowest point a foot still stands [m], least and most.
FLAT, ROUNDED = 0.003, 0.01
# Shares of the leg's length: least half length and half width of a sole.
SHORTEST, NARROWEST = 0.04, 0.012
# Half width of a sole that is a line [m].
LINE = 0.005
# Corners of a round shape that are looked at.
AROUND = 16


class Sole(NamedTuple):
    """The rectangle that a foot stands on.

    Attributes:
        link: link that it is on.
        position: (3,) its center in the link [m].
        rpy: (3,) its frame in the link [rad]: z up, x ahead.
        half_length, half_width: along and across [m].
        shapes: words for what it was found from.
        is_guess: whether that was only drawn, or has a rounded bottom.
    """

    link: str
    position: np.ndarray
    rpy: np.ndarray
    half_length: float
    half_width: float
    shapes: str
    is_guess: bool

    def corners(self) -> np.ndarray:
        """(4, 3) its corners in the link [m]."""
        signs = np.array([[1, 1, 0], [1, -1, 0], [-1, -1, 0], [-1, 1, 0]])
        size = np.array([self.half_length, self.half_width, 0.0])
        R = transform(Pose(rpy=tuple(self.rpy)))[:3, :3]
        return np.asarray((signs * size) @ R.T + self.position)


def find_sole(tree: ModelTree, leg: Sequence[TreeJoint]) -> Sole:
    """The sole of a leg, with the robot upright and all joints at zero.

    Raises:
        BackbeatError: nothing of the foot can be stood on.
    """
    last = leg[-1]
    links = [n for j in tree.beyond(last) for n in tree.links[j.body]]
    for use in ("collisions", "visuals"):
        points, kinds = _points(tree, links, use)
        if len(points):
            break
    else:
        raise BackbeatError(_nothing(tree, last, "has no shape that touches"))
    foot = tree.poses[tree.moved_link(last)]
    length = float(leg[0].place[2] - points[:, 2].min())
    best = None
    for normal in _normals(foot):
        for depth in (FLAT, ROUNDED):
            found = _rectangle(points, normal, depth)
            half_length, half_width = found[1]
            if half_length > SHORTEST * length and half_width > NARROWEST * length:
                return _sole(tree, last, found, kinds, use, depth > FLAT)
            if best is None or half_length > best[1][0]:
                best = found
    assert best is not None
    if best[1][0] < SHORTEST * length:
        raise BackbeatError(
            _nothing(
                tree,
                last,
                f"touches with {kinds} over {2e3 * best[1][0]:.0f} mm by "
                f"{2e3 * best[1][1]:.0f} mm alone",
            )
        )
    return _sole(tree, last, best, kinds, use, True)


def _nothing(tree: ModelTree, last: TreeJoint, why: str) -> str:
    link = tree.moved_link(last)
    return (
        f"{tree.description.path.name}: the foot {link} {why}, and a robot stands on "
        f"soles; give {link} a <collision> that is flat below, such as a box"
    )


def _normals(foot: np.ndarray) -> Iterator[np.ndarray]:
    """Directions that may be up for a foot: the robot's, and those of its link."""
    up = np.array([0.0, 0.0, 1.0])
    yield up
    axes = [s * foot[:3, k] for k in range(3) for s in (1.0, -1.0)]
    nearest = max(axes, key=lambda a: float(a @ up))
    if float(nearest @ up) > 0.7:
        yield nearest


def _rectangle(
    points: np.ndarray, normal: np.ndarray, depth: float
) -> tuple[np.ndarray, tuple[float, float], np.ndarray]:
    """Center, half sizes and axes (columns) of what is lowest along a normal."""
    ahead = np.array([1.0, 0.0, 0.0])
    ahead = ahead - (ahead @ normal) * normal
    ahead = ahead / np.linalg.norm(ahead)
    R = np.column_stack([ahead, np.cross(normal, ahead), normal])
    seen = points @ R
    bottom = float(seen[:, 2].min())
    low = seen[seen[:, 2] < bottom + depth]
    least, most = low[:, :2].min(0), low[:, :2].max(0)
    half = 0.5 * (most - least)
    center = R @ np.r_[0.5 * (least + most), bottom]
    return center, (float(half[0]), float(half[1])), R


def _sole(
    tree: ModelTree,
    last: TreeJoint,
    found: tuple[np.ndarray, tuple[float, float], np.ndarray],
    kinds: str,
    use: str,
    is_guess: bool,
) -> Sole:
    link = tree.moved_link(last)
    X = tree.poses[link]
    center, (half_length, half_width), R = found
    R_LC = X[:3, :3].T @ R
    rpy = np.array(roll_pitch_yaw(R_LC))
    what = kinds if use == "collisions" else f"{kinds} (drawn: nothing of it touches)"
    return Sole(
        link,
        X[:3, :3].T @ (center - X[:3, 3]),
        np.where(np.abs(rpy) < 1e-6, 0.0, rpy),
        half_length,
        max(half_width, LINE),
        what,
        is_guess or use == "visuals",
    )


def _points(tree: ModelTree, links: Sequence[str], use: str) -> tuple[np.ndarray, str]:
    """(n, 3) lowest points of shapes of links [m], and words for the shapes."""
    found, kinds = [np.zeros((0, 3))], dict[str, int]()
    for name in links:
        shapes: Sequence[Shape] = getattr(tree.description.links[name], use)
        for shape in shapes:
            if shape.geometry is None:
                continue
            points = shape_points(shape.geometry, tree.description.path)
            if not len(points):
                continue
            X = tree.poses[name] @ transform(shape.origin)
            up = X[:3, :3].T @ np.array([0.0, 0.0, 1.0])
            radius = round_by(shape.geometry)
            found.append((points - radius * up) @ X[:3, :3].T + X[:3, 3])
            kind = shape.geometry.kind
            kinds[kind] = kinds.get(kind, 0) + 1
    words = ", ".join(_counted(n, kind) for kind, n in kinds.items())
    return np.vstack(found), words


def _counted(number: int, kind: str) -> str:
    """So many shapes of a kind, in words."""
    plural = {"box": "boxes", "mesh": "meshes"}.get(kind, f"{kind}s")
    return f"{number} {kind if number == 1 else plural}"


def round_by(geometry: Geometry) -> float:
    """Radius around the points of a shape [m]; 0 for what has corners."""
    return geometry.size[0] if geometry.kind in ("sphere", "capsule") else 0.0


def shape_points(geometry: Geometry, urdf: str | Path) -> np.ndarray:
    """(n, 3) corners of a shape in its own frame [m], or centers of its round ends."""
    size = geometry.size
    if geometry.kind == "box":
        signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        return 0.5 * signs * size
    if geometry.kind == "sphere":
        return np.zeros((1, 3))
    if geometry.kind == "capsule":
        return np.array([[0.0, 0.0, s * size[1]] for s in (-0.5, 0.5)])
    if geometry.kind == "cylinder":
        angles = np.linspace(0.0, 2.0 * np.pi, AROUND, endpoint=False)
        rim = size[0] * np.column_stack([np.cos(angles), np.sin(angles)])
        ends = [np.c_[rim, np.full(AROUND, s * size[1])] for s in (-0.5, 0.5)]
        return np.vstack(ends)
    if geometry.kind == "ellipsoid":
        signs = np.vstack([np.eye(3), -np.eye(3)])
        return np.asarray(signs * size)
    if geometry.kind == "mesh":
        return _hull(geometry, urdf)
    return np.zeros((0, 3))


def _hull(geometry: Geometry, urdf: str | Path) -> np.ndarray:
    """(n, 3) corners of a mesh's hull [m]; none where it cannot be read."""
    path = mesh_file(geometry.filename, urdf, TOUCHED).path
    if path is None:
        return np.zeros((0, 3))
    try:
        hull = Mesh(str(path)).GetConvexHull()
    except RuntimeError:
        return np.zeros((0, 3))  # Flat or broken; loading it says so.
    scale = np.array(geometry.size) if geometry.size else np.ones(3)
    corners = [hull.vertex(i) for i in range(hull.num_vertices())]
    return np.array(corners) * scale
