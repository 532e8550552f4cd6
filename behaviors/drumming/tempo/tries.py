"""Tries of a pattern at one tempo after the other, each solved for and verified.

A try starts from the fastest motion so far, and where that leads nowhere, from
postures. What fails between knots is tried again as the drummer would, with closer
ones. Where strokes with a shape are too slow, strokes without one are tried.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from backbeat.behaviors.drumming.specification import DrummingSpecification
from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.motion.plan import MotionPlan
from backbeat.behaviors.music.playing.tempo_scale import fastest_bpm, tempo_scale_range
from backbeat.behaviors.solving.solved_behavior import make_behavior
from backbeat.behaviors.solving.windowed import LONG
from backbeat.models.common.errors import BackbeatError
from backbeat.optimization.interior_point.iterate import Guess
from backbeat.optimization.interior_point.solution import TrajectorySolution, Violation
from backbeat.optimization.interior_point.solver import InteriorPoint
from backbeat.optimization.transcription.transcribe import Transcription
from backbeat.optimization.verification.certificate import Certificate, Check

# Solutions that are off by less are solved on from where they stopped.
NEARLY = 1e-3
# Called with a share of the work and what is done.
Progress = Callable[[float, str], None]


@dataclass(frozen=True)
class Try:
    """One tempo.

    Attributes:
        tempo_scale: factor on the tempo of the score.
        bpm: the tempo where it is fastest [beats/min].
        why: what was wrong with the motion; empty when it passed.
        seconds: time that it took [s].
        plan: what was asked.
        solution: what was found.
        behavior: the verified motion of one that passed.
        shaped: whether its strokes have a shape.
    """

    tempo_scale: float
    bpm: float
    why: str
    seconds: float
    plan: MotionPlan
    solution: TrajectorySolution
    behavior: Behavior | None = None
    shaped: bool = True

    @property
    def passed(self) -> bool:
        """Whether it can be played."""
        return not self.why


class TempoTries:
    """Solves and verifies a pattern at one tempo after the other."""

    def __init__(
        self,
        specification: DrummingSpecification,
        folder: str | Path,
        progress: Progress,
        least_time: bool,
    ) -> None:
        self.specification, self.folder = specification, folder
        self.progress, self.least_time = progress, least_time
        asked, bare = specification.stroke, replace(specification.stroke, shaped=False)
        self.strokes = [bare] if least_time else [asked, bare][: 1 + asked.shaped]
        score = specification.written_score(folder)
        self.bpm, self.most = fastest_bpm(score), tempo_scale_range(score)[1]
        self.count = 0

    def attempt(self, tempo_scale: float, best: Try | None) -> Try:
        """Solves and verifies at one tempo."""
        self.count += 1
        made: Try | None = None
        for stroke in self.strokes:
            # A shape that was let go of stays so: faster strokes need it even less.
            if best is not None and stroke.shaped and not best.shaped:
                continue
            wanted = replace(self.specification, tempo_scale=tempo_scale, stroke=stroke)
            made = self._try(wanted, best)
            if made.passed:
                break
        assert made is not None
        return made

    def _try(self, wanted: DrummingSpecification, best: Try | None) -> Try:
        """Solves and verifies strokes of one kind at one tempo."""
        started, tempo_scale = time.perf_counter(), wanted.tempo_scale
        plan = wanted.plan(self.folder)
        if plan.problem.times[-1] >= LONG:
            raise BackbeatError(
                f"{wanted.name}: takes {plan.problem.times[-1]:.0f} s; the "
                f"highest tempo is found of patterns of less than {LONG:g} s: take the "
                "bars that matter"
            )
        bpm, shaped = tempo_scale * self.bpm, wanted.stroke.shaped
        what = f"{bpm:.4g} BPM{'' if shaped else ', strokes without a shape'}"
        self.progress(1.0 - 0.8**self.count, what)
        made: Try | None = None
        for guess in self._guesses(plan, best):
            given: MotionPlan | None = plan
            while given is not None:
                solution = self._solve(given, guess, what)
                why, behavior, violations = self._verified(given, solution)
                spent = time.perf_counter() - started
                made = Try(
                    tempo_scale, bpm, why, spent, given, solution, behavior, shaped
                )
                given = _closer(given, violations)
                if given is not None:
                    guess = _moved(made, given)
            assert made is not None
            if made.passed:
                break
        assert made is not None
        return made

    def _guesses(self, plan: MotionPlan, best: Try | None) -> Iterator[Guess | None]:
        if best is not None:
            yield _moved(best, plan)
        yield None

    def _solve(
        self, plan: MotionPlan, guess: Guess | None, what: str
    ) -> TrajectorySolution:
        solver, share = InteriorPoint(Transcription(plan.problem)), 0.8**self.count

        def iteration(entry: dict[str, float]) -> None:
            done = 1.0 - share * (1.0 - 0.2 * min(1.0, entry["iteration"] / 60))
            self.progress(done, what)

        solution = solver.solve(guess, iteration)
        if not solution.is_solved and solution.violation() < NEARLY:
            solution = solver.solve(Guess(solution.q, solution.w), iteration)
        return solution

    def _verified(
        self, plan: MotionPlan, solution: TrajectorySolution
    ) -> tuple[str, Behavior | None, list[Violation]]:
        """What is wrong with a motion, the motion, and where between knots it fails."""
        if not solution.is_solved:
            at, name, amount = solution.violations()[0]
            return f"{name} is off by {amount:.2g} (scaled) at {at:.2f} s", None, []
        known = self.specification
        behavior = make_behavior(
            known.name,
            plan,
            solution,
            kind=known.kind,
            robot=known.robot,
            equipment=plan.problem.robot.equipment,
            beat_priority=known.beat_priority,
        )
        certificate = behavior.certificate
        failures = [c for c in certificate.failures() if self._counts(c)]
        if not failures:
            return "", behavior, []
        worst = failures[0]
        why = (
            f"{worst.name} is {worst.value:.3g} > {worst.bound:.3g} at "
            f"{worst.time:.2f} s ({worst.where})"
        )
        places = filter(self._counts, certificate.places)
        return why, None, Certificate((), tuple(places)).all_violations()

    def _counts(self, check: Check) -> bool:
        """Whether a check has to pass: the least time knows limits of joints alone."""
        return not self.least_time or check.name.startswith("joint_")


def _closer(plan: MotionPlan, violations: list[Violation]) -> MotionPlan | None:
    """The same hits with closer knots about troubles; None where that is no help."""
    if not violations or plan.fallback_plan is None:
        return None
    other = plan.fallback_plan(violations)
    # With other hits it would be another pattern.
    return other if other is not None and other.events == plan.events else None


def _moved(known: Try, plan: MotionPlan) -> Guess:
    """A motion at another tempo, as a start."""
    old, new = known.plan, plan
    before, after = _marks(old), _marks(new)
    times = np.interp(new.problem.times, after, before)
    t, q, w = old.problem.times, known.solution.q, known.solution.w
    columns = [np.interp(times, t, q[:, j]) for j in range(q.shape[1])]
    flat = w.reshape(len(w), -1)
    forces = [np.interp(times, t, flat[:, j]) for j in range(flat.shape[1])]
    moved = np.array(columns).T
    if new.problem.robot.floating:
        moved[:, :4] /= np.linalg.norm(moved[:, :4], axis=1, keepdims=True)
    new.problem.put_ends(moved)
    return Guess(moved, np.array(forces).T.reshape(len(times), *w.shape[1:]))


def _marks(plan: MotionPlan) -> np.ndarray:
    """Times of strokes and rests, and of both ends; as many at every tempo [s]."""
    known = [e for e in plan.events if e.kind in ("strike", "rest")]
    times = [t for e in known for t in (e.time, e.time + e.duration)]
    return np.sort([0.0, *times, float(plan.problem.times[-1])])
