"""PredictiveSolver: PIQP on the predictive program, with checked solutions.

Source
    Schwan, Jiang, Kuhn, Jones, "PIQP: A Proximal Interior-Point Quadratic Programming
    Solver", 2023.
"""

import numpy as np
import piqp

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Indices32, Vector
from backbeat.models.dynamics.finite import UNBOUNDED
from backbeat.mpc.predictive.given_variables import (
    find_given,
    take_out_of_cost,
    take_out_of_rows,
)
from backbeat.mpc.predictive.matrices import PredictiveMatrices

# Largest violation of an accepted solution; variables are of order one. The tolerance
# given to PIQP is 1e-4 and it reaches 1e-10; its status alone is not trusted.
VIOLATION = 1e-3
# Tolerance of the duality gap. The distribution of a force over the feet has so little
# cost that a gap of 1e-7 leaves an error of 9e-4 weights, and this one 1.4e-4.
DUALITY_GAP = 1e-8
# Step fractions to the boundary, each with its largest number of iterations. A fraction
# near one needs the fewest iterations, but may cycle where the cost hardly depends on a
# bounded variable, as at the feet of a seated robot; then the smaller one is used.
STEPS = ((0.998, 30), (0.99, 60))
# PIQP's exit statuses, in words.
_STATUS = {
    piqp.PIQP_SOLVED: "solved",
    piqp.PIQP_MAX_ITER_REACHED: "iteration cap",
    piqp.PIQP_PRIMAL_INFEASIBLE: "infeasible",
    piqp.PIQP_DUAL_INFEASIBLE: "infeasible",
}


class PredictiveSolver:
    """A solver for programs of one sparsity pattern.

    Variables whose bounds are equal (wrenches of feet in the air, moves of soles in
    stance) are eliminated first: between such bounds there is no interior, and the
    method takes a sixth more iterations. No state remains from one program to the next:
    a solution depends on its program only.

    Attributes:
        status: how the last solve ended: solved, infeasible, iteration cap, numerics
            or inaccurate.
        x: (n,) its solution.
    """

    def __init__(self, matrices: PredictiveMatrices) -> None:
        """Allocates it.

        Args:
            matrices: of the program, all entries written; read at every `ask`.
        """
        self.status, self.x, self._of = "", np.zeros(matrices.size), matrices
        self._solver = solver = piqp.SparseSolver()
        settings = solver.settings
        settings.verbose = False
        settings.eps_abs = settings.eps_rel = 1e-4
        settings.eps_duality_gap_abs = DUALITY_GAP
        settings.kkt_solver = piqp.KKTSolver.sparse_multistage
        # Variables are of order one, and scaling leaves rounding errors in the data
        # from one program to the next: a state outside the Context.
        settings.preconditioner_iter = 0
        of = matrices
        (m, n), p = of.G.shape, of.A.shape[0]
        free, nothing = np.full(n, UNBOUNDED), np.zeros(n)
        least, most = np.full(m, -UNBOUNDED), np.zeros(m)
        solver.setup(of.P, nothing, of.A, np.zeros(p), of.G, least, most, -free, free)
        # The program without eliminated variables; `_values` is zero for the others.
        self._left = of.P.copy(), of.A.copy(), of.G.copy()
        self._given, self._values = np.zeros(n, bool), np.zeros(n)
        self._fixed_cost = 0.0

    def ask(
        self, c: np.ndarray, b: np.ndarray, rows: np.ndarray, bounds: np.ndarray
    ) -> None:
        """Sets up a program with the current matrices.

        Args:
            c: (n,) linear cost.
            b: right side of the dynamics.
            rows: (2, m) bounds of the inequality rows.
            bounds: (2, n) bounds of the variables.
        """
        self._data = c, b, rows, bounds
        of, (P, A, G) = self._of, self._left
        given = self._given, self._values
        P.data[:], A.data[:], G.data[:] = of.P.data, of.A.data, of.G.data
        c, right, rows, free = (
            c.copy(),
            b.reshape(1, -1).copy(),
            rows.copy(),
            bounds.copy(),
        )
        find_given(bounds[0], bounds[1], UNBOUNDED, *given, free)
        fixed_cost = take_out_of_cost(P.indptr, P.indices, P.data, c, *given)
        take_out_of_rows(A.indptr, A.indices, A.data, right, *given)
        take_out_of_rows(G.indptr, G.indices, G.data, rows, *given)
        self._fixed_cost = fixed_cost
        self._solver.update(
            P=P,
            c=c,
            A=A,
            b=right[0],
            G=G,
            h_l=rows[0],
            h_u=rows[1],
            x_l=free[0],
            x_u=free[1],
        )

    def solve(self) -> int:
        """Solves the program; sets `status`.

        Returns:
            The number of iterations.
        """
        solver, iterations = self._solver, 0
        for share, most in STEPS:
            solver.settings.tau, solver.settings.max_iter = share, most
            status = solver.solve()
            iterations += int(solver.result.info.iter)
            if status != piqp.PIQP_MAX_ITER_REACHED:
                break
        self.status = _STATUS.get(status, "numerics")
        self.x = np.where(self._given, self._values, solver.result.x)
        if self.status == "solved" and not np.isfinite(self.x).all():
            self.status = "numerics"
        if self.status == "solved" and not self._violation() <= VIOLATION:
            self.status = "inaccurate"
        return iterations

    @property
    def objective(self) -> float:
        """Value of the cost at the last solution."""
        return float(self._solver.result.info.primal_obj) + self._fixed_cost

    def multipliers(self) -> tuple[np.ndarray, np.ndarray]:
        """(2, m) and (2, n) multipliers of the bounds of rows and variables.

        Those of eliminated variables, and of their rows, are zero.
        """
        result = self._solver.result
        of_rows = np.stack([result.z_l, result.z_u])
        return of_rows, np.stack([result.z_bl, result.z_bu])

    def _violation(self) -> float:
        """Largest violation of rows and bounds by the last solution."""
        (_, b, rows, (low, high)), x = self._data, self.x
        A, G = self._of.A, self._of.G
        return max(
            farthest_row(A.indptr, A.indices, A.data, x, b, b),
            farthest_row(G.indptr, G.indices, G.data, x, rows[0], rows[1]),
            farthest_out(x, low, high),
        )


# Without fast arithmetic, which assumes that there is no NaN.
@compiled
def farthest_out(values: Vector, low: Vector, high: Vector) -> float:
    """Largest violation of bounds by values; infinite where one is NaN."""
    worst = 0.0
    for i in range(values.shape[0]):
        out = max(low[i] - values[i], values[i] - high[i])
        if np.isnan(out):
            return np.inf
        worst = max(worst, out)
    return worst


# The same, as its values are passed on to it.
@compiled
def farthest_row(
    starts: Indices32,
    rows: Indices32,
    entries: Vector,
    x: Vector,
    low: Vector,
    high: Vector,
) -> float:
    """Largest violation of bounds by A x, with A by columns as in SciPy."""
    values = np.zeros(low.shape[0])
    for j in range(x.shape[0]):
        for i in range(starts[j], starts[j + 1]):
            values[rows[i]] += entries[i] * x[j]
    return farthest_out(values, low, high)
