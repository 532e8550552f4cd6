"""Motors against the equations that they stand for."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.integrate import quad, solve_ivp

from backbeat.models.actuation.motors import move_motors
from tests.tolerances import EXACT, MOTORS

efforts = st.floats(-100.0, 100.0)


def moved(u, wanted, period, lag, slew):
    """Effort after one step, and its mean."""
    after, mean = np.empty(1), np.empty(1)
    arrays = np.array([u]), np.array([wanted]), period, lag, np.array([slew])
    move_motors(*arrays, after, mean)
    return after[0], mean[0]


@pytest.mark.parametrize("wanted", [100.0, -60.0, 12.0, 10.0])
@pytest.mark.parametrize("lag", [0.0, 2e-3, 5e-3])
@pytest.mark.parametrize("slew", [0.0, 500.0, 1e4])
def test_a_step_is_the_solution_of_the_differential_equation(wanted, lag, slew):
    start, period = 10.0, 8e-3
    after, mean = moved(start, wanted, period, lag, slew)
    if lag == 0.0:
        way = abs(wanted - start)
        path = np.inf if slew == 0.0 else slew
        sign = np.sign(wanted - start)
        effort = lambda t: start + sign * min(path * t, way)  # noqa: E731
        mean_truth = wanted
        if slew > 0.0:
            bend = [way / slew] if 0 < way / slew < period else None
            mean_truth = quad(effort, 0.0, period, points=bend)[0] / period
        truth = wanted if slew == 0.0 else effort(period)
    else:
        most = np.inf if slew == 0.0 else slew

        def rate(_, y):
            du = np.clip((wanted - y[0]) / lag, -most, most)
            return [du, y[0]]

        end = solve_ivp(rate, (0, period), [start, 0], rtol=1e-10, atol=1e-10).y
        truth, mean_truth = end[0, -1], end[1, -1] / period
    assert after == pytest.approx(truth, rel=MOTORS, abs=MOTORS)
    assert mean == pytest.approx(mean_truth, rel=MOTORS, abs=MOTORS)


@given(efforts, efforts, st.floats(0.0, 0.02), st.floats(0.0, 1e5))
@example(u=1.0, wanted=0.0, lag=5e-324, slew=0.0)
def test_motors_end_between_what_was_and_what_is_wanted(u, wanted, lag, slew):
    period = 1e-3
    after, mean = moved(u, wanted, period, lag, slew)
    room = 1e-9 * (1 + abs(u) + abs(wanted))
    for value in (after, mean):
        assert min(u, wanted) - room <= value <= max(u, wanted) + room
    if slew > 0.0:
        assert abs(after - u) <= slew * period + room


@given(efforts, efforts, st.floats(1e-4, 0.02), st.floats(0.0, 1e5))
def test_two_half_steps_are_a_step(u, wanted, lag, slew):
    """Whatever the period, motors go the same way."""
    after, mean = moved(u, wanted, 2e-3, lag, slew)
    half, first = moved(u, wanted, 1e-3, lag, slew)
    end, second = moved(half, wanted, 1e-3, lag, slew)
    assert end == pytest.approx(after, rel=MOTORS, abs=MOTORS)
    assert 0.5 * (first + second) == pytest.approx(mean, rel=MOTORS, abs=MOTORS)


def test_full_effort_takes_the_time_that_it_takes():
    """Without a lag, motors go from nothing to full effort in their rise."""
    limit, rise, u = 200.0, 0.02, 0.0
    for k in range(20):
        u, _ = moved(u, limit, 1e-3, 0.0, limit / rise)
        assert u == pytest.approx(limit * (k + 1) / 20, rel=EXACT)
