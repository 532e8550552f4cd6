"""Base path: rotation and translation of a floating base along a motion."""

import numpy as np

from backbeat.models.dynamics.rotations import box_plus


def move_base(
    q: np.ndarray,
    v: np.ndarray,
    vdot: np.ndarray,
    inside: np.ndarray,
    change: list[np.ndarray],
) -> None:
    """Moves bases by a small rotation vector and translation, to second order.

    Args:
        q, v, vdot: (M, nq), (M, nv), (M, nv) motion to change in place.
        inside: (M,) which samples.
        change: the (m, 6) change of these [rad, m] and its first two derivatives.
    """
    moved = q[inside]
    for i, step in enumerate(change[0]):
        box_plus(moved[i], np.r_[step, np.zeros(q.shape[1] - 7)], 1.0, True, moved[i])
    phi, dphi, ddphi = (c[:, :3] for c in change)
    w, wdot = v[inside, :3], vdot[inside, :3]
    q[inside] = moved
    vdot[inside, :3] += ddphi + np.cross(dphi, w) + np.cross(phi, wdot)
    v[inside, :3] += dphi + np.cross(phi, w)
    v[inside, 3:6] += change[1][:, 3:]
    vdot[inside, 3:6] += change[2][:, 3:]


def unit_quaternion(
    Q: np.ndarray, dQ: np.ndarray, ddQ: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Normalizes a path of quaternions; returns it with w and wdot in the world.

    With u = Q / |Q|: w = 2 vec(du u*), wdot = 2 vec(ddu u*); parts of du and ddu
    along u have no vector part and are left out.

    Args:
        Q, dQ, ddQ: (M, 4) quaternions of any length and their derivatives.
    """
    n = np.linalg.norm(Q, axis=1, keepdims=True)
    u = Q / n
    along = (u * dQ).sum(1, keepdims=True) / n
    du = dQ / n - u * along
    ddu = ddQ / n - 2 * along * du

    def vector(a: np.ndarray) -> np.ndarray:
        s, x = a[:, :1], a[:, 1:]
        t, y = u[:, :1], -u[:, 1:]
        return np.asarray(2 * (s * y + t * x + np.cross(x, y)))

    return u, vector(du), vector(ddu)
