"""Assembly of the whole-body quadratic program, compiled.

Notation: b base rows (6, or none for a fixed base), L joints of the limb of a
contact, a the remaining joints. A contact's limb follows the motion that the
contact asks for,

    vdot_L = J_L^-1 (A_C - Jdot v - J_b vdot_b) = K vdot_b + k,

and the base follows Newton and Euler,

    (M_bb + sum M_bL K) vdot_b = sum J_b' w - M_ba vdot_a - h_b - sum M_bL k,

so that all accelerations are an affine function vdot = Z z + z0 of the free
accelerations and the contact wrenches, z = [vdot_a, w], the only unknowns left.
A contact without a limb of its own, as a seat under the pelvis, leaves nothing to
eliminate: what it asks for is a cost that outweighs all others. It stays a cost, for
a seat can be left, and a program that forbids it has no solution when it must be.
Wrenches are (moment, force) in the axes of their patch, in weights of the robot.
"""

from typing import NamedTuple

import numpy as np

from models.dynamics import backward_pass, body_forces, forward_pass, mass_matrix
from models.kinematic_tree import KinematicTree, Workspace
from models.kinematics import (
    base_position,
    frame_acceleration,
    frame_jacobian,
    frame_pose,
)
from models.rotations import compiled, quaternion_to_matrix, relative_log

CONE_ROWS = 16
# Most normal force on one contact [weights of the robot].
MAX_FORCE = 3.0
# Joints of limbs may go so far beyond where the behavior goes [rad], if that is beyond
# their range; they may not leave it within this time [s], braking at most so hard
# [rad/s^2].
LIMB_ROOM, LIMB_TIME, LIMB_MOST = 0.02, 0.1, 200.0


class Structure(NamedTuple):
    """What does not change between ticks."""

    tree: KinematicTree
    gravity: float
    mass: float
    effort: np.ndarray  # (nj,)
    damping: np.ndarray  # (nj,)
    position_lower: np.ndarray  # (nj,)
    position_upper: np.ndarray  # (nj,)
    contact_body: np.ndarray  # (C,)
    contact_R: np.ndarray  # (C, 3, 3)
    contact_p: np.ndarray  # (C, 3)
    limb: np.ndarray  # (L, 6) joints of the limbs of the first L contacts
    limb_range: np.ndarray  # (2, L, 6) where they stop, or the limb stops to yield
    free: np.ndarray  # (nj - 6 L,) the other joints
    cone: np.ndarray  # (C, 16, 6)
    trunk_body: int
    trunk_R: np.ndarray  # (3, 3)
    trunk_p: np.ndarray  # (3,)
    point_body: np.ndarray  # (P,) points with tasks or known loads
    point_p: np.ndarray  # (P, 3)


class Gains(NamedTuple):
    """Weights and gains of the tick; see `WholeBodyGains` for their meaning."""

    momentum_weight: float
    linear_weight: float
    orientation_weight: float
    posture_weight: float
    wrench_weight: float
    point_weight: float
    contact_weight: float
    com_stiffness: float
    com_damping: float
    momentum_gain: float
    orientation_stiffness: float
    orientation_damping: float
    posture_stiffness: float
    posture_damping: float
    contact_damping: float
    contact_flatness: float
    swing_stiffness: float
    swing_damping: float
    point_stiffness: float
    point_damping: float


class Target(NamedTuple):
    """What the tick tracks, in world axes."""

    com: np.ndarray  # (3, 3) position, velocity, acceleration of the CoM
    momentum: np.ndarray  # (2, 3) angular momentum about the CoM and its rate
    R_base: np.ndarray  # (3, 3)
    base: np.ndarray  # (2, 3) angular velocity and acceleration of the base
    R_trunk: np.ndarray  # (3, 3)
    trunk: np.ndarray  # (2, 3) the same of the trunk
    joints: np.ndarray  # (3, nj) positions, velocities, accelerations
    standing: np.ndarray  # (C,) bool
    R_contact: np.ndarray  # (C, 3, 3)
    contact: np.ndarray  # (C, 3) place
    contact_motion: np.ndarray  # (2, C, 6) velocity and acceleration
    wrench: np.ndarray  # (C, 6) planned wrenches [weights], patch axes
    point: np.ndarray  # (3, P, 3) position, velocity, acceleration
    point_on: np.ndarray  # (P,) 1.0 where the point has a task
    point_force: np.ndarray  # (P, 3) known load on the point [N]


class Tick(NamedTuple):
    """Memory of a tick and its results."""

    ws: Workspace
    bias: np.ndarray  # (nv,)
    M: np.ndarray  # (nv, nv)
    J: np.ndarray  # (C, 6, nv) contact Jacobians, patch axes
    Jdv: np.ndarray  # (C, 6)
    R: np.ndarray  # (C, 3, 3)
    r: np.ndarray  # (C, 3) from the base origin
    Z: np.ndarray  # (nv, n)
    z0: np.ndarray  # (nv,)
    H: np.ndarray  # (n, n)
    g: np.ndarray  # (n,)
    A: np.ndarray  # (rows, n)
    lower: np.ndarray  # (n + rows,) bounds of z, then of the rows
    upper: np.ndarray
    com: np.ndarray  # (3,) measured CoM
    momentum: np.ndarray  # (6,) measured momentum about the CoM
    R_trunk: np.ndarray  # (3, 3) measured


@compiled
def invert6(A, out):
    """out = A^-1 for a 6 x 6 matrix, Gauss-Jordan with partial pivoting."""
    W = np.empty((6, 12))
    for i in range(6):
        for j in range(6):
            W[i, j] = A[i, j]
            W[i, j + 6] = 0.0
        W[i, i + 6] = 1.0
    for k in range(6):
        p = k
        for i in range(k + 1, 6):
            if abs(W[i, k]) > abs(W[p, k]):
                p = i
        if p != k:
            for j in range(12):
                t = W[k, j]
                W[k, j] = W[p, j]
                W[p, j] = t
        d = 1.0 / W[k, k]
        for j in range(12):
            W[k, j] *= d
        for i in range(6):
            if i != k:
                m = W[i, k]
                if m != 0.0:
                    for j in range(12):
                        W[i, j] -= m * W[k, j]
    for i in range(6):
        for j in range(6):
            out[i, j] = W[i, j + 6]


@compiled
def damped_inverse6(A, out):
    """out = A'(A A' + e 1)^-1: the inverse, bounded near singular limbs."""
    G = np.empty((6, 6))
    trace = 0.0
    for i in range(6):
        for j in range(6):
            s = 0.0
            for k in range(6):
                s += A[i, k] * A[j, k]
            G[i, j] = s
        trace += G[i, i]
    for i in range(6):
        G[i, i] += 1e-7 * trace
    B = np.empty((6, 6))
    invert6(G, B)
    for i in range(6):
        for j in range(6):
            s = 0.0
            for k in range(6):
                s += A[k, i] * B[k, j]
            out[i, j] = s


@compiled
def update_state(structure, q, v, tick):
    """Dynamics, contacts, center of mass and momentum at (q, v)."""
    tree, ws = structure.tree, tick.ws
    nv = v.shape[0]
    forward_pass(tree, q, v, np.zeros(nv), structure.gravity, ws, False)
    J = np.empty((6, nv))
    a = np.empty(6)
    for c in range(structure.contact_body.shape[0]):
        body, R, r = structure.contact_body[c], tick.R[c], tick.r[c]
        frame_pose(
            tree, ws, q, body, structure.contact_R[c], structure.contact_p[c], R, r
        )
        frame_jacobian(tree, ws, body, r, J)
        frame_acceleration(ws, body, r, structure.gravity, a)
        for i in range(3):
            tick.Jdv[c, i] = R[0, i] * a[0] + R[1, i] * a[1] + R[2, i] * a[2]
            tick.Jdv[c, 3 + i] = R[0, i] * a[3] + R[1, i] * a[4] + R[2, i] * a[5]
            for j in range(nv):
                tick.J[c, i, j] = (
                    R[0, i] * J[0, j] + R[1, i] * J[1, j] + R[2, i] * J[2, j]
                )
                tick.J[c, 3 + i, j] = (
                    R[0, i] * J[3, j] + R[1, i] * J[4, j] + R[2, i] * J[5, j]
                )
    frame_pose(
        tree,
        ws,
        q,
        structure.trunk_body,
        structure.trunk_R,
        structure.trunk_p,
        tick.R_trunk,
        np.empty(3),
    )
    body_forces(tree, ws, False)
    backward_pass(tree, ws, tick.bias, False)
    mass_matrix(tree, ws, tick.M)
    nf = nv - structure.effort.shape[0]
    for j in range(structure.effort.shape[0]):
        tick.bias[nf + j] += structure.damping[j] * v[nf + j]
    base_position(tree, q, tick.com)
    x, y, z = ws.h[0, 0] / ws.m[0], ws.h[0, 1] / ws.m[0], ws.h[0, 2] / ws.m[0]
    tick.com[0] += x
    tick.com[1] += y
    tick.com[2] += z
    if nf == 0:
        return
    k = tick.momentum
    for i in range(6):
        s = 0.0
        for j in range(nv):
            s += tick.M[i, j] * v[j]
        k[i] = s
    k[0] -= y * k[5] - z * k[4]
    k[1] -= z * k[3] - x * k[5]
    k[2] -= x * k[4] - y * k[3]


@compiled
def _contact_acceleration(structure, gains, target, tick, v, c, out):
    """What contact c shall do, in patch axes: stand still, or follow its swing."""
    nv = v.shape[0]
    R, T = tick.R[c], target.R_contact[c]
    V = np.empty(6)
    for i in range(6):
        s = 0.0
        for j in range(nv):
            s += tick.J[c, i, j] * v[j]
        V[i] = s
    phi = np.empty(3)
    relative_log(T, R, phi)
    if target.standing[c]:
        # Flat on its support, free to have slid and turned: no force fights a slip.
        along = phi[0] * T[0, 2] + phi[1] * T[1, 2] + phi[2] * T[2, 2]
        for i in range(3):
            e = 0.0
            for m in range(3):
                e += R[m, i] * (phi[m] - along * T[m, 2])
            out[i] = gains.contact_flatness * e - gains.contact_damping * V[i]
            out[3 + i] = -gains.contact_damping * V[3 + i]
        return
    p = np.empty(3)
    for i in range(3):
        # com - center of mass offset = base origin; r is from there.
        p[i] = target.contact[c, i] - (
            tick.com[i] - tick.ws.h[0, i] / tick.ws.m[0] + tick.r[c, i]
        )
    kp, kd = gains.swing_stiffness, gains.swing_damping
    for i in range(3):
        s = 0.0
        t = 0.0
        for m in range(3):
            s += R[m, i] * (
                target.contact_motion[1, c, m]
                + kp * phi[m]
                + kd * target.contact_motion[0, c, m]
            )
            t += R[m, i] * (
                target.contact_motion[1, c, 3 + m]
                + kp * p[m]
                + kd * target.contact_motion[0, c, 3 + m]
            )
        out[i] = s - kd * V[i]
        out[3 + i] = t - kd * V[3 + i]


@compiled
def eliminate(structure, gains, target, v, tick):
    """Writes Z and z0 with vdot = Z z + z0."""
    nv, n = tick.Z.shape
    nj, C = structure.effort.shape[0], structure.contact_body.shape[0]
    nf, na = nv - nj, structure.free.shape[0]
    M, h, Z, z0 = tick.M, tick.bias, tick.Z, tick.z0
    for i in range(nv):
        z0[i] = 0.0
        for j in range(n):
            Z[i, j] = 0.0
    for i in range(na):
        Z[nf + structure.free[i], i] = 1.0
    if nf == 0:
        return
    weight = structure.mass * structure.gravity
    Mb = np.empty((6, 6))
    c0 = np.empty(6)
    for i in range(6):
        c0[i] = h[i]
        for j in range(6):
            Mb[i, j] = M[i, j]
    L = structure.limb.shape[0]
    K = np.empty((L, 6, 6))
    k = np.empty((L, 6))
    J_L = np.empty((6, 6))
    inverse = np.empty((6, 6))
    a = np.empty(6)
    for c in range(L):
        for i in range(6):
            for j in range(6):
                J_L[i, j] = tick.J[c, i, nf + structure.limb[c, j]]
        damped_inverse6(J_L, inverse)
        _contact_acceleration(structure, gains, target, tick, v, c, a)
        for i in range(6):
            s = 0.0
            for m in range(6):
                s += inverse[i, m] * (a[m] - tick.Jdv[c, m])
            k[c, i] = s
            for j in range(6):
                s = 0.0
                for m in range(6):
                    s -= inverse[i, m] * tick.J[c, m, j]
                K[c, i, j] = s
        for i in range(6):
            for m in range(6):
                x = M[i, nf + structure.limb[c, m]]
                c0[i] += x * k[c, m]
                for j in range(6):
                    Mb[i, j] += x * K[c, m, j]
    Mi = np.empty((6, 6))
    invert6(Mb, Mi)
    B = np.zeros((6, n))
    for i in range(6):
        for j in range(na):
            B[i, j] = -M[i, nf + structure.free[j]]
        for c in range(C):
            for j in range(6):
                B[i, na + 6 * c + j] = weight * tick.J[c, j, i]
    for i in range(6):
        s = 0.0
        for m in range(6):
            s -= Mi[i, m] * c0[m]
        z0[i] = s
        for j in range(n):
            s = 0.0
            for m in range(6):
                s += Mi[i, m] * B[m, j]
            Z[i, j] = s
    for c in range(L):
        for i in range(6):
            row = nf + structure.limb[c, i]
            s = k[c, i]
            for m in range(6):
                s += K[c, i, m] * z0[m]
            z0[row] = s
            for j in range(n):
                s = 0.0
                for m in range(6):
                    s += K[c, i, m] * Z[m, j]
                Z[row, j] = s


@compiled
def _add_row(T, y, weight, H, g):
    """Adds weight |T z - y|^2 / 2 to the cost."""
    n = T.shape[0]
    for i in range(n):
        x = weight * T[i]
        if x != 0.0:
            g[i] -= x * y
            for j in range(n):
                H[i, j] += x * T[j]


@compiled
def _momentum_cost(structure, gains, target, tick, H, g):
    """Tracks the rate of momentum, which the wrenches alone decide."""
    n = g.shape[0]
    na, C = structure.free.shape[0], structure.contact_body.shape[0]
    m = structure.mass
    weight = m * structure.gravity
    T = np.zeros((6, n))
    for c in range(C):
        R = tick.R[c]
        o = na + 6 * c
        for i in range(3):
            for j in range(3):
                T[i, o + j] = structure.gravity * R[i, j]
                T[3 + i, o + 3 + j] = structure.gravity * R[i, j]
        x = tick.r[c, 0] - tick.ws.h[0, 0] / tick.ws.m[0]
        y = tick.r[c, 1] - tick.ws.h[0, 1] / tick.ws.m[0]
        z = tick.r[c, 2] - tick.ws.h[0, 2] / tick.ws.m[0]
        for j in range(3):
            f0, f1, f2 = R[0, j], R[1, j], R[2, j]
            T[0, o + 3 + j] = structure.gravity * (y * f2 - z * f1)
            T[1, o + 3 + j] = structure.gravity * (z * f0 - x * f2)
            T[2, o + 3 + j] = structure.gravity * (x * f1 - y * f0)
    for i in range(3):
        rate = target.momentum[1, i]
        rate += gains.momentum_gain * (target.momentum[0, i] - tick.momentum[i])
        _add_row(T[i], rate / m, gains.momentum_weight, H, g)
        a = target.com[2, i] + gains.com_stiffness * (target.com[0, i] - tick.com[i])
        a += gains.com_damping * (target.com[1, i] - tick.momentum[3 + i] / m)
        if i == 2:
            a += weight / m
        _add_row(T[3 + i], a, gains.linear_weight, H, g)


@compiled
def _orientation_cost(structure, gains, target, q, v, tick, H, g):
    """Tracks the orientation of base and trunk."""
    nv, n = tick.Z.shape
    R = np.empty((3, 3))
    r = np.empty(3)
    phi = np.empty(3)
    J = np.empty((6, nv))
    a = np.empty(6)
    T = np.empty(n)
    kp, kd = gains.orientation_stiffness, gains.orientation_damping
    for which in range(2):
        if which == 0:
            if not structure.tree.floating:
                continue
            quaternion_to_matrix(q, R)
            frame_jacobian(structure.tree, tick.ws, 0, np.zeros(3), J)
            for i in range(3):
                a[i] = 0.0
            relative_log(target.R_base, R, phi)
            motion = target.base
        else:
            body = structure.trunk_body
            frame_pose(
                structure.tree,
                tick.ws,
                q,
                body,
                structure.trunk_R,
                structure.trunk_p,
                R,
                r,
            )
            frame_jacobian(structure.tree, tick.ws, body, r, J)
            frame_acceleration(tick.ws, body, r, structure.gravity, a)
            relative_log(target.R_trunk, R, phi)
            motion = target.trunk
        for i in range(3):
            w = 0.0
            y = motion[1, i] + kp * phi[i] - a[i]
            for j in range(n):
                T[j] = 0.0
            for m in range(nv):
                x = J[i, m]
                if x != 0.0:
                    w += x * v[m]
                    y -= x * tick.z0[m]
                    for j in range(n):
                        T[j] += x * tick.Z[m, j]
            _add_row(T, y + kd * (motion[0, i] - w), gains.orientation_weight, H, g)


@compiled
def _point_cost(structure, gains, target, q, v, tick, H, g):
    """Tracks points in the world and applies their known loads to the bias."""
    nv, n = tick.Z.shape
    R = np.empty((3, 3))
    r = np.empty(3)
    J = np.empty((6, nv))
    a = np.empty(6)
    T = np.empty(n)
    p_WB = np.empty(3)
    base_position(structure.tree, q, p_WB)
    for p in range(structure.point_body.shape[0]):
        if target.point_on[p] == 0.0:
            continue
        body = structure.point_body[p]
        frame_pose(
            structure.tree, tick.ws, q, body, np.eye(3), structure.point_p[p], R, r
        )
        frame_jacobian(structure.tree, tick.ws, body, r, J)
        frame_acceleration(tick.ws, body, r, structure.gravity, a)
        for i in range(3):
            u = 0.0
            y = target.point[2, p, i] - a[3 + i]
            y += gains.point_stiffness * (target.point[0, p, i] - p_WB[i] - r[i])
            for j in range(n):
                T[j] = 0.0
            for m in range(nv):
                x = J[3 + i, m]
                if x != 0.0:
                    u += x * v[m]
                    y -= x * tick.z0[m]
                    for j in range(n):
                        T[j] += x * tick.Z[m, j]
            y += gains.point_damping * (target.point[1, p, i] - u)
            _add_row(T, y, gains.point_weight * target.point_on[p], H, g)


@compiled
def _apply_known_loads(structure, target, q, tick):
    """Takes the known loads on points off the bias forces."""
    nv = tick.bias.shape[0]
    R = np.empty((3, 3))
    r = np.empty(3)
    J = np.empty((6, nv))
    for p in range(structure.point_body.shape[0]):
        f = target.point_force[p]
        if f[0] == 0.0 and f[1] == 0.0 and f[2] == 0.0:
            continue
        body = structure.point_body[p]
        frame_pose(
            structure.tree, tick.ws, q, body, np.eye(3), structure.point_p[p], R, r
        )
        frame_jacobian(structure.tree, tick.ws, body, r, J)
        for j in range(nv):
            tick.bias[j] -= J[3, j] * f[0] + J[4, j] * f[1] + J[5, j] * f[2]


@compiled
def _posture_cost(structure, gains, target, q, v, tick, H, g):
    """Tracks the free joints and keeps wrenches near the planned ones."""
    nj, na = structure.effort.shape[0], structure.free.shape[0]
    nf, nq = v.shape[0] - nj, q.shape[0] - nj
    for i in range(na):
        j = structure.free[i]
        a = target.joints[2, j]
        a += gains.posture_stiffness * (target.joints[0, j] - q[nq + j])
        a += gains.posture_damping * (target.joints[1, j] - v[nf + j])
        H[i, i] += gains.posture_weight
        g[i] -= gains.posture_weight * a
    for c in range(structure.contact_body.shape[0]):
        for i in range(6):
            k = na + 6 * c + i
            H[k, k] += gains.wrench_weight
            g[k] -= gains.wrench_weight * target.wrench[c, i]


@compiled
def _contact_cost(structure, gains, target, v, tick, H, g):
    """Holds standing contacts without a limb where they are."""
    nv, n = tick.Z.shape
    T, a = np.empty(n), np.empty(6)
    for c in range(structure.limb.shape[0], structure.contact_body.shape[0]):
        if not target.standing[c]:
            continue
        _contact_acceleration(structure, gains, target, tick, v, c, a)
        for i in range(6):
            y = a[i] - tick.Jdv[c, i]
            for j in range(n):
                T[j] = 0.0
            for m in range(nv):
                x = tick.J[c, i, m]
                if x != 0.0:
                    y -= x * tick.z0[m]
                    for j in range(n):
                        T[j] += x * tick.Z[m, j]
            _add_row(T, y, gains.contact_weight, H, g)


@compiled
def _limits(structure, target, q, v, tick):
    """Joint acceleration bounds, wrench cones, normal forces, torque rows."""
    nv, n = tick.Z.shape
    nj, na = structure.effort.shape[0], structure.free.shape[0]
    C = structure.contact_body.shape[0]
    nf, nq = nv - nj, q.shape[0] - nj
    weight = structure.mass * structure.gravity
    A, lower, upper = tick.A, tick.lower, tick.upper
    # A joint may not reach its stop within this time [s].
    T = 0.05
    for i in range(na):
        j = structure.free[i]
        x, u = q[nq + j], v[nf + j]
        up = 2 * (structure.position_upper[j] - x - u * T) / T**2
        down = 2 * (structure.position_lower[j] - x - u * T) / T**2
        upper[i] = max(min(up, 2000.0), -500.0)
        lower[i] = min(max(down, -2000.0), 500.0)
    for c in range(C):
        o = na + 6 * c
        for i in range(6):
            # The wrench of a contact in the air is held at zero.
            free = 1e30 if target.standing[c] else 0.0
            upper[o + i] = free
            lower[o + i] = -free
        if target.standing[c]:
            lower[o + 5] = 0.0
            upper[o + 5] = MAX_FORCE
        for r in range(CONE_ROWS):
            row = c * CONE_ROWS + r
            for i in range(6):
                A[row, o + i] = structure.cone[c, r, i]
            lower[n + row] = -1e30
            upper[n + row] = 0.0 if target.standing[c] else 1.0
    first = C * CONE_ROWS
    torque = np.dot(tick.M[nf:], tick.Z)
    for j in range(nj):
        row = first + j
        s = tick.bias[nf + j]
        for m in range(nv):
            s += tick.M[nf + j, m] * tick.z0[m]
        for i in range(n):
            A[row, i] = torque[j, i]
        for c in range(C):
            o = na + 6 * c
            for i in range(6):
                A[row, o + i] -= weight * tick.J[c, i, nf + j]
        upper[n + row] = structure.effort[j] - s
        lower[n + row] = -structure.effort[j] - s
    _limb_limits(structure, target, q, v, tick, first + nj)


@compiled
def _limb_limits(structure, target, q, v, tick, first):
    """Keeps the joints of limbs where a leg can yield: bent, and off the stops."""
    nv, n = tick.Z.shape
    nj = structure.effort.shape[0]
    nf, nq = nv - nj, q.shape[0] - nj
    for c in range(structure.limb.shape[0]):
        for i in range(6):
            j, row = structure.limb[c, i], first + 6 * c + i
            x, u = q[nq + j], v[nf + j]
            # Never nearer than the behavior itself goes.
            low = structure.limb_range[0, c, i]
            low = min(low, target.joints[0, j] - LIMB_ROOM)
            high = structure.limb_range[1, c, i]
            high = max(high, target.joints[0, j] + LIMB_ROOM)
            up = 2 * (high - x - u * LIMB_TIME) / LIMB_TIME**2
            down = 2 * (low - x - u * LIMB_TIME) / LIMB_TIME**2
            for m in range(n):
                tick.A[row, m] = tick.Z[nf + j, m]
            tick.upper[n + row] = max(up, -LIMB_MOST) - tick.z0[nf + j]
            tick.lower[n + row] = min(down, LIMB_MOST) - tick.z0[nf + j]


@compiled
def assemble(structure, gains, target, q, v, tick):
    """Builds the program of one tick in `tick`; `update_state` comes first."""
    H, g = tick.H, tick.g
    n = g.shape[0]
    for i in range(n):
        g[i] = 0.0
        for j in range(n):
            H[i, j] = 0.0
    _apply_known_loads(structure, target, q, tick)
    eliminate(structure, gains, target, v, tick)
    if structure.tree.floating:
        _momentum_cost(structure, gains, target, tick, H, g)
    _orientation_cost(structure, gains, target, q, v, tick, H, g)
    _point_cost(structure, gains, target, q, v, tick, H, g)
    _posture_cost(structure, gains, target, q, v, tick, H, g)
    _contact_cost(structure, gains, target, v, tick, H, g)
    _limits(structure, target, q, v, tick)


@compiled
def recover(structure, tick, z, vdot, tau):
    """Accelerations and joint torques of a solution z."""
    nv, n = tick.Z.shape
    nj, na = structure.effort.shape[0], structure.free.shape[0]
    nf = nv - nj
    weight = structure.mass * structure.gravity
    for i in range(nv):
        s = tick.z0[i]
        for j in range(n):
            s += tick.Z[i, j] * z[j]
        vdot[i] = s
    for j in range(nj):
        s = tick.bias[nf + j]
        for m in range(nv):
            s += tick.M[nf + j, m] * vdot[m]
        for c in range(structure.contact_body.shape[0]):
            for i in range(6):
                s -= weight * tick.J[c, i, nf + j] * z[na + 6 * c + i]
        tau[j] = s
