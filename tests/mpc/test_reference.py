"""The reference: what the controllers read must be what the behavior is."""

import numpy as np
import pytest

from backbeat.models.state.configuration import Configuration
from tests.behaviors.drake_robot import DrakeRobot
from tests.tolerances import EXACT, INTERPOLATION, RECURSION

# Between samples of the behavior, away from its ends, in seconds.
BETWEEN = np.linspace(0.313, 21.7, 23)


def strikes(reference):
    return [(e.time, e.who) for e in reference.behavior.strikes()]


@pytest.fixture(params=["groove", "drummer"])
def reference(request):
    return request.getfixturevalue(request.param)


def test_on_the_grid_it_is_the_behavior(reference):
    motion = reference.behavior.motion
    for i in range(0, len(motion.t) - 1, 97):
        if motion.t[i] == motion.t[i + 1]:
            continue
        sample = reference.sample(motion.t[i])
        np.testing.assert_allclose(sample.q, motion.q[i], atol=EXACT)
        np.testing.assert_allclose(sample.v, motion.v[i], atol=EXACT)
        np.testing.assert_allclose(sample.vdot, motion.vdot[i], atol=1e-9)
        np.testing.assert_allclose(sample.com[0], reference.behavior.com[i], atol=EXACT)


def test_between_samples_it_stays_one_motion(reference):
    """Center of mass, points and trunk belong to the interpolated posture."""
    robot, state = reference.robot, None
    for phase in BETWEEN:
        sample = reference.sample(phase)
        state = state or Configuration(robot, sample.q)
        state.update(sample.q, sample.v)
        assert np.abs(state.center_of_mass - sample.com[0]).max() < INTERPOLATION
        R = state.pose(robot.trunk).rotation().matrix()
        assert np.abs(R - sample.R_trunk).max() < INTERPOLATION
        for p, name in enumerate(reference.points):
            place = state.pose(name).translation()
            assert np.abs(place - sample.point[0, p]).max() < INTERPOLATION


def test_rates_are_those_of_drake(reference):
    robot, drake, t = reference.robot, DrakeRobot(reference.robot), reference.table
    m = robot.total_mass
    for i in range(3, len(t.t), 401):
        drake.set(t.q[i], t.v[i])
        momentum = drake.momentum()
        assert np.abs(t.com[i, 0] - drake.center_of_mass()).max() < RECURSION
        assert np.abs(t.com[i, 1] - momentum[3:] / m).max() < RECURSION
        assert np.abs(t.momentum[i, 0] - momentum[:3]).max() < RECURSION * m
        names = [*reference.points, *reference.patches]
        rates = [*t.point[i, 1:].swapaxes(0, 1), *t.contact_motion[i].swapaxes(0, 1)]
        for name, (velocity, acceleration) in zip(names, rates, strict=True):
            J = drake.jacobian(name)[-len(velocity) :]
            bias = drake.bias_acceleration(name)[-len(velocity) :]
            assert np.abs(J @ t.v[i] - velocity).max() < RECURSION
            exact = J @ t.vdot[i] + bias
            assert np.abs(exact - acceleration).max() < RECURSION * 100


def test_planned_forces_make_the_planned_momentum_rates(groove):
    """What the wrenches do to the CoM is what its motion shows."""
    # The first and the last sample are there twice, with their two limits.
    t, inside = groove.table, slice(1, -1)
    for value, rate in ((t.com[:, 1], t.com[:, 2]), t.momentum.swapaxes(0, 1)):
        slope = np.gradient(value[inside], t.t[inside], axis=0)
        error = np.abs(slope - rate[inside])
        assert np.median(error) < 1e-4 * np.abs(slope).max()
        # Knots, where planned forces bend, are a percent off.
        assert error.max() < 0.02 * np.abs(slope).max()


def test_it_never_averages_across_an_impact(drummer):
    tiny = 1e-5
    for time, tip in strikes(drummer)[::5]:
        p = drummer.points.index(tip)
        before = drummer.sample(time - tiny).point[1, p, 2]
        after = drummer.sample(time + tiny).point[1, p, 2]
        assert before < -0.5
        assert after > 0.3


@pytest.mark.parametrize("phase", [-3.0, -1e-9, 1e-9, 3.0])
def test_outside_the_behavior_it_rests(reference, phase):
    first = phase < 0
    s = phase if first else reference.duration + phase
    sample, edge = reference.sample(s), 0 if first else -1
    rest = reference.behavior.motion.q[edge]
    np.testing.assert_allclose(sample.q, rest, rtol=0, atol=EXACT)
    for rate in (sample.v, sample.vdot, sample.com[1:], sample.point[1:]):
        assert not rate.any()
    for rate in (sample.momentum, sample.trunk, sample.contact_motion):
        assert not rate.any()


def test_many_phases_at_once_are_found_as_one_by_one(reference):
    t = reference.table.t
    phases = np.r_[-1.0, np.linspace(0, t[-1], 57), t[-1] + 1.0]
    i, u = reference.grid(phases)
    com = (1 - u[:, None]) * reference.table.com[i, 1] + u[:, None] * (
        reference.table.com[i + 1, 1]
    )
    for s, found in zip(phases[1:-1], com[1:-1], strict=True):
        np.testing.assert_allclose(found, reference.sample(s).com[1], atol=EXACT)
    assert (np.diff(t)[i[2:-2]] > 0).all()
