"""Distances of spheres on the robot from solids, and how they change, compiled."""

import numpy as np

from backbeat.models.collision.shapes import CAPSULE, CYLINDER, FAR, CollisionArrays
from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Flags, Matrix, Vector
from backbeat.models.dynamics.kinematic_tree import KinematicTree, Workspace


@compiled
def signed_distance(kind: int, size: Vector, x: Vector, n: Vector) -> float:
    """Signed distance of the local point x from a solid, gradient in n."""
    if kind == CAPSULE:
        z = min(max(x[2], -size[1]), size[1])
        dx, dy, dz = x[0], x[1], x[2] - z
        d = np.sqrt(dx * dx + dy * dy + dz * dz)
        s = 1 / max(d, 1e-9)
        n[0], n[1], n[2] = dx * s, dy * s, dz * s
        return d - size[0]
    if kind == CYLINDER:
        rho = np.sqrt(x[0] * x[0] + x[1] * x[1])
        s = 1 / max(rho, 1e-9)
        a, b = rho - size[0], abs(x[2]) - size[1]
        sign = 1.0 if x[2] >= 0 else -1.0
        if a > 0 and b > 0:
            d = np.sqrt(a * a + b * b)
            n[0], n[1], n[2] = a * x[0] * s / d, a * x[1] * s / d, b * sign / d
            return d
        if a > b:
            n[0], n[1], n[2] = x[0] * s, x[1] * s, 0.0
            return a
        n[0], n[1], n[2] = 0.0, 0.0, sign
        return b
    d2 = 0.0
    inside = -1e30
    axis = 0
    for i in range(3):
        e = abs(x[i]) - size[i]
        n[i] = 0.0
        if e > inside:
            inside = e
            axis = i
        if e > 0:
            d2 += e * e
            n[i] = e if x[i] >= 0 else -e
    if inside > 0:
        d = np.sqrt(d2)
        for i in range(3):
            n[i] /= d
        return d
    n[axis] = 1.0 if x[axis] >= 0 else -1.0
    return inside


@compiled
def distances(
    arrays: CollisionArrays,
    tree: KinematicTree,
    ws: Workspace,
    p_WB: Vector,
    on: Flags,
    g: Vector,
    D: Matrix,
    linearize: bool,
) -> None:
    """Distance of every sphere from its nearest solid, and its derivative.

    Args:
        arrays: CollisionArrays.
        tree, ws: tree and workspace after
            `backbeat.models.dynamics.recursion.forward_pass`.
        p_WB: (3,) base origin in the world.
        on: (F,) which spheres to look at; the others get FAR.
        g: (F,) written: distances, at most FAR [m].
        D: (F, nv) written when `linearize`: derivatives; zero when far.
        linearize: whether to write derivatives.
    """
    _place_solids(arrays, ws, p_WB)
    r = np.empty(3)
    x = np.empty(3)
    n = np.empty(3)
    normal = np.empty(3)
    for f in range(arrays.body.shape[0]):
        g[f] = FAR
        if linearize:
            for j in range(D.shape[1]):
                D[f, j] = 0.0
        if not on[f]:
            continue
        b = arrays.body[f]
        for i in range(3):
            r[i] = ws.p[b, i]
            for m in range(3):
                r[i] += ws.R[b, i, m] * arrays.p[f, m]
        g[f], nearest = _find_nearest(arrays, f, r, x, n, normal)
        if linearize and nearest >= 0:
            _add_point_speed(tree, ws, b, r, normal, 1.0, D[f])
            if arrays.solid_body[nearest] >= 0:
                a = arrays.solid_body[nearest]
                _add_point_speed(tree, ws, a, r, normal, -1.0, D[f])


@compiled
def _find_nearest(arrays, f, r, x, n, normal):
    """Distance of sphere f, at most FAR, and the solid that is so near, or -1.

    Args:
        arrays: CollisionArrays, solids placed.
        f: the sphere.
        r: (3,) where it is from the base origin.
        x, n: (3,) scratch.
        normal: (3,) written: gradient of the distance, where a solid is near.
    """
    best, nearest = FAR, -1
    for e in range(arrays.candidates.shape[1]):
        s = arrays.candidates[f, e]
        if s < 0:
            break
        dx = r[0] - arrays.r[s, 0]
        dy = r[1] - arrays.r[s, 1]
        dz = r[2] - arrays.r[s, 2]
        room = best + arrays.reach[s] + arrays.radius[f]
        if room < 0 or dx * dx + dy * dy + dz * dz > room * room:
            continue
        R = arrays.R[s]
        for i in range(3):
            x[i] = R[0, i] * dx + R[1, i] * dy + R[2, i] * dz
        d = signed_distance(arrays.kind[s], arrays.size[s], x, n)
        d -= arrays.radius[f]
        if d < best:
            best = d
            nearest = s
            for i in range(3):
                normal[i] = R[i, 0] * n[0] + R[i, 1] * n[1] + R[i, 2] * n[2]
    return best, nearest


@compiled
def _place_solids(arrays, ws, p_WB):
    """Poses of all solids from the base origin, world axes."""
    for s in range(arrays.kind.shape[0]):
        b = arrays.solid_body[s]
        for i in range(3):
            if b < 0:
                arrays.r[s, i] = arrays.solid_p[s, i] - p_WB[i]
                for m in range(3):
                    arrays.R[s, i, m] = arrays.solid_R[s, i, m]
                continue
            t = ws.p[b, i]
            for o in range(3):
                t += ws.R[b, i, o] * arrays.solid_p[s, o]
            arrays.r[s, i] = t
            for m in range(3):
                t = 0.0
                for o in range(3):
                    t += ws.R[b, i, o] * arrays.solid_R[s, o, m]
                arrays.R[s, i, m] = t


@compiled
def _add_point_speed(tree, ws, body, r, n, sign, out):
    """out += sign * n' Jv of the point r riding on a body."""
    nf = 6 if tree.floating else 0
    if nf:
        out[0] += sign * (n[2] * r[1] - n[1] * r[2])
        out[1] += sign * (n[0] * r[2] - n[2] * r[0])
        out[2] += sign * (n[1] * r[0] - n[0] * r[1])
        for i in range(3):
            out[3 + i] += sign * n[i]
    if body == 0:
        return
    na = tree.num_ancestors[body - 1]
    for i in range(na + 1):
        j = nf + (tree.ancestor[body - 1, i] if i < na else body - 1)
        s = ws.S[j]
        out[j] += sign * (
            n[0] * (s[3] + s[1] * r[2] - s[2] * r[1])
            + n[1] * (s[4] + s[2] * r[0] - s[0] * r[2])
            + n[2] * (s[5] + s[0] * r[1] - s[1] * r[0])
        )
