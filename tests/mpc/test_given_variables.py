"""What is given is taken out of a program, and nothing else of it changes."""

import numpy as np
import piqp
import pytest
import scipy.sparse as sp

from backbeat.models.dynamics.finite import UNBOUNDED
from backbeat.mpc.horizon.momentum_dynamics import dynamics_pattern, linearize_dynamics
from backbeat.mpc.plans.start import PlanStart
from backbeat.mpc.plans.stepping import AddedStep
from backbeat.mpc.plans.weights import PredictiveWeights
from backbeat.mpc.predictive.given_variables import (
    ROOM,
    find_given,
    take_out_of_cost,
    take_out_of_rows,
)
from backbeat.mpc.predictive.program import PredictiveProgram
from tests.tolerances import PREDICTION, RECURSION

n, m = 7, 4


@pytest.fixture
def draw():
    return np.random.default_rng(3)


@pytest.fixture
def given(draw):
    """Which of n variables are given, with what values, and the bounds of the rest."""
    low = draw.normal(size=n)
    high = low + [0.0, 1.0, 0.0, 2.0, UNBOUNDED, 1.0, 0.0]
    found, values, left = np.empty(n, bool), np.empty(n), np.empty((2, n))
    find_given(low, high, UNBOUNDED, found, values, left)
    np.testing.assert_array_equal(np.flatnonzero(found), [0, 2, 6])
    np.testing.assert_array_equal(values, np.where(low == high, low, 0.0))
    np.testing.assert_array_equal(left[0], np.where(found, -UNBOUNDED, low))
    np.testing.assert_array_equal(left[1], np.where(found, UNBOUNDED, high))
    return found, values


def test_costs_differ_by_what_is_given_alone(draw, given):
    found, values = given
    root = draw.normal(size=(n, n))
    P, c = sp.csc_matrix(root @ root.T), draw.normal(size=n)
    left, c_left = P.copy(), c.copy()
    price = take_out_of_cost(left.indptr, left.indices, left.data, c_left, *given)
    for _ in range(5):
        x = np.where(found, 0.0, draw.normal(size=n))
        whole = x + values
        cost = 0.5 * whole @ P @ whole + c @ whole
        rest = 0.5 * x @ left @ x + c_left @ x + price
        assert rest == pytest.approx(cost, rel=RECURSION)
    # Left alone, what is given stays at zero.
    gradient = left.toarray()[found]
    np.testing.assert_array_equal(gradient[:, ~found], 0.0)
    np.testing.assert_array_equal(c_left[found], 0.0)


@pytest.mark.parametrize("sides", [1, 2])
def test_rows_have_the_room_that_they_had(draw, given, sides):
    found, values = given
    A = sp.csc_matrix(draw.normal(size=(m, n)))
    bounds = np.sort(draw.normal(size=(sides, m)), axis=0)
    left, moved = A.copy(), bounds.copy()
    take_out_of_rows(left.indptr, left.indices, left.data, moved, *given)
    np.testing.assert_array_equal(left.toarray()[:, found], 0.0)
    x = np.where(found, 0.0, draw.normal(size=n))
    room, before = left @ x - moved, A @ (x + values) - bounds
    np.testing.assert_allclose(room, before, atol=RECURSION)


def test_rows_of_what_is_given_alone_have_an_interior(given):
    found, _ = given
    G = sp.csc_matrix(np.array([found * 1.0, np.ones(n)]))
    bounds = np.array([[-UNBOUNDED, -UNBOUNDED], [float((G @ given[1])[0]), 5.0]])
    take_out_of_rows(G.indptr, G.indices, G.data, bounds, *given)
    assert bounds[0, 0] == -UNBOUNDED
    assert bounds[1, 0] == ROOM


@pytest.mark.parametrize("timing", [True, False])
def test_plans_with_feet_in_the_air_are_those_of_the_whole_program(march, timing):
    """Also where an added step lifts a foot that carries a load in the behavior."""
    range_ = {} if timing else {"min_phase_rate": 1.0, "max_phase_rate": 1.0}
    program = PredictiveProgram(march, PredictiveWeights(knots=10, **range_))
    deviation = np.zeros(12)
    deviation[[1, 4, 7]] = 0.01, 0.08, 0.02
    start = PlanStart(0.02, 0.0, deviation)
    contact = march.soles[0]
    plan = program.solve(start, (AddedStep(contact, 0.05, 0.25),))
    solve, of = program.last_solve(), program._matrices
    low, high = solve.bounds.reshape(2, -1)
    air = ~solve.horizon.standing[:, contact]
    assert air.any()
    assert solve.horizon.wrench[air].any()
    assert np.isclose(low, high, rtol=0, atol=0).sum() > 40
    # The same with nothing taken out, dense, to the last digits.
    solver = piqp.DenseSolver()
    solver.settings.eps_abs = solver.settings.eps_rel = 1e-10
    solver.settings.eps_duality_gap_abs = solver.settings.eps_duality_gap_rel = 1e-12
    c, b, *_ = program._solver._data
    P, A, G = (matrix.toarray() for matrix in (of.P, of.A, of.G))
    solver.setup(P, c, A, b, G, *solve.row_bounds, low, high)
    assert solver.solve() == piqp.PIQP_SOLVED
    np.testing.assert_allclose(solve.x.ravel(), solver.result.x, atol=PREDICTION)
    assert program._solver.objective == pytest.approx(
        solver.result.info.primal_obj, abs=1e-7
    )
    assert plan.wrench[air, contact] == pytest.approx(0.0, abs=0.0)


@pytest.mark.parametrize("phase", [-0.3, 1.0, 2.47, 3.1])
def test_dynamics_have_no_entries_but_those_of_their_pattern(march, phase):
    program = PredictiveProgram(march)
    start = PlanStart(phase, phase, 0.02 * np.ones(12), tempo=0.9)
    before = program.solve(start)
    for previous in (None, before):
        horizon = program._horizon(start, (), previous)
        x0 = np.r_[start.deviation, np.zeros(5)]
        g, mass = march.robot.gravity, march.robot.total_mass
        A, B, _ = linearize_dynamics(horizon, x0, march.soles, mass, g)
        where_A, where_B = dynamics_pattern(len(march.patches), march.soles)
        assert not A[:, ~where_A].any()
        assert not B[:, ~where_B].any()
        assert A[:, where_A].any(axis=0).mean() > 0.9
    assert where_A.mean() < 0.5
