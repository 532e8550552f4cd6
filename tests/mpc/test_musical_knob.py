"""The musical knob: a dancer that is pushed, at both ends and at its own setting."""

import numpy as np
import pytest

from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario

PUSHED_AT = 10  # beats


def pushed(behavior, direction, priority=None):
    """A run with 70 N s at the pelvis on a beat."""
    impulse = [70.0 * x for x in direction]
    time = PUSHED_AT * 60 / behavior.bpm
    scenario = Scenario.of(
        behavior=behavior.name,
        lead_in=0.3,
        duration=time + 4.2,
        beat_priority=priority,
        pushes=[Push(time, 0.1, impulse)],
    )
    return run_scenario(scenario, behavior)


def off_the_beat(run, beats):
    """Time minus phase [s] so many beats after the push."""
    start, bpm = run.scenario.timing.lead_in, run.behavior.bpm
    t = np.array([p.time - start for p in run.plans])
    late = t - [p.phase for p in run.plans]
    return np.interp((PUSHED_AT + np.asarray(beats)) * 60 / bpm, t, late)


@pytest.mark.slow
@pytest.mark.parametrize("direction", [(1.0, 0, 0), (-1.0, 0, 0), (0, 1.0, 0)])
def test_a_dancer_is_on_the_beat_again_within_two_beats(built, direction):
    run = pushed(built("groove"), direction)
    (push,) = run_metrics(run)["pushes"]
    assert push["survived"]
    assert np.abs(off_the_beat(run, [2, 3, 4])).max() < 0.020


@pytest.mark.slow
def test_one_end_holds_the_beat_and_the_other_lets_it_go(built):
    """Both are survived; balance first takes more than 20 ms of time for it."""
    for priority in (0.0, 1.0):
        run = pushed(built("groove"), (1.0, 0, 0), priority)
        (push,) = run_metrics(run)["pushes"]
        assert push["survived"]
        late = np.abs(off_the_beat(run, np.linspace(0.0, 4.0, 20))).max()
        assert late == pytest.approx(0.0, abs=1e-9) if priority else late > 0.020
