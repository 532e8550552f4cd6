"""Setlists as people write them: tempo, repeats and gaps, and what is refused where."""

import numpy as np
import pytest

from backbeat.behaviors.building.build import build
from backbeat.behaviors.drumming.drummer import kit_members
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.setlist.specification import SetlistEntry, SetlistSpecification
from backbeat.behaviors.specification.checking import (
    autofixed,
    check_file,
)
from backbeat.behaviors.specification.kinds import (
    SETLIST_FOLDER,
    parse_setlist,
    shipped_setlists,
)
from backbeat.behaviors.specification.setlist_rules import (
    as_in_show,
    of_entry,
    read_parts,
    song_row,
)
from backbeat.models.common.errors import BackbeatError, NoMotionError
from backbeat.models.kit.drum_kit import DrumKit
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
        (8, "fast has 120 BPM and outstanding has 98; each keeps its own", None),
    ],
)
def test_what_does_not_go_together_is_said_by_line(mixed, line, sentence, fix):
    found = [
        (where, fix) for (where, text), fix in said(mixed).items() if sentence in text
    ]
    assert found == [(line, fix)]


def test_a_setlist_with_failures_is_not_built(mixed, tmp_path):
    with pytest.raises(BackbeatError, match=r"mixed\.yaml:4: .*\(and 4 more"):
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
        assert not [text for _, text in said(mixed) if "BPM" in text]


def test_drums_keep_the_tempo_of_their_score(tmp_path):
    path = tmp_path / "drums.yaml"
    path.write_text(
        "kind: setlist\nname: drums\nbpm: 104\nequipment: [sticks]\n"
        "behaviors: [{behavior: outstanding-standing}]"
    )
    (found,) = check_file(path)
    assert (found.line, found.finding.fails) == (3, False)
    assert "outstanding-standing keeps the 98 BPM of its score" in str(found.finding)


SONG = "bpm: {0}\nHH|x-x-x-x-|\nSN|--o---o-|\n"


def write_songs(folder, seat, *tempos):
    """A setlist of songs at some tempos [beats/min]."""
    rows = []
    for bpm in tempos:
        (folder / f"s{bpm}.tab").write_text(SONG.format(bpm))
        drums = f"kind: drumming\nname: d{bpm}\nscore: s{bpm}.tab\nseat: {seat}\n"
        (folder / f"d{bpm}.yaml").write_text(drums)
        rows.append(f"  - {{behavior: d{bpm}.yaml}}\n")
    path = folder / "songs.yaml"
    head = "kind: setlist\nname: songs\nequipment: [sticks]\nbehaviors:\n"
    path.write_text(head + "".join(rows))
    return path


@pytest.mark.parametrize("seat", ["none", "chair"])
def test_songs_keep_their_tempos_and_advice_leads_on(tmp_path, seat):
    """With any tempo at the top, and with none, songs go together."""
    path = write_songs(tmp_path, seat, 98, 120)
    assert check_file(path) == []
    text = path.read_text()
    for bpm in (98, 120, 110):
        path.write_text(text.replace("equipment", f"bpm: {bpm}\nequipment"))
        found = check_file(path)
        assert not any(f.finding.fails for f in found)
        kept = {b for b in (98, 120) if any(f"{b} BPM of" in f"{f}" for f in found)}
        assert kept == {98, 120} - {bpm}


def test_the_tempo_that_is_offered_to_dances_is_that_of_the_songs(tmp_path):
    """What a message says is done, and the message is gone."""
    path = write_songs(tmp_path, "none", 98, 98)
    (tmp_path / "fast.yaml").write_text(FAST)
    text = f"{path.read_text()}  - {{behavior: fast.yaml}}\n"
    path.write_text(text)
    (found,) = check_file(path)
    assert "with bpm: 98 at the top" in found.finding.sentence
    path.write_text(text.replace("equipment", "bpm: 98\nequipment"))
    assert check_file(path) == []


def test_seated_songs_go_with_seated_songs_alone(tmp_path):
    path = write_songs(tmp_path, "chair", 98, 120)
    text = path.read_text()
    path.write_text(f"{text}  - {{behavior: bow}}\n")
    assert "a setlist of nothing but songs" in str(check_file(path)[0])
    path.write_text(text.replace("d98.yaml", "d98.yaml, until: 2"))
    assert "leave 'until' out" in str(check_file(path)[0])
    # On another kit, a seated drummer would have to get up.
    other = (tmp_path / "d120.yaml").read_text()
    (tmp_path / "d120.yaml").write_text(f"{other}kit: full-kit\n")
    path.write_text(text)
    with pytest.raises(BackbeatError, match=r"d98 and d120 differ in kit"):
        build(path, Library(tmp_path / "library"))


def test_a_row_of_songs_is_one_score(tmp_path):
    """Each song has its own tempo, meter and bars; a pause makes its hold longer."""
    path = write_songs(tmp_path, "chair", 98, 120)
    (tmp_path / "s120.tab").write_text("bpm: 120\nmeter: 3/4\nSN|o-o-o-|\n")
    text = path.read_text().replace("d120.yaml", "d120.yaml, rest: 1.5, beats: 2")
    setlist = parse_setlist(text, str(path))
    row = song_row(setlist, read_parts(setlist, tmp_path))
    members = kit_members(DrumKit())
    score, alone = row.load(tmp_path, members), []
    for song, folder, _ in row.songs:
        alone.append(song.load(folder, members))
    first, second = alone
    tempo, start = score.tempo, first.beats
    assert [tempo.bpm_at(b) for b in (0, start - 0.1, start)] == [98, 98, 120]
    shift = start + 3 + 2  # one and a half seconds at 120 BPM, and two beats
    assert [h.beat for h in score.hits] == [
        *(h.beat for h in first.hits),
        *(h.beat + shift for h in second.hits),
    ]
    assert score.beats == shift + second.beats
    assert score.holds[2].beats == second.holds[0].beats + 5
    hit = second.hits[0].beat
    assert tempo.in_words(hit + shift) == f"{second.tempo.in_words(hit)} of d120"
    assert tempo.in_words(first.hits[0].beat) == "bar 1, beat 1 of d98"
    at_hit = tempo.time(hit + shift) - tempo.time(shift)
    assert at_hit == pytest.approx(second.tempo.time(hit))


def test_a_failure_says_entry_behavior_bar_move_and_what_would_help(tmp_path):
    """Of clapping hands that carry sticks, too."""
    claps = "{arms: [{move: clap, at: 2, beats: 4}]}"
    dance = f"kind: dance\nname: claps\nbpm: 98\nbeats: 8\ntracks: {claps}"
    (tmp_path / "claps.yaml").write_text(dance)
    text = (
        "kind: setlist\nname: row\nequipment: [sticks]\n"
        "behaviors: [{behavior: stand}, {behavior: claps.yaml}]"
    )
    setlist = parse_setlist(text, "row.yaml")
    part = read_parts(setlist, tmp_path)["claps.yaml"]
    wanted = as_in_show(part.specification, setlist)
    place = wanted.plan(tmp_path).place(3 * 60 / 98)
    assert place == "bar 1, beat 4, in clap"
    failed = NoMotionError(f"claps: no motion found: worst is torque at {place}")
    told = of_entry(failed, setlist, "claps.yaml", wanted, tmp_path)
    assert told.path == ("behaviors", 1)
    assert str(told).startswith("row, entry 2: claps: no motion found")
    assert f"{place}; claps, beat 4: clap keeps the hands apart" in str(told)


@pytest.mark.slow
@pytest.mark.parametrize("seat", ["none", "chair"])
def test_songs_in_a_row_are_built(tmp_path, seat):
    path = write_songs(tmp_path, seat, 98, 120)
    show = build(path, Library(tmp_path / "library"))
    assert show.certificate.passed
    assert len(show.strikes()) == 12
    segments = [e for e in show.events if e.kind == "segment"]
    assert [e.what for e in segments if e.what[:3] != "to "] == ["d98", "d120"]
    # Beats of each song are as long as its tempo has them.
    beats = np.array([e.time for e in show.events if e.kind == "beat"])
    for event in (e for e in segments if e.what in ("d98", "d120")):
        inside = (beats > event.time + 0.1) & (beats < event.time + 4.0)
        assert np.diff(beats[inside]) == pytest.approx(60 / float(event.what[1:]))


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
