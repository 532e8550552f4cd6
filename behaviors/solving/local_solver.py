"""Local solver: the part of a motion whose plan has changed is solved anew.

See `backbeat.optimization.windows.patch` for what a patch is. What is verified is the
joined motion: all its knots, and every sample that is not the very same as before.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from backbeat.behaviors.library.behavior import centroidal_quantities
from backbeat.behaviors.motion.concatenation import (
    COLUMNS,
    make_continuous,
    rows,
    with_contacts,
)
from backbeat.behaviors.motion.plan import MotionPlan
from backbeat.behaviors.solving.window_steps import Source, around, make_curves
from backbeat.behaviors.solving.windowed import LONG, FoundMotion, WindowedSolver
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel
from backbeat.optimization.diagnosis.explanation import explain
from backbeat.optimization.diagnosis.limit_use import active_limits
from backbeat.optimization.interior_point.iterate import Guess
from backbeat.optimization.interior_point.solution import TrajectorySolution
from backbeat.optimization.interior_point.solver import InteriorPoint
from backbeat.optimization.problem.dense_trajectory import DenseTrajectory
from backbeat.optimization.problem.trajectory_problem import TrajectoryProblem
from backbeat.optimization.reconstruction.reconstruct import reconstruct
from backbeat.optimization.transcription.transcribe import Transcription
from backbeat.optimization.verification.certificate import Certificate
from backbeat.optimization.verification.piecewise import PiecewiseVerifier
from backbeat.optimization.verification.verify import Verifier, knot_check
from backbeat.optimization.windows.patch import (
    Patch,
    changed_knots,
    make_patch,
    patch_problem,
)
from backbeat.optimization.windows.pieces import Knots, ordered

# What is found anew on either side of what changed [s], and whether from the old
# motion: little first, and more if that is not enough.
ATTEMPTS = ((0.75, True), (0.75, False), (3.0, False))
# Longest search for the reason of a failure [s].
PATIENCE = 10.0
# Called with a share of the work and what is done; it may raise to end the work.
Progress = Callable[[float, str], None]


@dataclass(frozen=True)
class Solved:
    """A problem and the motion that was found for it.

    Attributes:
        transcription: the problem.
        found: its motion, with its knots.
    """

    transcription: Transcription
    found: FoundMotion

    @property
    def knots(self) -> Knots:
        """Knots of the motion."""
        assert self.found.knots is not None
        return self.found.knots


@dataclass(frozen=True)
class LocalSolution:
    """A motion that was found anew where its problem changed.

    Attributes:
        solved: problem and motion.
        start, end: the time in which the problem changed [s].
        knots: how many knots were found anew.
        pieces: how many pieces of the motion were verified anew.
    """

    solved: Solved
    start: float
    end: float
    knots: int
    pieces: int


class LocalSolver:
    """Solves motions anew in part, with a verifier that keeps its results."""

    def __init__(self) -> None:
        """Begins without results."""
        self._problem: TrajectoryProblem | None = None
        self._pieces: PiecewiseVerifier | None = None

    def _verifier(self, problem: TrajectoryProblem) -> PiecewiseVerifier:
        """The verifier of a problem; a new one where robot or solids are others."""
        known, friction = self._problem, problem.limits.friction
        if (
            self._pieces is None
            or known is None
            or known.robot is not problem.robot
            or known.collisions is not problem.collisions
            or known.limits.friction != friction
        ):
            verifier = Verifier(problem.robot, problem.collisions, friction)
            self._problem, self._pieces = problem, PiecewiseVerifier(verifier)
        return self._pieces

    def learn(self, solved: Solved, progress: Progress) -> None:
        """Verifies a motion in pieces, for those to come that share some."""
        self._verified(
            solved.transcription, solved.knots, solved.found.motion, progress
        )

    def solve(
        self,
        before: Solved,
        transcription: Transcription,
        place: Callable[[float], str],
        progress: Progress,
    ) -> LocalSolution | None:
        """The motion of a problem that differs little; None if it is not of a kind.

        Args:
            before: what is known, of a problem like it.
            transcription: the new problem.
            place: what musicians call a time [s]; empty without music.
            progress: called as the work goes on.

        Raises:
            BackbeatError: there is no such motion, or it fails verification: why.
        """
        problem = transcription.problem
        changed = changed_knots(before.transcription, transcription)
        if changed is None:
            return None
        if len(changed) == 0:
            end = float(problem.times[-1])
            return LocalSolution(Solved(transcription, before.found), 0.0, end, 0, 0)
        times = problem.times[changed[[0, -1]]]
        for beside, is_warm in ATTEMPTS:
            progress(0.1, "solving")
            patch = make_patch(problem, changed, beside)
            solution = _solve(problem, patch, before.knots, is_warm, progress)
            if not solution.is_solved:
                continue
            progress(0.5, "verifying")
            found = self._filled(transcription, before, patch, solution, progress)
            if found.certificate.passed:
                assert self._pieces is not None
                solved, count = (
                    Solved(transcription, found),
                    patch.end - patch.start + 1,
                )
                ends = float(times[0]), float(times[1])
                return LocalSolution(solved, *ends, count, self._pieces.verified)
        if solution.is_solved:
            check = found.certificate.failures()[0]
            raise BackbeatError(f"the motion fails verification: {check}")
        begins = float(problem.times[patch.start])
        raise BackbeatError(_refusal(place, solution, begins, progress))

    def _filled(
        self,
        transcription: Transcription,
        before: Solved,
        patch: Patch,
        solution: TrajectorySolution,
        progress: Progress,
    ) -> FoundMotion:
        """The whole motion with a patch, verified."""
        problem, old = transcription.problem, before.found
        knots = _joined(before.knots, patch, solution, problem.contact_names)
        window = patch.window()
        curves = make_curves(problem, window, around(window, knots))
        new = with_contacts(rows(curves.whole, curves.own), problem.contact_names)
        first = float(problem.times[window.first]) if window.first else 0.0
        at = _place(old.motion, first, len(new.t))
        motion, centroidal = _spliced(problem.robot, old, at, new)
        values, certificate = self._verified(transcription, knots, motion, progress)
        return old._replace(
            motion=motion,
            centroidal=centroidal,
            certificate=certificate,
            log=solution.log,
            limits=active_limits(values).to_dict("records"),
            costs=None,
            violation=values.violation(),
            seconds=solution.solve_time,
            knots=knots,
        )

    def _verified(
        self,
        transcription: Transcription,
        knots: Knots,
        motion: DenseTrajectory,
        progress: Progress,
    ) -> tuple[TrajectorySolution, Certificate]:
        """All knots with what they meet, and the certificate of the motion."""
        problem = transcription.problem
        w = ordered(knots.w, problem.contact_names, transcription.contacts)
        values = InteriorPoint(transcription).evaluate(Guess(knots.q, w))
        pieces = self._verifier(problem)
        certificate = pieces.verify(
            motion, knot_check(values), lambda: progress(0.7, "verifying")
        )
        return values, certificate


def _solve(
    problem: TrajectoryProblem,
    patch: Patch,
    old: Knots,
    is_warm: bool,
    progress: Progress,
) -> TrajectorySolution:
    part, guess = patch_problem(problem, patch, old)
    solver = InteriorPoint(Transcription(part))
    return solver.solve(guess if is_warm else None, lambda _: progress(0.2, "solving"))


def _joined(
    old: Knots, patch: Patch, solution: TrajectorySolution, contacts: tuple[str, ...]
) -> Knots:
    """The knots of a whole motion with a patch."""
    a, b = patch.start, patch.end
    q, w = old.q.copy(), old.w.copy()
    q[a : b + 1] = solution.q
    new = ordered(solution.w, solution.transcription.contacts, contacts)
    # At an end within the motion the wrench is that of the knot's neighbors there.
    first, last = int(a > 0), len(new) - (b < len(q) - 1)
    w[a + first : a + last] = new[first:last]
    return Knots(q, w)


def _place(motion: DenseTrajectory, first: float, count: int) -> slice:
    """Where so many samples from a time on are in a motion."""
    start = 0 if first == 0 else int(np.searchsorted(motion.t, first - 1e-9))
    return slice(start, start + count)


def _spliced(
    robot: RobotModel, old: FoundMotion, at: slice, new: DenseTrajectory
) -> tuple[DenseTrajectory, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """A motion with some of its samples replaced, and what goes with them."""
    columns = {n: getattr(old.motion, n).copy() for n in COLUMNS}
    for name, column in columns.items():
        column[at] = getattr(new, name)
    make_continuous(columns["q"], columns["tau"].shape[1])
    motion = replace(old.motion, **columns)
    com, momentum, inertia = (whole.copy() for whole in old.centroidal)
    parts = centroidal_quantities(robot, rows(motion, at))
    com[at], momentum[at], inertia[at] = parts
    return motion, (com, momentum, inertia)


def _refusal(
    place: Callable[[float], str],
    solution: TrajectorySolution,
    begins: float,
    progress: Progress,
) -> str:
    """Why there is no motion, with times of the whole."""
    why = explain(
        solution, lambda kind: progress(0.3, f"failed; is it {kind}?"), PATIENCE
    )
    return f"no motion found: {why.later(begins).sentence(place)}"


def find_motion(
    source: Source,
    plan: MotionPlan,
    windowed_solver: WindowedSolver,
    progress: Progress,
) -> FoundMotion:
    """The motion of a plan with its knots, as a build finds it.

    Raises:
        BackbeatError: there is none.
    """
    if plan.in_windows or plan.problem.times[-1] >= LONG:
        _, found = windowed_solver.solve(source, plan, progress)
        return found
    problem = plan.problem
    solver = InteriorPoint(Transcription(problem))
    solution = solver.solve(progress=lambda _: progress(0.5, "preparing"))
    if not solution.is_solved:
        raise BackbeatError(f"no motion found: {solution.status}")
    contacts = solution.transcription.contacts
    motion = reconstruct(solution)
    return FoundMotion(
        motion=motion,
        centroidal=centroidal_quantities(problem.robot, motion),
        certificate=Certificate(()),
        log=solution.log,
        limits=[],
        violation=solution.violation(),
        seconds=solution.solve_time,
        knots=Knots(solution.q, ordered(solution.w, contacts, problem.contact_names)),
    )
