"""The G1 at its kit, in closed loop: every hit of a short score, and none besides."""

import pytest

from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.specification.kinds import Variant
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.disturbances.model_mismatch import model_mismatch
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario

SCORE = """\
bpm: 98
beats_per_bar: 4
steps_per_beat: 2
parts:
  - {name: ready, hold: 2, rest: {left: snare, right: floor_tom}}
  - name: verse
    left:  "- 1 - 3 - 1 - 3"
    right: "7 - 7 - 7 - 6 -"
  - {name: rest, hold: 2, rest: {left: snare, right: floor_tom}}
"""
SENSORS = {"state": "estimated", "actuator_lag": 0.002, "seed": 1}


@pytest.fixture(scope="module")
def drummed(tmp_path_factory):
    """A bar of two hands on four members, as it is written for any robot."""
    folder = tmp_path_factory.mktemp("short")
    (folder / "scores").mkdir()
    (folder / "scores" / "short.yaml").write_text(SCORE)
    path = folder / "short.yaml"
    path.write_text("kind: drumming\nname: short\nscore: short\nseat: none\n")
    return build(path, Library(folder / "library"), variant=Variant(robot="g1"))


@pytest.mark.parametrize(
    ("state", "most"),
    [({}, 2.0), pytest.param(SENSORS, 5.0, marks=pytest.mark.slow)],
    ids=["true", "sensors"],
)
def test_all_hits_are_made_on_time_and_none_besides(drummed, state, most):
    metrics = run_metrics(run_scenario(Scenario.of(drummed.name, **state), drummed))
    hits = metrics["hits"]
    assert metrics["survived"]
    assert (hits["planned"], hits["made"], hits["extra"]) == (8, 8, 0)
    assert hits["timing_mean_ms"] < 1.0
    assert hits["timing_max_ms"] < most
    # It struck, and did not press.
    assert hits["speed_min_m_s"] > 0.5


@pytest.mark.slow
@pytest.mark.parametrize("name", ["outstanding-standing", "outstanding"])
def test_the_whole_score_is_played_standing_and_seated(name, tmp_path):
    behavior = build(name, Library(tmp_path), variant=Variant(robot="g1"))
    masses = model_mismatch(mass_spread=0.1)
    scenario = Scenario.of(behavior.name, world=masses, **SENSORS)
    metrics = run_metrics(run_scenario(scenario, behavior))
    hits = metrics["hits"]
    assert metrics["survived"]
    assert (hits["planned"], hits["made"], hits["extra"]) == (76, 76, 0)
    assert hits["timing_mean_ms"] <= 1.5
    assert hits["timing_sd_ms"] <= 1.5
    assert hits["timing_max_ms"] <= 5.0
