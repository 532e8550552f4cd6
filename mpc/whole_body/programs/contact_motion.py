"""Accelerations that contacts require: to stand still, or to follow a swing."""

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.dynamics.rotations import relative_log

# Largest acceleration for a leg to turn its foot [rad/s^2] and to move it [m/s^2].
# More, as of a hurried path that a blow has thrown the foot off, throws the body about.
MOST_TURN, MOST_PULL = 400.0, 120.0


@compiled
def contact_acceleration(model, gains, target, work, v, c, out):
    """What contact c shall do, in patch axes: stand still, or follow its swing."""
    nv = v.shape[0]
    R, T = work.R[c], target.R_contact[c]
    V = np.empty(6)
    for i in range(6):
        s = 0.0
        for j in range(nv):
            s += work.J[c, i, j] * v[j]
        V[i] = s
    phi = np.empty(3)
    relative_log(T, R, phi)
    if target.standing[c]:
        # Flat on its support, free to have slid and turned: no force fights a slip.
        along = phi[0] * T[0, 2] + phi[1] * T[1, 2] + phi[2] * T[2, 2]
        turning, moving = gains.contact_axes
        for i in range(3):
            e = 0.0
            for m in range(3):
                e += R[m, i] * (phi[m] - along * T[m, 2])
            out[i] = gains.contact_flatness * e - turning * gains.contact_damping * V[i]
            out[3 + i] = -(moving * gains.contact_damping) * V[3 + i]
        if work.edge[c] != 0.0:
            out[1] = _pitch_acceleration(gains, target, work, c, V[1])
        return
    p = np.empty(3)
    for i in range(3):
        # com - center of mass offset = base origin; r is from there.
        p[i] = target.contact[c, i] - (
            work.com[i] - work.ws.h[0, i] / work.ws.m[0] + work.r[c, i]
        )
    # A path is one of the lowest corner: a foot that is tilted too far goes higher, or
    # it drags along the ground, which tilts it farther.
    corner = np.empty(3)
    kp, kd = gains.swing_stiffness, gains.swing_damping
    for i in range(3):
        s = 0.0
        for m in range(3):
            s += R[m, i] * (
                target.contact_motion[1, c, m]
                + kp * phi[m]
                + kd * target.contact_motion[0, c, m]
            )
        out[i] = s - kd * V[i]
    _shorten(out[:3], MOST_TURN)
    raise_by_tilt(model, target, R, V, out, c, corner)
    for i in range(3):
        t = 0.0
        for m in range(3):
            t += R[m, i] * (
                target.contact_motion[1, c, 3 + m]
                + kp * p[m]
                + kd * target.contact_motion[0, c, 3 + m]
            )
        t += R[2, i] * (corner[2] + kp * corner[0] + kd * corner[1])
        out[3 + i] = t - kd * V[3 + i]
    _shorten(out[3:], MOST_PULL)


@compiled
def _pitch_acceleration(gains, target, work, c, rate):
    """How a foot on an edge shall turn about it [rad/s^2]: as its path has it.

    Args:
        gains, target, work: as everywhere.
        c: index of the contact.
        rate: of its pitch [rad/s].
    """
    axis, planned = target.R_contact[c], np.zeros(2)
    for k in range(2):
        for m in range(3):
            planned[k] += axis[m, 1] * target.contact_motion[k, c, m]
    found = planned[1] + gains.swing_damping * (planned[0] - rate)
    found += gains.swing_stiffness * (target.pitch[c] - work.pitch[c])
    return min(max(found, -MOST_TURN), MOST_TURN)


@compiled
def _shorten(a, most):
    """Makes a vector (3,) no longer than `most`."""
    size = np.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])
    if size > most:
        for i in range(3):
            a[i] *= most / size


@compiled
def raise_by_tilt(model, target, R, V, a, c, out):
    """How much higher sole c has to be for its lowest corner to be on its path.

    Args:
        model, target: as everywhere.
        R: (3, 3) orientation of the sole.
        V, a: (6,) its velocity, and what its acceleration shall be, in its own axes.
        c: index of the contact.
        out: (3,) written: height [m] and its rates [m/s, m/s^2].
    """
    T, size = target.R_contact[c], model.contact_size[c]
    w, dw, now, planned = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for i in range(3):
        w[i], dw[i], out[i] = 0.0, 0.0, 0.0
        for m in range(3):
            w[i] += R[i, m] * V[m]
            dw[i] += R[i, m] * a[m]
    for i in range(2):
        if abs(R[2, i]) > abs(T[2, i]):
            _tilt(R[:, i], w, dw, now)
            motion = target.contact_motion
            _tilt(T[:, i], motion[0, c], motion[1, c], planned)
            for m in range(3):
                out[m] += size[i] * (now[m] - planned[m])


@compiled
def _tilt(axis, w, dw, out):
    """Writes |z| of an axis that turns with w and dw, and its first two rates."""
    along, square = 0.0, 0.0
    for m in range(3):
        along += w[m] * axis[m]
        square += w[m] * w[m]
    speed = w[0] * axis[1] - w[1] * axis[0]
    # One that lies flat goes where it turns.
    sign = 1.0 if axis[2] + 1e-6 * speed > 0 else -1.0
    out[0], out[1] = sign * axis[2], sign * speed
    out[2] = sign * (dw[0] * axis[1] - dw[1] * axis[0])
    out[2] += sign * (w[2] * along - square * axis[2])
