"""Parts of the family's looks: shells, joints, feet, hands and heads of small robots.

Materials, joint drums and the helmet are those of Atlas, at any size. All lengths are
in meters, and all places in the frame of a link.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from backbeat.models.meshing import (
    Material,
    Mesh,
    Part,
    disc,
    drum,
    loft,
    rounded_box,
    rounded_polygon,
    sweep,
    tube,
    write_gltf,
)
from backbeat.models.robots.atlas.shell.head import parts as atlas_head
from backbeat.models.robots.atlas.shell.palette import (
    ACCENT,
    GLASS,
    GLOW,
    GRAPHITE,
    SHELL,
    joint_drum,
    mirrored,
    moved,
    stripe,
)

__all__ = [
    "ACCENT",
    "GLASS",
    "GLOW",
    "GRAPHITE",
    "SHELL",
    "block",
    "bone",
    "both_sides",
    "foot",
    "helmet",
    "joint",
    "mirrored",
    "mitten",
    "moved",
    "plate",
    "post",
    "shell",
    "stripe",
    "write",
]

Point = tuple[float, float, float]
# Heights of Atlas's helmet from jaw to crown, and where its middle is along x [m].
_JAW, _CROWN, _MIDDLE = -0.085, 0.162, -0.05


def joint(
    radius: float, length: float, axis: str, at: Point = (0.0, 0.0, 0.0)
) -> list[Part]:
    """Returns a motor: a graphite drum with caps in the accent color."""
    return moved(joint_drum(radius, length, axis), *at)


def bone(
    path: Sequence[Point], radii: Sequence[float], material: Material = SHELL
) -> Part:
    """Returns a limb: a bar with round ends through points, with a radius at each."""
    return Part(sweep(path, radii, 14), material)


def shell(
    stations: Sequence[tuple[float, float, float, float, float]],
    material: Material = SHELL,
    axis: str = "z",
    exponent: float = 3.0,
) -> Part:
    """Returns a cover through soft rectangles, with beveled ends; see `tube`."""
    half = min(min(s[3:]) for s in stations)
    return Part(tube(stations, axis, exponent, 24, bevel=0.3 * half), material)


def foot(
    heel: float, toe: float, half_width: float, sole: float, top: float
) -> list[Part]:
    """Returns a foot: a graphite sole, and a shell that rises from toe to ankle.

    Args:
        heel, toe: where it ends along x.
        half_width: along y.
        sole, top: where it ends along z; the ankle is at x = 0.
    """

    def outline(grow: float) -> np.ndarray:
        x0, x1, y = heel - grow, toe + grow, half_width + grow
        return rounded_polygon(
            [(x1, 0.75 * y), (0.6 * x1, y), (x0, 0.85 * y), (x0, -0.85 * y),
             (0.6 * x1, -y), (x1, -0.75 * y)], 0.3 * y, 2,
        )  # fmt: skip

    thick = 0.25 * (top - sole)
    base = loft([outline(0.0)] * 2, [sole, sole + thick], bevel=0.3 * thick)
    low, high = outline(-0.12 * half_width), outline(-0.3 * half_width)
    middle = 0.5 * (sole + thick + top)
    ankle = outline(0.0) * [0.35, 0.6]
    upper = loft(
        [low, high * [0.85, 1.0], ankle],
        [sole + thick, middle, top],
        bevel=(0.0, 0.2 * thick),
    )
    return [Part(base, GRAPHITE), Part(upper, SHELL)]


def mitten(tip: Point, width: float, thickness: float, side: int) -> list[Part]:
    """Returns a hand from the origin to its tip: a palm, closed fingers and a thumb.

    Args:
        tip: where the fingers end.
        width: across the palm, along z of a hand along x.
        thickness: of the palm.
        side: 1 for a thumb at -y (a left hand along x), -1 for one at +y.
    """
    end = np.array(tip)
    palm = sweep([0.1 * end, 0.55 * end], [0.5 * thickness, 0.55 * thickness], 10)
    across = np.array([0.0, 0.0, 1.0])
    if abs(end[2]) > 0.5 * np.linalg.norm(end):
        across = np.array([1.0, 0.0, 0.0])
    parts = [Part(palm, GRAPHITE)]
    for share in (-0.36, -0.12, 0.12, 0.36):
        shift = share * width * across
        path = [0.45 * end + shift, 0.8 * end + shift, end + 0.9 * shift]
        finger = sweep(path, [0.14 * width, 0.14 * width, 0.11 * width], 8)
        parts.append(Part(finger, SHELL))
    inward = np.cross(across, end / np.linalg.norm(end)) * (-side)
    root = 0.35 * end + 0.4 * width * across
    thumb = sweep(
        [root, root + 0.2 * end - 0.4 * thickness * inward],
        [0.14 * width, 0.12 * width],
        8,
    )
    return [*parts, Part(thumb, SHELL)]


def helmet(bottom: float, top: float, x: float) -> list[Part]:
    """Returns Atlas's head between two heights, with its middle at x."""
    scale = (top - bottom) / (_CROWN - _JAW)
    shift = [x - scale * _MIDDLE, 0.0, bottom - scale * _JAW]
    (parts,) = atlas_head().values()
    return [
        Part(
            Mesh(scale * p.mesh.points + shift, p.mesh.triangles), p.material, p.crease
        )
        for p in parts
    ]


def plate(radius: float, at: Point, axis: str = "x") -> list[Part]:
    """Returns a round plate in the accent color with a lit middle."""
    outer = disc(radius, 0.2 * radius, axis, 20)
    inner = disc(0.55 * radius, 0.3 * radius, axis, 16)
    return moved([Part(outer, ACCENT), Part(inner, GLOW)], *at)


def block(size: Point, at: Point, material: Material = SHELL) -> Part:
    """Returns a box with soft edges."""
    return Part(rounded_box(size, 0.2 * min(size)).moved(*at), material)


def post(radius: float, length: float, axis: str, at: Point) -> Part:
    """Returns a graphite cylinder."""
    return Part(drum(radius, length, axis, 18, 0.1 * radius).moved(*at), GRAPHITE)


def both_sides(left: Mapping[str, Iterable[Part]]) -> dict[str, list[Part]]:
    """Returns meshes of the left side and their mirror images.

    Args:
        left: parts by link; {side} in a name stands for the side, left or right.
    """
    found = {}
    for name, parts in left.items():
        found[name.format(side="left")] = list(parts)
        found[name.format(side="right")] = mirrored(list(parts), "y")
    return found


def write(folder: Path, meshes: Mapping[str, Sequence[Part]]) -> None:
    """Writes a robot's meshes, the same bytes on each run, and prints their sizes."""
    total = 0
    folder.mkdir(exist_ok=True)
    for name, parts in meshes.items():
        path = folder / f"{name}.gltf"
        write_gltf(path, parts)
        total += path.stat().st_size
        print(f"{path.stat().st_size / 1000.0:8.1f} kB  {path.name}")
    print(f"{total / 1000.0:8.1f} kB  in all")
