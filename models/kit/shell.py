"""The looks of drums, cymbals, stick and throne.

`python -m backbeat.models.kit.shell` builds them. Drums and cymbals have their origin
at the strike point with +z the strike normal: the middle of a drum's head, the top of a
cymbal's bell. Nothing but a drum's rim stands above that point. Stands are not part of
these meshes, for their height is the scene's. Lengths in meters.
"""

from math import cos, pi, sin
from pathlib import Path

from backbeat.models.meshing import (
    Material,
    Mesh,
    Part,
    band,
    disc,
    drum,
    loft,
    merge,
    revolve,
    superellipse,
    sweep,
    write_gltf,
)

MESHES = Path(__file__).resolve().parent / "meshes"

LACQUER = Material("lacquer", "#083f4b", roughness=0.25)
HEAD = Material("head", "#e6e1d6", roughness=0.7)
CHROME = Material("chrome", "#9aa0a8", roughness=0.25, metallic=0.35)
BLACK = Material("black", "#23252a", roughness=0.5)
BRASS = Material("brass", "#b8822a", roughness=0.3, metallic=0.4)
BRASS_DARK = Material("brass_dark", "#946018", roughness=0.35, metallic=0.4)
VINYL = Material("vinyl", "#26282d", roughness=0.6)
PIPING = Material("piping", "#f05a14", roughness=0.4)
WOOD = Material("wood", "#d8ad72", roughness=0.6)

# Diameter and shell depth, standard catalogue sizes of a five-piece rock kit.
DRUMS = {
    "snare": (0.3556, 0.1397),
    "high_tom": (0.3048, 0.2032),
    "mid_tom": (0.3302, 0.2286),
    "floor_tom": (0.4064, 0.4064),
}
CYMBALS = {"crash": 0.4064, "ride": 0.508}
HI_HAT = 0.3556
LEAST_DEPTH = 0.03  # of a drum that is drawn
SEAT_HEIGHT = 0.50
SEAT_RADIUS = 0.17

_SEGMENTS = 28  # of full circles: a 20-inch cymbal is round to 1.6 mm


def parts() -> dict[str, list[Part]]:
    """Returns the kit's meshes: name -> parts."""
    result = {
        name: drawn_drum(size / 2.0, depth) for name, (size, depth) in DRUMS.items()
    }
    result |= {name: drawn_cymbal(size / 2.0) for name, size in CYMBALS.items()}
    top = drawn_cymbal(HI_HAT / 2.0)
    bottom = Part(top[0].mesh.mirrored("z").moved(z=-0.068), BRASS_DARK)
    return result | {"hi_hat": [*top, bottom], "chair": _chair(), "stick": _stick()}


def _around(count: int, radius: float, phase: float = 0.0) -> list[tuple[float, ...]]:
    """Returns (angle, x, y) of points spread evenly on a circle."""
    angles = [2.0 * pi * i / count + phase for i in range(count)]
    return [(a, radius * cos(a), radius * sin(a)) for a in angles]


def drawn_drum(radius: float, depth: float) -> list[Part]:
    """Returns a drum whose head lies in z = 0."""
    depth = max(depth, LEAST_DEPTH)
    body = revolve(
        [(-depth + 0.012, radius - 0.003), (-0.01, radius - 0.003)],
        count=_SEGMENTS,
        closed=(False, False),
    )
    skin = disc(radius - 0.003, 0.0015, count=_SEGMENTS).moved(z=-0.0015)
    under = disc(radius - 0.003, 0.0015, count=20).mirrored("z").moved(z=-depth)
    rim = [(-0.016, radius + 0.007), (0.006, radius + 0.006), (0.003, radius - 0.006)]
    hoop = revolve(rim, count=_SEGMENTS, closed=(False, False))
    return [
        Part(body, LACQUER),
        Part(skin, HEAD),
        Part(under, BLACK),
        Part(hoop, CHROME),
        Part(hoop.mirrored("z").moved(z=-depth), CHROME),
        Part(_lugs(radius, depth), CHROME),
    ]


def _lugs(radius: float, depth: float) -> Mesh:
    """Returns the rods that tension both heads, each with a block on the shell."""
    count = 6 if radius < 0.2 else 8
    section = superellipse(0.009, min(0.03, 0.3 * depth), 4.0, 8)
    block = loft([section] * 2, [0.0, 0.016], "x", (0.0, 0.006), closed=(False, True))
    rod = revolve(
        [(-depth, 0.0035), (-0.01, 0.0035)], count=5, closed=(False, False)
    ).moved(x=0.009)
    lug = merge([block.moved(x=-0.004, z=-depth / 2.0), rod])
    return merge(
        lug.moved(x=radius).turned("z", angle)
        for angle, _, _ in _around(count, radius, pi / count)
    )


def drawn_cymbal(radius: float) -> list[Part]:
    """Returns a cymbal: bell top at z = 0, edge 3 cm lower."""
    bell = 0.16 * radius + 0.014
    dome = [(0.0, 0.0), (-0.0015, 0.4 * bell), (-0.006, 0.75 * bell), (-0.013, bell)]
    bow = [
        (-0.013 - 0.017 * s**1.5, bell + s * (radius - bell)) for s in (0.3, 0.65, 1.0)
    ]
    upper = dome + bow
    under = [(z - 0.0015, r) for z, r in (upper[6], upper[3], upper[0])]
    plate = revolve(upper + under, count=_SEGMENTS)
    lathed = revolve(  # a darker band, half a millimeter proud
        [(z + 0.0005, r) for z, r in upper[3:6]], count=_SEGMENTS, closed=(False, False)
    )
    return [Part(plate, BRASS), Part(lathed, BRASS_DARK)]


def drawn_pad(radius: float, depth: float) -> list[Part]:
    """Returns a pad: a sheet of rubber in z = 0 on a flat case."""
    depth = max(depth, 0.01)
    case = revolve(
        [(-depth, 0.92 * radius), (-0.006, radius), (-0.002, radius)], count=_SEGMENTS
    )
    rubber = disc(0.94 * radius, 0.004, count=_SEGMENTS).moved(z=-0.004)
    rim = band(radius, 0.004, 0.002, count=_SEGMENTS).moved(z=-0.004)
    return [Part(case, BLACK), Part(rubber, VINYL), Part(rim, PIPING)]


def _chair() -> list[Part]:
    """Returns a drummer's throne; origin on the floor under the middle of the seat."""
    r, top = SEAT_RADIUS, SEAT_HEIGHT
    cushion = revolve(
        [(top - 0.085, 0.9 * r), (top - 0.08, r), (top - 0.03, r)]
        + [(top - 0.01, 0.965 * r), (top, 0.88 * r)],
        count=_SEGMENTS,
    )
    piping = band(r + 0.003, 0.008, 0.003, count=_SEGMENTS).moved(z=top - 0.055)
    plate = drum(0.07, 0.02, count=18).moved(z=top - 0.09)
    column = [(0.1, 0.016), (0.28, 0.016), (0.28, 0.022), (0.42, 0.022)]
    post = revolve(column, count=12)
    clamp = drum(0.032, 0.04, count=14).moved(z=0.28)
    legs = [
        *_spokes((0.03, 0.28), (0.24, 0.02), 0.011, 6),
        *_spokes((0.02, 0.11), (0.15, 0.13), 0.007, 5),
    ]
    feet = _spokes((0.235, 0.026), (0.252, 0.018), 0.0175, 7)
    return [
        Part(cushion, VINYL),
        Part(piping, PIPING),
        Part(merge([plate, clamp, *feet]), BLACK, crease=1.3),
        Part(merge([post, *legs]), CHROME, crease=1.3),
    ]


def _spokes(
    start: tuple[float, float], end: tuple[float, float], radius: float, count: int
) -> list[Mesh]:
    """Returns a tripod's bars, each from `start` to `end`, both (radial, z), in m.

    One of them points forward, to stand between the robot's feet.
    """
    return [
        sweep([(r * x, r * y, z) for r, z in (start, end)], [radius, radius], count)
        for _, x, y in _around(3, 1.0)
    ]


def _stick() -> list[Part]:
    """Returns a 5A stick along +x; the acorn is widest at the tip frame."""
    profile = [
        (-0.136, 0.0),
        (-0.136, 0.0045),
        (-0.133, 0.0066),
        (-0.128, 0.0072),
        (0.14, 0.0072),
        (0.21, 0.0052),
        (0.252, 0.0036),
        (0.256, 0.0042),
        (0.264, 0.0064),
        (0.27, 0.007),
        (0.2745, 0.0054),
        (0.277, 0.0),
    ]
    return [Part(revolve(profile, "x", 12), WOOD)]


def main() -> None:
    """Rewrites every mesh of the kit and prints their sizes."""
    total = 0
    for name, shapes in parts().items():
        path = MESHES / f"{name}.gltf"
        write_gltf(path, shapes)
        total += path.stat().st_size
        print(f"{path.stat().st_size / 1000.0:8.1f} kB  {path.name}")
    print(f"{total / 1000.0:8.1f} kB  in all")


if __name__ == "__main__":
    main()
