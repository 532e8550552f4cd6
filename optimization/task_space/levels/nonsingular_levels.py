"""What levels of tasks come to at a state far from singularities, compiled.

Substitution in the factors of `nonsingular_factors.py`, from the first level to the
last: accelerations, the torques that make them, and what torques come to.
"""

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Indices, Matrix, Vector
from backbeat.optimization.qp.cholesky import solve_backward, solve_forward
from backbeat.optimization.task_space.levels.nonsingular_factors import (
    NOTHING,
    POSTURE,
    TORQUES,
    WHOLE,
)
from backbeat.optimization.task_space.levels.reflections import (
    rotate,
    rotate_back,
    solve_lower,
    solve_upper,
)


@compiled
def _miss(B, W, diagonal, kind, first, end, x, missing):
    """Takes what accelerations x of a level are from what is asked of it.

    Args:
        B, W, diagonal: of `factor_levels`.
        kind, first, end: of the level.
        x: (nv,) accelerations.
        missing: (m,) asked for, less bias; written: what is missing.
    """
    nv = x.shape[0]
    if kind == POSTURE:
        for k in range(nv):
            for j in range(end - first):
                missing[first + j] -= x[k] * W[k, j]
        return
    for i in range(first, end):
        s = 0.0
        if kind == WHOLE:
            for k in range(i):
                s += B[i, k] * x[k]
            s += diagonal[i] * x[i]
        else:
            for k in range(nv):
                s += B[i, k] * x[k]
        missing[i] -= s


@compiled
def decided_change(B, W, D, kind, first, end, held, left, wish, x, y):
    """Change y (r,) by what decides all that is left, beside accelerations x.

    Args:
        B, W, D: of `factor_levels`.
        kind, first, end: of the level.
        held, left: coordinates that contacts hold, and that levels above decide.
        wish: (m,) accelerations asked for, less their bias.
        x, y: (nv,) accelerations there; (r,) written.
    """
    r, missing = y.shape[0], wish.copy()
    _miss(B, W, wish, kind, first, end, x, missing)
    for k in range(r):
        s = 0.0
        if kind == POSTURE:
            for j in range(end - first):
                s += W[held + k, j] * missing[first + j]
        else:
            for i in range(first, end):
                s += B[i, held + k] * missing[i]
        y[k] = s
    solve_forward(D, y)
    solve_backward(D, y)
    for k in range(left - held):
        y[k] = 0.0


@compiled
def start_levels(
    U: Matrix,
    B: Matrix,
    diagonal: Vector,
    scale: Vector,
    ends: Indices,
    count: int,
    f_0: Vector,
    wish: Vector,
    x: Vector,
    lead: Vector,
) -> None:
    """Accelerations without torques, the contacts holding.

    Args:
        U, B, diagonal, scale, ends, count, f_0, wish: as of `solve_levels`.
        x: (nv,) written: accelerations.
        lead: (m_1,) written: the first of them, did no contact hold.
    """
    held = ends[0]
    for k in range(x.shape[0]):
        x[k] = f_0[k]
    solve_forward(U, x)
    rotate(B, scale, count, x)
    for i in range(held):
        lead[i], x[i] = x[i], wish[i]
    solve_lower(B, diagonal, held, x)


@compiled
def solve_levels(
    U: Matrix,
    W: Matrix,
    B: Matrix,
    diagonal: Vector,
    scale: Vector,
    D: Matrix,
    ends: Indices,
    kinds: Indices,
    count: int,
    force: Matrix,
    wish: Vector,
    x: Vector,
    Y: Matrix,
) -> None:
    """Accelerations that levels come to without limits.

    Args:
        U, W, B, diagonal, scale, D, kinds, count: of `factor_levels`.
        ends: as of it.
        force: (n, nv) joint torques that levels of TORQUES ask for [N m].
        wish: (m,) accelerations asked for, less their bias.
        x: (nv,) of `start_levels`; written: accelerations with all levels.
        Y: (n, r) written: what each adds to what contacts leave.
    """
    nv, held, left = x.shape[0], ends[0], ends[0]
    Y[:] = 0.0
    for level in range(1, ends.shape[0]):
        first, end, kind, y = ends[level - 1], ends[level], kinds[level], Y[level]
        if kind == TORQUES:
            f = force[level].copy()
            solve_forward(U, f)
            rotate(B, scale, count, f)
            for k in range(left, nv):
                y[k - held] = f[k]
        elif kind == WHOLE:
            for i in range(first, end):
                s = wish[i]
                for k in range(i):
                    s -= B[i, k] * x[k]
                there, x[i] = x[i], s / diagonal[i]
                y[i - held] = x[i] - there
            left = end
            continue
        elif kind != NOTHING:
            decided_change(B, W, D, kind, first, end, held, left, wish, x, y)
            left = nv
        for k in range(left if kind == TORQUES else held, nv):
            x[k] += y[k - held]


@compiled
def smallest_torques(
    K: Matrix,
    diagonal: Vector,
    scale: Vector,
    unit: Vector,
    y: Vector,
    tau: Vector,
) -> None:
    """tau = the smallest torques, counted in units, that make y (r,); of `K`."""
    r, nj = K.shape
    for j in range(nj):
        tau[j] = y[j] if j < r else 0.0
    solve_lower(K, diagonal, r, tau)
    rotate_back(K, scale, r, tau)
    for j in range(nj):
        tau[j] *= unit[j]


@compiled
def level_forces(
    U: Matrix,
    B: Matrix,
    scale: Vector,
    count: int,
    held: int,
    Y: Matrix,
    forces: Matrix,
) -> None:
    """forces (n, nv) = what levels add, as generalized forces [N m]."""
    n, nv = forces.shape
    x = np.empty(nv)
    for level in range(1, n):
        for k in range(nv):
            x[k] = Y[level, k - held] if k >= held else 0.0
        rotate_back(B, scale, count, x)
        # C x with C = U', whose diagonal is inverted.
        for i in range(nv):
            forces[level, i] = 0.0
        for i in range(nv):
            forces[level, i] += x[i] / U[i, i]
            for j in range(i + 1, nv):
                forces[level, j] += U[i, j] * x[i]


@compiled
def torque_outcome(
    U: Matrix,
    W: Matrix,
    B: Matrix,
    diagonal: Vector,
    scale: Vector,
    ends: Indices,
    kinds: Indices,
    count: int,
    f_0: Vector,
    wish: Vector,
    tau: Vector,
    vdot: Vector,
    F: Vector,
    error: Vector,
) -> None:
    """What joint torques come to.

    Args:
        U, W, B, diagonal, scale, ends, kinds, count, f_0, wish: as of `solve_levels`.
        tau: (nj,) torques [N m].
        vdot: (nv,) written: accelerations.
        F: (m_1,) written: forces of contacts [N m, N].
        error: (m,) written: accelerations missing, those of contacts zero.
    """
    nv, held = vdot.shape[0], ends[0]
    x = f_0.copy()
    solve_forward(U, x)
    rotate(B, scale, count, x)
    for k in range(nv):
        for j in range(tau.shape[0]):
            x[k] += W[k, j] * tau[j]
    for i in range(held):
        vdot[i] = wish[i]
    solve_lower(B, diagonal, held, vdot)
    for i in range(held):
        F[i] = vdot[i] - x[i]
        x[i] = vdot[i]
    solve_upper(B, diagonal, held, F)
    for level in range(1, ends.shape[0]):
        first, end = ends[level - 1], ends[level]
        for i in range(first, end):
            error[i] = wish[i]
        _miss(B, W, diagonal, kinds[level], first, end, x, error)
    for k in range(nv):
        vdot[k] = x[k]
    rotate_back(B, scale, count, vdot)
    solve_backward(U, vdot)
