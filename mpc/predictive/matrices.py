"""Matrices of the predictive program: its cost P, dynamics A, and inequality rows G.

    minimize    x'P x / 2 + c'x    x = [u_0, x_1, u_1, x_2 .. u_N-1, x_N]
    subject to  A x = b,  least <= G x <= most

Their sparsity patterns are constant; their values are written for every horizon.
`backbeat.mpc.predictive.program` defines the symbols.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import scipy
import scipy.sparse as sp

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Indices, Vector
from backbeat.models.compiled.bound import bind
from backbeat.models.dynamics.finite import UNBOUNDED
from backbeat.mpc.horizon.momentum_dynamics import dynamics_pattern, linearize_dynamics
from backbeat.mpc.horizon.patch_rows import patch_rows
from backbeat.mpc.horizon.pressure_rows import PressureRows
from backbeat.mpc.horizon.sampling import Horizon
from backbeat.mpc.horizon.unknowns import BODY, Unknowns
from backbeat.mpc.plans.weights import PredictiveWeights
from backbeat.mpc.predictive.bounds import step_limit_rows
from backbeat.mpc.predictive.cost_entries import CostEntries, write_cost
from backbeat.mpc.reference.pendulum import mean_time
from backbeat.mpc.reference.trajectory import Reference
from backbeat.optimization.terms.declared import On, costs_of

# Source of an entry that is one for all dynamics.
ONE = -1
# An entry that is written at each solve, so that the pattern has it.
PATTERN = 1e-300


class PredictiveMatrices:
    """The sparse matrices of one behavior's program, written again and again.

    Attributes:
        P, A, G: cost, dynamics and inequality rows. Rows of patches come first, knot
            by knot, then those of the reach of the soles, then those of the change of
            the rate.
        unknowns: rows of an interval's state and input.
        num_inputs, num_states: NU and NX of an interval.
        size: n, of all intervals together.
        com_lowering: (n,) linear cost of the full lowering of the CoM.
        lowering_offset: (N,) constant that it adds to the objective, knot by knot.
    """

    def __init__(
        self, reference: Reference, weights: PredictiveWeights, soles: Sequence[int]
    ) -> None:
        """Finds where all entries are.

        Args:
            reference: the behavior.
            weights: horizon, weights and bounds.
            soles: patches whose places are states.
        """
        self._reference, self._weights, self._soles = reference, weights, soles
        robot = reference.robot
        self._g, self._m = robot.gravity, robot.total_mass
        self._C, self._S = len(reference.patches), len(soles)
        self.unknowns = Unknowns(self._C, self._S, mean_time(reference))
        self.num_states = NX = self.unknowns.num_states
        self.num_inputs = NU = self.unknowns.num_inputs
        self.size = weights.knots * (NU + NX)
        self._iu = np.arange(weights.knots) * (NU + NX)
        self._ix, self._it = self._iu + NU, self._iu + 6 * self._C
        # Only two soles are kept within each other's reach.
        self._has_step_limits = self._S == 2
        # Time for which the end of each interval counts.
        self._share = np.full(weights.knots, weights.spacing)
        self._share[-1] = weights.end
        self._per_second = self._sum_of_costs(NX, On.STATE, On.PACED)
        self.P, self.com_lowering, self.lowering_offset = self._make_cost()
        self._find_entries()
        self.A = self._make_dynamics()
        self.G = self._make_rows()

    def _make_cost(self) -> tuple[sp.csc_matrix, np.ndarray, np.ndarray]:
        """P, and the terms that lowering the CoM adds to cost and objective."""
        w, N, NX = self._weights, self._weights.knots, self.num_states
        width = self.num_inputs + NX
        low = np.zeros(NX)
        low[2] = -w.com_lowering
        R = w.spacing * self._sum_of_costs(self.num_inputs, On.INPUT)
        at_end = self._sum_of_costs(NX, On.END)
        blocks, com_lowering, lowering_offset = [], np.zeros(self.size), np.zeros(N)
        for k in range(N):
            weight, end = self._share[k] * self._per_second, (k + 1) * width
            if k == N - 1:
                weight = weight + at_end
            blocks += [R, weight]
            com_lowering[end - NX : end] = -weight @ low
            lowering_offset[k] = 0.5 * low @ weight @ low
        P = sp.lil_matrix(scipy.linalg.block_diag(*blocks))
        # Pattern of what is written at each solve.
        for i in (*self._it, *(self._ix + BODY - 1)):
            P[i, i] += PATTERN
        for a, b in pairwise(self._it):
            P[a, b] = P[b, a] = PATTERN
        for a, b in zip(self._it, self._ix + 3, strict=True):
            for i in range(3):
                P[a, b + i] = P[b + i, a] = PATTERN
        P = sp.csc_matrix(P)
        P.sort_indices()
        return P, com_lowering, lowering_offset

    def _find_entries(self) -> None:
        """Notes where P has what is written at each solve, and all else that it has."""
        w, P = self._weights, self.P
        N = w.knots
        velocity_weight = self._share * sum(x for _, x in costs_of(w, On.PACED))
        index = sp.csc_matrix(
            (np.arange(1, P.nnz + 1), P.indices, P.indptr), P.shape
        ).tolil()
        theta_diagonal = np.array([index[i, i] - 1 for i in self._it], int)
        ends = zip(self._it[:-1], self._it[1:], strict=True)
        theta_pairs = np.array(
            [[index[a, b] - 1, index[b, a] - 1] for a, b in ends], int
        )
        neighbors = np.r_[1.0, np.full(N - 2, 2.0), 1.0]
        beats = np.array([index[i, i] - 1 for i in self._ix + BODY - 1], int)
        pairs = list(zip(self._it, self._ix + 3, strict=True))
        theta_velocity = np.array(
            [[index[i, j + m] - 1 for m in range(3)] for i, j in pairs], int
        )
        velocity_theta = np.array(
            [[index[j + m, i] - 1 for m in range(3)] for i, j in pairs], int
        )
        self._cost_entries = bind(
            CostEntries(
                P.data.copy(),
                velocity_weight,
                self._share,
                neighbors,
                theta_diagonal,
                theta_pairs,
                theta_velocity,
                velocity_theta,
                beats,
            )
        )

    def _sum_of_costs(self, size: int, *on: On) -> np.ndarray:
        """(size, size) matrix of the declared costs on these."""
        total = np.zeros((size, size))
        for cost, weight in costs_of(self._weights, *on):
            assert cost.rows is not None, cost.name
            T = cost.rows(self.unknowns)
            total += weight * T.T @ T
        return total

    def _make_dynamics(self) -> sp.csc_matrix:
        """A, and which entry of which interval's dynamics each of its own is."""
        N, NX, NU = self._weights.knots, self.num_states, self.num_inputs
        patterns = dynamics_pattern(self._C, self._soles)
        (i_x, j_x), (i_u, j_u) = map(np.nonzero, patterns)
        rows, columns, sources = [], [], []
        for k in range(N):
            r = k * NX + np.arange(NX)
            rows.append(r)
            columns.append(self._ix[k] + np.arange(NX))
            sources.append(np.full(NX, ONE))
            if k > 0:
                rows.append(k * NX + i_x)
                columns.append(self._ix[k - 1] + j_x)
                sources.append((k * NX + i_x) * NX + j_x)
            rows.append(k * NX + i_u)
            columns.append(self._iu[k] + j_u)
            sources.append(N * NX * NX + (k * NX + i_u) * NU + j_u)
        i, j = np.concatenate(rows), np.concatenate(columns)
        numbered = sp.csc_matrix(
            (np.arange(1.0, len(i) + 1), (i, j)), (N * NX, self.size)
        )
        self._sources = np.concatenate(sources)[numbered.data.astype(int) - 1]
        return numbered

    def _make_rows(self) -> sp.csc_matrix:
        """G, and where the entries are that depend on the horizon."""
        N = self._weights.knots
        patches = self._G_knot = self._patches(1.0)
        self._friction_scale, self._friction_mask = 1.0, patches != self._patches(0.0)
        rows = patches.shape[0]
        reach = 2 if self._has_step_limits else 0
        self._rate_change_rows = min(self._weights.rate_change_intervals, N - 1)
        lil = sp.lil_matrix((N * (rows + reach) + self._rate_change_rows, self.size))
        for k in range(N):
            columns = slice(self._iu[k], self._iu[k] + 6 * self._C)
            lil[k * rows : (k + 1) * rows, columns] = patches
            for r in range(reach):
                o = self._ix[k] + BODY
                lil[N * rows + 2 * k + r, o : o + 4] = 1.0
        for k in range(self._rate_change_rows):
            row = N * (rows + reach) + k
            lil[row, self._it[k]], lil[row, self._it[k + 1]] = -1.0, 1.0
        G = sp.csc_matrix(lil)
        G.sort_indices()
        # Where the entries of friction, of the reach, in order of (knot, row, column),
        # and of the change of the rate are.
        at = sp.csc_matrix(
            (np.arange(1.0, G.nnz + 1), G.indices, G.indptr), G.shape
        ).tocsr()
        last = N * (rows + reach)
        knots = [
            at[k * rows : (k + 1) * rows, i : i + 6 * self._C].toarray()
            for k, i in enumerate(self._iu)
        ]
        entries = np.array(knots)[:, self._friction_mask]
        self._friction_entries = entries.astype(int) - 1
        contacts = [self._reference.robot.contacts[n] for n in self._reference.patches]
        numbers = np.array(knots).astype(int) - 1
        self._pressure = PressureRows(numbers, [c.bearing[0] for c in contacts])
        self._wrench_columns = self._iu[:, None] + np.arange(6 * self._C)
        self._step_limit_entries = at[N * rows : last].data.astype(int) - 1
        self._rate_change_entries = at[last:].data.astype(int) - 1
        return G

    def _patches(self, friction_scale: float) -> np.ndarray:
        """(10 C, 6 C) rows of one knot's patches, with a share of the friction."""
        contacts = [self._reference.robot.contacts[n] for n in self._reference.patches]
        return scipy.linalg.block_diag(
            *(patch_rows(*c.bearing, self._weights, friction_scale) for c in contacts)
        )

    def linearize(self, horizon: Horizon, x0: np.ndarray, beat: float) -> np.ndarray:
        """Writes dynamics and cost along a horizon; (N NX,) the right-hand side.

        Args:
            horizon: the behavior ahead, and the plan about which to linearize.
            x0: (NX,) measured deviation.
            beat: weight on time minus phase.
        """
        h = horizon.h
        Ad, Bd, e = linearize_dynamics(horizon, x0, self._soles, self._m, self._g)
        e[0] += Ad[0] @ x0
        _gather(Ad.ravel(), Bd.ravel(), self._sources, self.A.data)
        w = self._weights
        spacing, changing = w.spacing, np.sqrt(w.spacing * w.time_dilation_change)
        rates = spacing, w.time_dilation, changing, beat
        write_cost(self._cost_entries, h, horizon.velocity, rates, self.P.data)
        return e.ravel()

    def cost_of_time(self, horizon: Horizon) -> np.ndarray:
        """(N,) cost per second of the plan before in each interval.

        `P` has cost per phase, by which delaying a motion that is off its place would
        reduce the cost. Zero without a plan before; its cost on time is left out.

        Args:
            horizon: with the plan before.
        """
        x = horizon.deviation
        return np.asarray(0.5 * (x @ self._per_second * x).sum(axis=1))

    def write_rows(
        self, horizon: Horizon, shift: np.ndarray, friction_scale: float
    ) -> np.ndarray:
        """Writes rows that depend on the horizon; (2, m) least and most of all rows.

        Args:
            horizon: the behavior ahead.
            shift: (S, 2) places of the soles minus the behavior's [m].
            friction_scale: share of the assumed friction that the floor provides.
        """
        N, G = self._weights.knots, self.G
        if friction_scale != self._friction_scale:
            self._friction_scale, self._G_knot = (
                friction_scale,
                self._patches(friction_scale),
            )
            G.data[self._friction_entries] = self._G_knot[self._friction_mask]
        on_edge = self._pressure.write(horizon.edge * horizon.standing, G.data)
        first, last = N * len(self._G_knot), G.shape[0] - self._rate_change_rows
        out = np.empty((2, G.shape[0]))
        out[0, :first] = -UNBOUNDED
        out[1, :first] = -(horizon.wrench @ self._G_knot.T).ravel()
        if on_edge:
            # The matrix of the patches comes first.
            wrench = np.zeros(G.shape[1])
            wrench[self._wrench_columns] = horizon.wrench
            out[1, :first] = -(G[:first] @ wrench)
        if self._has_step_limits:
            entries = np.empty((N, 2, 4))
            bounds = out[:, first:last].reshape(2, N, 2)
            w = self._weights
            limits = w.max_step_length[0], w.max_step_length[1], w.min_step_width
            moved = shift + np.cumsum(horizon.replaced, axis=0)
            step_limit_rows(
                horizon.heading, horizon.soles, moved, limits, entries, bounds
            )
            G.data[self._step_limit_entries] = entries.ravel()
        entries, most = self._rate_change(horizon)
        G.data[self._rate_change_entries] = entries
        out[0, last:], out[1, last:] = -most, most
        return out

    def _rate_change(self, horizon: Horizon) -> tuple[np.ndarray, np.ndarray]:
        """Entries and bounds of the change of the rate, as dilations per interval.

        The duration of a flight is given, so the rate next to it is free.
        """
        w, K = self._weights, self._rate_change_rows
        slowness = 1 / horizon.h[: K + 1]
        entries = np.empty((K, 2))
        entries[:, 0], entries[:, 1] = -slowness[:-1], slowness[1:]
        carried = np.asarray(horizon.standing[: K + 1].any(axis=1))
        free = 1 / w.min_phase_rate - 1 / w.max_phase_rate
        most = np.where(
            carried[:-1] & carried[1:], w.max_phase_rate_change * w.spacing, free
        )
        return entries.ravel(), most


@compiled
def _gather(A: Vector, B: Vector, sources: Indices, out: Vector) -> None:
    """Writes minus the entries of A, then B, that have these numbers; ones for ONE."""
    for n in range(out.shape[0]):
        i = sources[n]
        if i < 0:
            out[n] = 1.0
        elif i < A.shape[0]:
            out[n] = -A[i]
        else:
            out[n] = -B[i - A.shape[0]]
