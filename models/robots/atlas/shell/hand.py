"""Hands that hold a drum stick, and look like relaxed fists without one.

Modeled on the right hand: fingers point along -y, thumb along +x, palm faces -z. The
left hand is its mirror image across x, stick and all, so that both arms play alike.
"""

from math import cos, pi, sin

import numpy as np

from backbeat.models.meshing import Part, band, loft, rounded_polygon, sweep, tube
from backbeat.models.robots.atlas.shell.palette import ACCENT, GRAPHITE, SHELL, mirrored

GRIP = np.array([0.0, -0.2445, 0.0])  # where the stick is held, hand frame, m
STICK = np.array([sin(pi / 3.0), -cos(pi / 3.0), 0.0])  # its axis, butt to tip
OUT = np.array([-cos(pi / 3.0), -sin(pi / 3.0), 0.0])  # across it, away from the wrist
UP = np.array([0.0, 0.0, 1.0])  # to the back of the hand


def parts() -> dict[str, list[Part]]:
    """Returns the hands' meshes: name -> parts in the link frame."""
    right = [*_palm(), *_fingers(), *_thumb()]
    return {"r_hand": right, "l_hand": mirrored(right, "x")}


def _at(along: float, out: float, up: float) -> np.ndarray:
    """Returns a point by its distances from the grip in stick axes, in m."""
    return GRIP + along * STICK + out * OUT + up * UP


def _palm() -> list[Part]:
    cuff = tube(
        [(-0.13, 0.008, 0.0, 0.036, 0.038), (-0.1, 0.0, 0.0, 0.038, 0.038)],
        "y",
        exponent=2.0,
        bevel=0.005,
    )
    knuckles = [_at(0.052, 0.014, 0.0)[:2], _at(-0.056, 0.014, 0.0)[:2]]
    outline = [
        (0.032, -0.118),
        (-0.032, -0.118),
        (-0.052, -0.17),
        tuple(knuckles[1]),
        tuple(knuckles[0]),
        (0.058, -0.2),
    ]
    inner = rounded_polygon(outline, 0.01)
    palm = loft([inner, inner], [0.009, 0.034], bevel=0.005)
    middle = inner.mean(0)
    cover = middle + 0.92 * (inner - middle)
    crown = middle + 0.8 * (cover - middle)
    back = loft([cover, crown], [0.03, 0.048], bevel=(0.0, 0.005))
    stripe = band(0.0405, 0.01, 0.004, "y").moved(y=-0.108)
    return [
        Part(cuff, GRAPHITE),
        Part(palm, GRAPHITE),
        Part(back, SHELL),
        Part(stripe, ACCENT),
    ]


def _fingers() -> list[Part]:
    curl = [
        (0.008, 0.028),
        (0.034, 0.022),
        (0.038, -0.006),
        (0.02, -0.023),
        (-0.004, -0.021),
    ]
    fingers = []
    for along, radius in (
        (0.042, 0.0115),
        (0.015, 0.012),
        (-0.012, 0.0115),
        (-0.038, 0.0105),
    ):
        path = [_at(along, out, up) for out, up in curl]
        fingers.append(Part(sweep(path, [radius] * 4 + [0.9 * radius], 7), GRAPHITE))
    return fingers


def _thumb() -> list[Part]:
    path = [
        _at(0.03, -0.062, 0.014),
        _at(0.05, -0.04, -0.002),
        _at(0.062, -0.018, -0.014),
        _at(0.066, 0.004, -0.018),
    ]
    return [Part(sweep(path, [0.016, 0.014, 0.012, 0.0105], 7), GRAPHITE)]
