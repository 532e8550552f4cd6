"""Limbs in contact, and the base, as functions of the remaining unknowns.

Notation: b base rows (6, or none for a fixed base), L joints of the limb of a
contact, a the remaining joints. A contact's limb follows the motion that the
contact requires, and in the air with the slack s,

    vdot_L = J_L^-1 (A_C + s - Jdot v - J_b vdot_b - J_a vdot_a)
           = K vdot_b + K_a vdot_a + k + J_L^-1 s,

and the base follows Newton and Euler,

    (M_bb + sum M_bL K) vdot_b
        = sum J_b' w - (M_ba + sum M_bL K_a) vdot_a - h_b - sum M_bL (k + J_L^-1 s),

so that all accelerations are an affine function vdot = Z z + z0 of the free
accelerations and, by contact, its wrench where it stands and s where it swings:
z = [vdot_a, w or s], the only unknowns left. Without s a leg that cannot follow its
path, for its motors are too weak, would throw the body about until it could.
K_a has columns for a waist between base and leg, and for the seventh joint of a leg:
six joints follow the contact, chosen by `backbeat.mpc.whole_body.programs.limbs`, and
others remain unknowns.

A limb of five joints follows its contact in five directions. Of a narrow sole, which
rolls about its length where it stands, these are all but that roll, in whose column the
inverse is zero; the contact is where the sole touches, and its wrench has no moment
about that line. Of another sole the inverse is a pseudoinverse in which a turn counts
as a motion at a lever of `LEVER`, so that a foot without ankle roll is where it should
be before it is turned as it should be. A contact
without a limb of its own, as a seat under the pelvis, leaves nothing to eliminate. What
a standing contact requires beyond what is eliminated is a cost that outweighs all
others. It stays a cost, for a seat can be left and a sole can roll, and a program that
forbids it has no solution when that must be.
"""

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.mpc.whole_body.programs.contact_motion import contact_acceleration

# Lever at which turns of a contact count that its limb cannot wholly follow [m].
LEVER = 0.1


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
def eliminate(model, gains, target, v, work):
    """Writes Z and z0 with vdot = Z z + z0."""
    nv, n = work.Z.shape
    nj, na = model.effort.shape[0], model.free.shape[0]
    nf, Z, z0 = nv - nj, work.Z, work.z0
    for i in range(nv):
        z0[i] = 0.0
        for j in range(n):
            Z[i, j] = 0.0
    for i in range(na):
        Z[nf + model.free[i], i] = 1.0
    if nf == 0:
        return
    L, X = model.coupled.shape
    inverses, K, k = np.empty((L, 6, 6)), np.empty((L, 6, 6)), np.empty((L, 6))
    K_a = np.zeros((L, 6, X))
    _follow_contacts(model, gains, target, v, work, inverses, K, k)
    _couple(model, work, inverses, K_a)
    _move_base(model, target, work, inverses, K, K_a, k)
    for c in range(L):
        for i in range(6):
            if model.limb[c, i] < 0:
                continue
            row = nf + model.limb[c, i]
            s = k[c, i]
            for m in range(6):
                s += K[c, i, m] * z0[m]
            z0[row] = s
            for m in range(6):
                for j in range(n):
                    Z[row, j] += K[c, i, m] * Z[m, j]
            for x in range(X):
                if model.coupled[c, x] >= 0:
                    Z[row, model.coupled[c, x]] += K_a[c, i, x]
            if not target.standing[c]:
                for j in range(6):
                    Z[row, na + 6 * c + j] += inverses[c, i, j]


@compiled
def _follow_contacts(model, gains, target, v, work, inverses, K, k):
    """Writes J_L^-1, K, and k of every limb that has a contact."""
    nf = v.shape[0] - model.effort.shape[0]
    J_L = np.empty((6, 6))
    for c in range(model.limb.shape[0]):
        lever = model.scale  # turns and motions compare at the robot's size
        rolls = model.contact_rolls[c] > 0.0
        for j in range(6):
            if model.limb[c, j] < 0 and not rolls:
                lever = LEVER * model.scale
        for i in range(6):
            for j in range(6):
                J_L[i, j] = 0.0
                if model.limb[c, j] >= 0 and not (rolls and i == 0):
                    J_L[i, j] = work.J[c, i, nf + model.limb[c, j]]
                    if i < 3:
                        J_L[i, j] *= lever
        inverse = inverses[c]
        damped_inverse6(J_L, inverse)
        for i in range(6):
            for j in range(3):
                inverse[i, j] *= lever
        a = work.required[c]
        contact_acceleration(model, gains, target, work, v, c, a)
        for i in range(6):
            s = 0.0
            for m in range(6):
                s += inverse[i, m] * (a[m] - work.Jdv[c, m])
            k[c, i] = s
            for j in range(6):
                s = 0.0
                for m in range(6):
                    s -= inverse[i, m] * work.J[c, m, j]
                K[c, i, j] = s


@compiled
def _couple(model, work, inverses, K_a):
    """Writes K_a: how limbs make up for what other joints do to their contacts."""
    nf = work.M.shape[0] - model.effort.shape[0]
    for c in range(model.coupled.shape[0]):
        for x in range(model.coupled.shape[1]):
            if model.coupled[c, x] < 0:
                continue
            column = nf + model.free[model.coupled[c, x]]
            for i in range(6):
                s = 0.0
                for m in range(6):
                    s -= inverses[c, i, m] * work.J[c, m, column]
                K_a[c, i, x] = s


@compiled
def _move_base(model, target, work, inverses, K, K_a, k):
    """Writes the rows of the base, which all forces and all limbs move."""
    M, h, Z, z0 = work.M, work.bias, work.Z, work.z0
    n, na, L = Z.shape[1], model.free.shape[0], model.limb.shape[0]
    nf = Z.shape[0] - model.effort.shape[0]
    weight = model.mass * model.gravity
    Mb, c0, Mi = np.empty((6, 6)), np.empty(6), np.empty((6, 6))
    for i in range(6):
        c0[i] = h[i]
        for j in range(6):
            Mb[i, j] = M[i, j]
    for c in range(L):
        for i in range(6):
            for m in range(6):
                if model.limb[c, m] < 0:
                    continue
                x = M[i, nf + model.limb[c, m]]
                c0[i] += x * k[c, m]
                for j in range(6):
                    Mb[i, j] += x * K[c, m, j]
    invert6(Mb, Mi)
    B = np.zeros((6, n))
    for i in range(6):
        for j in range(na):
            B[i, j] = -M[i, nf + model.free[j]]
        for c in range(model.contact_body.shape[0]):
            for j in range(6):
                if target.standing[c]:
                    B[i, na + 6 * c + j] = weight * work.J[c, j, i]
                elif c < L:
                    for m in range(6):
                        if model.limb[c, m] < 0:
                            continue
                        x = M[i, nf + model.limb[c, m]]
                        B[i, na + 6 * c + j] -= x * inverses[c, m, j]
        for c in range(L):
            for e in range(model.coupled.shape[1]):
                if model.coupled[c, e] < 0:
                    continue
                for m in range(6):
                    if model.limb[c, m] < 0:
                        continue
                    x = M[i, nf + model.limb[c, m]]
                    B[i, model.coupled[c, e]] -= x * K_a[c, m, e]
    for i in range(6):
        s = 0.0
        for m in range(6):
            s -= Mi[i, m] * c0[m]
        z0[i] = s
        for m in range(6):
            for j in range(n):
                Z[i, j] += Mi[i, m] * B[m, j]
