import numpy as np
import pytest

from backbeat.mpc.scenario.specification import Scenario
from backbeat.stage.live.history import SimulationHistory
from backbeat.stage.live.services import SimulationServices
from backbeat.stage.live.simulation import LiveSimulation
from backbeat.stage.sources.kinds import PlannedSource
from tests.backbeat.performances import swaying


@pytest.fixture(scope="module")
def simulation():
    scenario = Scenario.of(behavior="sway", lead_in=0.1, duration=0.3, lead_out=0.0)
    return LiveSimulation(swaying(duration=1.0), scenario)


def test_a_live_simulation_shows_the_present(simulation):
    simulation.restart()
    assert simulation.time == pytest.approx(-0.1)
    simulation.advance(0.15)
    assert simulation.time == pytest.approx(0.05)
    frame = simulation.now()
    assert frame.time == simulation.time
    total = sum(contact.force for contact in frame.forces.values())
    weight = simulation.behavior.robot_model.weight
    assert total[2] == pytest.approx(weight, rel=0.2)
    np.testing.assert_allclose(frame.ghost[4:7], frame.state.q[4:7], atol=0.02)
    assert len(frame.prediction.com) > 0
    assert not simulation.is_over


def test_a_live_simulation_stops_at_its_end_and_can_begin_again(simulation):
    simulation.restart()
    simulation.advance(5.0)
    assert simulation.time == pytest.approx(0.3)
    assert simulation.is_over
    simulation.restart()
    assert simulation.time == pytest.approx(-0.1)
    assert not simulation.is_over


def test_costs_of_the_plan_add_up_and_looking_changes_nothing():
    """They are what the plan's objective is made of, solved by a program of its own."""
    scenario = Scenario.of(behavior="sway", lead_in=0.1, duration=0.6, lead_out=0.0)
    states = []
    for is_watched in (True, False):
        live = LiveSimulation(swaying(duration=1.0), scenario)
        history = SimulationHistory(live)
        costs = SimulationServices(lambda of=history: of).costs
        assert costs(b"") == {}
        live.push([20.0, 0.0, 0.0])
        for _ in range(15):
            live.advance(0.02)
            if not is_watched:
                continue
            told, plan = costs(b""), live.latest_plans()[-1]
            assert told["time"] == pytest.approx(plan.time - 0.1)
            total = sum(told["costs"].values())
            assert total == pytest.approx(plan.objective, rel=1e-2, abs=1e-12)
        states.append(live.now().state.q.copy())
        live.close()
    assert told["costs"]["velocity"] > 0
    assert states[0].tobytes() == states[1].tobytes()
    planned = PlannedSource(swaying(duration=1.0))
    assert SimulationServices(lambda: planned).costs(b"") == {}
