"""What makes a loop under way faster leaves the run of the robot as it is."""

import time

import numpy as np
import pytest

from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.running_loop import RunningLoop
from backbeat.mpc.simulation.simulate import collect_run, run_scenario
from tests.backbeat.performances import swaying


def scenario(**settings):
    settings = {"duration": 0.3, "lead_in": 0.1, "lead_out": 0.0, **settings}
    return Scenario.of(behavior="sway", planning_time=0.02, **settings)


@pytest.fixture(scope="module")
def undisturbed():
    return run_scenario(scenario(), swaying(1.0))


def finished(loop, **wanted):
    loop.advance(1.0)
    run = collect_run(loop)
    for name, value in wanted.items():
        assert run.scenario.to_dict()[name] == value
    return run


def test_a_planner_that_comes_later_plans_the_same(undisturbed):
    with RunningLoop(swaying(1.0), scenario()) as loop:
        loop.advance(0.11)
        loop.plan_beside()
        end = time.perf_counter() + 60.0
        assert loop.waits_for_planner
        while loop._processes._coming.take() is None:
            assert time.perf_counter() < end
            time.sleep(0.05)
        loop.advance(0.01)
        assert not loop.waits_for_planner
        run = finished(loop, planner="inside")
    np.testing.assert_array_equal(run.x, undisturbed.x)
    np.testing.assert_array_equal(run.effort, undisturbed.effort)


def test_a_planner_that_nobody_waits_for_ends():
    loop = RunningLoop(swaying(1.0), scenario())
    loop.plan_beside()
    coming = loop._processes._coming
    loop.close()
    coming._thread.join(60.0)
    assert coming._made is not None
    assert coming._made._child._process.poll() is not None


def test_without_the_watch_the_robot_does_the_same(undisturbed):
    """And what was watched for a part of the time counts as not watched."""
    with RunningLoop(swaying(1.0), scenario()) as loop:
        loop.advance(0.1)
        loop.watch_forces(False)
        loop.advance(0.1)
        loop.watch_forces(True)
        run = finished(loop, watch_forces=False)
        loop.restart()
        again = finished(loop, watch_forces=True)
    assert undisturbed.detection is not None
    assert run.detection is None
    np.testing.assert_array_equal(run.x, undisturbed.x)
    assert again.detection is not None
    np.testing.assert_array_equal(again.x, undisturbed.x)
