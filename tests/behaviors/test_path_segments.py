"""Hold and Goto from the events of a motion."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backbeat.behaviors.kinematic.path_segments import path_segments
from backbeat.behaviors.library.behavior import Event


def words(found):
    return [(s.part, s.kind, s.start, s.end, s.where) for s in found]


def test_a_posture_tour_goes_to_its_stations_and_holds_them():
    events = (
        Event(1.5, "segment", "crouch", duration=0.5),
        Event(3.0, "segment", "stand", duration=1.0),
    )
    assert words(path_segments("posture", events, 4.0)) == [
        ("", "Goto", 0.0, 1.5, "crouch"),
        ("", "Hold", 1.5, 2.0, "crouch"),
        ("", "Goto", 2.0, 3.0, "stand"),
        ("", "Hold", 3.0, 4.0, "stand"),
    ]
    assert path_segments("dance", events, 4.0) == []


def test_a_hand_goes_from_hit_to_hit_and_stays_where_it_was_last():
    events = (
        Event(0.0, "rest", "floor_tom", "r_stick_tip", duration=1.0),
        Event(2.0, "strike", "ride", "r_stick_tip", 90),
        Event(2.5, "strike", "ride", "r_stick_tip", 90),
    )
    assert words(path_segments("drumming", events, 3.0)) == [
        ("right", "Hold", 0.0, 1.0, "floor tom"),
        ("right", "Goto", 1.0, 2.0, "ride"),
        ("right", "Goto", 2.0, 2.5, "ride"),
        ("right", "Hold", 2.5, 3.0, "ride"),
    ]


times = st.lists(
    st.tuples(st.floats(0, 9), st.sampled_from([0.0, 0.25, 1.0])),
    min_size=1,
    max_size=9,
)


@given(times)
def test_segments_follow_each_other_from_start_to_end(stops):
    events = [
        Event(t, "rest" if length else "strike", "snare", "l_stick_tip", 0, length)
        for t, length in stops
    ]
    found = path_segments("drumming", events, 11.0)
    assert found[0].start == pytest.approx(0.0, abs=2e-6)
    assert found[-1].end == pytest.approx(11.0)
    for one, after in pairwise(found):
        assert after.start == pytest.approx(one.end, abs=2e-6)
    for s in found:
        middle = 0.5 * (s.start + s.end)
        assert [s.path_variable(t) for t in (s.start, s.end)] == [0.0, 1.0]
        assert s.path_variable(middle) == pytest.approx(0.5)
