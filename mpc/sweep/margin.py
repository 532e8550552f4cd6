"""Margins: the largest value of a field at which enough runs succeed."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.schema import check_values, key

METHODS = ("bisection", "ladder")
MAX_LEVELS = 10_000


@dataclass
class MarginSearch:
    """What to search for, and among which values."""

    field: str = key("push.impulse")
    """Key that is searched."""
    low: float = key(10.0)
    """Lowest value."""
    high: float = key(200.0)
    """Highest value."""
    step: float = key(10.0, gt=0)
    """Step between values."""
    success: float = key(0.9, gt=0, le=1)
    """Share of the seeds that has to survive."""
    method: str = key("bisection", choices=METHODS)
    """`bisection` assumes that a larger value is never easier; `ladder` increases the
    value until the first failure."""

    def check(self) -> "MarginSearch":
        """Returns the search when its values make sense.

        Raises:
            BackbeatError: they do not.
        """
        check_values(self, "search")
        if self.low > self.high:
            raise BackbeatError("search: low and high are numbers, low <= high")
        if (self.high - self.low) / self.step > MAX_LEVELS:
            raise BackbeatError(f"search: more than {MAX_LEVELS} values")
        return self

    def levels(self) -> list[float]:
        """The values, ascending."""
        count = int(np.floor((self.high - self.low) / self.step + 1e-9)) + 1
        return [float(round(self.low + i * self.step, 9)) for i in range(count)]

    def next_level(self, passed: Mapping[float, bool]) -> float | None:
        """The value to try next; None when the margin is known.

        Args:
            passed: whether values that were tried passed.
        """
        levels = self.levels()
        below, above = bracket(levels, passed)
        if above - below <= 1:
            return None
        k = below + 1 if self.method == "ladder" else (below + above) // 2
        return levels[k]


def bracket(levels: list[float], passed: Mapping[float, bool]) -> tuple[int, int]:
    """Index of the value below which all is known to pass, and of the next to fail.

    -1 when none passed, and the number of values when none failed. A value that
    passed above one that failed does not count.
    """
    failed = [k for k, level in enumerate(levels) if passed.get(level) is False]
    above = min(failed, default=len(levels))
    good = [k for k, level in enumerate(levels[:above]) if passed.get(level)]
    return max(good, default=-1), above
