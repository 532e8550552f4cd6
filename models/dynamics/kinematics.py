"""Poses, Jacobians and bias accelerations of frames, compiled.

All functions read a Workspace that `backbeat.models.dynamics.recursion.forward_pass`
has written. Jacobian rows are [angular, linear] in world axes, columns follow Drake's
v.
"""

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Matrix, Vector
from backbeat.models.dynamics.kinematic_tree import KinematicTree, Workspace
from backbeat.models.dynamics.rotations import add_cross


@compiled
def base_position(tree: KinematicTree, q: Vector, p_WB: Vector) -> None:
    """Writes the base origin in the world [m] into p_WB (3,)."""
    for i in range(3):
        p_WB[i] = q[4 + i] if tree.floating else tree.p_WB[i]


@compiled
def frame_pose(
    tree: KinematicTree,
    ws: Workspace,
    q: Vector,
    body: int,
    R_BF: Matrix,
    p_BF: Vector,
    R_WF: Matrix,
    r: Vector,
) -> None:
    """Rotation R_WF of a frame and its origin r from the base origin.

    Args:
        body, R_BF, p_BF: the body the frame rides on and its pose there.
        R_WF: (3, 3) written.
        r: (3,) written: p_WF - p_WB in world axes [m].
    """
    R = ws.R[body]
    for i in range(3):
        r[i] = ws.p[body, i] + R[i, 0] * p_BF[0] + R[i, 1] * p_BF[1] + R[i, 2] * p_BF[2]
        for k in range(3):
            R_WF[i, k] = (
                R[i, 0] * R_BF[0, k] + R[i, 1] * R_BF[1, k] + R[i, 2] * R_BF[2, k]
            )


@compiled
def frame_jacobian(
    tree: KinematicTree, ws: Workspace, body: int, r: Vector, J: Matrix
) -> None:
    """Writes the spatial velocity Jacobian (6, nv) of a point r on a body."""
    nf = 6 if tree.floating else 0
    for i in range(6):
        for k in range(J.shape[1]):
            J[i, k] = 0.0
    if tree.floating:
        for i in range(6):
            J[i, i] = 1.0
        J[3, 1] = r[2]
        J[3, 2] = -r[1]
        J[4, 0] = -r[2]
        J[4, 2] = r[0]
        J[5, 0] = r[1]
        J[5, 1] = -r[0]
    if body == 0:
        return
    na = tree.num_ancestors[body - 1]
    for x in range(na + 1):
        j = nf + (tree.ancestor[body - 1, x] if x < na else body - 1)
        s = ws.S[j]
        J[0, j] = s[0]
        J[1, j] = s[1]
        J[2, j] = s[2]
        J[3, j] = s[3] + s[1] * r[2] - s[2] * r[1]
        J[4, j] = s[4] + s[2] * r[0] - s[0] * r[2]
        J[5, j] = s[5] + s[0] * r[1] - s[1] * r[0]


@compiled
def frame_acceleration(
    ws: Workspace, body: int, r: Vector, gravity: float, out: Vector
) -> None:
    """Acceleration [angular, linear] of a point r on a body, gravity taken out.

    With vdot = 0 in the forward pass this is the bias acceleration Jdot v.
    """
    V, A = ws.V[body], ws.A[body]
    u = np.empty(3)
    for i in range(3):
        u[i] = V[3 + i]
        out[i] = A[i]
        out[3 + i] = A[3 + i]
    add_cross(V[:3], r, u)
    add_cross(A[:3], r, out[3:])
    add_cross(V[:3], u, out[3:])
    out[5] -= gravity


@compiled
def center_of_mass(tree: KinematicTree, ws: Workspace, r: Vector) -> None:
    """Writes the center of mass (3,) from the base origin, of bodies in their places.

    The workspace needs no more than `recursion.place_bodies` writes. Moments are added
    from the tips down, as of the composites.
    """
    for b in range(tree.mass.shape[0]):
        ws.m[b] = tree.mass[b]
        R, c = ws.R[b], tree.p_BoBcm[b]
        for i in range(3):
            p = ws.p[b, i] + R[i, 0] * c[0] + R[i, 1] * c[1] + R[i, 2] * c[2]
            ws.h[b, i] = tree.mass[b] * p
    for j in range(tree.parent.shape[0] - 1, -1, -1):
        a = tree.parent[j]
        ws.m[a] += ws.m[j + 1]
        for i in range(3):
            ws.h[a, i] += ws.h[j + 1, i]
    for i in range(3):
        r[i] = ws.h[0, i] / ws.m[0]


@compiled
def center_of_mass_jacobian(tree: KinematicTree, ws: Workspace, J: Matrix) -> None:
    """Writes the center-of-mass Jacobian (3, nv) from the composites."""
    nf = 6 if tree.floating else 0
    total = ws.m[0]
    for j in range(J.shape[1]):
        b = 0 if j < nf else j - nf + 1
        s, h, m = ws.S[j], ws.h[b], ws.m[b]
        J[0, j] = (m * s[3] + s[1] * h[2] - s[2] * h[1]) / total
        J[1, j] = (m * s[4] + s[2] * h[0] - s[0] * h[2]) / total
        J[2, j] = (m * s[5] + s[0] * h[1] - s[1] * h[0]) / total
