"""Small dense Cholesky factors, compiled: U'U with the diagonal of U inverted.

Only upper triangles are read and written.
"""

import numpy as np

from backbeat.models.compiled import compiled

# Which share of its square a row has to have left when those before it are taken out,
# or it follows from them.
INDEPENDENT = 1e-10


@compiled
def factor(U):
    """Cholesky factor U'U in place, diagonal inverted; False if there is none."""
    n = U.shape[0]
    for k in range(n):
        pivot = U[k, k]
        if not pivot > 0.0:
            return False
        inverse = 1.0 / np.sqrt(pivot)
        U[k, k] = inverse
        for j in range(k + 1, n):
            U[k, j] *= inverse
        for i in range(k + 1, n):
            x = U[k, i]
            for j in range(i, n):
                U[i, j] -= x * U[k, j]
    return True


@compiled
def solve_forward(U, x):
    """x = U'^-1 x for a factor of `factor`."""
    n = U.shape[0]
    for k in range(n):
        x[k] *= U[k, k]
        y = x[k]
        if y != 0.0:
            for j in range(k + 1, n):
                x[j] -= y * U[k, j]


@compiled
def solve_backward(U, x):
    """x = U^-1 x for a factor of `factor`."""
    n = U.shape[0]
    for k in range(n - 1, -1, -1):
        s = x[k]
        for j in range(k + 1, n):
            s -= U[k, j] * x[j]
        x[k] = s * U[k, k]


@compiled
def solve_rows(V, count, y):
    """Solves V V' y = y in place; a row that follows from others before it gets none.

    Args:
        V: (k, n) rows, of which the first `count` matter.
        count: how many rows.
        y: (count,) how far each is beyond its bound, then its multiplier.
    """
    n = V.shape[1]
    S = np.empty((count, count))
    for i in range(count):
        for j in range(i, count):
            s = 0.0
            for m in range(n):
                s += V[i, m] * V[j, m]
            S[i, j] = s
    for k in range(count):
        size = 0.0
        for m in range(n):
            size += V[k, m] * V[k, m]
        if not S[k, k] > INDEPENDENT * size:
            y[k] = 0.0
            for j in range(k, count):
                S[k, j] = 0.0
            continue
        inverse = 1.0 / np.sqrt(S[k, k])
        S[k, k] = inverse
        y[k] *= inverse
        for j in range(k + 1, count):
            S[k, j] *= inverse
        for i in range(k + 1, count):
            x = S[k, i]
            y[i] -= x * y[k]
            for j in range(i, count):
                S[i, j] -= x * S[k, j]
    for k in range(count - 1, -1, -1):
        s = y[k]
        for j in range(k + 1, count):
            s -= S[k, j] * y[j]
        y[k] = s * S[k, k]
