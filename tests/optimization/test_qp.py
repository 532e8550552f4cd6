"""Quadratic programs: answers are optimal, and there is none where none exists."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from backbeat.models.common.errors import BackbeatError
from backbeat.models.dynamics.finite import UNBOUNDED
from backbeat.optimization.qp.program import (
    DaqpSolver,
    QPSolution,
    QuadraticProgram,
    make_solver,
)
from tests.tolerances import QP_DUAL, QP_PRIMAL


def random_program(seed, n, m, num_bounds, num_equal, tight):
    """A feasible program around a known point, with rows of every kind."""
    rng = np.random.default_rng(seed)
    L = rng.normal(size=(n, n))
    H = L @ L.T + 0.1 * np.eye(n)
    A = rng.normal(size=(m, n))
    g = 3 * rng.normal(size=n)
    inside = rng.normal(size=n)
    values = np.r_[inside[:num_bounds], A @ inside]
    lower = values - tight * rng.uniform(0.01, 1.0, len(values))
    upper = values + tight * rng.uniform(0.01, 1.0, len(values))
    equal = num_bounds + rng.permutation(m)[: min(num_equal, m)]
    lower[equal] = upper[equal] = values[equal]
    free = rng.permutation(num_bounds + m)[: (num_bounds + m) // 4]
    free = np.setdiff1d(free, equal)
    lower[free[::2]], upper[free[1::2]] = -UNBOUNDED, UNBOUNDED
    return QuadraticProgram(H, g, A, lower, upper)


def check_optimality(solution: QPSolution):
    """The Karush-Kuhn-Tucker conditions, written out once more."""
    p, x, y = solution.program, solution.x, solution.dual
    n = len(p.lower) - len(p.A)
    values = np.r_[x[:n], p.A @ x]
    scale = 1 + np.abs(p.g).max()
    assert (values >= p.lower - QP_PRIMAL).all()
    assert (values <= p.upper + QP_PRIMAL).all()
    gradient = p.H @ x + p.g + p.A.T @ y[n:]
    gradient[:n] += y[:n]
    assert_allclose(gradient, 0.0, atol=QP_DUAL * scale)
    # A multiplier pushes away from its bound, and only where the bound holds.
    equal = p.lower == p.upper
    up, down = (y > QP_DUAL * scale) & ~equal, (y < -QP_DUAL * scale) & ~equal
    assert_allclose(values[up], p.upper[up], atol=QP_PRIMAL)
    assert_allclose(values[down], p.lower[down], atol=QP_PRIMAL)


programs = st.builds(
    random_program,
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(4, 12),
    m=st.integers(1, 10),
    num_bounds=st.integers(0, 4),
    num_equal=st.integers(0, 3),
    tight=st.sampled_from([0.1, 1.0, 10.0]),
)


@given(programs)
def test_answers_satisfy_the_optimality_conditions(program):
    solution = DaqpSolver().solve(program)
    assert solution.found
    check_optimality(solution)
    # And the solution knows its own residuals.
    assert solution.primal_residual() <= QP_PRIMAL
    assert solution.dual_residual() <= QP_DUAL * (1 + np.abs(program.g).max())
    assert solution.is_optimal(QP_PRIMAL, QP_DUAL * (1 + np.abs(program.g).max()))


@given(programs, st.integers(0, 1000))
def test_a_warm_start_changes_the_way_and_not_the_answer(program, seed):
    solver = DaqpSolver()
    cold = solver.solve(program)
    warm = solver.solve(program, cold.dual)
    assert_allclose(warm.x, cold.x, rtol=0, atol=QP_PRIMAL)
    assert warm.iterations <= max(cold.iterations, 1)
    # Even a wrong one.
    wrong = np.random.default_rng(seed).normal(size=len(cold.dual))
    elsewhere = solver.solve(program, wrong)
    check_optimality(elsewhere)
    assert_allclose(elsewhere.x, cold.x, rtol=0, atol=QP_PRIMAL)


@given(programs, programs)
def test_equal_calls_give_equal_answers(program, other):
    """Whatever was solved in between, of another size or of the same."""
    solver = DaqpSolver()
    first = solver.solve(program)
    shifted = QuadraticProgram(
        2 * program.H, -program.g, program.A, program.lower, program.upper
    )
    for between in (other, shifted):
        solver.solve(between)
        again = solver.solve(program)
        assert_allclose(again.x, first.x, rtol=0, atol=QP_PRIMAL)
    fresh = DaqpSolver().solve(program)
    assert np.array_equal(fresh.x, first.x)
    assert np.array_equal(fresh.dual, first.dual)


@given(programs, st.floats(0.01, 10.0))
def test_an_infeasible_program_has_no_answer(program, gap):
    """Two opposite rows that exclude each other; the next program is unharmed."""
    row = program.A[:1]
    p = QuadraticProgram(
        program.H,
        program.g,
        np.vstack([program.A, row, row]),
        np.r_[program.lower, 1.0 + gap, -UNBOUNDED],
        np.r_[program.upper, UNBOUNDED, 1.0],
    )
    solver = DaqpSolver()
    for warm in (None, np.ones(len(p.lower))):
        solution = solver.solve(p, warm)
        assert not solution.found
        assert not solution.is_optimal(1e9, 1e9)
    good = solver.solve(program)
    assert good.found
    check_optimality(good)


@given(programs)
def test_a_program_that_is_not_convex_has_no_answer(program):
    """Whether it comes first or after one of the same shape; the next is unharmed."""
    bent = QuadraticProgram(
        -program.H, program.g, program.A, program.lower, program.upper
    )
    solver = DaqpSolver()
    for _ in range(2):
        solution = solver.solve(bent)
        assert not solution.found
        assert solution.status == "numerics"
        assert np.array_equal(solution.x, np.zeros(len(bent.g)))
        check_optimality(solver.solve(program))


def test_residuals_tell_a_wrong_answer():
    program = random_program(0, 6, 4, 2, 1, 1.0)
    right = DaqpSolver().solve(program)
    for x, dual in (
        (right.x + 1e-3, right.dual),
        (right.x, right.dual + 1e-3),
        (right.x * np.nan, right.dual),
        (right.x, right.dual * np.nan),
    ):
        wrong = QPSolution(program, x, dual, True, 1)
        assert not wrong.is_optimal(QP_PRIMAL, 1e-4)
    unfound = QPSolution(program, right.x, right.dual, False, 1)
    assert not unfound.is_optimal(1.0, 1.0)


def test_solvers_go_by_name():
    assert isinstance(make_solver("daqp"), DaqpSolver)
    with pytest.raises(BackbeatError, match="unknown solver 'osqp'; did you mean daqp"):
        make_solver("osqp")
