"""Subproblem: some knots of a trajectory problem as a problem of its own."""

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from backbeat.optimization.problem.contact_schedule import ContactSchedule
from backbeat.optimization.problem.tasks import CenterOfMassTask, FrameTask, PostureTask
from backbeat.optimization.problem.trajectory_problem import Task, TrajectoryProblem


def subproblem(problem: TrajectoryProblem, a: int, b: int) -> TrajectoryProblem:
    """Knots a to b of a problem as one of its own."""
    N, times = problem.num_knots, problem.times
    changes: dict[str, Any] = {}
    if b < N - 1:
        changes |= {"end_at_rest": False, "q_end": None, "wrench_end": None}
    if a > 0:
        changes |= {"v_start": None, "vdot_start": None, "wrench_start": None}
    # The bounds of a part are those of the whole, wherever the part begins.
    changes["ends"] = problem.outer_ends
    before, after = problem.beside
    changes["beside"] = (
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
        **changes,
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


def tasks_from(tasks: Sequence[Task], first: int) -> list[Task]:
    """Tasks without their knots before the first; without any they are left out."""
    later = (_chosen(t, np.flatnonzero(np.asarray(t.knots) >= first)) for t in tasks)
    return [t for t in later if len(t.knots)]


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
