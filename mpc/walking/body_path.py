"""Paths of the body over given footholds: linear equations between two ends.

    x'' = a (x - z)

For the center of mass a = f / (m h) is that of its pendulum and z the center of
pressure, moved by what the angular momentum adds; for the heading a = 1 / T^2 smooths
what z asks for. The solution that stays bounded is the one between fixed ends that are
far enough. Source
    Englsberger, Ott, Albu-Schaeffer, "Three-Dimensional Bipedal Walking Control
    Based on Divergent Component of Motion", 2015.
"""

import numpy as np
from scipy.linalg import solve_banded


def bounded_path(
    t: np.ndarray, a: np.ndarray, z: np.ndarray, ends: np.ndarray
) -> np.ndarray:
    """Solves the equation between two ends, by finite volumes.

    Args:
        t: (M,) times [s], ascending; one that is there twice has what holds before it,
            and what holds after it.
        a: (M,) factors [1/s^2].
        z: (M, k) what the path is pushed away from.
        ends: (2, k) its first and last place.

    Returns:
        (3, M, k) path, first and second derivative.
    """
    same = np.diff(t) <= 0
    node = np.r_[0, np.cumsum(~same)]
    h = np.diff(t[np.r_[True, ~same]])
    share = 0.5 * (np.r_[0.0, np.diff(t)] + np.r_[np.diff(t), 0.0])
    N = node[-1] + 1
    W = np.bincount(node, share * a, N)
    B = np.stack([np.bincount(node, share * a * x, N) for x in z.T], 1)
    bands = np.zeros((3, N))
    bands[0, 2:], bands[2, :-2] = 1 / h[1:], 1 / h[:-1]
    bands[1, 1:-1] = -1 / h[1:] - 1 / h[:-1] - W[1:-1]
    bands[1, [0, -1]] = 1.0
    right = -B
    right[[0, -1]] = ends
    x = solve_banded((1, 1), bands, right)[node]
    acceleration = a[:, None] * (x - z)
    return np.stack([x, _slopes(t, x, acceleration), acceleration])


def _slopes(t: np.ndarray, x: np.ndarray, bend: np.ndarray) -> np.ndarray:
    """(M, k) first derivative of a path from its places and second derivative."""
    h = np.diff(t)[:, None]
    free = h[:, 0] > 0
    mean = np.diff(x, axis=0)[free] / h[free]
    before = mean - h[free] * (2 * bend[:-1][free] + bend[1:][free]) / 6
    after = mean + h[free] * (bend[:-1][free] + 2 * bend[1:][free]) / 6
    out, count = np.zeros_like(x), np.zeros((len(x), 1))
    left, right = np.flatnonzero(free), np.flatnonzero(free) + 1
    out[left] += before
    out[right] += after
    count[left] += 1
    count[right] += 1
    return out / np.maximum(count, 1)
