"""Fades: corrections of a motion at an instant that vanish smoothly over a time."""

from dataclasses import dataclass

import numpy as np
import scipy


@dataclass(frozen=True)
class Fade:
    """A correction of some coordinates that vanishes smoothly within a while.

    Attributes:
        columns: coordinates.
        first, last: when it lasts [s].
        at: (u, n) to the n-th derivatives of the correction.
        knot: before this one nothing is corrected: the start has a left limit without.
    """

    columns: np.ndarray
    first: float
    last: float
    at: "scipy.interpolate.BPoly | scipy.interpolate.BSpline"
    knot: int = 0

    def covers(self, u: np.ndarray, k: int | np.ndarray) -> np.ndarray:
        """Which of the times are inside, each in the interval after its knot k."""
        inside = (u > self.first - 1e-9) & (u < self.last + 1e-9)
        return np.asarray(inside & (np.asarray(k) >= self.knot))


def fade(columns: np.ndarray, t: float, length: float, change: np.ndarray) -> Fade:
    """The fade of a correction.

    Args:
        columns: coordinates.
        t: time of the full correction [s].
        length: how long it lasts, negative for the time before t [s].
        change: (3, n) correction with its first two derivatives.
    """
    first, last = sorted((t, t + length))
    ends = [change, np.zeros_like(change)]
    at = scipy.interpolate.BPoly.from_derivatives(
        [first, last], ends if length > 0 else ends[::-1]
    )
    return Fade(columns, first, last, at)
