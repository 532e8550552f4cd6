"""Strokes: louder is faster and higher; heights and speeds belong together."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydrake.math import RigidTransform

from backbeat.behaviors.drumming.strokes import (
    PLAIN,
    PlannedHit,
    Stroke,
    loudness,
    planned_rebound,
    strike,
)
from backbeat.behaviors.motion.knot_grid import KnotGrid
from backbeat.behaviors.music.notation.score import Hit
from backbeat.behaviors.music.notation.tempo import Tempo
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.schema import check_values

STROKE = Stroke()


@given(soft=st.integers(1, 127), loud=st.integers(1, 127))
def test_a_louder_hit_is_faster(soft, loud):
    speeds = STROKE.strike_speed(soft), STROKE.strike_speed(loud)
    assert (speeds[0] < speeds[1]) == (soft < loud)
    # Fast enough that an error of a millimeter is no more than 2 ms.
    assert min(speeds) > 0.5


def test_a_plain_hit_has_the_stated_speed():
    assert STROKE.strike_speed(PLAIN) == STROKE.speed
    assert loudness(PLAIN) == 1.0


@given(velocity=st.integers(1, 127))
def test_the_fall_is_a_parabola_from_the_apex_that_hits_with_its_speed(velocity):
    e, speed = 1e-6, STROKE.strike_speed(velocity)
    top = STROKE.fall_time
    at_head = (STROKE.falling(velocity, e) - STROKE.falling(velocity, 0.0)) / e
    assert at_head == pytest.approx(speed, rel=1e-4)
    assert STROKE.falling(velocity, top) == pytest.approx(
        STROKE.apex * loudness(velocity)
    )
    beside = [STROKE.falling(velocity, top + d) for d in (-0.01, 0.01)]
    assert max(beside) < STROKE.falling(velocity, top)


@given(st.integers(1, 127), st.floats(0.05, 0.3), st.floats(0.3, 0.6))
def test_the_rise_starts_as_the_head_throws_the_stick_back(velocity, rise, rebound):
    t = np.linspace(0.0, rise, 50)
    z = np.array([STROKE.rising((velocity, PLAIN), s, rise, rebound) for s in t])
    assert z[0] == 0.0
    assert (np.diff(z) > 0).all()
    share = z[1] / t[1] / STROKE.strike_speed(velocity)
    assert 0.9 * rebound < share < 1.3 * rebound


@given(st.integers(1, 127), st.floats(0.1, 0.25))
def test_a_stick_rises_to_the_height_from_which_the_next_hit_falls(velocity, rebound):
    """Louder ones start higher; after a soft hit, none comes back to that."""
    top = STROKE.fall_time
    assert STROKE.rising((1, velocity), top, top, rebound) == pytest.approx(
        STROKE.falling(velocity, top)
    )


def test_a_stick_is_planned_to_leave_faster_than_its_head_throws_it():
    """Or the tip would touch twice; livelier heads are left faster, up to a bound."""
    shares = np.linspace(0.1, 0.38, 15)
    planned = [planned_rebound(e) for e in shares]
    assert (planned > shares).all()
    assert (np.diff(planned) > 0).all()
    assert planned_rebound(0.9) < 0.7


@pytest.mark.parametrize("wrong", [{"apex": 2.0}, {"speed": 9.0}, {"slope": np.nan}])
def test_strokes_that_nobody_plays_are_refused(wrong):
    with pytest.raises(
        BackbeatError, match=r"song: (apex|speed|slope) is .*; it must be from"
    ):
        check_values(Stroke(**wrong), "song")


@pytest.mark.parametrize("velocity", [50, 90, 115])
@pytest.mark.parametrize("step", [0.008, 0.015, 0.03, 0.05])
def test_a_tip_is_never_lower_than_its_fall_however_close_knots_are(velocity, step):
    """A bound at the start of the approach alone would let it come in slowly."""
    hit, tempo = Hit(2.0, "snare", "left", velocity), Tempo(60)
    grid = KnotGrid(tempo, 4.0, [2.0], [(2.0 - 6 * step, 2.0), (2.0, 2.0 + 6 * step)])
    planned = PlannedHit(
        hit, (0.4, 0.4), "l_stick_tip", RigidTransform(), 0.5, STROKE, grid
    )
    bounds = {
        int(k): (task.lower, task.upper)
        for task in strike(planned)
        if task.frame == "l_stick_tip" and task.axes == "z"
        for k in task.knots
    }
    last = planned.beside[0]
    assert sorted(bounds) == list(range(last, planned.knot))
    lowest = [np.min(bounds[k][0]) for k in sorted(bounds)] + [0.0]
    times = grid.times[last : planned.knot + 1]
    speeds = -np.diff(lowest) / np.diff(times)
    assert speeds.min() > 0.7 * STROKE.strike_speed(velocity)
