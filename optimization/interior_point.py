"""The primal-dual interior point that solves a transcribed problem.

One iteration is one linearization, one banded Cholesky factorization and one
filter line search on the configuration manifold. With slacks s of the
inequality rows l <= g <= u, barrier mu, equality residuals c and their
multipliers, the step solves the regularized Gauss-Newton system of

    minimize f - mu sum log(s - l) - mu sum log(u - s)
    subject to g = s, c = 0,

in which equalities enter as augmented-Lagrangian terms c'c / (2 delta).

Sources
    Nocedal, Wright, "Numerical Optimization", 2006, chapters 17 and 19.
    Waechter, Biegler, "On the Implementation of an Interior-Point Filter
    Line-Search Algorithm for Large-Scale Nonlinear Programming", 2006.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy.linalg.lapack import dpbtrf, dpbtrs

from models.rotations import box_plus, compiled
from optimization.linearization import (
    evaluate,
    make_evaluation,
    make_linearization,
    make_scratch,
)
from optimization.normal_equations import (
    Multipliers,
    assemble,
    make_multipliers,
    make_step,
    recover,
)
from optimization.program import FREE, Evaluation
from optimization.trajectory_solution import TrajectorySolution
from optimization.transcription import Transcription


@dataclass(frozen=True)
class InteriorPointOptions:
    """Constants of the interior point; the defaults solved every shipped problem.

    Attributes:
        max_iterations: give up after so many.
        start_barrier, end_barrier: first and last mu.
        delta: regularization of equalities; smaller fails to factor, larger
            converges slowly on short intervals.
        tolerance: largest scaled violation accepted.
        max_step: largest tangent increment of one iteration [rad or m].
        polish_after: iterations after which a nearly still cost starts the polish.
        polish_at: iteration at which the polish starts in any case.
    """

    max_iterations: int = 60
    start_barrier: float = 1e-1
    end_barrier: float = 1e-5
    delta: float = 1e-8
    tolerance: float = 1e-6
    max_step: float = 0.6
    polish_after: int = 8
    polish_at: int = 12


@dataclass(frozen=True)
class Guess:
    """A start for the interior point.

    Attributes:
        q: (N, nq) configurations.
        w: (N, C, 6) contact wrenches [weights].
    """

    q: np.ndarray
    w: np.ndarray


# Largest damping; beyond it steps are too short to matter.
MAX_DAMPING = 100.0
LEAST_DAMPING = 1e-5
# Called with one log entry an iteration.
Progress = Callable[[dict[str, float]], None]


@compiled
def _retract(q, dx, scale, floating, out):
    for k in range(q.shape[0]):
        box_plus(q[k], dx[k], scale, floating, out[k])


@dataclass
class _Barrier:
    """Slacks of bounded rows, their multipliers, and mu."""

    lower: np.ndarray
    upper: np.ndarray
    s: np.ndarray
    mu: float
    has_lower: np.ndarray = field(init=False)
    has_upper: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.has_lower = self.lower > -FREE / 2
        self.has_upper = self.upper < FREE / 2
        self.bounded = self.has_lower | self.has_upper
        g = self.s
        span = np.where(self.has_lower & self.has_upper, self.upper - self.lower, 1e3)
        # Slacks start inside, at most a fifth of the room away from a bound.
        pad = np.minimum(0.05, 0.2 * span)
        low = np.where(self.has_lower, self.lower + pad, -np.inf)
        high = np.where(self.has_upper, self.upper - pad, np.inf)
        self.s = np.where(self.bounded, np.clip(g, low, high), g)
        self.zl = np.where(self.has_lower, self.mu / self.room_below(self.s), 0.0)
        self.zu = np.where(self.has_upper, self.mu / self.room_above(self.s), 0.0)

    def room_below(self, s: np.ndarray) -> np.ndarray:
        return np.where(self.has_lower, s - self.lower, 1.0)

    def room_above(self, s: np.ndarray) -> np.ndarray:
        return np.where(self.has_upper, self.upper - s, 1.0)

    def value(self, s: np.ndarray) -> float:
        below = np.log(self.room_below(s)).sum()
        return -self.mu * float(below + np.log(self.room_above(s)).sum())

    def linearize(self, g: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Stiffness S, pull and slack residual of the rows g."""
        below, above = self.room_below(self.s), self.room_above(self.s)
        stiffness = self.zl / below + self.zu / above
        gap = np.where(self.bounded, g - self.s, 0.0)
        pull = stiffness * gap
        pull -= np.where(self.has_lower, self.mu / below, 0.0)
        pull += np.where(self.has_upper, self.mu / above, 0.0)
        return stiffness, pull, gap

    def step(self, ds: np.ndarray) -> tuple[np.ndarray, np.ndarray, float, float]:
        """Multiplier steps and the longest primal and dual step lengths."""
        below, above = self.room_below(self.s), self.room_above(self.s)
        dzl = self.mu / below - self.zl - self.zl / below * ds
        dzu = self.mu / above - self.zu + self.zu / above * ds
        dzl, dzu = np.where(self.has_lower, dzl, 0), np.where(self.has_upper, dzu, 0)
        tau = max(0.99, 1 - self.mu)
        primal = min(
            _longest(below, np.where(self.has_lower, ds, 0.0), tau),
            _longest(above, np.where(self.has_upper, -ds, 0.0), tau),
        )
        dual = min(_longest(self.zl, dzl, tau), _longest(self.zu, dzu, tau))
        return dzl, dzu, primal, dual

    def move(self, s: np.ndarray, zl: np.ndarray, zu: np.ndarray) -> None:
        """Takes a step, keeping multipliers near the central path."""
        self.s = s
        below, above = self.room_below(s), self.room_above(s)
        near = (1e-8, 1e8)
        low, high = (self.mu / below * x for x in near)
        self.zl = np.where(self.has_lower, np.clip(zl, low, high), 0.0)
        low, high = (self.mu / above * x for x in near)
        self.zu = np.where(self.has_upper, np.clip(zu, low, high), 0.0)

    def complementarity(self) -> float:
        """Mean product of room and multiplier."""
        total = (self.zl * self.room_below(self.s))[self.has_lower].sum()
        total += (self.zu * self.room_above(self.s))[self.has_upper].sum()
        return float(total / max(1, self.has_lower.sum() + self.has_upper.sum()))


def _longest(x: np.ndarray, dx: np.ndarray, tau: float) -> float:
    """Longest step <= 1 that keeps x + step dx >= (1 - tau) x."""
    falling = dx < -1e-14
    if not falling.any():
        return 1.0
    return min(1.0, tau * float(np.min(x[falling] / -dx[falling])))


class InteriorPoint:
    """Solver of one Transcription; memory is allocated once and reused."""

    def __init__(
        self, transcription: Transcription, options: InteriorPointOptions | None = None
    ) -> None:
        """Allocates the solver's memory."""
        self.transcription = transcription
        self.options = options or InteriorPointOptions()
        program = transcription.program
        self._scratch = make_scratch(program)
        self._values, self._trial = make_evaluation(program), make_evaluation(program)
        self._derivatives = make_linearization(program)
        self._trial_derivatives = self._derivatives._replace(
            left=np.zeros_like(self._derivatives.left),
            right=np.zeros_like(self._derivatives.right),
        )
        self._step = make_step(program)

    def default_guess(self) -> Guess:
        """The start configuration at rest, its weight shared by the contacts."""
        problem, program = self.transcription.problem, self.transcription.program
        N, C = problem.num_knots, len(self.transcription.contacts)
        w = np.zeros((N, C, 6))
        on = program.wrench_start >= 0
        patch = on & (program.wrench_first == 0)
        share = 1 / np.maximum(patch.sum(1), 1)
        w[:, :, 5] = np.where(patch, share[:, None], 0.0)
        return Guess(np.tile(problem.q_start, (N, 1)), w)

    def _evaluate(
        self, q: np.ndarray, w: np.ndarray, phi: np.ndarray, values: Evaluation
    ) -> float:
        linearize = values is self._values
        return float(
            evaluate(
                self.transcription.program,
                q,
                w,
                phi,
                self._scratch,
                values,
                self._derivatives if linearize else self._trial_derivatives,
                linearize,
            )
        )

    def solve(
        self, guess: Guess | None = None, progress: Progress | None = None
    ) -> TrajectorySolution:
        """Solves from a guess; a guess that is a solution is a warm start.

        Args:
            guess: start; None takes `default_guess`.
            progress: called after every iteration with its log entry.

        Returns:
            The solution, whose status says whether it converged. Never NaN.
        """
        started = time.perf_counter()
        options, program = self.options, self.transcription.program
        warm = guess is not None
        guess = guess or self.default_guess()
        q, w = guess.q.copy(), guess.w.copy()
        problem = self.transcription.problem
        q[0] = q[1] = problem.q_start
        phi = w[:, program.rated, 5].copy()
        phi[0] = phi[1]
        cost = self._evaluate(q, w, phi, self._values)
        mu = 1e-3 if warm else options.start_barrier
        barrier = _Barrier(
            program.lower, program.upper, self._values.rows.copy(), min(mu, 1.0)
        )
        lam = make_multipliers(program)
        damping, least_mu, polish = LEAST_DAMPING, options.end_barrier, 0
        filter_: list[tuple[float, float]] = []
        log: list[dict[str, float]] = []
        last_violation = last_cost = np.inf
        status = "iteration limit"
        for iteration in range(options.max_iterations):
            stiffness, pull, gap = barrier.linearize(self._values.rows)
            while not self._factor(w, lam, stiffness, pull, damping):
                damping = max(4 * damping, 1e-2)
                if damping > 1e6:
                    status = "the matrix of the step could not be factored"
                    break
            if damping > 1e6:
                break
            new_lam = self._new_multipliers(lam)
            dx, dw = self._step.dx, self._step.dw
            ds = np.where(barrier.bounded, self._step.d_rows + gap, 0.0)
            dzl, dzu, longest, dual = barrier.step(ds)
            largest = float(np.abs(dx[:, : program.velocity_weight.size]).max())
            if largest > options.max_step:
                longest = min(longest, options.max_step / largest)
            theta0 = self._infeasibility(self._values, barrier.s)
            merit0 = cost + barrier.value(barrier.s)
            alpha, accepted = longest, False
            for _ in range(7):
                q1 = np.empty_like(q)
                _retract(q, dx, alpha, program.tree.floating, q1)
                w1 = w + alpha * dw
                phi1 = phi + alpha * dx[:, program.velocity_weight.size :]
                s1 = barrier.s + alpha * ds
                cost1 = self._evaluate(q1, w1, phi1, self._trial)
                theta = self._infeasibility(self._trial, s1)
                merit = cost1 + barrier.value(s1)
                if _accepts(filter_, theta, merit, theta0, merit0, alpha):
                    accepted = True
                    break
                alpha *= 0.5
            else:
                alpha *= 2  # the last trial is taken although the filter refused it
            if not np.isfinite(cost1) or not np.isfinite(theta):
                status = "the search left the region where the model is finite"
                break
            if accepted and theta >= 1e-5:
                filter_.append((theta0, merit0))
            if not polish:
                bad = not accepted or alpha < 0.2 * longest
                damping = _damping(
                    damping, bad, theta / max(theta0, 1e-12), theta, iteration
                )
            q, w, phi = q1, w1, phi1
            barrier.move(s1, barrier.zl + dual * dzl, barrier.zu + dual * dzu)
            lam = Multipliers(
                *(a + alpha * (b - a) for a, b in zip(lam, new_lam, strict=True))
            )
            cost = self._evaluate(q, w, phi, self._values)
            violation = self._violation(barrier)
            entry = {
                "iteration": iteration,
                "cost": cost,
                "violation": violation,
                "step": largest * alpha,
                "alpha": alpha,
                "dual_alpha": dual,
                "barrier": barrier.mu,
                "damping": damping,
                "polish": polish,
            }
            log.append(entry)
            if progress:
                progress(entry)
            change = abs(cost - last_cost) / max(abs(cost), 1e-6)
            still = barrier.mu <= 1e-3 and change < 0.01 and violation < 5e-3
            slow = violation > 0.3 * last_violation or violation < 1e-4 or polish > 0
            enough = iteration >= options.polish_after
            if (enough and (polish or (still and slow))) or (
                iteration >= options.polish_at
            ):
                polish += 1
                damping = max(min(MAX_DAMPING, 0.1 * 10 ** (polish - 1)), damping)
                barrier.mu = max(options.end_barrier, min(barrier.mu, 1e-3))
                least_mu = max(barrier.mu, least_mu)
            last_cost, last_violation = cost, violation
            done = barrier.mu <= 1.01 * least_mu and largest * alpha < 1e-2
            done = done and barrier.complementarity() < 5 * barrier.mu
            if violation < options.tolerance and (done or polish):
                status = "solved"
                break
            ratio = theta / max(theta0, 1e-12)
            mu = _next_barrier(
                barrier.mu, least_mu, accepted, alpha, dual, ratio, theta
            )
            if mu != barrier.mu:
                barrier.mu = mu
                filter_ = []
        return TrajectorySolution(
            transcription=self.transcription,
            q=q,
            w=w,
            rows=self._values.rows.copy(),
            equality=self._values.equality.copy(),
            frame=self._values.frame.copy(),
            velocity=self._values.velocity.copy(),
            cost=cost,
            status=status,
            log=log,
            solve_time=time.perf_counter() - started,
        )

    def _factor(
        self,
        w: np.ndarray,
        lam: Multipliers,
        stiffness: np.ndarray,
        pull: np.ndarray,
        damping: float,
    ) -> bool:
        """Assembles, factors and solves for the step; False if not factorable."""
        program, step = self.transcription.program, self._step
        assemble(
            program,
            w,
            self._values,
            self._derivatives,
            lam,
            stiffness,
            pull,
            self.options.delta,
            damping,
            step,
        )
        factor, info = dpbtrf(step.band.T, lower=1, overwrite_ab=1)
        if info != 0:
            return False
        dx, info = dpbtrs(factor, step.rhs, lower=1)
        if info != 0 or not np.isfinite(dx).all():
            return False
        step.dx[:2] = 0.0
        step.dx[2:] = dx.reshape(len(step.dx) - 2, -1)
        recover(program, self._derivatives, step)
        return True

    def _new_multipliers(self, lam: Multipliers) -> Multipliers:
        program, step, values = self.transcription.program, self._step, self._values
        delta = self.options.delta
        equality = lam.equality + (values.equality + step.d_equality) / delta
        equality[0] = equality[-1] = 0
        frame = values.frame + step.d_frame
        scale = program.rest_scale / program.h[-1]
        nv = len(values.rest)
        d_rest = scale * (step.dx[-1, :nv] - step.dx[-2, :nv])
        return Multipliers(
            equality,
            lam.frame + program.frame_equal * frame / delta,
            lam.rest + (values.rest + d_rest) / delta,
        )

    def _infeasibility(self, values: Evaluation, s: np.ndarray) -> float:
        program = self.transcription.program
        bounded = (program.lower > -FREE / 2) | (program.upper < FREE / 2)
        return float(
            np.abs(values.equality).sum()
            + np.abs(values.frame * program.frame_equal).sum()
            + np.abs(values.rest).sum()
            + np.abs((values.rows - s)[bounded]).sum()
        )

    def _violation(self, barrier: _Barrier) -> float:
        program, values = self.transcription.program, self._values
        parts = [
            np.abs(values.equality[1:-1]),
            np.abs(values.frame * program.frame_equal),
            np.abs(values.rest),
            np.abs((values.rows - barrier.s)[barrier.bounded]),
        ]
        return max(float(p.max(initial=0.0)) for p in parts)


def _accepts(
    filter_: list[tuple[float, float]],
    theta: float,
    merit: float,
    theta0: float,
    merit0: float,
    alpha: float,
) -> bool:
    """Whether a trial point improves on the current one and on the filter."""
    if not (np.isfinite(theta) and np.isfinite(merit)):
        return False
    if theta < 1e-5 and merit <= merit0 + 1e-6 * abs(merit0):
        return True
    if theta > (1 - 1e-3 * alpha) * theta0 and merit > merit0 - 1e-4 * theta0:
        return False
    return all(theta <= (1 - 1e-4) * a or merit <= b - 1e-4 * a for a, b in filter_)


def _damping(
    damping: float, bad: bool, ratio: float, theta: float, iteration: int
) -> float:
    """Levenberg damping: up when steps fail or hardly help, down otherwise."""
    if bad:
        return max(10 * damping, 3e-2)
    if ratio > 0.5 and theta > 0.1 and iteration > 1:
        return min(max(4 * damping, 3e-2), 1.0)
    return 0.25 * damping if damping > 3e-2 else LEAST_DAMPING


def _next_barrier(
    mu: float,
    least: float,
    accepted: bool,
    alpha: float,
    dual: float,
    ratio: float,
    theta: float,
) -> float:
    """The barrier falls fast after long steps and waits for feasibility."""
    if ratio > 0.7 and theta > 0.1 and mu < 1e-2:
        return mu
    if accepted and alpha > 0.5 and dual > 0.3:
        return max(least, min(0.1 * mu, mu**1.3) if alpha > 0.9 else 0.5 * mu)
    if accepted and alpha > 0.2:
        return max(least, 0.7 * mu)
    return mu
