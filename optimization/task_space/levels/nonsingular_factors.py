"""Factors of contacts and levels at a state far from singularities, compiled.

Where no direction is given up (`rank.py`), contacts and levels are one triangle: with
the weighted rows B of contacts and levels, one below the other,

    B = [L 0] Q,    x = Q a

and in coordinates x a level depends on those of the levels above and its own, so that
its null space is what is left of the coordinates, and accelerations are found from the
first row to the last by substitution. Rows that decide all that is left, as those of a
posture do, need no reflections:

    E = rows of the level in the coordinates that contacts leave
    change of x = what is left of (E'E)^-1 E' (desired - acceleration before)

Torques tau = unit K_u' (K_u K_u')^-1 y, the smallest in units that make accelerations y
of what contacts leave, come from the triangle of K_u: K = what torques make there.

The equations are those of `ConstrainedDynamics` and `Level`, which also handle
singularities; near them `factor_levels` returns False, and its results are undefined.
"""

from typing import NamedTuple

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Flags, Indices, Matrix, Vector
from backbeat.optimization.qp.cholesky import factor, solve_forward
from backbeat.optimization.task_space.levels.reflections import (
    reflect_rows,
    rotate,
    rotate_columns,
)
from backbeat.optimization.task_space.tasks.rank import LEAST

# What levels are: contacts stand first; tasks that get all that they require, tasks
# that decide all that is left, and among them a whole posture; joint torques; and
# tasks for which nothing is left.
CONTACTS, WHOLE, DECIDING, POSTURE, TORQUES, NOTHING = range(6)


class Factors(NamedTuple):
    """Contacts and levels of a robot, and their factors at a state.

    Attributes:
        ends: (n,) end of each in their rows, contacts first; there may be none.
        kinds: (n,) CONTACTS, TORQUES, and WHOLE for others; written: what they are.
        U: (nv, nv) written: Cholesky factor of M, see
            `backbeat.optimization.qp.cholesky`.
        W: (nv, nj) written: accelerations x per joint torque.
        B: (m, nv) written: the triangle, see `reflections.py`; of what decides, rows
            in coordinates x.
        diagonal, scale: (m,) written, of the triangle.
        D: (r, r) written: Cholesky factor of E'E of what decides.
    """

    ends: Indices
    kinds: Indices
    U: Matrix
    W: Matrix
    B: Matrix
    diagonal: Vector
    scale: Vector
    D: Matrix


class Units(NamedTuple):
    """What torques do, in units, and its factors.

    Attributes:
        unit: (nj,) units of torques [N m].
        K: (r, nj) written: the triangle of their accelerations.
        diagonal, scale: (r,) written, of the triangle.
    """

    unit: Vector
    K: Matrix
    diagonal: Vector
    scale: Vector


@compiled
def _gram(B, first, end, column, A):
    """A = rows first to end of B from a column on, times themselves: upper triangle."""
    for i in range(first, end):
        for j in range(i, end):
            s = 0.0
            for k in range(column, B.shape[1]):
                s += B[i, k] * B[j, k]
            A[i - first, j - first] = s


@compiled
def _column_gram(B, first, end, column, A):
    """A = columns of some rows of B, from one on, times themselves: upper triangle."""
    n = B.shape[1] - column
    for i in range(n):
        for j in range(i, n):
            A[i, j] = 0.0
    for row in range(first, end):
        for i in range(n):
            x = B[row, column + i]
            for j in range(i, n):
                A[i, j] += x * B[row, column + j]


@compiled
def _is_light(A, heaviest):
    """Whether no direction of a compliance is heavier than a mass; see `is_light`."""
    U = A.copy()
    for i in range(A.shape[0]):
        U[i, i] -= 1.0 / heaviest
    return factor(U)


@compiled
def _is_posture(G, first, end, base):
    """Whether rows are the accelerations of all joints, in their order."""
    if end - first != G.shape[1] - base:
        return False
    for i in range(first, end):
        for k in range(G.shape[1]):
            if G[i, k] != (1.0 if k == base + i - first else 0.0):
                return False
    return True


@compiled
def _has_all(B, first, end, held, count, heaviest):
    """Whether a level can be satisfied in full; see `rank_adjusted`.

    Args:
        B: its rows, in coordinates of those above.
        first, end: which rows.
        held, count: coordinates that contacts hold, and levels above decide.
    """
    d = end - first
    if d > B.shape[1] - count:
        return False
    alone, A = np.empty((d, d)), np.empty((d, d))
    _gram(B, first, end, held, alone)
    if not _is_light(alone, heaviest):
        return False
    if count == held:
        return True
    _gram(B, first, end, count, A)
    for i in range(d):
        for j in range(i, d):
            A[i, j] -= LEAST * alone[i, j]
    return factor(A)


@compiled
def factor_levels(
    M: Matrix,
    G: Matrix,
    even: Flags,
    base: int,
    heaviest: float,
    of: Factors,
) -> int:
    """Factors the robot, its contacts and levels.

    Args:
        M: (nv, nv) mass matrix, of which the upper triangle counts.
        G: (m, nv) Jacobians of contacts and levels, one below the other.
        even: (n,) whether all tasks of a level have the same weight.
        base: velocities of the base, which has no motors.
        heaviest: mass from which on a direction is given up [kg].
        of: contacts and levels; written.

    Returns:
        How many reflections there are; -1 where a direction would be given up.
    """
    ends, kinds, U, B = of.ends, of.kinds, of.U, of.B
    nv, held = M.shape[0], ends[0]
    if not _factor_contacts(M, G, heaviest, of):
        return -1
    # Reflections in the order of their rows: those of what decides are left out, so
    # nothing may be reflected after it.
    count, is_decided = held, False
    for level in range(1, ends.shape[0]):
        first, end = ends[level - 1], ends[level]
        if kinds[level] == TORQUES:
            continue
        decides = even[level] and end - first >= nv - held
        if decides and not is_decided and _is_posture(G, first, end, base):
            kinds[level], is_decided = POSTURE, True
            continue
        for i in range(first, end):
            for k in range(nv):
                B[i, k] = G[i, k]
            solve_forward(U, B[i])
            rotate(B, of.scale, count, B[i])
        if decides:
            kinds[level] = _decide(of, first, end, is_decided, heaviest)
            is_decided = True
        elif is_decided:
            A = np.empty((end - first, end - first))
            _gram(B, first, end, held, A)
            kinds[level] = NOTHING if _is_light(A, heaviest) else -1
        else:
            is_whole = _has_all(B, first, end, held, count, heaviest)
            kinds[level] = WHOLE if is_whole else -1
            if is_whole:
                reflect_rows(B, of.diagonal, of.scale, first, end)
            count = end
        if kinds[level] == -1:
            return -1
    return _factor_torques(of, base, count, heaviest)


@compiled
def _factor_contacts(M, G, heaviest, of):
    """Writes U and the rows of contacts; whether no direction is given up."""
    U, B, nv, held = of.U, of.B, M.shape[0], of.ends[0]
    for i in range(nv):
        for j in range(i, nv):
            U[i, j] = M[i, j]
    if not factor(U) or held > nv:
        return False
    for i in range(held):
        for k in range(nv):
            B[i, k] = G[i, k]
        solve_forward(U, B[i])
    A = np.empty((held, held))
    _gram(B, 0, held, 0, A)
    if held and not _is_light(A, heaviest):
        return False
    reflect_rows(B, of.diagonal, of.scale, 0, held)
    return True


@compiled
def _decide(of, first, end, is_decided, heaviest):
    """What rows are that may decide all that is left; -1 near a singularity.

    Args:
        of: of `factor_levels`; D is written where nothing is decided yet.
        first, end: which rows.
        is_decided: whether a level above has decided.
        heaviest: of `factor_levels`.
    """
    E = np.empty(of.D.shape) if is_decided else of.D
    _column_gram(of.B, first, end, of.ends[0], E)
    if not _is_light(E, heaviest):
        return -1
    if is_decided:
        return NOTHING
    return DECIDING if factor(of.D) else -1


@compiled
def _factor_torques(of, base, count, heaviest):
    """Writes W, and D where a posture decides; see `factor_levels`."""
    U, W, D, kinds, held = of.U, of.W, of.D, of.kinds, of.ends[0]
    nv, nj = W.shape
    W[:] = 0.0
    for j in range(nj):
        W[base + j, j] = 1.0
    # U'^-1 for all columns at once, of which column j begins at row base + j.
    for k in range(base, nv):
        for j in range(k - base + 1):
            W[k, j] *= U[k, k]
        for i in range(k + 1, nv):
            u = U[k, i]
            for j in range(k - base + 1):
                W[i, j] -= u * W[k, j]
    rotate_columns(of.B, of.scale, count, W)
    is_posture = False
    for level in range(kinds.shape[0]):
        is_posture = is_posture or kinds[level] == POSTURE
    if base or is_posture:
        if nv - held > nj:
            return -1
        K = D if is_posture else np.empty((nv - held, nv - held))
        _gram(W, held, nv, 0, K)
        if not _is_light(K, heaviest):
            return -1
        if is_posture and not factor(K):
            return -1
    return count


@compiled
def factor_units(W: Matrix, held: int, units: Units) -> None:
    """Factors what torques do, in units.

    Args:
        W: (nv, nj) of `factor_levels`.
        held: coordinates that contacts hold.
        units: units of torques; the rest is written.
    """
    K = units.K
    r, nj = K.shape
    for i in range(r):
        for j in range(nj):
            K[i, j] = units.unit[j] * W[held + i, j]
    reflect_rows(K, units.diagonal, units.scale, 0, r)
