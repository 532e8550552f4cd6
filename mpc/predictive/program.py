"""PredictiveProgram: forces, momentum and timing over a horizon, as a pure function.

A linear time-varying predictive controller in deviations from the behavior, on a
grid of phase, so that contact switches sit on knots whatever the timing does.

    state       x = [dc, dv, dk, dphi, dT, dp_1 .. dp_S]: CoM, CoM velocity, angular
                momentum per mass, body rotation (each minus the behavior's), time
                minus phase, and places of the soles in the plane (minus the
                behavior's)
    input       u = [dw_1 .. dw_C, theta, j_1 .. j_S]: patch wrenches minus the
                behavior's, in weights of the robot, the dilation of the interval's
                time [s], and moves of soles in the air
    dynamics    dv' = g sum df,
                dk' = g sum [(p + dp - c - dc) x (f_ref + df) - (p - c) x f_ref + dm],
                dphi' = m I^-1 dk,  dp+ = dp + j,
                x+ = A x + B u + E theta + e, E = change of the behavior per time;
                products of deviations are linearized about the plan before
    cost        the declared costs of `backbeat.mpc.plans.weights`, each half its weight
                times the squares of its rows; at a small DCM error also theta times
                the cost per second of the plan before
    subject to  friction pyramid, center of pressure, yaw moment and normal force of
                every standing patch, no wrench elsewhere, bounded theta, no theta in
                flight, step length and width limits

States carry no hard constraint: an infeasible program would be a fall. Sources
    Wieber, "Trajectory Free Linear Model Predictive Control for Stable Walking in
    the Presence of Strong Perturbations", 2006.
    Englsberger, Ott, Albu-Schaeffer, "Three-Dimensional Bipedal Walking Control
    Based on Divergent Component of Motion", 2015.
"""

import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from backbeat.mpc.horizon.near_plan import PlanNear
from backbeat.mpc.horizon.sampling import Horizon, make_horizon
from backbeat.mpc.horizon.unknowns import BODY, Unknowns
from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.plans.start import PlanStart
from backbeat.mpc.plans.stepping import AddedStep
from backbeat.mpc.plans.weights import PredictiveWeights
from backbeat.mpc.predictive.bounds import variable_bounds
from backbeat.mpc.predictive.matrices import PredictiveMatrices
from backbeat.mpc.predictive.solver import PredictiveSolver
from backbeat.mpc.reference.pendulum import mean_time, start_frequency
from backbeat.mpc.reference.scale import LEG
from backbeat.mpc.reference.trajectory import Reference


class Solve(NamedTuple):
    """The last program and its solution, for explanations.

    Bounds and multipliers of the inequality rows (rows of patches, step limits, change
    of the rate) and of the variables are stacked: lower and upper.
    """

    horizon: Horizon
    x0: np.ndarray  # (NX,) state at the start
    x: np.ndarray  # (N, NU + NX) inputs and states
    rows: np.ndarray  # (m,) values of the inequality rows
    row_bounds: np.ndarray  # (2, m)
    row_multipliers: np.ndarray  # (2, m)
    bounds: np.ndarray  # (2, N, NU + NX)
    multipliers: np.ndarray  # (2, N, NU + NX)
    com_lowering: np.ndarray  # (N,) lowering of the center of mass [m]
    seconds: np.ndarray  # (N,) linear cost on an interval's dilation [1/s]
    beat: float  # weight on time minus phase


class PredictiveProgram:
    """The predictive program of one behavior.

    Attributes:
        reference: the behavior.
        weights: horizon, weights and bounds.
        unknowns: rows of an interval's state and input.
    """

    def __init__(
        self, reference: Reference, weights: PredictiveWeights | None = None
    ) -> None:
        """Allocates the program and its solver."""
        self.reference = reference
        leg = reference.scale.length * LEG
        self.weights = w = (weights or PredictiveWeights()).for_leg(leg)
        self._C = len(reference.patches)
        self._S = len(reference.soles) if w.stepping else 0
        self._soles = list(reference.soles[: self._S])
        self._omega = start_frequency(reference)
        self.follow(reference)
        self.unknowns = Unknowns(self._C, self._S, mean_time(reference))
        if self._C:
            self._matrices = PredictiveMatrices(reference, w, self._soles)
            self._solver = self._make_solver()

    def follow(self, reference: Reference) -> None:
        """Follows another motion of the same behavior from now on."""
        self.reference = reference
        self._near = PlanNear(reference, self.weights.knots, self.weights.spacing)

    @property
    def horizon(self) -> float:
        """Length of the horizon at nominal tempo [s]."""
        return self.weights.knots * self.weights.spacing

    @property
    def status(self) -> str:
        """How the last solve ended, as of `PredictiveSolver`; "" before any."""
        return self._solver.status if self._C else ""

    @property
    def may_step(self) -> bool:
        """Whether one foot may leave the ground while another stands."""
        return self.weights.stepping and len(self.reference.soles) > 1

    def _make_solver(self) -> PredictiveSolver:
        begin = float(self.reference.table.t[0])
        horizon = self._horizon(PlanStart(begin, begin, np.zeros(12)))
        of = self._matrices
        of.linearize(horizon, np.zeros(of.num_states), self.weights.beat)
        return PredictiveSolver(of)

    def _horizon(
        self,
        start: PlanStart,
        steps: Sequence[AddedStep] = (),
        previous: Plan | None = None,
    ) -> Horizon:
        to_come = [d for d in start.touchdowns if d.is_to_come(start.s)]
        phases = self._near.grid.phases(start.s, self.weights.knots, (*steps, *to_come))
        return make_horizon(
            self.reference, phases, start, steps, previous, bool(self._soles)
        )

    def shift(self, start: PlanStart) -> np.ndarray:
        """(S, 2) where the soles are, minus where the behavior has them [m]."""
        return start.sole_shift(len(self.reference.soles))

    def solve(
        self,
        start: PlanStart,
        steps: Sequence[AddedStep] = (),
        previous: Plan | None = None,
    ) -> Plan | None:
        """Plans from a start.

        Args:
            start: initial state, and the requested tempo.
            steps: steps that the behavior does not make.
            previous: the plan before, with the same steps, for products of
                deviations; None neglects them.

        Returns:
            A plan, or None where the solver failed.
        """
        started, busy = time.perf_counter(), time.thread_time()
        com_lowering = self._ask(start, steps, previous)
        iterations = self._solver.solve()
        if self.status != "solved":
            return None
        horizon, x0, _, (low, high) = self._data
        of, N, t0 = self._matrices, self.weights.knots, 6 * self._C
        Z = self._solver.x.reshape(N, -1)
        X = np.empty((N + 1, of.num_states))
        X[0], X[1:] = x0, Z[:, of.num_inputs :]
        # Three times as fast as np.clip.
        dilation = np.minimum(np.maximum(Z[:, t0], low[:, t0]), high[:, t0])
        durations = horizon.h + dilation
        objective = self._solver.objective + com_lowering**2 @ of.lowering_offset
        return Plan(
            time=start.t,
            phase=start.s,
            rate=start.tempo * float(horizon.h[0] / durations[0]),
            durations=durations,
            phases=horizon.phases,
            deviation=X[:, :12].copy(),
            wrench=(horizon.wrench + Z[:, :t0]).reshape(N, self._C, 6),
            com=horizon.com + X[:, :3],
            shift=self._shifts(X, start),
            steps=tuple(steps),
            touchdowns=tuple(start.touchdowns),
            external_force_z=start.external_force_z,
            external_acceleration_xy=start.external_acceleration_xy,
            friction_scale=start.friction_scale,
            may_step=self.weights.stepping,
            com_lowering=float(com_lowering[0]),
            objective=float(objective),
            iterations=iterations,
            solve_time=time.perf_counter() - started,
            solve_cpu=time.thread_time() - busy,
        )

    def _ask(
        self, start: PlanStart, steps: Sequence[AddedStep], previous: Plan | None
    ) -> np.ndarray:
        """Passes the program to the solver; (N,) its share of the full lowering."""
        of, w = self._matrices, self.weights
        shift = self.shift(start)
        late = (start.t - start.s) / start.tempo
        x0 = np.concatenate([start.deviation, [late], shift[: self._S].ravel()])
        horizon = self._horizon(start, steps, previous)
        blend = self._dcm_error_blend(start)
        beat = w.balanced_beat + blend * (w.beat - w.balanced_beat)
        b = of.linearize(horizon, x0, beat)
        rows = of.write_rows(horizon, shift, start.friction_scale)
        width = of.num_inputs + of.num_states
        com_lowering = self._com_lowering(1.0 if steps else blend, start, horizon)
        seconds = np.zeros(w.knots)
        if blend < 1:
            seconds = (1 - blend) * of.cost_of_time(horizon)
        c = com_lowering[:, None] * of.com_lowering.reshape(-1, width)
        c[:, 6 * self._C] += seconds
        gravity = self.reference.robot.gravity
        bounds = variable_bounds(horizon, w, self._soles, width, steps, start, gravity)
        self._solver.ask(c.ravel(), b, rows, bounds.reshape(2, -1))
        self._data = horizon, x0, rows, bounds
        self._cost_terms = com_lowering * w.com_lowering, seconds, beat
        return com_lowering

    def solve_anew(
        self, start: PlanStart, steps: Sequence[AddedStep] = ()
    ) -> Plan | None:
        """Plans steps that the plan before lacks, linearized about a first solution.

        The first one neglects products of deviations, and with them that a robot off
        balance falls less far in less time: it would not raise the phase rate.
        """
        first = self.solve(start, steps)
        return None if first is None else self.solve(start, steps, first)

    def off_balance(self, deviation: np.ndarray, shift: np.ndarray) -> np.ndarray:
        """(2,) error of the divergent component of motion [m].

        Args:
            deviation: (12,) as of `PlanStart`.
            shift: (S, 2) likewise.
        """
        off = deviation[:2] + deviation[3:5] / self._omega
        return np.asarray(off - shift.sum(0) / len(shift) if len(shift) else off)

    def _dcm_error_blend(self, start: PlanStart) -> float:
        """Blend on the DCM error: 0 below its lower threshold, 1 above the upper."""
        w = self.weights
        off = float(np.hypot(*self.off_balance(start.deviation, self.shift(start))))
        return min(
            1.0,
            max(0.0, (off - w.dcm_error_low) / (w.dcm_error_high - w.dcm_error_low)),
        )

    def _com_lowering(
        self, wanted: float, start: PlanStart, horizon: Horizon
    ) -> np.ndarray:
        """(N,) share of the full lowering of the CoM over the horizon.

        It begins at once, and is taken back at a bounded rate.
        """
        since = start.elapsed + np.cumsum(horizon.h) - horizon.h[0]
        return np.maximum(wanted, start.com_lowering - since / self.weights.rise_time)

    def last_solve(self) -> Solve:
        """The last program and its solution; call it after `solve`."""
        horizon, x0, row_bounds, bounds = self._data
        x, (row_multipliers, multipliers) = self._solver.x, self._solver.multipliers()
        return Solve(
            horizon,
            x0,
            x.reshape(bounds.shape[1:]),
            self._matrices.G @ x,
            row_bounds,
            row_multipliers,
            bounds,
            multipliers.reshape(bounds.shape),
            *self._cost_terms,
        )

    def _shifts(self, X: np.ndarray, start: PlanStart) -> np.ndarray:
        """(N + 1, S, 2) places of the soles; the measured ones where none may step."""
        if self._S:
            return X[:, BODY:].reshape(len(X), -1, 2).copy()
        return np.tile(self.shift(start), (len(X), 1, 1))

    def rest(self, t: float, s: float, tempo: float = 1.0) -> Plan:
        """The plan that follows the behavior exactly, at a tempo."""
        return self._near(t, s, tempo=tempo, may_step=self.weights.stepping)
