"""A run whose controller is another process: the same to the last bit, or held."""

import signal
import subprocess

import numpy as np
import pytest

from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.disturbances.kinds.setting_event import SettingEvent
from backbeat.mpc.remote.address import read_address
from backbeat.mpc.remote.controller import remote_controllers
from backbeat.mpc.safety.fail_safe import Mode
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario
from tests import processes

# The push makes the robot step, and settings change on the way.
SCENARIO = Scenario.of(
    behavior="stand",
    lead_in=0.1,
    duration=0.5,
    pushes=[Push(0.05, 0.1, [120.0, 0.0, 0.0])],
    events=[SettingEvent(0.2, steps=False), SettingEvent(0.3, tempo=1.1)],
)


@pytest.fixture(scope="module")
def serve(library_folder, built):
    """`serve()` starts a controller process and returns it with its address."""
    built("stand")
    started = []

    def start():
        arguments = "serve", "stand", "--library", library_folder
        process = processes.start(*arguments, stdout=subprocess.PIPE)
        started.append(process)
        return process, read_address(process.stdout.readline().split()[-1])

    yield start
    for process in started:
        process.kill()
        process.communicate()


def assert_same(a, b):
    for name in ("t", "x", "effort", "contact", "sensed"):
        assert getattr(a, name).tobytes() == getattr(b, name).tobytes(), name
    assert len(a.plans) == len(b.plans)
    for one, other in zip(a.plans, b.plans, strict=True):
        assert one.deviation.tobytes() == other.deviation.tobytes()
        assert (one.phase, one.rate, one.steps) == (
            other.phase,
            other.rate,
            other.steps,
        )
    assert (a.tick_safety, a.plan_safety) == (b.tick_safety, b.plan_safety)


def assert_is_the_same_outside(scenario, behavior, address):
    inside = run_scenario(scenario, behavior)
    outside = run_scenario(scenario, behavior, remote=remote_controllers(address))
    assert np.ptp(inside.x[:, 4]) > 0.01
    assert_same(inside, outside)
    assert outside.link_safety is not None
    assert run_metrics(outside)["safety"]["remote"]["failures"] == {}


def test_a_run_is_the_same_bit_for_bit(built, serve):
    process, address = serve()
    assert_is_the_same_outside(SCENARIO, built("stand"), address)
    process.send_signal(signal.SIGINT)
    _, remarks = process.communicate(timeout=20)
    assert process.returncode == 0
    assert "ticks: median" in remarks
    assert "no longer listening" in remarks


@pytest.mark.slow
def test_one_run_after_the_other_with_an_estimator_and_a_third_process(built, serve):
    """What a run was like leaves nothing in the process for the next."""
    _, address = serve()
    planned = SCENARIO.changed(planner="process", planning_time=0.02)
    estimated = SCENARIO.changed(state="estimated", seed=3)
    for scenario in (planned, estimated, SCENARIO):
        assert_is_the_same_outside(scenario, built("stand"), address)


@pytest.mark.slow
@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGSTOP])
def test_a_robot_without_its_controller_holds(built, serve, ending):
    """It stands on for as long as the run is, and the run says what happened."""
    behavior, (process, address) = built("stand"), serve()
    scenario = Scenario.of(behavior="stand", lead_in=0.5, duration=2.0)
    sent = []

    def end(share):
        if share > 0.4 and not sent:
            sent.append(process.send_signal(ending))

    run = run_scenario(
        scenario, behavior, progress=end, remote=remote_controllers(address)
    )
    assert run.link_safety.mode is Mode.HOLDING
    assert not run.fell
    story = run_metrics(run)["safety"]["remote"]
    assert 0.5 < sum(c["count"] for c in story["failures"].values()) * 0.002 < 1.6
    held = run.x[run.t > 1.5]
    assert np.abs(held[:, 37:]).max() < 0.5
