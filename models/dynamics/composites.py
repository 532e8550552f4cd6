"""The composite-rigid-body algorithm: the mass matrix from the tree's composites.

Featherstone, "Rigid Body Dynamics Algorithms", 2008, chapter 6.
"""

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Matrix
from backbeat.models.dynamics.kinematic_tree import KinematicTree, Workspace
from backbeat.models.dynamics.rotations import add_cross


@compiled
def inertia_force(I, m, h, s, out):
    """out = composite inertia (I, m, h) times the motion vector s."""
    for i in range(3):
        out[i] = I[i, 0] * s[0] + I[i, 1] * s[1] + I[i, 2] * s[2]
        out[3 + i] = m * s[3 + i]
    add_cross(h, s[3:], out[:3])
    add_cross(s[:3], h, out[3:])


@compiled
def mass_matrix(tree: KinematicTree, ws: Workspace, M: Matrix) -> None:
    """Writes the joint-space mass matrix (nv, nv) from the composites."""
    nf = 6 if tree.floating else 0
    nv = nf + tree.parent.shape[0]
    r = np.empty(6)
    for i in range(nv):
        for k in range(nv):
            M[i, k] = 0.0
    for j in range(nv):
        b = 0 if j < nf else j - nf + 1
        inertia_force(ws.I[b], ws.m[b], ws.h[b], ws.S[j], r)
        if j < nf:
            for i in range(6):
                M[i, j] = r[i]
            continue
        for i in range(nf):
            M[i, j] = r[i]
            M[j, i] = r[i]
        s = 0.0
        for i in range(6):
            s += ws.S[j, i] * r[i]
        M[j, j] = s + tree.rotor[j - nf]
        for x in range(tree.num_ancestors[j - nf]):
            c = nf + tree.ancestor[j - nf, x]
            s = 0.0
            for i in range(6):
                s += ws.S[c, i] * r[i]
            M[c, j] = s
            M[j, c] = s
