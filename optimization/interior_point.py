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
from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpbtrf, dpbtrs

from models.rotations import box_plus, compiled
from optimization.barrier import Side
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
from optimization.program import Evaluation
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
        excess_cost: price of a unit of excess over an elastic bound; larger than
            any multiplier of a feasible problem.
        polish_after: iterations after which a nearly still cost starts the polish.
        polish_at: iteration at which the polish starts in any case.
    """

    max_iterations: int = 60
    start_barrier: float = 1e-1
    end_barrier: float = 1e-5
    delta: float = 1e-8
    tolerance: float = 1e-6
    max_step: float = 0.6
    excess_cost: float = 1e3
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


LEAST_DAMPING = 1e-5
# Called with one log entry an iteration.
Progress = Callable[[dict[str, float]], None]


@compiled
def _retract(q, dx, scale, floating, out):
    for k in range(q.shape[0]):
        box_plus(q[k], dx[k], scale, floating, out[k])


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
        """The problem's own guess, or rest; the weight shared by the contacts."""
        problem, program = self.transcription.problem, self.transcription.program
        N, C = problem.num_knots, len(self.transcription.contacts)
        w = np.zeros((N, C, 6))
        on = program.wrench_start >= 0
        patch = on & (program.wrench_first == 0)
        share = 1 / np.maximum(patch.sum(1), 1)
        w[:, :, 5] = np.where(patch, share[:, None], 0.0)
        q = problem.guess
        return Guess(np.tile(problem.q_start, (N, 1)) if q is None else q, w)

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
        rho = self._excess_costs()
        sides = [
            Side(bound, sign, rho, self._values.rows.copy(), mu)
            for bound, sign in ((program.lower, 1.0), (program.upper, -1.0))
        ]
        lam = make_multipliers(program)
        damping, least_mu, polish = LEAST_DAMPING, options.end_barrier, 0
        filter_: list[tuple[float, float]] = []
        bounds = max(1, sum(int(side.on.sum()) for side in sides))
        log: list[dict[str, float]] = []
        last_violation = last_cost = np.inf
        status = "iteration limit"
        for iteration in range(options.max_iterations):
            parts = [side.linearize(mu) for side in sides]
            stiffness = parts[0][0] + parts[1][0]
            pull = parts[0][1] + parts[1][1]
            while not self._factor(w, lam, stiffness, pull, damping):
                damping = max(4 * damping, 1e-2)
                if damping > 1e6:
                    status = "the matrix of the step could not be factored"
                    break
            if damping > 1e6:
                break
            new_lam = self._new_multipliers(lam)
            dx, dw = self._step.dx, self._step.dw
            steps = [side.step(self._step.d_rows, mu) for side in sides]
            longest = min(primal for primal, _ in steps)
            dual = min(dual for _, dual in steps)
            largest = float(np.abs(dx[:, : program.velocity_weight.size]).max())
            if largest > options.max_step:
                longest = min(longest, options.max_step / largest)
            theta0, merit0 = self._merit(cost, self._values, sides, 0.0, mu)
            alpha, accepted = longest, False
            for _ in range(7):
                q1 = np.empty_like(q)
                _retract(q, dx, alpha, program.tree.floating, q1)
                w1 = w + alpha * dw
                phi1 = phi + alpha * dx[:, program.velocity_weight.size :]
                cost1 = self._evaluate(q1, w1, phi1, self._trial)
                theta, merit = self._merit(cost1, self._trial, sides, alpha, mu)
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
            lam = Multipliers(
                *(a + alpha * (b - a) for a, b in zip(lam, new_lam, strict=True))
            )
            cost = self._evaluate(q, w, phi, self._values)
            for side in sides:
                side.move(self._values.rows.copy(), alpha, dual, mu)
            violation = self._violation(sides)
            entry = {
                "iteration": iteration,
                "cost": cost,
                "violation": violation,
                "step": largest * alpha,
                "alpha": alpha,
                "dual_alpha": dual,
                "barrier": mu,
                "damping": damping,
                "polish": polish,
            }
            log.append(entry)
            if progress:
                progress(entry)
            change = abs(cost - last_cost) / max(abs(cost), 1e-6)
            still = mu <= 1e-3 and change < 0.01 and violation < 5e-3
            slow = violation > 0.3 * last_violation or violation < 1e-4 or polish > 0
            enough = iteration >= options.polish_after
            if (enough and (polish or (still and slow))) or (
                iteration >= options.polish_at and violation < 1e-2
            ):
                polish += 1
                damping = max(_polish_damping(polish), damping)
                mu = max(options.end_barrier, min(mu, 1e-3))
                least_mu = max(mu, least_mu)
            last_cost, last_violation = cost, violation
            done = mu <= 1.01 * least_mu and largest * alpha < 1e-2
            done = done and sum(x.complementarity() for x in sides) < 5 * mu * bounds
            if violation < options.tolerance and (done or polish):
                status = "solved"
                break
            ratio = theta / max(theta0, 1e-12)
            last_mu = mu
            mu = _next_barrier(mu, least_mu, accepted, alpha, dual, ratio, theta)
            if mu != last_mu:
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

    def _excess_costs(self) -> np.ndarray:
        """(N, rows) price of an excess; wrenches start feasible and stay hard."""
        program = self.transcription.program
        rows = program.rows
        rho = np.full(program.lower.shape, self.options.excess_cost)
        rho[:, rows.cone : rows.frame] = np.inf
        rho[:, rows.rate :] = np.inf
        return rho

    def _merit(
        self,
        cost: float,
        values: Evaluation,
        sides: list[Side],
        alpha: float,
        mu: float,
    ) -> tuple[float, float]:
        """Infeasibility and barrier function after a share alpha of the step."""
        program = self.transcription.program
        theta = float(
            np.abs(values.equality).sum()
            + np.abs(values.frame * program.frame_equal).sum()
            + np.abs(values.rest).sum()
        )
        for side in sides:
            s, e = side.s + alpha * side.ds, side.e + alpha * side.de
            theta += float(np.abs(side.residual(values.rows, s, e)).sum())
            cost += side.cost(s, e, mu)
        return theta, cost

    def _violation(self, sides: list[Side]) -> float:
        program, values = self.transcription.program, self._values
        parts = [
            np.abs(values.equality[1:-1]),
            np.abs(values.frame * program.frame_equal),
            np.abs(values.rest),
            *(np.maximum(-side.value(values.rows), 0.0) for side in sides),
        ]
        return max(float(p.max(initial=0.0)) for p in parts)


def _polish_damping(polish: int) -> float:
    """Damping of the n-th step of the polish.

    Ever shorter steps leave only the constraints to improve, and those converge
    quadratically.
    """
    return 0.1 * 10 ** min(polish - 1, 3) * 4 ** max(0, polish - 5)


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
