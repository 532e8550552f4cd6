"""Quadratic programs, their solutions, and the solvers by name.

    minimize    1/2 x'H x + g'x
    subject to  lower <= [x[:num_bounds]; A x] <= upper

The first `num_bounds` bounds are simple bounds on the first variables, the rest
belong to the rows of A. A solution has residuals, which callers check
in addition to the solver's status.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import daqp
import numpy as np

from backbeat.models.common.errors import unknown_name
from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Indices32, Matrix, Vector
from backbeat.models.compiled.bound import Bound, bind

# DAQP's codes for its constraints.
_ACTIVE, _AT_LOWER, _EQUALITY = 1, 2, 5
# DAQP's exit flags, in words; the rest are of no use to anyone.
_STATUS = {1: "solved", -1: "infeasible", -4: "iteration cap"}


class ProgramArrays(NamedTuple):
    """The arrays of a `QuadraticProgram`, for compiled functions."""

    H: Matrix
    g: Vector
    A: Matrix
    lower: Vector
    upper: Vector


@dataclass(frozen=True)
class QuadraticProgram:
    """The program stated at the head of this module.

    Attributes:
        H: (n, n) symmetric positive definite.
        g: (n,).
        A: (m, n).
        lower, upper: (num_bounds + m,) with +-`UNBOUNDED` for none.
    """

    H: np.ndarray
    g: np.ndarray
    A: np.ndarray
    lower: np.ndarray
    upper: np.ndarray

    @cached_property
    def bound(self) -> Bound[ProgramArrays]:
        """Its arrays for compiled functions, for a program that is kept."""
        return bind(self.arrays)

    @property
    def arrays(self) -> ProgramArrays:
        """Its arrays for compiled functions."""
        return ProgramArrays(self.H, self.g, self.A, self.lower, self.upper)

    @property
    def num_bounds(self) -> int:
        """How many leading variables have simple bounds."""
        return len(self.lower) - len(self.A)

    def is_like(self, other: "QuadraticProgram") -> bool:
        """Whether another program has as many variables and constraints."""
        sizes = [(len(p.g), len(p.A), len(p.lower)) for p in (self, other)]
        return sizes[0] == sizes[1]

    def constraint_values(self, x: np.ndarray) -> np.ndarray:
        """(num_bounds + m,) values of the bounded quantities at x."""
        return np.concatenate([x[: self.num_bounds], self.A @ x])


@compiled
def _violation(A: Matrix, lower: Vector, upper: Vector, x: Vector) -> float:
    """Largest violation of a bound; not a number where anything is not."""
    m, n = A.shape
    first = lower.shape[0] - m
    worst = 0.0
    for i in range(lower.shape[0]):
        if i < first:
            value = x[i]
        else:
            value = 0.0
            for j in range(n):
                value += A[i - first, j] * x[j]
        # One by one: a sum of differences may be reordered until nothing is left of it.
        if np.isnan(value) or np.isnan(lower[i]) or np.isnan(upper[i]):
            return np.nan
        worst = max(worst, lower[i] - value, value - upper[i])
    return worst


@compiled
def _gradient(H: Matrix, g: Vector, A: Matrix, x: Vector, dual: Vector) -> float:
    """Largest entry of H x + g + A' dual; not a number where anything is not."""
    m, n = A.shape
    first = dual.shape[0] - m
    r = g.copy()
    for i in range(n):
        for j in range(n):
            r[i] += H[i, j] * x[j]
    for i in range(first):
        r[i] += dual[i]
    for i in range(m):
        y = dual[first + i]
        if y != 0.0:
            for j in range(n):
                r[j] += y * A[i, j]
    worst = 0.0
    for i in range(n):
        if np.isnan(r[i]):
            return np.nan
        worst = max(worst, abs(r[i]))
    return worst


@compiled
def is_optimal_at(
    of: ProgramArrays, x: Vector, dual: Vector, primal: float, gradient: float
) -> bool:
    """Whether both residuals are numbers and within their tolerances."""
    if not _violation(of.A, of.lower, of.upper, x) <= primal:
        return False
    return _gradient(of.H, of.g, of.A, x, dual) <= gradient


@compiled
def _guess(lower: Vector, upper: Vector, dual: Vector, sense: Indices32) -> None:
    """Writes which rows are equalities, and which a dual solution has at a bound."""
    for i in range(sense.shape[0]):
        sense[i] = 0
        if lower[i] == upper[i]:
            sense[i] = _EQUALITY
        elif dual[i] > 0.0:
            sense[i] = _ACTIVE
        elif dual[i] < 0.0:
            sense[i] = _ACTIVE | _AT_LOWER


@dataclass(frozen=True)
class QPSolution:
    """Primal and dual solution with its residuals.

    Attributes:
        program: what was solved.
        x: (n,) primal solution.
        dual: (num_bounds + m,) multipliers, positive at upper bounds.
        found: whether the solver says it solved the program.
        iterations: iterations of the solver.
        status: how it ended: solved, infeasible, iteration cap or numerics.
    """

    program: QuadraticProgram
    x: np.ndarray
    dual: np.ndarray
    found: bool
    iterations: int
    status: str = "solved"

    def primal_residual(self) -> float:
        """Largest violation of a bound."""
        p = self.program
        return float(_violation(p.A, p.lower, p.upper, self.x))

    def dual_residual(self) -> float:
        """Largest entry of the gradient of the Lagrangian."""
        p = self.program
        return float(_gradient(p.H, p.g, p.A, self.x, self.dual))

    def is_optimal(self, primal: float, dual: float) -> bool:
        """Whether the residuals are finite and within tolerances."""
        arrays = self.program.arrays
        return self.found and bool(
            is_optimal_at(arrays, self.x, self.dual, primal, dual)
        )


class DaqpSolver:
    """Dual active set, fast for small dense programs solved again and again.

    The warm start is the dual solution handed in, not a memory of the solver, so
    equal calls give equal answers. Arnström, Bemporad, Axehill, "A Dual
    Active-Set Solver for Embedded Quadratic Programming Using Recursive LDL
    Updates", 2022.
    """

    def __init__(self) -> None:
        """Makes a solver; its memory is allocated at the first program."""
        self._model: daqp.Model | None = None
        self._program: QuadraticProgram | None = None

    def solve(
        self, program: QuadraticProgram, warm_dual: np.ndarray | None = None
    ) -> QPSolution:
        """Solves a program, from a previous dual solution if there is one."""
        sense = np.empty(len(program.lower), np.int32)
        cold = np.zeros(len(sense)) if warm_dual is None else warm_dual
        _guess(program.lower, program.upper, cold, sense)
        solution = self._run(program, sense)
        if warm_dual is not None and not solution.found:
            sense[sense != _EQUALITY] = 0
            self._model = None
            solution = self._run(program, sense)
        return solution

    def solve_again(self, g: np.ndarray) -> QPSolution:
        """Solves the program that was solved last for another g (n,), from there.

        A small part of the work of a new program.
        """
        assert self._model is not None
        assert self._program is not None
        program = replace(self._program, g=g)
        self._model.update(f=g)
        return self._finish(program, self._model)

    def _run(self, program: QuadraticProgram, sense: np.ndarray) -> QPSolution:
        p = program
        if self._model is None or self._program is None or not p.is_like(self._program):
            model = daqp.Model()
            flag, _ = model.setup(p.H, p.g, p.A, p.upper, p.lower, sense)
        else:
            model = self._model
            # What fails, or raises, is not used again.
            self._model = None
            flag = model.update(p.H, p.g, p.A, p.upper, p.lower, sense)
        if flag < 0:
            nothing = np.zeros(len(p.g)), np.zeros(len(p.lower))
            return QPSolution(p, *nothing, False, 0, _STATUS.get(flag, "numerics"))
        return self._finish(program, model)

    def _finish(self, program: QuadraticProgram, model: daqp.Model) -> QPSolution:
        # What has failed, or raised, is not used again.
        self._model = None
        x, _, flag, info = model.solve()
        found = flag == 1
        if found:
            self._model, self._program = model, program
        status = _STATUS.get(flag, "numerics")
        return QPSolution(program, x, info["lam"], found, info["iterations"], status)


SOLVERS = {"daqp": DaqpSolver}


def make_solver(name: str) -> DaqpSolver:
    """A fresh solver by name.

    Raises:
        BackbeatError: no such solver.
    """
    if name not in SOLVERS:
        raise unknown_name("solver", name, SOLVERS)
    return SOLVERS[name]()
