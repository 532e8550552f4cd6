"""Steps on windows of a long motion, taken in one process or in several.

Each step is a function of a motion's source, the number of a window and arrays, and
gives arrays: all that has to go from one process to another, or into a file.
"""

import json
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from backbeat.behaviors.library.behavior import centroidal_quantities
from backbeat.behaviors.motion.authored import Specification
from backbeat.behaviors.motion.concatenation import COLUMNS, rows, with_contacts
from backbeat.behaviors.motion.plan import MotionPlan
from backbeat.behaviors.music.notation.player import NO_HINTS, Hints
from backbeat.behaviors.solving.window_store import Arrays
from backbeat.optimization.diagnosis.costs import KnotCosts, knot_costs
from backbeat.optimization.diagnosis.explanation import explain
from backbeat.optimization.diagnosis.limit_use import active_limits
from backbeat.optimization.interior_point.iterate import Guess
from backbeat.optimization.interior_point.solution import TrajectorySolution, Violation
from backbeat.optimization.interior_point.solver import InteriorPoint
from backbeat.optimization.problem.dense_trajectory import DenseTrajectory
from backbeat.optimization.problem.trajectory_problem import TrajectoryProblem
from backbeat.optimization.reconstruction.reconstruct import reconstruct
from backbeat.optimization.transcription.transcribe import Transcription
from backbeat.optimization.verification.certificate import Certificate, Check
from backbeat.optimization.verification.verify import Verifier, knot_check
from backbeat.optimization.windows.pieces import (
    Knots,
    Window,
    make_windows,
    ordered,
    piece,
    window_problem,
)


class Source(NamedTuple):
    """Where a motion comes from: what another process needs to work on it.

    Attributes:
        specification: what was authored.
        folder: where it was found.
        key: hash of the code and of the robot.
        hints: those that its plan follows.
    """

    specification: Specification
    folder: Path
    key: str
    hints: Hints = NO_HINTS

    def plan(self) -> MotionPlan:
        """Compiles the plan."""
        return self.specification.plan_with_hints(self.folder, self.hints)


@dataclass
class WorkerState:
    """State of a worker process: what it needs to solve windows of a motion.

    Attributes:
        source: where the motion comes from.
        plan: what it works on.
    """

    source: Source
    plan: MotionPlan

    @cached_property
    def windows(self) -> list[Window]:
        """The windows of the plan."""
        return make_windows(self.plan.problem)

    @cached_property
    def verifier(self) -> Verifier:
        """Verifies motions of the plan."""
        problem = self.plan.problem
        friction = problem.limits.friction
        return Verifier(problem.robot, problem.collisions, friction)

    def transcription(self, i: int, given: tuple[np.ndarray, ...]) -> Transcription:
        """The program of window i, with what its neighbors give to it."""
        problem = window_problem(self.plan.problem, self.windows[i], given)
        return Transcription(problem)

    def start(self, i: int) -> float:
        """When what is solved of window i begins [s]."""
        return float(self.plan.problem.times[self.windows[i].start])

    def occupy(self) -> None:
        """Makes this the state of this process."""
        _WORKER_STATE[:] = [self]


# What this process works on: one motion at most.
_WORKER_STATE: list[WorkerState] = []


def worker_state_of(source: Source) -> WorkerState:
    """The state of this process for a source, whose plan it compiles once."""
    if not _WORKER_STATE or _WORKER_STATE[0].source != source:
        _WORKER_STATE[:] = [WorkerState(source, source.plan())]
    return _WORKER_STATE[0]


def around(window: Window, knots: Knots) -> Knots:
    """The knots of a motion that the curves of a window are made of."""
    a, b = window.margins(len(knots.q))
    return Knots(*(x[max(0, a - 1) : b + 1] for x in knots))


def solve(source: Source, i: int, given: tuple[np.ndarray, ...]) -> Arrays:
    """Step: finds the knots of window i.

    Args:
        source: where the motion comes from.
        i: which window.
        given: what its neighbors give to it.

    Returns:
        q, w and log of the solver; where there is no motion, also its troubles.
    """
    worker_state = worker_state_of(source)
    transcription = worker_state.transcription(i, given)
    solution = InteriorPoint(transcription).solve()
    names = worker_state.plan.problem.contact_names
    w = ordered(solution.w, transcription.contacts, names)
    made = {"q": solution.q, "w": w, "log": np.array(json.dumps(solution.log))}
    if not solution.is_solved:
        start, found = worker_state.start(i), solution.all_violations()
        violations = [t._replace(time=t.time + start) for t in found]
        made["violations"] = np.array(json.dumps(violations))
    return made


def why_not(source: Source, i: int, given: tuple[np.ndarray, ...], made: Arrays) -> str:
    """A sentence on why there is no motion in window i.

    Args:
        source: where the motion comes from.
        i: which window.
        given: what its neighbors give to it.
        made: what `solve` came to.
    """
    worker_state = worker_state_of(source)
    transcription = worker_state.transcription(i, given)
    names = worker_state.plan.problem.contact_names
    guess = Guess(made["q"], ordered(made["w"], names, transcription.contacts))
    found = explain(InteriorPoint(transcription).evaluate(guess))
    return found.later(worker_state.start(i)).sentence(worker_state.plan.place)


def fill(source: Source, i: int, given: tuple[np.ndarray, ...]) -> Arrays:
    """Step: the curves of window i between its knots, verified.

    Args:
        source: where the motion comes from.
        i: which window.
        given: the knots around the window.
    """
    worker_state = worker_state_of(source)
    problem, window = worker_state.plan.problem, worker_state.windows[i]
    curves = make_curves(problem, window, Knots(*given))
    own = with_contacts(rows(curves.whole, curves.own), problem.contact_names)
    # One sample more is verified, so that nothing between two windows is left out.
    is_last = window.last == problem.num_knots - 1
    seen = rows(curves.whole, slice(curves.own.start, curves.own.stop + (not is_last)))
    certificate = worker_state.verifier.verify(seen, knot_check(curves.solution))
    com, momentum, inertia = centroidal_quantities(problem.robot, own)
    limits = active_limits(curves.solution)
    return {
        "t": own.t - curves.start,
        **{n: getattr(own, n) for n in COLUMNS},
        "com": com,
        "momentum": momentum,
        "inertia": inertia,
        "certificate": np.array(json.dumps(certificate.to_dict())),
        "places": np.array(json.dumps([asdict(c) for c in certificate.places])),
        "limits": np.array(json.dumps(limits.to_dict("records"))),
        "costs": np.array(json.dumps(curves.costs().to_plain())),
        "start": np.array(curves.start),
    }


def certificate_of(made: Arrays) -> Certificate:
    """What `fill` found of its window, in the times of that window's curves."""
    checks = Certificate.from_dict(json.loads(str(made["certificate"]))).checks
    places = json.loads(str(made["places"]))
    return Certificate(checks, tuple(Check.from_plain(place) for place in places))


def violations_of(made: Arrays) -> list[Violation]:
    """What `solve` found no motion for."""
    return [
        Violation.from_plain(t) for t in json.loads(str(made.get("violations", "[]")))
    ]


class WindowCurves(NamedTuple):
    """The curves of a window, with margins.

    Attributes:
        solution: the knots and what they meet.
        whole: the curves, margins included.
        own: samples of the window itself.
        start, end: times of `whole` from which the window is, and until which [s].
    """

    solution: TrajectorySolution
    whole: DenseTrajectory
    own: slice
    start: float
    end: float

    def costs(self) -> KnotCosts:
        """What terms cost at the window's own knots."""
        return knot_costs(self.solution).within(self.start, self.end)


def make_curves(
    problem: TrajectoryProblem, window: Window, knots: Knots
) -> WindowCurves:
    """The curves of a window between its knots.

    Args:
        problem: the whole problem.
        window: which part of it.
        knots: those of `around` the window.
    """
    part, guess, (start, end) = piece(problem, window, knots, problem.contact_names)
    solution = InteriorPoint(Transcription(part)).evaluate(guess)
    whole = reconstruct(solution)
    last = len(whole.t)
    if window.last < problem.num_knots - 1:
        last = int(np.searchsorted(whole.t, end - 1e-9))
    else:
        end = np.inf
    first = 0 if window.first == 0 else int(np.searchsorted(whole.t, start - 1e-9))
    return WindowCurves(solution, whole, slice(first, last), start, end)
