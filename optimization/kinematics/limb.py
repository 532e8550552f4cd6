"""Limbs: where the joints of a standing limb have to be, and how they move."""

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Indices, Matrix, MatrixView, Vector
from backbeat.models.dynamics.kinematic_tree import KinematicTree, Workspace
from backbeat.models.dynamics.kinematics import (
    base_position,
    frame_acceleration,
    frame_jacobian,
    frame_pose,
)
from backbeat.models.dynamics.recursion import forward_pass
from backbeat.models.dynamics.rotations import relative_log


@compiled
def put_limb(
    tree: KinematicTree,
    gravity: float,
    ws: Workspace,
    body: int,
    R_BF: Matrix,
    p_BF: Vector,
    first: int,
    joints: Indices,
    R_WC: MatrixView,
    p_WC: Vector,
    is_placed: bool,
    q: Vector,
    v: Vector,
    vdot: Vector,
    change: Matrix,
) -> None:
    """Puts a limb where its contact stands still, and notes by how much.

    Args:
        is_placed: whether the pose counts, or speed and acceleration alone.
        q, v, vdot: corrected in place.
        change: (3, n) written.
    """
    n, nv = joints.shape[0], v.shape[0]
    nf = 6 if tree.floating else 0
    nq = 7 if tree.floating else 0
    J = np.empty((6, nv))
    R = np.empty((3, 3))
    r = np.empty(3)
    e = np.empty(6)
    phi = np.empty(3)
    p_WB = np.empty(3)
    zero = np.zeros(nv)
    for i in range(n):
        change[0, i] = -q[nq + joints[i]]
        change[1, i] = -v[nf + joints[i]]
        change[2, i] = -vdot[nf + joints[i]]
    for _ in range(3 if is_placed else 0):
        forward_pass(tree, q, v, zero, gravity, ws, False)
        base_position(tree, q, p_WB)
        frame_pose(tree, ws, q, body, R_BF, p_BF, R, r)
        frame_jacobian(tree, ws, body, r, J)
        relative_log(R, R_WC, phi)
        for i in range(3):
            e[i] = -phi[i]
            e[3 + i] = p_WC[i] - p_WB[i] - r[i]
        x = _solve(J, joints, nf, first, e)
        for i in range(n):
            q[nq + joints[i]] += x[i]
    forward_pass(tree, q, v, zero, gravity, ws, False)
    frame_pose(tree, ws, q, body, R_BF, p_BF, R, r)
    frame_jacobian(tree, ws, body, r, J)
    for i in range(6):
        e[i] = 0.0
        for j in range(nv):
            e[i] -= J[i, j] * v[j]
    x = _solve(J, joints, nf, first, e)
    for i in range(n):
        v[nf + joints[i]] += x[i]
    forward_pass(tree, q, v, vdot, gravity, ws, False)
    frame_acceleration(ws, body, r, gravity, e)
    for i in range(6):
        e[i] = -e[i]
    x = _solve(J, joints, nf, first, e)
    for i in range(n):
        vdot[nf + joints[i]] += x[i]
        change[0, i] += q[nq + joints[i]]
        change[1, i] += v[nf + joints[i]]
        change[2, i] += vdot[nf + joints[i]]


@compiled
def _solve(J, joints, nf, first, e):
    """Least joint change of a limb that gives the contact motion e[first:]."""
    m, n = 6 - first, joints.shape[0]
    A = np.empty((m, n))
    b = np.empty(m)
    for i in range(m):
        b[i] = e[first + i]
        for j in range(n):
            A[i, j] = J[first + i, nf + joints[j]]
    G = A @ A.T
    for i in range(m):
        # Keeps a straight knee from dividing by zero; 1e-10 moves no digit else.
        G[i, i] += 1e-10
    return A.T @ np.linalg.solve(G, b)
