"""Contact-aided invariant extended Kalman filter for a floating base, compiled.

Symbols
    q       rotation R of the base as a unit quaternion, and its position p [m]
    x       rows v, p, d_1 .. d_C: velocity and position of the base and the places
            of the contacts, world axes [m/s, m]; p is kept in q as well
    b       rows gyro bias [rad/s] and accelerometer bias [m/s^2], base axes
    xi      error: (R, v, p, d) true = exp(xi) (R, v, p, d) estimated as elements of
            SE_{2+C}(3), so that R true = exp(xi_R) R, p true = exp(xi_R) p + J xi_p,
            with J the left Jacobian; biases subtract. Order R, v, p, d, b.
    P       (n, n) covariance of xi, n = 15 + 3 C

Without biases the error obeys an equation that does not depend on the estimate,
whatever its size: a wrong heading or place cannot make the filter inconsistent.
Contacts in the air move with the base. `backbeat.mpc.estimation.filter_measurement` has
the measurements.

Source: Hartley, Ghaffari, Eustice, Grizzle, "Contact-Aided Invariant Extended Kalman
Filtering for Robot State Estimation", 2020.
"""

from typing import NamedTuple

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Array3, Matrix, Vector
from backbeat.models.dynamics.rotations import box_plus, quaternion_to_matrix

# Blocks of the error.
ROTATION, VELOCITY, POSITION, CONTACT = 0, 3, 6, 9


class FilterNoise(NamedTuple):
    """Standard deviations that the filter assumes, and its gates.

    Attributes:
        gyro, accelerometer: of one sample [rad/s, m/s^2], with room for what sampling
            and shocks add.
        gyro_walk, accelerometer_walk: of the walk of their biases [rad/s/sqrt(s),
            m/s^2/sqrt(s)].
        position, velocity: of encoders, one sample [rad, rad/s].
        slip: wander of a standing contact [m/sqrt(s)].
        height: height of level ground [m].
        level: farthest from it that still counts as level [m].
        even: most by which the heights of feet differ on it [m].
        flatness: tilt of a sole that lies flat [rad]. A sole that yields tilts for as
            long as the weight is off its middle, by 20 mrad on one foot on soft ground:
            that is no noise that time averages out.
        flat: largest tilt that still counts as flat [rad].
        gate: standard deviations away from rest at which a contact slides or tips.
    """

    gyro: float = 7.5e-3
    accelerometer: float = 0.1
    gyro_walk: float = 1e-4
    accelerometer_walk: float = 1e-3
    position: float = 1e-3
    velocity: float = 20e-3
    slip: float = 1e-4
    height: float = 1e-3
    level: float = 15e-3
    even: float = 5e-3
    flatness: float = 35e-3
    flat: float = 40e-3
    gate: float = 5.0


class BaseEstimate(NamedTuple):
    """Mean and covariance; see the symbols above."""

    q: Vector  # (7,)
    x: Matrix  # (2 + C, 3)
    b: Matrix  # (2, 3)
    P: Matrix  # (n, n)


class ContactKinematics(NamedTuple):
    """Contacts as the encoders see them, in base axes from the base origin."""

    place: Matrix  # (C, 3) [m]
    normal: Matrix  # (C, 3) unit normal of the patch
    velocity: Matrix  # (C, 3) due to the joints [m/s]
    J: Array3  # (C, 3, K) of the place by the joints of the limb
    ahead: Matrix  # (C, 3) unit vector along the patch, or the edge on which it stands
    rolls: Vector  # (C,) below zero of patches that are flat, not on such a line alone
    touch: Matrix  # (C, 3) where it touches [m]: the place, or the middle of that line


@compiled
def _skew(a, S):
    """S b = a x b."""
    S[0, 0] = S[1, 1] = S[2, 2] = 0.0
    S[0, 1], S[0, 2], S[1, 2] = -a[2], a[1], -a[0]
    S[1, 0], S[2, 0], S[2, 1] = a[2], -a[1], a[0]


@compiled
def apply_transition(
    M: Matrix, R: Matrix, x: Matrix, gravity: float, dt: float
) -> None:
    """M <- F M, with F the transition of the error over a step.

    Args:
        M: (n, m) changed in place.
        R, x: rotation and vectors of the estimate before the step.
        gravity: along -z [m/s^2].
        dt: step [s].
    """
    n, m = M.shape
    gyro, accelerometer = n - 6, n - 3
    Rg = np.empty((3, m))
    for i in range(3):
        for j in range(m):
            Rg[i, j] = dt * (
                R[i, 0] * M[gyro, j]
                + R[i, 1] * M[gyro + 1, j]
                + R[i, 2] * M[gyro + 2, j]
            )
    half = 0.5 * dt * dt * gravity
    for j in range(m):
        for i in range(3):
            M[POSITION + i, j] += dt * M[VELOCITY + i, j]
        # g x xi_R with g along -z.
        M[POSITION, j] += half * M[ROTATION + 1, j]
        M[POSITION + 1, j] -= half * M[ROTATION, j]
        M[VELOCITY, j] += dt * gravity * M[ROTATION + 1, j]
        M[VELOCITY + 1, j] -= dt * gravity * M[ROTATION, j]
        for i in range(3):
            s = 0.0
            for k in range(3):
                s += R[i, k] * M[accelerometer + k, j]
            M[VELOCITY + i, j] -= dt * s
            M[POSITION + i, j] -= 0.5 * dt * dt * s
            M[ROTATION + i, j] -= Rg[i, j]
    for a in range(x.shape[0]):
        r = VELOCITY + 3 * a
        for j in range(m):
            M[r, j] -= x[a, 1] * Rg[2, j] - x[a, 2] * Rg[1, j]
            M[r + 1, j] -= x[a, 2] * Rg[0, j] - x[a, 0] * Rg[2, j]
            M[r + 2, j] -= x[a, 0] * Rg[1, j] - x[a, 1] * Rg[0, j]


@compiled
def _transpose(P):
    n = P.shape[0]
    for i in range(n):
        for j in range(i):
            t = P[i, j]
            P[i, j] = P[j, i]
            P[j, i] = t


@compiled
def add_rotation_noise(P: Matrix, x: Matrix, variance: float) -> None:
    """Adds a rotation about the base by isotropic noise: it enters all rows.

    A turn of the base that leaves its place is a turn about the world's origin and
    a shift, xi = [I; S(v); S(p); S(d)] noise.
    """
    m = x.shape[0] + 1
    S = np.zeros((m, 3, 3))
    for i in range(3):
        S[0, i, i] = 1.0
    for a in range(m - 1):
        _skew(x[a], S[a + 1])
    for a in range(m):
        for b in range(m):
            for i in range(3):
                for j in range(3):
                    s = 0.0
                    for k in range(3):
                        s += S[a, i, k] * S[b, j, k]
                    P[3 * a + i, 3 * b + j] += variance * s


@compiled
def propagate(
    estimate: BaseEstimate,
    gyro: Vector,
    accelerometer: Vector,
    gravity: float,
    dt: float,
    noise: FilterNoise,
    slip: Vector,
) -> None:
    """Moves an estimate on by one sample of the IMU, in place.

    Args:
        estimate: BaseEstimate.
        gyro, accelerometer: (3,) one sample.
        gravity: magnitude [m/s^2].
        dt: time since the sample before [s].
        noise: FilterNoise.
        slip: (C,) wander of each contact [m/sqrt(s)].
    """
    q, x, b, P = estimate
    n, C = P.shape[0], x.shape[0] - 2
    R = np.empty((3, 3))
    quaternion_to_matrix(q, R)
    apply_transition(P, R, x, gravity, dt)
    _transpose(P)
    apply_transition(P, R, x, gravity, dt)
    add_rotation_noise(P, x, (noise.gyro * dt) ** 2)
    for i in range(3):
        P[VELOCITY + i, VELOCITY + i] += (noise.accelerometer * dt) ** 2
        P[n - 6 + i, n - 6 + i] += noise.gyro_walk**2 * dt
        P[n - 3 + i, n - 3 + i] += noise.accelerometer_walk**2 * dt
        for c in range(C):
            k = CONTACT + 3 * c + i
            P[k, k] += slip[c] ** 2 * dt
    step = np.zeros(6)
    for i in range(3):
        a = 0.0
        for k in range(3):
            step[i] += dt * R[i, k] * (gyro[k] - b[0, k])
            a += R[i, k] * (accelerometer[k] - b[1, k])
        if i == 2:
            a -= gravity
        step[3 + i] = dt * x[0, i] + 0.5 * dt * dt * a
        x[0, i] += dt * a
    box_plus(q, step, 1.0, True, q)
    for i in range(3):
        x[1, i] = q[4 + i]
