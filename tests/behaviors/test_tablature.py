"""Tablature: marks between bar lines become notes."""

from fractions import Fraction

import pytest

from backbeat.behaviors.drumming.drummer import kit_members
from backbeat.behaviors.music.files.score_compiler import compile_score
from backbeat.behaviors.music.files.score_reader import load_score
from backbeat.behaviors.music.files.tab_file import read_tab_file
from backbeat.behaviors.music.files.tablature import read_tab
from backbeat.behaviors.music.notation.percussion import ROWS
from backbeat.behaviors.music.notation.player import HandModel
from backbeat.behaviors.specification.checking import check_file
from backbeat.models.common.errors import BackbeatError
from backbeat.models.kit.description import kit_text
from backbeat.models.kit.drum_kit import DrumKit

KIT = DrumKit()
MEMBERS = kit_members(KIT)


def notes(text, bar=4, steps_per_beat=0):
    found, _, _ = read_tab(text, MEMBERS, Fraction(bar), steps_per_beat, "tab")
    return [(float(n.bar + n.at), n.piece, n.velocity) for n in found]


def length(text, bar=4, steps_per_beat=0):
    return read_tab(text, MEMBERS, Fraction(bar), steps_per_beat, "tab")[1]


def test_marks_share_the_beats_of_a_bar():
    assert notes("HH|x-x-|") == [(0, "hi_hat", 90), (2, "hi_hat", 90)]
    assert notes("SN|----o---|") == [(2, "snare", 90)]
    assert notes("SN|-o-o-o-o-o-o|")[0] == (pytest.approx(1 / 3), "snare", 90)
    assert notes("SN|------o|", bar=Fraction(7, 2)) == [(3, "snare", 90)]


def test_accents_and_ghosts():
    assert [v for _, _, v in notes("SN|xoXOg-.-|")] == [90, 90, 115, 115, 50]


def test_marks_of_a_row_are_ornaments_or_other_pieces():
    tab = "HH|x-o-O-#-|\nSN|f-d-B-@-|\nRD|--b-----|\nCC|#-------|"
    found, _, choked = read_tab(tab, MEMBERS, Fraction(4), 0, "tab")
    told = [(float(n.at), n.piece, n.ornament, n.velocity) for n in found]
    assert told == [
        *((0, "hi_hat", "", 90), (1, "open_hi_hat", "", 90)),
        *((2, "open_hi_hat", "", 115), (3, "hi_hat", "", 90)),
        *((0, "snare", "flam", 90), (1, "snare", "drag", 90)),
        *((2, "snare", "buzz", 115), (3, "side_stick", "", 90)),
        *((1, "ride_bell", "", 90), (0, "crash", "", 90)),
    ]
    assert {n.beats for n in found} == {Fraction(1, 2)}
    assert choked == {"hi_hat": 1, "crash": 1}


def test_a_choked_hi_hat_is_closed_by_its_pedal():
    members = kit_members(DrumKit(text=kit_text("full-kit", ".")))
    found, _, choked = read_tab("HH|#-x-|", members, Fraction(4), 0, "tab")
    assert [(float(n.at), n.piece) for n in found] == [
        *((0, "hi_hat"), (1, "pedal_hi_hat")),
        (2, "hi_hat"),
    ]
    assert not choked


@pytest.mark.parametrize(("row", "of"), [("SN|#---|", "a cymbal"), ("HT|@---|", "the")])
def test_marks_of_other_rows_are_refused(row, of):
    with pytest.raises(BackbeatError, match=f"line 1, bar 1: .* is a mark of {of}"):
        notes(row)


def test_groups_of_rows_follow_each_other():
    text = "HH|x---|\nSN|--o-|\n\nFT|o---|"
    assert notes(text) == [(0, "hi_hat", 90), (2, "snare", 90), (4, "floor_tom", 90)]
    assert length(text) == 8


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("SN|o---|o---|", [0, 4]),
        ("SN|o---|x3", [0, 4, 8]),
        ("SN|:o---:|", [0, 4]),
        ("SN||:o---:||", [0, 4]),
        ("SN|: o--- :| (3x)", [0, 4, 8]),
        ("SN|x---|:o---:|x3", [0, 4, 8, 12]),
        ("SN|o---:|o---|", [0, 4, 8]),
        ("HH|----|\nSN|o---|x2", [0, 4]),
    ],
)
def test_repeats(text, starts):
    assert [b for b, _, _ in notes(text)] == starts


def test_steps_of_its_own_make_bar_lines_for_the_eye():
    assert notes("SN|--o|---o|", steps_per_beat=3)[0][0] == pytest.approx(2 / 3)
    assert length("SN|--o|---o|", steps_per_beat=3) == Fraction(7, 3)


def test_rows_of_one_piece_become_one():
    assert notes("C1|x---|\nCC|--X-|") == [(0, "crash", 90), (2, "crash", 115)]


def test_a_row_that_counts_is_for_people():
    assert notes("  |1234|\nSN|o---|") == [(0, "snare", 90)]


def test_every_row_has_a_member_or_is_known_to_be_absent():
    absent = {MEMBERS.of_piece(p) for p in ROWS.values()} - set(MEMBERS.names)
    struck = {"open_hi_hat", "ride_bell", "second_crash", "second_ride", "side_stick"}
    feet = {"kick", "pedal_hi_hat"}
    assert absent == {*feet, *struck, "china", "splash", "cowbell", "tambourine"}
    assert {MEMBERS.playing(piece) for piece in struck} <= set(MEMBERS.names)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "no line such as"),
        ("HH|", "line 1: there are no marks"),
        ("HH x-x-", "'HH x-x-' is no row"),
        ("ZZ|x---|", "'ZZ' is no row of a drum set; known: BD"),
        ("HH|x-q-|", "line 1, bar 1: 'q' is no mark"),
        ("HH|x-x-|x x-|", "bar 2: ' ' is no mark"),
        ("HH|x-x-|\nSN|--o|", "rows differ in their number of marks: HH 4, SN 3"),
        ("HH|x-x-|x---|\nSN|--o-|", "SN has 1 bars and the rows above"),
        ("HH|x-x-|\nHH|--x-|", "two rows HH"),
        ("HH|x-x-x|", "bar 1: 5 marks do not share the 4 beats"),
        ("HH|x---|x0", "0 times"),
        ("HH|:|x---|", "no marks"),
        ("HH|x---|x9999", "more than 4000 bars"),
        ("HH|" + 200 * "x" + "|", "200 marks do not share"),
    ],
)
def test_a_mistake_is_one_sentence_with_its_line(text, sentence):
    with pytest.raises(BackbeatError, match=sentence) as caught:
        notes(text)
    assert "\n" not in str(caught.value)


FILE = """\
Money beat, as drummers share it
title: Money
Artist: somebody
tempo: 110 bpm
time: 3/4

[intro]
HH|x-x-x-|

[verse] x2
bpm: 120
HH|x-x-x-|
SN|--o---|
"""


def test_a_file_has_a_head_sections_and_lines_for_people():
    described = read_tab_file(FILE, MEMBERS, "money.tab")
    score = compile_score(described, MEMBERS, "money.tab")
    assert score.tempo.meter.first.beats == 3
    assert [s.name for s in score.sections] == [
        "ready",
        "intro",
        "verse",
        "silence",
        "end",
    ]
    verse = score.section("verse")
    assert verse.beats == 6
    assert score.tempo.bpm_at(verse.beat - 1) == 110
    assert score.tempo.bpm_at(verse.beat) == 120
    assert [h.beat - verse.beat for h in score.hits if h.member == "snare"] == [1, 4]
    assert score.holds[0].beat == 0
    assert score.holds[-1].beat + score.holds[-1].beats == score.beats


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("title: nothing", "no line such as"),
        ("bpm: fast\nHH|x---|", "line 1: 'fast' is no value for bpm"),
        ("bmp: 100\nHH|x---|", "unknown key 'bmp'; did you mean bpm"),
        ("bpm: 900\nHH|x---|", "bpm is 900"),
        ("meter: four\nHH|x---|", "'four' is not a meter"),
        ("[a]\nmeter: 3/5\nHH|x---|", "'3/5' is not a meter"),
        ("[a] x0\nHH|x---|", "repeat is 0; it must be >= 1"),
    ],
)
def test_a_mistake_in_a_file_is_one_sentence(text, sentence):
    with pytest.raises(BackbeatError, match=sentence):
        compile_score(read_tab_file(text, MEMBERS, "my.tab"), MEMBERS, "my.tab")


def read_file(path, text):
    path.write_text(text)
    player = HandModel({m: KIT.strike_pose(m).translation() for m in KIT.members})
    return load_score(path, MEMBERS, player)


@pytest.mark.parametrize(
    ("label", "piece"),
    [
        *(("1T", "high_tom"), ("Hi-hat ", "hi_hat"), ("Hi Hat", "hi_hat")),
        *(("Snare  ", "snare"), ("Bass   ", "kick"), ("Floor tom", "floor_tom")),
        *(("2T", "mid_tom"), ("  T1 ", "high_tom"), ("Ride cymbal", "ride")),
        ("(HH)", "hi_hat"),
    ],
)
def test_rows_have_the_names_that_drummers_give_them(label, piece):
    wanted = MEMBERS.of_piece(piece)
    assert notes(f"{label}|x---|") == [(0, wanted, 90)]


@pytest.mark.parametrize(
    "row", ["q1|x---|", "Cow+bell|x---|", "x-x-|x-x-|", "Key: x = hit |", "?|x---|"]
)
def test_no_line_with_a_bar_line_is_lost(tmp_path, row):
    with pytest.raises(BackbeatError, match="line 2"):
        read_file(tmp_path / "a.tab", f"SN|o---|\n{row}\nSN|--o-|\n")


@pytest.mark.parametrize(
    "line",
    [
        *("(repeat 3 times)", "x3", "(x 4)", "2x", "Repeat the last bar twice"),
        *("play this four times", "repeat x2"),
    ],
)
def test_repeats_that_can_be_read_in_two_ways_are_refused(tmp_path, line):
    with pytest.raises(BackbeatError, match=r"line 2.*so often, or so often again"):
        read_file(tmp_path / "a.tab", f"SN|o---|\n{line}\n")
    assert read_file(tmp_path / "a.tab", f"SN|o---|\n# {line}\n").beats


def test_lines_for_people_are_listed(tmp_path):
    text = "Money beat\nbpm: 100\n\nSN|o---|\nwith feeling\nHH|x-x-|\n# for people\n"
    score = read_file(tmp_path / "a.tab", text)
    assert score.remarks == ("not read: line 1 'Money beat', line 5 'with feeling'",)
    found = [i.sentence(tmp_path / "a.tab") for i in check_file(tmp_path / "a.tab")]
    assert [f.split(": ")[0].rpartition(":")[2] for f in found] == ["1", "5"]
    assert all("warning" in f and "is not read" in f for f in found)


def test_a_line_between_rows_does_not_part_them():
    assert notes("HH|x---|\n# and\nSN|--o-|") == [(0, "hi_hat", 90), (2, "snare", 90)]


def test_rows_that_all_stand_alone_sound_together(tmp_path):
    text = "HH|x-x-|\n\nSN|--o-|\n\nFT|o---|\n"
    assert length(text) == 4
    assert {b for b, p, _ in notes(text) if p == "floor_tom"} == {0}
    score = read_file(tmp_path / "a.tab", text)
    assert "from line 1 on, rows with blank lines between sound together" in str(
        score.remarks
    )
    # With a name between them they follow each other, and so do rows of one piece.
    assert length("SN|o---|\n\nSN|--o-|") == 8
    assert length("HH|x---|x---|\n\nSN|--o-|") == 12


@pytest.mark.parametrize(
    ("text", "line", "bar"),
    [
        ("CC|?---|x---|\nHH|x-o-|x-x-|\n", 1, 1),
        ("HH|x-o-|x-x-|\nSN|----|o-%-|\n", 2, 2),
        ("title: a\n\nwords\n[a]\n# more\nHH|x---|\n\n\nSN|o---|x-?-|\n", 9, 2),
        ("HH|x---|\n[b] x2\n\nHH|x---|\nSN|o-?-|\n", 5, 1),
        ("bpm: 90\nHH|x---|\nbpm: 120\nHH|?---|\n", 4, 1),
    ],
)
def test_lines_are_those_of_the_file(tmp_path, text, line, bar):
    path = tmp_path / "a.tab"
    path.write_text(text)
    (found,) = [f for f in check_file(path) if f.finding.fails]
    assert found.line == line
    assert f"bar {bar}: " in found.sentence(path)
    assert found.sentence(path).count(str(path)) == 1


def test_lines_of_a_tablature_in_yaml_are_those_of_the_file(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text(
        "title: a\nparts:\n- {name: ready, hold: 4, rest: {left: snare}}\n"
        "- name: beat\n  tab: |\n    HH|x-x-|\n    SN|o-?-|\n"
    )
    with pytest.raises(BackbeatError, match=r"line 7, bar 1: '\?' is no mark"):
        load_score(path, MEMBERS)
    path.write_text("title: a\nparts:\n- {tab: 'SN|o-?-|'}\n")
    with pytest.raises(BackbeatError, match=r"line 3, bar 1"):
        load_score(path, MEMBERS)


def test_bars_in_messages_are_those_of_the_file(tmp_path):
    """Three sticks at once cannot be: the hold that was put before does not count."""
    text = "unplayable: refuse\nHH|x---|x---|\nSN|o---|o---|\nFT|----|o---|\n"
    with pytest.raises(BackbeatError, match="bar 2, beat 1"):
        read_file(tmp_path / "a.tab", text)


def test_a_fault_in_a_part_without_a_name_stands_at_its_line(tmp_path):
    (tmp_path / "scores").mkdir()
    score = tmp_path / "scores" / "x.yaml"
    score.write_text(
        "parts:\n- {name: a, hold: 4, rest: {left: snare, right: floor_tom}}\n"
        "- left: '3 - - -'\n- right: '99 - - -'\n"
    )
    spec = tmp_path / "x.yaml"
    spec.write_text("kind: drumming\nname: x\nsummary: x\nscore: x\n")
    (found,) = check_file(spec)
    assert found.sentence(spec).startswith(f"{score}:4: failure: part 3: '99' in bar")
