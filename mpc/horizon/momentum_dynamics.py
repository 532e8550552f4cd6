"""Centroidal dynamics of deviations over a horizon, linear in state, input and time.

With x the deviation from the behavior, u that of the wrenches, h the phase of an
interval and h + theta its time,

    x+ = F(x, u, h + theta) + theta (change of the behavior per phase)
    F(x, u, H) = x + (H + H^2 A / 2) (A x + B u + e)

where A, B hold lever arms and forces, and e what products of their deviations add. It
is linearized about the plan before: a pushed robot that hurries falls less far
meanwhile, which is a product of its deviation and the time. At another tempo r than
the authored one h is shorter by r, the behavior's velocities are r times as high, and
its forces, which stay, miss 1 - r^2 of its accelerations: that is part of e.

Sources
    Orin, Goswami, Lee, "Centroidal Dynamics of a Humanoid Robot", 2013.
    Wieber, "Trajectory Free Linear Model Predictive Control for Stable Walking in
    the Presence of Strong Perturbations", 2006.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Array3, Array4, Indices, Matrix, Vector
from backbeat.models.dynamics.rotations import add_cross
from backbeat.mpc.horizon.sampling import BODY, Horizon


class Dynamics(NamedTuple):
    """x+ = A x + B u + e of every interval; u is [wrenches, theta, jumps]."""

    A: np.ndarray  # (N, NX, NX)
    B: np.ndarray  # (N, NX, NU)
    e: np.ndarray  # (N, NX)


def linearize_dynamics(
    horizon: Horizon, x0: np.ndarray, soles: Sequence[int], mass: float, gravity: float
) -> Dynamics:
    """Dynamics along a horizon.

    Args:
        horizon: the behavior ahead, and the plan about which to linearize.
        x0: (NX,) measured deviation, the state at the start of the first interval.
        soles: patches whose places are states.
        mass, gravity: of the robot [kg, m/s^2].
    """
    N, C = horizon.standing.shape
    found = _nothing(N, C, len(soles))
    _linearize(
        horizon.h,
        horizon.com,
        horizon.velocity,
        horizon.momentum,
        horizon.wrench,
        horizon.R,
        horizon.p,
        mass * horizon.inverse_inertia,
        horizon.com_shift,
        horizon.sole_shift,
        horizon.wrench_shift,
        horizon.deviation,
        horizon.stretch,
        float(horizon.is_planned),
        horizon.replaced,
        horizon.outside,
        horizon.tempo,
        x0,
        _places(C, soles),
        gravity,
        *found,
    )
    return found


def dynamics_pattern(count: int, soles: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """(NX, NX) and (NX, NU) where A and B of an interval may differ from zero.

    Found from numbers of which none is special.

    Args:
        count: C, of patches.
        soles: patches whose places are states.
    """
    draw = np.random.default_rng(0).uniform
    S, found = len(soles), _nothing(1, count, len(soles))
    around, planned, tempo, gravity = draw(size=1), 1.0, 0.8, 9.8
    _linearize(
        draw(size=1),
        *(draw(size=(2, 3)) for _ in range(3)),
        draw(size=(1, 6 * count)),
        draw(size=(1, count, 3, 3)),
        draw(size=(1, count, 3)),
        draw(size=(1, 3, 3)),
        draw(size=(1, 3)),
        draw(size=(1, count, 3)),
        draw(size=(1, 6 * count)),
        draw(size=(1, BODY + 2 * S)),
        around,
        planned,
        draw(size=(1, S, 2)),
        draw(size=(1, 3)),
        tempo,
        draw(size=BODY + 2 * S),
        _places(count, soles),
        gravity,
        *found,
    )
    return found.A[0] != 0, found.B[0] != 0


def _places(count: int, soles: Sequence[int]) -> np.ndarray:
    """(C,) where the place of a patch is in a state, or -1."""
    places = np.full(count, -1)
    places[list(soles)] = BODY + 2 * np.arange(len(soles))
    return places


def _nothing(intervals: int, count: int, soles: int) -> Dynamics:
    """Room for the dynamics, all zero."""
    NX = BODY + 2 * soles
    return Dynamics(
        np.zeros((intervals, NX, NX)),
        np.zeros((intervals, NX, 6 * count + 1 + 2 * soles)),
        np.zeros((intervals, NX)),
    )


@compiled
def _linearize(
    h: Vector,
    com: Matrix,
    velocity: Matrix,
    momentum: Matrix,
    wrench: Matrix,
    R: Array4,
    p: Array3,
    rotation_rate: Array3,
    com_shift: Matrix,
    sole_shift: Array3,
    wrench_shift: Matrix,
    deviation: Matrix,
    stretch: Vector,
    is_planned: float,
    replaced: Array3,
    outside: Matrix,
    tempo: float,
    x0: Vector,
    places: Indices,
    gravity: float,
    A: Array3,
    B: Array3,
    e: Matrix,
) -> None:
    """Writes A, B, e, all zero before; arguments as in `Horizon`.

    `rotation_rate` (N, 3, 3) is that of the body per angular momentum and mass,
    `places` (C,) where the place of a patch is in a state, or -1.
    """
    N, C = h.shape[0], places.shape[0]
    t = 6 * C
    # Angular momentum per CoM and rotation per angular momentum; rates at the plan.
    F, rate, constant = np.empty((3, 3)), np.empty((4, 3)), np.empty((2, 3))
    arm, force, moved = np.empty(3), np.empty(3), np.empty(3)
    w, dw, axes = np.empty(6), np.empty(6), np.empty((3, 3))
    for k in range(N):
        H, W = h[k] + stretch[k], rotation_rate[k]
        half = 0.5 * H * H
        x = x0 if k == 0 else deviation[k]
        F[:] = 0.0
        _forces_of_tempo(h, velocity, momentum, k, tempo, constant)
        for i in range(3):
            constant[0, i] += outside[k, i]
        rate[1], rate[2] = constant[0], constant[1]
        for c in range(C):
            for i in range(3):
                middle = 0.5 * (com[k, i] + com[k + 1, i]) + com_shift[k, i]
                arm[i] = p[k, c, i] + sole_shift[k, c, i] - middle
                moved[i] = sole_shift[k, c, i] - com_shift[k, i]
                for j in range(3):
                    axes[i, j] = gravity * R[k, c, i, j]
            for i in range(6):
                w[i] = gravity * wrench[k, 6 * c + i]
                dw[i] = gravity * wrench_shift[k, 6 * c + i]
            _add_loads(R[k, c], arm, moved, w, dw, force, constant, rate)
            _add_cross_matrix(force, F)
            _write_contact(axes, arm, W, H, half, B[k, :, 6 * c : 6 * c + 6])
            if places[c] >= 0:
                _write_place(force, W, H, half, A[k, :, places[c] : places[c] + 2])
                # What moves a foot moves its moment the other way round.
                sx, sy = x[places[c]], x[places[c] + 1]
                rate[2, 0] += force[2] * sy
                rate[2, 1] -= force[2] * sx
                rate[2, 2] += force[1] * sx - force[0] * sy
        for i in range(3):
            rate[0, i], rate[3, i] = x[3 + i], 0.0
            for j in range(3):
                rate[2, i] += F[i, j] * x[j]
                rate[3, i] += W[i, j] * x[6 + j]
        _write_body(F, W, H, half, constant, A[k], e[k])
        _write_stretch(F, W, H, rate, is_planned, stretch[k], B[k, :, t], e[k])
        for i in range(3):
            B[k, i, t] += (com[k + 1, i] - com[k, i]) / h[k]
            B[k, 3 + i, t] += (velocity[k + 1, i] - velocity[k, i]) / h[k]
            B[k, 6 + i, t] += (momentum[k + 1, i] - momentum[k, i]) / h[k]
        B[k, 12, t] = 1.0
        for i in range(x.shape[0] - BODY):
            A[k, BODY + i, BODY + i] = 1.0
            B[k, BODY + i, t + 1 + i] = 1.0
            e[k, BODY + i] = replaced[k, i // 2, i % 2]


@compiled
def _forces_of_tempo(h, velocity, momentum, k, tempo, constant):
    """Writes what the behavior's forces miss of its accelerations at a tempo."""
    # They make the accelerations of its own tempo.
    share = (1.0 / tempo**2 - 1.0) / h[k]
    for i in range(3):
        constant[0, i] = share * (velocity[k + 1, i] - velocity[k, i])
        constant[1, i] = share * (momentum[k + 1, i] - momentum[k, i])


@compiled
def _add_loads(R, arm, moved, wrench, change, force, constant, rate):
    """Adds what the loads of a contact do; writes its force, (3,) in world axes."""
    extra, product = np.empty(3), np.zeros(3)
    for i in range(3):
        extra[i], force[i] = 0.0, 0.0
        for j in range(3):
            extra[i] += R[i, j] * change[3 + j]
            force[i] += R[i, j] * (wrench[3 + j] + change[3 + j])
            rate[2, i] += R[i, j] * change[j]
        rate[1, i] += extra[i]
    add_cross(arm, extra, rate[2])
    add_cross(moved, extra, product)
    for i in range(3):
        constant[1, i] -= product[i]
        rate[2, i] -= product[i]


@compiled
def _add_cross_matrix(r, out):
    out[0, 1] -= r[2]
    out[0, 2] += r[1]
    out[1, 0] += r[2]
    out[1, 2] -= r[0]
    out[2, 0] -= r[1]
    out[2, 1] += r[0]


@compiled
def _write_contact(R, arm, W, H, half, B):
    """Writes the columns of a wrench; R counts in weights."""
    turning = np.empty(3)
    for j in range(3):
        turning[:] = 0.0
        add_cross(arm, R[:, j], turning)
        for i in range(3):
            B[i, 3 + j] = half * R[i, j]
            B[3 + i, 3 + j] = H * R[i, j]
            B[6 + i, 3 + j] = H * turning[i]
            B[6 + i, j] = H * R[i, j]
            for m in range(3):
                B[9 + i, 3 + j] += half * W[i, m] * turning[m]
                B[9 + i, j] += half * W[i, m] * R[m, j]


@compiled
def _write_place(force, W, H, half, A):
    """Writes the columns of the place of a sole that carries a force."""
    x, y, z = force[0], force[1], force[2]
    A[6 + 1, 0], A[6 + 2, 0] = -H * z, H * y
    A[6 + 0, 1], A[6 + 2, 1] = H * z, -H * x
    for i in range(3):
        A[9 + i, 0] += half * (W[i, 2] * y - W[i, 1] * z)
        A[9 + i, 1] += half * (W[i, 0] * z - W[i, 2] * x)


@compiled
def _write_body(F, W, H, half, constant, A, e):
    """Writes the columns of the body, and what does not depend on the state."""
    for i in range(BODY):
        A[i, i] = 1.0
    for i in range(3):
        A[i, 3 + i] = H
        e[i], e[3 + i] = half * constant[0, i], H * constant[0, i]
        e[6 + i] = H * constant[1, i]
        for j in range(3):
            A[6 + i, j] = H * F[i, j]
            A[6 + i, 3 + j] = half * F[i, j]
            A[9 + i, 6 + j] = H * W[i, j]
            e[9 + i] += half * W[i, j] * constant[1, j]
            for m in range(3):
                A[9 + i, j] += half * W[i, m] * F[m, j]


@compiled
def _write_stretch(F, W, H, rate, is_planned, stretch, column, e):
    """Writes the column of the interval's time: dF/dH at the plan before, if any."""
    for i in range(3):
        turning, rotation = rate[2, i], rate[3, i]
        for j in range(3):
            turning += H * F[i, j] * rate[0, j]
            rotation += H * W[i, j] * rate[2, j]
        column[i] = is_planned * (rate[0, i] + H * rate[1, i])
        column[3 + i] = is_planned * rate[1, i]
        column[6 + i] = is_planned * turning
        column[9 + i] = is_planned * rotation
    for i in range(12):
        e[i] -= stretch * column[i]
