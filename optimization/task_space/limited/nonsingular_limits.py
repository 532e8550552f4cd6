"""Limits of joints and contacts far from singularities, and programs in them, compiled.

Unknowns z are accelerations y of what contacts leave, in the coordinates of
`nonsingular_factors.py`, then torques s that accelerate nothing:

    tau = unit K' [L^-1 y; s]      (K the orthogonal rows of `factor_units`)

so that what levels above decide are the first of z, and no null space has to be found.
The rows are those of `limit_rows.py`, the programs those of `limited_program.py`. A
level that decides all that is left is a projection there: H is diagonal.
"""

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Matrix, Vector, VectorView
from backbeat.optimization.qp.cholesky import factor
from backbeat.optimization.qp.program import INFINITY
from backbeat.optimization.task_space.levels.nonsingular_factors import TORQUES, WHOLE
from backbeat.optimization.task_space.levels.nonsingular_levels import decided_change
from backbeat.optimization.task_space.levels.reflections import (
    rotate_columns,
    solve_upper,
)


@compiled
def is_within(
    tau: Vector,
    vdot: VectorView,
    F: Vector,
    effort: Vector,
    least: Vector,
    most: Vector,
    cones: Matrix,
) -> bool:
    """Whether torques and what they come to are within all limits.

    Args:
        tau, effort: (nj,) torques and their limits [N m].
        vdot, least, most: (nj,) accelerations of joints and their limits.
        F: (m_1,) forces of contacts [N m, N].
        cones: (k, m_1) rows of cones F <= 0.
    """
    for j in range(tau.shape[0]):
        # One by one, so that what is no number is not within.
        if not abs(tau[j]) <= effort[j]:
            return False
        if not (vdot[j] >= least[j] and vdot[j] <= most[j]):
            return False
    for row in range(cones.shape[0]):
        s = 0.0
        for i in range(F.shape[0]):
            s += cones[row, i] * F[i]
        if not s <= 0.0:
            return False
    return True


@compiled
def _solve_upper_columns(B, diagonal, count, X):
    """X = L^-T X in the first `count` rows of X, all columns at once."""
    columns = X.shape[1]
    for i in range(count - 1, -1, -1):
        for j in range(columns):
            X[i, j] /= diagonal[i]
        for k in range(i):
            b = B[i, k]
            for j in range(columns):
                X[k, j] -= b * X[i, j]


@compiled
def _torque_columns(K, diagonal, scale, X):
    """X (nj, nj) = torques in units, as columns, per unknown z, as rows."""
    nj = X.shape[0]
    for i in range(nj):
        for j in range(nj):
            X[i, j] = 1.0 if i == j else 0.0
    rotate_columns(K, scale, K.shape[0], X)
    _solve_upper_columns(K, diagonal, K.shape[0], X)


@compiled
def _contact_columns(W, B, diagonal, held, unit, X, lead, x, R, F_0):
    """Writes forces of contacts per z, R (m_1, nj), and without torques, F_0 (m_1,)."""
    nj = X.shape[0]
    for i in range(held):
        F_0[i] = x[i] - lead[i]
        for c in range(nj):
            s = 0.0
            for j in range(nj):
                s -= W[i, j] * unit[j] * X[c, j]
            R[i, c] = s
    solve_upper(B, diagonal, held, F_0)
    _solve_upper_columns(B, diagonal, held, R)


@compiled
def nonsingular_rows(
    W: Matrix,
    B: Matrix,
    diagonal: Vector,
    held: int,
    K: Matrix,
    K_diagonal: Vector,
    K_scale: Vector,
    x: Vector,
    lead: Vector,
    effort: Vector,
    unit: Vector,
    least: Vector,
    most: Vector,
    cones: Matrix,
    X: Matrix,
    A: Matrix,
    lower: Vector,
    upper: Vector,
) -> None:
    """All limits as rows lower <= A z <= upper: torques, accelerations, cones.

    Args:
        W, B, diagonal, held: of `factor_levels`.
        K, K_diagonal, K_scale: of `factor_units`.
        x, lead: (nv,), (m_1,) accelerations without torques, of `start_levels`.
        effort, unit: (nj,) limits of torques, and their units [N m].
        least, most: (nj,) limits of accelerations of joints.
        cones: (k, m_1) rows of cones F <= 0.
        X: (nj, nj) written: torques in units, as columns, per z, as rows.
        A, lower, upper: (2 nj + k, nj), (2 nj + k,), (2 nj + k,) written.
    """
    nv, nj = W.shape
    _torque_columns(K, K_diagonal, K_scale, X)
    for j in range(nj):
        there = 0.0
        for k in range(nv):
            there += W[k, j] * x[k]
        for c in range(nj):
            A[j, c] = X[c, j]
            A[nj + j, c] = W[held + c, j] if held + c < nv else 0.0
        has_limit = effort[j] < np.inf
        upper[j] = effort[j] / unit[j] if has_limit else INFINITY
        lower[j] = -upper[j]
        lower[nj + j] = max(least[j] - there, -INFINITY)
        upper[nj + j] = min(most[j] - there, INFINITY)
    if not cones.shape[0]:
        return
    R, F_0 = np.empty((held, nj)), np.empty(held)
    _contact_columns(W, B, diagonal, held, unit, X, lead, x, R, F_0)
    for row in range(cones.shape[0]):
        at = 2 * nj + row
        lower[at], s = -INFINITY, 0.0
        A[at] = 0.0
        for i in range(held):
            cone = cones[row, i]
            if cone != 0.0:
                s -= cone * F_0[i]
                for c in range(nj):
                    A[at, c] += cone * R[i, c]
        upper[at] = s


@compiled
def hold(
    A: Matrix,
    lower: Vector,
    upper: Vector,
    z: Vector,
) -> bool:
    """Whether z is within all limits."""
    for row in range(A.shape[0]):
        s = 0.0
        for c in range(z.shape[0]):
            s += A[row, c] * z[c]
        if not (s >= lower[row] and s <= upper[row]):
            return False
    return True


@compiled
def move_rows(
    A: Matrix,
    lower: Vector,
    upper: Vector,
    z: Vector,
    first: int,
    room: float,
    A_left: Matrix,
    low: Vector,
    high: Vector,
) -> float:
    """Limits of changes of z[first:], with some room at z; the largest value there.

    Args:
        A, lower, upper: of `nonsingular_rows`.
        z, first, room: unknowns, of which the first are decided, and the room.
        A_left, low, high: written.
    """
    worst = 0.0
    for row in range(A.shape[0]):
        s = 0.0
        for c in range(z.shape[0]):
            s += A[row, c] * z[c]
        for c in range(first, z.shape[0]):
            A_left[row, c - first] = A[row, c]
        low[row], high[row] = lower[row] - s, upper[row] - s
        if room > 0.0:
            low[row], high[row] = min(low[row], -room), max(high[row], room)
        worst = max(worst, abs(s))
    return worst


@compiled
def _shape_whole(B, diagonal, weight, even, first, end, held, left, missing, J):
    """Rows J of a level that asks for less than there is left, and what it misses.

    Args:
        B, diagonal: of `factor_levels`.
        weight, even: (m,) weights, and whether those of this level are alike.
        first, end, held, left: as of `decided_change`.
        missing: (m,) accelerations missing; written: as they are measured.
        J: (d, d) written: in the first coordinates that are left.
    """
    d = end - first
    for i in range(d):
        for k in range(d):
            J[i, k] = B[first + i, left + k] if k < i else 0.0
        J[i, i] = diagonal[first + i]
    if not even:
        most = 0.0
        for i in range(first, end):
            most = max(most, weight[i])
        for i in range(d):
            root = np.sqrt(weight[first + i] / most)
            missing[first + i] *= root
            for k in range(d):
                J[i, k] *= root
        return
    # As a kinetic energy: R = L_0^-1, L_0 L_0' the compliance with no level above.
    S = np.empty((d, d))
    for i in range(d):
        for j in range(i, d):
            s = 0.0
            for k in range(held, first + i):
                s += B[first + i, k] * B[first + j, k]
            last = diagonal[first + j] if i == j else B[first + j, first + i]
            S[i, j] = s + diagonal[first + i] * last
    factor(S)
    for i in range(d):
        for m in range(i):
            missing[first + i] -= S[m, i] * missing[first + m]
            for k in range(d):
                J[i, k] -= S[m, i] * J[m, k]
        missing[first + i] *= S[i, i]
        for k in range(d):
            J[i, k] *= S[i, i]


@compiled
def level_program(
    B: Matrix,
    W: Matrix,
    diagonal: Vector,
    D: Matrix,
    kind: int,
    first: int,
    end: int,
    held: int,
    left: int,
    weight: Vector,
    even: bool,
    wish: Vector,
    x_0: Vector,
    y: Vector,
    z: Vector,
    small: Vector,
    H: Matrix,
    g: Vector,
    near: Matrix,
    toward: Vector,
) -> None:
    """Program of one level for changes of the unknowns that levels above leave.

    Args:
        B, W, diagonal, D: of `factor_levels`.
        kind, first, end, held, left: as of `decided_change`.
        weight, even: (m,) weights of tasks, and whether those of this level are alike.
        wish: (m,) accelerations asked for, less their bias.
        x_0: (nv,) accelerations without torques, of `start_levels`.
        y: (r,) what a level of TORQUES adds without limits.
        z: (nj,) unknowns there.
        small: (2,) small weights of accelerations, and of torques that make none,
            against a wish of average size.
        H, g, near, toward: of a `SettlingProgram`, written.
    """
    n, moving = H.shape[0], D.shape[0] - (left - held)
    x = x_0.copy()
    for k in range(D.shape[0]):
        x[held + k] += z[k]
    H[:] = 0.0
    near[:] = 0.0
    toward[:] = 0.0
    rows, size = x.shape[0], float(moving)
    if kind == WHOLE and moving:
        rows, missing = end - first, wish.copy()
        for i in range(first, end):
            for k in range(i):
                missing[i] -= B[i, k] * x[k]
            missing[i] -= diagonal[i] * x[i]
        J = np.empty((rows, rows))
        _shape_whole(B, diagonal, weight, even, first, end, held, left, missing, J)
        size = 0.0
        for i in range(rows):
            for a in range(rows):
                size += J[i, a] * J[i, a]
                toward[a] += J[i, a] * missing[first + i]
                for b in range(rows):
                    H[a, b] += J[i, a] * J[i, b]
    elif moving:
        change = y.copy()
        if kind != TORQUES:
            rows = D.shape[0]
            decided_change(B, W, D, kind, first, end, held, left, wish, x, change)
        for a in range(moving):
            toward[a] = change[left - held + a]
            H[a, a] = 1.0
    for a in range(n):
        is_still = a >= moving
        near[a, a] = max(size / rows, 1e-12) * small[1 if is_still else 0]
        H[a, a] += near[a, a]
        g[a] = -toward[a]
        if is_still:
            g[a] += near[a, a] * z[left - held + a]
