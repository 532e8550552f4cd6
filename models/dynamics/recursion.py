"""Rigid-body dynamics in one compiled recursion.

Everything is expressed in world axes about the base origin O, so that composite
quantities simply add up the tree. A body with mass m, first moment h = m c,
inertia I about O, velocity (w, v) and acceleration (a_w, a_v) has momentum

    n = I w + h x v,    l = m v - h x w

and Coriolis operator 2B = [[T, 0], [-2 l x, 0]] with

    T = w x I - I w x - (v h' + h v' - 2 v.h 1) - n x,

which `backbeat.models.dynamics.derivatives` needs besides.

A rotor of inertia I_r behind a gear of ratio r turns r times as fast as its joint. What
it adds, r^2 I_r, this joint alone feels, and it is on the mass matrix's diagonal. As in
Drake, its moment along the axes of other joints is left out: a rotor adds nothing to
gravity, to Coriolis forces and to the momentum of the whole.

Sources
    Featherstone, "Rigid Body Dynamics Algorithms", 2008 (recursion; section 9.6 for
    rotors behind gears).
    Singh, Russell, Wensing, "Efficient Analytical Derivatives of Rigid-Body
    Dynamics using Spatial Vector Algebra", 2022 (B).
"""

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Vector
from backbeat.models.dynamics.kinematic_tree import KinematicTree, Workspace
from backbeat.models.dynamics.rotations import add_cross, cross, quaternion_to_matrix


@compiled
def forward_pass(
    tree: KinematicTree,
    q: Vector,
    v: Vector,
    vdot: Vector,
    gravity: float,
    ws: Workspace,
    derivatives: bool,
) -> None:
    """Poses, motion axes, velocities and accelerations of all bodies.

    Args:
        tree: KinematicTree.
        q, v, vdot: configuration, velocity, acceleration in Drake's layout.
        gravity: magnitude of gravity along -z [m/s^2].
        ws: Workspace to write.
        derivatives: also write ws.ddS.
    """
    nf = 6 if tree.floating else 0
    nq = 7 if tree.floating else 0
    R, p, S, dS, ddS, V, A = ws.R, ws.p, ws.S, ws.dS, ws.ddS, ws.V, ws.A
    for i in range(6):
        V[0, i] = 0.0
        A[0, i] = 0.0
    for i in range(3):
        p[0, i] = 0.0
    if tree.floating:
        quaternion_to_matrix(q, R[0])
        _base_motion(v, vdot, ws)
    else:
        R[0] = tree.R_WB
    A[0, 5] += gravity
    if tree.floating and derivatives:
        _base_axis_derivatives(ws)

    Q = np.empty((3, 3))
    E = np.empty((3, 3))
    for j in range(tree.parent.shape[0]):
        b = j + 1
        a = tree.parent[j]
        s, d = S[nf + j], dS[nf + j]
        _put_joint(tree, j, q[nq + j], ws, s, Q, E)
        _motion_cross(V[a], s, d)
        vj = v[nf + j]
        aj = vdot[nf + j]
        for i in range(6):
            V[b, i] = V[a, i] + s[i] * vj
            A[b, i] = A[a, i] + s[i] * aj + d[i] * vj
        ws.u[j] = tree.rotor[j] * aj
        if derivatives:
            dd = ddS[nf + j]
            _motion_cross(A[a], s, dd)
            _add_motion_cross(V[a], d, dd)


@compiled
def place_bodies(tree: KinematicTree, q: Vector, ws: Workspace) -> None:
    """Poses of all bodies at a configuration, and nothing of their motion.

    Args:
        tree: KinematicTree.
        q: configuration in Drake's layout.
        ws: Workspace; writes R, p and the motion axes of joints.
    """
    nf = 6 if tree.floating else 0
    nq = 7 if tree.floating else 0
    for i in range(3):
        ws.p[0, i] = 0.0
    if tree.floating:
        quaternion_to_matrix(q, ws.R[0])
    else:
        ws.R[0] = tree.R_WB
    Q, E = np.empty((3, 3)), np.empty((3, 3))
    for j in range(tree.parent.shape[0]):
        _put_joint(tree, j, q[nq + j], ws, ws.S[nf + j], Q, E)


@compiled
def _put_joint(tree, j, angle, ws, s, Q, E):
    """Writes the pose of the body that joint j moves, and its axis s.

    Args:
        tree, ws: as of `forward_pass`; the parent's pose is known.
        j: the joint.
        angle: its position [rad or m].
        s: (6,) written: motion axis.
        Q, E: (3, 3) scratch.
    """
    a, x = tree.parent[j], tree.axis[j]
    R_P, p_P, R, p = ws.R[a], ws.p[a], ws.R[j + 1], ws.p[j + 1]
    for i in range(3):
        for k in range(3):
            Q[i, k] = (
                R_P[i, 0] * tree.R_PJ[j, 0, k]
                + R_P[i, 1] * tree.R_PJ[j, 1, k]
                + R_P[i, 2] * tree.R_PJ[j, 2, k]
            )
        p[i] = (
            p_P[i]
            + R_P[i, 0] * tree.p_PJ[j, 0]
            + R_P[i, 1] * tree.p_PJ[j, 1]
            + R_P[i, 2] * tree.p_PJ[j, 2]
        )
    if tree.revolute[j]:
        _axis_rotation(x, angle, E)
        for i in range(3):
            for k in range(3):
                R[i, k] = Q[i, 0] * E[0, k] + Q[i, 1] * E[1, k] + Q[i, 2] * E[2, k]
            s[i] = Q[i, 0] * x[0] + Q[i, 1] * x[1] + Q[i, 2] * x[2]
        cross(p, s[:3], s[3:])
    else:
        for i in range(3):
            for k in range(3):
                R[i, k] = Q[i, k]
            s[i] = 0.0
            s[3 + i] = Q[i, 0] * x[0] + Q[i, 1] * x[1] + Q[i, 2] * x[2]
            p[i] += s[3 + i] * angle


@compiled
def _base_motion(v, vdot, ws):
    """Velocity, acceleration and motion axes of a floating base (Drake's v)."""
    w, u = v[:3], v[3:6]
    for i in range(3):
        ws.V[0, i] = w[i]
        ws.V[0, 3 + i] = u[i]
        ws.A[0, i] = vdot[i]
        ws.A[0, 3 + i] = vdot[3 + i]
    # Spatial acceleration at a point fixed in space, not riding with the base.
    ws.A[0, 3] -= w[1] * u[2] - w[2] * u[1]
    ws.A[0, 4] -= w[2] * u[0] - w[0] * u[2]
    ws.A[0, 5] -= w[0] * u[1] - w[1] * u[0]
    for i in range(6):
        for k in range(6):
            ws.S[i, k] = 1.0 if i == k else 0.0


@compiled
def _base_axis_derivatives(ws):
    """Derivatives of the base axes: rotation turns about the moving origin."""
    V0, A0 = ws.V[0], ws.A[0]
    for j in range(3):
        s, d, dd = ws.S[j], ws.dS[j], ws.ddS[j]
        cross(V0[:3], s[:3], d[:3])
        cross(V0[3:], s[:3], d[3:])
        cross(A0[:3], s[:3], dd[:3])
        cross(A0[3:], s[:3], dd[3:])
        _add_motion_cross(V0, d, dd)
        for i in range(6):
            ws.dS[3 + j, i] = 0.0
            ws.ddS[3 + j, i] = 0.0


@compiled
def _axis_rotation(x, angle, E):
    """Writes the rotation by `angle` about the unit axis x into E."""
    s, n = np.sin(angle), np.cos(angle)
    c = 1.0 - n
    E[0, 0] = n + c * x[0] * x[0]
    E[1, 1] = n + c * x[1] * x[1]
    E[2, 2] = n + c * x[2] * x[2]
    E[0, 1] = c * x[0] * x[1] - s * x[2]
    E[1, 0] = c * x[0] * x[1] + s * x[2]
    E[0, 2] = c * x[0] * x[2] + s * x[1]
    E[2, 0] = c * x[0] * x[2] - s * x[1]
    E[1, 2] = c * x[1] * x[2] - s * x[0]
    E[2, 1] = c * x[1] * x[2] + s * x[0]


@compiled
def _motion_cross(a, b, out):
    """out = a x b for spatial motion vectors."""
    cross(a[:3], b[:3], out[:3])
    cross(a[:3], b[3:], out[3:])
    add_cross(a[3:], b[:3], out[3:])


@compiled
def _add_motion_cross(a, b, out):
    """out += a x b for spatial motion vectors."""
    add_cross(a[:3], b[:3], out[:3])
    add_cross(a[:3], b[3:], out[3:])
    add_cross(a[3:], b[:3], out[3:])


@compiled
def body_forces(tree: KinematicTree, ws: Workspace, derivatives: bool) -> None:
    """Inertias about O and the force each body needs for its acceleration."""
    c = np.empty(3)
    n = np.empty(3)
    Q = np.empty((3, 3))
    for b in range(tree.mass.shape[0]):
        m = tree.mass[b]
        R = ws.R[b]
        I_B = tree.I_BBcm[b]
        r = tree.p_BoBcm[b]
        for i in range(3):
            c[i] = ws.p[b, i] + R[i, 0] * r[0] + R[i, 1] * r[1] + R[i, 2] * r[2]
            for k in range(3):
                Q[i, k] = (
                    R[i, 0] * I_B[0, k] + R[i, 1] * I_B[1, k] + R[i, 2] * I_B[2, k]
                )
        I = ws.I[b]
        c2 = c[0] * c[0] + c[1] * c[1] + c[2] * c[2]
        h = ws.h[b]
        for i in range(3):
            for k in range(3):
                I[i, k] = (
                    Q[i, 0] * R[k, 0]
                    + Q[i, 1] * R[k, 1]
                    + Q[i, 2] * R[k, 2]
                    - m * c[i] * c[k]
                )
            I[i, i] += m * c2
            h[i] = m * c[i]
        ws.m[b] = m
        w, v = ws.V[b, :3], ws.V[b, 3:]
        l = ws.l[b]
        for i in range(3):
            n[i] = I[i, 0] * w[0] + I[i, 1] * w[1] + I[i, 2] * w[2]
            l[i] = m * v[i]
        add_cross(h, v, n)
        add_cross(w, h, l)
        a, f = ws.A[b], ws.f[b]
        for i in range(3):
            f[i] = I[i, 0] * a[0] + I[i, 1] * a[1] + I[i, 2] * a[2]
            f[3 + i] = m * a[3 + i]
        add_cross(h, a[3:], f[:3])
        add_cross(a[:3], h, f[3:])
        add_cross(w, n, f[:3])
        add_cross(v, l, f[:3])
        add_cross(w, l, f[3:])
        if derivatives:
            _coriolis_block(I, h, w, v, n, ws.T[b])


@compiled
def _coriolis_block(I, h, w, v, n, T):
    """T = w x I - I w x - (v h' + h v' - 2 v.h 1) - n x, see the module's head."""
    vh = v[0] * h[0] + v[1] * h[1] + v[2] * h[2]
    for k in range(3):
        T[0, k] = w[1] * I[2, k] - w[2] * I[1, k]
        T[1, k] = w[2] * I[0, k] - w[0] * I[2, k]
        T[2, k] = w[0] * I[1, k] - w[1] * I[0, k]
    for i in range(3):
        T[i, 0] -= I[i, 1] * w[2] - I[i, 2] * w[1]
        T[i, 1] -= I[i, 2] * w[0] - I[i, 0] * w[2]
        T[i, 2] -= I[i, 0] * w[1] - I[i, 1] * w[0]
        for k in range(3):
            T[i, k] -= v[i] * h[k] + h[i] * v[k]
        T[i, i] += 2 * vh
    T[0, 1] += n[2]
    T[0, 2] -= n[1]
    T[1, 0] -= n[2]
    T[1, 2] += n[0]
    T[2, 0] += n[1]
    T[2, 1] -= n[0]


@compiled
def apply_wrench(ws: Workspace, body: int, r: Vector, wrench: Vector) -> None:
    """Subtracts an external wrench from the force its body needs.

    Args:
        ws: Workspace after `body_forces`.
        body: index of the loaded body.
        r: (3,) point of application from O, world axes [m].
        wrench: (6,) moment [N m] and force [N] at that point, world axes.
    """
    f = ws.f[body]
    f[0] -= wrench[0] + r[1] * wrench[5] - r[2] * wrench[4]
    f[1] -= wrench[1] + r[2] * wrench[3] - r[0] * wrench[5]
    f[2] -= wrench[2] + r[0] * wrench[4] - r[1] * wrench[3]
    f[3] -= wrench[3]
    f[4] -= wrench[4]
    f[5] -= wrench[5]


@compiled
def backward_pass(
    tree: KinematicTree, ws: Workspace, tau: Vector, derivatives: bool
) -> None:
    """Adds bodies into composites from the tips down and projects forces.

    Args:
        tree, ws: tree and workspace after `body_forces` and `apply_wrench`.
        tau: (nv,) written: generalized force; base rows are the external wrench
            still missing about O (moment, force).
        derivatives: also add the composites that derivatives need.
    """
    nf = 6 if tree.floating else 0
    for j in range(tree.parent.shape[0] - 1, -1, -1):
        b = j + 1
        a = tree.parent[j]
        ws.m[a] += ws.m[b]
        s = 0.0
        for i in range(6):
            ws.f[a, i] += ws.f[b, i]
            s += ws.S[nf + j, i] * ws.f[b, i]
        tau[nf + j] = s + ws.u[j]
        for i in range(3):
            ws.h[a, i] += ws.h[b, i]
            ws.l[a, i] += ws.l[b, i]
            for k in range(3):
                ws.I[a, i, k] += ws.I[b, i, k]
                if derivatives:
                    ws.T[a, i, k] += ws.T[b, i, k]
    for i in range(nf):
        tau[i] = ws.f[0, i]
