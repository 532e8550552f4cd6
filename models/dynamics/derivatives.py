"""First derivatives of inverse dynamics, from its recursion.

The notation of `backbeat.models.dynamics.recursion` holds: S are motion
axes, dS and ddS their first and second material derivatives, and a unit change of a
coordinate or of its rate changes the force that a composite body (I, B) needs by
I ddS + 2B dS or I e + 2B S.

Sources
    Singh, Russell, Wensing, "Efficient Analytical Derivatives of Rigid-Body
    Dynamics using Spatial Vector Algebra", 2022 (derivatives by dS, ddS, B).
    Carpentier, Mansard, "Analytical Derivatives of Rigid Body Dynamics
    Algorithms", 2018.
"""

from typing import NamedTuple

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Matrix, Vector
from backbeat.models.dynamics.composites import inertia_force
from backbeat.models.dynamics.kinematic_tree import KinematicTree, Workspace
from backbeat.models.dynamics.rotations import add_cross, cross


@compiled
def _force_columns(ws, b, s, d, dd, e, y_q, y_v):
    """Spatial forces of a unit change of one coordinate and of its rate.

    y_q = I ddS + 2B dS, y_v = I e + 2B S with the composite (I, B) of body b.
    """
    I, m, h, T, l = ws.I[b], ws.m[b], ws.h[b], ws.T[b], ws.l[b]
    inertia_force(I, m, h, dd, y_q)
    inertia_force(I, m, h, e, y_v)
    for i in range(3):
        y_q[i] += T[i, 0] * d[0] + T[i, 1] * d[1] + T[i, 2] * d[2]
        y_v[i] += T[i, 0] * s[0] + T[i, 1] * s[1] + T[i, 2] * s[2]
    y_q[3] += 2 * (d[1] * l[2] - d[2] * l[1])
    y_q[4] += 2 * (d[2] * l[0] - d[0] * l[2])
    y_q[5] += 2 * (d[0] * l[1] - d[1] * l[0])
    y_v[3] += 2 * (s[1] * l[2] - s[2] * l[1])
    y_v[4] += 2 * (s[2] * l[0] - s[0] * l[2])
    y_v[5] += 2 * (s[0] * l[1] - s[1] * l[0])


class Coordinate(NamedTuple):
    """One coordinate, and the forces of the composite body that it moves."""

    s: Vector  # (6,) its motion axis
    d: Vector  # (6,) and the first
    dd: Vector  # (6,) and second derivative of that
    r: Vector  # (6,) force per unit of its acceleration
    y_q: Vector  # (6,) per unit change of it
    y_v: Vector  # (6,) and of its rate
    e: Vector  # (6,) scratch
    g: Vector  # (3,) 2B' s, whose force part is zero


class InverseDynamicsDerivatives(NamedTuple):
    """Derivatives of tau = M vdot + bias without contact wrenches."""

    Dq: Matrix  # (nv, nv) along tangent increments (base rotation on the left)
    Dv: Matrix  # (nv, nv)
    M: Matrix  # (nv, nv) mass matrix


@compiled
def inverse_dynamics_derivatives(
    tree: KinematicTree, ws: Workspace, Dq: Matrix, Dv: Matrix, M: Matrix
) -> None:
    """Derivatives of tau = M vdot + bias without contact wrenches.

    Args:
        tree, ws: tree and workspace after `backward_pass` with derivatives.
        Dq: (nv, nv) written: dtau/dq along tangent increments (base rotation on
            the left, world axes).
        Dv: (nv, nv) written: dtau/dv.
        M: (nv, nv) written: mass matrix = dtau/dvdot.
    """
    nf = 6 if tree.floating else 0
    nv = nf + tree.parent.shape[0]
    out = InverseDynamicsDerivatives(Dq, Dv, M)
    r, y_q, y_v = np.empty(6), np.empty(6), np.empty(6)
    e, g = np.empty(6), np.empty(3)
    for i in range(nv):
        for k in range(nv):
            Dq[i, k] = 0.0
            Dv[i, k] = 0.0
            M[i, k] = 0.0
    for j in range(nv):
        of = Coordinate(ws.S[j], ws.dS[j], ws.ddS[j], r, y_q, y_v, e, g)
        _move_coordinate(ws, nf, j, of)
        for i in range(nf):
            Dq[i, j] = y_q[i]
            Dv[i, j] = y_v[i]
            M[i, j] = r[i]
        if j >= nf:
            _write_base_columns(ws, nf, j, of, out)
            _write_ancestors(tree, ws, nf, j, of, out)
            _write_own(j, tree.rotor[j - nf], of, out)


@compiled
def _move_coordinate(ws, nf, j, of):
    """Writes the forces of coordinate j, of nf that are the base's."""
    b = 0 if j < nf else j - nf + 1
    s, d, e, y_q = of.s, of.d, of.e, of.y_q
    for i in range(3):
        if j >= nf:
            e[i] = 2 * d[i]
            e[3 + i] = 2 * d[3 + i]
        elif j < 3:
            e[i] = d[i]
            e[3 + i] = 2 * d[3 + i]
        else:
            e[i] = 0.0
            e[3 + i] = 0.0
    inertia_force(ws.I[b], ws.m[b], ws.h[b], s, of.r)
    _force_columns(ws, b, s, d, of.dd, e, y_q, of.y_v)
    if j >= nf or j < 3:
        f = ws.f[b]
        add_cross(s[:3], f[:3], y_q[:3])
        add_cross(s[3:], f[3:], y_q[:3])
        add_cross(s[:3], f[3:], y_q[3:])
    else:  # nothing changes when the whole world is shifted
        for i in range(6):
            y_q[i] = 0.0
    if j < nf:
        return
    T, l, g = ws.T[b], ws.l[b], of.g
    for i in range(3):
        g[i] = T[0, i] * s[0] + T[1, i] * s[1] + T[2, i] * s[2]
    g[0] += 2 * (l[1] * s[5] - l[2] * s[4])
    g[1] += 2 * (l[2] * s[3] - l[0] * s[5])
    g[2] += 2 * (l[0] * s[4] - l[1] * s[3])


@compiled
def _write_base_columns(ws, nf, j, of, out):
    """Writes row j against the coordinates of the base."""
    S, dS, ddS, r, g = ws.S, ws.dS, ws.ddS, of.r, of.g
    for i in range(nf):
        out.M[j, i] = r[i]
    for c in range(3 if nf else 0):
        x_q = 0.0
        x_v = 0.0
        for i in range(3):
            x_q += g[i] * dS[c, i] + r[i] * ddS[c, i] + r[3 + i] * ddS[c, 3 + i]
            x_v += g[i] * S[c, i] + r[i] * dS[c, i] + 2 * r[3 + i] * dS[c, 3 + i]
        out.Dq[j, c] = x_q
        out.Dv[j, c] = x_v


@compiled
def _write_ancestors(tree, ws, nf, j, of, out):
    """Writes rows and columns of j against the joints between it and the base."""
    S, dS, ddS = ws.S, ws.dS, ws.ddS
    r, y_q, y_v, g = of.r, of.y_q, of.y_v, of.g
    Dq, Dv, M = out.Dq, out.Dv, out.M
    for x in range(tree.num_ancestors[j - nf]):
        c = nf + tree.ancestor[j - nf, x]
        a_q = 0.0
        a_v = 0.0
        a_m = 0.0
        b_q = 0.0
        b_v = 0.0
        for i in range(3):
            b_q += g[i] * dS[c, i]
            b_v += g[i] * S[c, i]
        for i in range(6):
            a_q += S[c, i] * y_q[i]
            a_v += S[c, i] * y_v[i]
            a_m += S[c, i] * r[i]
            b_q += r[i] * ddS[c, i]
            b_v += 2 * r[i] * dS[c, i]
        Dq[c, j] = a_q
        Dv[c, j] = a_v
        M[c, j] = a_m
        M[j, c] = a_m
        Dq[j, c] = b_q
        Dv[j, c] = b_v


@compiled
def _write_own(j, rotor, of, out):
    """Writes row j against itself, with what its motor's rotor adds."""
    x_q = 0.0
    x_v = 0.0
    x_m = 0.0
    for i in range(3):
        x_q += of.g[i] * of.d[i]
    for i in range(6):
        x_q += of.r[i] * of.dd[i]
        x_v += of.s[i] * of.y_v[i]
        x_m += of.s[i] * of.r[i]
    out.Dq[j, j] = x_q
    out.Dv[j, j] = x_v
    out.M[j, j] = x_m + rotor


@compiled
def add_wrench_derivative(
    tree: KinematicTree, ws: Workspace, body: int, r: Vector, wrench: Vector, Dq: Matrix
) -> None:
    """Adds to Dq what a wrench, constant in world axes, changes as it moves along.

    Args:
        tree, ws: tree and workspace after `forward_pass`.
        body, r, wrench: as in `apply_wrench`.
        Dq: (nv, nv) updated in place.
    """
    nf = 6 if tree.floating else 0
    nr = 3 if tree.floating else 0
    na = tree.num_ancestors[body - 1] + 1 if body > 0 else 0
    e = np.empty(6)
    for x in range(na + nr):
        if x < nr:
            j = x
        elif x - nr < na - 1:
            j = nf + tree.ancestor[body - 1, x - nr]
        else:
            j = nf + body - 1
        s = ws.S[j]
        cross(s[:3], wrench[3:], e[3:])
        cross(s[:3], wrench[:3], e[:3])
        add_cross(r, e[3:], e[:3])
        for i in range(nf):
            Dq[i, j] += e[i]
        for y in range(na):
            k = nf + (tree.ancestor[body - 1, y] if y < na - 1 else body - 1)
            t = 0.0
            for i in range(6):
                t += ws.S[k, i] * e[i]
            Dq[k, j] += t
