"""Leg: hip, thigh, shank, ankle and foot, modeled on the left (outside at +y)."""

import numpy as np

from backbeat.models.meshing import (
    Part,
    drum,
    loft,
    rounded_box,
    rounded_polygon,
    sweep,
    tube,
)
from backbeat.models.robots.atlas.shell.palette import (
    ACCENT,
    GRAPHITE,
    SHELL,
    joint_drum,
    mirrored,
    moved,
)

_FOOT_MIDDLE = 0.00175  # y of the contact rectangle, a little wider outside, m


def parts() -> dict[str, list[Part]]:
    """Returns the legs' meshes: name -> parts in the link frame."""
    talus = [Part(drum(0.027, 0.1, "x", 14), GRAPHITE)]
    result = {"uglut": _hip_yaw(), "lglut": _hip_roll(), "lleg": _shank()}
    result["talus"] = talus
    for name, left in (("uleg", _thigh()), ("foot", _foot())):
        result |= {f"l_{name}": left, f"r_{name}": mirrored(left, "y")}
    return result


def _rectangle(
    x0: float, x1: float, y0: float, y1: float, soft: float = 0.03, steps: int = 3
) -> np.ndarray:
    """Returns a soft-cornered rectangle from (x0, y0) to (x1, y1), in m."""
    return rounded_polygon([(x1, y1), (x0, y1), (x0, y0), (x1, y0)], soft, steps)


def _hip_yaw() -> list[Part]:
    post = drum(0.052, 0.08, count=18).moved(z=0.02)
    return [Part(post, GRAPHITE), *joint_drum(0.04, 0.15, "x")]


def _hip_roll() -> list[Part]:
    arm = sweep([(0.0, 0.0, 0.0), (0.05, 0.0, -0.066)], [0.046, 0.05], 12)
    inner = drum(0.056, 0.086, "y", 18).moved(0.05, 0.0, -0.066)
    return [Part(arm, GRAPHITE), Part(inner, GRAPHITE)]


def _thigh() -> list[Part]:
    hip = moved(joint_drum(0.074, 0.136, "y", ends=(1,)), y=0.03)
    front = loft(
        [
            _rectangle(-0.075, 0.014, -0.05, 0.056),
            _rectangle(-0.052, 0.05, -0.058, 0.068),
            _rectangle(-0.03, 0.09, -0.062, 0.082, 0.04),
            _rectangle(-0.012, 0.09, -0.054, 0.082, 0.04),
        ],
        [-0.335, -0.25, -0.12, -0.035],
        bevel=(0.008, 0.018),
    )
    back = loft(
        [
            _rectangle(-0.098, -0.06, -0.044, 0.046, 0.02, 2),
            _rectangle(-0.09, -0.03, -0.052, 0.06, 0.03, 2),
            _rectangle(-0.074, 0.0, -0.056, 0.07, 0.03, 2),
            _rectangle(-0.05, 0.0, -0.045, 0.06, 0.03, 2),
        ],
        [-0.325, -0.24, -0.12, -0.03],
        bevel=(0.008, 0.015),
    )
    knee = moved(joint_drum(0.056, 0.13, "y"), -0.05, 0.0, -0.374)
    return [*hip, Part(front, SHELL), Part(back, GRAPHITE), *knee]


def _shank() -> list[Part]:
    hinge = drum(0.06, 0.088, "y", 20)
    cap = loft(
        [
            _rectangle(0.01, 0.072, -0.04, 0.04, 0.02, 2),
            _rectangle(0.015, 0.084, -0.047, 0.047, 0.02, 2),
            _rectangle(0.02, 0.07, -0.036, 0.036, 0.02, 2),
        ],
        [-0.06, -0.01, 0.042],
        bevel=0.012,
    )
    shin = loft(
        [
            _rectangle(-0.012, 0.048, -0.038, 0.038),
            _rectangle(-0.01, 0.064, -0.047, 0.047),
            _rectangle(-0.008, 0.082, -0.06, 0.06, 0.04),
            _rectangle(-0.01, 0.086, -0.06, 0.06, 0.04),
            _rectangle(0.0, 0.074, -0.05, 0.05),
        ],
        [-0.35, -0.28, -0.17, -0.1, -0.052],
        bevel=(0.008, 0.012),
    )
    calf = loft(
        [
            _rectangle(-0.035, 0.02, -0.034, 0.034, 0.02, 2),
            _rectangle(-0.05, 0.02, -0.042, 0.042, 0.03, 2),
            _rectangle(-0.07, 0.02, -0.054, 0.054, 0.03, 2),
            _rectangle(-0.06, 0.02, -0.054, 0.054, 0.03, 2),
            _rectangle(-0.03, 0.02, -0.042, 0.042, 0.02, 2),
        ],
        [-0.34, -0.28, -0.18, -0.12, -0.07],
        bevel=(0.008, 0.012),
    )
    bone = tube(
        [(-0.415, 0.0, 0.0, 0.032, 0.034), (-0.33, 0.003, 0.0, 0.034, 0.034)],
        exponent=2.0,
        count=14,
    )
    ankle = moved(joint_drum(0.038, 0.088, "y"), z=-0.422)
    return [
        Part(hinge, GRAPHITE),
        Part(cap, ACCENT),
        Part(shin, SHELL),
        Part(calf, GRAPHITE),
        Part(bone, GRAPHITE),
        *ankle,
    ]


def _foot() -> list[Part]:
    plan = [
        (0.1728, 0.036),
        (0.15, 0.058),
        (0.11, 0.0643),
        (-0.06, 0.06),
        (-0.0877, 0.04),
    ]
    outline = rounded_polygon(plan + [(x, -y) for x, y in reversed(plan)], 0.015, 1) + [
        0.0,
        _FOOT_MIDDLE,
    ]
    sole = loft([outline, outline], [-0.0762, -0.058], bevel=0.004)

    def section(half: float, top: float) -> np.ndarray:
        right = [(-0.78 * half, top), (-half, -0.06)]
        left = [(-y, z) for y, z in reversed(right)]
        return rounded_polygon(left + right, 0.012) + [_FOOT_MIDDLE, 0.0]

    toe = loft(
        [
            section(0.057, -0.028),
            section(0.06, -0.032),
            section(0.055, -0.042),
            section(0.036, -0.052),
        ],
        [0.066, 0.1, 0.145, 0.17],
        "x",
        bevel=(0.004, 0.004),
    )
    instep = loft(
        [section(0.054, -0.03), section(0.057, -0.024)],
        [-0.03, 0.062],
        "x",
        bevel=0.004,
    )
    heel = loft(
        [section(0.038, -0.03), section(0.054, -0.024)],
        [-0.085, -0.034],
        "x",
        bevel=(0.008, 0.004),
    )
    cheek = rounded_box((0.024, 0.07, 0.06), 0.008)
    return [
        Part(sole, GRAPHITE),
        Part(toe, SHELL),
        Part(instep, GRAPHITE),
        Part(heel, SHELL),
        Part(cheek.moved(0.045, _FOOT_MIDDLE, -0.018), GRAPHITE),
        Part(cheek.moved(-0.045, _FOOT_MIDDLE, -0.018), GRAPHITE),
    ]
