"""Rotations and the manifold of floating-base configurations, compiled.

Symbols
    q   configuration: unit quaternion (w, x, y, z) and position of the base,
        then joints [rad or m]; joints alone when the base is fixed.
    d   tangent increment: rotation vector of the base in world axes [rad],
        base translation [m], joints. Same layout as Drake's v.
    E   3x3 rotation matrix, phi its rotation vector (rotation log).

The left Jacobian of SO(3) relates a world-axes angular increment to the change
of the rotation vector (Solà, Deray, Atchuthan, "A micro Lie theory for state
estimation in robotics", 2018).
"""

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Matrix, MatrixView, Vector


@compiled
def cross(a, b, out):
    """out = a x b for 3-vectors."""
    x = a[1] * b[2] - a[2] * b[1]
    y = a[2] * b[0] - a[0] * b[2]
    z = a[0] * b[1] - a[1] * b[0]
    out[0] = x
    out[1] = y
    out[2] = z


@compiled
def add_cross(a, b, out):
    """out += a x b for 3-vectors."""
    x = a[1] * b[2] - a[2] * b[1]
    y = a[2] * b[0] - a[0] * b[2]
    z = a[0] * b[1] - a[1] * b[0]
    out[0] += x
    out[1] += y
    out[2] += z


@compiled
def quaternion_to_matrix(q: Vector, R: Matrix) -> None:
    """Writes the rotation matrix of the quaternion q[:4] (w, x, y, z) into R."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    s = 2.0 / (w * w + x * x + y * y + z * z)
    R[0, 0] = 1 - s * (y * y + z * z)
    R[0, 1] = s * (x * y - w * z)
    R[0, 2] = s * (x * z + w * y)
    R[1, 0] = s * (x * y + w * z)
    R[1, 1] = 1 - s * (x * x + z * z)
    R[1, 2] = s * (y * z - w * x)
    R[2, 0] = s * (x * z - w * y)
    R[2, 1] = s * (y * z + w * x)
    R[2, 2] = 1 - s * (x * x + y * y)


@compiled
def rotation_exp(phi: Vector, R: Matrix) -> None:
    """Writes the rotation matrix of the rotation vector phi [rad] into R."""
    x, y, z = phi[0], phi[1], phi[2]
    t2 = x * x + y * y + z * z
    if t2 < 1e-16:
        s, c = 1.0 - t2 / 6.0, 0.5 - t2 / 24.0
    else:
        t = np.sqrt(t2)
        s, c = np.sin(t) / t, (1 - np.cos(t)) / t2
    R[0, 0] = 1 - c * (y * y + z * z)
    R[0, 1] = c * x * y - s * z
    R[0, 2] = c * x * z + s * y
    R[1, 0] = c * x * y + s * z
    R[1, 1] = 1 - c * (x * x + z * z)
    R[1, 2] = c * y * z - s * x
    R[2, 0] = c * x * z - s * y
    R[2, 1] = c * y * z + s * x
    R[2, 2] = 1 - c * (x * x + y * y)


@compiled
def quaternion_log(a: Vector, b: Vector, phi: Vector) -> None:
    """phi = log(R_a R_b^T) [rad], from quaternions a and b (w, x, y, z).

    phi[:3] is the shortest world-axes rotation that takes b to a.
    """
    w1, x1, y1, z1 = a[0], a[1], a[2], a[3]
    w2, x2, y2, z2 = b[0], -b[1], -b[2], -b[3]
    w = w1 * w2 - x1 * x2 - y1 * y2 - z1 * z2
    x = w1 * x2 + x1 * w2 + y1 * z2 - z1 * y2
    y = w1 * y2 - x1 * z2 + y1 * w2 + z1 * x2
    z = w1 * z2 + x1 * y2 - y1 * x2 + z1 * w2
    if w < 0:
        w, x, y, z = -w, -x, -y, -z
    n = np.sqrt(x * x + y * y + z * z)
    s = 2.0 if n < 1e-9 else 2 * np.arctan2(n, w) / n
    phi[0] = s * x
    phi[1] = s * y
    phi[2] = s * z


@compiled
def relative_log(R: MatrixView, T: MatrixView, phi: Vector) -> None:
    """phi = log(R T^T) [rad]: the rotation error of R from the target T.

    Near half a turn the axis is taken from the symmetric part, where the
    skew part vanishes.
    """
    E = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            E[i, j] = R[i, 0] * T[j, 0] + R[i, 1] * T[j, 1] + R[i, 2] * T[j, 2]
    c = 0.5 * (E[0, 0] + E[1, 1] + E[2, 2] - 1)
    x = 0.5 * (E[2, 1] - E[1, 2])
    y = 0.5 * (E[0, 2] - E[2, 0])
    z = 0.5 * (E[1, 0] - E[0, 1])
    sine = np.sqrt(x * x + y * y + z * z)
    angle = np.arctan2(sine, c)
    if sine > 1e-5 or c > 0:
        s = 1.0 if sine < 1e-9 else angle / sine
        phi[0] = s * x
        phi[1] = s * y
        phi[2] = s * z
        return
    i = 0
    for j in range(1, 3):
        if E[j, j] > E[i, i]:
            i = j
    axis = np.empty(3)
    axis[i] = np.sqrt(max(0.0, 0.5 * (E[i, i] + 1)))
    for j in range(3):
        if j != i:
            axis[j] = 0.25 * (E[i, j] + E[j, i]) / axis[i]
    sign = 1.0 if axis[0] * x + axis[1] * y + axis[2] * z >= 0 else -1.0
    for j in range(3):
        phi[j] = sign * angle * axis[j]


@compiled
def left_jacobian_inverse(phi: Vector, sign: float, E: Matrix) -> None:
    """Writes J_l^-1(phi) for sign +1, J_r^-1(phi) for sign -1, into E (3, 3)."""
    t2 = phi[0] * phi[0] + phi[1] * phi[1] + phi[2] * phi[2]
    if t2 < 1e-4:
        k = 1 / 12.0 + t2 / 720.0
    else:
        t = np.sqrt(t2)
        k = 1 / t2 - (1 + np.cos(t)) / (2 * t * np.sin(t))
    for i in range(3):
        for j in range(3):
            E[i, j] = k * phi[i] * phi[j]
        E[i, i] += 1 - k * t2
    s = 0.5 * sign
    E[0, 1] += s * phi[2]
    E[0, 2] -= s * phi[1]
    E[1, 0] -= s * phi[2]
    E[1, 2] += s * phi[0]
    E[2, 0] += s * phi[1]
    E[2, 1] -= s * phi[0]


@compiled
def left_jacobian(phi: Vector, E: Matrix) -> None:
    """Writes the left Jacobian J_l(phi) of SO(3) into E (3, 3)."""
    x, y, z = phi[0], phi[1], phi[2]
    t2 = x * x + y * y + z * z
    if t2 < 1e-8:
        a, b = 0.5 - t2 / 24.0, 1 / 6.0 - t2 / 120.0
    else:
        t = np.sqrt(t2)
        a, b = (1 - np.cos(t)) / t2, (t - np.sin(t)) / (t2 * t)
    E[0, 0] = 1 - b * (y * y + z * z)
    E[0, 1] = b * x * y - a * z
    E[0, 2] = b * x * z + a * y
    E[1, 0] = b * x * y + a * z
    E[1, 1] = 1 - b * (x * x + z * z)
    E[1, 2] = b * y * z - a * x
    E[2, 0] = b * x * z - a * y
    E[2, 1] = b * y * z + a * x
    E[2, 2] = 1 - b * (x * x + y * y)


@compiled
def box_plus(q: Vector, d: Vector, scale: float, floating: bool, out: Vector) -> None:
    """out = q (+) scale d: a step on the configuration manifold.

    Args:
        q: (num_q,) configuration.
        d: (num_v,) tangent increment; the base rotation is applied on the left.
        scale: step length [-].
        floating: whether q starts with a base quaternion and position.
        out: (num_q,) result, may be q itself.
    """
    if not floating:
        for i in range(q.shape[0]):
            out[i] = q[i] + scale * d[i]
        return
    fx, fy, fz = d[0] * scale, d[1] * scale, d[2] * scale
    t = np.sqrt(fx * fx + fy * fy + fz * fz)
    s = 0.5 if t < 1e-9 else np.sin(t / 2) / t
    w1, x1, y1, z1 = np.cos(t / 2), s * fx, s * fy, s * fz
    w2, x2, y2, z2 = q[0], q[1], q[2], q[3]
    w = w1 * w2 - x1 * x2 - y1 * y2 - z1 * z2
    x = w1 * x2 + x1 * w2 + y1 * z2 - z1 * y2
    y = w1 * y2 - x1 * z2 + y1 * w2 + z1 * x2
    z = w1 * z2 + x1 * y2 - y1 * x2 + z1 * w2
    n = 1 / np.sqrt(w * w + x * x + y * y + z * z)
    out[0] = w * n
    out[1] = x * n
    out[2] = y * n
    out[3] = z * n
    for i in range(4, q.shape[0]):
        out[i] = q[i] + scale * d[i - 1]


@compiled
def box_minus(a: Vector, b: Vector, floating: bool, d: Vector) -> None:
    """d = a (-) b: the tangent increment with b (+) d = a."""
    if not floating:
        for i in range(a.shape[0]):
            d[i] = a[i] - b[i]
        return
    quaternion_log(a, b, d)
    for i in range(4, a.shape[0]):
        d[i - 1] = a[i] - b[i]
