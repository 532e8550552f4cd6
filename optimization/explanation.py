"""Explanation: why a problem has no solution, and what would give it one.

A solver that gives up leaves violations everywhere, and the largest is often a
consequence and not the cause. So every kind of constraint is relaxed in turn and
the problem solved again: what makes it feasible on its own is a cause, and how much
of it the motion then needs is what the person has to know.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from models.collision import NOTHING
from models.contact import wrench_cone
from optimization.interior_point import InteriorPoint, InteriorPointOptions
from optimization.iterate import Guess
from optimization.linearization import evaluate_once
from optimization.program import FREE
from optimization.tasks import FrameTask
from optimization.trajectory_problem import Limits, TrajectoryProblem
from optimization.trajectory_solution import TrajectorySolution
from optimization.transcription import Transcription

# Enough for a feasible problem; an infeasible one would use any number.
OPTIONS = InteriorPointOptions(max_iterations=40)
# Halvings of the gap between too little and enough, and where it stops to matter.
HALVINGS, CLOSE = 5, 1.05
# Factors on the time that are tried.
STRETCHES = (1.25, 1.5, 2.0, 3.0)
# Cost per second on a target that may be missed [1/m^2, 1/rad^2]: first soft enough
# to solve from afar, then stiff to come as near as can be.
SOFT_TARGET, STIFF_TARGET = 1e2, 1e4
# Room under which a limit counts as used to the full, in scaled rows.
ACTIVE = 2e-3


@dataclass(frozen=True)
class Remedy:
    """One change that makes a problem feasible.

    Attributes:
        kind: what is relaxed: torque, velocity, position, friction, pressure,
            force, collision, target, rest or time.
        what: joint, contact or frame that needs it most.
        time: when [s].
        needed, allowed: how much the motion needs and has, in `unit`.
        unit: of the two.
    """

    kind: str
    what: str
    time: float
    needed: float
    allowed: float
    unit: str

    def __str__(self) -> str:
        """What to change, for a person."""
        if self.kind == "time":
            return f"{self.needed:g} times the time"
        if self.kind == "collision":
            return f"letting {self.what} come nearer than allowed at {self.time:.2f} s"
        if self.kind == "rest":
            return "an end that is not at rest"
        if self.kind == "target":
            miss = f"{self.needed:.3g} {self.unit}".rstrip()
            return f"a target of {self.what} that is {miss} nearer at {self.time:.2f} s"
        return (
            f"{self.kind} of {self.what} up to {self.needed:.3g} instead of "
            f"{self.allowed:.3g} {self.unit}".rstrip()
            + f" at {self.time:.2f} s"
        )

    @property
    def effort(self) -> float:
        """How large a change it is, to put the smallest first."""
        if self.kind in ("collision", "rest"):
            return 2.0
        if self.kind == "target":
            return 1.5 + self.needed
        if self.kind == "position":
            return 1.0 + self.needed
        return self.needed / self.allowed


@dataclass(frozen=True)
class Explanation:
    """Why there is no solution.

    Attributes:
        worst: (time [s], name, scaled amount) of what the solver could not meet.
        remedies: single changes that help, the smallest first.
    """

    worst: tuple[tuple[float, str, float], ...]
    remedies: tuple[Remedy, ...]

    def __str__(self) -> str:
        """One sentence for a person."""
        return self.sentence()

    def later(self, seconds: float) -> "Explanation":
        """The same of a motion that begins so many seconds later."""
        worst = tuple((t + seconds, name, by) for t, name, by in self.worst)
        remedies = tuple(replace(r, time=r.time + seconds) for r in self.remedies)
        return Explanation(worst, remedies)

    def sentence(self, bpm: float = 0.0) -> str:
        """One sentence for a person, with beats where there is a tempo."""
        time, name, amount = self.worst[0]
        when = f"{time:.2f} s" + (f" (beat {time * bpm / 60:.1f})" if bpm else "")
        text = f"worst is {name} at {when}, off by {amount:.3g} (scaled)"
        if not self.remedies:
            return text + "; no single relaxation helps: ask for less there"
        ways = "; or ".join(str(r) for r in self.remedies[:3])
        return f"{text}; it would be feasible with {ways}"


def explain(
    solution: TrajectorySolution,
    progress: Callable[[str], None] | None = None,
    patience: float = 30.0,
) -> Explanation:
    """Finds what keeps a problem from being solved.

    Args:
        solution: a solution that is not solved.
        progress: called with the kind that is tried next.
        patience: after so many seconds no further kind is tried, and what helps is
            looked into no closer.
    """
    problem = solution.transcription.problem
    report = progress or (lambda kind: None)
    remedies, deadline = [], time.perf_counter() + patience
    for kind, relax, measure in _relaxations(problem):
        if time.perf_counter() > deadline:
            break
        report(kind)
        remedy = _try(problem, kind, relax, measure, deadline)
        if remedy is not None:
            remedies.append(remedy)
    report("time")
    for factor in STRETCHES:
        if time.perf_counter() > deadline:
            break
        if _solve(problem.stretched(factor)).is_solved:
            end = float(problem.times[-1])
            remedies.append(Remedy("time", "the motion", end, factor, 1.0, ""))
            break
    remedies.sort(key=lambda r: r.effort)
    return Explanation(tuple(solution.violations()[:5]), tuple(remedies))


def active_limits(solution: TrajectorySolution) -> pd.DataFrame:
    """Limits that a solution uses to the full: kind, what, from and to when."""
    program, times = (
        solution.transcription.program,
        solution.transcription.problem.times,
    )
    room = np.minimum(solution.rows - program.lower, program.upper - solution.rows)
    fixed = program.upper - program.lower < ACTIVE
    is_bound = np.minimum(np.abs(program.lower), np.abs(program.upper)) < FREE / 2
    active = is_bound & ~fixed & (room < ACTIVE)
    found: dict[tuple[str, str], np.ndarray] = {}
    for i, name in enumerate(solution.row_names()):
        if active[:, i].any():
            key = (name.kind, name.what)
            found[key] = found.get(key, np.zeros(len(times), bool)) | active[:, i]
    rows = [
        {
            "kind": kind,
            "what": what,
            "from_s": times[on][0],
            "to_s": times[on][-1],
            "knots": int(on.sum()),
        }
        for (kind, what), on in found.items()
    ]
    columns = ["kind", "what", "from_s", "to_s", "knots"]
    table = pd.DataFrame(rows, columns=columns)
    return table.sort_values("knots", ascending=False, ignore_index=True)


# A problem with a limit at a value, and what a solution needs of it: value, joint or
# contact, and time.
Relax = Callable[[float], TrajectoryProblem]
Use = tuple[float, str, float]
Measure = Callable[[TrajectorySolution], Use]


@dataclass(frozen=True)
class _Limit:
    """How far a limit is relaxed, from what it is to what is surely enough."""

    relax: Relax
    allowed: float
    most: float
    unit: str


def _relaxations(
    problem: TrajectoryProblem,
) -> Iterator[tuple[str, _Limit, Measure]]:
    limits = problem.limits

    def limited(**changes: Any) -> TrajectoryProblem:
        return replace(problem, limits=replace(limits, **changes))

    share = "of the joint's limit"
    yield (
        "torque",
        _Limit(lambda x: limited(torque=x), limits.torque, 20.0, share),
        lambda s: _largest(s, "torque", np.abs(s.rows)),
    )
    yield (
        "velocity",
        _Limit(lambda x: limited(velocity=x), limits.velocity, 20.0, share),
        _velocity_share,
    )
    yield (
        "position",
        _Limit(lambda x: limited(position_margin=-x), 0.0, 1.5, "rad past its stop"),
        _beyond_stops,
    )
    friction = limits.friction
    yield (
        "friction",
        _Limit(lambda x: limited(friction=x), friction, 5.0, ""),
        lambda s: _friction(s, limits),
    )
    yield (
        "pressure",
        _Limit(
            lambda x: limited(patch_share=x), limits.patch_share, 5.0, "of the sole"
        ),
        _pressure,
    )
    yield (
        "force",
        _Limit(
            lambda x: limited(contact_force=x, total_force=x, force_rate=100.0 * x),
            limits.total_force,
            15.0,
            "weights",
        ),
        lambda s: _largest(s, "total force", s.rows),
    )
    if problem.collisions.feelers:
        yield (
            "collision",
            _Limit(lambda x: replace(problem, collisions=NOTHING, near=()), 1, 1, ""),
            partial(_nearest_part, problem),
        )
    hard = dict.fromkeys(
        t.frame for t in problem.tasks if isinstance(t, FrameTask) and t.weight is None
    )
    for frame in hard:
        yield (
            "target",
            _Limit(
                partial(_softened, problem, frame),
                1,
                1,
                "m or rad",
            ),
            partial(_miss, problem, frame),
        )
    if problem.end_at_rest and problem.q_end is None:
        yield (
            "rest",
            _Limit(lambda x: replace(problem, end_at_rest=False), 1, 1, ""),
            lambda s: (0.0, "", float(problem.times[-1])),
        )


def _try(
    problem: TrajectoryProblem,
    kind: str,
    limit: _Limit,
    measure: Measure,
    deadline: float,
) -> Remedy | None:
    """The least relaxation of one kind that makes a problem feasible."""
    solution = _solve(limit.relax(limit.most))
    if not solution.is_solved:
        return None
    enough, what, when = measure(solution)
    if limit.most == limit.allowed:  # on or off
        return Remedy(kind, what, when, enough, limit.allowed, limit.unit)
    if not enough > limit.allowed:
        enough = limit.most
    short = limit.allowed
    for _ in range(HALVINGS):
        if enough <= CLOSE * short or time.perf_counter() > deadline:
            break
        value = 0.5 * (short + enough)
        trial = _solve(limit.relax(value))
        if trial.is_solved:
            enough, (_, what, when) = value, measure(trial)
        else:
            short = value
    return Remedy(kind, what, when, enough, limit.allowed, limit.unit)


def _solve(
    problem: TrajectoryProblem, guess: Guess | None = None
) -> TrajectorySolution:
    return InteriorPoint(Transcription(problem), OPTIONS).solve(guess)


def _largest(solution: TrajectorySolution, kind: str, values: np.ndarray) -> Use:
    """Largest value among the rows of a kind."""
    names = solution.row_names()
    columns = [i for i, n in enumerate(names) if n.kind == kind]
    if not columns:
        return 0.0, "", 0.0
    part = values[:, columns]
    k, i = np.unravel_index(np.argmax(part), part.shape)
    time = float(solution.transcription.problem.times[k])
    return float(part[k, i]), names[columns[i]].what, time


def _velocity_share(solution: TrajectorySolution) -> Use:
    robot = solution.transcription.problem.robot
    first = solution.transcription.program.rows.velocity
    values = np.zeros_like(solution.rows)
    part = slice(first, first + robot.num_joints)
    values[:, part] = np.abs(solution.rows[:, part]) / robot.velocity_limits
    return _largest(solution, "velocity", values)


def _beyond_stops(solution: TrajectorySolution) -> Use:
    robot = solution.transcription.problem.robot
    first = solution.transcription.program.rows.position
    part = slice(first, first + robot.num_joints)
    q, values = solution.rows[:, part], np.zeros_like(solution.rows)
    values[:, part] = np.maximum(robot.position_lower - q, q - robot.position_upper)
    return _largest(solution, "position", values)


def _friction(solution: TrajectorySolution, limits: Limits) -> Use:
    """Friction coefficient that the contact wrenches use."""
    contacts = solution.transcription.contacts
    robot = solution.transcription.problem.robot
    values = np.zeros(solution.w.shape[:2])
    for c, name in enumerate(contacts):
        patch = robot.contacts[name]
        half = limits.patch_share * np.array([patch.half_length, patch.half_width])
        # The rows of a cone are linear in the coefficient.
        still, one = (wrench_cone(half[0], half[1], mu) for mu in (0.0, 1.0))
        w = solution.w[:, c]
        asked, given = w @ still.T, w @ (still - one).T
        holds = (given > limits.least_force) & (w[:, 5:] > limits.least_force)
        values[:, c] = np.where(holds, asked / np.maximum(given, 1e-9), 0.0).max(1)
    used, name, time = _most(solution, values)
    return used / limits.friction_share, name, time


def _pressure(solution: TrajectorySolution) -> Use:
    """Share of a patch up to which its center of pressure moves."""
    problem = solution.transcription.problem
    values = np.zeros(solution.w.shape[:2])
    for c, name in enumerate(solution.transcription.contacts):
        patch, w = problem.robot.contacts[name], solution.w[:, c]
        if patch.is_point:
            continue
        half = np.array([patch.half_width, patch.half_length])
        pressed = w[:, 5] > problem.limits.least_force
        share = (np.abs(w[:, :2]) / half).max(1) / np.maximum(w[:, 5], 1e-9)
        values[:, c] = np.where(pressed, share, 0.0)
    return _most(solution, values)


def _most(solution: TrajectorySolution, values: np.ndarray) -> Use:
    """Largest of (N, C) values of contacts."""
    if not values.size:
        return 0.0, "", 0.0
    k, c = np.unravel_index(np.argmax(values), values.shape)
    time = float(solution.transcription.problem.times[k])
    return float(values[k, c]), solution.transcription.contacts[c], time


def _nearest_part(problem: TrajectoryProblem, solution: TrajectorySolution) -> Use:
    """The part that comes nearest to what it should keep away from."""
    asked = Transcription(problem)
    program, arrays = asked.program, problem.collisions.arrays()
    _, values = evaluate_once(program, solution.q, solution.w, solution.phi)
    rows = slice(program.rows.collision, program.rows.collision + len(arrays.radius))
    short = program.lower[:, rows] - values.rows[:, rows]
    k, i = np.unravel_index(np.argmax(short), short.shape)
    return 0.0, problem.collisions.feelers[i].link, float(problem.times[k])


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
    stiff = _solve(_soften(problem, frame, STIFF_TARGET), Guess(soft.q, soft.w))
    solution = stiff if stiff.is_solved else soft
    asked = Transcription(problem)
    p = [i for i, name in enumerate(asked.frames) if name == frame]
    miss = np.abs(solution.frame[:, p] * asked.program.frame_equal[:, p])
    k = int(np.argmax(miss.max(axis=(1, 2))))
    return float(miss[k].max()), frame, float(problem.times[k])
