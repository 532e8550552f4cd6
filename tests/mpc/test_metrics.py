"""What the words of the metrics mean, on runs made up to show it."""

from dataclasses import replace

import numpy as np
import pytest

from backbeat.behaviors.library.behavior import Event
from backbeat.mpc.analysis.metrics import run_metrics, size, spread
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.scenario.specification import Scenario
from tests.backbeat.performances import drumming, run_of, swaying

LENGTH = 6.0
LEAD_IN = 0.2


@pytest.fixture(scope="module")
def sway():
    return swaying(LENGTH)


def follow(behavior, delay=0.0, pushes=()):
    """A run exactly on the behavior, `delay` seconds behind the nominal time."""
    run, motion = run_of(behavior), behavior.motion
    phase = np.clip(run.t - delay, 0.0, motion.t[-1])
    x = np.hstack([motion.q, motion.v])
    x = np.array([np.interp(phase, motion.t, column) for column in x.T]).T
    x[run.t - delay < 0, behavior.robot_model.num_positions :] = 0.0
    plans = tuple(delayed(p, delay) for p in run.plans)
    scenario = run.scenario.changed(pushes=list(pushes))
    return replace(run, x=x, plans=plans, scenario=scenario)


def delayed(plan, by, rate=1.0):
    """The plan later by some seconds of phase, its first interval at a phase rate."""
    first = plan.durations[0] * plan.rate / rate
    return replace(
        plan,
        phase=plan.phase - by,
        phases=plan.phases - by,
        rate=rate,
        durations=np.r_[first, plan.durations[1:]],
    )


def moved(run, column, by):
    x = run.x.copy()
    x[:, column] += by
    return replace(run, x=x)


def test_a_run_on_the_behavior_has_no_error(sway):
    metrics = run_metrics(follow(sway))
    assert metrics["com_error_mm"]["max"] < 1e-2
    assert metrics["joint_error_deg"]["max"] < 1e-2
    assert metrics["foot_slip_mm"] < 1e-9
    assert metrics["fell"] is False
    assert metrics["fell_at_s"] is None
    assert metrics["hits"] is None


def test_com_error_is_the_distance_in_space(sway):
    run = moved(moved(follow(sway), 4, 0.003), 6, 0.004)
    for key in ("com_error_mm", "com_error_at_nominal_time_mm"):
        assert run_metrics(run)[key]["rms"] == pytest.approx(5.0, abs=1e-2)
        assert run_metrics(run)[key]["max"] == pytest.approx(5.0, abs=1e-2)


def test_markers_are_late_by_what_the_run_is_late(sway):
    """The arms of the swaying are farthest a quarter of a second into every second."""
    marked = tuple(
        Event(
            t, "marker", "swing: farthest", "arms", 0, 0.4, (0, 0), "l_arm_elx", "most"
        )
        for t in (1.25, 2.25, 3.25)
    )
    behavior = replace(sway, events=marked)
    assert run_metrics(follow(sway))["markers"] is None
    for delay in (0.0, 0.08):
        (figures,) = run_metrics(follow(behavior, delay))["markers"]
        assert (figures["move"], figures["count"], figures["missing"]) == (
            "swing",
            3,
            0,
        )
        assert figures["mean_ms"] == pytest.approx(1e3 * delay, abs=1.0)
        assert figures["sd_ms"] < 1.0


def test_a_late_controller_is_on_its_phase_and_off_the_beat():
    metrics = run_metrics(follow(drumming(duration=4.0), delay=0.1))
    at_phase = metrics["com_error_mm"]["max"]
    assert metrics["com_error_at_nominal_time_mm"]["max"] > 5 * at_phase
    assert metrics["beat_error_ms"]["mean"] == pytest.approx(100.0)
    assert metrics["beat_error_ms"]["sd"] == pytest.approx(0.0, abs=1e-6)
    assert metrics["beat_error_ms"]["max"] == pytest.approx(100.0)


def test_joint_error_is_over_all_joints(sway):
    run = moved(follow(sway), 7 + 4, np.radians(2.0))
    error = run_metrics(run)["joint_error_deg"]
    assert error["max"] == pytest.approx(2.0, abs=1e-2)
    joints = sway.robot_model.num_joints
    assert error["rms"] == pytest.approx(2.0 / np.sqrt(joints), rel=1e-2)


def test_a_robot_without_joints_that_slide_has_no_error_of_them(sway):
    assert run_metrics(follow(sway))["slide_error_mm"] == {"rms": None, "max": None}


def test_foot_slip_is_the_way_of_a_corner_along_the_ground(sway):
    run = follow(sway)
    late = run.t > 2.0
    assert run_metrics(moved(run, 4, 0.007 * late))["foot_slip_mm"] == pytest.approx(7)
    assert run_metrics(moved(run, 6, 0.007 * late))["foot_slip_mm"] < 1e-9
    # What happens before the behavior starts is not part of it.
    early = run.t < -0.05
    assert run_metrics(moved(run, 4, 0.007 * early))["foot_slip_mm"] < 1e-9


def test_the_peak_torque_names_its_joint(sway):
    run, robot = follow(sway), sway.robot_model
    j = robot.joint_index("l_arm_elx")
    run.effort[100, j] = -0.5 * robot.effort_limits[j]
    run.effort[50, 0] = 0.4 * robot.effort_limits[0]
    metrics = run_metrics(run)
    assert metrics["torque_peak_fraction"] == pytest.approx(0.5)
    assert metrics["torque_peak_joint"] == "l_arm_elx"


def test_standing_still_does_not_pass_for_moving(sway):
    run = follow(sway)
    still = replace(run, x=np.tile(run.x[0], (len(run.t), 1)))
    ranges = run_metrics(still)["range"]
    assert ranges["commanded"]["widest_joint"] in ("l_arm_elx", "r_arm_elx")
    assert ranges["commanded"]["widest_joint_rad"] == pytest.approx(0.7, abs=1e-3)
    assert ranges["achieved"]["widest_joint_rad"] == 0.0


def test_plans_and_times_are_counted(sway):
    run = follow(sway)
    stale = [replace(p, is_fresh=False) for p in run.plans[:3]]
    run = replace(
        run,
        plans=(*stale, *run.plans[3:]),
        plan_ms=np.array([2.0, 3.0, 25.0]),
        tick_ms=np.arange(101.0),
        failures=4,
        wall_time=2.0,
    )
    metrics = run_metrics(run)
    assert metrics["plan_failures"] == 3
    assert metrics["plan_overruns"] == 1
    assert metrics["tick_failures"] == 4
    assert metrics["tick_ms"] == {"median": 50.0, "p99": 99.0, "max": 100.0}
    simulated = run.t[-1] - run.t[0]
    assert metrics["realtime_factor"] == pytest.approx(simulated / 2.0)


def test_no_samples_give_no_number():
    nothing = np.zeros(0)
    assert set(spread(nothing).values()) == {None}
    assert set(size(nothing).values()) == {None}


PUSH = Push(time=0.5, impulse=[60.0, 0.0, 0.0])


def test_a_push_is_survived_when_the_robot_is_calm_four_seconds_later(sway):
    run = follow(sway, pushes=[PUSH])
    away = 0.05 * np.clip(run.t - PUSH.time, 0.0, 0.4)
    (push,) = run_metrics(moved(run, 4, away))["pushes"]
    assert push["survived"] is True
    assert push["com_moved_mm"] == pytest.approx(20.0, abs=0.1)
    assert push["com_speed_error"] < 1e-2


def slowed(plan):
    """A plan at nine tenths of the tempo since the push is over."""
    lost = 0.1 * max(0.0, plan.time - LEAD_IN - PUSH.time - PUSH.duration)
    return delayed(plan, lost, 0.9 if lost else 1.0)


@pytest.mark.parametrize("trouble", ["moving", "fell", "slow", "cut"])
def test_a_push_is_not_survived_otherwise(sway, trouble):
    run = follow(sway, pushes=[PUSH])
    if trouble == "moving":
        # The whole robot drifts at 0.06 m/s.
        run = moved(run, sway.robot_model.num_positions + 3, 0.06)
    elif trouble == "fell":
        run = replace(run, fell_at=3.0)
    elif trouble == "slow":
        run = replace(run, plans=tuple(slowed(p) for p in run.plans))
    else:
        kept = run.t < 4.0
        run = replace(run, t=run.t[kept], x=run.x[kept], effort=run.effort[kept])
    (push,) = run_metrics(run)["pushes"]
    assert push["survived"] is (None if trouble == "cut" else False)


def test_a_fall_is_said_with_its_time(sway):
    run = replace(follow(sway), fell_at=3.2)
    assert run_metrics(run)["fell"] is True
    assert run_metrics(run)["fell_at_s"] == 3.2


def test_the_scenario_goes_with_the_results(sway):
    metrics = run_metrics(follow(sway))
    assert (
        metrics["scenario"] == Scenario.of(behavior="sway", lead_in=LEAD_IN).to_dict()
    )
    assert metrics["state"] == "true state, no estimator"


def test_a_fall_before_the_behavior_has_metrics(sway):
    run = follow(sway)
    metrics = run_metrics(replace(run, t=run.t - run.t[-1] - 0.1, fell_at=-0.1))
    assert metrics["fell"] is True
    assert metrics["survived"] is False
    assert metrics["fell_at_s"] == -0.1


def test_numbers_beyond_all_bounds_are_left_out(sway):
    run = follow(sway)
    x = run.x.copy()
    x[-1] = np.nan
    metrics = run_metrics(replace(run, x=x, fell_at=float(run.t[-1])))
    assert metrics["com_error_mm"]["max"] < 1e-2
