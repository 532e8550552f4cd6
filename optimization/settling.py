"""Programs with small weights that settle: solved again near the answer of the last.

    minimize    1/2 x'H x + g'x               then, x_0 being the answer before,
    minimize    1/2 x'H x - (toward + N x_0)'x
    subject to  lower <= A x <= upper

H has N in it, weights so small beside the rest that they decide only what nothing else
decides. What they cost the rest shrinks with every pass (proximal iterations), and H is
factored once for all of them.

Bounds that are active are found as in `active_set.py`, from those of a guess: the last
tick's, or none. The answer is that of the bounds that are active in the end, whatever
was guessed. Where that does not end, another solver is asked.

Hintermüller, Ito, Kunisch, "The Primal-Dual Active Set Strategy as a Semismooth Newton
Method", 2002. Rockafellar, "Monotone Operators and the Proximal Point Algorithm", 1976.
"""

from dataclasses import dataclass

import numpy as np

from models.arrays import Indices, Matrix, Vector
from models.compiled import compiled
from optimization.cholesky import factor, solve_backward, solve_forward, solve_rows
from optimization.qp import (
    QPSolution,
    QuadraticProgram,
    make_solver,
)

# Passes over a program, and the change of an answer from which on it has settled.
PASSES, SETTLED = 4, 1e-9
# Corrections of what is active before another solver is asked.
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


@compiled
def _solve_active(A, lower, upper, side, U, best, x, dual, V, known):
    """Minimum with what is active as equations; whether there may be one.

    Args:
        A, lower, upper, side: rows, bounds, and what is active: 1 upper, -1 lower.
        U: (n, n) Cholesky factor of H.
        best: (n,) U times the minimum without bounds.
        x, dual: (n,), (m,) written.
        V, known: (m, n), (m,) rows of A U^-1, written as they are needed.
    """
    m, n = A.shape
    k = 0
    for i in range(m):
        dual[i] = 0.0
        if side[i] != 0:
            k += 1
    if k > n:
        return False
    for j in range(n):
        x[j] = best[j]
    rows, y, active = np.empty((k, n)), np.empty(k), np.empty(k, np.int64)
    k = 0
    for i in range(m):
        if side[i] == 0:
            continue
        if not known[i]:
            for j in range(n):
                V[i, j] = A[i, j]
            solve_forward(U, V[i])
            known[i] = True
        s = -(upper[i] if side[i] > 0 else lower[i])
        for j in range(n):
            rows[k, j] = V[i, j]
            s += V[i, j] * best[j]
        y[k], active[k] = s, i
        k += 1
    solve_rows(rows, k, y)
    for a in range(k):
        dual[active[a]] = y[a]
        for j in range(n):
            x[j] -= y[a] * rows[a, j]
    solve_backward(U, x)
    return True


@compiled
def _correct(A, lower, upper, x, dual, beyond, side):
    """Corrects what is active; how much changed, -1 where it cannot hold."""
    changes = 0
    for i in range(side.shape[0]):
        value, before = 0.0, side[i]
        for j in range(x.shape[0]):
            value += A[i, j] * x[j]
        if before == 0:
            if value > upper[i] + beyond:
                side[i] = 1
            elif value < lower[i] - beyond:
                side[i] = -1
        elif not before * dual[i] > 0.0:
            side[i] = 0
        elif not abs(value - (upper[i] if before > 0 else lower[i])) <= beyond:
            return -1
        if side[i] != before:
            changes += 1
    return changes


@compiled
def settle(
    H: Matrix,
    g: Vector,
    A: Matrix,
    lower: Vector,
    upper: Vector,
    near: Matrix,
    toward: Vector,
    beyond: float,
    side: Indices,
    x: Vector,
    dual: Vector,
) -> int:
    """Solves a program and settles.

    Args:
        H, g, A, lower, upper, near, toward: of a `SettlingProgram`.
        beyond: how far beyond a bound counts as beyond it.
        side: (m,) guess of what is active, 1 upper, -1 lower; written.
        x, dual: (n,), (m,) written: the solution and its multipliers.

    Returns:
        Rounds that it took; 0 where it did not get there.
    """
    m, n = A.shape
    U, V, known = H.copy(), np.empty((m, n)), np.zeros(m, np.bool_)
    if not factor(U):
        return 0
    best, last, rounds = np.empty(n), np.empty(n), 0
    x[:] = 0.0
    for turn in range(PASSES):
        for j in range(n):
            last[j] = x[j]
        for i in range(n):
            s = -g[i]
            if turn:
                s = toward[i]
                for j in range(n):
                    s += near[i, j] * last[j]
            best[i] = s
        solve_forward(U, best)
        changes, end = 1, rounds + ROUNDS
        while changes:
            if rounds == end:
                return 0
            rounds += 1
            if not _solve_active(A, lower, upper, side, U, best, x, dual, V, known):
                return 0
            changes = _correct(A, lower, upper, x, dual, beyond, side)
            if changes < 0:
                return 0
        moved = 0.0
        for j in range(n):
            moved = max(moved, abs(x[j] - last[j]))
        # No number is not at rest.
        if moved <= SETTLED:
            break
    return rounds


class SettlingSolver:
    """Solves settling programs; it remembers nothing from one to the next."""

    def __init__(self, other: str = "daqp") -> None:
        """Makes a solver.

        Args:
            other: name of the back end that is asked where guesses do not end.

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
        data = p.H, p.g, p.A, p.lower, p.upper, p.near, p.toward
        rounds = settle(*data, BEYOND * p.accepted, side, x, dual)
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
