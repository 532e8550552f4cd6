"""Phase durations: optimal durations of stances, steps and flights.

The best cost of a problem is a function of the durations of its phases. Its gradient
is that of the Lagrangian at the fixed motion (envelope theorem), which takes one
evaluation a duration and no further solve:

    minimize over T in [least, most]    min_x cost(x, T) + weight of time * sum T

Source: Fiacco, "Introduction to Sensitivity and Stability Analysis in Nonlinear
Programming", 1983, chapter 3.
"""

from collections.abc import Mapping

import numpy as np
import scipy

from backbeat.models.common.errors import BackbeatError
from backbeat.models.dynamics.finite import UNBOUNDED
from backbeat.optimization.interior_point.added_costs import AddedCosts
from backbeat.optimization.interior_point.iterate import Guess
from backbeat.optimization.interior_point.options import InteriorPointOptions
from backbeat.optimization.interior_point.solution import TrajectorySolution
from backbeat.optimization.interior_point.solver import InteriorPoint, Progress
from backbeat.optimization.problem.trajectory_problem import TrajectoryProblem
from backbeat.optimization.transcription.linearization import evaluate_once
from backbeat.optimization.transcription.linearization_arrays import ProgramPoint
from backbeat.optimization.transcription.transcribe import Transcription

# Step of the differences in time [s], relative change of the cost that ends the
# search, and the most solves.
STEP, SETTLED, SOLVES = 1e-4, 2e-3, 25
# Warm solves as careful as cold ones: their multipliers give the gradient.
CAREFUL = InteriorPointOptions(
    warm_refine_after=InteriorPointOptions.refine_after,
)


def optimize_durations(
    problem: TrajectoryProblem,
    bounds: Mapping[int, tuple[float, float]],
    progress: Progress | None = None,
) -> TrajectorySolution:
    """Solves a problem and optimizes the durations of some of its phases.

    Args:
        problem: the problem, with durations to start from.
        bounds: least and most duration [s] of phases, by index.
        progress: called after every iteration of every solve.

    Returns:
        The best solution; its transcription's problem has the chosen durations. When
        the problem cannot be solved as it stands, that unsolved solution.

    Raises:
        BackbeatError: a phase does not exist, or its bounds do not hold its duration.
    """
    phases = problem.schedule.phases
    for i, (least, most) in bounds.items():
        if not 0 <= i < len(phases):
            raise BackbeatError(f"there is no phase {i}; there are {len(phases)}")
        if not 0 < least <= phases[i].duration <= most:
            raise BackbeatError(
                f"phase {i} lasts {phases[i].duration:g} s, which is not between "
                f"{least:g} and {most:g} s"
            )
    search = _Search(problem, sorted(bounds), progress)
    if not search.best.is_solved or not bounds:
        return search.best
    scipy.optimize.minimize(
        search,
        [phases[i].duration for i in sorted(bounds)],
        jac=True,
        bounds=[bounds[i] for i in sorted(bounds)],
        method="L-BFGS-B",
        options={"maxfun": SOLVES, "ftol": SETTLED},
    )
    return search.best


class _Search:
    """The best cost as a function of the free durations, with its gradient."""

    def __init__(
        self,
        problem: TrajectoryProblem,
        free: list[int],
        progress: Progress | None,
    ) -> None:
        self._problem, self._free, self._weight = problem, free, problem.weights.time
        self._progress = progress
        self.best = InteriorPoint(Transcription(problem)).solve(progress=progress)
        self._value = self.best.cost + self._weight * problem.schedule.duration

    def __call__(self, durations: np.ndarray) -> tuple[float, np.ndarray]:
        problem = self._retimed(durations)
        solution = InteriorPoint(Transcription(problem), CAREFUL).solve(
            Guess(self.best.q, self.best.w), self._progress
        )
        value = solution.cost + self._weight * problem.schedule.duration
        if not solution.is_solved:
            # No solution: twice the cost, with a gradient back to the best durations.
            away = np.asarray(durations) - self._durations(self.best)
            return 2.0 * self._value, np.asarray(self._value * np.sign(away))
        if value < self._value:
            self.best, self._value = solution, value
        return value, self._gradient(solution, durations)

    def _durations(self, solution: TrajectorySolution) -> np.ndarray:
        phases = solution.transcription.problem.schedule.phases
        return np.array([phases[i].duration for i in self._free])

    def _retimed(self, durations: np.ndarray) -> TrajectoryProblem:
        every = [p.duration for p in self._problem.schedule.phases]
        for i, T in zip(self._free, durations, strict=True):
            every[i] = float(T)
        return self._problem.retimed(every)

    def _gradient(
        self, solution: TrajectorySolution, durations: np.ndarray
    ) -> np.ndarray:
        gradient = np.zeros(len(self._free))
        for i in range(len(gradient)):
            step = np.zeros(len(gradient))
            step[i] = STEP
            values = [
                lagrangian(solution, self._retimed(durations + sign * step))
                for sign in (1, -1)
            ]
            gradient[i] = (values[0] - values[1]) / (2 * STEP) + self._weight
        return gradient


def lagrangian(solution: TrajectorySolution, problem: TrajectoryProblem) -> float:
    """Lagrangian of a problem at the knots and multipliers of a solution of another.

    Args:
        solution: solution of a problem of the same structure.
        problem: the problem whose cost, equations and bounds count.
    """
    transcription = Transcription(problem)
    program, at = transcription.program, (solution.q, solution.w, solution.phi)
    cost, values = evaluate_once(program, *at)
    cost += AddedCosts(transcription).evaluate(ProgramPoint(*at), values)
    multipliers, of_bounds = solution.multipliers, solution.bound_multipliers
    cost += float((multipliers.equality * values.equality).sum())
    cost += float((multipliers.frame * program.frame_equal * values.frame).sum())
    cost += float(multipliers.rest @ values.rest)
    for bound, counts in (
        (program.upper, of_bounds > 0),
        (program.lower, of_bounds < 0),
    ):
        counts = counts & (np.abs(bound) < UNBOUNDED / 2)
        cost += float((of_bounds * (values.rows - bound))[counts].sum())
    return cost
