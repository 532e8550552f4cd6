"""Windows: a long trajectory problem as overlapping pieces that join smoothly.

What a motion does in ten seconds has hardly an influence on what it should do now:
the sensitivity of an optimal trajectory decays exponentially (Na, Anitescu,
"Exponential Decay in the Sensitivity Analysis of Nonlinear Dynamic Programming",
2020). So every other window is solved with a run-in and a run-out that are thrown
away, and those between them from the last two knots of one neighbor to the first two
of the next. Every knot's dynamics is then satisfied in one window by the very knots of
the joined motion: the seams are as exact as the rest.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from optimization.contact_schedule import ContactSchedule
from optimization.inverse_kinematics import IKTarget, InverseKinematics
from optimization.iterate import Guess
from optimization.tasks import CenterOfMassTask, FrameTask, PostureTask
from optimization.trajectory_problem import Task, TrajectoryProblem

# Usual length of a window, and of what is solved besides on either side [s].
LENGTH, OVERLAP = 10.0, 2.5
# Time at the start of a run-in without tasks, for a motion that begins anywhere [s].
RUN_IN = 0.35
# Knots that are preferred between a seam and an impact or a switch of contacts, and how
# far from its place a seam may go for them [s].
CALM, REACH = 4, 1.0
# Knots beside a piece that its curves need to be those of the whole motion.
MARGIN = 16


class Knots(NamedTuple):
    """Knots of a stretch of a motion.

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
    quiet, carried = quietness(problem), _carried(problem)
    seams = []
    for place in LENGTH * np.arange(1, count):
        seams.append(quietest(times, quiet, place))
    ends = [-1, *sorted(set(seams)), N - 1]
    windows = []
    for i, (left, right) in enumerate(itertools.pairwise(ends)):
        free = i % 2 == 0
        start, end = left, min(right + 1, N - 1)
        if free:
            start = int(np.searchsorted(times, times[max(left, 0)] - OVERLAP))
            start = _firm(start, carried, quiet)
            last = times[end] + OVERLAP
            end = int(np.searchsorted(times, last, side="right")) - 1
        windows.append(Window(left + 1, right, max(start, 0), end, free))
    return windows


def quietness(problem: TrajectoryProblem) -> np.ndarray:
    """(N,) how good a place for a seam each knot is, CALM at most.

    Where the robot steps, only what stands on all it ever stands on is quiet.
    """
    return _calm(problem) + (CALM + 1) * _carried(problem)


def quietest(
    times: np.ndarray, quiet: np.ndarray, place: float, among: slice = slice(None)
) -> int:
    """The knot for a seam near a place.

    Args:
        times: (N,) of the knots [s].
        quiet: (N,) see `quietness`.
        place: where it is wanted [s].
        among: knots that it can be.
    """
    off = np.abs(times[among] - place) / REACH
    # Beyond reach the nearest, which is as good as none.
    worth = np.where(off < 1, quiet[among] - off, -1e3 - off)
    return int(np.arange(len(times))[among][worth.argmax()])


def _calm(problem: TrajectoryProblem) -> np.ndarray:
    """(N,) how many knots away the next impact or switch is, CALM at most."""
    times, N = problem.times, problem.num_knots
    busy = [0, N - 1, *(i.knot for i in problem.impacts)]
    for t in problem.schedule.switch_times[1:-1]:
        busy += np.flatnonzero(np.abs(times - t) < 1e-9).tolist()
    knots, places = np.arange(N), np.unique(busy)
    after = np.clip(np.searchsorted(places, knots), 1, len(places) - 1)
    away = np.minimum(np.abs(knots - places[after - 1]), np.abs(places[after] - knots))
    return np.minimum(away, CALM)


def _carried(problem: TrajectoryProblem) -> np.ndarray:
    """(N,) how many contacts fewer than at most stand at each knot, below zero.

    Points that hit or rest do not carry the robot.
    """
    patches = [
        n
        for n in problem.schedule.contact_names
        if not problem.robot.contacts[n].is_point
    ]
    standing = np.zeros(problem.num_knots, int)
    for name in patches:
        standing += problem.schedule.active(problem.times, name)
    return standing - standing.max(initial=0)


def _firm(start: int, carried: np.ndarray, calm: np.ndarray) -> int:
    """The last knot up to `start` at which a run-in can be at rest: on both feet."""
    firm = np.flatnonzero(carried[: start + 1] == 0)
    if carried[start] == 0 or len(firm) == 0:
        return start
    # In the middle of the time on both feet that ended there, if that is short.
    last = int(firm[-1])
    near = np.arange(max(0, last - CALM), last + 1)
    near = near[carried[near] == 0]
    return int(near[calm[near].argmax()])


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
        given: for a window between two others: (3, nq) knots about its start, and
            (2, nq) at its end unless the motion ends there.
        rest: look for a configuration at rest to start a run-in from.
    """
    part = stretch(problem, window.start, window.end)
    if not window.is_free:
        ends: dict[str, Any] = {"knots_start": given[0], "q_start": given[0][1]}
        if len(given) > 1:
            ends["knots_end"] = given[1]
        return replace(part, **ends)
    if window.start == 0 or not rest:
        return part
    free = int(np.searchsorted(part.times, RUN_IN))
    tasks = [_from(task, free) for task in part.tasks]
    return replace(
        part,
        q_start=_rest(part),
        tasks=[t for t in tasks if len(t.knots)],
        impacts=[i for i in part.impacts if i.knot >= free],
    )


def stretch(problem: TrajectoryProblem, a: int, b: int) -> TrajectoryProblem:
    """Knots a to b of a problem as one of its own."""
    N, times = problem.num_knots, problem.times
    ends: dict[str, Any] = {}
    if b < N - 1:
        ends |= {"end_at_rest": False, "q_end": None, "wrench_end": None}
    if a > 0:
        ends |= {"v_start": None, "vdot_start": None, "wrench_start": None}
    before, after = problem.beside
    ends["beside"] = (
        float(times[a] - times[a - 1]) if a > 0 else before,
        float(times[b + 1] - times[b]) if b < N - 1 else after,
    )
    posture, guess = problem.posture, problem.guess
    tasks = [_shifted(task, a, b) for task in problem.tasks]
    near = [(f, k[(k >= a) & (k <= b)] - a) for f, k in problem.near]
    return replace(
        problem,
        times=times[a : b + 1] - times[a],
        schedule=_cut(problem.schedule, times[a], times[b]),
        posture=posture[a : b + 1] if np.ndim(posture) == 2 else posture,
        guess=None if guess is None else guess[a : b + 1],
        tasks=[t for t in tasks if len(t.knots)],
        impacts=[
            replace(i, knot=i.knot - a) for i in problem.impacts if a < i.knot < b
        ],
        near=[(f, k) for f, k in near if len(k)],
        strikers=tuple(dict.fromkeys(i.contact for i in problem.impacts)),
        **ends,
    )


def _cut(schedule: ContactSchedule, start: float, end: float) -> ContactSchedule:
    """A schedule from one time to another."""
    phases, times = [], schedule.switch_times
    for phase, (a, b) in zip(schedule.phases, itertools.pairwise(times), strict=True):
        length = min(b, end) - max(a, start)
        if length > 1e-9:
            phases.append(replace(phase, duration=float(length)))
    return ContactSchedule(tuple(phases))


def _shifted(task: Task, a: int, b: int) -> Task:
    """A task at the knots from a to b, counted from a."""
    inside = np.flatnonzero((task.knots >= a) & (task.knots <= b))
    part = _chosen(task, inside)
    return replace(part, knots=np.asarray(part.knots) - a)


def _from(task: Task, first: int) -> Task:
    """A task without its knots before the first."""
    return _chosen(task, np.flatnonzero(np.asarray(task.knots) >= first))


def _chosen(task: Task, index: np.ndarray) -> Task:
    """A task at some of its knots."""
    knots = np.asarray(task.knots)[index]
    if isinstance(task, FrameTask):
        X = task.X_WG
        return replace(
            task, knots=knots, X_WG=[X[i] for i in index] if isinstance(X, list) else X
        )
    if isinstance(task, PostureTask):
        target = task.target
        return replace(
            task, knots=knots, target=target[index] if np.ndim(target) == 2 else target
        )
    assert isinstance(task, CenterOfMassTask)
    p, weight = task.p_WG, task.weight
    return replace(
        task,
        knots=knots,
        p_WG=p[index] if np.ndim(p) == 2 else p,
        weight=weight[index] if np.ndim(weight) == 2 else weight,
    )


def _rest(problem: TrajectoryProblem) -> np.ndarray:
    """(nq,) a configuration at rest on the contacts of the first knot."""
    q = problem.q_start if problem.guess is None else problem.guess[0]
    targets = {
        name: IKTarget(X, _axes(problem, name))
        for name, X in problem.schedule.standing(0.0).items()
    }
    return InverseKinematics(problem.robot).solve(q, targets).q


def _axes(problem: TrajectoryProblem, contact: str) -> str:
    """What a contact that stands holds."""
    is_point = problem.robot.contacts[contact].is_point
    return "x y z" if is_point else "rx ry rz x y z"


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


def given_ends(
    windows: Sequence[Window], parts: Mapping[int, Knots], i: int
) -> list[np.ndarray]:
    """What the neighbors of window i give to it; see `window_problem`."""
    window, before = windows[i], parts[i - 1]
    k = window.start - windows[i - 1].start
    given = [before.q[k - 1 : k + 2]]
    if i + 1 < len(windows):
        k = window.end - windows[i + 1].start
        given.append(parts[i + 1].q[k - 1 : k + 1])
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
    part, skip = stretch(problem, a, b), min(a, 1)
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
