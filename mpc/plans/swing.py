"""Swing: a foot in the air, and its offset from its path in the behavior."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Matrix, Vector

# How fast a foot that missed the ground goes on looking for it [m/s].
SINKING = 0.4


@dataclass(frozen=True)
class Swing:
    """A foot in the air, or about to be: offset from the behavior as it goes on.

    Attributes:
        contact: index of the patch.
        start, end: phases of lift-off and touchdown [s].
        since: phase from which the offset counts [s].
        shift, rate: (2,) offset [m] and its change per phase [m/s] at `since`.
        landing: (2,) offset at touchdown [m].
        height, depth: how high the offset goes and how low it ends [m].
        until: phase up to which the foot goes on downwards, when it missed the
            ground [s].
        rise: offset of the height that the foot starts from [m]. One that starts too
            low is up when half of the swing is over; one that starts too high comes
            down in the other half: it clears the ground that it stood on.
    """

    contact: int
    start: float
    end: float
    since: float
    shift: np.ndarray
    rate: np.ndarray
    landing: np.ndarray
    height: float = 0.0
    depth: float = 0.0
    until: float = -np.inf
    rise: float = 0.0

    def is_under_way(self, s: float) -> bool:
        """Whether the foot is in the air at phase s."""
        return self.start < s < max(self.end, self.until)

    def offset(self, s: float) -> np.ndarray:
        """(3, 3) offset at phase s, with its first and second rate per phase."""
        out = np.zeros((3, 3))
        shape = SwingShape(
            self.start,
            self.end,
            self.since,
            self.until,
            self.shift,
            self.rate,
            self.landing,
            self.height,
            self.depth,
            self.rise,
        )
        find_offset(s, shape, out)
        return out


class SwingShape(NamedTuple):
    """A swing as compiled functions read it; see `Swing`."""

    start: float
    end: float
    since: float
    until: float
    shift: Vector
    rate: Vector
    landing: Vector
    height: float
    depth: float
    rise: float


@compiled
def _share(s, start, T):
    return min(max((s - start) / T, 0.0), 1.0)


@compiled
def _cross_over(s, of, out):
    """Writes the cubic from (shift, rate) at `since` to (landing, 0) at the end."""
    T = max(of.end - of.since, 1e-3)
    u = _share(s, of.since, T)
    for k in range(2):
        a, b, d = of.shift[k], of.landing[k], T * of.rate[k]
        square, cube = 3 * (b - a) - 2 * d, d - 2 * (b - a)
        out[0, k] = a + d * u + square * u**2 + cube * u**3
        if u < 1:
            out[1, k] = (d + 2 * square * u + 3 * cube * u**2) / T
            out[2, k] = (2 * square + 6 * cube * u) / T**2


@compiled
def _go_up_and_down(s, start, end, height, depth, out):
    """Writes a swing that goes up to a height and ends at a depth."""
    T = end - start
    u = _share(s, start, T)
    H, D = 16 * height, depth
    out[0, 2] = H * u**2 * (1 - u) ** 2 - D * u**3 * (10 - 15 * u + 6 * u**2)
    slope = H * 2 * u * (1 - u) * (1 - 2 * u) - D * 30 * u**2 * (1 - u) ** 2
    bend = H * (2 - 12 * u + 12 * u**2) - D * 60 * u * (1 - u) * (1 - 2 * u)
    out[1, 2], out[2, 2] = slope / T, bend / T**2


@compiled
def _leave_start_height(s, start, end, rise, out):
    """Adds what is left at phase s of the height that the foot starts from."""
    T = 0.5 * (end - start)
    u = (s - start) / T - (1.0 if rise > 0 else 0.0)
    if u <= 0:
        out[0, 2] += rise
    elif u < 1:
        out[0, 2] += rise * (1 - u**3 * (10 - 15 * u + 6 * u**2))
        out[1, 2] -= rise * 30 * u**2 * (1 - u) ** 2 / T
        out[2, 2] -= rise * 60 * u * (1 - u) * (1 - 2 * u) / T**2


@compiled
def find_offset(s: float, of: SwingShape, out: Matrix) -> None:
    """Writes the offset of a swing at a phase.

    Args:
        s: the phase [s].
        of: the swing.
        out: (3, 3) written: offset [m], its first and second rate per phase; zeros
            before.
    """
    # Nothing here has fast mathematics: `until` may be infinite.
    _cross_over(s, of, out)
    _go_up_and_down(s, of.start, of.end, of.height, of.depth, out)
    _leave_start_height(s, of.start, of.end, of.rise, out)
    if s >= of.end:
        out[1:] = 0.0
        if s < of.until:
            out[0, 2] -= SINKING * (s - of.end)
            out[1, 2] -= SINKING
