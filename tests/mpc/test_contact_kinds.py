"""Loops on other contact: soles whose surface yields, and a plant without steps."""

import numpy as np
import pytest

from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario

BRIEF = {"behavior": "stand", "lead_in": 0.05, "lead_out": 0.0}
HARDWARE = {"state": "estimated", "actuator_lag": 0.005}


def contact_after(run, time):
    """Force of the ground [N] and its moment about the feet's middle [N m], after."""
    late = run.t > time
    wrench = run.contact[late][:, :2].sum(1)
    force = wrench[:, 3:]
    return force, wrench[:, :3]


@pytest.fixture(scope="module")
def soft(built):
    scenario = Scenario.of(**BRIEF, feet="hydroelastic", duration=0.6)
    return run_scenario(scenario, built("stand"))


def test_soles_that_yield_carry_the_robot(soft):
    robot = soft.behavior.robot_model
    force, moment = contact_after(soft, 0.3)
    assert force[:, 2].mean() == pytest.approx(robot.weight, rel=1e-3)
    assert run_metrics(soft)["com_error_mm"]["max"] < 1.0
    # The moment about the origin is that of forces within the soles.
    center = np.stack([-moment[:, 1], moment[:, 0]], 1) / force[:, 2:]
    com = soft.behavior.motion.q[0][4:6]
    assert np.abs(center - com).max() < 0.1
    assert soft.failures == 0


def test_soles_that_yield_are_told_to_the_controllers(built):
    """On sensors a foot stands by the force it feels."""
    scenario = Scenario.of(
        **BRIEF, feet="hydroelastic", state="estimated", duration=0.5
    )
    run = run_scenario(scenario, built("stand"))
    assert run_metrics(run)["com_error_mm"]["max"] < 5.0


def test_a_robot_stands_in_continuous_time(built):
    push = Push(time=0.05, duration=0.05, impulse=[10.0, 0.0, 0.0])
    scenario = Scenario.of(
        **BRIEF, contact_model="continuous", duration=0.25, pushes=[push]
    )
    run = run_scenario(scenario, built("stand"))
    robot = run.behavior.robot_model
    force, _ = contact_after(run, 0.15)
    assert force[:, 2].mean() == pytest.approx(robot.weight, rel=0.02)
    # Friction of full size at a speed of 5 mm/s lets them creep by 0.07 mm.
    assert run_metrics(run)["foot_slip_mm"] < 0.03
    # Without steps the push is a force now, not the mean over a step.
    assert run.push[:, 0].max() == pytest.approx(10.0 / 0.05)
    assert not run.fell


def test_a_robot_stands_on_its_sensors_in_continuous_time(built):
    sensed = Scenario.of(
        **BRIEF,
        contact_model="continuous",
        duration=0.25,
        **HARDWARE,
    )
    run = run_scenario(sensed, built("stand"))
    assert run_metrics(run)["com_error_mm"]["max"] < 5.0
    assert np.abs(run.sensed - run.x)[5:, 7:37].max() > 1e-5
    force, _ = contact_after(run, 0.15)
    assert force[:, 2].mean() == pytest.approx(
        run.behavior.robot_model.weight, rel=0.02
    )


def test_what_needs_steps_is_refused_in_continuous_time(built):
    continuous = Scenario.of(**BRIEF, contact_model="continuous")
    with pytest.raises(BackbeatError, match="continuous time it must be 0"):
        continuous.changed(joint_friction=0.03).check()
    with pytest.raises(BackbeatError, match="what is sensed must come late"):
        continuous.changed(state="estimated", sensing_delay=0.0).check()
    with pytest.raises(BackbeatError, match="did you mean hydroelastic"):
        Scenario.of(**BRIEF, feet="hydroelastik").check()


@pytest.mark.slow
def test_walking_in_continuous_time_is_pushed_by_nobody(built):
    """What sensors of feet measure is what acts: nothing is left to be a push."""
    scenario = Scenario.of(
        behavior="walk-2",
        contact_model="continuous",
        **HARDWARE,
    )
    metrics = run_metrics(run_scenario(scenario, built("walk-2")))
    assert metrics["unknown_forces"]["count"] == 0
    assert metrics["com_error_mm"]["rms"] < 2.0


@pytest.mark.slow
def test_a_fall_in_continuous_time_comes_to_its_end(built):
    push = Push(time=0.5, duration=0.1, impulse=[-200.0, 0.0, 0.0])
    scenario = Scenario.of(
        behavior="stand",
        contact_model="continuous",
        steps=False,
        duration=4.0,
        pushes=[push],
    )
    assert run_scenario(scenario, built("stand")).fell


@pytest.mark.slow
@pytest.mark.parametrize("contact_model", ["lagged", "sap", "similar"])
def test_steps_are_taken_on_soles_that_yield(built, contact_model):
    scenario = Scenario.of(
        behavior="walk-2", contact_model=contact_model, feet="hydroelastic"
    )
    metrics = run_metrics(run_scenario(scenario, built("walk-2")))
    assert metrics["fell"] is False
    assert metrics["com_error_mm"]["rms"] < 1.0


@pytest.mark.slow
def test_a_foot_that_carries_little_does_not_turn_on_its_edge(built):
    """On sensors; soles of hard plastic did, by a third of a radian."""
    scenario = Scenario.of(
        behavior="groove",
        feet="hydroelastic",
        duration=17.0,
        **HARDWARE,
    )
    metrics = run_metrics(run_scenario(scenario, built("groove")))
    assert metrics["foot_slip_mm"] < 10.0
    assert metrics["com_error_mm"]["rms"] < 1.5
