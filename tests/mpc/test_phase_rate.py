"""The phase rate does not hang on where the next knot is."""

import numpy as np
import pytest

from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.plans.weights import PredictiveWeights
from backbeat.mpc.predictive.cost_entries import dilation_shares
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario

# Plans follow each other every 20 ms, intervals are some 50 ms long.
PER_TOOTH = 3


@pytest.fixture(scope="module")
def rates(built):
    """Phase rates after a push, from plan to plan, while the march waits."""
    push = Push(time=3.0, impulse=[0.0, 50.0, 0.0])
    scenario = Scenario.of(behavior="march", duration=4.4, pushes=[push])
    run = run_scenario(scenario, built("march"))
    start = run.scenario.timing.lead_in
    return np.array([p.rate for p in run.plans if 3.6 < p.time - start < 4.3])


def test_a_pushed_march_waits_without_a_sawtooth(rates):
    """Its rate was 0.95, 0.9 and 0.77 in turn, with the length of the interval."""
    assert len(rates) > 30
    assert rates.min() < 0.95
    smooth = np.convolve(rates, np.full(PER_TOOTH, 1 / PER_TOOTH), "valid")
    tooth = rates[1:-1] - smooth
    assert np.sqrt(np.mean(tooth**2)) < 0.03


def test_a_rate_costs_the_same_in_intervals_of_any_length():
    """By time for being off the tempo, and nothing for being the neighbor's."""
    weights, rate = PredictiveWeights(), 0.8
    h = weights.spacing * np.array([0.3, 0.7, 1.0, 1.2])
    theta = (1 / rate - 1) * h
    dilation, change = dilation_shares(weights, h)
    np.testing.assert_allclose(np.diff(change * theta), 0.0, atol=1e-12)
    by_time = dilation * theta**2 / h
    np.testing.assert_allclose(by_time, by_time[2], rtol=1e-12)
    # A whole interval counts for its time.
    assert dilation[2] == pytest.approx(weights.spacing)
    assert change[2] ** 2 == pytest.approx(weights.spacing)
