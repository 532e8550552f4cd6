"""Centroidal dynamics of deviations over a horizon, linear in state, input and time.

With x the deviation from the behavior, u that of the wrenches, h the phase of an
interval and h + theta its time,

    x+ = F(x, u, h + theta) + theta (change of the behavior per phase)
    F(x, u, H) = x + (H + H^2 A / 2) (A x + B u + e)

where A, B hold lever arms and forces, and e the products of their deviations. It is
linearized about the plan before: a pushed robot falls less far at a higher phase rate,
which is a product of its deviation and the time dilation theta. At a tempo r relative
to the authored one h is divided by r, the behavior's velocities are multiplied by r,
and its forces, which stay, lack 1 - r^2 of its accelerations: that is part of e.

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
from backbeat.mpc.horizon.sampling import Horizon
from backbeat.mpc.horizon.unknowns import BODY


class Dynamics(NamedTuple):
    """x+ = A x + B u + e of every interval; u is [wrenches, theta, moves of soles]."""

    A: Array3  # (N, NX, NX)
    B: Array3  # (N, NX, NU)
    e: Matrix  # (N, NX)


class Course(NamedTuple):
    """Trajectory along which dynamics are linearized; see `Horizon`."""

    h: Vector
    com: Matrix
    velocity: Matrix
    momentum: Matrix
    wrench: Matrix
    R: Array4
    p: Array3
    rotation_rate: Array3  # (N, 3, 3) of the body per angular momentum and mass
    com_shift: Matrix
    sole_shift: Array3
    wrench_shift: Matrix
    deviation: Matrix
    dilation: Vector
    is_planned: float
    replaced: Array3
    external: Matrix
    tempo: float


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
    course = Course(
        h=horizon.h,
        com=horizon.com,
        velocity=horizon.velocity,
        momentum=horizon.momentum,
        wrench=horizon.wrench,
        R=horizon.R,
        p=horizon.p,
        rotation_rate=mass * horizon.inverse_inertia,
        com_shift=horizon.com_shift,
        sole_shift=horizon.sole_shift,
        wrench_shift=horizon.wrench_shift,
        deviation=horizon.deviation,
        dilation=horizon.dilation,
        is_planned=float(horizon.is_planned),
        replaced=horizon.replaced,
        external=horizon.external,
        tempo=horizon.tempo,
    )
    _linearize(course, x0, _places(C, soles), gravity, found)
    return found


def dynamics_pattern(count: int, soles: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """(NX, NX) and (NX, NU) where A and B of an interval may differ from zero.

    Found from random numbers, for which no entry vanishes by chance.

    Args:
        count: C, of patches.
        soles: patches whose places are states.
    """
    draw = np.random.default_rng(0).uniform
    S, found = len(soles), _nothing(1, count, len(soles))
    course = Course(
        h=draw(size=1),
        com=draw(size=(2, 3)),
        velocity=draw(size=(2, 3)),
        momentum=draw(size=(2, 3)),
        wrench=draw(size=(1, 6 * count)),
        R=draw(size=(1, count, 3, 3)),
        p=draw(size=(1, count, 3)),
        rotation_rate=draw(size=(1, 3, 3)),
        com_shift=draw(size=(1, 3)),
        sole_shift=draw(size=(1, count, 3)),
        wrench_shift=draw(size=(1, 6 * count)),
        deviation=draw(size=(1, BODY + 2 * S)),
        dilation=draw(size=1),
        is_planned=1.0,
        replaced=draw(size=(1, S, 2)),
        external=draw(size=(1, 3)),
        tempo=0.8,
    )
    _linearize(course, draw(size=BODY + 2 * S), _places(count, soles), 9.8, found)
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
    along: Course, x0: Vector, places: Indices, gravity: float, out: Dynamics
) -> None:
    """Writes dynamics, which are all zero before.

    Args:
        along: trajectory about which they are linearized.
        x0: (NX,) state at the start of the first interval.
        places: (C,) where the place of a patch is in a state, or -1.
        gravity: of the robot [m/s^2].
        out: written.
    """
    A, B, e = out.A, out.B, out.e
    com, velocity, momentum = along.com, along.velocity, along.momentum
    N, C = along.h.shape[0], places.shape[0]
    t = 6 * C
    # Angular momentum per CoM and rotation per angular momentum; rates at the plan.
    F, rate, constant = np.empty((3, 3)), np.empty((4, 3)), np.empty((2, 3))
    force = np.empty(3)
    for k in range(N):
        h, W, dilation = along.h[k], along.rotation_rate[k], along.dilation[k]
        H = h + dilation
        half = 0.5 * H * H
        x = x0 if k == 0 else along.deviation[k]
        F[:] = 0.0
        _forces_of_tempo(along, k, constant)
        for i in range(3):
            constant[0, i] += along.external[k, i]
        rate[1], rate[2] = constant[0], constant[1]
        for c in range(C):
            columns = B[k, :, 6 * c : 6 * c + 6]
            _add_contact(along, k, c, gravity, force, constant, rate, columns)
            _add_cross_matrix(force, F)
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
        _write_time_dilation(
            F, W, H, rate, along.is_planned, dilation, B[k, :, t], e[k]
        )
        for i in range(3):
            B[k, i, t] += (com[k + 1, i] - com[k, i]) / h
            B[k, 3 + i, t] += (velocity[k + 1, i] - velocity[k, i]) / h
            B[k, 6 + i, t] += (momentum[k + 1, i] - momentum[k, i]) / h
        B[k, 12, t] = 1.0
        for i in range(x.shape[0] - BODY):
            A[k, BODY + i, BODY + i] = 1.0
            B[k, BODY + i, t + 1 + i] = 1.0
            e[k, BODY + i] = along.replaced[k, i // 2, i % 2]


@compiled
def _add_contact(along, k, c, gravity, force, constant, rate, B):
    """Adds what contact c does in interval k; writes its force and its columns."""
    arm, moved, axes = np.empty(3), np.empty(3), np.empty((3, 3))
    w, dw = np.empty(6), np.empty(6)
    W, H = along.rotation_rate[k], along.h[k] + along.dilation[k]
    half = 0.5 * H * H
    for i in range(3):
        shift = along.com_shift[k, i]
        middle = 0.5 * (along.com[k, i] + along.com[k + 1, i]) + shift
        arm[i] = along.p[k, c, i] + along.sole_shift[k, c, i] - middle
        moved[i] = along.sole_shift[k, c, i] - shift
        for j in range(3):
            axes[i, j] = gravity * along.R[k, c, i, j]
    for i in range(6):
        w[i] = gravity * along.wrench[k, 6 * c + i]
        dw[i] = gravity * along.wrench_shift[k, 6 * c + i]
    _add_loads(along.R[k, c], arm, moved, w, dw, force, constant, rate)
    _write_contact(axes, arm, W, H, half, B)


@compiled
def _forces_of_tempo(along, k, constant):
    """Writes accelerations that the behavior's forces lack at another tempo."""
    velocity, momentum = along.velocity, along.momentum
    # They make the accelerations of its own tempo.
    share = (1.0 / along.tempo**2 - 1.0) / along.h[k]
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
def _write_time_dilation(F, W, H, rate, is_planned, dilation, column, e):
    """Writes the column of the time dilation: dF/dH at the plan before, if any."""
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
        e[i] -= dilation * column[i]
