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

from mpc.horizon import BODY, Horizon


class Dynamics(NamedTuple):
    """x+ = A x + B u + e of every interval; u is [wrenches, theta, jumps]."""

    A: np.ndarray  # (N, NX, NX)
    B: np.ndarray  # (N, NX, NU)
    e: np.ndarray  # (N, NX)


def cross_matrices(r: np.ndarray) -> np.ndarray:
    """(n, 3, 3) cross product matrices of (n, 3) vectors."""
    S = np.zeros((*r.shape[:-1], 3, 3))
    S[..., 0, 1], S[..., 0, 2], S[..., 1, 2] = -r[..., 2], r[..., 1], -r[..., 0]
    S[..., 1, 0], S[..., 2, 0], S[..., 2, 1] = r[..., 2], -r[..., 1], r[..., 0]
    return S


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
    A, B, e = _rates(horizon, len(x0), soles, mass, gravity)
    _N, NX, NU = B.shape
    t = NU - 1 - 2 * len(soles)
    H = (horizon.h + horizon.stretch)[:, None, None]
    transition = H * np.eye(NX) + 0.5 * H**2 * A
    before = horizon.deviation.copy()
    before[0] = x0
    rate = (
        np.einsum("nij,nj->ni", A, before)
        + np.einsum("nij,nj->ni", B[:, :, :t], horizon.wrench_shift)
        + e
    )
    # dF/dH at the plan before, where there is one.
    growth = rate + H[:, :, 0] * np.einsum("nij,nj->ni", A, rate)
    growth *= horizon.is_planned
    Ad, Bd = np.eye(NX) + transition @ A, transition @ B
    e = np.einsum("nij,nj->ni", transition, e) - horizon.stretch[:, None] * growth
    x_ref = np.concatenate([horizon.com, horizon.velocity, horizon.momentum], axis=1)
    Bd[:, :, t:] = 0.0
    Bd[:, :, t] = growth
    Bd[:, :9, t] += np.diff(x_ref, axis=0) / horizon.h[:, None]
    Bd[:, 12, t] = 1.0
    Bd[:, BODY:, t + 1 :] = np.eye(2 * len(soles))
    return Dynamics(Ad, Bd, e)


def _rates(
    horizon: Horizon, NX: int, soles: Sequence[int], mass: float, gravity: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A, B, e of x' = A x + B u + e in every interval."""
    N, C = horizon.standing.shape
    g = gravity
    A = np.zeros((N, NX, NX))
    B = np.zeros((N, NX, 6 * C + 1 + 2 * len(soles)))
    e = np.zeros((N, NX))
    middle = 0.5 * (horizon.com[:-1] + horizon.com[1:]) + horizon.com_shift
    A[:, 0:3, 3:6] = np.eye(3)
    e[:, 5] = g * horizon.lift
    if horizon.tempo != 1.0:
        # The behavior's forces make the accelerations of its own tempo.
        rates = np.concatenate([horizon.velocity, horizon.momentum], axis=1)
        change = np.diff(rates, axis=0) / horizon.h[:, None]
        e[:, 3:9] += (1 / horizon.tempo**2 - 1) * change
    A[:, 9:12, 6:9] = mass * horizon.inverse_inertia
    for c in range(C):
        moment, force = slice(6 * c, 6 * c + 3), slice(6 * c + 3, 6 * c + 6)
        R = horizon.R[:, c]
        extra = np.einsum("nij,nj->ni", R, horizon.wrench_shift[:, force])
        f = np.einsum("nij,nj->ni", R, horizon.wrench[:, force]) + extra
        arm = horizon.p[:, c] + horizon.sole_shift[:, c] - middle
        A[:, 6:9, 0:3] += g * cross_matrices(f)
        B[:, 3:6, force] = g * R
        B[:, 6:9, force] = g * cross_matrices(arm) @ R
        B[:, 6:9, moment] = g * R
        moved = horizon.sole_shift[:, c] - horizon.com_shift
        e[:, 6:9] -= g * np.cross(moved, extra)
        if c in soles:
            o = BODY + 2 * list(soles).index(c)
            A[:, 6:9, o : o + 2] = -g * cross_matrices(f)[:, :, :2]
    return A, B, e
