"""Programs with small weights that settle: solved again near the answer of the last.

    minimize    1/2 x'H x + g'x               then, x_0 being the answer before,
    minimize    1/2 x'H x - (toward + N x_0)'x
    subject to  lower <= A x <= upper

H includes N, weights so small against the rest that they decide only what is otherwise
undetermined. Their influence on the rest shrinks with every pass (proximal iterations),
and H is factored once for all of them.

Bounds that are active are found as in `active_set.py`, from those of a guess: the last
tick's, or none. The answer is that of the bounds that are active in the end, whatever
was guessed. Where that does not end, another solver is used.

Hintermüller, Ito, Kunisch, "The Primal-Dual Active Set Strategy as a Semismooth Newton
Method", 2002. Rockafellar, "Monotone Operators and the Proximal Point Algorithm", 1976.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Indices, Matrix, Vector
from backbeat.optimization.qp.active_set import Reduced, Search, search_active
from backbeat.optimization.qp.cholesky import factor, solve_forward
from backbeat.optimization.qp.program import (
    QPSolution,
    QuadraticProgram,
    make_solver,
)

# Passes over a program, and the change of an answer from which on it has settled.
PASSES, SETTLED = 4, 1e-9
# Corrections of what is active before another solver is used.
ROUNDS = 8
# How far beyond a bound counts as beyond it, as a share of what is accepted.
BEYOND = 1e-3
# How the search of active sets ends, in words.
EXACT = "exact"


@dataclass(frozen=True)
class SettlingProgram(QuadraticProgram):
    """The program stated at the head of this module.

    Attributes:
        near: (n, n) N.
        toward: (n,).
        accepted: violation of a bound that is accepted of a solution.
    """

    near: np.ndarray
    toward: np.ndarray
    accepted: float


class SettlingArrays(NamedTuple):
    """A `SettlingProgram` as compiled functions read it."""

    H: Matrix
    g: Vector
    A: Matrix
    lower: Vector
    upper: Vector
    near: Matrix
    toward: Vector


@compiled
def settle(
    of: SettlingArrays,
    beyond: float,
    side: Indices,
    x: Vector,
    dual: Vector,
) -> int:
    """Solves a program and settles.

    Args:
        of: the program.
        beyond: how far beyond a bound counts as beyond it.
        side: (m,) guess of what is active, 1 upper, -1 lower; written.
        x, dual: (n,), (m,) written: the solution and its multipliers.

    Returns:
        Rounds that it took; 0 where it did not get there.
    """
    m, n = of.A.shape
    U, V, known = of.H.copy(), np.empty((m, n)), np.zeros(m, np.bool_)
    if not factor(U):
        return 0
    # No variable is given.
    free, moved = np.empty(n, np.int64), np.zeros(m)
    for j in range(n):
        free[j] = j
    reduced = Reduced(of.A, of.lower, of.upper, moved, free, U)
    search = Search(side, x, dual, V, known)
    best, last, rounds = np.empty(n), np.empty(n), 0
    x[:] = 0.0
    for turn in range(PASSES):
        for j in range(n):
            last[j] = x[j]
        _pull(of, last, turn, best)
        solve_forward(U, best)
        turns = search_active(reduced, best, beyond, ROUNDS, search)
        if turns == 0:
            return 0
        rounds += turns
        change = 0.0
        for j in range(n):
            change = max(change, abs(x[j] - last[j]))
        # No number is not at rest.
        if change <= SETTLED:
            break
    return rounds


@compiled
def _pull(of, last, turn, out):
    """Writes the right side of pass `turn`, about the answer of the last."""
    n = out.shape[0]
    for i in range(n):
        s = -of.g[i]
        if turn:
            s = of.toward[i]
            for j in range(n):
                s += of.near[i, j] * last[j]
        out[i] = s


class SettlingSolver:
    """Solves settling programs; it remembers nothing from one to the next."""

    def __init__(self, other: str = "daqp") -> None:
        """Makes a solver.

        Args:
            other: name of the back end that is used where guesses do not end.

        Raises:
            BackbeatError: no such back end.
        """
        self._other = make_solver(other)

    def solve(
        self, program: SettlingProgram, guess: np.ndarray | None = None
    ) -> QPSolution:
        """Solves a program, from a guess (m,) of what is active: 1 upper, -1 lower.

        The status of an answer is EXACT where active sets ended, so that it is right to
        the last digits; its multipliers say what is active. An answer of the back end
        is as good as what is accepted; beyond that it is not found.
        """
        p = program
        for known in (None,) if guess is None else (guess, None):
            solution = self._settle(p, known)
            if solution.found:
                return solution
        # Its first answer says what is active; if that is not all, it settles itself.
        other = self._other.solve(QuadraticProgram(p.H, p.g, p.A, p.lower, p.upper))
        if other.found:
            solution = self._settle(p, other.dual)
        return solution if solution.found else self._settle_by_other(p, other)

    def _settle(self, p: SettlingProgram, guess: np.ndarray | None) -> QPSolution:
        """Solves a program from a guess alone, or from nothing."""
        x, dual = np.empty(len(p.g)), np.empty(len(p.lower))
        side = np.zeros(len(dual), np.int64)
        if guess is not None:
            side[:] = np.sign(guess)
        of = SettlingArrays(p.H, p.g, p.A, p.lower, p.upper, p.near, p.toward)
        rounds = settle(of, BEYOND * p.accepted, side, x, dual)
        return QPSolution(p, x, dual, rounds > 0, rounds, EXACT)

    def _settle_by_other(self, p: SettlingProgram, solution: QPSolution) -> QPSolution:
        """The same by the back end, from its first answer on."""
        before = np.zeros(len(p.g))
        for left in reversed(range(PASSES)):
            if not (solution.found and solution.primal_residual() <= p.accepted):
                return QPSolution(p, before, solution.dual, False, 0)
            change = float(np.abs(solution.x - before).max(initial=0.0))
            before = solution.x
            if not left or change <= SETTLED:
                break
            solution = self._other.solve_again(-(p.near @ before) - p.toward)
        return solution
