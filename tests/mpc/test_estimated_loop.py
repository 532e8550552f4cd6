"""Closed loops on what the robot could know: noise, delay, lag, friction."""

import numpy as np
import pytest

from backbeat.cli.common.results import _notes
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.estimation.contact_estimator import ContactThresholds
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario
from backbeat.mpc.world.sensing import foot_thresholds

HARDWARE = {"state": "estimated", "actuator_lag": 0.005}


def play(built, name, **settings):
    scenario = Scenario.of(behavior=name, **(HARDWARE | settings))
    return run_scenario(scenario, built(name))


@pytest.fixture(scope="module")
def standing(built):
    return play(built, "stand", lead_in=0.2, duration=0.8, joint_friction=0.03)


def test_a_robot_stands_on_its_sensors(standing):
    metrics = run_metrics(standing)
    assert metrics["fell"] is False
    assert metrics["com_error_mm"]["max"] < 5.0
    assert metrics["tick_failures"] == metrics["plan_failures"] == 0
    error = metrics["estimate_error"]
    assert error["place"]["rms"] < 2.0
    assert error["velocity"]["rms"] < 4.0
    assert error["tilt"]["rms"] < 1.5
    assert error["joint_position"]["rms"] < 0.3


def test_results_say_which_state_was_used(standing):
    metrics = run_metrics(standing)
    assert "estimated" in metrics["state"]
    assert "estimated" in _notes([metrics])[-1]


def test_the_controllers_do_not_see_the_truth(standing):
    difference = standing.sensed - standing.x
    assert np.abs(difference[5:, 7:37]).max() > 1e-5
    assert (np.abs(difference[5:]).max(axis=1) > 0).all()


def test_a_seed_gives_one_run_and_another_seed_another(built):
    short = {"lead_in": 0.1, "duration": 0.2, "joint_friction": 0.03}
    first, again = (play(built, "stand", seed=5, **short) for _ in range(2))
    for name in ("x", "sensed", "effort", "contact"):
        np.testing.assert_array_equal(getattr(first, name), getattr(again, name))
    other = play(built, "stand", seed=6, **short)
    assert (first.sensed != other.sensed).any()
    assert (first.x[-1] != other.x[-1]).any()


def test_without_an_estimator_there_is_no_error_to_tell(built):
    run = play(built, "stand", lead_in=0.0, duration=0.1, state="true")
    np.testing.assert_array_equal(run.x, run.sensed)
    metrics = run_metrics(run)
    assert metrics["estimate_error"] is None
    assert metrics["state"] == "true state, no estimator"


def test_feet_before_a_seat_are_trusted_with_the_little_that_they_carry(built):
    assert foot_thresholds(Reference(built("stand"))) == ContactThresholds()
    seated = Reference(built("outstanding"))
    found = foot_thresholds(seated)
    assert 60.0 < found.full < 150.0
    feet = [seated.patches.index(n) for n in seated.robot.soles]
    planned = seated.table.wrench[:, feet, 5] * seated.robot.weight
    assert (planned >= found.full - 1e-9).all()


@pytest.mark.slow
def test_a_seated_drummer_does_not_lose_its_heading(built):
    """Feet that were doubted let it walk, and hits were 10 mm from their place."""
    hits = run_metrics(play(built, "outstanding", joint_friction=0.03))["hits"]
    assert hits["made"] == hits["planned"] == 76
    assert hits["extra"] == 0
    assert hits["position_max_mm"] < 7.0


@pytest.mark.slow
@pytest.mark.parametrize("friction", [0.0, 0.03])
@pytest.mark.parametrize(
    "name", ["stand", "groove", "outstanding-standing", "march", "walk-2"]
)
def test_nothing_falls(built, name, friction):
    metrics = run_metrics(play(built, name, joint_friction=friction))
    assert metrics["fell"] is False
    assert metrics["com_error_mm"]["rms"] < 10.0
    assert metrics["tick_failures"] == metrics["plan_failures"] == 0
    if metrics["hits"]:
        assert metrics["hits"]["made"] == metrics["hits"]["planned"]


@pytest.mark.slow
def test_sticks_leave_the_drums_in_spite_of_friction(built):
    """Where a stick bounces, friction turns too; a late servo holds the stick down."""
    settings = {"duration": 12.0, "joint_friction": 0.03}
    hits = run_metrics(play(built, "outstanding-standing", **settings))["hits"]
    assert hits["made"] == hits["planned"] > 20
    assert hits["extra"] == 0
    assert hits["timing_mean_ms"] < 1.0


def test_feet_that_slide_or_tip_do_not_mislead_the_estimate(built):
    """A push beyond what friction can hold: the IMU knows, and the feet are doubted."""
    behavior = built("stand")
    push = Push(0.2, 0.1, [230.0, 0.0, 0.0])
    scenario = Scenario.of(
        behavior="stand",
        lead_in=0.3,
        duration=0.6,
        pushes=[push],
        state="estimated",
        actuator_lag=0.005,
    )
    run = run_scenario(scenario, behavior)
    robot = behavior.robot_model
    nq = robot.num_positions
    foot = [Configuration(robot, x[:nq]).pose("l_foot").translation() for x in run.x]
    assert np.hypot(*np.ptp(np.array(foot)[run.t < 0.31, :2], axis=0)) > 0.01
    linear = slice(nq + 3, nq + 6)
    error = run.sensed[:, linear] - run.x[:, linear]
    assert np.sqrt((error**2).sum(1).mean()) < 0.1
    assert np.abs(run.sensed[:, 4:7] - run.x[:, 4:7]).max() < 0.02
