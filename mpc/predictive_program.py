"""PredictiveProgram: forces, momentum and timing over a horizon, as a pure function.

A linear time-varying predictive controller in deviations from the behavior, on a
grid of phase, so that contact switches sit on knots whatever the timing does.

    state       x = [dc, dv, dk, dphi, dT, dp_1 .. dp_S]: CoM, CoM velocity, angular
                momentum per mass, body rotation (each minus the behavior's), time
                minus phase, and places of the soles in the plane (minus the
                behavior's)
    input       u = [dw_1 .. dw_C, theta, j_1 .. j_S]: patch wrenches minus the
                behavior's, in weights of the robot, the stretch of the interval's
                time [s], and how far soles in the air go elsewhere
    dynamics    dv' = g sum df,
                dk' = g sum [(p + dp - c - dc) x (f_ref + df) - (p - c) x f_ref + dm],
                dphi' = m I^-1 dk,  dp+ = dp + j,
                x+ = A x + B u + E theta + e, E = change of the behavior per time;
                products of deviations are linearized about the plan before
    cost        sum |dc - mean dp|^2 + |dv + (theta/h) v_ref|^2 + |dk|^2 + |dphi|^2
                + dT^2 + |dp|^2 + |j|^2 + |dw|^2 + theta^2 + change of theta^2, and at
                the end the divergent component of motion |dc - mean dp + dv / omega|^2
    subject to  friction pyramid, center of pressure, yaw moment and normal force of
                every standing patch, no wrench elsewhere, bounded theta, no theta in
                flight, soles within reach of each other and never crossed

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
import piqp
import scipy.sparse as sp
from scipy.linalg import block_diag

from mpc.horizon import BODY, Horizon, PhaseGrid, make_horizon
from mpc.momentum_dynamics import linearize_dynamics
from mpc.plan import Plan
from mpc.plan_start import PlanStart
from mpc.predictive_bounds import (
    INF,
    farthest_out,
    soles_apart,
    variable_bounds,
)
from mpc.predictive_weights import PredictiveWeights, patch_rows
from mpc.reference import Reference
from mpc.stepping import Step

# Most by which an answer may leave its program, whose variables are of order one. PIQP
# is asked for 1e-4 and comes within 1e-11; its word alone is not enough.
VIOLATION = 1e-3
# How far from the least an objective may be, which is less than a millimeter or a
# newton; and how near to their bounds iterates may come in one step.
DUALITY_GAP, STEP_SHARE = 1e-7, 0.998
# Intervals to whose ends the change of the rate is bounded. Rows across intervals are
# dear; what comes later is planned ten times anew before it is there.
HURRIED = 4
# How PIQP ends, in words.
_STATUS = {
    piqp.PIQP_SOLVED: "solved",
    piqp.PIQP_MAX_ITER_REACHED: "iteration cap",
    piqp.PIQP_PRIMAL_INFEASIBLE: "infeasible",
    piqp.PIQP_DUAL_INFEASIBLE: "infeasible",
}


class Solve(NamedTuple):
    """The last program and its answer, for whoever explains it.

    Bounds and prices of the inequality rows (rows of patches, reach of the soles,
    change of the rate) and of the variables are stacked: lower and upper.
    """

    horizon: Horizon
    x0: np.ndarray  # (NX,) state at the start
    x: np.ndarray  # (N, NU + NX) inputs and states
    rows: np.ndarray  # (m,) values of the inequality rows
    row_bounds: np.ndarray  # (2, m)
    row_prices: np.ndarray  # (2, m)
    bounds: np.ndarray  # (2, N, NU + NX)
    prices: np.ndarray  # (2, N, NU + NX)
    crouch: float  # how much lower the center of mass is wanted [m]


class PredictiveProgram:
    """The predictive program of one behavior.

    Attributes:
        reference: the behavior.
        weights: horizon, weights and bounds.
        status: how the last solve ended: solved, infeasible, iteration cap or
            numerics. For whoever reports it; it decides nothing.
    """

    def __init__(
        self, reference: Reference, weights: PredictiveWeights | None = None
    ) -> None:
        """Allocates the program and its solver."""
        self.reference, self.status = reference, ""
        self.weights = w = weights or PredictiveWeights()
        robot = reference.robot
        self._C = len(reference.patches)
        self._S = len(reference.soles) if w.stepping else 0
        self._soles = list(reference.soles[: self._S])
        self._NX, self._NU = BODY + 2 * self._S, 6 * self._C + 1 + 2 * self._S
        # Which way the first sole is from the second, if there are two.
        self._reaches = self._S == 2
        self._g, self._m = robot.gravity, robot.total_mass
        patches = [robot.contacts[n] for n in reference.patches]
        self._rows = [patch_rows(c.half_length, c.half_width, w) for c in patches]
        self._grid = PhaseGrid(reference, w.spacing)
        if self._C:
            self._make_cost()
            self._make_dynamics_pattern()
            self._solver = self._make_solver()

    @property
    def horizon(self) -> float:
        """Length of the horizon at nominal tempo [s]."""
        return self.weights.knots * self.weights.spacing

    def _make_cost(self) -> None:
        w, N, NX, NU = self.weights, self.weights.knots, self._NX, self._NU
        h = w.spacing
        Q, terminal = self._state_cost()
        low = np.zeros(self._NX)
        low[2] = -w.crouch
        wrench = [w.moment] * 3 + [w.force, w.force, w.vertical]
        blocks = []
        for k in range(N):
            R = np.r_[np.tile(wrench, self._C), w.theta, np.full(2 * self._S, w.jump)]
            R = np.diag(R * h)
            # Change of the stretch: |theta_k - theta_k+1|^2, its own diagonal part.
            t = 6 * self._C
            R[t, t] += w.theta_change * h * (2 if 0 < k < N - 1 else 1)
            blocks += [R, Q * h if k < N - 1 else terminal]
        P = sp.lil_matrix(block_diag(*blocks))
        n = N * (NU + NX)
        self._crouch = np.zeros(n)
        self._lowered = 0.0
        for k in range(N):
            end = (k + 1) * (NU + NX)
            weight = Q * h if k < N - 1 else terminal
            self._crouch[end - NX : end] = -weight @ low
            self._lowered += float(0.5 * low @ weight @ low)
        self._n, self._iu = n, np.arange(N) * (NU + NX)
        self._ix, self._it = self._iu + NU, self._iu + 6 * self._C
        for k in range(N - 1):
            a, b = self._it[k], self._it[k + 1]
            P[a, b] = P[b, a] = -w.theta_change * h
        for k in range(N):
            # Room for the coupling of stretch and velocity, written at each solve.
            a, b = self._it[k], self._ix[k] + 3
            for i in range(3):
                P[a, b + i] = P[b + i, a] = 1e-300
        self._P = sp.csc_matrix(P)
        self._P.sort_indices()
        self._velocity_weight = np.r_[np.full(N - 1, w.velocity * h), 2 * w.velocity]
        index = sp.csc_matrix(
            (np.arange(1, self._P.nnz + 1), self._P.indices, self._P.indptr),
            self._P.shape,
        ).tolil()
        a = self._it
        self._theta_diagonal = np.array([index[i, i] - 1 for i in a], int)
        pairs = list(zip(a, self._ix + 3, strict=True))
        self._theta_velocity = np.array(
            [[index[i, j + m] - 1 for m in range(3)] for i, j in pairs], int
        )
        self._velocity_theta = np.array(
            [[index[j + m, i] - 1 for m in range(3)] for i, j in pairs], int
        )
        self._P_values = self._P.data.copy()
        self._P_values[self._theta_velocity] = 0.0
        self._P_values[self._velocity_theta] = 0.0

    def _state_cost(self) -> tuple[np.ndarray, np.ndarray]:
        """Cost of a state per second, and of the last one."""
        w = self.weights
        weights = [0.0, w.velocity, w.momentum, w.rotation]
        Q = np.diag(np.r_[np.repeat(weights, 3), w.beat, np.full(2 * self._S, w.shift)])
        # The center of mass goes where the soles are.
        C = np.zeros((3, self._NX))
        C[:, :3] = np.eye(3)
        for i in range(self._S):
            C[:2, BODY + 2 * i : BODY + 2 * i + 2] = -np.eye(2) / self._S
        Q += C.T @ np.diag([w.com, w.com, w.height]) @ C
        height = float(self.reference.table.com[:, 0, 2].mean())
        D = C.copy()
        D[:, 3:6] = np.eye(3) * np.sqrt(max(height, 0.1) / self._g)
        return Q, 2 * Q + w.terminal * D.T @ D

    def _make_dynamics_pattern(self) -> None:
        N, NX, NU = self.weights.knots, self._NX, self._NU
        rows, columns = [], []
        for k in range(N):
            r = k * NX + np.arange(NX)
            rows.append(r)
            columns.append(self._ix[k] + np.arange(NX))
            if k > 0:
                rr, cc = np.meshgrid(r, self._ix[k - 1] + np.arange(NX), indexing="ij")
                rows.append(rr.ravel())
                columns.append(cc.ravel())
            rr, cc = np.meshgrid(r, self._iu[k] + np.arange(NU), indexing="ij")
            rows.append(rr.ravel())
            columns.append(cc.ravel())
        i, j = np.concatenate(rows), np.concatenate(columns)
        numbered = sp.csc_matrix(
            (np.arange(1.0, len(i) + 1), (i, j)), (N * NX, self._n)
        )
        self._A = numbered.copy()
        self._order = numbered.data.astype(int) - 1
        self._make_rows()

    def _make_rows(self) -> None:
        """Rows of the patches of every knot, then of the reach of the soles."""
        N = self.weights.knots
        patches = self._G_knot = block_diag(*self._rows)
        rows = patches.shape[0]
        reach = 2 if self._reaches else 0
        self._hurried = min(HURRIED, N - 1)
        lil = sp.lil_matrix((N * (rows + reach) + self._hurried, self._n))
        for k in range(N):
            columns = slice(self._iu[k], self._iu[k] + 6 * self._C)
            lil[k * rows : (k + 1) * rows, columns] = patches
            for r in range(reach):
                o = self._ix[k] + BODY
                lil[N * rows + 2 * k + r, o : o + 4] = 1.0
        for k in range(self._hurried):
            row = N * (rows + reach) + k
            lil[row, self._it[k]], lil[row, self._it[k + 1]] = -1.0, 1.0
        self._G = sp.csc_matrix(lil)
        self._G.sort_indices()
        # Where the entries of the reach are, in order of (knot, row, column), and
        # those of the change of the rate.
        at = sp.csc_matrix(
            (np.arange(1.0, self._G.nnz + 1), self._G.indices, self._G.indptr),
            self._G.shape,
        ).tocsr()
        last = N * (rows + reach)
        self._reach_entries = at[N * rows : last].data.astype(int) - 1
        self._hurry_entries = at[last:].data.astype(int) - 1

    def _make_solver(self) -> piqp.SparseSolver:
        solver = piqp.SparseSolver()
        settings = solver.settings
        settings.verbose = False
        settings.eps_abs = settings.eps_rel = 1e-4
        settings.eps_duality_gap_abs, settings.tau = DUALITY_GAP, STEP_SHARE
        settings.max_iter = 60
        settings.kkt_solver = piqp.KKTSolver.sparse_multistage
        # Variables are of order one as they are, and scaling leaves rounding errors in
        # the data from one program to the next: a memory that no Context would hold.
        settings.preconditioner_iter = 0
        n, rows = self._n, self._G.shape[0]
        begin = float(self.reference.table.t[0])
        horizon = self._horizon(PlanStart(begin, begin, np.zeros(12)))
        self._linearize(horizon, np.zeros(self._NX))
        solver.setup(
            self._P,
            np.zeros(n),
            self._A,
            np.zeros(self._A.shape[0]),
            self._G,
            np.full(rows, -INF),
            np.zeros(rows),
            np.full(n, -INF),
            np.full(n, INF),
        )
        return solver

    def _horizon(
        self,
        start: PlanStart,
        steps: Sequence[Step] = (),
        previous: Plan | None = None,
    ) -> Horizon:
        s, downs = start.s, start.touchdowns
        to_come = [d for d in downs if d.is_to_come(s)]
        return make_horizon(
            self.reference,
            self._grid.phases(s, self.weights.knots, (*steps, *to_come)),
            steps,
            self.shift(start),
            previous,
            downs,
            bool(self._soles),
            start.lift,
            start.tempo,
        )

    def shift(self, start: PlanStart) -> np.ndarray:
        """(S, 2) where the soles are, minus where the behavior has them [m]."""
        if start.shift is None:
            return np.zeros((len(self.reference.soles), 2))
        return start.shift

    def _linearize(self, horizon: Horizon, x0: np.ndarray) -> np.ndarray:
        """Writes dynamics and cost along the horizon; returns the right-hand side."""
        N, NX, h = self.weights.knots, self._NX, horizon.h
        Ad, Bd, e = linearize_dynamics(horizon, x0, self._soles, self._m, self._g)
        e[0] += Ad[0] @ x0
        head = np.concatenate([np.ones(NX), -Bd[0].ravel()])
        blocks = (np.ones((N - 1, NX)), -Ad[1:], -Bd[1:])
        tail = np.concatenate([x.reshape(N - 1, -1) for x in blocks], axis=1)
        self._A.data = np.concatenate([head, tail.ravel()])[self._order]
        # |dv + theta v_ref / h|^2: slowing down also slows what is to be tracked.
        scale = horizon.velocity[1:] / h[:, None]
        weight = self._velocity_weight[:, None]
        values = self._P_values.copy()
        values[self._theta_diagonal] += (weight * scale**2).sum(1)
        values[self._theta_velocity] = weight * scale
        values[self._velocity_theta] = weight * scale
        self._P.data = values
        return e.ravel()

    def solve(
        self,
        start: PlanStart,
        steps: Sequence[Step] = (),
        previous: Plan | None = None,
    ) -> Plan | None:
        """Plans from a start.

        Args:
            start: where the robot is, and what is asked of it.
            steps: steps that the behavior does not make.
            previous: the plan before, with the same steps, for products of
                deviations; None neglects them.

        Returns:
            A plan, or None when the solver found none.
        """
        started = time.perf_counter()
        N, C, NU, t0 = self.weights.knots, self._C, self._NU, 6 * self._C
        t, s, tempo, shift = start.t, start.s, start.tempo, self.shift(start)
        late = (t - s) / tempo
        x0 = np.concatenate([start.deviation, [late], shift[: self._S].ravel()])
        horizon = self._horizon(start, steps, previous)
        b = self._linearize(horizon, x0)
        rows = self._write_rows(horizon, shift)
        crouch = 1.0 if steps else self._crouching(start)
        low, high = variable_bounds(
            horizon, self.weights, self._soles, NU + self._NX, steps, previous
        )
        self._solver.update(
            P=self._P,
            c=crouch * self._crouch,
            A=self._A,
            b=b,
            G=self._G,
            h_l=rows[0],
            h_u=rows[1],
            x_l=low.ravel(),
            x_u=high.ravel(),
        )
        self._asked = horizon, x0, rows, np.stack([low, high])
        self._crouched = crouch * self.weights.crouch
        status = self._solver.solve()
        result = self._solver.result
        x = np.array(result.x)
        self.status = _STATUS.get(status, "numerics")
        if status != piqp.PIQP_SOLVED or not np.isfinite(x).all():
            return None
        if not self._violation(x, b) <= VIOLATION:
            self.status = "inaccurate"
            return None
        Z = x.reshape(N, NU + self._NX)
        X = np.vstack([x0, Z[:, NU:]])
        stretch = np.clip(Z[:, t0], low[:, t0], high[:, t0])
        durations = horizon.h + stretch
        return Plan(
            time=t,
            phase=s,
            rate=tempo * float(horizon.h[0] / durations[0]),
            durations=durations,
            phases=horizon.phases,
            deviation=X[:, :12].copy(),
            wrench=(horizon.wrench + Z[:, : 6 * C]).reshape(N, C, 6),
            com=horizon.com + X[:, :3],
            shift=self._shifts(X, shift),
            steps=tuple(steps),
            touchdowns=tuple(start.touchdowns),
            lift=start.lift,
            may_step=self.weights.stepping,
            objective=float(result.info.primal_obj) + crouch**2 * self._lowered,
            iterations=int(result.info.iter),
            solve_time=time.perf_counter() - started,
        )

    def solve_anew(self, start: PlanStart, steps: Sequence[Step] = ()) -> Plan | None:
        """Plans steps that the plan before has not, about a first answer.

        Without products of deviations in it that answer sees no use in hurrying: who
        is off balance falls less far in less time.
        """
        first = self.solve(start, steps)
        return None if first is None else self.solve(start, steps, first)

    def _violation(self, x: np.ndarray, b: np.ndarray) -> float:
        """Most by which an answer leaves the rows and bounds of the last program."""
        _, _, rows, bounds = self._asked
        equalities, inequalities = self._A @ x, self._G @ x
        low, high = bounds.reshape(2, -1)
        return max(
            farthest_out(equalities, b, b),
            farthest_out(inequalities, rows[0], rows[1]),
            farthest_out(x, low, high),
        )

    def off_balance(self, deviation: np.ndarray, shift: np.ndarray) -> np.ndarray:
        """(2,) divergent component of motion from where it belongs [m].

        Args:
            deviation: (12,) as of `PlanStart`.
            shift: (S, 2) likewise.
        """
        height = max(float(self.reference.table.com[0, 0, 2]), 0.1)
        off = deviation[:2] + deviation[3:5] / np.sqrt(self._g / height)
        return np.asarray(off - shift.mean(0) if len(shift) else off)

    def _crouching(self, start: PlanStart) -> float:
        """Share of the crouch that a robot takes which stands."""
        w = self.weights
        off = float(np.hypot(*self.off_balance(start.deviation, self.shift(start))))
        return min(1.0, max(0.0, (off - w.calm) / (w.lost - w.calm)))

    def last_solve(self) -> Solve:
        """What was asked last and what came out; call it after `solve`."""
        horizon, x0, row_bounds, bounds = self._asked
        result, shape = self._solver.result, bounds.shape[1:]
        x = np.array(result.x)
        return Solve(
            horizon,
            x0,
            x.reshape(shape),
            self._G @ x,
            row_bounds,
            np.stack([result.z_l, result.z_u]),
            bounds,
            np.stack([result.z_bl, result.z_bu]).reshape(bounds.shape),
            self._crouched,
        )

    def _shifts(self, X: np.ndarray, shift: np.ndarray) -> np.ndarray:
        """(N + 1, S, 2) places of the soles; as they are where none may step."""
        if self._S:
            return X[:, BODY:].reshape(len(X), -1, 2).copy()
        return np.tile(shift, (len(X), 1, 1))

    def _write_rows(self, horizon: Horizon, shift: np.ndarray) -> np.ndarray:
        """Writes rows that depend on the horizon; (2, m) least and most of all rows."""
        N, G = self.weights.knots, self._G
        first, last = N * len(self._G_knot), G.shape[0] - self._hurried
        out = np.empty((2, G.shape[0]))
        out[0, :first] = -INF
        out[1, :first] = -(horizon.wrench @ self._G_knot.T).ravel()
        if self._reaches:
            entries = np.empty((N, 2, 4))
            bounds = out[:, first:last].reshape(2, N, 2)
            w = self.weights
            limits = w.reach[0], w.reach[1], w.apart
            soles_apart(horizon.heading, horizon.soles, shift, limits, entries, bounds)
            G.data[self._reach_entries] = entries.ravel()
        entries, most = self._hurry(horizon)
        G.data[self._hurry_entries] = entries
        out[0, last:], out[1, last:] = -most, most
        return out

    def _hurry(self, horizon: Horizon) -> tuple[np.ndarray, np.ndarray]:
        """Entries and bounds of the change of the rate, as stretches per interval.

        Flight has its own time, and the rate may be what it likes before and after.
        """
        w, K = self.weights, self._hurried
        slowness = 1 / horizon.h[: K + 1]
        entries = np.empty((K, 2))
        entries[:, 0], entries[:, 1] = -slowness[:-1], slowness[1:]
        carried = np.asarray(horizon.standing[: K + 1].any(axis=1))
        free = 1 / w.slowest - 1 / w.fastest
        most = np.where(carried[:-1] & carried[1:], w.hurry * w.spacing, free)
        return entries.ravel(), most

    def rest(self, t: float, s: float, tempo: float = 1.0) -> Plan:
        """The plan that follows the behavior exactly, at a tempo."""
        N, C = self.weights.knots, self._C
        horizon = self._horizon(PlanStart(t, s, np.zeros(12), tempo=tempo))
        S = len(self.reference.soles)
        return Plan(
            time=t,
            phase=s,
            rate=tempo,
            durations=horizon.h,
            phases=horizon.phases,
            deviation=np.zeros((N + 1, 12)),
            wrench=horizon.wrench.reshape(N, C, 6),
            com=horizon.com,
            shift=np.zeros((N + 1, S, 2)),
            may_step=self.weights.stepping,
        )
