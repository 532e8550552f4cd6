"""A hand after a target that somebody moves, and all else that is changed live."""

from dataclasses import replace

import numpy as np
import pytest
from pydrake.systems.analysis import Simulator

from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.scenario.glide import Glide, Sway
from backbeat.mpc.simulation.task_space.live import LiveTaskSpace
from tests import tolerances as tol


@pytest.fixture(scope="module")
def arm():
    return LiveTaskSpace("ur10")


@pytest.fixture(scope="module")
def atlas():
    return LiveTaskSpace("atlas")


def off(live):
    moment = live.now()
    return float(np.linalg.norm(moment.hand - moment.target))


def farthest_off(live, duration):
    """Greatest distance of hand and target over a while [m]."""
    seen = []
    for _ in range(round(duration / 0.02)):
        live.advance(0.02)
        seen.append(off(live))
    return max(seen)


def sampled(system, change, port):
    """Outputs every 1 ms over 0.4 s, with a change after 0.2 s."""
    simulator = Simulator(system)
    context, rows = simulator.get_mutable_context(), []
    for k in range(400):
        if k == 200:
            change(context)
        simulator.AdvanceTo(0.001 * (k + 1))
        rows.append(system.GetOutputPort(port).Eval(context).copy())
    return np.array(rows)


def test_a_target_glides_and_its_derivatives_belong_to_it():
    glide = Glide(np.zeros(3), 0.001)
    goal = np.array([0.3, -0.2, 0.1])
    rows = sampled(glide, lambda c: glide.set_goal(c, goal), "target")
    x, v, a = rows.reshape(-1, 3, 3).transpose(1, 0, 2)
    assert np.all(x[:199] == 0.0)
    # Only the acceleration jumps where the goal does.
    for value, slope, begin in ((x, v, 0), (v, a, 205)):
        error = np.diff(value, axis=0) / 1e-3 - 0.5 * (slope[1:] + slope[:-1])
        assert np.abs(error[begin:]).max() < tol.GLIDING
    assert (x[-1] / goal > 0.3).all()


def test_a_sway_changes_its_size_and_rate_without_a_jump():
    sway = Sway(0.001)
    start = sway.CreateDefaultContext()
    assert np.all(sway.GetOutputPort("sway").Eval(start) == 0.0)
    rows = sampled(sway, lambda c: sway.set_goal(c, 0.1, 6.0), "sway")
    d, rate, change = rows.T
    for value, slope in ((d, rate), (rate, change)):
        error = np.diff(value) / 1e-3 - 0.5 * (slope[1:] + slope[:-1])
        assert np.abs(error).max() < tol.GLIDING
    assert np.abs(d).max() > 0.005


def test_a_hand_follows_where_its_target_is_moved(arm):
    arm.reset()
    arm.advance(0.1)
    assert off(arm) < tol.ARRIVED
    arm.apply("target", (0.0, 0.1, 0.15))
    arm.advance(1.5)
    moved = arm.now().hand - arm.loop.hand_start
    assert np.allclose(moved, [0.0, 0.1, 0.15], atol=1e-3)
    assert off(arm) < tol.ARRIVED


def test_noise_and_slow_samples_cost_what_they_cost(arm):
    arm.reset()
    quiet = farthest_off(arm, 0.3)
    arm.apply("noise_angle", 0.01)
    noisy = farthest_off(arm, 0.5)
    arm.apply("hand_sensing", True)
    farthest_off(arm, 0.3)
    sensed = farthest_off(arm, 0.5)
    assert quiet < tol.ARRIVED
    assert sensed < noisy
    assert noisy > 1e-3


def test_samples_are_held_for_the_period_asked_for(arm):
    arm.reset()
    arm.apply("period", 0.02)
    arm.apply("noise_angle", 0.005)
    sensing = arm.loop.diagram.GetSubsystemByName("task_sensing")
    seen = []
    for _ in range(100):
        arm.advance(0.001)
        own = sensing.GetMyContextFromRoot(arm._context)
        seen.append(sensing.GetOutputPort("state").Eval(own).copy())
    assert len(np.unique(seen, axis=0)) == 6


def test_the_law_is_asked_once_a_sample_and_again_when_a_switch_is_thrown(arm):
    arm.reset()
    arm.apply("period", 0.01)
    arm.advance(0.1)
    times = arm.loop.controller.tick_times
    times.clear()
    arm.advance(0.2)
    assert 20 <= len(times) <= 21
    times.clear()
    arm.apply("posture", False)
    arm.advance(0.0035)
    assert len(times) == 1


@pytest.mark.parametrize("switch", ["task", "gravity_compensation"])
def test_what_is_switched_off_is_no_longer_done(arm, switch):
    arm.reset()
    arm.apply("posture", False)
    if switch == "gravity_compensation":
        arm.apply("task", False)
        arm.advance(0.3)
        assert np.abs(arm.now().hand - arm.loop.hand_start).max() < 1e-3
    arm.apply(switch, False)
    arm.apply("target", (0.0, 0.0, 0.2))
    start = arm.now().hand
    arm.advance(0.5)
    fell = start[2] - arm.now().hand[2]
    assert (fell > 0.01) == (switch == "gravity_compensation")
    assert off(arm) > 0.1


def test_the_acceleration_of_a_pelvis_is_known_or_not(atlas):
    atlas.apply("pelvis_amplitude", 0.1)
    atlas.apply("pelvis_rate", 6.0)
    atlas.advance(0.6)
    # Half a turn of the sway has all accelerations in it, but for the sign.
    known = farthest_off(atlas, 0.54)
    atlas.apply("pelvis_feedforward", False)
    atlas.advance(0.1)
    ignored = farthest_off(atlas, 0.54)
    assert known < 1e-3 < ignored
    pelvis = atlas.now().q[6] - atlas.loop.q_start[6]
    assert abs(pelvis) <= 0.1


def test_gains_and_switches_are_of_a_context(arm):
    """Two robots of one diagram have settings of their own."""
    arm.reset()
    controller = arm.loop.controller
    contexts = [arm.loop.make_context() for _ in range(2)]
    usual, changed = (controller.GetMyMutableContextFromRoot(c) for c in contexts)
    law = controller.settings(usual)
    controller.set_settings(changed, replace(law, stiffness=2.0 * law.stiffness))
    assert controller.settings(usual) == law == controller.law.settings
    assert controller.settings(changed).stiffness == 2.0 * law.stiffness
    with pytest.raises(BackbeatError, match="hope"):
        controller.set_settings(changed, replace(law, limits="hope"))


def test_a_reset_forgets_all(arm):
    arm.reset()
    first = arm.now()
    arm.apply("target", (0.1, 0.0, 0.0))
    arm.advance(0.2)
    arm.reset()
    assert arm.now().time == 0.0
    assert np.array_equal(arm.now().q, first.q)
    assert arm.settings == LiveTaskSpace("ur10").settings


def test_mistakes_are_told(arm):
    with pytest.raises(BackbeatError, match="unknown setting"):
        arm.apply("pelvis_rate", 1.0)
    with pytest.raises(BackbeatError, match=r"a period has to be 0\.001 s or more"):
        arm.apply("period", 1e-5)
