"""Shows in closed loop: nobody falls where one behavior goes over into the next."""

import numpy as np
import pytest

from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.store import Library
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.predictive.program import PredictiveProgram
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario
from tests.behaviors.short_show import write_files
from tests.mpc.test_footsteps_tracked import feet
from tests.tolerances import FOLLOWED, INTERPOLATION


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("setlists")
    write_files(folder)
    return folder


@pytest.fixture(scope="module")
def tiny(files):
    """Turns, stops in the middle of a step, and bends its knees."""
    return build(files / "tiny.yaml", Library(files / "library"))


def check_run(show, contact_model):
    """Tracks a show and returns its metrics."""
    scenario = Scenario.of(
        behavior=show.name, contact_model=contact_model, lead_in=0.2, lead_out=0.2
    )
    run = run_scenario(scenario, show)
    metrics = run_metrics(run)
    assert metrics["fell"] is False
    assert metrics["duration_s"] == pytest.approx(show.duration)
    assert metrics["tick_failures"] == metrics["plan_failures"] == 0
    assert metrics["com_error_mm"]["rms"] <= 5.0
    robot = show.robot_model
    end = feet(robot, run.x[-1, : robot.num_positions])
    planned = feet(robot, show.motion.q[-1])
    np.testing.assert_allclose(end, planned, atol=FOLLOWED)
    return metrics


def test_the_horizon_reaches_into_the_next_behavior(tiny):
    """From half a second before the end of the turn, it sees the way and the bend."""
    reference = Reference(tiny)
    turn = next(e for e in tiny.events if e.what == "turn")
    plan = PredictiveProgram(reference).rest(0.0, turn.duration - 0.5)
    beyond = plan.phases > turn.duration
    assert beyond.sum() > 10
    for axis in range(3):
        com = np.interp(plan.phases, tiny.motion.t, tiny.com[:, axis])
        np.testing.assert_allclose(plan.com[:, axis], com, atol=INTERPOLATION)


def test_a_tiny_show_is_tracked(tiny):
    assert check_run(tiny, "lagged")["com_error_mm"]["max"] <= 20.0


@pytest.mark.slow
@pytest.mark.parametrize("contact_model", ["lagged", "sap"])
def test_a_short_show_with_drums_is_tracked(files, contact_model):
    show = build(files / "short.yaml", Library(files / "library"))
    hits = check_run(show, contact_model)["hits"]
    assert (hits["planned"], hits["made"], hits["extra"]) == (2, 2, 0)


@pytest.mark.slow
@pytest.mark.parametrize("contact_model", ["lagged", "sap"])
def test_the_show_is_played(built, contact_model):
    """Two minutes: walks in, drums, dances, jumps, bows."""
    show = built("show")
    assert 110 <= show.duration <= 130
    metrics = check_run(show, contact_model)
    hits = metrics["hits"]
    assert hits["made"] == hits["planned"] == len(show.strikes())
    assert hits["extra"] == 0
    assert hits["timing_max_ms"] <= 5.0
    assert metrics["beat_error_ms"]["max"] <= 20.0
