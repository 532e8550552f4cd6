"""Programs with small weights that settle: solved again near the answer of the last.

    minimize    1/2 x'H x + g'x               then, x_0 being the answer before,
    minimize    1/2 x'H x - (toward + N x_0)'x
    subject to  lower <= A x <= upper

H has N in it, weights so small beside the rest that they decide only what nothing else
decides. What they cost the rest shrinks with every pass (proximal iterations), and H is
factored once for all of them.

Bounds that are active are found as in `active_set.py`, from those of a guess: the last
tick's, or none. Where that does not end they are found one by one. The answer is that
of the bounds that are active in the end, whatever was guessed. Where so many are that
rounding decides, another solver is asked.

Goldfarb, Idnani, "A Numerically Stable Dual Method for Solving Strictly Convex
Quadratic Programs", 1983. Hintermüller, Ito, Kunisch, "The Primal-Dual Active Set Strategy as a Semismooth Newton
Method", 2002. Rockafellar, "Monotone Operators and the Proximal Point Algorithm", 1976.
"""

from dataclasses import dataclass

import numpy as np

from optimization.cholesky import factor, solve_backward, solve_forward, solve_rows
from optimization.qp import (
    QPSolution,
    QuadraticProgram,
    make_solver,
    summed,
)

# Passes over a program, and the change of an answer from which on it has settled.
PASSES, SETTLED = 4, 1e-9
# Corrections of what is active before it is found row by row, and steps of that before
# another solver is asked.
ROUNDS, STEPS = 6, 200
# Which share of its square a row has to have left, or it follows from active ones.
INDEPENDENT = 1e-12
# How far beyond a bound counts as beyond it, as a share of what is accepted.
BEYOND = 1e-3
# How the search of active sets ends, in words.
EXACT, INFEASIBLE = "exact", "infeasible"


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


@summed
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


@summed
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


@summed
def _correct_all(A, lower, upper, side, U, best, x, dual, V, known, beyond):
    """Corrects what is active until nothing changes; rounds, 0 where that fails."""
    for turn in range(1, 1 + ROUNDS):
        if not _solve_active(A, lower, upper, side, U, best, x, dual, V, known):
            return 0
        changes = _correct(A, lower, upper, x, dual, beyond, side)
        if changes < 0:
            return 0
        if changes == 0:
            return turn
    return 0


@summed
def _weigh_active(V, signs, active, k, v, r, d):
    """Multipliers r (k,) of active rows that make up for a row v, and what is left of it.

    Args:
        V, signs, active, k: rows, which side of them, and which are active.
        v, r, d: (n,), (n,) written, (n,) written.

    Returns:
        Whether the active rows are independent.
    """
    n, S = v.shape[0], np.empty((k, k))
    y = np.zeros(k)
    for a in range(k):
        row = V[active[a]]
        for j in range(n):
            y[a] += signs[a] * row[j] * v[j]
        for b in range(a, k):
            s = 0.0
            for j in range(n):
                s += row[j] * V[active[b], j]
            S[a, b] = signs[a] * signs[b] * s
    if not factor(S):
        return False
    solve_forward(S, y)
    solve_backward(S, y)
    for j in range(n):
        d[j] = v[j]
    for a in range(k):
        r[a] = y[a]
        for j in range(n):
            d[j] -= y[a] * signs[a] * V[active[a], j]
    return True


@summed
def _find_active(A, lower, upper, U, best, beyond, side, V, known):
    """Finds what is active row by row, the worst one first: Goldfarb and Idnani.

    Args:
        A, lower, upper, U, best, V, known: as of `_solve_active`.
        beyond: how far beyond a bound counts as beyond it.
        side: (m,) written.

    Returns:
        1, or -1 where there is no answer at all, or 0 where it did not get there.
    """
    m, n = A.shape
    z, x, d, r = best.copy(), np.empty(n), np.empty(n), np.empty(n)
    active, signs, u, k = np.empty(n, np.int64), np.empty(n), np.empty(n), 0
    side[:] = 0
    for _ in range(STEPS):
        for j in range(n):
            x[j] = z[j]
        solve_backward(U, x)
        over, p, sign = beyond, -1, 1.0
        for i in range(m):
            if side[i] != 0:
                continue
            value = 0.0
            for j in range(n):
                value += A[i, j] * x[j]
            if value - upper[i] > over:
                over, p, sign = value - upper[i], i, 1.0
            if lower[i] - value > over:
                over, p, sign = lower[i] - value, i, -1.0
        if p < 0:
            return 1
        if not known[p]:
            for j in range(n):
                V[p, j] = A[p, j]
            solve_forward(U, V[p])
            known[p] = True
        v, size, added = sign * V[p], 0.0, 0.0
        for j in range(n):
            size += v[j] * v[j]
        while True:
            if not _weigh_active(V, signs, active, k, v, r, d):
                return 0
            left = 0.0
            for j in range(n):
                left += d[j] * d[j]
            step, gone = np.inf, -1
            for a in range(k):
                if r[a] > 0.0 and u[a] < step * r[a]:
                    step, gone = u[a] / r[a], a
            is_new = left > INDEPENDENT * size and k < n
            if is_new and over <= step * left:
                step, gone = over / left, -1
            if not step < np.inf:
                return -1 if over > beyond / BEYOND else 0
            for a in range(k):
                u[a] -= step * r[a]
            added += step
            if is_new:
                over -= step * left
                for j in range(n):
                    z[j] -= step * d[j]
            if gone < 0:
                active[k], signs[k], u[k] = p, sign, added
                side[p] = 1 if sign > 0.0 else -1
                k += 1
                break
            side[active[gone]] = 0
            k -= 1
            for a in range(gone, k):
                active[a], signs[a], u[a] = active[a + 1], signs[a + 1], u[a + 1]
    return 0


@summed
def settle(H, g, A, lower, upper, near, toward, beyond, side, x, dual):
    """Solves a program and settles.

    Args:
        H, g, A, lower, upper, near, toward: of a `SettlingProgram`.
        beyond: how far beyond a bound counts as beyond it.
        side: (m,) guess of what is active, 1 upper, -1 lower; written.
        x, dual: (n,), (m,) written: the solution and its multipliers.

    Returns:
        Rounds that it took; 0 where it did not get there, -1 where nothing would.
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
        data = A, lower, upper, side, U, best, x, dual, V, known
        took = _correct_all(*data, beyond)
        if not took:
            found = _find_active(A, lower, upper, U, best, beyond, side, V, known)
            if found <= 0:
                return found
            took = _correct_all(*data, beyond)
            if not took:
                return 0
        rounds += took
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
        solution = self._settle(p, guess)
        if solution.found or solution.status == INFEASIBLE:
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
        status = INFEASIBLE if rounds < 0 else EXACT
        return QPSolution(p, x, dual, rounds > 0, rounds, status)

    def _settle_by_other(
        self, p: SettlingProgram, solution: QPSolution
    ) -> QPSolution:
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
