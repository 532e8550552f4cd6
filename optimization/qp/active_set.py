"""Quadratic programs whose active set is nearly known: one factorization, few rounds.

Bounds are guessed to be active; with them as equations the program is linear,

    H x + g + A_W' y = 0,    A_W x = b_W,

and its solution corrects the guess: bounds with a multiplier of the wrong sign are
removed, violated ones added, until nothing changes and the solution is optimal. From
tick to tick of a controller the guess is mostly right at once. It need not converge,
which it reports. Source
    Hintermüller, Ito, Kunisch, "The Primal-Dual Active Set Strategy as a Semismooth
    Newton Method", 2002.
"""

from typing import NamedTuple

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Flags, Indices, Matrix, Vector
from backbeat.models.compiled.bound import Bound
from backbeat.optimization.qp.cholesky import (
    factor,
    solve_backward,
    solve_forward,
    solve_rows,
)
from backbeat.optimization.qp.program import (
    DaqpSolver,
    ProgramArrays,
    QPSolution,
    QuadraticProgram,
)

# Rounds before giving up; from a wrong guess DAQP is as fast.
ROUNDS = 6
# How far beyond a bound counts as beyond it.
BEYOND = 1e-6


@compiled
def _reduce(H, g, A, lower, upper, x, free, moved):
    """Takes variables whose bounds meet out of a program.

    Args:
        H, g, A, lower, upper: the program.
        x: (n,) written: given values, zero for the others.
        free: (n,) written: the variables that are left, `count` of them.
        moved: (num_bounds + m,) written: what the given values add to rows.

    Returns:
        (count, count) upper triangle of the Hessian of what is left, and (count,) its
        negative gradient.
    """
    n, first = g.shape[0], lower.shape[0] - A.shape[0]
    count = 0
    moved[:] = 0.0
    for i in range(n):
        if i < first and lower[i] == upper[i]:
            x[i] = lower[i]
            if x[i] != 0.0:
                for row in range(A.shape[0]):
                    moved[first + row] += A[row, i] * x[i]
        else:
            x[i], free[count] = 0.0, i
            count += 1
    U, down = np.empty((count, count)), np.empty(count)
    for i in range(count):
        a = free[i]
        s = -g[a]
        for j in range(n):
            s -= H[a, j] * x[j]
        down[i] = s
        for j in range(i, count):
            U[i, j] = H[a, free[j]]
    return U, down


class Reduced(NamedTuple):
    """A program without the variables that are given.

    Attributes:
        A, lower, upper: rows, and bounds of variables and rows.
        moved: (num_bounds + m,) what given variables add to rows.
        free: (count,) variables that are not given.
        U: (count, count) Cholesky factor of their Hessian.
    """

    A: Matrix
    lower: Vector
    upper: Vector
    moved: Vector
    free: Indices
    U: Matrix


class Search(NamedTuple):
    """Where a search of active sets is.

    Attributes:
        side: (num_bounds + m,) what is active: 1 upper, -1 lower; written. Where both
            bounds are the same, one of them is.
        x, dual: (n,), (num_bounds + m,) written, given variables and their multipliers
            apart.
        V, known: (num_bounds + m, count), (num_bounds + m,) rows times U^-1, and
            which are there; written as they are needed, for other `best` too.
    """

    side: Indices
    x: Vector
    dual: Vector
    V: Matrix
    known: Flags


@compiled
def _list_active(lower, upper, side, first, active):
    """Lists what is active, given variables apart; -1 where that is too much."""
    k = 0
    for i in range(side.shape[0]):
        if side[i] == 0 or (i < first and lower[i] == upper[i]):
            continue
        if k == active.shape[0]:
            return -1
        active[k] = i
        k += 1
    return k


@compiled
def _solve_active(of, best, search, active):
    """Minimum with what is active as equations; whether there may be one.

    Args:
        of, best, search: as of `search_active`.
        active: (count,) memory.
    """
    A, lower, upper, moved, free, U = of
    side, x, dual, V, known = search
    count, first = U.shape[0], lower.shape[0] - A.shape[0]
    k = _list_active(lower, upper, side, first, active)
    if k < 0:
        return False
    z, y, rows = best.copy(), np.empty(k), np.empty((k, count))
    for a in range(k):
        i = active[a]
        if not known[i]:
            for j in range(count):
                if i < first:
                    V[i, j] = 1.0 if free[j] == i else 0.0
                else:
                    V[i, j] = A[i - first, free[j]]
            solve_forward(U, V[i])
            known[i] = True
        y[a] = moved[i] - (upper[i] if side[i] > 0 else lower[i])
        for j in range(count):
            rows[a, j] = V[i, j]
            y[a] += V[i, j] * best[j]
    solve_rows(rows, k, y)
    dual[:] = 0.0
    for a in range(k):
        dual[active[a]] = y[a]
        for j in range(count):
            z[j] -= y[a] * rows[a, j]
    solve_backward(U, z)
    for j in range(count):
        x[free[j]] = z[j]
    return True


@compiled
def _correct(A, lower, upper, x, dual, beyond, side):
    """Corrects which bounds are active: 1 upper, -1 lower.

    Returns:
        How many changed; -1 where one that should stay does not hold after all.
    """
    first, changes = lower.shape[0] - A.shape[0], 0
    for i in range(side.shape[0]):
        if lower[i] == upper[i]:
            continue
        value = 0.0
        if i < first:
            value = x[i]
        else:
            for j in range(x.shape[0]):
                value += A[i - first, j] * x[j]
        before, side[i] = side[i], 0
        if before == 0:
            if value > upper[i] + beyond:
                side[i] = 1
            elif value < lower[i] - beyond:
                side[i] = -1
        elif before * dual[i] > 0.0:
            side[i] = before
            bound = upper[i] if before > 0 else lower[i]
            if not abs(value - bound) <= beyond:
                return -1
        if side[i] != before:
            changes += 1
    return changes


@compiled
def search_active(of, best, beyond, rounds, search):
    """Minimum within bounds, from a guess of those that are active.

    Args:
        of: the program, as of `Reduced`.
        best: (count,) U times their minimum without bounds.
        beyond: how far beyond a bound counts as beyond it.
        rounds: how often the guess is corrected.
        search: begins with the guess; written.

    Returns:
        Rounds that it took; 0 where it did not get there.
    """
    lower, upper, side = of.lower, of.upper, search.side
    active = np.empty(of.U.shape[0], np.int64)
    for i in range(side.shape[0]):
        if lower[i] == upper[i]:
            side[i] = 1
    for turn in range(1, rounds + 1):
        if not _solve_active(of, best, search, active):
            return 0
        x, dual = search.x, search.dual
        changes = _correct(of.A, lower, upper, x, dual, beyond, side)
        if changes < 0:
            return 0
        if changes == 0:
            return turn
    return 0


@compiled
def _hold_given(H, g, A, lower, upper, x, dual):
    """Writes the multipliers of variables that are given: what balances the rest."""
    n, first = g.shape[0], lower.shape[0] - A.shape[0]
    for i in range(first):
        if lower[i] != upper[i]:
            continue
        s = g[i]
        for j in range(n):
            s += H[i, j] * x[j]
        for row in range(A.shape[0]):
            y = dual[first + row]
            if y != 0.0:
                s += A[row, i] * y
        dual[i] = -s


@compiled
def follow_active_set(
    bound: Bound[ProgramArrays],
    guess: Vector,
    x: Vector,
    dual: Vector,
) -> int:
    """Solves a program from a guess of its multipliers.

    Args:
        bound: of a `QuadraticProgram`.
        guess: (num_bounds + m,) multipliers whose signs say what is active.
        x: (n,) written: the solution.
        dual: (num_bounds + m,) written: its multipliers.

    Returns:
        Rounds that it took; 0 where it did not get there.
    """
    return follow(bound.content, guess, x, dual)


@compiled
def follow(of, guess, x, dual):
    """`follow_active_set` of a program's arrays, for compiled functions."""
    H, g, A, lower, upper = of.H, of.g, of.A, of.lower, of.upper
    rows = lower.shape[0]
    side, moved = np.empty(rows, np.int64), np.empty(rows)
    for i in range(rows):
        side[i] = 1 if guess[i] > 0.0 else (-1 if guess[i] < 0.0 else 0)
    free = np.empty(g.shape[0], np.int64)
    U, best = _reduce(H, g, A, lower, upper, x, free, moved)
    if not factor(U):
        return 0
    solve_forward(U, best)
    V, known = np.empty((rows, U.shape[0])), np.zeros(rows, np.bool_)
    reduced = Reduced(A, lower, upper, moved, free, U)
    search = Search(side, x, dual, V, known)
    turns = search_active(reduced, best, BEYOND, ROUNDS, search)
    if turns > 0:
        _hold_given(H, g, A, lower, upper, x, dual)
    return turns


class ActiveSetSolver:
    """Follows the active set from program to program, and uses DAQP where that fails.

    Like `DaqpSolver` it remembers nothing: the warm start is the dual solution that is
    handed in.
    """

    def __init__(self) -> None:
        """Makes a solver; its memory is allocated at the first program."""
        self._daqp = DaqpSolver()

    def solve(
        self, program: QuadraticProgram, warm_dual: np.ndarray | None = None
    ) -> QPSolution:
        """Solves a program, from a previous dual solution if there is one."""
        p = program
        if warm_dual is not None:
            x, dual = np.empty(len(p.g)), np.empty(len(p.lower))
            rounds = follow_active_set(p.bound, warm_dual, x, dual)
            if rounds > 0:
                return QPSolution(p, x, dual, True, rounds)
        return self._daqp.solve(p, warm_dual)
