"""Runs: consecutive samples with one property, such as a foot on the ground."""

from collections.abc import Callable

import numpy as np


def runs(flags: np.ndarray) -> list[tuple[int, int]]:
    """First and past the last place of each row of flags (n,) that are set."""
    edges = np.flatnonzero(np.diff(np.r_[False, flags, False].astype(int)))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def without_short(
    flags: np.ndarray, value: bool, is_short: Callable[[int, int], bool]
) -> np.ndarray:
    """(n,) flags without short runs of a value; those at either end stay.

    Args:
        flags: (n,) what to clean.
        value: of the runs that are too short.
        is_short: whether a run is, by its first place and the one past its last.
    """
    out = flags.copy()
    for a, b in runs(flags == value):
        if a > 0 and b < len(flags) and is_short(a, b):
            out[a:b] = not value
    return out
