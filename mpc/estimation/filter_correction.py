"""Corrections of the invariant filter by contact measurements, compiled.

`backbeat.mpc.estimation.filter_measurement` has the measurements; symbols are those of
`backbeat.mpc.estimation.invariant_filter`.
"""

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Flags, Vector
from backbeat.models.dynamics.rotations import (
    box_plus,
    left_jacobian,
    quaternion_to_matrix,
    rotation_exp,
)
from backbeat.mpc.estimation.filter_measurement import (
    MeasuredRows,
    are_level,
    measure,
    place_variance,
    see_rest,
)
from backbeat.mpc.estimation.invariant_filter import (
    CONTACT,
    POSITION,
    VELOCITY,
    BaseEstimate,
    ContactKinematics,
    FilterNoise,
)


@compiled
def _land(estimate, R, c, kinematics, variance):
    """Sets contact c to where the encoders see it, with their uncertainty alone."""
    _, x, _, P = estimate
    n, k = P.shape[0], CONTACT + 3 * c
    z = kinematics.place[c]
    for i in range(3):
        x[2 + c, i] = x[1, i] + R[i, 0] * z[0] + R[i, 1] * z[1] + R[i, 2] * z[2]
        for j in range(n):
            P[k + i, j] = P[POSITION + i, j]
    for i in range(3):
        for j in range(n):
            P[j, k + i] = P[j, POSITION + i]
    for i in range(3):
        P[k + i, k + i] += variance[i]


@compiled
def _has_moved(estimate, R, c, kinematics, rate, grips, noise):
    """Whether standing contact c is seen elsewhere, or moving, beyond all noise."""
    P, k = estimate.P, CONTACT + 3 * c
    off, variance = np.empty((2, 3)), np.empty((2, 3))
    see_rest(estimate, R, c, kinematics, rate, noise, off, variance)
    far, fast = 0.0, 0.0
    for i in range(3):
        d, p, v = k + i, POSITION + i, VELOCITY + i
        known = P[d, d] + P[p, p] - 2.0 * P[d, p]
        far += off[0, i] * off[0, i] / (known + variance[0, i])
        fast += off[1, i] * off[1, i] / (P[v, v] + variance[1, i])
    most = noise.gate**2
    return far > most or (grips and fast > most)


@compiled
def _take_rows(P, measured, rows, dx):
    """Takes rows of `measure` one by one, for their errors are independent.

    Args:
        P: (n, n) covariance, corrected in place.
        measured: written by `measure`.
        rows: how many there are.
        dx: (n,) the error, zero before, written.
    """
    index, h, y, variance = measured
    n = P.shape[0]
    Ph = np.empty(n)
    for r in range(rows):
        for i in range(n):
            s = 0.0
            for k in range(4):
                s += P[i, index[r, k]] * h[r, k]
            Ph[i] = s
        S, e = variance[r], y[r]
        for k in range(4):
            S += h[r, k] * Ph[index[r, k]]
            e -= h[r, k] * dx[index[r, k]]
        for i in range(n):
            gain = Ph[i] / S
            dx[i] += gain * e
            for j in range(n):
                P[i, j] -= gain * Ph[j]


@compiled
def correct(
    estimate: BaseEstimate,
    kinematics: ContactKinematics,
    rate: Vector,
    stands: Flags,
    landed: Flags,
    grips: Flags,
    rough: bool,
    noise: FilterNoise,
) -> bool:
    """Corrects an estimate by its contacts, in place.

    Whether they stand level is decided before the correction: what is taken for level
    is level afterwards.

    Args:
        estimate: BaseEstimate.
        kinematics: ContactKinematics of the sample.
        rate: (3,) gyro of the sample [rad/s].
        stands: (C,) whether a contact carries load.
        landed: (C,) whether it does so for the first time.
        grips: (C,) whether its load is enough to trust that it rests.
        rough: whether the ground is not taken for level in any case.
        noise: FilterNoise.

    Returns:
        Whether the contacts stood level.
    """
    q, x, _, P = estimate
    n, C = P.shape[0], x.shape[0] - 2
    R, unit = np.empty((3, 3)), np.empty(3)
    quaternion_to_matrix(q, R)
    rests = stands & ~landed
    for c in range(C):
        if rests[c]:
            rests[c] = not _has_moved(estimate, R, c, kinematics, rate, grips[c], noise)
        if not rests[c]:
            place_variance(R, kinematics.J[c], unit)
            for i in range(3):
                unit[i] *= noise.position**2
            _land(estimate, R, c, kinematics, unit)
    index, h = np.empty((9 * C, 4), np.int64), np.empty((9 * C, 4))
    measured = MeasuredRows(index, h, np.empty(9 * C), np.empty(9 * C))
    level = are_level(estimate, R, kinematics, stands, grips, noise)
    # What has just landed, or moves, is where it is seen, and says no more than that.
    is_even = level and not rough
    rows = measure(estimate, kinematics, rate, rests, grips, is_even, noise, measured)
    dx = np.zeros(n)
    _take_rows(P, measured, rows, dx)
    retract(estimate, dx)
    return level


@compiled
def retract(estimate: BaseEstimate, dx: Vector) -> None:
    """(R, v, p, d, b) <- (exp(dx) (R, v, p, d), b + dx), P made symmetric."""
    q, x, b, P = estimate
    n = P.shape[0]
    E, J = np.empty((3, 3)), np.empty((3, 3))
    rotation_exp(dx[:3], E)
    left_jacobian(dx[:3], J)
    t = np.empty(3)
    for a in range(x.shape[0]):
        k = VELOCITY + 3 * a
        for i in range(3):
            t[i] = 0.0
            for j in range(3):
                t[i] += E[i, j] * x[a, j] + J[i, j] * dx[k + j]
        for i in range(3):
            x[a, i] = t[i]
    turn = np.zeros(6)
    for i in range(3):
        turn[i] = dx[i]
        b[0, i] += dx[n - 6 + i]
        b[1, i] += dx[n - 3 + i]
    box_plus(q, turn, 1.0, True, q)
    for i in range(3):
        q[4 + i] = x[1, i]
    for i in range(n):
        for j in range(i):
            m = 0.5 * (P[i, j] + P[j, i])
            P[i, j] = m
            P[j, i] = m
