"""Horizons: their knots are on every switch of contacts, also between close ones."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from backbeat.mpc.horizon.phase_grid import PhaseGrid
from backbeat.mpc.plans.stepping import AddedStep

SPACING = 0.05


@given(
    start=st.floats(0.1, 3.0),
    stance=st.floats(0.02, 0.4),
    swing=st.floats(0.1, 0.5),
    now=st.floats(0.0, 0.5),
)
def test_added_steps_have_knots_at_lift_off_and_touchdown(
    groove, start, stance, swing, now
):
    steps = (
        AddedStep(0, start, start + swing),
        AddedStep(1, start + swing + stance, start + 2 * swing + stance),
    )
    s = max(0.0, start - now)
    phases = PhaseGrid(groove, SPACING).phases(s, 40, steps)
    assert len(phases) == 41
    assert phases[0] == s
    intervals = np.diff(phases)
    assert intervals.min() > 0
    assert intervals.max() < 2 * SPACING
    for step in steps:
        for switch in (step.start, step.end):
            if s + 0.1 * SPACING < switch < phases[-1]:
                assert np.abs(phases - switch).min() < 1e-9
