"""Elimination of variables with equal bounds from a sparse quadratic program.

    minimize    x'P x / 2 + c'x
    subject to  A x = b,  least <= G x <= most,  low <= x <= high

With x_j = v_j where low_j = high_j, their columns move to the right-hand side, and only
their own costs remain, which keep them at zero: sparsity patterns do not change.
Matrices are by columns, as in SciPy.
"""

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Flags, Indices32, Matrix, Vector

# Half-width of the bounds of a row without variables: equal bounds have no interior.
ROOM = 1.0


@compiled
def find_given(
    low: Vector, high: Vector, free: float, given: Flags, values: Vector, left: Matrix
) -> None:
    """Finds the variables with equal bounds.

    Args:
        low, high: (n,) bounds.
        free: bound of a variable without one.
        given: (n,) written: whether bounds are equal.
        values: (n,) written: their value; zero for the others.
        left: (2, n) written: the bounds, with none on given variables.
    """
    for j in range(low.shape[0]):
        given[j] = low[j] == high[j]
        values[j] = low[j] if given[j] else 0.0
        left[0, j] = -free if given[j] else low[j]
        left[1, j] = free if given[j] else high[j]


@compiled
def take_out_of_cost(
    starts: Indices32,
    rows: Indices32,
    entries: Vector,
    c: Vector,
    given: Flags,
    values: Vector,
) -> float:
    """Eliminates given variables from a cost.

    Args:
        starts, rows, entries: P by columns, changed.
        c: (n,) changed.
        given, values: as of `find_given`.

    Returns:
        The constant part of the cost.
    """
    fixed_cost = 0.0
    for j in range(c.shape[0]):
        if given[j]:
            fixed_cost += c[j] * values[j]
            c[j] = 0.0
    for j in range(c.shape[0]):
        for n in range(starts[j], starts[j + 1]):
            i = rows[n]
            if given[i] and given[j]:
                fixed_cost += 0.5 * values[i] * entries[n] * values[j]
            elif given[j]:
                c[i] += entries[n] * values[j]
            if i != j and (given[i] or given[j]):
                entries[n] = 0.0
    return fixed_cost


@compiled
def take_out_of_rows(
    starts: Indices32,
    rows: Indices32,
    entries: Vector,
    bounds: Matrix,
    given: Flags,
    values: Vector,
) -> None:
    """Eliminates given variables from rows; empty inequalities are widened.

    Args:
        starts, rows, entries: A or G by columns, changed.
        bounds: (1, m) right side, or (2, m) least and most; changed.
        given, values: as of `find_given`.
    """
    sides, m = bounds.shape
    filled = np.zeros(m, np.bool_)
    for j in range(values.shape[0]):
        for n in range(starts[j], starts[j + 1]):
            i = rows[n]
            if not given[j]:
                filled[i] = filled[i] or entries[n] != 0.0
                continue
            for side in range(sides):
                bounds[side, i] -= entries[n] * values[j]
            entries[n] = 0.0
    for i in range(m):
        if sides == 2 and not filled[i]:
            bounds[0, i] = min(bounds[0, i], -ROOM)
            bounds[1, i] = max(bounds[1, i], ROOM)
