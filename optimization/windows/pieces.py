"""Windows: a long trajectory problem as overlapping pieces that join smoothly.

A motion ten seconds ahead has hardly any influence on the present one: the sensitivity
of an optimal trajectory decays exponentially (Na, Anitescu, "Exponential Decay in the
Sensitivity Analysis of Nonlinear Dynamic Programming", 2020). So every other window is
solved with a run-in and a run-out that are discarded, and those between them from the
last two knots of one neighbor to the first two of the next. The dynamics of every knot
then hold in one window with the knots of the joined motion: the split points are as
exact as the rest.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from backbeat.optimization.interior_point.iterate import Guess
from backbeat.optimization.kinematics.inverse_kinematics import (
    IKTarget,
    InverseKinematics,
)
from backbeat.optimization.problem.trajectory_problem import TrajectoryProblem
from backbeat.optimization.windows.split_points import (
    best_split,
    firm_start,
    missing_contacts,
    split_score,
)
from backbeat.optimization.windows.subproblem import subproblem, tasks_from

# Usual length of a window, and of what is solved besides on either side [s].
LENGTH, OVERLAP = 10.0, 2.5
# Time at the start of a run-in without tasks, for a motion that begins anywhere [s].
RUN_IN = 0.35
# Time over which the guess of a window is led over from a neighbor [s]: all of the
# overlap would be led through obstacles that the guess finds its way around.
LED = 1.2
# Knots beside a piece that its curves need to be those of the whole motion.
MARGIN = 16


class Knots(NamedTuple):
    """Knots of a part of a motion.

    Attributes:
        q: (n, nq) configurations.
        w: (n, C, 6) wrenches of the problem's contacts [weights].
    """

    q: np.ndarray
    w: np.ndarray


@dataclass(frozen=True)
class Window:
    """A piece of a long problem.

    Attributes:
        first, last: knots whose dynamics it answers for; the knot after the last
            is given to the next window.
        start, end: first and last knot that are solved with it.
        is_free: whether it has run-in and run-out; else its ends are given.
    """

    first: int
    last: int
    start: int
    end: int
    is_free: bool

    def margins(self, knots: int) -> tuple[int, int]:
        """First and last knot that its curves need, of so many."""
        return max(0, self.first - MARGIN), min(knots - 1, self.last + 1 + MARGIN)


def make_windows(problem: TrajectoryProblem) -> list[Window]:
    """Divides a problem; one that is short is a single window.

    Args:
        problem: the whole problem.
    """
    times, N = problem.times, problem.num_knots
    count = max(1, round(times[-1] / LENGTH))
    score, missing = split_score(problem), missing_contacts(problem)
    splits = []
    for place in LENGTH * np.arange(1, count):
        splits.append(best_split(times, score, place))
    ends = [-1, *sorted(set(splits)), N - 1]
    windows = []
    for i, (left, right) in enumerate(itertools.pairwise(ends)):
        free = i % 2 == 0
        start, end = left, min(right + 1, N - 1)
        if free:
            start = int(np.searchsorted(times, times[max(left, 0)] - OVERLAP))
            start = firm_start(start, missing, score)
            last = times[end] + OVERLAP
            end = int(np.searchsorted(times, last, side="right")) - 1
        windows.append(Window(left + 1, right, max(start, 0), end, free))
    return windows


def window_problem(
    problem: TrajectoryProblem,
    window: Window,
    given: Sequence[np.ndarray] = (),
    rest: bool = True,
) -> TrajectoryProblem:
    """The problem of a window.

    Args:
        problem: the whole problem.
        window: which part of it.
        given: for a window between two others, see `from_neighbors`.
        rest: look for a configuration at rest to start a run-in from.
    """
    part = subproblem(problem, window.start, window.end)
    if not window.is_free:
        before, after = given[0], given[1] if len(given) > 1 else None
        ends: dict[str, Any] = {"knots_start": before[:3], "q_start": before[1]}
        if after is not None:
            ends["knots_end"] = after[-2:]
        return replace(part, guess=_guess_between(part, before[1:], after), **ends)
    if window.start == 0 or not rest:
        return part
    free = int(np.searchsorted(part.times, RUN_IN))
    return replace(
        part,
        q_start=_rest(part),
        tasks=tasks_from(part.tasks, free),
        impacts=[i for i in part.impacts if i.knot >= free],
    )


def _guess_between(
    problem: TrajectoryProblem, before: np.ndarray, after: np.ndarray | None
) -> np.ndarray:
    """(N, nq) the guess of a window, led over from one neighbor and to the other.

    A guess of its own would begin with a jump from what is given.

    Args:
        problem: of the window.
        before: (n, nq) knots of the neighbor before, from the window's start on.
        after: (m, nq) those of the neighbor after, up to its end; None for none.
    """
    N, times = problem.num_knots, problem.times
    guess = problem.guess
    q = np.tile(before[0], (N, 1)) if guess is None else guess.copy()
    floating = problem.robot.floating
    n = min(len(before), int(np.searchsorted(times, LED)))
    q[:n] = _led(before[:n], q[:n], times[:n], floating)
    if after is not None:
        n = min(len(after), N - int(np.searchsorted(times, times[-1] - LED)))
        led = _led(after[-n:][::-1], q[-n:][::-1], -times[-n:][::-1], floating)
        q[-n:] = led[::-1]
    return q


def _led(
    known: np.ndarray, q: np.ndarray, times: np.ndarray, floating: bool
) -> np.ndarray:
    """(n, nq) configurations that lead smoothly from known ones to others."""
    s = (times - times[0]) / (times[-1] - times[0])
    known = known.copy()
    if floating:
        # A quaternion and its opposite are one rotation.
        known[(known[:, :4] * q[:, :4]).sum(1) < 0, :4] *= -1
    led = known + (s**2 * (3 - 2 * s))[:, None] * (q - known)
    if floating:
        led[:, :4] /= np.linalg.norm(led[:, :4], axis=1, keepdims=True)
    return led


def _rest(problem: TrajectoryProblem) -> np.ndarray:
    """(nq,) a configuration at rest on the contacts of the first knot."""
    q = problem.q_start if problem.guess is None else problem.guess[0]
    targets = {
        name: IKTarget(X, problem.robot.contacts[name].held_axes)
        for name, X in problem.schedule.standing(0.0).items()
    }
    return InverseKinematics(problem.robot).solve(q, targets).q


def ordered(
    w: np.ndarray, contacts: Sequence[str], wanted: Sequence[str]
) -> np.ndarray:
    """(N, C, 6) wrenches in the order of other contacts, zero for those that lack."""
    out = np.zeros((len(w), len(wanted), 6))
    for i, name in enumerate(wanted):
        if name in contacts:
            out[:, i] = w[:, list(contacts).index(name)]
    return out


def joined(windows: Sequence[Window], parts: Sequence[Knots]) -> Knots:
    """The knots of the whole motion."""
    N = windows[-1].last + 1
    q = np.zeros((N, parts[0].q.shape[1]))
    w = np.zeros((N, *parts[0].w.shape[1:]))
    for window, part in zip(windows, parts, strict=True):
        own = slice(window.first - window.start, window.last + 1 - window.start)
        q[window.first : window.last + 1] = part.q[own]
        w[window.first : window.last + 1] = part.w[own]
    return Knots(q, w)


def from_neighbors(
    windows: Sequence[Window], parts: Mapping[int, Knots], i: int
) -> list[np.ndarray]:
    """What the neighbors of window i give to it.

    Returns:
        (n, nq) knots of the one before, from the knot before the window on, and (m, nq)
        of the one after, up to the window's end, unless the motion ends with it. The
        three about its start and the last two are its ends; others are where its
        search starts.
    """
    window, before = windows[i], parts[i - 1]
    k = window.start - windows[i - 1].start
    given = [before.q[k - 1 :]]
    if i + 1 < len(windows):
        k = window.end - windows[i + 1].start
        given.append(parts[i + 1].q[: k + 1])
    return given


def piece(
    problem: TrajectoryProblem, window: Window, knots: Knots, contacts: Sequence[str]
) -> tuple[TrajectoryProblem, Guess, tuple[float, float]]:
    """A window with margins as a problem, its knots, and what to cut from its curves.

    Args:
        problem: the whole problem.
        window: which part of it.
        knots: from one before the margin on, or from the start of the motion.
        contacts: contacts of the knots, in order.

    Returns:
        The problem, its knots, and start and end of the window in its time [s].
    """
    a, b = window.margins(problem.num_knots)
    part, skip = subproblem(problem, a, b), min(a, 1)
    q, w = knots.q[skip:], knots.w[skip:]
    if a > 0:
        part = replace(part, knots_start=knots.q[:3], q_start=q[0])
    if b < problem.num_knots - 1:
        part = replace(part, knots_end=q[-2:])
    guess = Guess(q, ordered(w, contacts, part.contact_names))
    last = min(window.last + 1, problem.num_knots - 1)
    start = problem.times[window.first] if window.first > 0 else 0.0
    times = (start - problem.times[a], problem.times[last] - problem.times[a])
    return part, guess, times
