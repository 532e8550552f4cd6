import dataclasses

import numpy as np
import pytest

from backbeat.mpc.plans.plan import Plan


@pytest.fixture
def plan():
    """Three intervals, the first one stretched to twice its phase."""
    deviation = np.arange(4.0)[:, None] * np.ones(12)
    return Plan(
        time=10.0,
        phase=3.0,
        rate=0.5,
        durations=np.array([0.2, 0.1, 0.1]),
        phases=np.array([3.0, 3.1, 3.2, 3.3]),
        deviation=deviation,
        wrench=np.arange(3.0)[:, None, None] * np.ones((3, 2, 6)),
        com=np.zeros((4, 3)),
        shift=np.zeros((4, 2, 2)),
    )


@pytest.mark.parametrize(
    ("t", "deviation", "wrench"),
    [
        (9.0, 0.0, 0.0),
        (10.0, 0.0, 0.0),
        (10.1, 0.5, 0.0),
        (10.25, 1.5, 1.0),
        (10.3, 2.0, 2.0),
        (10.35, 2.5, 2.0),
        (99.0, 3.0, 2.0),
    ],
)
def test_deviations_are_interpolated_and_wrenches_held(plan, t, deviation, wrench):
    found = plan.at(t)
    np.testing.assert_allclose(found.deviation, deviation, atol=1e-9)
    np.testing.assert_allclose(found.wrench, wrench)


def test_the_phase_runs_at_the_planned_rate(plan):
    assert plan.phase_at(10.0) == 3.0
    assert plan.phase_at(10.2) == pytest.approx(3.1)


@pytest.mark.parametrize(
    ("t", "phase", "rate"),
    [(10.2, 3.1, 0.5), (10.25, 3.15, 1.0), (10.35, 3.25, 1.0), (10.6, 3.5, 1.0)],
)
def test_every_interval_has_a_tempo_of_its_own_and_the_last_goes_on(
    plan, t, phase, rate
):
    assert plan.phase_at(t) == pytest.approx(phase)
    assert plan.rate_at(t) == pytest.approx(rate)
    assert plan.time + plan.time_to(phase) == pytest.approx(t)


def test_the_body_turns_as_the_rotations_of_the_plan_say(plan):
    """On a parabola in time the velocity is exact, and the acceleration its own."""
    ends = np.r_[0.0, np.cumsum(plan.durations)]
    deviation = plan.deviation.copy()
    deviation[:, 9:] = np.outer(ends**2, [1.0, 0.0, -2.0]) + np.outer(ends, [0, 3.0, 0])
    curved = dataclasses.replace(plan, deviation=deviation)
    for t in (10.02, 10.13, 10.26):
        velocity, acceleration = curved.at(t).turning
        wanted = [2 * (t - 10.0), 3.0, -4 * (t - 10.0)]
        np.testing.assert_allclose(velocity, wanted, atol=1e-9)
        np.testing.assert_allclose(acceleration, [2.0, 0.0, -4.0], atol=1e-9)
    assert not curved.at(99.0).turning.any()
