"""Knots that follow music: on every beat that matters, never too far apart."""

import itertools

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from backbeat.behaviors.motion.knot_grid import (
    FINER,
    GROWTH,
    MOST_GROWTH,
    SPACING,
    SPAN_KNOTS,
    TOGETHER,
    KnotGrid,
)
from backbeat.behaviors.music.notation.tempo import Tempo

LENGTH = 16.0

beats = st.lists(
    st.floats(0.5, LENGTH - 0.5).map(lambda b: round(b, 3)), min_size=1, max_size=24
)


@given(beats=beats, bpm=st.integers(40, 220))
def test_every_beat_has_a_knot_at_its_time(beats, bpm):
    tempo = Tempo(bpm)
    grid = KnotGrid(tempo, LENGTH, beats)
    assert grid.times[0] == 0.0
    assert grid.times[-1] == tempo.time(LENGTH)
    gaps = np.diff(np.unique([0.0, *map(tempo.time, beats), grid.times[-1]]))
    for beat in beats:
        off = abs(grid.times[grid.knot(beat)] - tempo.time(beat))
        # Beats that are nearly one share a knot; all others are on theirs to the bit.
        assert off == 0.0 or (off < TOGETHER and gaps.min() < TOGETHER)


@given(beats=beats, bpm=st.integers(40, 220))
@example(beats=[13.375, 13.906], bpm=153)
def test_knots_are_near_each_other_and_change_their_distance_slowly(beats, bpm):
    tempo = Tempo(bpm)
    grid = KnotGrid(tempo, LENGTH, beats)
    h = np.diff(grid.times)
    assert h.min() > 0
    assert h.max() <= 1.1 * SPACING
    ends = [0.0, *sorted(map(tempo.time, beats)), grid.times[-1]]
    if np.diff(ends).min() > SPAN_KNOTS * SPACING:
        assert (h[1:] / h[:-1]).max() < GROWTH * (1 + 1 / SPAN_KNOTS)


@pytest.mark.parametrize("bpm", [60, 98, 160, 240])
def test_a_short_way_has_its_knots(bpm):
    tempo = Tempo(bpm)
    stops = np.arange(4.0, 8.1, 0.5)
    spans = list(itertools.pairwise(stops))
    grid = KnotGrid(tempo, LENGTH, stops, spans)
    for a, b in spans:
        knots = grid.within(tempo.time(a), tempo.time(b))
        assert len(knots) >= SPAN_KNOTS + 1


@pytest.mark.parametrize("swing", [0.5, 0.58, 0.68])
@pytest.mark.parametrize("bpm", [65, 111, 149])
def test_knots_are_as_far_apart_before_a_stop_as_after_it(bpm, swing):
    tempo = Tempo(bpm)
    whole = np.arange(2.0, 8.0)
    stops = np.sort(np.r_[whole, whole + swing])
    spans = [*itertools.pairwise(stops[::2]), *itertools.pairwise(stops[1::2])]
    grid = KnotGrid(tempo, LENGTH, stops, spans)
    h = np.diff(grid.times)
    knots = np.array([grid.knot(stop) for stop in stops])
    assert np.abs(h[knots] / h[knots - 1] - 1).max() < 0.01
    assert max((h[1:] / h[:-1]).max(), (h[:-1] / h[1:]).max()) < MOST_GROWTH


def test_knots_get_closer_where_they_have_to():
    tempo, stops = Tempo(120), np.arange(4.0, 8.1, 0.5)
    spans = list(itertools.pairwise(stops))

    def knots(*finer):
        grid = KnotGrid(tempo, LENGTH, stops, spans, finer)
        return [len(grid.within(tempo.time(a), tempo.time(b))) for a, b in spans]

    usual, once, twice = knots(), knots({6.2}), knots({6.2}, {6.3})
    assert usual[4] < once[4] < twice[4]
    assert once[4] >= usual[4] / FINER - 1
    # Only those beside it follow, for knots do not change their distance at once.
    assert once[0] == usual[0]


def test_neighbors_are_found_by_time():
    grid = KnotGrid(Tempo(100), 8.0, [4.0])
    k = grid.knot(4.0)
    assert grid.times[grid.before(k, 0.06)] <= grid.times[k] - 0.06
    assert grid.times[grid.before(k, 0.06) + 1] > grid.times[k] - 0.06
    assert grid.times[grid.after(k, 0.06)] >= grid.times[k] + 0.06
    assert grid.before(0, 1.0) == 0
    assert grid.after(len(grid.times) - 1, 1.0) == len(grid.times) - 1
