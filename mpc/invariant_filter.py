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
Measurements are the places of standing contacts in the base, their zero velocity,
their height and flatness on level ground. Contacts in the air ride along.

Source: Hartley, Ghaffari, Eustice, Grizzle, "Contact-Aided Invariant Extended Kalman
Filtering for Robot State Estimation", 2020.
"""

from typing import NamedTuple

import numpy as np

from models.rotations import (
    add_cross,
    box_plus,
    compiled,
    left_jacobian,
    quaternion_to_matrix,
    rotation_exp,
)

# Blocks of the error.
ROTATION, VELOCITY, POSITION, CONTACT = 0, 3, 6, 9


class FilterNoise(NamedTuple):
    """Standard deviations that the filter assumes, and its gates."""

    # Of one sample of the gyro [rad/s] and of the accelerometer [m/s^2], with room
    # for what sampling and shocks add.
    gyro: float = 7.5e-3
    accelerometer: float = 0.1
    # Walk of their biases [rad/s/sqrt(s), m/s^2/sqrt(s)].
    gyro_walk: float = 1e-4
    accelerometer_walk: float = 1e-3
    # Encoders, one sample [rad, rad/s].
    position: float = 1e-3
    velocity: float = 20e-3
    # Wander of a standing contact [m/sqrt(s)].
    slip: float = 1e-4
    # Height of level ground [m], and farthest from it that still counts as level.
    height: float = 1e-3
    level: float = 5e-3
    # Tilt of a sole that lies flat [rad], and largest that still counts as flat.
    flatness: float = 25e-3
    flat: float = 40e-3
    # A contact that is seen so many standard deviations away from rest slides or tips.
    gate: float = 5.0


class BaseEstimate(NamedTuple):
    """Mean and covariance; see the symbols above."""

    q: np.ndarray  # (7,)
    x: np.ndarray  # (2 + C, 3)
    b: np.ndarray  # (2, 3)
    P: np.ndarray  # (n, n)


class ContactKinematics(NamedTuple):
    """Contacts as the encoders see them, in base axes from the base origin."""

    place: np.ndarray  # (C, 3) [m]
    normal: np.ndarray  # (C, 3) unit normal of the patch
    velocity: np.ndarray  # (C, 3) due to the joints [m/s]
    J: np.ndarray  # (C, 3, K) of the place by the joints of the limb


@compiled
def _skew(a, S):
    """S b = a x b."""
    S[0, 0] = S[1, 1] = S[2, 2] = 0.0
    S[0, 1], S[0, 2], S[1, 2] = -a[2], a[1], -a[0]
    S[1, 0], S[2, 0], S[2, 1] = a[2], -a[1], a[0]


@compiled
def apply_transition(M, R, x, gravity, dt):
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
def add_rotation_noise(P, x, variance):
    """Adds a rotation about the base by isotropic noise: of it all rows know.

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
def propagate(estimate, gyro, accelerometer, gravity, dt, noise, slip):
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
def _place_variance(R, J, out):
    """Variance of a contact's place, world axes, for encoders of unit variance."""
    for i in range(3):
        s = 0.0
        for k in range(J.shape[1]):
            a = R[i, 0] * J[0, k] + R[i, 1] * J[1, k] + R[i, 2] * J[2, k]
            s += a * a
        out[i] = s


@compiled
def _see_rest(estimate, R, c, kinematics, rate, noise, off, variance):
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
    _place_variance(R, kinematics.J[c], unit)
    for i in range(3):
        w[i] = rate[i] - b[0, i]
        u[i] = kinematics.velocity[c, i]
    add_cross(w, z, u)
    lever = z[0] * z[0] + z[1] * z[1] + z[2] * z[2]
    for i in range(3):
        off[0, i] = R[i, 0] * z[0] + R[i, 1] * z[1] + R[i, 2] * z[2] + x[1, i] - d[i]
        off[1, i] = -x[0, i] - R[i, 0] * u[0] - R[i, 1] * u[1] - R[i, 2] * u[2]
        variance[0, i] = noise.position**2 * unit[i] + 1e-8
        variance[1, i] = noise.velocity**2 * unit[i] + noise.gyro**2 * lever


@compiled
def _has_moved(estimate, R, c, kinematics, rate, grips, noise):
    """Whether standing contact c is seen elsewhere, or moving, beyond all noise."""
    P, k = estimate.P, CONTACT + 3 * c
    off, variance = np.empty((2, 3)), np.empty((2, 3))
    _see_rest(estimate, R, c, kinematics, rate, noise, off, variance)
    far, fast = 0.0, 0.0
    for i in range(3):
        d, p, v = k + i, POSITION + i, VELOCITY + i
        known = P[d, d] + P[p, p] - 2.0 * P[d, p]
        far += off[0, i] * off[0, i] / (known + variance[0, i])
        fast += off[1, i] * off[1, i] / (P[v, v] + variance[1, i])
    most = noise.gate**2
    return far > most or (grips and fast > most)


@compiled
def measure(estimate, kinematics, rate, stands, grips, noise, index, h, y, variance):
    """What the standing contacts say about the error: h xi[index] = y + noise.

    Places: d = p + R z. Rest: v = -R (w x z + zdot), for a contact that grips. Flat:
    its normal is vertical, and level: its height is zero; both only if nearly so.

    Args:
        estimate: BaseEstimate.
        kinematics: ContactKinematics of the sample.
        rate: (3,) gyro of the sample [rad/s].
        stands, grips: (C,) bool.
        noise: FilterNoise.
        index, h: (9 C, 4) written: which errors a row is about, and how much.
        y, variance: (9 C,) written.

    Returns:
        Number of rows written.
    """
    q, x, _, P = estimate
    n, C, m = P.shape[0], x.shape[0] - 2, 0
    R, u = np.empty((3, 3)), np.empty(3)
    off, spread = np.empty((2, 3)), np.empty((2, 3))
    quaternion_to_matrix(q, R)
    for r in range(9 * C):
        for k in range(4):
            index[r, k] = 0
            h[r, k] = 0.0
    for c in range(C):
        if not stands[c]:
            continue
        z, d, k = kinematics.place[c], x[2 + c], CONTACT + 3 * c
        _see_rest(estimate, R, c, kinematics, rate, noise, off, spread)
        for i in range(3):
            index[m, 0], h[m, 0] = k + i, 1.0
            index[m, 1], h[m, 1] = POSITION + i, -1.0
            y[m], variance[m] = off[0, i], spread[0, i]
            m += 1
        if abs(d[2]) < noise.level:
            # Height of exp(xi) d.
            index[m, 0], h[m, 0] = ROTATION, d[1]
            index[m, 1], h[m, 1] = ROTATION + 1, -d[0]
            index[m, 2], h[m, 2] = k + 2, 1.0
            y[m], variance[m] = -d[2], noise.height**2
            m += 1
        if not grips[c]:
            continue
        for i in range(3):
            index[m, 0], h[m, 0] = VELOCITY + i, 1.0
            for j in range(3):
                # R S(z), for a wrong bias of the gyro swings the contact.
                e, f = (j + 1) % 3, (j + 2) % 3
                index[m, 1 + j], h[m, 1 + j] = (
                    n - 6 + j,
                    R[i, e] * z[f] - R[i, f] * z[e],
                )
            y[m], variance[m] = off[1, i], spread[1, i]
            m += 1
        for i in range(3):
            u[i] = 0.0
            for j in range(3):
                u[i] += R[i, j] * kinematics.normal[c, j]
        if abs(u[0]) < noise.flat and abs(u[1]) < noise.flat:
            for i in range(2):
                index[m, 0], h[m, 0] = ROTATION + 1 - i, 1.0 - 2.0 * i
                y[m], variance[m] = -u[i], noise.flatness**2
                m += 1
    return m


@compiled
def correct(estimate, kinematics, rate, stands, landed, grips, noise):
    """Corrects an estimate by its contacts, in place.

    Args:
        estimate: BaseEstimate.
        kinematics: ContactKinematics of the sample.
        rate: (3,) gyro of the sample [rad/s].
        stands: (C,) whether a contact carries load.
        landed: (C,) whether it does so for the first time.
        grips: (C,) whether its load is enough to trust that it rests.
        noise: FilterNoise.
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
            _place_variance(R, kinematics.J[c], unit)
            for i in range(3):
                unit[i] *= noise.position**2
            _land(estimate, R, c, kinematics, unit)
    index, h = np.empty((9 * C, 4), np.int64), np.empty((9 * C, 4))
    y, variance = np.empty(9 * C), np.empty(9 * C)
    # What has just landed, or moves, is where it is seen, and says no more than that.
    rows = measure(
        estimate, kinematics, rate, rests, grips, noise, index, h, y, variance
    )
    # Rows have independent errors, so they are taken one by one.
    dx, Ph = np.zeros(n), np.empty(n)
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
    retract(estimate, dx)


@compiled
def retract(estimate, dx):
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
