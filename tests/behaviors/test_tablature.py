"""Tablature: marks between bar lines become notes."""

from fractions import Fraction

import pytest

from behaviors.drummer import kit_members
from behaviors.music.percussion import ROWS
from behaviors.music.score_compiler import compile_score
from behaviors.music.tab_file import read_tab_file
from behaviors.music.tablature import read_tab
from models.errors import BackbeatError
from models.kit.drum_kit import DrumKit

MEMBERS = kit_members(DrumKit())


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


def test_ornaments_are_single_strokes_and_counted():
    _, _, ornaments = read_tab("SN|f-d-b-b-|", MEMBERS, Fraction(4), 0, "tab")
    assert ornaments == {"f": 1, "d": 1, "b": 2}


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
    assert notes("C1|x---|\nC2|--X-|") == [(0, "crash", 90), (2, "crash", 115)]


def test_a_row_that_counts_is_for_people():
    assert notes("  |1234|\nSN|o---|") == [(0, "snare", 90)]


def test_every_row_has_a_member_or_is_known_to_be_absent():
    absent = {MEMBERS.of_piece(p) for p in ROWS.values()} - set(MEMBERS.names)
    assert absent == {"kick", "pedal_hi_hat", "china", "cowbell", "tambourine"}


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
        ("[a] x0\nHH|x---|", "repeat of part 'a'"),
    ],
)
def test_a_mistake_in_a_file_is_one_sentence(text, sentence):
    with pytest.raises(BackbeatError, match=sentence):
        compile_score(read_tab_file(text, MEMBERS, "my.tab"), MEMBERS, "my.tab")
