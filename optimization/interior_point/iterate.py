"""Iterates of the interior-point method: initial guess, point, multipliers, filter."""

from dataclasses import dataclass, field

import numpy as np

from backbeat.optimization.interior_point.barrier import BoundBarrier
from backbeat.optimization.interior_point.newton_arrays import Multipliers
from backbeat.optimization.interior_point.step_rules import LEAST_DAMPING
from backbeat.optimization.transcription.program import Program
from backbeat.optimization.transcription.transcribe import Transcription


@dataclass(frozen=True)
class Guess:
    """A start for the interior point.

    Attributes:
        q: (N, nq) configurations.
        w: (N, C, 6) contact wrenches [weights].
    """

    q: np.ndarray
    w: np.ndarray


def default_guess(transcription: Transcription) -> Guess:
    """The problem's own guess, or rest; the weight shared by the contacts."""
    problem, program = transcription.problem, transcription.program
    N, C = problem.num_knots, len(transcription.contacts)
    w = np.zeros((N, C, 6))
    on = program.wrench_start >= 0
    patch = on & (program.wrench_first == 0)
    share = 1 / np.maximum(patch.sum(1), 1)
    w[:, :, 5] = np.where(patch, share[:, None], 0.0)
    q = problem.guess
    return Guess(np.tile(problem.q_start, (N, 1)) if q is None else q, w)


def loads_of(program: Program, w: np.ndarray) -> np.ndarray:
    """(N, n_phi) loads of (N, C, 6) wrenches [weights].

    The first knot has none, and is taken as the next.
    """
    phi = w[:, program.rated, 5].copy()
    phi[0] = phi[1]
    return phi


@dataclass
class Iterate:
    """A point, its multipliers and the state of the method.

    Attributes:
        q, w, phi: (N, nq) configurations, (N, C, 6) wrenches, (N, n_phi) loads.
        cost: of the problem there.
        barriers: of all bounds; none in the initial phase.
        multipliers: of the equations.
        mu, least_mu: barrier parameter, and its least value.
        excess_cost: of a unit of excess over an elastic bound.
        refine_after: iterations before the final refinement.
        is_far: whether the guess violates bounds by so much that a solve from it may
            begin without them.
        bounded_since: iteration after the initial phase or the last restart.
        damping: of the next step.
        refinement_steps: steps of the final refinement so far.
        accepted, theta, ratio: whether the filter took the last step, the infeasibility
            after it and its share of the one before.
        status: of the solve.
        filter: pairs of infeasibility and merit that a new step must not be dominated
            by.
        lowest, lowest_at: least violation of the final refinement up to a ratio, and
            the iteration that had it.
        log: one entry an iteration.
    """

    q: np.ndarray
    w: np.ndarray
    phi: np.ndarray
    cost: float
    barriers: tuple[BoundBarrier, ...]
    multipliers: Multipliers
    mu: float
    least_mu: float
    excess_cost: float
    refine_after: int
    is_far: bool = False
    bounded_since: int = 0
    damping: float = LEAST_DAMPING
    refinement_steps: int = 0
    accepted: bool = True
    theta: float = 0.0
    ratio: float = 0.0
    status: str = "iteration limit"
    lowest: float = np.inf
    lowest_at: int = 0
    filter: list[tuple[float, float]] = field(default_factory=list)
    log: list[dict[str, float]] = field(default_factory=list)

    def note_violation(self, iteration: int, ratio: float) -> None:
        """Notes the violation of the last step if it is the lowest of a refinement.

        Args:
            iteration: of the last entry of the log.
            ratio: of two violations, below which one is lower than the other.
        """
        violation = self.log[-1]["violation"]
        if not self.refinement_steps or violation < ratio * self.lowest:
            self.lowest, self.lowest_at = violation, iteration

    @property
    def in_initial_phase(self) -> bool:
        """Whether bounds are still left out."""
        return not self.barriers
