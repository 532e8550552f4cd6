"""Setlists as people write them: tempo, repeats and gaps, and what is refused where."""

import pytest

from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.setlist.specification import SetlistEntry, SetlistSpecification
from backbeat.behaviors.specification.checking import (
    autofixed,
    check_file,
    refuse_setlist,
)
from backbeat.behaviors.specification.kinds import (
    SETLIST_FOLDER,
    parse_setlist,
    shipped_setlists,
)
from backbeat.models.common.errors import BackbeatError
from tests.behaviors.short_show import write_files

MIXED = """\
kind: setlist
name: mixed
behaviors:
  - {behavior: marsh}                        # 4
  - {behavior: outstanding}                  # 5
  - {behavior: groove, until: 900}
  - {behavior: bow, until: 3}                # 7
  - {behavior: fast.yaml}
"""
FAST = (
    "kind: dance\nname: fast\nbpm: 120\nbeats: 8\ntracks: {head: [{move: nod, at: 1}]}"
)


@pytest.fixture
def mixed(tmp_path):
    (tmp_path / "fast.yaml").write_text(FAST)
    path = tmp_path / "mixed.yaml"
    path.write_text(MIXED)
    return path


def said(path):
    return {(f.line, f.finding.sentence): f.finding.fix for f in check_file(path)}


@pytest.mark.parametrize(
    ("line", "sentence", "fix"),
    [
        (4, "entry 1: unknown behavior 'marsh'; did you mean march?", "march"),
        (5, "the robot sits and cannot walk on; take drums", "outstanding-standing"),
        (5, "write equipment: [sticks] at the top", None),
        (6, "entry 3: groove has 36 beats and cannot be left on beat 900", None),
        (7, "entry 4: bow has no tempo", None),
        (8, "fast has 120 BPM and outstanding has 98; a show has one tempo", None),
    ],
)
def test_what_does_not_go_together_is_said_by_line(mixed, line, sentence, fix):
    found = [
        (where, fix) for (where, text), fix in said(mixed).items() if sentence in text
    ]
    assert found == [(line, fix)]


def test_a_setlist_with_failures_is_not_built(mixed, tmp_path):
    with pytest.raises(BackbeatError, match=r"mixed\.yaml:4: .*\(and 5 more"):
        build(mixed, Library(tmp_path / "library"))
    assert not (tmp_path / "library").exists()


def test_fix_corrects_names_and_leaves_comments(mixed):
    text, done = autofixed(MIXED, mixed)
    assert len(done) == 2
    assert "{behavior: march}                        # 4" in text
    assert "outstanding-standing" in text


@pytest.mark.parametrize(
    ("old", "new", "line", "sentence"),
    [
        ("until: 900", "untill: 9", 6, "did you mean until"),
        ("until: 900", "repeat: 0", 6, "repeat is 0; it must be from 1 to 100"),
        ("name: mixed", "name: mixed\nbpm: 1000", 3, "goes from 20 to 300"),
    ],
)
def test_values_are_refused_on_their_line(mixed, old, new, line, sentence):
    mixed.write_text(MIXED.replace(old, new))
    found = [f.line for f in check_file(mixed) if sentence in f.finding.sentence]
    assert found == [line]


def test_a_tempo_that_midi_rounds_is_the_same(mixed, tmp_path):
    own = FAST.replace("fast", "rounded").replace("120", f"{60e6 / round(60e6 / 98)!r}")
    (tmp_path / "rounded.yaml").write_text(own)
    row = "kind: setlist\nname: row\nbehaviors: [{behavior: A}, {behavior: B}]"
    files = ("rounded.yaml", "groove")
    for one, other in (files, files[::-1]):
        mixed.write_text(row.replace("A", one).replace("B", other))
        assert not [text for _, text in said(mixed) if "one tempo" in text]


def test_drums_keep_the_tempo_of_their_score(tmp_path):
    path = tmp_path / "drums.yaml"
    path.write_text(
        "kind: setlist\nname: drums\nbpm: 104\nequipment: [sticks]\n"
        "behaviors: [{behavior: outstanding-standing}]"
    )
    ((key, fix),) = said(path).items()
    assert key[0] == 3
    assert fix == 98


def test_a_dance_with_a_drummer_s_sticks_says_what_they_change(tmp_path):
    claps = "{arms: [{move: clap, at: 2, beats: 4}]}"
    dance = f"kind: dance\nname: claps\nbpm: 98\nbeats: 8\ntracks: {claps}"
    (tmp_path / "claps.yaml").write_text(dance)
    path = tmp_path / "row.yaml"
    row = "kind: setlist\nname: row\nbehaviors:\n  - {behavior: claps.yaml}\n"
    path.write_text(f"{row}equipment: [sticks]\n")
    (found,) = check_file(path)
    assert (found.line, found.finding.fails) == (4, False)
    assert "entry 1: claps, beat 4: clap keeps the hands" in found.finding.sentence
    path.write_text(row)
    assert check_file(path) == []


def test_a_tempo_makes_one_of_many(mixed):
    """Dances at 98 and 120 BPM go together once the setlist says a tempo."""
    text = "kind: setlist\nname: mine\nbpm: 110\n"
    text += "behaviors: [{behavior: groove}, {behavior: fast.yaml}]"
    refuse_setlist(text, mixed.parent / "mine.yaml")
    with pytest.raises(BackbeatError, match="write bpm: 98 at the top"):
        refuse_setlist(text.replace("bpm: 110\n", ""), mixed.parent / "mine.yaml")


@pytest.mark.slow
def test_tempo_repeats_and_gaps_are_kept(tmp_path):
    write_files(tmp_path)
    (tmp_path / "mine.yaml").write_text(
        "kind: setlist\nname: mine\nbpm: 110\nbehaviors:\n"
        "  - {behavior: turn.yaml, repeat: 2}\n"
        "  - {behavior: bend.yaml, beats: 3}\n"
    )
    show = build(tmp_path / "mine.yaml", Library(tmp_path / "library"))
    assert show.certificate.passed
    assert show.bpm == 110
    beat = 60 / 110
    parts = [e for e in show.events if e.kind == "segment"]
    turns = [e for e in parts if e.what == "turn"]
    (bend,) = (e for e in parts if e.what == "bend")
    assert len(turns) == 2
    for turn in turns:
        # Five and a half beats, as it is written.
        assert turn.duration == pytest.approx(5.5 * beat)
        assert turn.time / beat == pytest.approx(round(turn.time / beat))
    before = max((e for e in parts if e is not bend), key=lambda e: e.time)
    gap = (bend.time - before.time - before.duration) / beat
    assert 3 - 1e-6 <= gap < 4


@pytest.mark.parametrize("name", shipped_setlists())
def test_setlists_that_ship_have_no_failure(name):
    assert check_file(SETLIST_FOLDER / f"{name}.yaml") == []


def test_python_writes_the_same(tmp_path):
    numbers = [
        SetlistEntry("walk-2"),
        SetlistEntry("march", repeat=2),
        SetlistEntry("bow", rest=1.5),
    ]
    made = SetlistSpecification(name="evening", bpm=104.0, behaviors=numbers)
    path = made.save(tmp_path)
    assert parse_setlist(path.read_text(), "evening.yaml") == made
    assert "march, 2 times" in str(made)
    assert "104 BPM" in str(made)
