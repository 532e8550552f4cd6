"""Limits of joints and contacts far from singularities, compiled.

Unknowns z are accelerations y of what contacts leave, in the coordinates of
`nonsingular_factors.py`, then torques s that accelerate nothing:

    tau = unit K' [L^-1 y; s]      (K the orthogonal rows of `factor_units`)

so that what levels above decide are the first of z, and no null space has to be found.
The rows are those of `limit_rows.py`.
"""

from typing import NamedTuple

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Matrix, Vector, VectorView
from backbeat.models.dynamics.finite import UNBOUNDED
from backbeat.optimization.task_space.levels.nonsingular_factors import (
    Factors,
    Units,
)
from backbeat.optimization.task_space.levels.reflections import (
    rotate_columns,
    solve_upper,
)


class Bounds(NamedTuple):
    """Limits of joints and contacts at a state.

    Attributes:
        weakest, strongest: (nj,) least and most torques [N m].
        least, most: (nj,) limits of accelerations of joints.
        cones: (k, m_1) rows of cones F <= 0.
    """

    weakest: Vector
    strongest: Vector
    least: Vector
    most: Vector
    cones: Matrix


class LimitedUnknowns(NamedTuple):
    """Unknowns z, and all limits as rows lower <= A z <= upper.

    Attributes:
        X: (nj, nj) torques in units, as columns, per z, as rows.
        A: (2 nj + k, nj) torques, accelerations, cones.
        lower, upper: (2 nj + k,).
    """

    X: Matrix
    A: Matrix
    lower: Vector
    upper: Vector


@compiled
def is_within(tau: Vector, vdot: VectorView, F: Vector, bounds: Bounds) -> bool:
    """Whether torques and what they come to are within all limits.

    Args:
        tau: (nj,) torques [N m].
        vdot: (nj,) accelerations of joints.
        F: (m_1,) forces of contacts [N m, N].
        bounds: the limits.
    """
    cones = bounds.cones
    for j in range(tau.shape[0]):
        # One by one, so that what is no number is not within.
        if not (tau[j] >= bounds.weakest[j] and tau[j] <= bounds.strongest[j]):
            return False
        if not (vdot[j] >= bounds.least[j] and vdot[j] <= bounds.most[j]):
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
def _contact_columns(of, unit, X, lead, x, R, F_0):
    """Writes forces of contacts per z, R (m_1, nj), and without torques, F_0 (m_1,)."""
    W, held, nj = of.W, of.ends[0], X.shape[0]
    for i in range(held):
        F_0[i] = x[i] - lead[i]
        for c in range(nj):
            s = 0.0
            for j in range(nj):
                s -= W[i, j] * unit[j] * X[c, j]
            R[i, c] = s
    solve_upper(of.B, of.diagonal, held, F_0)
    _solve_upper_columns(of.B, of.diagonal, held, R)


@compiled
def nonsingular_rows(
    of: Factors,
    units: Units,
    x: Vector,
    lead: Vector,
    bounds: Bounds,
    out: LimitedUnknowns,
) -> None:
    """All limits as rows lower <= A z <= upper: torques, accelerations, cones.

    Args:
        of: of `factor_levels`.
        units: of `factor_units`.
        x, lead: (nv,), (m_1,) accelerations without torques, of `start_levels`.
        bounds: limits of joints and contacts.
        out: written.
    """
    W, unit, cones = of.W, units.unit, bounds.cones
    weakest, strongest = bounds.weakest, bounds.strongest
    X, A, lower, upper = out
    held = of.ends[0]
    nv, nj = W.shape
    _torque_columns(units.K, units.diagonal, units.scale, X)
    for j in range(nj):
        there = 0.0
        for k in range(nv):
            there += W[k, j] * x[k]
        for c in range(nj):
            A[j, c] = X[c, j]
            A[nj + j, c] = W[held + c, j] if held + c < nv else 0.0
        has_limit = strongest[j] < np.inf
        upper[j] = strongest[j] / unit[j] if has_limit else UNBOUNDED
        lower[j] = weakest[j] / unit[j] if has_limit else -UNBOUNDED
        lower[nj + j] = max(bounds.least[j] - there, -UNBOUNDED)
        upper[nj + j] = min(bounds.most[j] - there, UNBOUNDED)
    if not cones.shape[0]:
        return
    R, F_0 = np.empty((held, nj)), np.empty(held)
    _contact_columns(of, unit, X, lead, x, R, F_0)
    for row in range(cones.shape[0]):
        at = 2 * nj + row
        lower[at], s = -UNBOUNDED, 0.0
        A[at] = 0.0
        for i in range(held):
            cone = cones[row, i]
            if cone != 0.0:
                s -= cone * F_0[i]
                for c in range(nj):
                    A[at, c] += cone * R[i, c]
        upper[at] = s


@compiled
def hold(limits: LimitedUnknowns, z: Vector) -> bool:
    """Whether z is within all limits."""
    _, A, lower, upper = limits
    for row in range(A.shape[0]):
        s = 0.0
        for c in range(z.shape[0]):
            s += A[row, c] * z[c]
        if not (s >= lower[row] and s <= upper[row]):
            return False
    return True


@compiled
def move_rows(
    limits: LimitedUnknowns,
    z: Vector,
    first: int,
    room: float,
    A_left: Matrix,
    low: Vector,
    high: Vector,
) -> float:
    """Limits of changes of z[first:], with some room at z; the largest value there.

    Args:
        limits: of `nonsingular_rows`.
        z, first, room: unknowns, of which the first are decided, and the room.
        A_left, low, high: written.
    """
    _, A, lower, upper = limits
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
