"""Steps and jumps in closed loop: nobody falls, and feet land where they shall."""

import numpy as np
import pytest

from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario
from tests.behaviors.drake_robot import DrakeRobot
from tests.mpc.recovered import recovered
from tests.tolerances import FOLLOWED

NAMES = (
    *(
        "march",
        "walk-2",
        "walk-6",
        "heel-to-toe",
        "side-step",
        "step-touch",
        "quarter-turn",
    ),
    *("one-leg-balance", "squat-jump", "forward-jump", "kick", "toe-tap"),
    *("deep-squat", "bow", "floor-reach"),
)


def feet(robot, q):
    """(2, 3) places of the feet [m]."""
    drake = DrakeRobot(robot)
    drake.set(q, np.zeros(robot.num_velocities))
    return np.array([drake.pose(f).translation() for f in ("l_foot", "r_foot")])


@pytest.fixture(scope="module")
def walk(built):
    """Two steps, from start to end, on sensors and late motors."""
    scenario = Scenario.of(behavior="walk-2", state="estimated", actuator_lag=0.005)
    return run_scenario(scenario, built("walk-2"))


def test_two_steps_are_walked(walk):
    metrics = run_metrics(walk)
    assert metrics["fell"] is False
    assert metrics["com_error_mm"]["rms"] < 5.0
    error = metrics["estimate_error"]
    assert error["velocity"]["rms"] < 6.5
    assert error["tilt"]["rms"] < 2.5
    assert metrics["tick_failures"] == metrics["plan_failures"] == 0
    assert metrics["torque_peak_fraction"] < 1.0


def test_feet_are_where_they_were_planned_at_the_end(walk):
    robot, motion = walk.behavior.robot_model, walk.behavior.motion
    end = feet(robot, walk.x[-1, : robot.num_positions])
    np.testing.assert_allclose(end, feet(robot, motion.q[-1]), atol=FOLLOWED)
    start = feet(robot, walk.x[0, : robot.num_positions])
    np.testing.assert_allclose((end - start)[:, 0], 0.2, atol=FOLLOWED)


def test_the_foot_that_swings_carries_nothing(walk):
    """Each foot in turn, in the middle of its swing; the other carries all."""
    robot = walk.behavior.robot_model
    names = [name for name, c in robot.contacts.items() if not c.is_point]
    for time, swings, stands in (
        (0.95, "l_foot", "r_foot"),
        (1.95, "r_foot", "l_foot"),
    ):
        i = int(np.argmin(np.abs(walk.t - time)))
        force = walk.contact[i, :, 5]
        assert abs(force[names.index(swings)]) < 1e-6
        assert force[names.index(stands)] > 0.5 * robot.weight


@pytest.mark.parametrize(
    ("time", "impulse"),
    [
        (1.215, [-38.8, 9.9, 0.0]),
        pytest.param(1.292, [-36.5, 16.3, 0.0], marks=pytest.mark.slow),
        pytest.param(1.0, [0.0, 40.0, 0.0], marks=pytest.mark.slow),
    ],
)
def test_who_is_pushed_in_a_jump_lands(built, time, impulse):
    behavior, push = built("squat-jump"), Push(time, 0.1, impulse, "pelvis")
    scenario = Scenario.of(
        behavior="squat-jump",
        pushes=[push],
        lead_out=1.4,
        state="estimated",
        actuator_lag=0.005,
    )
    assert recovered(run_scenario(scenario, behavior))


@pytest.mark.slow
@pytest.mark.parametrize("contact_model", ["lagged", "sap"])
@pytest.mark.parametrize("name", NAMES)
def test_nobody_falls(built, name, contact_model):
    scenario = Scenario.of(behavior=name, contact_model=contact_model)
    run = run_scenario(scenario, built(name))
    metrics = run_metrics(run)
    assert metrics["fell"] is False
    assert metrics["duration_s"] == pytest.approx(built(name).duration)
    robot = run.behavior.robot_model
    end = feet(robot, run.x[-1, : robot.num_positions])
    planned = feet(robot, run.behavior.motion.q[-1])
    np.testing.assert_allclose(end, planned, atol=10 * FOLLOWED)
