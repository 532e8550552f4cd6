"""Edits of a score: what they change, and all that they leave as it is."""

import json
from dataclasses import asdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backbeat.behaviors.drumming.drummer import kit_members
from backbeat.behaviors.drumming.specification import DrummingSpecification
from backbeat.behaviors.editing.drum_grid import drum_grid, drum_rows
from backbeat.behaviors.editing.score_document import ScoreDocument
from backbeat.behaviors.editing.score_edits import edited_score
from backbeat.behaviors.specification.kinds import SHIPPED_FOLDER
from backbeat.models.common.errors import BackbeatError
from backbeat.models.kit.drum_kit import DrumKit

KIT = DrumKit()
MEMBERS = kit_members(KIT)
# As a person writes it: columns, comments, bar lines, quotes of both kinds.
SCORE = """\
# At the top.
title: By hand
bpm:  120.0   # brisk
parts:
  - name: ready
    hold: 4   # beats
    rest: {left: snare, right: floor_tom}
  - name: verse   # twice
    repeat: 2
    left:  "- 1 - 3! | - 1 - 3!"   # the left
    right: '7 - 7 -  | 7 - 6? - '
  - name: free
    hits:
      - {bar: 1, beat: 1, member: snare, velocity: 110, hand: left}  # loud
      - {bar: 2, beat: 2.5, member: floor_tom}
  - {name: tabbed, tab: "SN|x---x---|"}
  - name: silence
    bars: 2
  - name: rest
    hold: 4
    rest: {left: snare, right: floor_tom}
"""


def put(text, at, member, hand="", velocity=90):
    edit = {"edit": "hit", "at": at, "member": member, "hand": hand}
    return edited_score(text, edit | {"velocity": velocity}, MEMBERS)


def take(text, at, member):
    return edited_score(text, {"edit": "unhit", "at": at, "member": member}, MEMBERS)


def grid(text):
    return drum_grid(text, DrummingSpecification(name="it"), KIT)


@pytest.mark.parametrize(
    ("edit", "before", "after"),
    [
        # A word of a line, and what stands behind it stays in its column.
        (("take", 4.5, "hi_hat"), '"- 1 - 3! | -', '"- - - 3! | -'),
        (("put", 4.0, "snare", "left"), '"- 1 - 3! |', '"3 1 - 3! |'),
        (("put", 4.0, "crash", "left", 115), '"- 1 - 3! | -', '"2! 1 - 3! | -'),
        (("put", 6.5, "high_tom", "right", 115), "7 - 6? - '", "7 4! 6? - '"),
        # The same in the second time through.
        (("take", 8.5, "hi_hat"), '"- 1 - 3! | -', '"- - - 3! | -'),
        (("take", 5.5, "snare"), "- 3! | - 1 - 3!", "- -  | - 1 - 3!"),
        # Another velocity of a line, and one that a line cannot say.
        (("put", 5.5, "snare", "left", 90), "- 3! | - 1 - 3!", "- 3  | - 1 - 3!"),
        # Items of a list.
        (
            ("put", 12.0, "snare", "right", 50),
            "velocity: 110, hand: left",
            "velocity: 50, hand: right",
        ),
        (("put", 12.0, "snare", "", 50), "velocity: 110, hand: left", "velocity: 50"),
        (("take", 12.0, "snare"), SCORE.splitlines(keepends=True)[13], ""),
        (
            ("put", 17.5, "floor_tom", "", 100),
            "member: floor_tom}",
            "member: floor_tom, velocity: 100}",
        ),
    ],
)
def test_an_edit_changes_its_hit_alone(edit, before, after):
    act = put if edit[0] == "put" else take
    assert SCORE.count(before) == 1
    assert act(SCORE, *edit[1:]) == SCORE.replace(before, after)


@pytest.mark.parametrize(
    ("new", "said"),
    [
        # Off the steps of the lines, a velocity that they have no mark for, no hand.
        (
            (4.25, "crash", "left"),
            "verse {bar: 1, beat: 1.25, member: crash, hand: left}",
        ),
        (
            (5.5, "snare", "left", 77),
            "verse {bar: 1, beat: 2.5, member: snare, velocity: 77, hand: left}",
        ),
        ((4.5, "crash"), "verse {bar: 1, beat: 1.5, member: crash}"),
        # Into silence, and the third of a triplet.
        ((28.0 + 2 / 3, "crash"), "silence {bar: 2, beat: 1.6667, member: crash}"),
    ],
)
def test_what_lines_cannot_say_goes_into_the_list_of_the_part(new, said):
    text, (name, row) = put(SCORE, *new), said.split(" ", 1)
    lines = text.splitlines()
    where = lines.index(f"      - {row}")
    assert lines[where - 1] == "    hits:"
    heads = [line for line in lines[:where] if "- name:" in line]
    assert heads[-1].split("#")[0].split() == ["-", "name:", name]
    heard = next(
        h for h in grid(text).hits if h.member == new[1] and abs(h.beat - new[0]) < 1e-3
    )
    assert heard.velocity == (new[3] if len(new) > 3 else 90)


def test_a_part_keeps_its_bars_when_the_hit_of_the_last_is_taken():
    text = take(SCORE, 17.5, "floor_tom")
    assert "    bars: 2\n" in text
    assert grid(text).beats == grid(SCORE).beats


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (
            lambda: put(SCORE, 1, "snare"),
            "bar 1, beat 2: hands rest in the hold 'ready'",
        ),
        (
            lambda: take(SCORE, 20, "snare"),
            "bar 6, beat 1: the hit of the snare is written in tab",
        ),
        (
            lambda: take(SCORE, 13, "snare"),
            "bar 4, beat 2: the hit of the snare is not there",
        ),
        (
            lambda: put(SCORE, 4, "snare", "right"),
            "bar 2, beat 1: the right hand hits the ride",
        ),
        (lambda: put(SCORE, 60, "snare"), "bar 16, beat 1: after the end of the score"),
        (lambda: put(SCORE, 12, "kick"), "drum of the kit 'kick'"),
        (lambda: put(SCORE, 12, "snare", "foot"), "hand 'foot'"),
        (lambda: put(SCORE, 12, "snare", "", 128), "from 1 to 127"),
        (lambda: put(SCORE, 12, "ride", "left"), "left hand hits"),
        (lambda: put(SCORE, [1], "snare"), "the beat is a number"),
        (
            lambda: edited_score(SCORE, {"edit": "taps", "hits": [[1]]}, MEMBERS),
            "taps are a list",
        ),
        (
            lambda: edited_score(
                SCORE, {"edit": "setting", "key": "parts", "value": 1}, MEMBERS
            ),
            "key",
        ),
    ],
)
def test_refusals_say_bar_beat_and_cause(act, words):
    with pytest.raises(BackbeatError) as refused:
        act()
    assert words in str(refused.value)


@settings(max_examples=40)
@given(data=st.data())
def test_a_hit_that_is_set_and_taken_leaves_the_music_as_it_was(data):
    """In any free place, with any hand and velocity; comments and order survive."""
    free = [p for p in grid(SCORE).parts if not p.why]
    part = data.draw(st.sampled_from(free))
    steps = round(part.beats / part.repeat * 12)
    at = part.start + data.draw(st.integers(0, steps - 1)) / 12
    member = data.draw(st.sampled_from(MEMBERS.names))
    hand = data.draw(st.sampled_from(["", "left", "right"]))
    before = {(round(h.beat, 2), h.member): h for h in grid(SCORE).hits}
    try:
        text = put(SCORE, at, member, hand, data.draw(st.integers(1, 127)))
    except BackbeatError:
        return
    added = {(round(h.beat, 2), h.member) for h in grid(text).hits} - before.keys()
    if (round(at, 2), member) in before:
        assert not added
        return
    assert len(added) == part.repeat
    back = take(text, at, member)
    assert {
        (round(h.beat, 2), h.member): (h.hand, h.velocity) for h in grid(back).hits
    } == {key: (h.hand, h.velocity) for key, h in before.items()}
    kept = [line for line in SCORE.splitlines() if "#" in line]
    assert all(line in back for line in kept)


def test_what_two_hands_cannot_play_is_marked_at_its_hit():
    text = put(put(SCORE, 20, "crash"), 20, "floor_tom")
    found = grid(text)
    assert "two hands cannot play" in found.marks[0].sentence
    assert "bar 6, beat 1" in found.marks[0].sentence
    fails = [h for h in found.hits if h.fails]
    assert len(fails) == 1
    assert fails[0].beat == 20
    json.dumps(asdict(found))


def test_times_follow_tempo_and_rests_that_keep_theirs():
    """As fast as 1.5 times where there are hits; holds take as long as before."""
    fast = DrummingSpecification(name="it", tempo_scale=1.5)
    plain, scaled = (drum_grid(SCORE, d, KIT).times for d in (fast, fast))
    usual = grid(SCORE).times
    assert usual[5] - usual[4] == pytest.approx(0.5)
    assert scaled[6] - scaled[5] == pytest.approx(0.5 / 1.5, abs=1e-3)
    assert plain == scaled


def test_a_midi_pad_plays_the_member_with_its_note():
    rows = drum_rows(MEMBERS)
    assert rows["notes"][38] == "snare"
    assert rows["notes"][42] == "hi_hat"
    assert 36 not in rows["notes"]  # There is no kick.
    assert [row["number"] for row in rows["rows"]] == [1, 2, 3, 4, 5, 6, 7]


def test_shipped_scores_and_one_that_is_no_yaml(tmp_path):
    document = ScoreDocument(SHIPPED_FOLDER / "outstanding.yaml")
    assert document.sheet().is_read
    assert document.path.name == "outstanding.yaml"
    assert document.path.parent.name == "scores"
    (tmp_path / "it.yaml").write_text("kind: drumming\nname: it\nscore: it.tab\n")
    (tmp_path / "it.tab").write_text("SN|x---|")
    with pytest.raises(BackbeatError, match="edits scores in YAML"):
        ScoreDocument(tmp_path / "it.yaml")
