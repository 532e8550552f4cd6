"""Explanation: why a problem is infeasible, and which relaxations make it feasible.

A solver that fails leaves violations everywhere, and the largest is often a consequence
and not the cause. So every kind of constraint is relaxed in turn and the problem solved
again: one whose relaxation alone makes it feasible is a cause, and the least relaxation
tells by how much.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from backbeat.optimization.diagnosis.relaxations import (
    Limit,
    Measure,
    candidate_relaxations,
    solve,
)
from backbeat.optimization.interior_point.solution import TrajectorySolution
from backbeat.optimization.problem.trajectory_problem import TrajectoryProblem

# Bisections of the gap between too little and enough, and the ratio at which they end.
HALVINGS, CLOSE = 5, 1.05
# Factors on the durations that are tried.
TIME_SCALES = (1.25, 1.5, 2.0, 3.0)


@dataclass(frozen=True)
class Relaxation:
    """One change that makes a problem feasible.

    Attributes:
        kind: what is relaxed: torque, velocity, position, friction, pressure,
            force, collision, target, rest or time.
        what: joint, contact or frame with the largest need.
        time: of that need [s].
        needed, allowed: value that the motion needs, and its limit, in `unit`.
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
        """Size of the change, by which relaxations are sorted."""
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
        worst: (time [s], name, scaled amount) of the largest violations.
        relaxations: single changes that make it feasible, the smallest first.
    """

    worst: tuple[tuple[float, str, float], ...]
    relaxations: tuple[Relaxation, ...]

    def __str__(self) -> str:
        """One sentence for a person."""
        return self.sentence()

    def later(self, seconds: float) -> "Explanation":
        """The same of a motion that begins so many seconds later."""
        worst = tuple((t + seconds, name, by) for t, name, by in self.worst)
        relaxations = tuple(replace(r, time=r.time + seconds) for r in self.relaxations)
        return Explanation(worst, relaxations)

    def sentence(self, place: Callable[[float], str] | None = None) -> str:
        """One sentence for a person.

        Args:
            place: names a time [s] in musical terms, such as "bar 2, beat 1"; may be
                empty.
        """
        time, name, amount = self.worst[0]
        called = place(time) if place else ""
        when = f"{time:.2f} s" + (f" ({called})" if called else "")
        text = f"worst is {name} at {when}, off by {amount:.3g} (scaled)"
        if not self.relaxations:
            return text + "; no single relaxation helps: ask for less there"
        ways = "; or ".join(str(r) for r in self.relaxations[:3])
        return f"{text}; it would be feasible with {ways}"


def explain(
    solution: TrajectorySolution,
    progress: Callable[[str], None] | None = None,
    patience: float = 30.0,
) -> Explanation:
    """Finds single relaxations that make a problem feasible.

    Args:
        solution: of a solve that failed.
        progress: called with the kind that is tried next.
        patience: time [s] after which no further kind is tried, and values are not
            bisected any more.
    """
    problem = solution.transcription.problem
    report = progress or (lambda kind: None)
    relaxations, deadline = [], time.perf_counter() + patience
    for kind, relax, measure in candidate_relaxations(problem):
        if time.perf_counter() > deadline:
            break
        report(kind)
        relaxation = _try(problem, kind, relax, measure, deadline)
        if relaxation is not None:
            relaxations.append(relaxation)
    report("time")
    for factor in TIME_SCALES:
        if time.perf_counter() > deadline:
            break
        if solve(problem.time_scaled(factor)).is_solved:
            end = float(problem.times[-1])
            relaxations.append(Relaxation("time", "the motion", end, factor, 1.0, ""))
            break
    relaxations.sort(key=lambda r: r.effort)
    return Explanation(tuple(solution.violations()[:5]), tuple(relaxations))


def _try(
    problem: TrajectoryProblem,
    kind: str,
    limit: Limit,
    measure: Measure,
    deadline: float,
) -> Relaxation | None:
    """The least relaxation of one kind that makes a problem feasible."""
    solution = solve(limit.relax(limit.most))
    if not solution.is_solved:
        return None
    enough, what, when = measure(solution)
    if limit.most == limit.allowed:  # on or off
        return Relaxation(kind, what, when, enough, limit.allowed, limit.unit)
    if not enough > limit.allowed:
        enough = limit.most
    short = limit.allowed
    for _ in range(HALVINGS):
        if enough <= CLOSE * short or time.perf_counter() > deadline:
            break
        value = 0.5 * (short + enough)
        trial = solve(limit.relax(value))
        if trial.is_solved:
            enough, (_, what, when) = value, measure(trial)
        else:
            short = value
    return Relaxation(kind, what, when, enough, limit.allowed, limit.unit)
