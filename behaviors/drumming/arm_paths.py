"""Arm paths: collision-free paths of an arm from one drum to the next.

Up, across and down again is the usual path. Where it meets something, a cymbal over a
tom or the other side of a rim, postures to pass through are drawn about its middle,
and the shortest of the paths without collision is taken: a random search for a few
via points, as sampling planners do (LaValle, "Planning Algorithms", 2006, chapter 5).
The seed is fixed, so that the same path is found every time.
"""

from collections.abc import Callable, Sequence

import numpy as np

# Steps in which a straight line between two postures is checked [rad].
STEP = 0.04
# Via postures drawn for each pair of postures over the drums, and their spread [rad].
DRAWS, SPREADS = 150, (0.15, 0.3, 0.5)
# Times of the postures over the first drum, between, and over the second, as shares
# of the path.
SHARES = (0.22, 0.5, 0.78)
PLAIN_SHARES = (1 / 3, 2 / 3)

# Least clearance of an arm posture beyond the margin [m]: with the tip, and without.
Clearance = Callable[[np.ndarray, bool], float]
# Arm postures of a path with their times as shares of it.
ArmPath = list[tuple[float, np.ndarray]]


class ArmPathSearch:
    """Searches paths of one arm."""

    def __init__(
        self,
        clearance: Clearance,
        slack: float,
        is_up: Callable[[np.ndarray], bool] | None = None,
    ) -> None:
        """Prepares the search.

        Args:
            clearance: clearance of a posture.
            slack: how much of the margin may be missing [m].
            is_up: whether a posture half way has its tip as high as it shall be; None
                where an optimizer finds that by itself.
        """
        self._clearance, self._slack = clearance, slack
        self._is_up = is_up or (lambda posture: True)

    def find(
        self,
        start: np.ndarray,
        end: np.ndarray,
        lifts: Sequence[tuple[np.ndarray, np.ndarray]],
    ) -> ArmPath:
        """The postures between two postures at heads; the usual ones if none is clear.

        Args:
            start, end: (n,) arm joints at the heads.
            lifts: pairs of postures over the two drums; the first is the usual path.
        """
        plain = list(zip(PLAIN_SHARES, lifts[0], strict=True))
        if self._is_clear(start, lifts[0], end):
            return plain
        rng = np.random.default_rng(0)
        best: tuple[float, ArmPath] = (np.inf, plain)
        for over, under in lifts:
            ends_clear = self._clear(start, over, False) and self._clear(
                under, end, False
            )
            if not ends_clear:
                continue
            direct = _length(over, under)
            if direct < best[0] and self._clear(over, under, True):
                best = direct, list(zip(PLAIN_SHARES, (over, under), strict=True))
            for spread in SPREADS:
                for _ in range(DRAWS // len(SPREADS)):
                    via = 0.5 * (over + under) + spread * rng.normal(size=len(over))
                    length = _length(over, via) + _length(via, under)
                    if length >= best[0] or not self._is_up(via):
                        continue
                    if self._clear(over, via, True) and self._clear(via, under, True):
                        best = (
                            length,
                            list(zip(SHARES, (over, via, under), strict=True)),
                        )
        return best[1]

    def _is_clear(
        self, start: np.ndarray, lift: tuple[np.ndarray, np.ndarray], end: np.ndarray
    ) -> bool:
        over, under = lift
        return (
            self._clear(start, over, False)
            and self._clear(over, under, True)
            and self._clear(under, end, False)
        )

    def _clear(self, a: np.ndarray, b: np.ndarray, with_tip: bool) -> bool:
        """Whether a straight line between two postures is clear."""
        count = max(2, int(np.ceil(np.abs(b - a).max() / STEP)))
        # From the middle outwards: that is where a path meets something.
        shares = sorted(np.linspace(0, 1, count + 1), key=lambda s: abs(s - 0.5))
        return all(
            self._clearance(a + s * (b - a), with_tip) > -self._slack for s in shares
        )


def _length(a: np.ndarray, b: np.ndarray) -> float:
    """Length of a straight line between two postures [rad]."""
    return float(np.linalg.norm(b - a))
