"""The Newton step of an interior point: one linearization, one banded factorization.

The step solves the regularized Gauss-Newton system of the barrier problem, in which
equalities enter as augmented-Lagrangian terms c'c / (2 delta).

Source
    Nocedal, Wright, "Numerical Optimization", 2006, chapters 17 and 19.
"""

import numpy as np
from scipy.linalg.lapack import dpbtrf, dpbtrs

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Matrix
from backbeat.models.dynamics.rotations import box_plus
from backbeat.optimization.interior_point.added_costs import AddedCosts
from backbeat.optimization.interior_point.barrier import BoundBarrier
from backbeat.optimization.interior_point.iterate import Iterate
from backbeat.optimization.interior_point.newton_arrays import (
    Multipliers,
    NewtonSystem,
    make_step,
)
from backbeat.optimization.interior_point.normal_equations import assemble
from backbeat.optimization.interior_point.step_recovery import recover
from backbeat.optimization.transcription.linearization import evaluate
from backbeat.optimization.transcription.linearization_arrays import (
    Evaluation,
    ProgramPoint,
    make_evaluation,
    make_linearization,
    make_scratch,
)
from backbeat.optimization.transcription.transcribe import Transcription

# Softness of equalities as long as bounds are not up.
SOFT = 0.1
# What holds a given knot, in units of the step's matrix.
HELD = 1e20


@compiled
def _retract(q: Matrix, dx: Matrix, scale: float, floating: bool, out: Matrix) -> None:
    for k in range(q.shape[0]):
        box_plus(q[k], dx[k], scale, floating, out[k])


class NewtonStep:
    """Values, derivatives and the step at the current point; memory is reused.

    Attributes:
        transcription: of the problem.
        delta: regularization of equalities.
        values, trial: of all rows at the current point, and at the one tried last.
        step: found last.
    """

    def __init__(self, transcription: Transcription, delta: float) -> None:
        """Allocates memory."""
        program = transcription.program
        self.transcription, self.delta = transcription, delta
        self._scratch = make_scratch(program)
        self.values, self.trial = make_evaluation(program), make_evaluation(program)
        self._derivatives = make_linearization(program)
        self._trial_derivatives = make_linearization(program)
        self._added_costs = AddedCosts(transcription)
        self._added = self._added_costs.make_arrays()
        self._trial_added = self._added_costs.make_arrays()
        self.step = make_step(program)

    def evaluate(
        self, q: np.ndarray, w: np.ndarray, phi: np.ndarray, linearize: bool = True
    ) -> float:
        """Values and derivatives at a point, which becomes the current one."""
        cost = self.attempt(q, w, phi, linearize)
        self.accept()
        return cost

    def attempt(
        self, q: np.ndarray, w: np.ndarray, phi: np.ndarray, linearize: bool
    ) -> float:
        """Cost of a point; keeps its values, and derivatives if requested."""
        cost = evaluate(
            self.transcription.program,
            q,
            w,
            phi,
            self._scratch,
            self.trial,
            self._trial_derivatives,
            linearize,
        )
        return float(cost) + self._added_costs.evaluate(
            ProgramPoint(q, w, phi),
            self.trial,
            *((self._trial_derivatives, self._trial_added) if linearize else ()),
        )

    def accept(self) -> None:
        """Makes the point tried last, with derivatives, the current one."""
        self.values, self.trial = self.trial, self.values
        self._derivatives, self._trial_derivatives = (
            self._trial_derivatives,
            self._derivatives,
        )
        self._added, self._trial_added = self._trial_added, self._added

    def excess(self) -> float:
        """By how much the worst row is beyond its bounds."""
        program, rows = self.transcription.program, self.values.rows
        excess = np.maximum(program.lower - rows, rows - program.upper)
        return float(excess.max())

    def find(self, run: Iterate) -> bool:
        """Solves for the step, with more damping until the matrix factors."""
        stiffness, pull = np.zeros((2, *self.values.rows.shape))
        for barrier in run.barriers:
            barrier.linearize(run.mu, stiffness, pull)
        delta = SOFT if run.in_initial_phase else self.delta
        while not self._factor(
            run.w, run.multipliers, stiffness, pull, delta, run.damping
        ):
            run.damping = max(4 * run.damping, 1e-2)
            if run.damping > 1e6:
                return False
        return True

    def retracted(self, q: np.ndarray, alpha: float) -> np.ndarray:
        """(N, nq) configurations a share alpha of the step away."""
        out = np.empty_like(q)
        _retract(q, self.step.dx, alpha, self.transcription.program.tree.floating, out)
        return out

    def multipliers(self, lam: Multipliers) -> Multipliers:
        """Multipliers of the equations at the end of the whole step."""
        program, step, values = self.transcription.program, self.step, self.values
        delta = self.delta
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

    def merit(
        self,
        cost: float,
        values: Evaluation,
        barriers: tuple[BoundBarrier, ...],
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
        for barrier in barriers:
            off, penalty = barrier.trial(values.rows, alpha, mu)
            theta += off
            cost += penalty
        return theta, cost

    def violation(self, barriers: tuple[BoundBarrier, ...]) -> float:
        """The worst of all equations and bounds, in scaled rows."""
        program, values = self.transcription.program, self.values
        parts = [
            np.abs(values.equality[1:-1]),
            np.abs(values.frame * program.frame_equal),
            np.abs(values.rest),
            *(np.maximum(-barrier.value(values.rows), 0.0) for barrier in barriers),
        ]
        return max(float(p.max(initial=0.0)) for p in parts)

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
        program, step = self.transcription.program, self.step
        added = self._added
        assemble(
            program,
            w,
            NewtonSystem(self.values, self._derivatives, lam, stiffness, pull, delta),
            damping,
            step._replace(added_matrix=added.matrix, added_gradient=added.gradient),
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
        recover(program, self.values, self._derivatives, step)
        return True

    def _given_at_the_end(self) -> range:
        """Knots at the end whose configuration is given."""
        problem = self.transcription.problem
        return range(problem.free_knots.stop, problem.num_knots)
