"""Following the active set: wherever it gets, the answer is the optimum."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backbeat.optimization.qp import active_set
from backbeat.optimization.qp.active_set import ActiveSetSolver, follow_active_set
from backbeat.optimization.qp.program import DaqpSolver, QPSolution, QuadraticProgram
from tests.optimization.test_qp import check_optimality, programs
from tests.tolerances import QP_DUAL, QP_PRIMAL


def follow(program: QuadraticProgram, guess: np.ndarray) -> QPSolution:
    """The answer from a guess alone; not found where that does not get there."""
    p = program
    x, dual = np.empty(len(p.g)), np.empty(len(p.lower))
    rounds = follow_active_set(p.bound, guess, x, dual)
    return QPSolution(p, x, dual, rounds > 0, rounds)


@given(programs, st.floats(-0.2, 0.2), st.integers(0, 4))
def test_from_a_near_program_it_finds_the_same_as_daqp(program, moved, num_given):
    bounds = np.arange(len(program.lower)) < min(num_given, program.num_bounds)
    middle = np.clip(0.1, program.lower, program.upper)
    program = replace(
        program,
        lower=np.where(bounds, middle, program.lower),
        upper=np.where(bounds, middle, program.upper),
    )
    right = DaqpSolver().solve(program)
    if not right.found:
        return
    near = DaqpSolver().solve(replace(program, g=(1 + moved) * program.g))
    solution = follow(program, near.dual)
    if solution.found:
        check_optimality(solution)
        assert np.abs(solution.x - right.x).max() < QP_PRIMAL
    # From the answer itself there is nothing left to do.
    again = follow(program, right.dual)
    assert again.iterations == 1
    check_optimality(again)


@given(programs, st.integers(0, 2**32 - 1))
def test_from_any_guess_the_answer_is_right(program, seed):
    """Bounds that are guessed wrong are let go, and those left out are found."""
    guess = np.random.default_rng(seed).normal(size=len(program.lower))
    solution = ActiveSetSolver().solve(program, guess)
    assert solution.found
    check_optimality(solution)


def square(lower: list[float], upper: list[float]) -> QuadraticProgram:
    """|x - (3, 1)|^2 / 2 with x_0 + x_1, twice, and x_0 - x_1 between bounds."""
    A = np.array([[1.0, 1.0], [1.0, 1.0], [1.0, -1.0]])
    g = np.array([-3.0, -1.0])
    return QuadraticProgram(np.eye(2), g, A, np.array(lower), np.array(upper))


def test_a_row_that_follows_from_another_does_no_harm():
    program = square([-9.0, -9.0, -9.0], [2.0, 2.0, 9.0])
    solution = follow(program, np.array([1.0, 1.0, 0.0]))
    assert solution.found
    np.testing.assert_allclose(solution.x, [2.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(solution.dual[:2].sum(), 1.0)


@pytest.mark.parametrize("angle", [1e-3, 1e-5, 1e-7, 1e-9])
def test_rows_that_nearly_follow_from_each_other_do_no_harm(angle):
    """Multipliers of such rows are huge, and bounds must hold in spite of them."""
    program = square([-9.0, -9.0, -9.0], [2.0, 2.0, 9.0])
    A = program.A.copy()
    A[1, 0] += angle
    program = replace(program, A=A)
    check_optimality(ActiveSetSolver().solve(program, np.array([1.0, 1.0, 0.0])))


def test_what_has_no_answer_is_not_found():
    against_itself = square([5.0, -9.0, -9.0], [9.0, 2.0, 9.0])
    for guess in ([-1.0, 1.0, 0.0], [0.0, 0.0, 0.0]):
        assert not follow(against_itself, np.array(guess)).found
        assert not ActiveSetSolver().solve(against_itself, np.array(guess)).found


@pytest.mark.parametrize("name", ["H", "g", "A", "lower"])
def test_what_is_no_number_is_never_optimal(name):
    program = square([-9.0, -9.0, -9.0], [2.0, 9.0, 9.0])
    broken = getattr(program, name).copy()
    broken.flat[0] = np.nan
    solution = follow(replace(program, **{name: broken}), np.array([1.0, 0.0, 0.0]))
    assert not solution.is_optimal(1.0, 1.0)


def test_a_wrong_answer_would_be_seen():
    """Without corrections, a guess that leaves a bound out is not within residuals."""
    program = square([-9.0, -9.0, -9.0], [2.0, 9.0, 9.0])
    right = follow(program, np.array([1.0, 0.0, 0.0]))
    assert right.is_optimal(QP_PRIMAL, QP_DUAL)
    free = replace(program, upper=np.full(3, 9.0))
    wrong = replace(follow(free, np.zeros(3)), program=program)
    assert wrong.found
    assert not wrong.is_optimal(QP_PRIMAL, QP_DUAL)


def test_daqp_is_asked_only_where_that_fails(monkeypatch):
    program = square([-9.0, -9.0, -9.0], [2.0, 9.0, 9.0])
    right = DaqpSolver().solve(program)
    solver = ActiveSetSolver()
    monkeypatch.setattr(solver._daqp, "solve", lambda *_: pytest.fail("DAQP"))
    assert solver.solve(program, right.dual).found
    with pytest.raises(pytest.fail.Exception):
        solver.solve(program)
    monkeypatch.setattr(active_set, "follow_active_set", lambda *_: 0)
    with pytest.raises(pytest.fail.Exception):
        solver.solve(program, right.dual)
