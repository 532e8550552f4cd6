"""One iteration of an interior point: Newton step, filter line search, new iterate.

Damping and acceptance follow `backbeat.optimization.interior_point.step_rules`.
"""

from dataclasses import dataclass

import numpy as np

from backbeat.optimization.interior_point.iterate import Iterate
from backbeat.optimization.interior_point.newton_arrays import Multipliers
from backbeat.optimization.interior_point.newton_step import NewtonStep
from backbeat.optimization.interior_point.step_rules import accepts, changed_damping


@dataclass(frozen=True)
class TrialPoint:
    """A point tried by the line search."""

    q: np.ndarray
    w: np.ndarray
    phi: np.ndarray
    cost: float
    theta: float
    alpha: float
    accepted: bool
    linearized: bool


def take_step(
    newton: NewtonStep, run: Iterate, iteration: int, max_step: float
) -> bool:
    """One Newton step; False when none can be taken.

    Args:
        newton: the step, evaluated at the iterate.
        run: the iterate to move; its log gets an entry.
        iteration: number of previous steps.
        max_step: largest tangent increment [rad or m].
    """
    if not newton.find(run):
        run.status = "the matrix of the step could not be factored"
        return False
    nv = newton.transcription.program.velocity_weight.size
    steps = [barrier.step(newton.step.d_rows, run.mu) for barrier in run.barriers]
    longest = min((primal for primal, _ in steps), default=1.0)
    dual = min((dual for _, dual in steps), default=1.0)
    largest = float(np.abs(newton.step.dx[:, :nv]).max())
    if largest > max_step:
        longest = min(longest, max_step / largest)
    new_multipliers = newton.multipliers(run.multipliers)
    theta0, merit0 = newton.merit(run.cost, newton.values, run.barriers, 0.0, run.mu)
    trial = _line_search(newton, run, longest, theta0, merit0)
    if not (np.isfinite(trial.cost) and np.isfinite(trial.theta)):
        run.status = "the search left the region where the model is finite"
        return False
    alpha = trial.alpha
    if trial.accepted and trial.theta >= 1e-5:
        run.filter.append((theta0, merit0))
    run.accepted, run.theta = trial.accepted, trial.theta
    run.ratio = trial.theta / max(theta0, 1e-12)
    if not run.refinement_steps:
        bad = not trial.accepted or alpha < 0.2 * longest
        run.damping = changed_damping(
            run.damping, bad, run.ratio, trial.theta, iteration
        )
    _move(newton, run, trial, dual, new_multipliers)
    run.log.append(
        {
            "iteration": iteration,
            "cost": run.cost,
            "violation": newton.violation(run.barriers),
            "step": largest * alpha,
            "alpha": alpha,
            "dual_alpha": dual,
            "barrier": run.mu,
            "damping": run.damping,
            "refinement": run.refinement_steps,
        }
    )
    return True


def _move(
    newton: NewtonStep, run: Iterate, trial: TrialPoint, dual: float, new: Multipliers
) -> None:
    """Makes a trial point the iterate; `dual` is the share of multipliers of bounds."""
    run.q, run.w, run.phi = trial.q, trial.w, trial.phi
    run.cost = trial.cost
    if trial.linearized:
        newton.accept()
    else:
        newton.evaluate(run.q, run.w, run.phi)
    for barrier in run.barriers:
        barrier.move(newton.values.rows.copy(), trial.alpha, dual, run.mu)
    if not run.in_initial_phase:
        run.multipliers = Multipliers(
            *(
                before + trial.alpha * (after - before)
                for before, after in zip(run.multipliers, new, strict=True)
            )
        )


def _line_search(
    newton: NewtonStep, run: Iterate, longest: float, theta0: float, merit0: float
) -> TrialPoint:
    """Halves the step until the filter accepts it, six times at most."""
    nv = newton.transcription.program.velocity_weight.size
    dx, dw = newton.step.dx, newton.step.dw
    alpha = longest
    for halvings in range(7):
        q = newton.retracted(run.q, alpha)
        w, phi = run.w + alpha * dw, run.phi + alpha * dx[:, nv:]
        # Nearly every first trial is accepted: its derivatives will be needed.
        linearized = halvings == 0
        cost = newton.attempt(q, w, phi, linearized)
        theta, merit = newton.merit(cost, newton.trial, run.barriers, alpha, run.mu)
        accepted = accepts(run.filter, theta, merit, theta0, merit0, alpha)
        trial = TrialPoint(q, w, phi, cost, theta, alpha, accepted, linearized)
        if accepted:
            break
        alpha *= 0.5
    # The last trial is taken although the filter refused it: the damping that
    # follows is what gets the search out of such a place.
    return trial
