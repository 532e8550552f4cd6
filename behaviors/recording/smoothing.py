"""Smoothing: what of a recording is noise, and the motion below it.

A motion has little above some frequency, and noise has as much at all of them. The
lowest frequency is taken up to which no more is left out than the noise that was
measured (Morozov, "Methods for Solving Incorrectly Posed Problems", 1984: the principle
of discrepancy), by the smoother of Whittaker ("On a New Method of Graduation", 1923).
"""

import numpy as np
import scipy

# Frequencies up to which a motion may go, the highest for those without noise [Hz].
CUTOFFS = (16.0, 13.0, 10.0, 8.0, 6.5, 5.0, 4.0)
# Order of the differences that are small in a smooth motion.
ORDER = 3


def without_noise(values: np.ndarray, dt: float, shakes: np.ndarray) -> np.ndarray:
    """Samples without what is noise.

    Args:
        values: (n, m) samples.
        dt: time between them [s].
        shakes: (m,) standard deviations of their noise.
    """
    out = values.copy()
    left = np.arange(values.shape[1])
    for cutoff in CUTOFFS:
        if cutoff * dt >= 0.5 or len(values) <= ORDER:
            continue
        A = scipy.sparse.identity(len(values)) + roughness(
            len(values), dt, cutoff, ORDER
        )
        smooth = scipy.linalg.solveh_banded(
            _bands(A), values[:, left], check_finite=False
        )
        missing = np.sqrt(np.mean((values[:, left] - smooth) ** 2, axis=0))
        good = missing <= shakes[left]
        out[:, left[good]] = smooth[:, good]
        left = left[good]
        if not len(left):
            break
    return out


def roughness(
    n: int, dt: float, cutoff: float, order: int = 2
) -> "scipy.sparse.spmatrix":
    """(n, n) squares of differences, with which a smoother halves a frequency [Hz].

    Args:
        n: samples.
        dt: time between them [s].
        cutoff: the frequency [Hz].
        order: of the differences.
    """
    D = scipy.sparse.identity(n, format="csc")
    for k in range(order):
        D = scipy.sparse.diags([-1.0, 1.0], [0, 1], shape=(n - k - 1, n - k)) @ D
    return D.T @ D / (2 * np.sin(np.pi * min(cutoff * dt, 0.5))) ** (2 * order)


def _bands(A: "scipy.sparse.spmatrix") -> np.ndarray:
    """(ORDER + 1, n) upper bands of a symmetric matrix, as LAPACK has them."""
    n = A.shape[0]
    rows = [np.pad(A.diagonal(k), (k, 0)) for k in range(ORDER, -1, -1)]
    return np.stack(rows).reshape(ORDER + 1, n)
