"""Pelvis, waist and chest."""

import numpy as np

from backbeat.models.meshing import (
    Part,
    band,
    drum,
    loft,
    revolve,
    rounded_box,
    rounded_polygon,
    tube,
)
from backbeat.models.robots.atlas.shell.palette import (
    ACCENT,
    GLOW,
    GRAPHITE,
    SHELL,
    joint_drum,
    mirrored,
)


def parts() -> dict[str, list[Part]]:
    """Returns the trunk's meshes: name -> parts in the link frame."""
    return {
        "pelvis": _pelvis(),
        "ltorso": _lower_waist(),
        "mtorso": joint_drum(0.058, 0.19, "y"),
        "utorso": [*_core(), *_breast(), *_yoke(), *_pack(), *_neck()],
    }


def _plan(
    front: float,
    back: float,
    half: float,
    nose: float,
    radius: float = 0.02,
    steps: int = 2,
) -> np.ndarray:
    """Returns a plan section symmetric in y: a rectangle with its front corners cut.

    Args:
        front: x of the front edge, in m.
        back: x of the back edge, in m.
        half: Half width, in m.
        nose: Half width of the front edge, in m.
        radius: Softness of the corners, in m.
        steps: Edges of a soft corner.
    """
    cut = front - 0.8 * (half - nose)
    corners = [(front, nose), (cut, half), (back, half)]
    corners += [(x, -y) for x, y in reversed(corners)]
    return rounded_polygon(corners, radius, steps)


def _pelvis() -> list[Part]:
    girdle = loft(
        [
            _plan(0.09, -0.10, 0.125, 0.07),
            _plan(0.108, -0.128, 0.152, 0.08),
            _plan(0.104, -0.124, 0.15, 0.075),
            _plan(0.082, -0.10, 0.118, 0.06),
        ],
        [0.018, 0.05, 0.098, 0.13],
        bevel=(0.01, 0.014),
    )
    core = loft(
        [_plan(0.05, -0.09, 0.045, 0.03), _plan(0.075, -0.105, 0.06, 0.04)],
        [-0.14, 0.06],
        bevel=(0.01, 0.0),
        closed=(True, False),
    )
    keel = loft(
        [_plan(0.055, 0.0, 0.038, 0.02, 0.012), _plan(0.1, 0.0, 0.052, 0.03, 0.012)],
        [-0.147, 0.03],
        bevel=(0.008, 0.0),
        closed=(True, False),
    )
    seat = loft(
        [_plan(-0.03, -0.115, 0.055, 0.05), _plan(-0.03, -0.112, 0.085, 0.07)],
        [-0.147, 0.05],
        bevel=(0.01, 0.0),
        closed=(True, False),
    )
    badge = rounded_box((0.012, 0.05, 0.012), 0.003).moved(0.104, 0.0, 0.075)
    return [
        Part(girdle, SHELL),
        Part(core, GRAPHITE),
        Part(keel, SHELL),
        Part(seat, SHELL),
        Part(badge, ACCENT),
    ]


def _lower_waist() -> list[Part]:
    column = revolve(
        [(0.06, 0.09), (0.14, 0.08), (0.152, 0.07), (0.165, 0.05), (0.165, 0.0)],
        count=20,
        closed=(False, True),
    )
    return [Part(column, GRAPHITE)]


def _core() -> list[Part]:
    """Returns the dark body under the shells: ribbed belly, chest, roll joint."""
    ribs = [
        Part(
            loft([_plan(x, -0.1, y, 0.05, 0.03, 1)] * 2, [z, z + 0.042], bevel=0.012),
            GRAPHITE,
        )
        for z, x, y in ((0.012, 0.10, 0.096), (0.058, 0.12, 0.106), (0.104, 0.15, 0.12))
    ]
    chest = loft(
        [
            _plan(0.175, -0.1, 0.11, 0.06),
            _plan(0.235, -0.1, 0.142, 0.08),
            _plan(0.19, -0.1, 0.142, 0.08),
        ],
        [0.14, 0.32, 0.49],
        bevel=0.015,
    )
    roll = drum(0.055, 0.16, "x", 18)
    flank = rounded_box((0.016, 0.01, 0.15), 0.004).moved(-0.022, 0.142, 0.35)
    return [
        *ribs,
        Part(chest, GRAPHITE),
        Part(roll, GRAPHITE),
        Part(flank, ACCENT),
        Part(flank.mirrored("y"), ACCENT),
    ]


def _breast() -> list[Part]:
    """Returns the breastplate: two plates a side, with a lit gap down the middle."""

    def section(
        front: float, nose: float, half: float, back: float = 0.03
    ) -> np.ndarray:
        corners = [
            (front, 0.013),
            (front, nose),
            (front - 0.05, 0.82 * half),
            (back + 0.09, half),
            (back, half),
            (back, 0.013),
        ]
        return rounded_polygon(corners, 0.012)

    upper = loft(
        [
            section(0.272, 0.055, 0.162),
            section(0.288, 0.06, 0.17),
            section(0.252, 0.055, 0.156),
        ],
        [0.292, 0.385, 0.482],
        bevel=(0.012, 0.022),
    )
    lower = loft(
        [section(0.212, 0.04, 0.124, 0.08), section(0.258, 0.05, 0.146, 0.08)],
        [0.17, 0.282],
        bevel=(0.012, 0.008),
    )
    left = [Part(upper, SHELL), Part(lower, SHELL)]
    light = rounded_box((0.03, 0.012, 0.11), 0.003).moved(0.255, 0.0, 0.385)
    return [*left, *mirrored(left, "y"), Part(light, GLOW)]


def _yoke() -> list[Part]:
    """Returns the shoulder caps, round about the two shoulder yaw axes."""

    def section(half_x: float, half_y: float, radius: float) -> np.ndarray:
        x0, x1 = 0.1406 - half_x, 0.1406 + half_x
        corners = [(x1, half_y), (x0, half_y), (x0, -half_y), (x1, -half_y)]
        return rounded_polygon(corners, radius, 4)

    roof = loft(
        [
            section(0.058, 0.2836, 0.058),
            section(0.062, 0.2876, 0.062),
            section(0.058, 0.278, 0.058),
            section(0.062, 0.235, 0.058),
            section(0.08, 0.13, 0.05),
        ],
        [0.312, 0.385, 0.44, 0.482, 0.53],
        bevel=(0.006, 0.016),
    )
    seam = band(0.0565, 0.012).moved(0.1406, 0.2256, 0.309)
    return [Part(roof, SHELL), Part(seam, ACCENT), Part(seam.mirrored("y"), ACCENT)]


def _pack() -> list[Part]:
    """Returns the power pack: two pods on a dark spine with vents, and a handle."""
    spine = loft(
        [_plan(-0.05, -0.18, 0.08, 0.08), _plan(-0.05, -0.205, 0.08, 0.08)],
        [0.13, 0.48],
        bevel=0.015,
    )

    def section(back: float, half: float) -> np.ndarray:
        corners = [
            (-0.06, half),
            (back + 0.05, half),
            (back, half - 0.045),
            (back, 0.04),
            (-0.06, 0.04),
        ]
        return rounded_polygon(corners, 0.014)

    pod = loft(
        [
            section(-0.19, 0.13),
            section(-0.238, 0.165),
            section(-0.238, 0.168),
            section(-0.19, 0.145),
        ],
        [0.11, 0.19, 0.41, 0.51],
        bevel=0.014,
    )
    vents = [
        Part(rounded_box((0.03, 0.07, 0.016), 0.005).moved(-0.2, 0.0, z), SHELL)
        for z in (0.2, 0.232, 0.264)
    ]
    bar = rounded_box((0.03, 0.09, 0.026), 0.008).moved(-0.205, 0.0, 0.45)
    pods = [Part(pod, SHELL)]
    return [
        Part(spine, GRAPHITE),
        *pods,
        *mirrored(pods, "y"),
        *vents,
        Part(bar, ACCENT),
    ]


def _neck() -> list[Part]:
    collar = drum(0.072, 0.026, count=20, bevel=0.01)
    collar = collar.turned("y", 0.22).moved(0.197, 0.0, 0.528)
    column = tube(
        [(0.0, 0.0, 0.0, 0.062, 0.062), (0.15, 0.0, 0.0, 0.045, 0.05)],
        exponent=2.0,
        closed=(False, False),
    )
    column = column.turned("y", 0.4).moved(0.185, 0.0, 0.47)
    return [Part(collar, GRAPHITE), Part(column, GRAPHITE)]
