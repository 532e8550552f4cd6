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

import numpy as np
from threadpoolctl import threadpool_limits

from backbeat.optimization.interior_point.barrier import BoundBarrier, make_barriers
from backbeat.optimization.interior_point.iterate import (
    Guess,
    Iterate,
    default_guess,
    loads_of,
)
from backbeat.optimization.interior_point.newton_arrays import make_multipliers
from backbeat.optimization.interior_point.newton_iteration import take_step
from backbeat.optimization.interior_point.newton_step import NewtonStep
from backbeat.optimization.interior_point.options import InteriorPointOptions
from backbeat.optimization.interior_point.solution import TrajectorySolution
from backbeat.optimization.interior_point.step_rules import (
    LEAST_DAMPING,
    next_barrier,
    refinement_damping,
)
from backbeat.optimization.transcription.transcribe import Transcription

# Receives one log entry an iteration.
Progress = Callable[[dict[str, float]], None]


class InteriorPoint:
    """Solver of one Transcription; memory is allocated once and reused."""

    def __init__(
        self, transcription: Transcription, options: InteriorPointOptions | None = None
    ) -> None:
        """Allocates the solver's memory."""
        self.transcription = transcription
        self.options = options or InteriorPointOptions()
        self._newton = NewtonStep(transcription, self.options.delta)

    def evaluate(self, guess: Guess) -> TrajectorySolution:
        """The given knots as they are, with the values of every row at them."""
        run = self._start(guess, self.options.refine_after, linearize=False)
        run.status = "given"
        return self._solution(run, 0.0)

    def solve(
        self, guess: Guess | None = None, progress: Progress | None = None
    ) -> TrajectorySolution:
        """Solves from a guess; a guess that is a solution is a warm start.

        Args:
            guess: start; None takes `default_guess`.
            progress: called after every iteration with its log entry.

        Returns:
            The solution; its status is "solved" if it converged. Never NaN.
        """
        started, options = time.perf_counter(), self.options
        warm = options.warm_refine_after
        refine_after = options.refine_after if guess is None else warm
        # Products of small matrices, for which threads of the BLAS cost more than they
        # gain.
        is_clear = guess is None and self.transcription.problem.guess_is_clear
        with threadpool_limits(1):
            run = self._run(guess, refine_after, [], progress, is_clear)
            if is_clear and run.is_far and run.status != "solved":
                run = self._run(guess, refine_after, run.log, progress)
            is_rough = run.is_far and not is_clear
            for _ in range(options.max_resolves if is_rough else 0):
                if run.status != "solved" or len(run.log) >= options.resolve_until:
                    break
                better = self._run(
                    Guess(run.q, run.w), options.refine_after, run.log, progress
                )
                if better.status != "solved":
                    self._newton.evaluate(run.q, run.w, run.phi)
                    break
                settled = better.cost > (1 - options.resolve_change) * run.cost
                run = better
                if settled:
                    break
        return self._solution(run, time.perf_counter() - started)

    def _solution(self, run: Iterate, seconds: float) -> TrajectorySolution:
        """The solution at an iterate."""
        values = self._newton.values
        multipliers = [-barrier.multipliers() for barrier in run.barriers]
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
            bound_multipliers=np.sum(
                [np.zeros_like(values.rows), *multipliers], axis=0
            ),
            cost=run.cost,
            status=run.status,
            log=run.log,
            solve_time=seconds,
        )

    def _run(
        self,
        guess: Guess | None,
        refine_after: int,
        log: list[dict[str, float]],
        progress: Progress | None,
        clear: bool = False,
    ) -> Iterate:
        """Iterates from a guess until the problem is solved or given up."""
        run, options = self._start(guess, refine_after, clear), self.options
        run.log = log
        most = 2 * options.max_iterations + options.extra_iterations
        for iteration in range(most):
            if iteration - run.bounded_since >= options.max_iterations:
                is_close = run.log[-1]["violation"] < options.extra_below
                if not (run.refinement_steps and is_close):
                    break
            if not take_step(self._newton, run, iteration, options.max_step):
                break
            if progress:
                progress(run.log[-1])
            if clear and run.is_far and self._is_slow(run, iteration):
                break
            if run.in_initial_phase:
                self._run_initial_phase(run, iteration)
            elif self._converged(run):
                run.status = "solved"
                break
            else:
                run.note_violation(iteration, options.stuck_ratio)
                self._adapt_or_restart(run, iteration)
        return run

    def _is_slow(self, run: Iterate, iteration: int) -> bool:
        """Whether bounds cut steps so short that it is faster to begin without them."""
        options, log = self.options, run.log
        least = options.clear_ratio * log[0]["violation"]
        return iteration == options.clear_after and log[-1]["violation"] > least

    def _start(
        self,
        guess: Guess | None,
        refine_after: int,
        clear: bool = False,
        linearize: bool = True,
    ) -> Iterate:
        """The first iterate: guess, slacks and multipliers.

        Args:
            guess: configurations and wrenches; None takes `default_guess`.
            refine_after: iterations before the final refinement.
            clear: whether bounds are in force from the start for any guess.
            linearize: whether derivatives are needed.
        """
        program, problem = self.transcription.program, self.transcription.problem
        options = self.options
        mu = options.start_barrier if guess is None else options.warm_barrier
        guess = guess or default_guess(self.transcription)
        q, w = guess.q.copy(), guess.w.copy()
        problem.put_ends(q)
        phi = loads_of(program, w)
        cost = self._newton.evaluate(q, w, phi, linearize)
        is_far = self._newton.excess() > options.free_above
        excess_cost = problem.excess_cost
        in_initial_phase = is_far and not clear
        mu = options.start_barrier if in_initial_phase else mu
        return Iterate(
            q=q,
            w=w,
            phi=phi,
            cost=cost,
            barriers=() if in_initial_phase else self._make_barriers(mu, excess_cost),
            multipliers=make_multipliers(program),
            mu=mu,
            least_mu=options.end_barrier,
            excess_cost=excess_cost,
            refine_after=options.refine_after if in_initial_phase else refine_after,
            is_far=is_far,
        )

    def _run_initial_phase(self, run: Iterate, iteration: int) -> None:
        """Ends the initial phase once the bounds are nearly satisfied.

        A guess that is not smooth violates most bounds by far, and barriers would cut
        every step that leads back. Costs and equations alone smooth it in a few steps;
        its wrenches, which had no cones, are initialized again.
        """
        options, is_near = self.options, self._newton.excess() < self.options.free_below
        if is_near or iteration >= options.free_iterations:
            run.w = default_guess(self.transcription).w
            run.phi = loads_of(self.transcription.program, run.w)
            run.cost = self._newton.evaluate(run.q, run.w, run.phi)
            run.barriers = self._make_barriers(run.mu, run.excess_cost)
            run.filter, run.damping = [], LEAST_DAMPING
            run.bounded_since = iteration + 1

    def _adapt_or_restart(self, run: Iterate, iteration: int) -> None:
        """Goes on, unless the final refinement lowers the violation no more."""
        options = self.options
        is_stuck = iteration - run.lowest_at >= options.stuck_after
        if is_stuck or run.refinement_steps >= options.restart_after:
            self._restart(run, iteration)
        else:
            self._adapt(run)

    def _restart(self, run: Iterate, iteration: int) -> None:
        """Restarts a final refinement that does not converge.

        Close to a solution ever shorter steps converge, and begin anew if they got too
        short; but a bound with a large multiplier keeps an excess in proportion to the
        barrier, which is then lowered.
        Farther off all barriers are initialized again: bounds that were sharp before
        others of the same place were met cut every step short, and an excess that
        costs less than a multiplier stays.
        """
        options = self.options
        run.lowest, run.lowest_at = np.inf, iteration
        is_over = self._newton.excess() > options.tolerance
        if run.log[-1]["violation"] < options.restart_below:
            if is_over and run.mu > options.end_barrier:
                lower = options.restart_ratio * run.mu
                run.mu = run.least_mu = max(options.end_barrier, lower)
                run.filter = []
            else:
                run.refinement_steps, run.filter = 1, []
            return
        run.mu, run.least_mu = options.start_barrier, options.end_barrier
        if is_over:
            run.excess_cost *= options.excess_growth
        run.barriers = self._make_barriers(run.mu, run.excess_cost)
        run.multipliers = make_multipliers(self.transcription.program)
        run.filter, run.damping, run.refinement_steps = [], LEAST_DAMPING, 0
        run.bounded_since = iteration + 1

    def _converged(self, run: Iterate) -> bool:
        """Whether the last iterate solves the problem; starts the final refinement."""
        options, last = self.options, run.log[-1]
        violation, iteration = last["violation"], int(last["iteration"])
        before = run.log[-2] if len(run.log) > 1 else {"cost": np.inf}
        change = abs(run.cost - before["cost"]) / max(abs(run.cost), 1e-6)
        iteration -= run.bounded_since
        is_late = iteration >= options.refine_at
        settled = change < options.refine_at_change
        settled = settled or iteration >= 2 * options.refine_at
        if (
            iteration >= run.refine_after
            and (run.refinement_steps or self._is_still(run, change))
        ) or (is_late and violation < options.refine_at_violation and settled):
            is_long = last["alpha"] > options.refine_share
            run.refinement_steps += not run.refinement_steps or is_long
            run.damping = max(refinement_damping(run.refinement_steps), run.damping)
            run.mu = max(options.end_barrier, min(run.mu, options.refine_barrier))
            run.least_mu = max(run.mu, run.least_mu)
        if violation >= options.tolerance:
            return False
        # But for rounding.
        is_least = run.mu <= 1.01 * run.least_mu
        done = is_least and last["step"] < options.done_step
        bounds = max(1, sum(barrier.on.size for barrier in run.barriers))
        gap = sum(barrier.complementarity() for barrier in run.barriers)
        return run.refinement_steps > 0 or (
            done and gap < options.done_gap * run.mu * bounds
        )

    def _is_still(self, run: Iterate, change: float) -> bool:
        """Whether hardly anything but the constraints is left to improve.

        Args:
            run: the last iterate.
            change: of the cost to it.
        """
        options, violation = self.options, run.log[-1]["violation"]
        before = run.log[-2]["violation"] if len(run.log) > 1 else 1e9
        is_slow = violation > options.slow_ratio * before
        return (
            run.mu <= options.refine_barrier
            and change < options.refine_change
            and violation < options.refine_violation
            and (is_slow or violation < options.slow_below)
        )

    def _adapt(self, run: Iterate) -> None:
        """Lowers the barrier; a new barrier starts a new filter."""
        last = run.log[-1]
        mu = next_barrier(
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

    def _make_barriers(self, mu: float, excess_cost: float) -> tuple[BoundBarrier, ...]:
        """Barriers of all bounds at the current rows."""
        program, rows = self.transcription.program, self._newton.values.rows
        return make_barriers(program, rows, mu, excess_cost)
