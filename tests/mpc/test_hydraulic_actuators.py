"""Electro-hydraulic motors under the controllers."""

import numpy as np
import pytest

from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario

BEHAVIORS = ("stand", "outstanding-standing", "groove", "march", "walk-6")


def test_hydraulic_sets_what_is_not_set():
    scenario = Scenario.of("stand", actuators="hydraulic", actuator_lag=0.01).check()
    found = scenario.actuation
    assert (found.actuator_lag, found.actuator_rise) == (0.01, 0.02)
    assert found.joint_friction == 0.03
    assert Scenario.of("stand").check().actuation.actuator_rise == 0.0


def test_an_unknown_kind_of_actuators_is_a_sentence():
    with pytest.raises(
        BackbeatError, match=r"unknown actuators .*'hydralic'; did you mean hydraulic"
    ):
        Scenario.of("stand", actuators="hydralic").check()
    with pytest.raises(BackbeatError, match="actuator_rise is -1"):
        Scenario.of("stand", actuator_rise=-1).check()


def test_the_safety_law_wants_safety_controllers(built):
    """Atlas's description has none."""
    scenario = Scenario.of("stand", safety_law=True, duration=0.1)
    with pytest.raises(BackbeatError, match=r"no moving joint .* <safety_controller>"):
        run_scenario(scenario, built("stand"))


def test_efforts_of_a_run_rise_no_faster_than_motors_can(built):
    behavior, most = built("stand"), []
    # A push makes the controllers ask for more than that.
    push = Push(0.05, 0.05, [30.0, 20.0, 0.0])
    for rise in (0.0, 0.5):
        scenario = Scenario.of(
            "stand", duration=0.2, lead_in=0.1, lead_out=0.0, pushes=[push]
        )
        run = run_scenario(scenario.changed(actuator_rise=rise), behavior)
        effort, limits = run.effort, behavior.robot_model.effort_limits
        rates = np.abs(np.diff(effort, axis=0)) / np.diff(run.t)[:, None]
        most.append((rates / limits).max())
    # Between two samples of the log are five steps of the motors, or six.
    assert most[1] <= 6 / 5 / 0.5 * (1 + 1e-9)
    assert most[0] > 2 * most[1]


@pytest.mark.slow
@pytest.mark.parametrize("name", BEHAVIORS)
def test_the_reference_behaviors_survive(built, name):
    scenario = Scenario.of(name, state="estimated", actuators="hydraulic")
    metrics = run_metrics(run_scenario(scenario, built(name)))
    assert not metrics["fell"]
    assert metrics["survived"]
    if metrics["hits"]:
        assert metrics["hits"]["missed"] == 0
