"""A run of the drummer, as its joint velocities tell it."""

import numpy as np
import pytest

from backbeat.behaviors.music.notation.score import HANDS
from backbeat.mpc.analysis.drumming.onsets import (
    fit_tempo,
    matched,
    spikes_per_minute,
    velocity_spikes,
)
from backbeat.mpc.analysis.drumming.performance import (
    drummer_motion,
    find_holds,
    strokes,
)
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.runs.file import run_frame, run_story
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario


@pytest.mark.slow
def test_25_seconds_of_outstanding_say_98_beats_a_minute(built):
    behavior = built("outstanding")
    run = run_scenario(Scenario.of(behavior=behavior.name, duration=25.0), behavior)
    samples, story = run_frame(run), run_story(run, run_metrics(run))
    motion = drummer_motion(samples)
    made = strokes(motion, story)
    for hand in HANDS:
        arm = run.behavior.robot_model.roles.names(f"{hand} arm")
        spikes = velocity_spikes(samples, arm)
        assert spikes_per_minute(spikes) == pytest.approx(98.0, abs=1.0)
        assert fit_tempo(spikes).bpm == pytest.approx(98.0, abs=0.2)
        contacts = made.loc[made["hand"] == hand, "time"].to_numpy()
        assert np.isfinite(matched(spikes, contacts, 0.03)).mean() > 0.95
    # The holds of the score, found without it.
    rests = [e for e in behavior.events if e.kind == "segment"]
    ended = [e for e in rests if e.time + e.duration < 24.0]
    holds = find_holds(motion, story)
    np.testing.assert_allclose(holds["start"], [e.time for e in ended], atol=0.1)
    ends = [e.time + e.duration for e in ended]
    np.testing.assert_allclose(holds["end"], ends, atol=0.1)
    assert (holds[["left", "right"]] > 1.0).all(axis=None)
