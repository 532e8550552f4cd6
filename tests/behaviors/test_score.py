"""Scores: lines of text become hits and holds on a grid of beats."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backbeat.behaviors.music.files.score_compiler import compile_score
from backbeat.behaviors.music.notation.percussion import Members
from backbeat.behaviors.music.notation.score_description import (
    PartDescription,
    ScoreDescription,
)
from backbeat.models.common.errors import BackbeatError

MEMBERS = Members({1: "hi_hat", 3: "snare", 6: "floor_tom", 7: "ride", 12: "cowbell"})


def part(left="", right="", **more):
    return PartDescription(left=left, right=right, **more)


def score(*parts, **more):
    return compile_score(ScoreDescription(parts=list(parts), **more), MEMBERS, "song")


def hits(*parts, **more):
    return [(h.beat, h.hand, h.member) for h in score(*parts, **more).hits]


def test_words_are_steps():
    assert hits(part("- 3 - 1", "7 - 7 -")) == [
        (0.0, "right", "ride"),
        (0.5, "left", "snare"),
        (1.0, "right", "ride"),
        (1.5, "left", "hi_hat"),
    ]


def test_hits_come_in_order_of_time_whoever_is_written_first():
    found = hits(part("- - 3 -", "7 - 6 -"), part("3 -", "- 7"))
    assert found == sorted(found)
    assert [beat for beat, *_ in found] == [0.0, 1.0, 1.0, 2.0, 2.5]


def test_bar_lines_are_for_the_eye():
    assert hits(part("3 - | - 1", "7|- - -")) == hits(part("3 - - 1", "7 - - -"))


def test_accents_and_ghosts():
    found = [h.velocity for h in score(part("3! 3 3? 12!")).hits]
    assert found == [115, 90, 50, 115]


@pytest.mark.parametrize("steps", [1, 2, 3, 4, 12])
def test_steps_divide_the_beat(steps):
    found = hits(part("- 3"), steps_per_beat=steps)
    assert found == [(1 / steps, "left", "snare")]


def test_parts_follow_each_other_and_repeat():
    found = score(part("3 -", repeat=3), part("1 - - -"))
    assert [h.beat for h in found.hits] == [0.0, 1.0, 2.0, 3.0]
    assert found.beats == 5.0


def test_a_hand_that_waits_needs_no_line():
    assert hits(part(right="7 7")) == [(0.0, "right", "ride"), (0.5, "right", "ride")]


def test_a_hold_takes_its_beats_and_leaves_the_last_one_for_the_way():
    rest = {"left": "snare"}
    found = score(part(hold=5, rest=rest, name="wait"), part("- - 3 -"))
    (hold,) = found.holds
    assert (hold.beat, hold.beats, hold.contact_end) == (0.0, 5.0, 4.0)
    assert hold.name == "wait"
    assert [h.beat for h in found.hits] == [6.0]
    assert found.beats == 7.0


def test_hands_come_to_rest_later_after_a_hit_just_before():
    found = score(part("3 3"), part(hold=5, rest={"left": "snare"}))
    assert found.hits[-1].beat == 0.5
    assert found.holds[0].contact_start == pytest.approx(1.25)
    other = score(part("", "7 7"), part(hold=5, rest={"left": "snare"}))
    assert other.holds[0].contact_start == 1.0
    with pytest.raises(BackbeatError, match="'hold' and has no time"):
        score(part("3 3"), part(hold=1.4, rest={"left": "snare"}))


def test_ways_to_and_from_rests_take_a_time_at_fast_tempos():
    rest = {"left": "snare"}
    hold, _ = score(part(hold=8, rest=rest), part("3 3"), part(hold=8, rest=rest)).holds
    assert hold.contact_end == 7.0
    fast = score(part(hold=8, rest=rest), part("3 3"), part(hold=8, rest=rest), bpm=200)
    first, last = fast.holds
    assert first.contact_end == pytest.approx(8 - 0.6 * 200 / 60)
    assert last.contact_start - fast.hits[-1].beat == pytest.approx(0.4 * 200 / 60)


def test_only_the_resting_hand_has_to_wait():
    rest = {"left": "snare"}
    assert hits(part("- -", "- 7"), part(hold=4, rest=rest)) == [(0.5, "right", "ride")]


REST = {"left": "snare", "right": "floor_tom"}


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ([part("- 9")], "'9' in bar 1, beat 1.5 is not a drum; numbers are 1, 3, 6"),
        ([part("- - - - - - - - - snare")], "'snare' in bar 2, beat 1.5"),
        ([part("3!! -")], "'3!!'"),
        ([part("! -")], "'!'"),
        ([part("² -")], "'²'"),
        ([part("9" * 5000)], "is not a drum"),
        (
            [part("- 3 -", "7 -", name="verse")],
            "'verse' the left hand has 3 .* right 2",
        ),
        ([part(name="gap")], "'gap' neither holds nor plays"),
        ([part("| |")], "neither holds nor plays"),
        ([part("3", repeat=0, name="verse")], "repeat is 0; it must be >= 1"),
        ([part("3 - - -", repeat=10**9)], "more than 4000 beats"),
        ([part(hold=1.0, name="short")], "'short' takes 1 beats"),
        ([part(hold=-3.0)], "takes -3 beats"),
        (
            [part(hold=4, rest={"left": "gong"}, name="r")],
            "'r' rests on 'gong'; the kit",
        ),
        ([part(hold=4, rest={"foot": "snare"})], "'foot' is not a hand"),
        ([part(hold=4, rest=REST, sway=5.0)], "sways 5 rad"),
        ([part(hold=4, rest=REST, sway_beats=0.0)], "in 0 beats"),
        (
            [part("- 3"), part(hold=1.4, rest=REST)],
            "left hand rests .* bar 1, beat 1.5",
        ),
        ([part(hold=4, rest=REST), part("3 -")], None),
        ([part(hold=4, rest=REST), part("- -", "6 -")], None),
        ([], "needs parts"),
    ],
)
def test_a_mistake_is_one_sentence_with_its_place(parts, sentence):
    if sentence is None:
        score(*parts)
        return
    with pytest.raises(BackbeatError, match=sentence) as caught:
        score(*parts)
    assert str(caught.value).startswith("song: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"bpm": 0}, "bpm is 0"),
        ({"beats_per_bar": 0}, "beats_per_bar is 0"),
        ({"steps_per_beat": 0}, "steps_per_beat is 0"),
    ],
)
def test_a_score_without_time_is_refused(more, sentence):
    with pytest.raises(BackbeatError, match=sentence):
        score(part("3 -"), **more)


words = st.lists(
    st.sampled_from(["-", "3", "7!", "1?", "|", "12", "9", "x", "!", "?"]), max_size=8
)
parts = st.builds(
    PartDescription,
    hold=st.sampled_from([0.0, 0.0, 0.0, 4.0]) | st.floats(),
    rest=st.dictionaries(
        st.sampled_from(["left", "right", "x"]), st.sampled_from(["snare", "x"])
    ),
    sway=st.just(0.2) | st.floats(),
    left=words.map(" ".join) | st.text(max_size=10),
    right=words.map(" ".join),
    repeat=st.integers(-1, 3),
)


@given(st.lists(parts, max_size=4), st.integers(-1, 12))
def test_anything_is_a_score_in_order_or_one_error(described, steps):
    try:
        found = score(*described, steps_per_beat=steps)
    except BackbeatError:
        return
    assert [h.beat for h in found.hits] == sorted(h.beat for h in found.hits)
    assert all(0 <= h.beat < found.beats for h in found.hits)
    assert len({(h.beat, h.hand) for h in found.hits}) == len(found.hits)
    assert all(h.contact_end > h.beat for h in found.holds)
