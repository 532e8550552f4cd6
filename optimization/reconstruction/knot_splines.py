"""Knot splines: cubic splines whose breakpoints are the times of knots.

Source: de Boor, "A Practical Guide to Splines", 1978.
"""

import numpy as np
import scipy


def greville_times(times: np.ndarray, exact: list[int]) -> np.ndarray:
    """(N,) where on the curve each control point counts, its Greville abscissa [s].

    The transcription's mean velocities are differences of knots over these; where the
    time between knots changes, knots put at their own times would ring.

    Args:
        times: (N,) of the knots [s].
        exact: knots that count at their own time, as a stick's at a hit.
    """
    centers = times.copy()
    centers[1:-1] = (times[:-2] + times[1:-1] + times[2:]) / 3
    centers[exact] = times[exact]
    return centers


def knot_spline(
    sites: np.ndarray,
    values: np.ndarray,
    breaks: np.ndarray,
    ends: tuple[np.ndarray | None, np.ndarray | None],
) -> "scipy.interpolate.BSpline":
    """The cubic spline with given breakpoints through values at sites near them.

    Args:
        sites: (n,) times of the values; the first and last are breakpoints [s].
        values: (n, m) values.
        breaks: (n,) breakpoints [s].
        ends: (m,) velocities at either end; without one, the two intervals beside it
            are one.
    """
    start, end = (None if rate is None else [(1, rate)] for rate in ends)
    first, last = (1 if start else 2), len(breaks) - (1 if end else 2)
    # So few values in a row are met by a lower degree.
    degree = min(3, 3 + last - first)
    many = degree + 1
    at = np.r_[[breaks[0]] * many, breaks[first:last], [breaks[-1]] * many]
    return scipy.interpolate.make_interp_spline(sites, values, degree, at, (start, end))


def control_point_breaks(times: np.ndarray) -> np.ndarray:
    """Breakpoints of the cubic B-spline with a control point at every time.

    One more control point at either end makes the curve start and end there.
    """
    before, after = times[1] - times[0], times[-1] - times[-2]
    steps = np.arange(1, 4)
    return np.r_[times[0] - before * steps[::-1], times, times[-1] + after * steps]
