"""Settings that change in a run: each does what it says, and can be undone."""

from types import SimpleNamespace

import numpy as np
import pytest
import yaml

from backbeat.behaviors.library.behavior import Event
from backbeat.models.common.errors import BackbeatError
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.analysis.run_explanation import explain_run
from backbeat.mpc.analysis.survival import plan_in_force, survived
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.disturbances.kinds.setting_event import (
    SETTINGS,
    SettingEvent,
    setting_event,
)
from backbeat.mpc.disturbances.task_changes import OF_TASK_SPACE
from backbeat.mpc.plans.weights import PredictiveWeights
from backbeat.mpc.predictive.settings import TEMPO_RAMP, PlanSettings, TempoRamp
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.scenario.parts.disturbances import DisturbanceSettings
from backbeat.mpc.scenario.requested_tempo import play_length, requested_tempo
from backbeat.mpc.scenario.settings import check_event, first_settings, settings_at
from backbeat.mpc.scenario.specification import (
    Scenario,
    load_scenario,
    read_scenario,
)
from backbeat.mpc.simulation.run import SimulationRun
from backbeat.mpc.simulation.running_loop import RunningLoop
from backbeat.mpc.simulation.simulate import collect_run, run_scenario
from backbeat.mpc.weights.controller_weights import ControllerWeights
from backbeat.mpc.weights.in_runs import changed_in_run, values_in_runs

SHORT = {"behavior": "stand", "lead_in": 0.1, "duration": 0.2}


def same(a, b):
    """Whether two runs are the same to the last bit."""
    names = ("t", "x", "sensed", "effort", "contact", "push")
    return all(getattr(a, n).tobytes() == getattr(b, n).tobytes() for n in names)


def test_a_tempo_reaches_its_factor_and_keeps_the_beat():
    tempo = TempoRamp().changed(1.0, 0.8).changed(3.0, 1.2)
    t = np.linspace(0.0, 6.0, 6001)
    for one, start, end in (
        (TempoRamp().changed(1.0, 0.8), 0, 3000),
        (tempo, 3000, 6001),
    ):
        span = t[start:end]
        rate = np.array([one.factor(x) for x in span])
        gained = np.r_[0.0, np.cumsum(0.5 * (rate[1:] + rate[:-1]) * np.diff(span))]
        asked = np.array([one.requested_phase(x) for x in span])
        np.testing.assert_allclose(asked, asked[0] + gained, atol=1e-6)
        back = [one.when(phase) for phase in asked]
        np.testing.assert_allclose(back, span, atol=1e-12)
    assert tempo.factor(3.0) == pytest.approx(0.8)
    assert tempo.factor(3.0 + TEMPO_RAMP) == pytest.approx(1.2)
    assert (TempoRamp().requested_phase(0.1 + 0.2), TempoRamp().when(0.1 + 0.2)) == (
        0.1 + 0.2,
    ) * 2


def test_a_slower_run_is_longer_and_its_events_come_later(built):
    behavior = built("stand")
    scenario = Scenario.of("stand", events=[SettingEvent(1.0, tempo=0.8)])
    tempo = requested_tempo(scenario.disturbances)
    # Half a second of the ramp from 1 to 0.8 is worth 0.45 s.
    assert tempo.when(1.45) == pytest.approx(1.5)
    assert tempo.when(2.25) == pytest.approx(2.5)
    timing = scenario.timing
    usual = play_length(timing, DisturbanceSettings(), behavior)
    late = play_length(timing, scenario.disturbances, behavior) - usual
    assert late == pytest.approx(0.25 * (behavior.duration - 1.45) + 0.05)
    placed = tempo.place(Event(0.5, "segment", "Hold", duration=1.75))
    assert (placed.time, placed.duration) == (0.5, pytest.approx(2.0))


def test_switches_and_knob_are_undone():
    weights, settings = PredictiveWeights(), PlanSettings()
    plain = settings.adapt(weights)
    current = first_settings(Scenario(), _Knob(0.5))
    for name in ("timing", "forces", "posture", "steps"):
        off = current.after(SettingEvent(0.0, **{name: False}), 0.0)
        assert off.plan.adapt(weights) != plain
        on = off.after(SettingEvent(0.1, **{name: True}), 0.1)
        assert on.plan.adapt(weights) == plain


class _Knob:
    def __init__(self, beat_priority):
        self.beat_priority = beat_priority


def test_settings_at_a_time_are_those_of_the_events_so_far():
    events = [SettingEvent(2.0, friction=0.3), SettingEvent(1.0, tempo=0.9)]
    scenario = Scenario.of("stand", events=events)
    friction = [settings_at(scenario, _Knob(0.5), t).friction for t in (1.9, 2.0)]
    assert friction == [0.8, 0.3]
    assert settings_at(scenario, _Knob(0.5), 1.0).plan.tempo.after == 0.9


def test_a_run_without_a_change_of_value_is_the_run_without_events(built):
    """All settings set to what they are, in the middle of a push."""
    behavior, push = built("stand"), [Push(0.0, 0.1, [20.0, 0.0, 0.0])]
    scenario = Scenario.of(**SHORT, state="estimated", pushes=push)
    values = {
        "timing": True, "forces": True, "posture": True, "steps": True,
        "beat_priority": behavior.beat_priority, "tempo": 1.0, "friction": 0.8,
        "noise_scale": 1.0, "plan_delay": 0.0, "left_hand": [0.0, 0.0, 0.0],
        "right_hand": [0.0, 0.0, 0.0], "weights": values_in_runs(ControllerWeights()),
    }  # fmt: skip
    assert set(values) == set(SETTINGS) - set(OF_TASK_SPACE) - {"drive"}
    plain = run_scenario(scenario, behavior)
    changed = scenario.changed(events=[SettingEvent(0.05, **values)])
    assert same(plain, run_scenario(changed, behavior))


def test_friction_from_the_start_is_that_of_the_scenario(built):
    """And ice underfoot lets a pushed robot slide."""
    behavior = built("stand")
    push = [Push(0.0, 0.1, [40.0, 0.0, 0.0])]
    icy = SettingEvent(-0.1, friction=0.05)
    changed = run_scenario(Scenario.of(**SHORT, pushes=push, events=[icy]), behavior)
    built_so = run_scenario(Scenario.of(**SHORT, pushes=push, friction=0.05), behavior)
    assert same(changed, built_so)
    slips = [run_metrics(changed)["foot_slip_mm"]]
    slips.append(run_metrics(run_scenario(Scenario.of(**SHORT, pushes=push), behavior))[
        "foot_slip_mm"
    ])  # fmt: skip
    assert slips[0] > 5.0 > slips[1]


def test_noise_scale_multiplies_what_sensors_add(built):
    """Encoders' errors follow the factor, from the sample of the event on."""
    louder = SettingEvent(0.0, noise_scale=20.0)
    scenario = Scenario.of(**SHORT, state="estimated", events=[louder])
    run = run_scenario(scenario, built("stand"))
    off = np.abs(run.sensed - run.x)[:, 7:37].max(axis=1)
    before, after = off[run.t < 0.0], off[run.t > 0.05]
    assert after.mean() > 5 * before.mean()


def test_a_plan_that_is_late_is_read_late(built):
    running = RunningLoop(built("stand"), Scenario.of(**SHORT))
    running.advance(0.1)
    running.apply("plan_delay", 0.05)
    running.advance(0.1)
    controller = running.loop.whole_body
    context = controller.GetMyContextFromRoot(running.context)
    plan = controller.GetInputPort("plan").Eval(context)
    assert running.context.get_time() - plan.time >= 0.05
    assert running.context.get_time() - running.log.plans()[-1].time < 0.021


def test_a_hand_goes_where_it_is_held_and_comes_back(built):
    behavior, offset = built("stand"), [0.1, 0.05, 0.1]
    reference, running = Reference(behavior), RunningLoop(
        behavior, Scenario.of("stand", lead_in=0.1)
    )  # fmt: skip
    robot, frame = behavior.robot_model, behavior.robot_model.parts["left hand"].frame
    system = running.loop.body.state.get_system()

    def displaced():
        x = system.get_output_port().Eval(system.GetMyContextFromRoot(running.context))
        here = Configuration(robot, x[: robot.num_positions]).pose(frame)
        phase = running.log.plans()[-1].phase_at(running.context.get_time())
        there = Configuration(robot, reference.sample(phase).q).pose(frame)
        return here.translation() - there.translation(), x[-30:]

    speed = 0.0
    running.advance(0.1)
    running.apply("left_hand", offset)
    for _ in range(24):
        running.advance(0.05)
        speed = max(speed, np.abs(displaced()[1]).max())
    np.testing.assert_allclose(displaced()[0], offset, atol=0.015)
    assert speed < 3.0
    running.apply("left_hand", [0.0, 0.0, 0.0])
    running.advance(1.2)
    np.testing.assert_allclose(displaced()[0], 0.0, atol=0.002)
    memory = running.loop.whole_body.GetOutputPort("memory").Eval(
        running.loop.whole_body.GetMyContextFromRoot(running.context)
    )
    assert memory.reach == {}
    assert memory.failures == 0


def test_a_tempo_is_danced_to(built):
    """The plan keeps the phase that is asked for, at the rate that is asked for."""
    behavior = built("deep-squat")
    slower = SettingEvent(0.2, tempo=0.8)
    scenario = Scenario.of("deep-squat", lead_in=0.1, duration=1.5, events=[slower])
    run = run_scenario(scenario, behavior)
    tempo, last = requested_tempo(scenario.disturbances), run.plans[-1]
    assert last.rate == pytest.approx(0.8, abs=0.03)
    assert last.phase == pytest.approx(tempo.phase(last.time - 0.1), abs=0.01)
    metrics = run_metrics(run)
    assert metrics["com_error_mm"]["max"] < 10.0
    assert metrics["com_error_at_nominal_time_mm"]["max"] < 15.0


def test_beats_are_where_the_tempo_asked_for_has_them(built):
    behavior = built("groove")
    scenario = Scenario.of("groove", events=[SettingEvent(2.0, tempo=0.8)])
    run = SimpleNamespace(scenario=scenario, behavior=behavior, t=np.array([0.0, 9.0]))
    beats, beat = SimulationRun.beat_times(run), 60.0 / behavior.bpm
    assert beats[0] == 0.0
    assert 9.0 - beat / 0.8 < beats[-1] <= 9.0
    between = np.diff(beats)
    np.testing.assert_allclose(between[:3], beat, atol=1e-9)
    np.testing.assert_allclose(between[-3:], beat / 0.8, atol=1e-9)


def test_what_is_done_by_hand_is_a_scenario(built):
    """Bit for bit, whatever the steps in which it was advanced and looked at."""
    behavior = built("stand")
    by_hand = RunningLoop(behavior, Scenario.of(behavior="stand", lead_in=0.1))
    clicks = {
        3: ("friction", 0.5), 5: ("timing", False), 7: ("left_hand", [0.1, 0.0, 0.1]),
        9: ("tempo", 0.9), 11: ("timing", True), 13: ("plan_delay", 0.01),
    }  # fmt: skip
    for i in range(20):
        by_hand.advance(0.0137)
        if i in clicks:
            when = by_hand.apply(*clicks[i])
            assert 0 < when - by_hand.time <= 0.002 + 1e-9
        if i == 6:
            by_hand.push([30.0, 5.0, 0.0], 0.05)
    scenario = by_hand.scenario_so_far()
    assert len(scenario.disturbances.events) == len(clicks)
    assert len(scenario.disturbances.pushes) == 1
    again = run_scenario(scenario, behavior)
    assert len(again.t) == round((again.t[-1] + 0.1) / 0.005) + 1
    n = len(again.t)
    _, x = by_hand.log.samples("state", by_hand.context)
    assert x[:n].tobytes() == again.x.tobytes()
    assert np.abs(again.push).max() == pytest.approx(600.0)
    by_hand.push([30.0, 5.0, 0.0], 0.05)
    assert len(by_hand.scenario_so_far().disturbances.pushes) == 1
    # The other is still to come.


def test_weights_change_in_a_run_and_its_scenario_repeats_that(built):
    """Inside, in a process, and from the file; held to by both programs."""
    behavior = built("stand")
    changes = {
        "predictive.com": 300.0,
        "whole_body.com_stiffness": 30.0,
        "stance.com_stiffness": 20.0,
        "recovery.alarm": 0.05,
    }
    live = Scenario.of("stand", lead_in=0.1, duration=0.6, planning_time=0.02)
    by_hand = RunningLoop(behavior, live)
    by_hand.advance(0.1)
    for name, value in changes.items():
        by_hand.apply("weights", {name: value})
    by_hand.push([25.0, 10.0, 0.0], 0.05)
    by_hand.advance(0.4)
    assert by_hand.settings()["weights"] == changes
    scenario = by_hand.scenario_so_far()
    text = yaml.safe_dump(scenario.to_dict(), sort_keys=False)
    again = run_scenario(read_scenario(text, "the run"), behavior)
    _, x = by_hand.log.samples("state", by_hand.context)
    assert x[: len(again.x)].tobytes() == again.x.tobytes()
    beside = run_scenario(scenario.changed(planner="process"), behavior)
    assert same(beside, again)
    # Explanations have them, and the plan's terms add up under them.
    told = explain_run(again, 0.25)
    stiffer = {task.name: task.weight for task in told.tick.tasks}
    usual = explain_run(run_scenario(scenario.changed(events=[]), behavior), 0.25)
    assert stiffer == {task.name: task.weight for task in usual.tick.tasks}
    assert not np.allclose(told.tick.tasks[1].wanted, usual.tick.tasks[1].wanted)
    plan = plan_in_force(again, told.time - 1e-6)
    assert sum(told.plan.costs.values()) == pytest.approx(plan.objective)
    by_hand.close()


def test_a_run_with_changed_weights_ends_as_one_that_had_them_from_the_start(built):
    """At the first tick a change is no other than weights that are given."""
    behavior, scenario = built("stand"), Scenario.of(**SHORT)
    told = {"predictive.com": 300.0, "stance.com_stiffness": 80.0}
    event = SettingEvent(-0.1, weights=told)
    changed = run_scenario(scenario.changed(events=[event]), behavior)
    weights = changed_in_run(ControllerWeights(), told, "told")
    assert same(changed, run_scenario(scenario, behavior, weights))
    assert not same(changed, run_scenario(scenario, behavior))


def test_a_restart_forgets_or_holds_what_was_done(built):
    running = RunningLoop(built("stand"), Scenario.of(**SHORT))
    running.advance(0.1)
    running.apply("friction", 0.4)
    running.push([1.0, 0.0, 0.0])
    assert running.settings()["friction"] == 0.4
    running.restart()
    assert running.settings()["friction"] == 0.8
    assert running.scenario == Scenario.of(**SHORT)
    running.restart(SettingEvent(friction=0.4))
    running.advance(0.15)
    assert running.settings()["friction"] == 0.4
    assert running.scenario_so_far().disturbances.events == [
        SettingEvent(-0.1, friction=0.4)
    ]


@pytest.mark.parametrize(
    ("setting", "value", "sentence"),
    [
        ("frction", 0.3, "did you mean friction"),
        ("weights", {"predictive.cmo": 1.0}, "did you mean predictive.com"),
        ("weights", {"predictive.knots": 30}, "unknown weight"),
        ("weights", {"stance.com_damping": -1.0}, "numbers from 0 to"),
        ("weights", {"predictive.min_phase_rate": 5.0}, "min_phase_rate <= 1"),
        ("weights", {}, "as predictive.com: 200"),
        ("friction", 0.0, "must be from 0.01 to 10"),
        ("friction", "ice", "friction is a number"),
        ("timing", 1, "on or off"),
        ("left_hand", 3, "three numbers"),
        ("left_hand", [3.0, 0.0, 0.0], "at most 1 m"),
        ("noise_scale", 2.0, "needs state: estimated"),
    ],
)
def test_a_change_that_cannot_be_is_one_sentence(built, setting, value, sentence):
    behavior = built("stand")
    reference = Reference(behavior)

    def change():
        event = setting_event(0.0, setting, value)
        check_event(event, Scenario(), reference)

    with pytest.raises(BackbeatError, match=sentence) as caught:
        change()
    assert "\n" not in str(caught.value)


def test_no_one_jumps_at_another_tempo(built):
    """Nothing but gravity has the tempo in the air."""
    reference = Reference(built("stand"))
    reference.table.standing[20:30] = False
    event = SettingEvent(tempo=0.9)
    with pytest.raises(BackbeatError, match="leaves the ground"):
        check_event(event, Scenario(), reference)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("events: [{time: 0.1}]", "changes nothing"),
        ("events: [{time: 0.0011, timing: false}]", "on no control tick; the nearest"),
        ("events: [{time: -3, timing: false}]", "before the run"),
        (
            "events: [{time: .nan, timing: false}]",
            "be a finite number",
        ),
    ],
)
def test_events_of_a_file_are_checked(tmp_path, text, sentence):
    path = tmp_path / "scenario.yaml"
    path.write_text(f"behavior: stand\n{text}\n")
    with pytest.raises(BackbeatError, match=sentence):
        load_scenario(path)
    path.write_text(
        "behavior: stand\nevents:\n- {time: 1, tempo: 0.9, left_hand: [0, 0, 0.1]}\n"
    )
    event = load_scenario(path).disturbances.events[0]
    assert event.values() == {"tempo": 0.9, "left_hand": [0.0, 0.0, 0.1]}


def test_who_keeps_the_tempo_asked_for_has_survived(built):
    event = SettingEvent(0.2, tempo=0.8)
    scenario = Scenario.of("stand", lead_in=0.1, duration=1.5, events=[event])
    run = run_scenario(scenario, built("stand"))
    assert survived(run, Reference(run.behavior))


@pytest.mark.slow
def test_who_is_low_when_that_is_asked_for_has_not_fallen(built):
    """At 0.7 times its tempo a squat is deepest when at its own one it would be up."""
    event = SettingEvent(0.2, tempo=0.7)
    scenario = Scenario.of("deep-squat", lead_in=0.3, events=[event])
    run = run_scenario(scenario, built("deep-squat"))
    assert not run.fell
    assert survived(run, Reference(run.behavior))


@pytest.mark.slow
def test_a_tempo_changed_by_hand_makes_no_hit_a_surprise(built):
    behavior, start = built("outstanding-standing"), 0.1
    by_hand = RunningLoop(behavior, Scenario.of(behavior.name, lead_in=start))
    by_hand.apply("tempo", 0.8)
    by_hand.advance(4.8)
    live = collect_run(by_hand)
    again = run_scenario(by_hand.scenario_so_far(), behavior)
    assert same(live, again)
    assert live.detection.warnings == again.detection.warnings
    assert live.detection.count == 0
