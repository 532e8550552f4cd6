"""Electro-hydraulic motors under the controllers."""

import numpy as np
import pytest

from models.errors import BackbeatError
from mpc.simulation.run import run_scenario
from mpc.simulation.scenario import Scenario

BEHAVIORS = ("stand", "outstanding-standing", "groove", "march", "walk-6")


def test_hydraulic_sets_what_is_not_set():
    scenario = Scenario("stand", actuators="hydraulic", actuator_lag=0.01).check()
    assert (scenario.actuator_lag, scenario.actuator_rise) == (0.01, 0.02)
    assert scenario.joint_friction == 0.03
    assert Scenario("stand").check().actuator_rise == 0.0


def test_an_unknown_kind_of_actuators_is_a_sentence():
    with pytest.raises(BackbeatError, match="unknown kind of actuators 'hydralic'"):
        Scenario("stand", actuators="hydralic").check()
    with pytest.raises(BackbeatError, match="actuator_rise is -1"):
        Scenario("stand", actuator_rise=-1).check()


def test_efforts_of_a_run_rise_no_faster_than_motors_can(built):
    """A push makes the controllers ask for more than that."""
    behavior, most = built("groove"), []
    for rise in (0.0, 0.1):
        scenario = Scenario("groove", duration=0.6, lead_in=0.1, actuator_rise=rise)
        run = run_scenario(scenario, behavior)
        effort, limits = run.logs["effort"], behavior.robot_model.effort_limits
        rates = np.abs(np.diff(effort.values, axis=0)) / np.diff(effort.times)[:, None]
        most.append((rates / limits).max())
    assert most[1] <= 1 / 0.1 * (1 + 1e-9)
    assert most[0] > most[1]


@pytest.mark.slow
@pytest.mark.parametrize("name", BEHAVIORS)
def test_the_reference_behaviors_survive(built, name):
    scenario = Scenario(name, state="estimated", actuators="hydraulic")
    metrics = run_scenario(scenario, built(name)).metrics()
    assert not metrics["fell"]
    assert metrics["survived"]
    if metrics["hits"]:
        assert metrics["hits"]["missed"] == 0
