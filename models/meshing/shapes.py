"""Parametric shapes for the visual meshes of robot, kit and sticks.

A shape is a triangle mesh made by one of three moves: `loft` (sections stacked along an
axis), `revolve` (a profile turned around an axis) and `sweep` (a disc drawn along a
path). Everything else here is one of them with the arguments filled in. Shapes face
outward and are closed, save for ends that are left open. A link's looks are
shapes laid over each other, which costs fewer triangles than Boolean operations.

Lengths in meters, angles in radians. Axes are named "x", "y", "z"; the section plane of
an axis is the next two letters in cyclic order: (y, z), (z, x), (x, y).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import cos, pi, sin

import numpy as np

_CYCLE = {"x": (1, 2, 0), "y": (2, 0, 1), "z": (0, 1, 2)}  # columns of (u, v, axis)


@dataclass(frozen=True)
class Mesh:
    """Triangles, outward normals by the right-hand rule.

    Attributes:
        points: Corners, shape (n, 3), in m.
        triangles: Indices of corners, shape (m, 3).
    """

    points: np.ndarray
    triangles: np.ndarray

    def moved(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> "Mesh":
        """Returns the mesh shifted by (x, y, z), in m."""
        return replace(self, points=self.points + [x, y, z])

    def turned(self, axis: str, angle: float) -> "Mesh":
        """Returns the mesh turned about an axis through the origin, angle in rad."""
        u, v, _ = _CYCLE[axis]
        c, s = cos(angle), sin(angle)
        points = self.points.copy()
        points[:, u] = c * self.points[:, u] - s * self.points[:, v]
        points[:, v] = s * self.points[:, u] + c * self.points[:, v]
        return replace(self, points=points)

    def mirrored(self, axis: str) -> "Mesh":
        """Returns the mirror image across the plane normal to an axis."""
        points = self.points.copy()
        points[:, "xyz".index(axis)] *= -1.0
        return Mesh(points, self.triangles[:, ::-1])

    def volume(self) -> float:
        """Returns the enclosed volume in m^3, negative if faces point inward."""
        a, b, c = (self.points[self.triangles[:, i]] for i in range(3))
        return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


def merge(meshes: Iterable[Mesh]) -> Mesh:
    """Returns one mesh that holds all the given ones, overlaps and all."""
    points, triangles, count = [], [], 0
    for mesh in meshes:
        points.append(mesh.points)
        triangles.append(mesh.triangles + count)
        count += len(mesh.points)
    return Mesh(np.vstack(points), np.vstack(triangles))


def superellipse(
    half_u: float, half_v: float, exponent: float = 2.0, count: int = 20
) -> np.ndarray:
    """Returns |u/half_u|^e + |v/half_v|^e = 1 as corners, shape (count, 2), in m.

    Exponent 2 is an ellipse, 4 a soft rectangle. Corners are spread by the angle of the
    ellipse, which puts enough of them where the soft corners are.
    """
    angle = 2.0 * pi * (np.arange(count) + 0.5) / count
    c, s = np.cos(angle), np.sin(angle)
    radius = (np.abs(c) ** exponent + np.abs(s) ** exponent) ** (-1.0 / exponent)
    return np.stack([half_u * radius * c, half_v * radius * s], axis=1)


def rounded_polygon(
    corners: Sequence[tuple[float, float]], radius: float, steps: int = 2
) -> np.ndarray:
    """Returns a convex polygon with each corner cut into a small arc.

    Args:
        corners: Corners in counterclockwise order, in m.
        radius: Distance from each corner at which its arc begins, in m.
        steps: Edges of each arc.

    Returns:
        Corners, shape (len(corners) * (steps + 1), 2), in m.
    """
    polygon = np.asarray(corners, dtype=float)
    result = []
    for before, here, after in zip(
        np.roll(polygon, 1, 0), polygon, np.roll(polygon, -1, 0), strict=True
    ):
        ends = []
        for other in (before, after):
            edge = other - here
            length = max(float(np.linalg.norm(edge)), 1e-9)
            ends.append(here + edge * min(radius / length, 0.5))
        for t in np.linspace(0.0, 1.0, steps + 1):  # quadratic Bezier arc
            result.append(
                (1 - t) ** 2 * ends[0] + 2 * t * (1 - t) * here + t**2 * ends[1]
            )
    return np.array(result)


def loft(
    sections: Sequence[np.ndarray],
    stations: Sequence[float] | np.ndarray,
    axis: str = "z",
    bevel: float | tuple[float, float] = 0.0,
    closed: tuple[bool, bool] = (True, True),
) -> Mesh:
    """Returns the solid that passes through sections stacked along an axis.

    Args:
        sections: Counterclockwise convex corners in the section plane, all of the
            same shape (n, 2), in m.
        stations: Where each section stands along the axis, ascending, in m.
        axis: Name of the axis.
        bevel: Width of the cut around the two end faces, in m; one for both or
            (first, last).
        closed: Whether the (first, last) end has a face; ends that vanish in another
            shape do without.
    """
    first, last = bevel if isinstance(bevel, tuple) else (bevel, bevel)
    rings = [(s, float(w)) for s, w in zip(sections, stations, strict=True)]
    if first:
        section, w = rings[0]
        rings[:1] = [(_inset(section, first), w), (section, w + first)]
    if last:
        section, w = rings[-1]
        rings[-1:] = [(section, w - last), (_inset(section, last), w)]
    columns = np.argsort(_CYCLE[axis])
    stack = [np.column_stack([uv, np.full(len(uv), w)])[:, columns] for uv, w in rings]
    return _skin(stack, closed)


def tube(
    stations: Sequence[tuple[float, float, float, float, float]],
    axis: str = "z",
    exponent: float = 2.5,
    count: int = 18,
    bevel: float | tuple[float, float] = 0.0,
    closed: tuple[bool, bool] = (True, True),
) -> Mesh:
    """Returns a loft of superellipses: limbs and shells.

    Args:
        stations: (w, center_u, center_v, half_u, half_v) in m, w ascending.
        axis: Name of the axis w.
        exponent: Of the superellipses.
        count: Corners of a section.
        bevel: As in `loft`.
        closed: As in `loft`.
    """
    sections = [
        superellipse(half_u, half_v, exponent, count) + [u, v]
        for _, u, v, half_u, half_v in stations
    ]
    return loft(sections, [station[0] for station in stations], axis, bevel, closed)


def revolve(
    profile: Sequence[tuple[float, float]],
    axis: str = "z",
    count: int = 24,
    closed: tuple[bool, bool] = (True, True),
) -> Mesh:
    """Returns a profile of (position along the axis, radius) turned full circle, in m.

    Positions need not ascend, so that a thin dish such as a cymbal is one profile.
    `closed` is as in `loft`.
    """
    angle = 2.0 * pi * np.arange(count) / count
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    columns = np.argsort(_CYCLE[axis])
    stack = [
        np.column_stack([radius * circle, np.full(count, w)])[:, columns]
        for w, radius in profile
    ]
    return _skin(stack, closed)


def drum(
    radius: float, length: float, axis: str = "z", count: int = 24, bevel: float = 0.004
) -> Mesh:
    """Returns a cylinder centered at the origin with beveled edges, in m."""
    half = length / 2.0
    ends = [(-half, 0.0), (-half, radius - bevel), (-half + bevel, radius)]
    return revolve(ends + [(-w, r) for w, r in reversed(ends)], axis, count)


def disc(radius: float, height: float, axis: str = "z", count: int = 16) -> Mesh:
    """Returns a plate to stick on a surface: it faces +axis and has no back, in m."""
    profile = [(0.0, radius), (height, radius - height)]
    return revolve(profile, axis, count, closed=(False, True))


def band(
    radius: float, length: float, rise: float = 0.0, axis: str = "z", count: int = 20
) -> Mesh:
    """Returns a hoop around a round surface, centered, edges cut by `rise`, in m."""
    half = length / 2.0
    profile = [(-half, radius - rise), (rise - half, radius)]
    profile += [(-w, r) for w, r in reversed(profile)]
    return revolve(profile, axis, count, closed=(False, False))


def sweep(
    path: Sequence[Sequence[float] | np.ndarray],
    radii: Sequence[float],
    count: int = 8,
) -> Mesh:
    """Returns a round bar with domed ends along a path of points, in m: fingers, rods.

    With two points it is a tapered capsule.
    """
    points = np.asarray(path, dtype=float)
    tangents = np.gradient(points, axis=0)
    tangents /= np.linalg.norm(tangents, axis=1, keepdims=True)
    side = np.cross(tangents[0], np.eye(3)[np.argmin(np.abs(tangents[0]))])
    angle = 2.0 * pi * np.arange(count) / count
    stack = []
    for index, (p, t, r) in enumerate(zip(points, tangents, radii, strict=True)):
        side = side - t * (side @ t)  # carried along, so that the skin does not twist
        side /= np.linalg.norm(side)
        up = np.cross(t, side)
        circle = np.outer(np.cos(angle), side) + np.outer(np.sin(angle), up)
        steps = [(0.0, 1.0)]
        if index == 0:
            steps = [(-1.0, 0.0), (-0.71, 0.71), (0.0, 1.0)]
        elif index == len(points) - 1:
            steps = [(0.0, 1.0), (0.71, 0.71), (1.0, 0.0)]
        stack += [p + r * (along * t + wide * circle) for along, wide in steps]
    return _skin(stack)


def rounded_box(size: Sequence[float], radius: float) -> Mesh:
    """Returns a box centered at the origin with soft edges, size (x, y, z) in m."""
    half = np.asarray(size, dtype=float) / 2.0
    x, y = half[:2]
    section = rounded_polygon([(x, y), (-x, y), (-x, -y), (x, -y)], radius, 1)
    return loft([section, section], [-half[2], half[2]], "z", radius)


def _inset(section: np.ndarray, distance: float) -> np.ndarray:
    """Returns a section shrunk about its middle by a distance on each side, in m."""
    middle = (section.max(0) + section.min(0)) / 2.0
    half = (section.max(0) - section.min(0)) / 2.0
    return middle + (section - middle) * np.maximum(1.0 - distance / half, 0.05)


def _skin(
    rings: Sequence[np.ndarray], closed: tuple[bool, bool] = (True, True)
) -> Mesh:
    """Returns the skin over rings of equal length, each of shape (n, 3).

    If the last ring is the first, the skin closes on itself and has no end faces.
    """
    count = len(rings[0])
    points = np.vstack([*rings, rings[0].mean(0)[None], rings[-1].mean(0)[None]])
    here, there = np.arange(count), np.roll(np.arange(count), -1)
    faces = []
    for base in range(0, (len(rings) - 1) * count, count):
        low, high = base + here, base + here + count
        low2, high2 = base + there, base + there + count
        faces += [np.stack([low, low2, high2], 1), np.stack([low, high2, high], 1)]
    start, middle = (len(rings) - 1) * count, len(points) - 2
    first = np.stack([there, here, np.full(count, middle)], 1)
    last = np.stack([start + here, start + there, np.full(count, middle + 1)], 1)
    ends = [] if np.allclose(rings[0], rings[-1]) else [first, last]
    inward = _welded(points, np.vstack(faces + ends)).volume() < 0.0
    faces += [end for end, wanted in zip(ends, closed, strict=False) if wanted]
    mesh = _welded(points, np.vstack(faces))
    return replace(mesh, triangles=mesh.triangles[:, ::-1]) if inward else mesh


def _welded(points: np.ndarray, triangles: np.ndarray) -> Mesh:
    """Returns the mesh with equal points joined and empty triangles dropped."""
    rounded = np.round(points, 6) + 0.0  # + 0.0 makes -0.0 equal to 0.0
    unique, index = np.unique(rounded, axis=0, return_inverse=True)
    triangles = index.reshape(-1)[triangles]
    a, b, c = triangles.T
    triangles = triangles[(a != b) & (b != c) & (c != a)]
    used, triangles = np.unique(triangles, return_inverse=True)
    return Mesh(unique[used], triangles.reshape(-1, 3))
