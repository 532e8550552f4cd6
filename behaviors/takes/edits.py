"""Edits of a take: when two versions of it differ, and what of them stays the same.

What is found in a take, such as places of feet and noise, depends on all of it, if ever
so little on what is far away. An edit of a second so changes everything by next to
nothing. Where that is slight, the earlier values are kept.
"""

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from backbeat.behaviors.takes.take import Take

# Differences that are slight, and what those of several edits may come to [m, rad]; how
# far from an edit they are [s].
SLIGHT, TOGETHER, BESIDE = 1e-3, 2e-3, 0.5


def edited(before: Take, after: Take) -> tuple[float, float]:
    """From when to when a version of a take differs from an earlier one [s].

    Args:
        before: the earlier version.
        after: the later one, in whose time the result is.
    """
    whole = float(after.t[0]), float(after.t[-1])
    if before.joints != after.joints or (before.base is None) != (after.base is None):
        return whole
    rows = [_rows(take) for take in (before, after)]
    n = min(map(len, rows))
    same = (rows[0][:n] == rows[1][:n]).all(axis=1)
    first = n if same.all() else int(same.argmin())
    if first == len(rows[1]) == len(rows[0]):
        return whole[0], whole[0]
    back = (rows[0][len(rows[0]) - n :] == rows[1][len(rows[1]) - n :]).all(axis=1)
    behind = n if back.all() else int(back[::-1].argmin())
    last = max(len(after.t) - behind, first)
    t = after.t
    return float(t[max(first - 1, 0)]), float(t[min(last, len(t) - 1)])


def _rows(take: Take) -> np.ndarray:
    """(n, ...) everything that a take has of each sample."""
    base = np.zeros((len(take.t), 0)) if take.base is None else take.base
    return np.hstack([take.t[:, None], take.q, base])


def kept(
    before: np.ndarray, after: np.ndarray, far: np.ndarray, found: np.ndarray
) -> np.ndarray:
    """Samples of a later version, those of the earlier one where that is slight.

    Args:
        before, after: (n,) samples of both.
        far: (n,) whether a sample is far from what was edited.
        found: (n,) samples of the earlier version before it kept any itself.
    """
    slight = np.abs(after - found) < SLIGHT
    slight &= np.abs(after - before) < TOGETHER
    return np.where(far & slight, before, after)


def alike(before: Any, after: Any, most: float = SLIGHT) -> bool:
    """Whether numbers, words, arrays, tuples and dataclasses of them differ slightly.

    Args:
        before, after: what is compared.
        most: largest difference of numbers that is slight.
    """
    if is_dataclass(before) and type(before) is type(after):
        names = [f.name for f in fields(before)]
        return all(alike(getattr(before, n), getattr(after, n), most) for n in names)
    if isinstance(before, tuple | list):
        if not isinstance(after, tuple | list) or len(before) != len(after):
            return False
        return all(alike(a, b, most) for a, b in zip(before, after, strict=True))
    if isinstance(before, float | int | np.ndarray):
        x, y = np.asarray(before, float), np.asarray(after, float)
        return x.shape == y.shape and bool((np.abs(x - y) < most).all())
    return bool(before == after)
