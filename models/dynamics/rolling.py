"""Soles that roll about their length: where they touch, and what stays where it is.

A foot whose leg turns it about its own length by nothing but the joint that also takes
it sideways rolls when the pelvis sways. Of its sole, of half width w, rolled by the
angle phi about its x axis, the lower edge touches, and the ground gives no moment about
that edge. With s = sin(phi), y the sole's second axis and u the normal of the ground,

    pivot   p_P = p_C - w s / sqrt(s^2 + e^2) y             the line that touches
    place   p_0 = p_C - w (sqrt(s^2 + e^2) - e) u
                  + w / 2 (s sqrt(s^2 + e^2) - e^2 asinh(s / e)) (u x x)

p_0 rests while the sole rolls without sliding: its velocity is that of the material
point at the pivot. e rounds the way from one edge to the other by fractions of a
millimeter, as compliance of sole and ground does. With w = 0 the sole is a line, and
all three are one.
"""

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Matrix, MatrixView, Vector

# e: sine of the roll by which a sole rests on one edge, nearly.
ROLLED = 0.02
# Half width of soles that do not roll, where one is asked for.
FLAT = -1.0


@compiled
def roll(
    R: MatrixView, up: Vector, half_width: float, to_pivot: Vector, to_place: Vector
) -> None:
    """Writes the ways from a sole's middle to its pivot and to its place, world axes.

    Args:
        R: (3, 3) orientation of the sole.
        up: (3,) normal of the ground.
        half_width: w [m]; below zero for a sole that does not roll.
        to_pivot, to_place: (3,) written [m].
    """
    for i in range(3):
        to_pivot[i] = 0.0
        to_place[i] = 0.0
    if half_width <= 0.0:
        return
    s = 0.0
    for i in range(3):
        s += up[i] * R[i, 1]
    size = np.sqrt(s * s + ROLLED * ROLLED)
    across = s * size - ROLLED * ROLLED * np.log((s + size) / ROLLED)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        level = up[j] * R[k, 0] - up[k] * R[j, 0]
        to_pivot[i] = -half_width * s / size * R[i, 1]
        to_place[i] = half_width * (0.5 * across * level - (size - ROLLED) * up[i])


@compiled
def pivot_slope(s, half_width):
    """Change of the pivot's way along y with the sine s of the roll [m]."""
    size = np.sqrt(s * s + ROLLED * ROLLED)
    return -half_width * ROLLED * ROLLED / (size * size * size)


@compiled
def add_pivot_acceleration(
    R: MatrixView, up: Vector, half_width: float, w: Vector, out: Vector
) -> None:
    """Adds what moving over to the other edge does to the acceleration of the place.

    Args:
        R, up, half_width: as of `roll`.
        w: (3,) angular velocity of the sole, world axes [rad/s].
        out: (3,) added to [m/s^2].
    """
    if half_width <= 0.0:
        return
    s, rate = 0.0, 0.0
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        s += up[i] * R[i, 1]
        rate += up[i] * (w[j] * R[k, 1] - w[k] * R[j, 1])
    moving = rate * pivot_slope(s, half_width)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out[i] += moving * (w[j] * R[k, 1] - w[k] * R[j, 1])


@compiled
def level(R: Matrix, up: Vector, out: Matrix) -> None:
    """Writes an orientation (3, 3) with the roll about its own x axis taken off."""
    along = 0.0
    for i in range(3):
        along += up[i] * R[i, 0]
    size = np.sqrt(max(1.0 - along * along, 1e-12))
    for i in range(3):
        out[i, 0] = R[i, 0]
        out[i, 2] = (up[i] - along * R[i, 0]) / size
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out[i, 1] = out[j, 2] * out[k, 0] - out[k, 2] * out[j, 0]
