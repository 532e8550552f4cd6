"""Limbs: where the joints of a standing limb have to be, and how they move."""

from typing import NamedTuple

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
from backbeat.models.dynamics.rolling import add_pivot_acceleration, roll
from backbeat.models.dynamics.rotations import relative_log


class Limb(NamedTuple):
    """A limb, the contact at its end, and where that stands."""

    body: int  # that the contact is on
    R_BF: Matrix  # (3, 3) contact in the body
    p_BF: Vector  # (3,) [m]
    first: int  # 3 for a point, which may turn, or 0
    rolls: float  # half width of a sole that rolls [m], or `FLAT`
    edge: float  # how far ahead of its middle a sole on an edge stands [m], or 0
    joints: Indices  # (n,)
    R_WC: MatrixView  # (3, 3) the support
    p_WC: Vector  # (3,) [m]
    is_placed: bool  # whether the pose counts, or speed and acceleration alone


class Movement(NamedTuple):
    """Configuration, velocity and acceleration of a robot."""

    q: Vector  # (nq,)
    v: Vector  # (nv,)
    vdot: Vector  # (nv,)


@compiled
def put_limb(
    tree: KinematicTree,
    gravity: float,
    ws: Workspace,
    limb: Limb,
    movement: Movement,
    change: Matrix,
) -> None:
    """Puts a limb where its contact stands still, and notes by how much.

    Args:
        tree, gravity: of the robot; gravity in m/s^2.
        ws: workspace of the tree.
        limb: the limb.
        movement: corrected in place.
        change: (3, n) written.
    """
    q, v, vdot = movement
    joints = limb.joints
    n, nv = joints.shape[0], v.shape[0]
    nf = 6 if tree.floating else 0
    nq = 7 if tree.floating else 0
    J, R, r, e = np.empty((6, nv)), np.empty((3, 3)), np.empty(3), np.empty(6)
    zero = np.zeros(nv)
    for i in range(n):
        change[0, i] = -q[nq + joints[i]]
        change[1, i] = -v[nf + joints[i]]
        change[2, i] = -vdot[nf + joints[i]]
    for _ in range(3 if limb.is_placed else 0):
        forward_pass(tree, q, v, zero, gravity, ws, False)
        _miss_place(tree, ws, limb, q, R, r, e)
        frame_jacobian(tree, ws, limb.body, r, J)
        x = _follow(J, limb, nf, e)
        for i in range(n):
            q[nq + joints[i]] += x[i]
    forward_pass(tree, q, v, zero, gravity, ws, False)
    frame_pose(tree, ws, q, limb.body, limb.R_BF, limb.p_BF, R, r)
    _touch(limb, R, r, np.empty(3))
    frame_jacobian(tree, ws, limb.body, r, J)
    for i in range(6):
        e[i] = 0.0
        for j in range(nv):
            e[i] -= J[i, j] * v[j]
    x = _follow(J, limb, nf, e)
    for i in range(n):
        v[nf + joints[i]] += x[i]
    forward_pass(tree, q, v, vdot, gravity, ws, False)
    frame_acceleration(ws, limb.body, r, gravity, e)
    up = limb.R_WC[:, 2].copy()
    add_pivot_acceleration(R, up, limb.rolls, ws.V[limb.body, :3], e[3:])
    for i in range(6):
        e[i] = -e[i]
    x = _follow(J, limb, nf, e)
    for i in range(n):
        vdot[nf + joints[i]] += x[i]
        change[0, i] += q[nq + joints[i]]
        change[1, i] += v[nf + joints[i]]
        change[2, i] += vdot[nf + joints[i]]


@compiled
def _miss_place(tree, ws, limb, q, R, r, e):
    """Writes R and r of where the contact touches, and what its place misses, (6,)."""
    phi, p_WB = np.empty(3), np.empty(3)
    base_position(tree, q, p_WB)
    frame_pose(tree, ws, q, limb.body, limb.R_BF, limb.p_BF, R, r)
    relative_log(R, limb.R_WC, phi)
    for i in range(3):
        e[i] = -phi[i]
        e[3 + i] = limb.p_WC[i] - p_WB[i] - r[i]
    to_place = np.empty(3)
    _touch(limb, R, r, to_place)
    if limb.rolls > 0.0 or limb.edge != 0.0:
        for i in range(3):
            e[3 + i] -= to_place[i]


@compiled
def _touch(limb, R, r, to_place):
    """Moves r from a contact's middle to where it touches; see `roll` for the rest."""
    up, to_pivot = limb.R_WC[:, 2].copy(), np.empty(3)
    roll(R, up, limb.rolls, to_pivot, to_place)
    for i in range(3):
        to_pivot[i] += limb.edge * R[i, 0]
        to_place[i] += limb.edge * (R[i, 0] - limb.R_WC[i, 0])
        r[i] += to_pivot[i]


@compiled
def _follow(J, limb, nf, e):
    """Least joint change of a limb that gives its contact the motion e that is held."""
    if limb.rolls < 0.0 and limb.edge == 0.0:
        return _solve(J, limb.joints, nf, limb.first, e)
    # All but the roll, which is the first row in axes of the support, or the pitch.
    nv = J.shape[1]
    R, turned, motion = limb.R_WC, np.zeros((6, nv)), np.zeros(6)
    for i in range(6):
        a, first = i % 3, 3 * (i // 3)
        for k in range(3):
            motion[i] += R[k, a] * e[first + k]
            for j in range(nv):
                turned[i, j] += R[k, a] * J[first + k, j]
    if limb.edge != 0.0:
        for j in range(nv):
            turned[1, j] = turned[0, j]
        motion[1] = motion[0]
    return _solve(turned, limb.joints, nf, 1, motion)


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
