"""Easing: hits are moved as far as they may, where a hand has little time."""

import numpy as np
import pytest

from backbeat.behaviors.music.notation.score import MOVED, Hit, Score, amounts
from backbeat.behaviors.music.notation.tempo import Tempo
from backbeat.behaviors.music.playing.easing import MOST, eased, is_uneven

# At 60 BPM a beat is a second.
TEMPO = Tempo(60)


def travel(a, b):
    return 0.08 if a == b else 0.2


def score(*hits):
    notes = [Hit(beat, member, hand, 90, *more) for beat, member, hand, *more in hits]
    return Score(TEMPO, tuple(notes), (), 4.0)


def moves(before, after):
    pairs = zip(before.hits, after.hits, strict=True)
    return np.array([b.beat - a.beat for a, b in pairs])


SHORT = score((1.0, "snare", "left"), (1.085, "snare", "left"), (2.0, "snare", "left"))


def test_a_short_way_gets_time_from_long_ones():
    after = eased(SHORT, {1.0, 1.085}, travel)
    assert moves(SHORT, after) == pytest.approx([-MOST, MOST, 0.0], abs=1e-4)
    assert amounts(after.remarks, MOVED) == [8]
    assert "2 hits moved by up to 8 ms" in after.remarks[-1]


def test_a_hit_that_may_not_be_moved_stays():
    assert moves(SHORT, eased(SHORT, {1.085}, travel))[0] == 0.0
    assert eased(SHORT, frozenset(), travel) is SHORT


def test_ways_with_time_are_left_as_they_are():
    calm = score((1.0, "snare", "left"), (1.5, "tom", "left"), (2.0, "snare", "left"))
    after = eased(calm, {1.0, 1.5, 2.0}, travel)
    assert after == calm


def test_hands_that_are_nearly_together_strike_together():
    take = score((1.0, "snare", "left"), (1.012, "hi_hat", "right"))
    assert is_uneven(take)
    after = eased(take, {1.0}, travel)
    assert after.hits[0].beat == after.hits[1].beat == pytest.approx(1.006)
    assert not is_uneven(after)


def test_hits_that_are_together_stay_so():
    hits = [(1.0, "snare", "left"), (1.0, "hi_hat", "right"), (1.085, "snare", "left")]
    together = score(*hits)
    after = eased(together, {1.0}, travel)
    assert after.hits[0].beat == after.hits[1].beat < 1.0


def test_strokes_of_ornaments_stay_apart():
    flam = score((0.99, "snare", "left", "grace"), (1.0, "snare", "right", "flam"))
    assert not is_uneven(flam)
    assert eased(flam, {0.99, 1.0}, travel) == flam


def test_nothing_is_moved_farther_than_it_may_be_nor_past_its_neighbor():
    rng = np.random.default_rng(3)
    beats = np.cumsum(rng.uniform(0.02, 0.2, 60))
    hands = rng.choice(["left", "right"], 60)
    members = rng.choice(["snare", "tom"], 60)
    take = Score(
        Tempo(60),
        tuple(
            Hit(float(b), str(m), str(h), 90)
            for b, m, h in zip(beats, members, hands, strict=True)
        ),
        (),
        30.0,
    )
    after = eased(take, {h.beat for h in take.hits}, travel)
    for hand in ("left", "right"):
        before, now = take.of_hand(hand), after.of_hand(hand)
        assert [h.member for h in before] == [h.member for h in now]
        off = [b.beat - a.beat for a, b in zip(before, now, strict=True)]
        assert np.abs(off).max() <= MOST + 1e-5
        assert (np.diff([h.beat for h in now]) > 0).all()
