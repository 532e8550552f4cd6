"""Margins: the largest value of a field at which enough runs succeed."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from backbeat.models.common.errors import BackbeatError, unknown_name

METHODS = ("bisection", "ladder")
MAX_LEVELS = 10_000


@dataclass
class MarginSearch:
    """What to search for, and among which values."""

    # Field of the scenario, e.g. push.impulse.
    field: str = "push.impulse"
    # Values: from `low` to `high` by `step`.
    low: float = 10.0
    high: float = 200.0
    step: float = 10.0
    # Share of the seeds that has to succeed.
    success: float = 0.9
    # "bisection" takes for granted that more is never easier; "ladder" climbs from
    # the lowest value to the first that fails.
    method: str = "bisection"

    def check(self) -> "MarginSearch":
        """Returns the search when its values make sense.

        Raises:
            BackbeatError: they do not.
        """
        if self.method not in METHODS:
            raise unknown_name("method of search", self.method, METHODS)
        if not (np.isfinite([self.low, self.high]).all() and self.low <= self.high):
            raise BackbeatError("search: low and high are numbers, low <= high")
        if not 0 < self.step < np.inf:
            raise BackbeatError(f"search: step is {self.step}; it must be > 0")
        if not 0 < self.success <= 1:
            raise BackbeatError("search: success is a share, 0 < success <= 1")
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
