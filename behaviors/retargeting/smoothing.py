"""Samples at another rate, and smoother: places and rotations."""

import numpy as np
import scipy

# Time over which a cubic polynomial is fitted about each sample [s]. It keeps motions
# of up to some 5 Hz, and a third of the noise at 120 frames a second.
WINDOW, ORDER = 0.13, 3
# Values that are interpolated at a time, for memory.
COLUMNS = 24


def resampled(values: np.ndarray, dt: float, t: np.ndarray) -> np.ndarray:
    """Samples (n, ...) dt apart, smoothed and at other times.

    A least-squares polynomial about each sample (Savitzky and Golay, "Smoothing and
    Differentiation of Data by Simplified Least Squares Procedures", 1964), then a
    cubic spline.

    Args:
        values: the samples.
        dt: time between them [s].
        t: (m,) times of the result, from the first sample [s].
    """
    flat = values.reshape(len(values), -1)
    width = 2 * round(0.5 * WINDOW / dt) + 1
    out = np.empty((len(t), flat.shape[1]))
    at = dt * np.arange(len(flat))
    for i in range(0, flat.shape[1], COLUMNS):
        part = flat[:, i : i + COLUMNS]
        if ORDER + 2 <= width <= len(flat):
            part = scipy.signal.savgol_filter(part, width, ORDER, axis=0)
        out[:, i : i + COLUMNS] = scipy.interpolate.CubicSpline(at, part)(
            np.minimum(t, at[-1])
        )
    return out.reshape(len(t), *values.shape[1:])


def nearest_rotations(matrices: np.ndarray) -> np.ndarray:
    """(n, 3, 3) rotations nearest to matrices.

    By singular values (Moakher, "Means and Averaging in the Group of Rotations", 2002).
    """
    U, _, Vt = np.linalg.svd(matrices)
    U[:, :, 2] *= np.linalg.det(U @ Vt)[:, None]
    return np.asarray(U @ Vt)


def mean_rotation(matrices: np.ndarray) -> np.ndarray:
    """(3, 3) middle of rotations (n, 3, 3), whatever a few of them are."""
    return np.asarray(nearest_rotations(np.median(matrices, axis=0)[None])[0])


def unit(vectors: np.ndarray) -> np.ndarray:
    """(n, 3) directions; of what has no length, zero."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(length, 1e-9))


def upright(left: np.ndarray) -> np.ndarray:
    """(n, 3, 3) axes x ahead, y left and z up, of directions to the left (n, 3)."""
    y = left.copy()
    y[:, 2] = 0.0
    y = unit(y)
    z = np.broadcast_to([0.0, 0.0, 1.0], y.shape)
    return np.stack([np.cross(y, z), y, z], axis=2)


def yaw(R: np.ndarray) -> np.ndarray:
    """(n,) headings of rotations with z about up [rad]."""
    return np.unwrap(np.arctan2(R[:, 1, 0], R[:, 0, 0]))
