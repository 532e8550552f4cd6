"""Joints that a run strains: no success, even where the robot stands to the end.

saturated   the effort is at its limit (99.9 % of it or more) in more than half of the
            samples of some two seconds, or of the whole run if that is shorter
too fast    the speed is above 1.1 times its limit in more than half of the samples of
            some fifth of a second

One stroke or push takes a joint to its limit for some hundredths of a second, and
bounces of sticks a few percent beyond its speed for some milliseconds: neither counts.
A servo that shakes between both limits does.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

# Share of the limit of effort that is all of it, and of that of speed that is too fast.
FULL, TOO_FAST = 0.999, 1.1
# Lengths of the windows [s], and the share of their samples that is most of the time.
SATURATED_WHILE, FAST_WHILE, MOST = 2.0, 0.2, 0.5


def strained_joints(
    t: np.ndarray,
    effort: np.ndarray,
    speed: np.ndarray,
    effort_limits: np.ndarray,
    speed_limits: np.ndarray,
    names: Sequence[str],
) -> list[dict[str, Any]]:
    """Joints that were saturated or too fast, see the head of this module.

    Args:
        t: (M,) times, equally far apart [s].
        effort, speed: (M, nj) of the joints [N m, rad/s].
        effort_limits, speed_limits: (nj,) of the joints [N m, rad/s].
        names: (nj,) names of the joints.

    Returns:
        By joint: `joint`, `why` ("saturated" or "too fast"), `share` of the samples of
        the worst window, `from_s` when it begins [s], `peak` [N m or rad/s] in all of
        the run, and `limit`.
    """
    found: list[dict[str, Any]] = []
    for why, values, limits, least, length in (
        ("saturated", effort, effort_limits, FULL, SATURATED_WHILE),
        ("too fast", speed, speed_limits, TOO_FAST, FAST_WHILE),
    ):
        is_over = np.abs(values) >= least * limits
        share, start = _worst_window(t, is_over, length)
        for j in np.flatnonzero(share > MOST).tolist():
            found.append(
                {
                    "joint": names[j],
                    "why": why,
                    "share": float(share[j]),
                    "from_s": float(t[start[j]]),
                    "peak": float(np.abs(values[:, j]).max()),
                    "limit": float(limits[j]),
                }
            )
    return found


def _worst_window(
    t: np.ndarray, is_over: np.ndarray, length: float
) -> tuple[np.ndarray, np.ndarray]:
    """(nj,) largest share of a window's samples, and where that window begins."""
    M, nj = is_over.shape
    if M < 2:
        return np.zeros(nj), np.zeros(nj, int)
    step = (t[-1] - t[0]) / (M - 1)
    n = int(min(M, max(1, round(length / step))))
    count = np.vstack([np.zeros((1, nj), int), np.cumsum(is_over, axis=0)])
    share = (count[n:] - count[:-n]) / n
    start = share.argmax(axis=0)
    return share[start, np.arange(nj)], start


def in_words(strained: Mapping[str, Any]) -> str:
    """What a strained joint did and why, as a sentence without its full stop."""
    share, limit = 100 * strained["share"], strained["limit"]
    where = f"{strained['joint']} was"
    if strained["why"] == "saturated":
        return (
            f"{where} at its limit of {limit:g} (N m or N) in {share:.0f} % of the "
            f"{SATURATED_WHILE:g} s from {strained['from_s']:.2f} s: its "
            "command exceeds its limit, or its servo oscillates"
        )
    return (
        f"{where} faster than {TOO_FAST:g} times its limit of {limit:g} (rad/s or m/s) "
        f"in {share:.0f} % of the {FAST_WHILE:g} s from {strained['from_s']:.2f} s, at "
        f"most {strained['peak']:.3g}"
    )
