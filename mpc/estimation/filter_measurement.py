"""Contact measurements of the error of the invariant filter, compiled.

Measurements are the places of standing contacts in the base, their zero velocity,
their height and flatness on level ground; symbols are those of
`backbeat.mpc.estimation.invariant_filter`.
"""

from typing import NamedTuple

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Flags, IndexMatrix, Matrix, Vector
from backbeat.models.dynamics.rotations import add_cross, quaternion_to_matrix
from backbeat.mpc.estimation.invariant_filter import (
    CONTACT,
    POSITION,
    ROTATION,
    VELOCITY,
    BaseEstimate,
    ContactKinematics,
    FilterNoise,
)


class MeasuredRows(NamedTuple):
    """What contacts say about the error: h xi[which] = y + noise.

    Attributes:
        which, h: (9 C, 4) which errors a row is about, and how much.
        y: (9 C,) what is measured.
        variance: (9 C,) of its noise.
    """

    which: IndexMatrix
    h: Matrix
    y: Vector
    variance: Vector


@compiled
def place_variance(R, J, out):
    """Variance of a contact's place, world axes, for encoders of unit variance."""
    for i in range(3):
        s = 0.0
        for k in range(J.shape[1]):
            a = R[i, 0] * J[0, k] + R[i, 1] * J[1, k] + R[i, 2] * J[2, k]
            s += a * a
        out[i] = s


@compiled
def see_rest(estimate, R, c, kinematics, rate, noise, off, variance):
    """Writes how a contact that should rest is seen against the estimate.

    Args:
        estimate: BaseEstimate.
        R: (3, 3) its rotation.
        c: the contact.
        kinematics: ContactKinematics of the sample.
        rate: (3,) gyro of the sample [rad/s].
        noise: FilterNoise.
        off: (2, 3) written: how far it is from its place [m], and what has to be added
            to the velocity of the base for it to rest [m/s], world axes.
        variance: (2, 3) written: of both, by encoders and gyro.
    """
    _, x, b, _ = estimate
    z, d = kinematics.place[c], x[2 + c]
    w, u, unit = np.empty(3), np.empty(3), np.empty(3)
    place_variance(R, kinematics.J[c], unit)
    for i in range(3):
        w[i] = rate[i] - b[0, i]
        u[i] = kinematics.velocity[c, i]
    add_cross(w, kinematics.touch[c], u)
    lever = z[0] * z[0] + z[1] * z[1] + z[2] * z[2]
    for i in range(3):
        off[0, i] = R[i, 0] * z[0] + R[i, 1] * z[1] + R[i, 2] * z[2] + x[1, i] - d[i]
        off[1, i] = -x[0, i] - R[i, 0] * u[0] - R[i, 1] * u[1] - R[i, 2] * u[2]
        variance[0, i] = noise.position**2 * unit[i] + 1e-8
        variance[1, i] = noise.velocity**2 * unit[i] + noise.gyro**2 * lever


@compiled
def are_level(estimate, R, kinematics, stands, grips, noise):
    """Whether contacts that grip stand flat, and near enough to one level height."""
    low, high = noise.level, -noise.level
    for c in range(stands.shape[0]):
        if not (stands[c] and grips[c]):
            continue
        height = estimate.x[2 + c, 2]
        low, high = min(low, height), max(high, height)
        if kinematics.rolls[c] >= 0.0:
            u = 0.0
            for k in range(3):
                u += R[2, k] * kinematics.ahead[c, k]
            if abs(u) >= noise.flat:
                return False
            continue
        for i in range(2):
            u = 0.0
            for k in range(3):
                u += R[i, k] * kinematics.normal[c, k]
            if abs(u) >= noise.flat:
                return False
    return high - low < noise.even and max(high, -low) < noise.level


@compiled
def _rest_row(R, z, n, i, index, h):
    """Row of a contact's velocity along axis i: v, and R S(z) for the gyro's bias.

    A wrong bias of the gyro swings the contact.

    Args:
        R: (3, 3) rotation of the estimate.
        z: (3,) the contact from the base, base axes [m].
        n: number of errors.
        i: the axis.
        index, h: (4,) written, as in `measure`.
    """
    index[0], h[0] = VELOCITY + i, 1.0
    for j in range(3):
        e, f = (j + 1) % 3, (j + 2) % 3
        index[1 + j], h[1 + j] = n - 6 + j, R[i, e] * z[f] - R[i, f] * z[e]


@compiled
def _height_row(d, k, index, h):
    """Row of the height of exp(xi) d, whose own error begins at k."""
    index[0], h[0] = ROTATION, d[1]
    index[1], h[1] = ROTATION + 1, -d[0]
    index[2], h[2] = k + 2, 1.0


@compiled
def _flatness_row(R, normal, i, index, h):
    """Row of a contact's tilt along axis i; returns the tilt that is seen."""
    u = 0.0
    for j in range(3):
        u += R[i, j] * normal[j]
    index[0], h[0] = ROTATION + 1 - i, 1.0 - 2.0 * i
    return u


@compiled
def _pitch_row(R, ahead, index, h):
    """Row of the pitch of a sole that rolls; returns the rise of its length."""
    u = np.zeros(3)
    for i in range(3):
        for j in range(3):
            u[i] += R[i, j] * ahead[j]
    index[0], h[0] = ROTATION, u[1]
    index[1], h[1] = ROTATION + 1, -u[0]
    return u[2]


@compiled
def _flatness_rows(R, kinematics, c, noise, m, out):
    """Writes rows of the tilt of contact c from m on; returns where they end."""
    rolls = kinematics.rolls[c] >= 0.0
    for i in range(1 if rolls else 2):
        if rolls:
            u = _pitch_row(R, kinematics.ahead[c], out.which[m], out.h[m])
        else:
            u = _flatness_row(R, kinematics.normal[c], i, out.which[m], out.h[m])
        out.y[m], out.variance[m] = -u, noise.flatness**2
        m += 1
    return m


@compiled
def measure(
    estimate: BaseEstimate,
    kinematics: ContactKinematics,
    rate: Vector,
    stands: Flags,
    grips: Flags,
    level: bool,
    noise: FilterNoise,
    out: MeasuredRows,
) -> int:
    """What the standing contacts say about the error: h xi[index] = y + noise.

    Places: d = p + R z. Of contacts that grip, rest: v = -R (w x z + zdot). On level
    ground their normals are vertical (of soles that roll, their length is level) and
    their heights zero.

    Args:
        estimate: BaseEstimate.
        kinematics: ContactKinematics of the sample.
        rate: (3,) gyro of the sample [rad/s].
        stands, grips: (C,) bool.
        level: whether the ground is taken for level.
        noise: FilterNoise.
        out: written.

    Returns:
        Number of rows written.
    """
    q, x, _, P = estimate
    index, h, y, variance = out
    n, C, m = P.shape[0], x.shape[0] - 2, 0
    R, off, spread = np.empty((3, 3)), np.empty((2, 3)), np.empty((2, 3))
    quaternion_to_matrix(q, R)
    index[:] = 0
    h[:] = 0.0
    for c in range(C):
        if not stands[c]:
            continue
        d, k = x[2 + c], CONTACT + 3 * c
        see_rest(estimate, R, c, kinematics, rate, noise, off, spread)
        for i in range(3):
            index[m, 0], h[m, 0] = k + i, 1.0
            index[m, 1], h[m, 1] = POSITION + i, -1.0
            y[m], variance[m] = off[0, i], spread[0, i]
            m += 1
        if not grips[c]:
            continue
        for i in range(3):
            _rest_row(R, kinematics.touch[c], n, i, index[m], h[m])
            y[m], variance[m] = off[1, i], spread[1, i]
            m += 1
        if not level:
            continue
        _height_row(d, k, index[m], h[m])
        y[m], variance[m] = -d[2], noise.height**2
        m += 1
        m = _flatness_rows(R, kinematics, c, noise, m, out)
    return m
