"""The rate of a hand, observed from its places alone."""

import numpy as np
import pytest

from backbeat.mpc.estimation.hand_observer import BANDWIDTH, HandMotion, observe

STEP = 0.002


def observed(path, duration, noise=0.0):
    """Rates observed of a path p(t), and the times."""
    random = np.random.default_rng(0)
    times = np.arange(0.0, duration, STEP)
    motion, rates = HandMotion.at_rest(path(0.0)), [np.zeros(3)]
    for t in times[1:]:
        sensed = path(t) + noise * random.normal(size=3)
        motion = observe(motion, sensed, STEP)
        rates.append(motion.rate)
    return times, np.array(rates)


def test_a_constant_acceleration_is_followed_without_a_lag():
    a = np.array([1.0, -2.0, 0.5])
    times, rates = observed(lambda t: 0.5 * a * t * t, 0.4)
    np.testing.assert_allclose(rates[-1], a * times[-1], rtol=1e-6)


def test_what_is_off_goes_with_the_bandwidth():
    """A hand that moves on at once: three poles at the bandwidth forget its rest."""
    v = np.array([0.1, 0.0, 0.0])
    times, rates = observed(lambda t: v * t, 0.2)
    settled = times > 10.0 / BANDWIDTH
    assert np.abs(rates[~settled] - v).max() > 0.05
    assert np.abs(rates[settled] - v).max() < 2e-3


def test_noise_of_places_is_no_noise_of_differences():
    times, rates = observed(lambda t: np.zeros(3), 4.0, noise=1e-3)
    assert rates[times > 0.5].std() < 0.2 * np.sqrt(2) * 1e-3 / STEP


@pytest.mark.parametrize("steps", [1, 2, 5])
def test_longer_times_between_samples_are_known(steps):
    place = np.zeros(3)
    motion = HandMotion.at_rest(place)
    for k in range(1, 400):
        elapsed = STEP * (steps if k % 2 else 1)
        place = place + elapsed * np.array([0.2, 0.0, 0.0])
        motion = observe(motion, place, elapsed)
    assert motion.rate == pytest.approx([0.2, 0.0, 0.0], abs=1e-9)
