import numpy as np
import pytest

from mpc.plan import Plan


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
    d, w, _ = plan.at(t)
    np.testing.assert_allclose(d, deviation, atol=1e-9)
    np.testing.assert_allclose(w, wrench)


def test_the_phase_runs_at_the_planned_rate(plan):
    assert plan.phase_at(10.0) == 3.0
    assert plan.phase_at(10.2) == pytest.approx(3.1)


def test_the_turning_is_the_rate_of_the_turn():
    rng = np.random.default_rng(4)
    z = np.zeros
    durations, deviation = np.array([0.03, 0.05, 0.04]), rng.normal(size=(4, 12))
    plan = Plan(
        1.0, 0.0, 1.0, durations, z(4), deviation, z((3, 0, 6)), z((4, 3)), z((4, 0, 2))
    )
    for t in (1.01, 1.05, 1.1):
        rate = (plan.at(t + 1e-4)[0] - plan.at(t - 1e-4)[0]) / 2e-4
        np.testing.assert_allclose(plan.turning(t), rate[9:12], rtol=1e-6)
    assert not plan.turning(1.2).any()
