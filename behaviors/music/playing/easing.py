"""Easing: hits moved by some milliseconds where a hand has little time to travel.

In a take that was played, strokes are early and late by some milliseconds: one has far
less time than the next, and hands that were meant to strike together do not quite. That
is little to hear, and much time to an arm.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from backbeat.behaviors.music.notation.score import MOVED, Hit, Remark, Score, counted

# Most that a hit is moved [s].
MOST = 0.008
# Hits of several hands within this time of each other are meant to be together [s].
SIMULTANEOUS = 0.015
# A travel costs its least time over its time to this power, so that only those with
# little time matter; a hit that is moved as far as it may costs this much.
STEEPNESS, FARTHEST = 8.0, 0.05
# Moves below this are none [s].
LEAST = 1e-4


class _Moment(NamedTuple):
    """Hits that are together.

    Attributes:
        time: in their middle [s].
        hits: their numbers.
        low, high: how far it may be moved [s].
    """

    time: float
    hits: tuple[int, ...]
    low: float
    high: float


def is_uneven(score: Score) -> bool:
    """Whether hits of a score are nearly together and not quite, as in a take."""
    times = [score.tempo.time(h.beat) for h in score.hits if not h.is_grace]
    return any(LEAST < b - a < SIMULTANEOUS for a, b in pairwise(times))


def eased(
    score: Score, beats: Collection[float], travel: Callable[[str, str], float]
) -> Score:
    """The score with hits moved within `MOST`, so that travels have time.

    Args:
        score: with hands for all hits.
        beats: of the hits that may be moved, and of those that are together with them.
        travel: least time between strokes on two members [s].
    """
    if not beats:
        return score
    moments = _moments(score, beats)
    moved = _moved(score.hits, moments, travel)
    hits, most, count = list(score.hits), 0.0, 0
    for moment, shift in zip(moments, moved, strict=True):
        time = moment.time + shift
        offs = [abs(time - score.tempo.time(hits[i].beat)) for i in moment.hits]
        if max(offs) < LEAST:
            continue
        beat = score.tempo.beat(time)
        for i in moment.hits:
            hits[i] = replace(hits[i], beat=beat)
        most, count = max(most, *offs), count + len(offs)
    if not count:
        return score
    said = (
        f"{counted(count)} moved by up to {1e3 * most:.0f} ms, for which hands have "
        "more time"
    )
    return replace(
        score,
        hits=tuple(sorted(hits, key=lambda h: h.beat)),
        remarks=(*score.remarks, Remark(said, MOVED, round(1e3 * most))),
    )


def _moments(score: Score, beats: Collection[float]) -> list[_Moment]:
    """Hits by moments, ornaments each by itself, in order of time."""
    times = [score.tempo.time(h.beat) for h in score.hits]
    end = score.tempo.time(score.beats)
    groups: list[list[int]] = []
    for i, hit in enumerate(score.hits):
        last = groups[-1] if groups else []
        is_one = bool(last) and times[i] - times[last[0]] < SIMULTANEOUS
        hands = [score.hits[k].hand for k in last]
        plain = not any(score.hits[k].ornament for k in (*last, i))
        if is_one and hit.hand not in hands and plain:
            last.append(i)
        else:
            groups.append([i])
    found = []
    for group in groups:
        own = [times[i] for i in group]
        time = (own[0] + own[-1]) / 2
        may = any(score.hits[i].beat in beats for i in group)
        if may and not score.hits[group[0]].ornament:
            low = max(own[-1] - MOST, 0.0) - time
            high = min(own[0] + MOST, end) - time
            found.append(_Moment(time, tuple(group), low, high))
        else:
            found += [_Moment(times[i], (i,), 0.0, 0.0) for i in group]
    return found


def _moved(
    hits: Sequence[Hit],
    moments: Sequence[_Moment],
    travel: Callable[[str, str], float],
) -> np.ndarray:
    """(n,) how far each moment is moved [s]."""
    last: dict[str, tuple[int, str]] = {}
    travels: list[tuple[int, int, float]] = []
    for k, moment in enumerate(moments):
        for hit in (hits[i] for i in moment.hits):
            if hit.hand in last:
                before, member = last[hit.hand]
                travels.append((before, k, travel(member, hit.member)))
            last[hit.hand] = (k, hit.member)
    if not travels:
        return np.zeros(len(moments))
    first, second, least = map(np.array, zip(*travels, strict=True))
    times = np.array([m.time for m in moments])

    def cost(x: np.ndarray) -> tuple[float, np.ndarray]:
        """The cost, and its slope, of moves in shares of the most."""
        at = times + MOST * x
        gap = np.maximum(at[second] - at[first], MOST)
        steep = (least / gap) ** STEEPNESS
        slope = 2 * FARTHEST * x
        np.add.at(slope, first, STEEPNESS * MOST * steep / gap)
        np.add.at(slope, second, -STEEPNESS * MOST * steep / gap)
        return float(steep.sum() + FARTHEST * (x**2).sum()), slope

    limits = np.array([[m.low, m.high] for m in moments]) / MOST
    start = np.clip(0.0, limits[:, 0], limits[:, 1])
    found = minimize(cost, start, jac=True, method="L-BFGS-B", bounds=limits)
    return np.round(MOST * found.x, 5)
