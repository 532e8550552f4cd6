"""Feet play pedals in closed loop, on sensors with noise and delay."""

import numpy as np
import pytest

from backbeat.behaviors.drumming.specification import DrummingSpecification
from backbeat.behaviors.solving.solved_behavior import describe, make_behavior
from backbeat.mpc.analysis.drumming.hits import run_hits
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.runs.table import run_frame
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario
from backbeat.mpc.world.sensing import start_uncertainty
from backbeat.optimization.interior_point.solver import InteriorPoint
from backbeat.optimization.transcription.transcribe import Transcription

HOLD = "{hold: 2, rest: {left: snare, right: floor_tom}}"
SCORE = f"""\
bpm: 98
parts:
  - {HOLD}
  - {{tab: "BD|o-oo----|\\nHF|--x-----|"}}
  - {HOLD}
"""


@pytest.fixture(scope="module")
def feet(tmp_path_factory):
    """Four strokes of two feet while the hands rest, nearly a second and a half."""
    folder = tmp_path_factory.mktemp("feet")
    (folder / "scores").mkdir()
    (folder / "scores" / "feet.yaml").write_text(SCORE)
    song = DrummingSpecification(
        name="feet", score="feet", kit="full-kit", seat="chair", beat_priority=0.9
    )
    plan = song.plan(folder)
    solution = InteriorPoint(Transcription(plan.problem)).solve()
    return make_behavior("feet", plan, solution, **describe(song, plan, ""))


@pytest.fixture(scope="module")
def run(feet):
    scenario = Scenario.of(
        behavior="feet", lead_in=0.3, duration=2.4, state="estimated", seed=3
    )
    return run_scenario(scenario, feet)


def test_every_stroke_of_a_foot_is_a_hit_in_time(run):
    report = run_hits(run)
    found = report.metrics()
    assert (found["planned"], found["missed"], found["extra"]) == (4, 0, 0)
    assert found["timing_max_ms"] < 5.0
    assert found["timing_mean_ms"] < 1.5
    assert set(report.table["tip"]) == {"kick_beater", "pedal_hi_hat_beater"}
    # As fast as the score asks for: 1.5 m/s and some, for a plain stroke.
    assert report.table["speed"].between(1.0, 2.0).all()
    assert report.table["peak_force"].min() > 50.0


def test_heels_stay_on_the_floor_and_the_robot_on_its_chair(run):
    metrics = run_metrics(run)
    assert not metrics["fell"]
    assert metrics["torque_peak_fraction"] < 0.9
    robot, samples = run.behavior.robot_model, run_frame(run)
    for sole in robot.soles:
        force = samples[f"{sole}.fz"].to_numpy()[10:]
        assert force.min() > 20.0
        assert np.mean(force) < 0.3 * robot.weight


def test_who_has_no_foot_flat_knows_from_the_seat_what_is_level(feet, built):
    usual = start_uncertainty(Reference(built("outstanding"))).tilt
    assert start_uncertainty(Reference(feet)).tilt < usual


@pytest.mark.slow
def test_a_song_for_the_full_kit_is_played_whole(built):
    """25 s at 98 BPM with hands and feet, on sensors: every hit, and none besides."""
    behavior = built("full-kit")
    assert behavior.duration == pytest.approx(25.1, abs=0.1)
    scenario = Scenario.of(behavior="full-kit", state="estimated", seed=1)
    run = run_scenario(scenario, behavior)
    found = run_hits(run).metrics()
    assert (found["planned"], found["missed"], found["extra"]) == (95, 0, 0)
    assert found["timing_mean_ms"] <= 1.0
    assert found["timing_sd_ms"] <= 1.0
    assert found["timing_max_ms"] <= 5.0
    assert not run_metrics(run)["fell"]
