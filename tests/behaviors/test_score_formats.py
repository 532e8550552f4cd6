"""One song in three formats is one score; and readers take anything at all."""

import itertools
from dataclasses import replace

import pytest

from backbeat.behaviors.drumming.drummer import kit_members, score_events
from backbeat.behaviors.music.files.score_compiler import compile_score
from backbeat.behaviors.music.files.score_reader import load_score, score_files
from backbeat.behaviors.music.notation.player import HandModel
from backbeat.behaviors.music.notation.score import Goto, Hold
from backbeat.behaviors.music.notation.score_description import (
    PartDescription,
    ScoreDescription,
)
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.yaml_file import parse_yaml
from backbeat.models.kit.drum_kit import DrumKit
from tests.behaviors.midi_files import bpm, hit, midi_bytes
from tests.behaviors.test_backing import write_wav

KIT = DrumKit()
MEMBERS = kit_members(KIT)
PLAYER = HandModel({m: KIT.strike_pose(m).translation() for m in KIT.members})
REST = "{left: snare, right: floor_tom}"
SCORE = f"""\
title: Beat
bpm: 120
parts:
  - {{name: ready, hold: 4, rest: {REST}}}
  - name: beat
    steps_per_beat: 2
    left:  "1 1 1 1 1 1 1 1"
    right: "- - 3! - - - 3! -"
  - {{bars: 1}}
  - {{name: end, hold: 4, rest: {REST}}}
"""
TAB = """\
bpm: 120
[beat]
HH|xxxxxxxx|
SN|--O---O-|
BD|o---o---|
"""
CYMBAL = [(240 * k, hit(42)) for k in range(8)]
DRUMS = [(480, hit(38, 115)), (1440, hit(38, 115)), (0, hit(36)), (960, hit(36))]
MIDI = midi_bytes([[(0, bpm(120))], CYMBAL, DRUMS])


@pytest.fixture
def songs(tmp_path):
    """The same song as YAML, tablature and MIDI."""
    (tmp_path / "beat.yaml").write_text(SCORE)
    (tmp_path / "beat.tab").write_text(TAB)
    (tmp_path / "beat.mid").write_bytes(MIDI)
    return [tmp_path / f"beat.{end}" for end in ("yaml", "tab", "mid")]


def test_one_song_in_three_formats(songs):
    written, tab, midi = (load_score(p, MEMBERS, PLAYER) for p in songs)
    assert written.hits == tab.hits == midi.hits
    assert written.holds[0].beats == tab.lead_in == midi.lead_in == 4
    assert written.beats == tab.beats == midi.beats
    assert tab.remarks == ("2 hits of kick dropped",)
    assert midi.remarks == (
        "MIDI notes: 38 to snare (2 hits), 42 to hi_hat (8 hits)",
        "MIDI note 36, 2 hits: kick, dropped",
    )


def test_notes_may_stand_beside_the_authors_choices(songs, tmp_path):
    for notes in ("beat.tab", "beat.mid"):
        path = tmp_path / "song.yaml"
        path.write_text(f"notes: {notes}\nmapping: {{kick: floor_tom}}\n")
        score = load_score(path, MEMBERS, PLAYER)
        assert sum(h.member == "floor_tom" for h in score.hits) == 2
        assert score_files(path) == [path, tmp_path / notes]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("notes: ../beat.mid", "without|is not"),
        ("notes: beat.exe", "is not"),
        ("notes: other.mid", "cannot read"),
        ("notes: beat.mid\nparts: [{hold: 4}]", "one of them"),
        ("notes: beat.mid\nunplayable: maybe", "unplayable"),
        ("notes: beat.mid\nabsent: refuse", "kit has no kick"),
        ("notes: beat.mid\nbacking: none.wav", "no file none.wav"),
    ],
)
def test_choices_that_do_not_fit(songs, tmp_path, text, sentence):
    path = tmp_path / "song.yaml"
    path.write_text(text)
    with pytest.raises(BackbeatError, match=sentence):
        load_score(path, MEMBERS, PLAYER)


def test_a_backing_track_is_named_and_looked_at(songs, tmp_path):
    write_wav(tmp_path / "mine.wav")
    path = tmp_path / "beat.yaml"
    path.write_text(SCORE + "backing: mine.wav\n")
    assert load_score(path, MEMBERS).backing == "mine.wav"


def test_hands_hold_and_go_without_gaps(songs):
    score = load_score(songs[0], MEMBERS, PLAYER)
    for hand in ("left", "right"):
        stretches = score.stretches(hand)
        assert isinstance(stretches[0], Hold)
        assert isinstance(stretches[-1], Hold)
        for a, b in itertools.pairwise(stretches):
            end = a.contact_end if isinstance(a, Hold) else a.beat + a.beats
            assert end == b.beat
        gotos = [s for s in stretches if isinstance(s, Goto)]
        assert len(gotos) == len(score.of_hand(hand)) + 1
    assert score.section("beat").beat == 4
    with pytest.raises(BackbeatError, match="no section 'verse'; it has ready, beat"):
        score.section("verse")


def part(**keys):
    return compile_score(
        ScoreDescription(parts=[PartDescription(**keys)]), MEMBERS, "song"
    )


def test_parts_may_change_tempo_meter_and_steps():
    described = parse_yaml(
        ScoreDescription,
        """
bpm: 60
parts:
  - {left: "3 3 3 3"}
  - {left: "3 3 3", steps_per_beat: 3, bpm: 120}
  - {tab: "SN|o------|", meter: 7/8, end_bpm: 60}
  - {hits: [{bar: 2, beat: 1.5, member: "3", velocity: 77, hand: right}], bpm: 60}
""",
        "song",
    )
    score = compile_score(described, MEMBERS, "song")
    beats = [h.beat for h in score.hits]
    assert beats == pytest.approx([0, 0.5, 1, 1.5, 2, 2 + 1 / 3, 2 + 2 / 3, 3, 10.5])
    assert score.beats == 3 + 3.5 + 7
    assert [score.tempo.bpm_at(b) for b in (1, 2, 3, 4.75, 6.5)] == [
        60, 120, 120, 90, 60,
    ]  # fmt: skip
    last = score.hits[-1]
    assert (last.hand, last.velocity, last.member) == ("right", 77, "snare")


def test_swing_moves_lines_and_tabs_but_not_triplets():
    lines = [
        PartDescription(left="- 3 - 3"),
        PartDescription(left="- 3 3 - - -", steps_per_beat=3),
        PartDescription(tab="SN|-x------|"),
    ]
    described = ScoreDescription(swing=0.6, parts=lines)
    beats = [h.beat for h in compile_score(described, MEMBERS, "song").hits]
    assert beats == pytest.approx([0.6, 1.6, 2 + 1 / 3, 2 + 2 / 3, 4.6])


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"hits": [], "bars": 0}, "neither holds nor plays"),
        ({"bars": -1}, "cannot be -1 bars long"),
        ({"left": "3 3", "tab": "HH|xx--|"}, "lines take 1 beats and the tablature 4"),
        (
            {"left": "3 3", "steps_per_beat": -1},
            "steps_per_beat is -1; it must be from 0 to 48",
        ),
        ({"left": "3", "meter": "5/7"}, "not a meter"),
        ({"left": "3", "bpm": 1.0}, "bpm is 1"),
        ({"left": "3 " * 100, "repeat": 10**12}, "more than 4000 beats"),
    ],
)
def test_a_part_that_makes_no_sense(keys, sentence):
    with pytest.raises(BackbeatError, match=sentence):
        part(**keys)


@pytest.mark.parametrize(
    ("listed", "sentence"),
    [
        ("{bar: 0, member: snare}", "bar is 0; it must be >= 1"),
        ("{bar: 3, member: snare}", "has bars 1 to 2, and a hit in bar 3"),
        ("{beat: 5, member: snare}", "beats from 1 to below 5"),
        ("{member: gong}", "unknown drum in song 'gong'"),
        (
            "{member: snare, hand: left}, {member: crash, hand: left}",
            "at once in bar 1",
        ),
    ],
)
def test_a_hit_that_makes_no_sense(listed, sentence):
    text = f"parts: [{{bars: 2, hits: [{listed}]}}]"
    with pytest.raises(BackbeatError, match=sentence):
        compile_score(parse_yaml(ScoreDescription, text, "song"), MEMBERS, "song")


def test_a_song_of_hours_is_refused_before_any_work():
    described = ScoreDescription(bpm=20, parts=[PartDescription(hold=3999.0)])
    with pytest.raises(BackbeatError, match="lasts 11997 s; it may take up to 600 s"):
        compile_score(described, MEMBERS, "song")


def test_music_of_a_file_begins_as_an_event(tmp_path):
    """A backing that a score names begins after the rest put before the notes."""
    tab = tmp_path / "a.tab"
    tab.write_text("bpm: 120\nSN|o-o-|x8\n")
    score = load_score(tab, MEMBERS, PLAYER)
    (music,) = (e for e in score_events(score, center) if e.kind == "music")
    assert music.time == score.tempo.time(score.lead_in) >= 2.0
    assert music.what == ""
    whole = replace(score, lead_in=0.0, backing="a.wav")
    (music,) = (e for e in score_events(whole, center) if e.kind == "music")
    assert (music.time, music.what) == (0.0, "a.wav")
    plain = replace(whole, backing="")
    assert not [e for e in score_events(plain, center) if e.kind == "music"]


def center(member, hand):
    return (0.0, 0.0)
