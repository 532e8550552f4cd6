import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backbeat.stage.live.transport import STEP, Transport, stops
from backbeat.stage.sources.kinds import PlannedSource
from tests.backbeat.performances import drumming, swaying

BEATS = np.arange(8) * 0.6
times = st.floats(-10.0, 20.0)
moves = st.lists(
    st.one_of(
        st.tuples(st.just("play"), st.booleans()),
        st.tuples(st.just("seek"), times),
        st.tuples(st.just("beat"), st.integers(1, 100)),
        st.tuples(st.just("leap"), st.integers(-9, 9)),
        st.tuples(st.just("step"), st.integers(-9, 9)),
        st.tuples(st.just("go_on"), st.floats(0.0, 3.0)),
    ),
    max_size=12,
)


def transport(loops=False):
    made = Transport(-0.5, 5.0, BEATS)
    made.loops = loops
    return made


@given(moves, st.booleans())
def test_whatever_is_asked_time_stays_inside(asked, loops):
    made = transport(loops)
    for name, value in asked:
        getattr(made, name)(value)
        assert made.start <= made.time <= made.end
        passed = name == "go_on" and value > 0 and made.is_playing
        assert not (passed and made.time == made.end)


@given(st.floats(0.01, 1.0), st.floats(0.1, 2.0))
def test_time_passes_at_the_speed(elapsed, speed):
    made = transport()
    made.speed = speed
    made.go_on(elapsed)
    assert made.time == made.start
    made.play(True)
    made.go_on(elapsed)
    assert made.time == pytest.approx(made.start + elapsed * speed)


def test_the_end_stops_or_begins_again():
    made = transport()
    made.seek(4.9)
    made.play(True)
    assert not made.go_on(0.3)
    assert (made.time, made.is_playing) == (5.0, False)
    made.play(True)
    assert made.time == made.start
    made.loops = True
    made.seek(4.9)
    assert made.go_on(0.3)
    assert made.time == pytest.approx(-0.3)
    assert made.is_playing


between = times.filter(lambda t: np.abs(BEATS - t).min() > 1e-3)


@given(between, st.integers(1, 4))
def test_leaps_go_from_beat_to_beat_and_back(t, count):
    made = transport()
    made.seek(t)
    made.leap(count)
    assert np.min(np.abs(BEATS - made.time)) < 1e-12
    later = BEATS[t + 1e-5 < BEATS]
    assert made.time == (later[count - 1] if len(later) >= count else BEATS[-1])
    made.beat(5)
    made.leap(count)
    made.leap(-count)
    assert made.time == pytest.approx(BEATS[4] if count < 4 else BEATS[7 - count])


def test_a_step_stands_still_and_is_undone_by_one_back():
    made = transport()
    made.seek(1.0)
    made.play(True)
    made.step(3)
    assert (made.time, made.is_playing) == (pytest.approx(1.0 + 3 * STEP), False)
    made.step(-3)
    assert made.time == pytest.approx(1.0)


def test_leaps_are_beats_or_half_seconds():
    np.testing.assert_allclose(
        np.diff(stops(PlannedSource(drumming(duration=4.0)))), 60.0 / 98.0
    )
    np.testing.assert_allclose(stops(PlannedSource(swaying(1.2))), [0.0, 0.5, 1.0, 1.5])
