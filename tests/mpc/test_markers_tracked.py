"""What belongs on the beat is on it in closed loop too, on sensors and motors."""

from pathlib import Path

import pytest

from backbeat.behaviors.building.build import Reports, solve
from backbeat.behaviors.dance.authoring import Choreography
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario
from tests.tolerances import MARKER_DEVIATION, MARKER_MEAN


@pytest.mark.slow
def test_moves_are_on_the_beat_in_closed_loop():
    dance = Choreography("mine", beats=23)
    dance.legs("bounce", 2, beats=6).legs("march", 10, beats=4).legs("squat", 15)
    dance.arms("wave", 2, beats=6).arms("raise", 15, beats=6).body("twist", 2, beats=8)
    dance.head("nod", 2, beats=6)
    quiet = Reports(lambda share, what: None, lambda entry: None)
    behavior = solve(dance.dance, dance.text(), Path(), "", quiet)
    scenario = Scenario.of(behavior="mine", state="estimated", actuator_lag=0.005)
    metrics = run_metrics(run_scenario(scenario, behavior))
    assert metrics["survived"]
    figures = {f["move"]: f for f in metrics["markers"]}
    assert len(figures) == 7
    for f in figures.values():
        assert f["missing"] == 0
        assert abs(f["mean_ms"]) <= 1e3 * MARKER_MEAN
        assert f["sd_ms"] <= 1e3 * MARKER_DEVIATION
