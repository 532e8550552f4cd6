"""PredictiveProgram: forces, momentum and timing over a horizon, as a pure function.

A linear time-varying predictive controller in deviations from the behavior, on a
grid of phase, so that contact switches sit on knots whatever the timing does.

    state       x = [dc, dv, dk, dphi, dT]: CoM, CoM velocity, angular momentum per
                mass, body rotation (each minus the behavior's) and time minus phase
    input       u = [dw_1 .. dw_C, theta]: patch wrenches minus the behavior's, in
                weights of the robot, and the stretch of the interval's time [s]
    dynamics    dv' = g sum df,
                dk' = g sum [(p - c) x df + dm + f_ref x dc],
                dphi' = m I^-1 dk,
                x+ = A x + B u + E theta, E = change of the behavior per time
    cost        sum |dc|^2 + |dv + (theta/h) v_ref|^2 + |dk|^2 + |dphi|^2 + dT^2
                + |dw|^2 + theta^2 + change of theta^2, and at the end the divergent
                component of motion |dc + dv / omega|^2
    subject to  friction pyramid, center of pressure, yaw moment and normal force of
                every standing patch, no wrench elsewhere, bounded theta

States carry no hard constraint: an infeasible program would be a fall. Sources
    Wieber, "Trajectory Free Linear Model Predictive Control for Stable Walking in
    the Presence of Strong Perturbations", 2006.
    Englsberger, Ott, Albu-Schaeffer, "Three-Dimensional Bipedal Walking Control
    Based on Divergent Component of Motion", 2015.
"""

import itertools
import time
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import piqp
import scipy.sparse as sp

from models.contact import PATCH_MARGIN
from mpc.plan import Plan
from mpc.reference import Reference

NX = 13
INF = 1e30


@dataclass(frozen=True)
class PredictiveWeights:
    """Horizon, weights and bounds of the predictive program.

    Attributes:
        knots: intervals of the horizon.
        spacing: phase of an interval [s]; knots * spacing is the horizon.
        com, velocity, momentum, rotation: weights per second on the state.
        beat: weight on time minus phase; the musical knob: large holds the beat
            at any price, small saves the balance first.
        theta: weight on stretching an interval.
        theta_change: weight on the change of the stretch between intervals.
        force, vertical, moment: weights on wrench deviations.
        terminal: weight on the divergent component at the end of the horizon.
        slowest, fastest: bounds on the phase rate; wider ones fell.
        friction: coefficient of friction that is relied on.
        yaw_moment: most yaw moment of a patch per normal force [m].
        max_force: most normal force of a patch [weights].
    """

    knots: int = 26
    spacing: float = 0.05
    com: float = 100.0
    velocity: float = 10.0
    momentum: float = 5.0
    rotation: float = 10.0
    beat: float = 20.0
    theta: float = 20.0
    theta_change: float = 20.0
    force: float = 0.5
    vertical: float = 0.2
    moment: float = 5.0
    terminal: float = 300.0
    slowest: float = 0.7
    fastest: float = 1.25
    friction: float = 0.55
    yaw_moment: float = 0.05
    max_force: float = 2.2


def patch_rows(
    half_length: float, half_width: float, w: PredictiveWeights
) -> np.ndarray:
    """(10, 6) rows A with A w <= 0: friction, center of pressure, yaw moment."""
    X, Y = PATCH_MARGIN * half_length, PATCH_MARGIN * half_width
    mu = w.friction / np.sqrt(2)
    rows = []
    for s in (1, -1):
        rows += [
            [0, 0, 0, s, 0, -mu],
            [0, 0, 0, 0, s, -mu],
            [s, 0, 0, 0, 0, -Y],
            [0, s, 0, 0, 0, -X],
            [0, 0, s, 0, 0, -w.yaw_moment],
        ]
    return np.array(rows, float)


def _skew(r: np.ndarray) -> np.ndarray:
    """(n, 3, 3) cross product matrices of (n, 3) vectors."""
    S = np.zeros((*r.shape[:-1], 3, 3))
    S[..., 0, 1], S[..., 0, 2], S[..., 1, 2] = -r[..., 2], r[..., 1], -r[..., 0]
    S[..., 1, 0], S[..., 2, 0], S[..., 2, 1] = r[..., 2], -r[..., 1], r[..., 0]
    return S


class _Horizon(NamedTuple):
    """The behavior at the knots (N + 1) and in the intervals (N) of a horizon."""

    phases: np.ndarray  # (N + 1,) [s]
    h: np.ndarray  # (N,) [s]
    com: np.ndarray  # (N + 1, 3)
    velocity: np.ndarray  # (N + 1, 3)
    momentum: np.ndarray  # (N + 1, 3) per mass
    wrench: np.ndarray  # (N, 6 C)
    standing: np.ndarray  # (N, C)
    R: np.ndarray  # (N, C, 3, 3)
    p: np.ndarray  # (N, C, 3)
    inverse_inertia: np.ndarray  # (N, 3, 3)


class PredictiveProgram:
    """The predictive program of one behavior.

    Attributes:
        reference: the behavior.
        weights: horizon, weights and bounds.
    """

    def __init__(
        self, reference: Reference, weights: PredictiveWeights | None = None
    ) -> None:
        """Allocates the program and its solver."""
        self.reference = reference
        self.weights = w = weights or PredictiveWeights()
        robot = reference.robot
        self._C = len(reference.patches)
        self._NU = 6 * self._C + 1
        self._g, self._m = robot.gravity, robot.total_mass
        patches = [robot.contacts[n] for n in reference.patches]
        self._rows = [patch_rows(c.half_length, c.half_width, w) for c in patches]
        self._grid, self._is_switch = self._make_grid()
        if self._C:
            self._make_cost()
            self._make_dynamics_pattern()
            self._solver = self._make_solver()

    @property
    def horizon(self) -> float:
        """Length of the horizon at nominal tempo [s]."""
        return self.weights.knots * self.weights.spacing

    def _make_cost(self) -> None:
        w, N, NU = self.weights, self.weights.knots, self._NU
        h = w.spacing
        state = np.r_[
            np.full(3, w.com),
            np.full(3, w.velocity),
            np.full(3, w.momentum),
            np.full(3, w.rotation),
            w.beat,
        ]
        wrench = [w.moment] * 3 + [w.force, w.force, w.vertical]
        height = float(self.reference.table.com[:, 0, 2].mean())
        omega = np.sqrt(self._g / max(height, 0.1))
        D = np.zeros((3, NX))
        D[:, :3], D[:, 3:6] = np.eye(3), np.eye(3) / omega
        terminal = 2 * np.diag(state) + w.terminal * D.T @ D
        blocks = []
        for k in range(N):
            R = np.diag(np.r_[np.tile(wrench, self._C), w.theta]) * h
            # Change of the stretch: |theta_k - theta_k+1|^2, its own diagonal part.
            R[-1, -1] += w.theta_change * h * (2 if 0 < k < N - 1 else 1)
            blocks += [R, np.diag(state) * h if k < N - 1 else terminal]
        P = sp.lil_matrix(sp.block_diag(blocks))
        n = N * (NU + NX)
        self._n, self._iu = n, np.arange(N) * (NU + NX)
        self._ix = self._iu + NU
        for k in range(N - 1):
            a, b = self._iu[k] + NU - 1, self._iu[k + 1] + NU - 1
            P[a, b] = P[b, a] = -w.theta_change * h
        for k in range(N):
            # Room for the coupling of stretch and velocity, written at each solve.
            a, b = self._iu[k] + NU - 1, self._ix[k] + 3
            for i in range(3):
                P[a, b + i] = P[b + i, a] = 1e-300
        self._P = sp.csc_matrix(P)
        self._P.sort_indices()
        self._velocity_weight = np.r_[np.full(N - 1, w.velocity * h), 2 * w.velocity]
        index = sp.csc_matrix(
            (np.arange(1, self._P.nnz + 1), self._P.indices, self._P.indptr),
            self._P.shape,
        ).tolil()
        a = self._iu + NU - 1
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

    def _make_dynamics_pattern(self) -> None:
        N, NU = self.weights.knots, self._NU
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
        G = sp.block_diag(self._rows)
        self._num_rows = G.shape[0]
        lil = sp.lil_matrix((N * self._num_rows, self._n))
        for k in range(N):
            r = k * self._num_rows
            lil[r : r + self._num_rows, self._iu[k] : self._iu[k] + 6 * self._C] = G
        self._G = sp.csc_matrix(lil)
        self._G_knot = np.asarray(G.todense())

    def _make_solver(self) -> piqp.SparseSolver:
        solver = piqp.SparseSolver()
        settings = solver.settings
        settings.verbose = False
        settings.eps_abs = settings.eps_rel = 1e-4
        settings.max_iter = 60
        settings.kkt_solver = piqp.KKTSolver.sparse_multistage
        # Variables are of order one as they are, and scaling leaves rounding errors in
        # the data from one program to the next: a memory that no Context would hold.
        settings.preconditioner_iter = 0
        n, rows = self._n, self._G.shape[0]
        self._linearize(self._horizon(self.reference.table.t[0]), np.zeros(NX))
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

    def _phases(self, s: float) -> np.ndarray:
        """(N + 1,) phases of the knots.

        A short first interval joins the next, but for one before a switch.
        """
        h, N, last = self.weights.spacing, self.weights.knots, len(self._grid) - 1
        if self._grid[0] <= s < self._grid[-1]:
            k = int(np.searchsorted(self._grid, s + 1e-6 * h, side="right"))
        else:
            end = 0 if s < self._grid[0] else last
            k = end + int(np.floor((s - self._grid[end]) / h + 1e-6)) + 1
        is_switch = 0 < k <= last and self._is_switch[k]
        if self._knots(np.array(k)) - s < (0.02 if is_switch else 0.3) * h:
            k += 1
        return np.r_[s, self._knots(k + np.arange(N))]

    def _knots(self, k: np.ndarray) -> np.ndarray:
        """Phases of knots by number; evenly spaced beyond the first and last switch."""
        inside = np.clip(k, 0, len(self._grid) - 1)
        return np.asarray(self._grid[inside] + (k - inside) * self.weights.spacing)

    def _make_grid(self) -> tuple[np.ndarray, np.ndarray]:
        """Phases of knots from the start to the last switch, and which are switches.

        Every switch of contacts is a knot: knots that are half an interval off would
        take a landing for that much earlier or later than it is.
        """
        table, h = self.reference.table, self.weights.spacing
        i = np.flatnonzero((table.standing[1:] != table.standing[:-1]).any(axis=1))
        edges = np.unique(np.r_[0.0, table.t[i + 1]])
        spans = [
            a + h * np.arange(max(1, round((b - a) / h)))
            for a, b in itertools.pairwise(edges)
        ]
        grid = np.concatenate([*spans, edges[-1:]])
        return grid, np.isin(grid, edges)

    def _horizon(self, s: float) -> _Horizon:
        """The behavior over the horizon from phase s."""
        table, reference = self.reference.table, self.reference
        phases = self._phases(s)
        i, u = reference.grid(phases)
        j, v = reference.grid(0.5 * (phases[:-1] + phases[1:]))

        def at(column: np.ndarray, index: np.ndarray, share: np.ndarray) -> np.ndarray:
            share = share.reshape(-1, *[1] * (column.ndim - 1))
            return np.asarray((1 - share) * column[index] + share * column[index + 1])

        # Outside the behavior the robot rests.
        moving = ((phases >= 0) & (phases <= reference.duration))[:, None]
        N = self.weights.knots
        return _Horizon(
            phases=phases,
            h=np.diff(phases),
            com=at(table.com[:, 0], i, u),
            velocity=at(table.com[:, 1], i, u) * moving,
            momentum=at(table.momentum[:, 0], i, u) * moving / self._m,
            wrench=at(table.wrench, j, v).reshape(N, 6 * self._C),
            standing=table.standing[j],
            R=table.R_contact[j],
            p=at(table.p_contact, j, v),
            inverse_inertia=np.linalg.inv(at(table.inertia, j, v)),
        )

    def _linearize(self, horizon: _Horizon, x0: np.ndarray) -> np.ndarray:
        """Writes dynamics and cost along the horizon; returns A x0 of the first."""
        C, N, g, h = self._C, self.weights.knots, self._g, horizon.h
        middle = 0.5 * (horizon.com[:-1] + horizon.com[1:])
        A = np.zeros((N, NX, NX))
        B = np.zeros((N, NX, self._NU))
        A[:, 0:3, 3:6] = np.eye(3)
        A[:, 9:12, 6:9] = self._m * horizon.inverse_inertia
        for c in range(C):
            moment, force = slice(6 * c, 6 * c + 3), slice(6 * c + 3, 6 * c + 6)
            R = horizon.R[:, c]
            f_ref = np.einsum("nij,nj->ni", R, horizon.wrench[:, force])
            A[:, 6:9, 0:3] += g * _skew(f_ref)
            B[:, 3:6, force] = g * R
            B[:, 6:9, force] = g * _skew(horizon.p[:, c] - middle) @ R
            B[:, 6:9, moment] = g * R
        hh = h[:, None, None]
        Ad = np.eye(NX) + hh * A + 0.5 * hh**2 * (A @ A)
        Bd = hh * B + 0.5 * hh**2 * (A @ B)
        x_ref = np.concatenate(
            [horizon.com, horizon.velocity, horizon.momentum], axis=1
        )
        Bd[:, :9, -1] = np.diff(x_ref, axis=0) / h[:, None]
        Bd[:, 9:12, -1] = 0.0
        Bd[:, 12, -1] = 1.0
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
        return np.asarray(Ad[0] @ x0)

    def solve(self, t: float, s: float, deviation: np.ndarray) -> Plan | None:
        """Plans from phase s at time t.

        Args:
            t: time [s].
            s: phase of the behavior [s].
            deviation: (12,) measured minus reference: CoM, CoM velocity, angular
                momentum per mass, body rotation.

        Returns:
            A plan, or None when the solver found none.
        """
        started = time.perf_counter()
        N, C, NU = self.weights.knots, self._C, self._NU
        x0 = np.r_[deviation, t - s]
        horizon = self._horizon(s)
        b = np.zeros(N * NX)
        b[:NX] = self._linearize(horizon, x0)
        upper = -(horizon.wrench @ self._G_knot.T).ravel()
        low, high = self._bounds(horizon)
        self._solver.update(
            P=self._P,
            A=self._A,
            b=b,
            h_u=upper,
            x_l=low.ravel(),
            x_u=high.ravel(),
        )
        status = self._solver.solve()
        result = self._solver.result
        x = np.array(result.x)
        if status != piqp.PIQP_SOLVED or not np.isfinite(x).all():
            return None
        Z = x.reshape(N, NU + NX)
        X = np.vstack([x0, Z[:, NU:]])
        stretch = np.clip(Z[:, NU - 1], low[:, NU - 1], high[:, NU - 1])
        durations = horizon.h + stretch
        return Plan(
            time=t,
            phase=s,
            rate=float(horizon.h[0] / durations[0]),
            durations=durations,
            phases=horizon.phases,
            deviation=X[:, :12],
            wrench=(horizon.wrench + Z[:, : 6 * C]).reshape(N, C, 6),
            com=horizon.com + X[:, :3],
            iterations=int(result.info.iter),
            solve_time=time.perf_counter() - started,
        )

    def _bounds(self, horizon: _Horizon) -> tuple[np.ndarray, np.ndarray]:
        """(N, NU + NX) bounds: wrenches of contacts in the air, loads, stretches."""
        N, NU, w = self.weights.knots, self._NU, self.weights
        low, high = np.full((N, NU + NX), -INF), np.full((N, NU + NX), INF)
        for c in range(self._C):
            on = horizon.standing[:, c]
            zero = -horizon.wrench[:, 6 * c : 6 * c + 6]
            o, z = slice(6 * c, 6 * c + 6), 6 * c + 5
            low[:, o] = np.where(on[:, None], low[:, o], zero)
            high[:, o] = np.where(on[:, None], high[:, o], zero)
            low[:, z] = zero[:, 5]
            high[:, z] = np.where(on, w.max_force, 0.0) + zero[:, 5]
        low[:, NU - 1] = (1 / w.fastest - 1) * horizon.h
        high[:, NU - 1] = (1 / w.slowest - 1) * horizon.h
        return low, high

    def rest(self, t: float, s: float) -> Plan:
        """The plan that follows the behavior exactly, at nominal tempo."""
        N, C = self.weights.knots, self._C
        horizon = self._horizon(s)
        return Plan(
            time=t,
            phase=s,
            rate=1.0,
            durations=horizon.h,
            phases=horizon.phases,
            deviation=np.zeros((N + 1, 12)),
            wrench=horizon.wrench.reshape(N, C, 6),
            com=horizon.com,
        )
