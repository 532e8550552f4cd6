"""What counts as survived, on runs made up to show it."""

from dataclasses import replace

import numpy as np
import pytest

from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.analysis.survival import judge, plan_in_force, survived
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.disturbances.model_mismatch import model_mismatch
from backbeat.mpc.reference.trajectory import Reference
from tests.backbeat.performances import swaying
from tests.mpc.test_metrics import LEAD_IN, delayed, follow, moved


@pytest.fixture(scope="module")
def sway():
    return swaying(6.0)


@pytest.fixture(scope="module")
def reference(sway):
    return Reference(sway)


def bent(run, angle):
    """The run with both knees bent, the soles flat."""
    robot = run.behavior.robot_model
    for side in "lr":
        for joint, share in {"hpy": -1, "kny": 2, "aky": -1}.items():
            index = robot.joint_index(f"{side}_leg_{joint}")
            run = moved(run, 7 + index, share * angle)
    return run


def tilted(run, angle):
    x = run.x.copy()
    x[:, :4] = [np.cos(angle / 2), 0.0, np.sin(angle / 2), 0.0]
    return replace(run, x=x)


def test_a_run_on_the_behavior_is_survived(sway, reference):
    run = follow(sway)
    found = judge(run, reference, 5.0)
    assert found.survived
    assert found.time == pytest.approx(5.0)
    assert found.com_speed_error < 1e-2
    assert abs(found.com_height_error) < 1e-4
    assert found.tilt_error < 1e-6
    assert survived(run, reference) is True
    assert run_metrics(run)["survived"] is True


def test_the_tempo_is_that_of_the_last_second(sway, reference):
    """A plan that hurries a foot down for a moment has not lost the behavior."""
    run = follow(sway)
    plans = list(run.plans)
    last = max(k for k, p in enumerate(plans) if p.time - LEAD_IN <= 5.0)
    plans[last] = delayed(plans[last], 0.0, 1.12)
    found = judge(replace(run, plans=tuple(plans)), reference, 5.0)
    assert found.phase_rate == pytest.approx(1.0, abs=0.005)
    assert found.survived


@pytest.mark.parametrize(("late", "result"), [(0.0, True), (0.015, True), (0.1, False)])
def test_who_takes_back_lost_time_has_to_be_on_the_beat(sway, reference, late, result):
    """Over the last second it was faster by 6 %, and came as near to the beat."""
    run = follow(sway)
    delays = [late + (0.06 if p.time - LEAD_IN <= 4.5 else 0.0) for p in run.plans]
    plans = tuple(map(delayed, run.plans, delays))
    found = judge(replace(run, plans=plans), reference, 5.0)
    assert found.phase_rate == pytest.approx(1.06, abs=0.005)
    assert found.late == pytest.approx(late, abs=1e-9)
    assert found.survived is result


def test_lower_ground_is_no_crouch(sway, reference):
    found = judge(moved(follow(sway), 6, -0.08), reference, 5.0)
    assert abs(found.com_height_error) < 1e-4
    assert found.survived


def test_who_does_not_get_up_has_not_survived(sway, reference):
    run = bent(follow(sway), 0.5)
    assert judge(run, reference, 5.0).com_height_error < -0.05
    assert survived(run, reference) is False
    slightly = bent(follow(sway), 0.05)
    assert survived(slightly, reference) is True


@pytest.mark.parametrize(("degrees", "result"), [(10, True), (20, False)])
def test_who_leans_has_not_survived(sway, reference, degrees, result):
    run = tilted(follow(sway), np.radians(degrees))
    found = judge(run, reference, 5.0)
    assert np.degrees(found.tilt_error) == pytest.approx(degrees, abs=1e-3)
    assert survived(run, reference) is result


def test_every_push_and_only_pushes_are_judged(sway, reference):
    run = follow(sway, pushes=[Push(time=0.2), Push(time=1.0)])
    assert survived(run, reference) is True
    # The robot moves when the second push is judged, at 5.1 s, and at no other time.
    x = run.x.copy()
    x[(run.t > 5.05) & (run.t < 5.15), 7 + 30 + 3] += 0.1
    assert survived(replace(run, x=x), reference) is False
    first = replace(run, x=x, scenario=run.scenario.changed(pushes=[Push(time=0.2)]))
    assert survived(first, reference) is True


def test_a_push_that_is_not_judged_leaves_it_open(sway, reference):
    run = follow(sway, pushes=[Push(time=3.0)])
    assert survived(run, reference) is None
    assert survived(replace(run, fell_at=4.0), reference) is False


def test_a_push_may_be_judged_after_the_end_of_the_behavior(sway, reference):
    """At rest there, which the run after the end shows or not."""
    run = follow(sway, pushes=[Push(time=2.5)])
    t = np.r_[run.t, 6.0 + 0.01 * np.arange(100)]
    rest = np.tile(run.x[-1], (100, 1))
    rest[:, 37:] = 0.0
    run = replace(run, t=t, x=np.vstack([run.x, rest]))
    assert judge(run, reference, 6.6).time == pytest.approx(6.6)
    assert survived(run, reference) is True


def test_the_plan_in_force_is_the_one_that_has_arrived(sway):
    run = follow(sway)
    late = run.scenario.changed(world=model_mismatch(plan_delay=0.05))
    now = 1.0
    assert plan_in_force(run, now).time == pytest.approx(now + LEAD_IN)
    delayed = plan_in_force(replace(run, scenario=late), now)
    assert delayed.time == pytest.approx(now + LEAD_IN - 0.06)
    none = run.scenario.changed(world=model_mismatch(plan_loss=1.0))
    assert plan_in_force(replace(run, scenario=none), now) is run.plans[0]
