"""Costs of the whole-body program: H and g of what the tick tracks, compiled.

Every task adds weight |T z - y|^2, in which T and y follow from the accelerations
vdot = Z z + z0 of `backbeat.mpc.whole_body.programs.limb_elimination`.
"""

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.dynamics.kinematics import (
    base_position,
    frame_acceleration,
    frame_jacobian,
    frame_pose,
)
from backbeat.models.dynamics.rotations import quaternion_to_matrix, relative_log
from backbeat.mpc.whole_body.programs.contact_motion import contact_acceleration


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
def momentum_cost(model, gains, target, work, H, g):
    """Tracks the rate of momentum, which the wrenches alone decide."""
    n = g.shape[0]
    na, C = model.free.shape[0], model.contact_body.shape[0]
    m = model.mass
    weight = m * model.gravity
    T = np.zeros((6, n))
    for c in range(C):
        if not target.standing[c]:
            continue
        R = work.R[c]
        o = na + 6 * c
        for i in range(3):
            for j in range(3):
                T[i, o + j] = model.gravity * R[i, j]
                T[3 + i, o + 3 + j] = model.gravity * R[i, j]
        x = work.r[c, 0] - work.ws.h[0, 0] / work.ws.m[0]
        y = work.r[c, 1] - work.ws.h[0, 1] / work.ws.m[0]
        z = work.r[c, 2] - work.ws.h[0, 2] / work.ws.m[0]
        for j in range(3):
            f0, f1, f2 = R[0, j], R[1, j], R[2, j]
            T[0, o + 3 + j] = model.gravity * (y * f2 - z * f1)
            T[1, o + 3 + j] = model.gravity * (z * f0 - x * f2)
            T[2, o + 3 + j] = model.gravity * (x * f1 - y * f0)
    for i in range(3):
        rate = target.momentum[1, i]
        rate += gains.momentum_gain * (target.momentum[0, i] - work.momentum[i])
        _add_row(T[i], rate / m, gains.momentum_weight, H, g)
        a = target.com[2, i] + gains.com_stiffness * (target.com[0, i] - work.com[i])
        a += gains.com_damping * (target.com[1, i] - work.momentum[3 + i] / m)
        if i == 2:
            a += weight / m
        _add_row(T[3 + i], a, gains.linear_weight, H, g)


@compiled
def orientation_cost(model, gains, target, q, v, work, H, g):
    """Tracks the orientation of base and trunk."""
    nv, n = work.Z.shape
    R = np.empty((3, 3))
    r = np.empty(3)
    phi = np.empty(3)
    J = np.empty((6, nv))
    a = np.empty(6)
    T = np.empty(n)
    kp, kd = gains.orientation_stiffness, gains.orientation_damping
    for which in range(2):
        if which == 0:
            if not model.tree.floating:
                continue
            quaternion_to_matrix(q, R)
            frame_jacobian(model.tree, work.ws, 0, np.zeros(3), J)
            for i in range(3):
                a[i] = 0.0
            relative_log(target.R_base, R, phi)
            motion = target.base
        else:
            body = model.trunk_body
            frame_pose(
                model.tree,
                work.ws,
                q,
                body,
                model.trunk_R,
                model.trunk_p,
                R,
                r,
            )
            frame_jacobian(model.tree, work.ws, body, r, J)
            frame_acceleration(work.ws, body, r, model.gravity, a)
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
                    y -= x * work.z0[m]
                    for j in range(n):
                        T[j] += x * work.Z[m, j]
            _add_row(T, y + kd * (motion[0, i] - w), gains.orientation_weight, H, g)


@compiled
def point_cost(model, gains, target, q, v, work, H, g):
    """Tracks points in the world and applies their known loads to the bias."""
    nv, n = work.Z.shape
    R = np.empty((3, 3))
    r = np.empty(3)
    J = np.empty((6, nv))
    a = np.empty(6)
    T = np.empty(n)
    p_WB = np.empty(3)
    base_position(model.tree, q, p_WB)
    for p in range(model.point_body.shape[0]):
        if target.point_on[p] == 0.0:
            continue
        body = model.point_body[p]
        frame_pose(model.tree, work.ws, q, body, np.eye(3), model.point_p[p], R, r)
        frame_jacobian(model.tree, work.ws, body, r, J)
        frame_acceleration(work.ws, body, r, model.gravity, a)
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
                    y -= x * work.z0[m]
                    for j in range(n):
                        T[j] += x * work.Z[m, j]
            y += gains.point_damping * (target.point[1, p, i] - u)
            _add_row(T, y, gains.point_weight * target.point_on[p], H, g)


@compiled
def apply_known_loads(model, target, q, work):
    """Takes the known loads on points off the bias forces."""
    nv = work.bias.shape[0]
    R = np.empty((3, 3))
    r = np.empty(3)
    J = np.empty((6, nv))
    for p in range(model.point_body.shape[0]):
        f = target.point_force[p]
        if f[0] == 0.0 and f[1] == 0.0 and f[2] == 0.0:
            continue
        body = model.point_body[p]
        frame_pose(model.tree, work.ws, q, body, np.eye(3), model.point_p[p], R, r)
        frame_jacobian(model.tree, work.ws, body, r, J)
        for j in range(nv):
            work.bias[j] -= J[3, j] * f[0] + J[4, j] * f[1] + J[5, j] * f[2]


@compiled
def posture_cost(model, gains, target, q, v, work, H, g):
    """Tracks free joints, planned wrenches, and the paths of limbs in the air."""
    nj, na = model.effort.shape[0], model.free.shape[0]
    nf, nq = v.shape[0] - nj, q.shape[0] - nj
    for i in range(na):
        j = model.free[i]
        a = target.joints[2, j]
        a += gains.posture_stiffness * (target.joints[0, j] - q[nq + j])
        a += gains.posture_damping * (target.joints[1, j] - v[nf + j])
        H[i, i] += gains.posture_weight
        g[i] -= gains.posture_weight * a
    for c in range(model.contact_body.shape[0]):
        swings = c < model.limb.shape[0] and not target.standing[c]
        weight = gains.swing_weight if swings else gains.wrench_weight
        for i in range(6):
            k = na + 6 * c + i
            H[k, k] += weight
            if not swings:
                g[k] -= weight * target.wrench[c, i]


@compiled
def contact_cost(model, gains, target, v, work, H, g):
    """Holds standing contacts where they are that no limb, or a short one, follows."""
    nv, n = work.Z.shape
    T, a = np.empty(n), np.empty(6)
    L = model.limb.shape[0]
    for c in range(model.contact_body.shape[0]):
        if not target.standing[c] or (c < L and model.limb[c, 5] >= 0):
            continue
        if c < L and model.contact_rolls[c] > 0.0:
            continue
        contact_acceleration(model, gains, target, work, v, c, a)
        for i in range(6):
            y = a[i] - work.Jdv[c, i]
            for j in range(n):
                T[j] = 0.0
            for m in range(nv):
                x = work.J[c, i, m]
                if x != 0.0:
                    y -= x * work.z0[m]
                    for j in range(n):
                        T[j] += x * work.Z[m, j]
            _add_row(T, y, gains.contact_weight, H, g)
