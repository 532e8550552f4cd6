"""Rows to a triangle by reflections, compiled: B = [L 0] Q, and products with Q.

Each row of B, in turn, is reflected onto one coordinate more,

    H_i = 1 - scale_i v_i v_i',    Q = ... H_2 H_1

so that coordinates Q x are those in which the first rows are a lower triangle. Rows
that come later only add reflections: what is left of x for them are its last
coordinates. All of it is kept in place: row i has L before its diagonal and v_i from
there on, and `diagonal` has that of L.

Golub, Van Loan, "Matrix Computations", 2013, chapter 5.
"""

import numpy as np

from backbeat.models.compiled import compiled


@compiled
def _reflect(B, scale, i, x):
    """x = x - scale_i v (v'x) with v row i of B, from entry i on."""
    s = 0.0
    for k in range(i, x.shape[0]):
        s += B[i, k] * x[k]
    s *= scale[i]
    for k in range(i, x.shape[0]):
        x[k] -= s * B[i, k]


@compiled
def rotate(B, scale, count, x):
    """x = Q x for the first `count` reflections."""
    for i in range(count):
        _reflect(B, scale, i, x)


@compiled
def rotate_columns(B, scale, count, X):
    """X = Q X (n, k) for the first `count` reflections, all columns at once."""
    n, columns = X.shape
    s = np.empty(columns)
    for i in range(count):
        s[:] = 0.0
        for k in range(i, n):
            v = B[i, k]
            for j in range(columns):
                s[j] += v * X[k, j]
        for k in range(i, n):
            v = scale[i] * B[i, k]
            for j in range(columns):
                X[k, j] -= v * s[j]


@compiled
def rotate_back(B, scale, count, x):
    """x = Q' x for the first `count` reflections."""
    for i in range(count - 1, -1, -1):
        _reflect(B, scale, i, x)


@compiled
def reflect_rows(B, diagonal, scale, first, end):
    """Brings rows first to end of B to the triangle, the rows before being there.

    They are in coordinates of those before already; a row that follows from others
    gets a diagonal of zero, and no reflection.
    """
    n = B.shape[1]
    for i in range(first, end):
        size = 0.0
        for k in range(i, n):
            size += B[i, k] * B[i, k]
        size = np.sqrt(size)
        head = B[i, i]
        diagonal[i] = -size if head > 0.0 else size
        B[i, i] = head - diagonal[i]
        # v'v is twice this, and never a difference of equals.
        half = size * (size + abs(head))
        scale[i] = 1.0 / half if half > 0.0 else 0.0
        for row in range(i + 1, end):
            _reflect(B, scale, i, B[row])


@compiled
def solve_lower(B, diagonal, count, x):
    """x = L^-1 x in the first `count` coordinates."""
    for i in range(count):
        s = x[i]
        for k in range(i):
            s -= B[i, k] * x[k]
        x[i] = s / diagonal[i]


@compiled
def solve_upper(B, diagonal, count, x):
    """x = L^-T x in the first `count` coordinates."""
    for i in range(count - 1, -1, -1):
        y = x[i] / diagonal[i]
        x[i] = y
        for k in range(i):
            x[k] -= y * B[i, k]
