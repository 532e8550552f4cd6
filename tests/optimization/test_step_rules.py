"""Rules of the interior point: what a filter takes, how damping and barrier change."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backbeat.optimization.interior_point.step_rules import (
    LEAST_DAMPING,
    accepts,
    changed_damping,
    next_barrier,
    refinement_damping,
)

amounts = st.floats(1e-4, 1e4)
shares = st.floats(0.0, 1.0)


@given(amounts, st.floats(-1e4, 1e4), shares)
def test_a_step_that_helps_nothing_is_refused(theta, merit, alpha):
    worse = accepts([], 1.01 * theta, merit + 1.0, theta, merit, alpha)
    assert not worse
    assert accepts([], 0.5 * theta, merit + 1.0, theta, merit, alpha)
    assert not accepts([], np.nan, merit, theta, merit, alpha)
    assert not accepts([], theta, np.inf, theta, merit, alpha)


@given(amounts, amounts)
def test_nothing_comes_back_to_where_the_filter_has_been(theta, merit):
    filter_ = [(theta, merit)]
    assert not accepts(filter_, theta, merit, 2 * theta, 2 * merit, 1.0)
    assert accepts(filter_, 0.5 * theta, merit, 2 * theta, 2 * merit, 1.0)


def test_near_the_solution_merit_alone_decides():
    assert accepts([(1e-9, -1.0)], 1e-7, 5.0, 1e-9, 5.0, 1.0)
    assert not accepts([], 1e-7, 5.1, 1e-7, 5.0, 1.0)


@given(st.floats(LEAST_DAMPING, 1e3), shares, amounts, st.integers(0, 60))
def test_damping_rises_with_failures_and_falls_to_its_least(
    damping, ratio, theta, iteration
):
    assert changed_damping(damping, True, ratio, theta, iteration) > damping
    eased = changed_damping(damping, False, 0.1, theta, iteration)
    assert LEAST_DAMPING <= eased < max(damping, 1.01 * LEAST_DAMPING)


def test_steps_of_a_polish_are_ever_more_damped():
    found = [refinement_damping(n) for n in range(1, 20)]
    assert found == sorted(found)
    assert found[0] == pytest.approx(0.1)
    assert found[-1] > 1e6


@given(st.floats(1e-5, 1.0), shares, shares, shares, amounts, st.booleans())
def test_the_barrier_never_rises_and_keeps_above_its_least(
    mu, alpha, dual, ratio, theta, accepted
):
    found = next_barrier(mu, 1e-5, accepted, alpha, dual, ratio, theta)
    assert 1e-5 <= found <= mu
    if not accepted:
        assert found == mu
