"""Forces and accelerations of levels at a state far from singularities, compiled.

Substitution in the factors of `nonsingular_factors.py`, from the first level to the
last: accelerations, the torques that make them, and the effect of torques.
"""

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Matrix, Vector
from backbeat.optimization.qp.cholesky import solve_backward, solve_forward
from backbeat.optimization.task_space.levels.nonsingular_factors import (
    NOTHING,
    POSTURE,
    TORQUES,
    WHOLE,
    Factors,
    Units,
)
from backbeat.optimization.task_space.levels.reflections import (
    rotate,
    rotate_back,
    solve_lower,
    solve_upper,
)


@compiled
def _miss(of, level, x, missing):
    """Takes what accelerations x of a level are from its desired ones.

    Args:
        of: of `factor_levels`.
        level: the level.
        x: (nv,) accelerations.
        missing: (m,) desired, less bias; written: what is missing.
    """
    first, end, kind = of.ends[level - 1], of.ends[level], of.kinds[level]
    B, W, nv = of.B, of.W, x.shape[0]
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
            s += of.diagonal[i] * x[i]
        else:
            for k in range(nv):
                s += B[i, k] * x[k]
        missing[i] -= s


@compiled
def decided_change(of, level, left, wish, x, y):
    """Change y (r,) by what decides all that is left, beside accelerations x.

    Args:
        of: of `factor_levels`.
        level: the level.
        left: coordinates that levels above decide.
        wish: (m,) desired accelerations, less their bias.
        x, y: (nv,) accelerations there; (r,) written.
    """
    first, end, held = of.ends[level - 1], of.ends[level], of.ends[0]
    r, missing = y.shape[0], wish.copy()
    _miss(of, level, x, missing)
    for k in range(r):
        s = 0.0
        if of.kinds[level] == POSTURE:
            for j in range(end - first):
                s += of.W[held + k, j] * missing[first + j]
        else:
            for i in range(first, end):
                s += of.B[i, held + k] * missing[i]
        y[k] = s
    solve_forward(of.D, y)
    solve_backward(of.D, y)
    for k in range(left - held):
        y[k] = 0.0


@compiled
def start_levels(
    of: Factors,
    count: int,
    f_0: Vector,
    wish: Vector,
    x: Vector,
    lead: Vector,
) -> None:
    """Accelerations without torques, the contacts holding.

    Args:
        of, count, wish: as of `solve_levels`.
        f_0: (nv,) forces there anyway [N m].
        x: (nv,) written: accelerations.
        lead: (m_1,) written: the first of them, did no contact hold.
    """
    held = of.ends[0]
    for k in range(x.shape[0]):
        x[k] = f_0[k]
    solve_forward(of.U, x)
    rotate(of.B, of.scale, count, x)
    for i in range(held):
        lead[i], x[i] = x[i], wish[i]
    solve_lower(of.B, of.diagonal, held, x)


@compiled
def solve_levels(
    of: Factors,
    count: int,
    force: Matrix,
    wish: Vector,
    x: Vector,
    Y: Matrix,
) -> None:
    """Accelerations that levels come to without limits.

    Args:
        of, count: of `factor_levels`, and the reflections that it counted.
        force: (n, nv) joint torques of levels of TORQUES [N m].
        wish: (m,) desired accelerations, less their bias.
        x: (nv,) of `start_levels`; written: accelerations with all levels.
        Y: (n, r) written: what each adds to what contacts leave.
    """
    ends, B = of.ends, of.B
    nv, held, left = x.shape[0], ends[0], ends[0]
    Y[:] = 0.0
    for level in range(1, ends.shape[0]):
        first, end, kind, y = ends[level - 1], ends[level], of.kinds[level], Y[level]
        if kind == TORQUES:
            f = force[level].copy()
            solve_forward(of.U, f)
            rotate(B, of.scale, count, f)
            for k in range(left, nv):
                y[k - held] = f[k]
        elif kind == WHOLE:
            for i in range(first, end):
                s = wish[i]
                for k in range(i):
                    s -= B[i, k] * x[k]
                there, x[i] = x[i], s / of.diagonal[i]
                y[i - held] = x[i] - there
            left = end
            continue
        elif kind != NOTHING:
            decided_change(of, level, left, wish, x, y)
            left = nv
        for k in range(left if kind == TORQUES else held, nv):
            x[k] += y[k - held]


@compiled
def smallest_torques(units: Units, y: Vector, tau: Vector) -> None:
    """tau = the smallest torques, counted in units, that make y (r,)."""
    K = units.K
    r, nj = K.shape
    for j in range(nj):
        tau[j] = y[j] if j < r else 0.0
    solve_lower(K, units.diagonal, r, tau)
    rotate_back(K, units.scale, r, tau)
    for j in range(nj):
        tau[j] *= units.unit[j]


@compiled
def level_forces(of: Factors, count: int, Y: Matrix, forces: Matrix) -> None:
    """forces (n, nv) = what levels add, as generalized forces [N m]."""
    U, held = of.U, of.ends[0]
    n, nv = forces.shape
    x = np.empty(nv)
    for level in range(1, n):
        for k in range(nv):
            x[k] = Y[level, k - held] if k >= held else 0.0
        rotate_back(of.B, of.scale, count, x)
        # C x with C = U', whose diagonal is inverted.
        for i in range(nv):
            forces[level, i] = 0.0
        for i in range(nv):
            forces[level, i] += x[i] / U[i, i]
            for j in range(i + 1, nv):
                forces[level, j] += U[i, j] * x[i]


@compiled
def torque_outcome(
    of: Factors,
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
        of, count, f_0, wish: as of `start_levels`.
        tau: (nj,) torques [N m].
        vdot: (nv,) written: accelerations.
        F: (m_1,) written: forces of contacts [N m, N].
        error: (m,) written: accelerations missing, those of contacts zero.
    """
    nv, held = vdot.shape[0], of.ends[0]
    x = f_0.copy()
    solve_forward(of.U, x)
    rotate(of.B, of.scale, count, x)
    for k in range(nv):
        for j in range(tau.shape[0]):
            x[k] += of.W[k, j] * tau[j]
    for i in range(held):
        vdot[i] = wish[i]
    solve_lower(of.B, of.diagonal, held, vdot)
    for i in range(held):
        F[i] = vdot[i] - x[i]
        x[i] = vdot[i]
    solve_upper(of.B, of.diagonal, held, F)
    for level in range(1, of.ends.shape[0]):
        for i in range(of.ends[level - 1], of.ends[level]):
            error[i] = wish[i]
        _miss(of, level, x, error)
    for k in range(nv):
        vdot[k] = x[k]
    rotate_back(of.B, of.scale, count, vdot)
    solve_backward(of.U, vdot)
