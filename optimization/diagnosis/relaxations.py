"""Relaxations: of each kind of constraint, with a measure of its use."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from backbeat.models.collision.shapes import NOTHING
from backbeat.optimization.diagnosis.limit_use import (
    Use,
    friction_use,
    largest_row,
    position_use,
    pressure_use,
    velocity_use,
)
from backbeat.optimization.interior_point.iterate import Guess
from backbeat.optimization.interior_point.options import InteriorPointOptions
from backbeat.optimization.interior_point.solution import TrajectorySolution
from backbeat.optimization.interior_point.solver import InteriorPoint
from backbeat.optimization.problem.tasks import FrameTask
from backbeat.optimization.problem.trajectory_problem import TrajectoryProblem
from backbeat.optimization.transcription.linearization import evaluate_once
from backbeat.optimization.transcription.transcribe import Transcription

# Enough for a feasible problem; an infeasible one would use any number.
OPTIONS = InteriorPointOptions(max_iterations=40)
# Cost per second on a target that may be missed [1/m^2, 1/rad^2]: first soft enough
# to solve from afar, then stiff to come as near as can be.
SOFT_TARGET, STIFF_TARGET = 1e2, 1e4


# A problem with a limit at a value, and what a solution needs of it.
Relax = Callable[[float], TrajectoryProblem]
Measure = Callable[[TrajectorySolution], Use]


@dataclass(frozen=True)
class Limit:
    """How far a limit is relaxed, from what it is to what is surely enough."""

    relax: Relax
    allowed: float
    most: float
    unit: str


def candidate_relaxations(
    problem: TrajectoryProblem,
) -> Iterator[tuple[str, Limit, Measure]]:
    """Every kind of constraint, what relaxes it and what measures its use.

    Args:
        problem: that has no solution.
    """
    yield from _limits_of_joints(problem)
    yield from _limits_of_contacts(problem)
    yield from _demands(problem)


def _limited(problem: TrajectoryProblem, **changes: Any) -> TrajectoryProblem:
    return replace(problem, limits=replace(problem.limits, **changes))


def _limits_of_joints(
    problem: TrajectoryProblem,
) -> Iterator[tuple[str, Limit, Measure]]:
    limited, limits = partial(_limited, problem), problem.limits
    share = "of the joint's limit"
    yield (
        "torque",
        Limit(lambda x: limited(torque=x), limits.torque, 20.0, share),
        lambda s: largest_row(s, "torque", np.abs(s.rows)),
    )
    yield (
        "velocity",
        Limit(lambda x: limited(velocity=x), limits.velocity, 20.0, share),
        velocity_use,
    )
    yield (
        "position",
        Limit(lambda x: limited(position_margin=-x), 0.0, 1.5, "rad past its stop"),
        position_use,
    )


def _limits_of_contacts(
    problem: TrajectoryProblem,
) -> Iterator[tuple[str, Limit, Measure]]:
    limited, limits = partial(_limited, problem), problem.limits
    yield (
        "friction",
        Limit(lambda x: limited(friction=x), limits.friction, 5.0, ""),
        lambda s: friction_use(s, limits),
    )
    yield (
        "pressure",
        Limit(lambda x: limited(patch_share=x), limits.patch_share, 5.0, "of the sole"),
        pressure_use,
    )
    yield (
        "force",
        Limit(
            lambda x: limited(contact_force=x, total_force=x, force_rate=100.0 * x),
            limits.total_force,
            15.0,
            "weights",
        ),
        lambda s: largest_row(s, "total force", s.rows),
    )


def _demands(problem: TrajectoryProblem) -> Iterator[tuple[str, Limit, Measure]]:
    """Constraints on the motion: distances, targets, an end at rest."""
    if problem.collisions.spheres:
        yield (
            "collision",
            Limit(lambda x: replace(problem, collisions=NOTHING, near=()), 1, 1, ""),
            partial(_nearest_part, problem),
        )
    hard = dict.fromkeys(
        t.frame for t in problem.tasks if isinstance(t, FrameTask) and t.weight is None
    )
    for frame in hard:
        yield (
            "target",
            Limit(partial(_softened, problem, frame), 1, 1, "m or rad"),
            partial(_miss, problem, frame),
        )
    if problem.end_at_rest and problem.q_end is None:
        yield (
            "rest",
            Limit(lambda x: replace(problem, end_at_rest=False), 1, 1, ""),
            lambda s: (0.0, "", float(problem.times[-1])),
        )


def solve(problem: TrajectoryProblem, guess: Guess | None = None) -> TrajectorySolution:
    """A solution of a problem with a constraint relaxed, or where the search ended."""
    return InteriorPoint(Transcription(problem), OPTIONS).solve(guess)


def _nearest_part(problem: TrajectoryProblem, solution: TrajectorySolution) -> Use:
    """The part that comes nearest to what it should keep away from."""
    asked = Transcription(problem)
    program, arrays = asked.program, problem.collisions.arrays()
    _, values = evaluate_once(program, solution.q, solution.w, solution.phi)
    rows = slice(program.rows.collision, program.rows.collision + len(arrays.radius))
    short = program.lower[:, rows] - values.rows[:, rows]
    k, i = np.unravel_index(np.argmax(short), short.shape)
    return 0.0, problem.collisions.spheres[i].link, float(problem.times[k])


def _softened(problem: TrajectoryProblem, frame: str, _: float) -> TrajectoryProblem:
    return _soften(problem, frame, SOFT_TARGET)


def _soften(problem: TrajectoryProblem, frame: str, weight: float) -> TrajectoryProblem:
    """The problem with the targets of a frame as a cost."""
    tasks = [
        replace(t, weight=weight, lower=None, upper=None)
        if isinstance(t, FrameTask) and t.frame == frame and t.weight is None
        else t
        for t in problem.tasks
    ]
    return replace(problem, tasks=tasks)


def _miss(problem: TrajectoryProblem, frame: str, soft: TrajectorySolution) -> Use:
    """How far a frame has to stay from its targets."""
    stiff = solve(_soften(problem, frame, STIFF_TARGET), Guess(soft.q, soft.w))
    solution = stiff if stiff.is_solved else soft
    asked = Transcription(problem)
    p = [i for i, name in enumerate(asked.frames) if name == frame]
    miss = np.abs(solution.frame[:, p] * asked.program.frame_equal[:, p])
    k = int(np.argmax(miss.max(axis=(1, 2))))
    return float(miss[k].max()), frame, float(problem.times[k])
