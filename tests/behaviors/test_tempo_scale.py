"""Haste: what is played gets faster, rests keep their time."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backbeat.behaviors.drumming.specification import DrummingSpecification
from backbeat.behaviors.drumming.tempo.highest import CLOSE, Bracket
from backbeat.behaviors.drumming.tempo.tries import Try
from backbeat.behaviors.music.notation.score import Hit, Hold, Score
from backbeat.behaviors.music.notation.tempo import Tempo, TempoChange
from backbeat.behaviors.music.playing.tempo_scale import (
    fastest_bpm,
    played_spans,
    tempo_scale_range,
    with_tempo_scale,
)
from backbeat.models.common.errors import BackbeatError

REST = {"left": "snare", "right": "floor_tom"}
RAMP = (TempoChange(6.0, 90.0, 120.0, 4.0),)


def score(tempo, beats=(4.0, 5.0, 6.5, 9.0)):
    hits = tuple(Hit(b, "snare", "left", 90) for b in beats)
    holds = (Hold(0.0, 4.0, "ready", REST, 0, 2), Hold(12.0, 4.0, "end", REST, 0, 2))
    return Score(tempo, hits, holds, 16.0)


@given(st.floats(0.5, 2.5), st.sampled_from([Tempo(80), Tempo(80, changes=RAMP)]))
def test_times_between_hits_shrink_and_those_of_rests_stay(factor, tempo):
    slow = score(tempo)
    fast = with_tempo_scale(slow, factor)
    beats = np.linspace(4.0, 9.0, 41)

    def taken(of, points):
        return np.diff([of.tempo.time(b) for b in points])

    np.testing.assert_allclose(
        factor * taken(fast, beats), taken(slow, beats), rtol=1e-9
    )
    for rest in (np.linspace(0, 4, 9), np.linspace(9, 16, 15)):
        np.testing.assert_allclose(taken(fast, rest), taken(slow, rest), rtol=1e-9)
    assert fastest_bpm(fast) == pytest.approx(factor * fastest_bpm(slow))


def test_two_stretches_with_a_rest_between_are_both_faster():
    holds = (*score(Tempo(80)).holds[:1], Hold(8.0, 4.0, "mid", REST, 0, 2))
    hits = tuple(Hit(b, "snare", "left", 90) for b in (4.0, 6.0, 13.0, 14.0))
    two = Score(Tempo(80), hits, holds, 20.0)
    assert played_spans(two) == [(4.0, 6.0), (13.0, 14.0)]
    time = with_tempo_scale(two, 2.0).tempo.time
    assert time(6.0) - time(4.0) == pytest.approx(2 * 60 / 160)
    assert time(13.0) - time(6.0) == pytest.approx(7 * 60 / 80)


@pytest.mark.parametrize("factor", [0.0, -1.0, float("nan"), float("inf"), 0.1, 5.1])
def test_a_haste_without_a_tempo_is_refused(factor):
    with pytest.raises(BackbeatError, match="tempo_scale"):
        with_tempo_scale(score(Tempo(80)), factor)


def test_the_range_of_haste_is_that_of_tempos():
    assert tempo_scale_range(score(Tempo(80))) == (0.25, 5.0)
    with pytest.raises(BackbeatError, match="no tempo to raise"):
        tempo_scale_range(score(Tempo(80), beats=(4.0,)))


@given(st.floats(1.0, 4.9))
def test_bisection_brackets_the_limit(limit):
    """Whatever the limit, tries end with a pass and a failure that are close."""
    search = Bracket(5.0)
    tried = []
    for tempo_scale in search.levels():
        why = "" if tempo_scale <= limit else "too fast"
        tried.append(tempo_scale)
        search.note(Try(tempo_scale, 80 * tempo_scale, why, 0.0, None, None))
    assert search.low <= limit
    assert search.high > limit
    assert search.high <= CLOSE * search.low
    assert len(tried) < 16


def test_a_search_goes_on_from_a_motion_that_passed():
    search = Bracket(5.0)
    search.note(Try(2.0, 160, "", 0.0, None, None))
    tried = []
    for tempo_scale in search.levels():
        tried.append(tempo_scale)
        search.note(Try(tempo_scale, 80 * tempo_scale, "no", 0.0, None, None))
    assert min(tried) > 2.0
    assert search.low == 2.0
    assert search.high <= 2.0 * CLOSE


def test_the_search_ends_where_scores_end_or_at_once():
    def tried(passes):
        search = Bracket(5.0)
        found = []
        for tempo_scale in search.levels():
            found.append(tempo_scale)
            search.note(
                Try(tempo_scale, tempo_scale, "" if passes else "no", 0.0, None, None)
            )
        return found

    assert tried(passes=True)[-1] == 5.0
    assert tried(passes=False) == [1.0]


def test_a_specification_is_played_with_haste(tmp_path):
    (tmp_path / "scores").mkdir()
    text = (
        "bpm: 90\nparts:\n"
        "  - {name: ready, hold: 4, rest: {left: snare, right: floor_tom}}\n"
        '  - {name: play, left: "3 3 3 3"}\n'
        "  - {name: silence, bars: 1}\n"
        "  - {name: rest, hold: 4, rest: {left: snare, right: floor_tom}}\n"
    )
    (tmp_path / "scores" / "four.yaml").write_text(text)
    slow = DrummingSpecification(name="four", score="four").plan(Path(tmp_path))
    fast = DrummingSpecification(name="four", score="four", tempo_scale=1.5).plan(
        tmp_path
    )
    gaps = [
        np.diff([e.time for e in plan.events if e.kind == "strike"])
        for plan in (slow, fast)
    ]
    np.testing.assert_allclose(gaps[0], 1.5 * gaps[1], rtol=1e-9)
    assert fast.bpm == pytest.approx(135.0)
