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
from threadpoolctl import threadpool_limits

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
        warm_polish_after: the same from a guess that is nearly a solution.
        polish_at: iteration at which the polish starts in any case.
        refinements: most times that the solution from a far guess is solved again,
            until its cost settles; the polish had to stop it on the way.
    """

    max_iterations: int = 60
    start_barrier: float = 1e-1
    end_barrier: float = 1e-5
    delta: float = 1e-8
    tolerance: float = 1e-6
    max_step: float = 0.6
    excess_cost: float = 1e3
    polish_after: int = 8
    warm_polish_after: int = 1
    polish_at: int = 12
    refinements: int = 4


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
# Barrier of a warm start, and the highest at which the polish may begin.
WARM_BARRIER, POLISH_BARRIER = 3e-4, 1e-3
# Excess over a bound, in scaled rows, beyond which a guess is first smoothed, down to
# which, and for how many iterations at most.
FAR_OFF, NEAR, FREE_ITERATIONS = 5.0, 1.5, 8
# Softness of equalities meanwhile, and change of the cost that is none.
SOFT, SETTLED = 0.1, 0.01
# Steps of a polish after which one that is still off will not arrive any more.
STUCK = 7
# Share of a step that counts as one of the polish.
LONG = 0.5
# Violation from which on a polish arrives.
NEARLY = 1e-4
# Iterations beyond the most that a polish may take, and the violation that it is at.
EXTRA_TIME, CLOSE = 40, 1e-3
# What holds a given knot, in units of the step's matrix.
HELD = 1e20
# Called with one log entry an iteration.
Progress = Callable[[dict[str, float]], None]


@compiled
def _retract(q, dx, scale, floating, out):
    for k in range(q.shape[0]):
        box_plus(q[k], dx[k], scale, floating, out[k])


@dataclass
class _Run:
    """The iterate of a solve and what is remembered between iterations."""

    q: np.ndarray
    w: np.ndarray
    phi: np.ndarray
    cost: float
    sides: tuple[Side, ...]
    multipliers: Multipliers
    mu: float
    least_mu: float
    polish_after: int
    near_since: int = 0
    damping: float = LEAST_DAMPING
    polish: int = 0
    accepted: bool = True
    theta: float = 0.0
    ratio: float = 0.0
    status: str = "iteration limit"
    filter: list[tuple[float, float]] = field(default_factory=list)
    log: list[dict[str, float]] = field(default_factory=list)

    @property
    def is_far(self) -> bool:
        """Whether the bounds are not up yet."""
        return not self.sides

    @property
    def came_far(self) -> bool:
        """Whether it started without bounds."""
        return self.is_far or self.near_since > 0


@dataclass(frozen=True)
class _Trial:
    """A point tried by the line search."""

    q: np.ndarray
    w: np.ndarray
    phi: np.ndarray
    cost: float
    theta: float
    alpha: float
    accepted: bool
    linearized: bool


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
        self._trial_derivatives = make_linearization(program)
        self._step = make_step(program)

    def evaluate(self, guess: Guess) -> TrajectorySolution:
        """The given knots as they are, with the values of every row at them."""
        run = self._start(guess, self.options.polish_after, linearize=False)
        run.status = "given"
        return self._solution(run, 0.0)

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
        self, q: np.ndarray, w: np.ndarray, phi: np.ndarray, linearize: bool = True
    ) -> float:
        """Values and derivatives at a point, which becomes the current one."""
        cost = self._try(q, w, phi, linearize)
        self._accept()
        return cost

    def _try(
        self, q: np.ndarray, w: np.ndarray, phi: np.ndarray, linearize: bool
    ) -> float:
        """Cost of a point; its values, and derivatives if asked, wait beside."""
        return float(
            evaluate(
                self.transcription.program,
                q,
                w,
                phi,
                self._scratch,
                self._trial,
                self._trial_derivatives,
                linearize,
            )
        )

    def _accept(self) -> None:
        """Makes the point tried last, with derivatives, the current one."""
        self._values, self._trial = self._trial, self._values
        self._derivatives, self._trial_derivatives = (
            self._trial_derivatives,
            self._derivatives,
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
        started, options = time.perf_counter(), self.options
        warm = options.warm_polish_after
        polish_after = options.polish_after if guess is None else warm
        # Many small products: threads of the BLAS would only wait for each other.
        clear = guess is None and self.transcription.problem.guess_is_clear
        with threadpool_limits(1):
            run = self._run(guess, polish_after, [], progress, clear)
            if clear and run.status != "solved":
                run = self._run(guess, polish_after, run.log, progress)
            for _ in range(options.refinements if run.came_far else 0):
                if run.status != "solved":
                    break
                better = self._run(
                    Guess(run.q, run.w), options.polish_after, run.log, progress
                )
                if better.status != "solved":
                    self._evaluate(run.q, run.w, run.phi)
                    break
                settled = better.cost > (1 - SETTLED) * run.cost
                run = better
                if settled:
                    break
        return self._solution(run, time.perf_counter() - started)

    def _solution(self, run: _Run, seconds: float) -> TrajectorySolution:
        """What a run has found."""
        values = self._values
        prices = [-side.price() for side in run.sides]
        return TrajectorySolution(
            transcription=self.transcription,
            q=run.q,
            w=run.w,
            phi=run.phi,
            rows=values.rows.copy(),
            equality=values.equality.copy(),
            frame=values.frame.copy(),
            velocity=values.velocity.copy(),
            multipliers=run.multipliers,
            price=np.sum([np.zeros_like(values.rows), *prices], axis=0),
            cost=run.cost,
            status=run.status,
            log=run.log,
            solve_time=seconds,
        )

    def _run(
        self,
        guess: Guess | None,
        polish_after: int,
        log: list[dict[str, float]],
        progress: Progress | None,
        clear: bool = False,
    ) -> _Run:
        """Iterates from a guess until the problem is solved or given up."""
        run = self._start(guess, polish_after, clear)
        run.log = log
        for iteration in range(self.options.max_iterations + EXTRA_TIME):
            late = iteration >= self.options.max_iterations
            if late and not (run.polish and run.log[-1]["violation"] < CLOSE):
                break
            if not self._iterate(run, iteration):
                break
            if progress:
                progress(run.log[-1])
            if run.is_far:
                self._come_near(run, iteration)
            elif self._converged(run):
                run.status = "solved"
                break
            elif run.polish >= STUCK:
                self._unstick(run, iteration)
            else:
                self._adapt(run)
        return run

    def _start(
        self,
        guess: Guess | None,
        polish_after: int,
        clear: bool = False,
        linearize: bool = True,
    ) -> _Run:
        """The first iterate: guess, slacks and multipliers.

        Args:
            guess: configurations and wrenches; None takes `default_guess`.
            polish_after: iterations before the polish.
            clear: whether bounds hold from the start, far as the guess may be.
            linearize: whether steps will be taken from it.
        """
        program, problem = self.transcription.program, self.transcription.problem
        mu = self.options.start_barrier if guess is None else WARM_BARRIER
        guess = guess or self.default_guess()
        q, w = guess.q.copy(), guess.w.copy()
        problem.put_ends(q)
        phi = self._loads(w)
        cost = self._evaluate(q, w, phi, linearize)
        is_far = self._excess() > FAR_OFF and not clear
        mu = self.options.start_barrier if is_far else mu
        return _Run(
            q=q,
            w=w,
            phi=phi,
            cost=cost,
            sides=() if is_far else self._make_sides(mu),
            multipliers=make_multipliers(program),
            mu=mu,
            least_mu=self.options.end_barrier,
            polish_after=self.options.polish_after if is_far else polish_after,
        )

    def _loads(self, w: np.ndarray) -> np.ndarray:
        """(N, n_phi) loads of wrenches; the first knot, which has none, as the next."""
        phi = w[:, self.transcription.program.rated, 5].copy()
        phi[0] = phi[1]
        return phi

    def _make_sides(self, mu: float) -> tuple[Side, ...]:
        """Barriers of all bounds at the current rows."""
        program, rho = self.transcription.program, self._excess_costs()
        return tuple(
            Side(bound, sign, rho, self._values.rows.copy(), mu)
            for bound, sign in ((program.lower, 1.0), (program.upper, -1.0))
        )

    def _excess(self) -> float:
        """By how much the worst row is beyond its bounds."""
        program, rows = self.transcription.program, self._values.rows
        excess = np.maximum(program.lower - rows, rows - program.upper)
        return float(excess.max())

    def _come_near(self, run: _Run, iteration: int) -> None:
        """Puts up the bounds once the motion is near them.

        A guess that jerks from knot to knot is far beyond most bounds, and
        barriers would stop every step that leads back. Costs and equations alone
        smooth it in a few steps; its wrenches, which no cone held, start again.
        """
        if self._excess() < NEAR or iteration >= FREE_ITERATIONS:
            run.w = self.default_guess().w
            run.phi = self._loads(run.w)
            run.cost = self._evaluate(run.q, run.w, run.phi)
            run.sides = self._make_sides(run.mu)
            run.filter, run.damping = [], LEAST_DAMPING
            run.near_since = iteration + 1

    def _unstick(self, run: _Run, iteration: int) -> None:
        """Changes the barriers where a polish is stuck against them.

        Nearly there, ever shorter steps lead on; but over bounds of a high price the
        barrier itself leaves an excess, which is in proportion to it. Farther off they
        are put up anew.
        """
        options = self.options
        if run.log[-1]["violation"] < NEARLY:
            if self._excess() > options.tolerance and run.mu > options.end_barrier:
                run.mu = run.least_mu = max(options.end_barrier, 0.3 * run.mu)
                run.filter = []
            return
        run.mu, run.least_mu = self.options.start_barrier, self.options.end_barrier
        run.sides = self._make_sides(run.mu)
        run.multipliers = make_multipliers(self.transcription.program)
        run.filter, run.damping, run.polish = [], LEAST_DAMPING, 0
        run.near_since = iteration + 1

    def _iterate(self, run: _Run, iteration: int) -> bool:
        """One Newton step; False when none can be taken."""
        if not self._newton_step(run):
            run.status = "the matrix of the step could not be factored"
            return False
        nv = self.transcription.program.velocity_weight.size
        steps = [side.step(self._step.d_rows, run.mu) for side in run.sides]
        longest = min((primal for primal, _ in steps), default=1.0)
        dual = min((dual for _, dual in steps), default=1.0)
        largest = float(np.abs(self._step.dx[:, :nv]).max())
        if largest > self.options.max_step:
            longest = min(longest, self.options.max_step / largest)
        new_multipliers = self._new_multipliers(run.multipliers)
        theta0, merit0 = self._merit(run.cost, self._values, run.sides, 0.0, run.mu)
        trial = self._line_search(run, longest, theta0, merit0)
        if not (np.isfinite(trial.cost) and np.isfinite(trial.theta)):
            run.status = "the search left the region where the model is finite"
            return False
        alpha = trial.alpha
        if trial.accepted and trial.theta >= 1e-5:
            run.filter.append((theta0, merit0))
        run.accepted, run.theta = trial.accepted, trial.theta
        run.ratio = trial.theta / max(theta0, 1e-12)
        if not run.polish:
            bad = not trial.accepted or alpha < 0.2 * longest
            run.damping = _damping(run.damping, bad, run.ratio, trial.theta, iteration)
        run.q, run.w, run.phi = trial.q, trial.w, trial.phi
        run.cost = trial.cost
        if trial.linearized:
            self._accept()
        else:
            self._evaluate(run.q, run.w, run.phi)
        for side in run.sides:
            side.move(self._values.rows.copy(), alpha, dual, run.mu)
        if not run.is_far:
            run.multipliers = Multipliers(
                *(
                    old + alpha * (new - old)
                    for old, new in zip(run.multipliers, new_multipliers, strict=True)
                )
            )
        run.log.append(
            {
                "iteration": iteration,
                "cost": run.cost,
                "violation": self._violation(run.sides),
                "step": largest * alpha,
                "alpha": alpha,
                "dual_alpha": dual,
                "barrier": run.mu,
                "damping": run.damping,
                "polish": run.polish,
            }
        )
        return True

    def _newton_step(self, run: _Run) -> bool:
        """Solves for the step, with more damping until the matrix factors."""
        stiffness, pull = np.zeros((2, *self._values.rows.shape))
        for side in run.sides:
            side.linearize(run.mu, stiffness, pull)
        delta = SOFT if run.is_far else self.options.delta
        while not self._factor(
            run.w, run.multipliers, stiffness, pull, delta, run.damping
        ):
            run.damping = max(4 * run.damping, 1e-2)
            if run.damping > 1e6:
                return False
        return True

    def _line_search(
        self, run: _Run, longest: float, theta0: float, merit0: float
    ) -> _Trial:
        """Halves the step until the filter accepts it, six times at most."""
        floating = self.transcription.program.tree.floating
        nv = self.transcription.program.velocity_weight.size
        dx, dw = self._step.dx, self._step.dw
        alpha = longest
        for halvings in range(7):
            q = np.empty_like(run.q)
            _retract(run.q, dx, alpha, floating, q)
            w, phi = run.w + alpha * dw, run.phi + alpha * dx[:, nv:]
            # Nearly every first trial is accepted: its derivatives will be needed.
            linearized = halvings == 0
            cost = self._try(q, w, phi, linearized)
            theta, merit = self._merit(cost, self._trial, run.sides, alpha, run.mu)
            accepted = _accepts(run.filter, theta, merit, theta0, merit0, alpha)
            trial = _Trial(q, w, phi, cost, theta, alpha, accepted, linearized)
            if accepted:
                break
            alpha *= 0.5
        # The last trial is taken although the filter refused it: the damping that
        # follows is what gets the search out of such a place.
        return trial

    def _converged(self, run: _Run) -> bool:
        """Whether the last iterate solves the problem; starts the polish."""
        options, last = self.options, run.log[-1]
        violation, iteration = last["violation"], int(last["iteration"])
        before = run.log[-2] if len(run.log) > 1 else {"cost": np.inf, "violation": 1e9}
        change = abs(run.cost - before["cost"]) / max(abs(run.cost), 1e-6)
        still = run.mu <= POLISH_BARRIER and change < 0.01 and violation < 5e-3
        slow = violation > 0.3 * before["violation"] or violation < 1e-4
        iteration -= run.near_since
        enough = iteration >= run.polish_after
        late = iteration >= options.polish_at and violation < 1e-2
        settled = change < 0.05 or iteration >= 2 * options.polish_at
        if (enough and (run.polish or (still and slow))) or (late and settled):
            # Steps that bounds cut short have not come as far as they should.
            run.polish += not run.polish or last["alpha"] > LONG
            run.damping = max(_polish_damping(run.polish), run.damping)
            run.mu = max(options.end_barrier, min(run.mu, POLISH_BARRIER))
            run.least_mu = max(run.mu, run.least_mu)
        if violation >= options.tolerance:
            return False
        done = run.mu <= 1.01 * run.least_mu and last["step"] < 1e-2
        bounds = max(1, sum(side.on.size for side in run.sides))
        gap = sum(side.complementarity() for side in run.sides)
        return run.polish > 0 or (done and gap < 5 * run.mu * bounds)

    def _adapt(self, run: _Run) -> None:
        """Lowers the barrier; a new barrier starts a new filter."""
        last = run.log[-1]
        mu = _next_barrier(
            run.mu,
            run.least_mu,
            run.accepted,
            last["alpha"],
            last["dual_alpha"],
            run.ratio,
            run.theta,
        )
        if mu != run.mu:
            run.mu, run.filter = mu, []

    def _factor(
        self,
        w: np.ndarray,
        lam: Multipliers,
        stiffness: np.ndarray,
        pull: np.ndarray,
        delta: float,
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
            delta,
            damping,
            step,
        )
        nv, given = program.velocity_weight.size, self._given_at_the_end()
        for k in given:
            # A diagonal beyond all else keeps a knot where it is, not its loads.
            held = slice((k - 2) * step.dx.shape[1], (k - 2) * step.dx.shape[1] + nv)
            step.band[held, 0] += HELD
            step.rhs[held] = 0.0
        factor, info = dpbtrf(step.band.T, lower=1, overwrite_ab=1)
        if info != 0:
            return False
        dx, info = dpbtrs(factor, step.rhs, lower=1)
        if info != 0 or not np.isfinite(dx).all():
            return False
        step.dx[:2] = 0.0
        step.dx[2:] = dx.reshape(len(step.dx) - 2, -1)
        step.dx[given.start : given.stop, :nv] = 0.0
        recover(program, self._values, self._derivatives, step)
        return True

    def _given_at_the_end(self) -> range:
        """Knots at the end whose configuration is given."""
        problem = self.transcription.problem
        return range(problem.free_knots.stop, problem.num_knots)

    def _new_multipliers(self, lam: Multipliers) -> Multipliers:
        program, step, values = self.transcription.program, self._step, self._values
        delta = self.options.delta
        equality = lam.equality + (values.equality + step.d_equality) / delta
        equality[0] = equality[-1] = 0
        frame = values.frame + step.d_frame
        scale = program.rest_scale / program.span[-1]
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
        sides: tuple[Side, ...],
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
            off, barriers = side.trial(values.rows, alpha, mu)
            theta += off
            cost += barriers
        return theta, cost

    def _violation(self, sides: tuple[Side, ...]) -> float:
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
    if ratio > 0.5 and theta > 0.5 and iteration > 1:
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
