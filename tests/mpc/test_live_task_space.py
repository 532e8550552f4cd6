"""A hand after a target that somebody moves, and all else that is changed live."""

import numpy as np
import pytest
from pydrake.common.value import AbstractValue
from pydrake.systems.analysis import Simulator

from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.analysis.hand_studies import of_task, sampled
from backbeat.mpc.control.task_space_setup import hand_start, task_space_behavior
from backbeat.mpc.disturbances.kinds.setting_event import SettingEvent
from backbeat.mpc.runs.replay import compare_samples
from backbeat.mpc.runs.table import run_frame
from backbeat.mpc.scenario.base_motion import BaseMotion, BaseSource
from backbeat.mpc.scenario.target_motion import TargetMotion, TargetSource
from backbeat.mpc.simulation.simulate import collect_run, run_scenario
from backbeat.mpc.task_space.settings import TaskSettings
from backbeat.stage.live.preparation import live_task_space
from backbeat.stage.live.simulation import LiveSimulation
from tests import tolerances as tol


def live(robot: str) -> LiveSimulation:
    scenario = live_task_space(robot)
    return LiveSimulation(task_space_behavior(scenario), scenario)


@pytest.fixture(scope="module")
def arm():
    made = live("ur10")
    yield made
    made.close()


@pytest.fixture(scope="module")
def atlas():
    made = live("atlas")
    yield made
    made.close()


def off(made):
    frame = made.now()
    return float(np.linalg.norm(frame.hand - frame.target))


def farthest_off(made, duration):
    """Greatest distance of hand and target over a while [m]."""
    seen = []
    for _ in range(round(duration / 0.02)):
        made.advance(0.02)
        seen.append(off(made))
    return max(seen)


def moved(system, port, **settings):
    """Outputs every 1 ms over 0.4 s, with settings after 0.2 s."""
    simulator = Simulator(system)
    context, rows = simulator.get_mutable_context(), []
    for k in range(400):
        task = TaskSettings(**settings) if k >= 200 else TaskSettings()
        system.GetInputPort("task").FixValue(context, AbstractValue.Make(task))
        simulator.AdvanceTo(0.001 * (k + 1))
        rows.append(system.GetOutputPort(port).Eval(context).copy())
    return np.array(rows)


def test_a_target_glides_and_its_derivatives_belong_to_it():
    source = TargetSource(TargetMotion(), np.zeros(3))
    goal = (0.3, -0.2, 0.1)
    rows = moved(source, "target", target=goal)
    x, v, a = rows.reshape(-1, 3, 3).transpose(1, 0, 2)
    assert np.all(x[:199] == 0.0)
    # Only the acceleration jumps where the goal does.
    for value, slope, begin in ((x, v, 0), (v, a, 205)):
        error = np.diff(value, axis=0) / 1e-3 - 0.5 * (slope[1:] + slope[:-1])
        assert np.abs(error[begin:]).max() < tol.GLIDING
    assert (x[-1] / np.array(goal) > 0.3).all()


def test_a_sway_changes_its_size_and_rate_without_a_jump():
    q = np.r_[1.0, np.zeros(6)]
    source = BaseSource(BaseMotion("z"), q, 0.001, 0.0)
    rows = moved(source, "motion", pelvis_amplitude=0.1, pelvis_rate=6.0)
    assert np.all(rows[:199, 6] == 0.0)
    d, rate, change = rows[:, 6], rows[:, 12], rows[:, 18]
    # Only the acceleration jumps where the goal does.
    for value, slope, begin in ((d, rate, 0), (rate, change, 205)):
        error = np.diff(value) / 1e-3 - 0.5 * (slope[1:] + slope[:-1])
        assert np.abs(error[begin:]).max() < tol.GLIDING
    assert np.abs(d).max() > 0.005


def test_a_hand_follows_where_its_target_is_moved(arm):
    arm.reset()
    arm.advance(0.1)
    assert off(arm) < tol.ARRIVED
    arm.apply("target", [0.0, 0.1, 0.15])
    arm.advance(1.5)
    way = arm.now().hand - hand_start(arm.behavior)
    assert np.allclose(way, [0.0, 0.1, 0.15], atol=1e-3)
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


def test_the_law_is_asked_once_a_period_and_a_switch_counts_from_the_next(arm):
    arm.reset()
    arm.apply("period", 0.01)
    arm.advance(0.1)
    controllers = arm._running.loop.controllers
    controllers.tick_times.clear()
    arm.advance(0.2)
    assert 20 <= len(controllers.tick_times) <= 21
    controllers.tick_times.clear()
    arm.apply("posture", False)
    arm.advance(0.0115)
    assert 1 <= len(controllers.tick_times) <= 2


@pytest.mark.parametrize("switch", ["task", "gravity_compensation"])
def test_what_is_switched_off_is_no_longer_done(arm, switch):
    arm.reset()
    arm.apply("posture", False)
    if switch == "gravity_compensation":
        arm.apply("task", False)
        arm.advance(0.3)
        assert np.abs(arm.now().hand - hand_start(arm.behavior)).max() < 1e-3
    arm.apply(switch, False)
    arm.apply("target", [0.0, 0.0, 0.2])
    start = arm.now().hand
    arm.advance(0.5)
    fell = start[2] - arm.now().hand[2]
    assert (fell > 0.01) == (switch == "gravity_compensation")
    assert off(arm) > 0.1


def test_the_acceleration_of_a_pelvis_is_known_or_not(atlas):
    start = atlas.now().state.q[6]
    atlas.apply("pelvis_amplitude", 0.1)
    atlas.apply("pelvis_rate", 6.0)
    atlas.advance(0.6)
    # Half a turn of the sway has all accelerations in it, but for the sign.
    known = farthest_off(atlas, 0.54)
    atlas.apply("pelvis_feedforward", False)
    atlas.advance(0.1)
    ignored = farthest_off(atlas, 0.54)
    assert known < 1e-3 < ignored
    assert 0.01 < abs(atlas.now().state.q[6] - start) <= 0.1


def test_a_reset_forgets_all(arm):
    arm.reset()
    first, settings = arm.now().state.q.copy(), arm.settings()
    arm.apply("target", [0.1, 0.0, 0.0])
    arm.advance(0.2)
    arm.reset()
    assert arm.time == 0.0
    assert np.array_equal(arm.now().state.q, first)
    assert arm.settings()["target"] == settings["target"] == [0.0, 0.0, 0.0]


def test_what_was_done_by_hand_is_done_again_bit_for_bit(arm):
    """A run of the page is a scenario with events, as all runs are."""
    arm.reset()
    arm.apply("noise_angle", 0.005)
    arm.advance(0.1)
    arm.apply("target", [0.0, 0.1, 0.1])
    arm.apply("hand_sensing", True)
    arm.advance(0.3)
    by_hand = arm.run_so_far()
    again = run_scenario(by_hand.scenario, arm.behavior)
    assert compare_samples(run_frame(by_hand), run_frame(again)) is None
    assert np.ptp(again.target, axis=0).max() > 0.05
    assert collect_run(arm._running).x.shape == again.x.shape


def test_a_target_of_events_glides_from_where_its_motion_has_it():
    circle = TargetMotion(radius=0.1, frequency=0.5)
    scenario = of_task("ur10", 1.5, target=circle)
    moves = [SettingEvent(0.2, target=[0.0, 0.0, 0.1])]
    behavior = task_space_behavior(scenario)
    still = run_scenario(scenario, behavior)
    run = run_scenario(scenario.changed(events=moves), behavior)
    apart = run.target - still.target
    assert np.abs(apart[run.t <= 0.2]).max() == 0.0
    assert np.allclose(apart[-1], [0.0, 0.0, 0.1], atol=1e-3)


def test_mistakes_are_told(arm):
    with pytest.raises(BackbeatError, match="unknown setting"):
        arm.apply("pelvis_rate", 1.0)
    with pytest.raises(BackbeatError, match=r"a period has to be 0\.001 s or more"):
        arm.apply("period", 1e-5)
    scenario = of_task("ur10", 0.1)
    noisy = scenario.changed(events=[SettingEvent(0.0, noise_angle=0.1)])
    with pytest.raises(BackbeatError, match="noise_angle needs state: sampled"):
        run_scenario(noisy, task_space_behavior(noisy))
    tempo = scenario.changed(events=[SettingEvent(0.0, tempo=0.9)])
    with pytest.raises(BackbeatError, match="tempo is a setting of behaviors"):
        run_scenario(tempo, task_space_behavior(tempo))
    for changes, message in (
        ({"period": 1.0}, "period is 1.0; it must be from 0 to 0.1 s"),
        ({"target": [0.0, 9.0, 0.0]}, "target of an event"),
        ({"target": [0.0]}, "target is .*a list of 3 numbers"),
    ):
        with pytest.raises(BackbeatError, match=message):
            SettingEvent(0.0, **changes).check()
    assert sampled(scenario, 0.1, 0.0, 0.0).check()
