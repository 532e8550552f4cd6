"""Edits of a dance file: what they change, and all that they leave as it is."""

import difflib
import re
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from backbeat.behaviors.dance.choreography import DanceSpecification
from backbeat.behaviors.dance.vocabulary.move import TRACKS
from backbeat.behaviors.dance.vocabulary.move_file import shipped_moves
from backbeat.behaviors.editing.dance_document import DanceDocument
from backbeat.behaviors.editing.document import STALE
from backbeat.behaviors.editing.edits import edited
from backbeat.behaviors.editing.timeline import block_on, palette, timeline
from backbeat.behaviors.specification.kinds import SHIPPED_FOLDER, parse_specification
from backbeat.models.common.errors import BackbeatError

HERE = Path("dance.yaml")
SHIPPED = [
    path.read_text()
    for path in sorted(SHIPPED_FOLDER.glob("*.yaml"))
    if "kind: dance" in path.read_text()
]
# Written as no program would: odd spaces, quotes, spellings of numbers, blocks and
# braces in turns, comments everywhere.
BY_HAND = """\
# At the top.
kind:   dance
name: 'by-hand'   # a name
bpm: 98.50
beats: 32.

tracks:
    # About the legs.
    legs:
    # About the first.
    - {move: "bounce",  at: 2,   beats: 8 , values: {depth: 0.050,cycle: 1}} # small
    - move: sway      # to the sides
      at: 4.0
      beats: 8

      # About its values.
      values:
        width: 0.060  # narrow
    - { bar: 4, beat: 2.5, move: side-step, repeat: 2 }

    arms: [ {move: wave, at: 12, beats: 6},   {move: pump, at: 20} ]  # in a row
    head: []   # nothing yet

# At the end.
"""


@st.composite
def edit_of(draw, text):
    """An edit of a text that makes sense, by what the text holds."""
    dance = parse_specification(text, "it")
    blocks = [(t, r) for t, rows in dance.tracks.items() for r in range(len(rows))]
    beats = st.integers(0, 200).map(lambda n: n / 8)
    name = draw(
        st.sampled_from(
            [
                "insert",
                "copy",
                "move",
                "stretch",
                "delete",
                "mirror",
                "value",
                "setting",
            ]
            if blocks
            else ["insert"]
        )
    )
    if name == "insert":
        move = draw(st.sampled_from(sorted(shipped_moves())))
        return {"edit": name, "move": move, "at": draw(beats), "track": ""}
    if name == "setting":
        bpm = draw(st.integers(60, 160))
        return {"edit": name, "key": "bpm", "value": bpm}
    track, row = draw(st.sampled_from(blocks))
    edit = {"edit": name, "track": track, "row": row}
    if name in ("copy", "move"):
        edit["at"] = draw(beats)
    if name == "stretch":
        edit |= {"at": draw(beats), "beats": draw(st.integers(1, 64)) / 4}
    if name == "value":
        parameters = shipped_moves()[dance.tracks[track][row].move].parameters
        if not parameters:
            return {"edit": "mirror", "track": track, "row": row}
        parameter = draw(st.sampled_from(sorted(parameters)))
        p = parameters[parameter]
        share = draw(st.integers(0, 4)) / 4
        edit |= {"name": parameter, "value": p.least + share * (p.most - p.least)}
    return edit


def comments(text):
    """The comments in a text, in order."""
    return re.findall(r"#.*", text)


# A failing example is read as it is: it takes minutes to make it smaller.
@settings(max_examples=15, phases=[Phase.reuse, Phase.generate])
@given(data=st.data(), text=st.sampled_from([*SHIPPED, BY_HAND]))
def test_random_edits_leave_all_else_byte_for_byte_and_are_undone(
    data, text, tmp_path_factory
):
    document = DanceDocument(tmp_path_factory.mktemp("dance") / "it.yaml", text)
    texts = [text]
    for _ in range(data.draw(st.integers(1, 5))):
        edit = data.draw(edit_of(document.text))
        before = document.text
        try:
            document.apply(edit, document.revision)
        except BackbeatError:
            assert document.text == before
            continue
        after = document.text
        if after == before:
            continue
        texts.append(after)
        # The lines of one block, or of one key, and perhaps those of a new track.
        lines = list(difflib.ndiff(before.splitlines(True), after.splitlines(True)))
        removed = [line for line in lines if line.startswith("- ")]
        added = [line for line in lines if line.startswith("+ ")]
        assert len(added) <= 3
        most = {"delete": 8, "stretch": 2}.get(edit["edit"], 1)
        assert len(removed) <= most
        if edit["edit"] != "delete":
            assert comments(after) == comments(before)
        assert document.path.read_text() == after
        assert_modeled(edit, before, after)
    for expected in texts[-2::-1]:
        document.apply({"edit": "undo"}, document.revision)
        assert document.text == expected
    assert not document.can_undo
    for expected in texts[1:]:
        document.apply({"edit": "redo"}, document.revision)
        assert document.text == expected == document.path.read_text()


def assert_modeled(edit, before, after):
    """The edited dance is the dance before with the edit made on its data."""
    old, new = parse_specification(before, "it"), parse_specification(after, "it")
    name, track, row = edit["edit"], edit.get("track"), edit.get("row")
    rows = {t: list(found) for t, found in old.tracks.items()}
    if name == "setting":
        assert new.bpm == edit["value"]
        assert new.tracks == old.tracks
        return
    assert (new.bpm, new.beats) == (old.bpm, old.beats)
    meter = new.meter_map()
    if name in ("insert", "copy"):
        track = track or shipped_moves()[edit["move"]].track
        more = [d for d in new.tracks[track]]
        assert len(more) == len(rows.get(track, [])) + 1
        for known in rows.pop(track, []):
            more.remove(known)
        assert [d.start(meter) for d in more] == [edit["at"]]
    elif name == "delete":
        gone = rows[track].pop(row)
        assert new.tracks[track] == rows.pop(track)
        assert gone.move
    else:
        mine = new.tracks[track][row]
        assert mine.move == rows[track][row].move
        if "at" in edit:
            assert mine.start(meter) == pytest.approx(edit["at"])
        if "beats" in edit:
            assert mine.beats == edit["beats"]
        if name == "mirror":
            assert mine.mirror is not rows[track][row].mirror
        if name == "value":
            assert mine.values[edit["name"]] == pytest.approx(edit["value"], abs=1e-4)
        others = rows.pop(track)
        assert [d for i, d in enumerate(new.tracks[track]) if i != row] == [
            d for i, d in enumerate(others) if i != row
        ]
    for other, found in rows.items():
        assert new.tracks[other] == found


@pytest.mark.parametrize(
    ("edit", "old", "new"),
    [
        (
            {"edit": "move", "track": "legs", "row": 0, "at": 3.5},
            'bounce",  at: 2,   beats: 8 , values',
            'bounce",  at: 3.5,   beats: 8 , values',
        ),
        (
            {"edit": "move", "track": "legs", "row": 2, "at": 4},
            "{ bar: 4, beat: 2.5, move",
            "{ bar: 2, beat: 1, move",
        ),
        (
            {
                "edit": "value",
                "track": "legs",
                "row": 1,
                "name": "width",
                "value": 0.08,
            },
            "width: 0.060  # narrow",
            "width: 0.08  # narrow",
        ),
        (
            {"edit": "value", "track": "legs", "row": 1, "name": "cycle", "value": 2},
            "width: 0.060  # narrow\n",
            "width: 0.060  # narrow\n        cycle: 2\n",
        ),
        (
            {"edit": "mirror", "track": "legs", "row": 2},
            "move: side-step, repeat: 2 }",
            "move: side-step, repeat: 2, mirror: true }",
        ),
        (
            {"edit": "stretch", "track": "arms", "row": 1, "at": 20, "beats": 4},
            "{move: pump, at: 20} ]",
            "{move: pump, at: 20, beats: 4} ]",
        ),
        (
            {"edit": "delete", "track": "arms", "row": 0},
            "[ {move: wave, at: 12, beats: 6},   {move: pump, at: 20} ]  # in",
            "[ {move: pump, at: 20} ]  # in",
        ),
        (
            {"edit": "insert", "move": "nod", "at": 4, "track": ""},
            "    head: []   # nothing yet\n",
            "    head:   # nothing yet\n      - {move: nod, at: 4}\n",
        ),
        (
            {"edit": "insert", "move": "twist", "at": 4, "track": ""},
            "\n    arms: [",
            "\n    body:\n      - {move: twist, at: 4}\n    arms: [",
        ),
        (
            {"edit": "insert", "move": "sway", "at": 1, "track": ""},
            "    # About the first.\n",
            "    - {move: sway, at: 1}\n    # About the first.\n",
        ),
        (
            {"edit": "setting", "key": "bpm", "value": 110.0},
            "bpm: 98.50",
            "bpm: 110",
        ),
        (
            {"edit": "setting", "key": "fade", "value": 0.5},
            "beats: 32.\n",
            "beats: 32.\nfade: 0.5\n",
        ),
    ],
)
def test_an_edit_writes_what_a_person_would(edit, old, new):
    """The rest of the file, comments and odd spaces too, is the very same."""
    text = BY_HAND
    assert old in text
    result = edited(text, edit, HERE.parent)
    if edit["edit"] == "insert" and edit["move"] == "twist":
        # Where the tracks before it end, whatever blank line follows them.
        assert "repeat: 2 }\n    body:\n      - {move: twist, at: 4}\n" in result
        assert result.replace("    body:\n      - {move: twist, at: 4}\n", "") == text
        return
    assert result == text.replace(old, new, 1)


def test_line_endings_and_a_missing_last_one_stay():
    windows = SHIPPED[0].replace("\n", "\r\n")
    edit = {"edit": "insert", "move": "nod", "at": 0, "track": ""}
    result = edited(windows, edit, HERE.parent)
    assert "\n" not in result.replace("\r\n", "")
    bare = "kind: dance\nname: a\ntracks:\n  legs:\n    - {move: bounce}"
    edit = {"edit": "insert", "move": "sway", "at": 4, "track": ""}
    assert edited(bare, edit, HERE.parent) == f"{bare}\n    - {{move: sway, at: 4}}"
    gone = edited(bare, {"edit": "delete", "track": "legs", "row": 0}, HERE.parent)
    assert parse_specification(gone, "it").tracks == {"legs": []}


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        ({"edit": "paint"}, "unknown edit 'paint'"),
        ({"edit": "move", "track": "legs"}, "has track, row, at and no others"),
        ({"edit": "move", "track": "legs", "row": 9, "at": 1}, "no block 9"),
        ({"edit": "move", "track": "legs", "row": 0, "at": -1}, "from 0 to"),
        ({"edit": "move", "track": "legs", "row": 0, "at": True}, "not True"),
        (
            {"edit": "insert", "move": "waltz", "at": 1, "track": ""},
            "unknown move 'waltz'",
        ),
        ({"edit": "setting", "key": "kind", "value": "x"}, "unknown key"),
        ({"edit": "setting", "key": "bpm", "value": "fast"}, "bpm"),
        ({"edit": "setting", "key": "bpm", "value": -3}, "tempo"),
        (
            {"edit": "value", "track": "legs", "row": 0, "name": "depth", "value": 3},
            "goes from 0 to 0.2",
        ),
        (
            {"edit": "option", "track": "legs", "row": 0, "key": "at", "value": 3},
            "unknown key of a move that can be set 'at'",
        ),
    ],
)
def test_refused_edits_leave_the_text_and_say_why(edit, words, tmp_path):
    document = DanceDocument(tmp_path / "it.yaml", BY_HAND)
    with pytest.raises(BackbeatError, match=re.escape(words)):
        document.apply(edit, 0)
    assert (document.text, document.revision) == (BY_HAND, 0)
    assert not document.path.exists()


def test_what_is_written_once_for_several_places_is_left_alone():
    text = """\
kind: dance
name: a
tracks:
  legs:
    - &deep {move: bounce, at: 0, values: &v {depth: 0.1}}
    - {move: bounce, at: 8, values: *v}
    - *deep
"""
    for row, name in ((2, "depth"), (1, "depth"), (0, "depth")):
        edit = {"edit": "value", "track": "legs", "row": row, "name": name}
        with pytest.raises(BackbeatError, match="edit it in a text editor"):
            edited(text, {**edit, "value": 0.05}, HERE.parent)
    moved = edited(text, {"edit": "move", "track": "legs", "row": 1, "at": 9}, HERE)
    assert moved == text.replace("at: 8", "at: 9")


def test_a_stale_edit_is_refused_and_an_outside_change_is_taken_over(tmp_path):
    path = tmp_path / "it.yaml"
    path.write_text(SHIPPED[0])
    document = DanceDocument(path)
    edit = {"edit": "setting", "key": "bpm", "value": 101}
    document.apply(edit, 0)
    with pytest.raises(BackbeatError, match="edited elsewhere meanwhile"):
        document.apply({**edit, "value": 102}, 0)
    mine = document.text
    outside = f"# By an editor.\n{mine}"
    path.write_text(outside)
    with pytest.raises(BackbeatError, match=STALE):
        document.apply({**edit, "value": 103}, document.revision)
    assert document.text == outside == path.read_text()
    assert document.news == "the file changed: reloaded"
    for expected in (mine, SHIPPED[0]):
        document.apply({"edit": "undo"}, document.revision)
        assert document.text == expected == path.read_text()
    # A file that is gone or empty for a moment is not taken over.
    path.write_text("")
    assert not document.reload()
    path.unlink()
    assert not document.reload()
    assert document.text == SHIPPED[0]


def test_a_timeline_has_blocks_bars_and_marks_with_what_would_do():
    text = """\
kind: dance
name: a
bpm: 120
beats: 16
meters: [{bar: 3, meter: 3/4}]
tracks:
  legs:
    - {move: side-step, at: 2}
    - {move: side-step, at: 3}
  arms:
    - {move: wave, at: 2, beats: 4, repeat: 2, values: {lift: 1.0}}
"""
    found = timeline(text, HERE)
    assert found.bars == [(0, 1), (4, 2), (8, 3), (11, 4), (14, 5)]
    (wave,) = found.tracks["arms"]
    assert (wave.start, wave.beats, wave.options["repeat"]) == (2, 4, 2)
    assert wave.given == ["lift"]
    assert wave.values.keys() == shipped_moves()["wave"].parameters.keys()
    step = shipped_moves()["side-step"]
    end = 2 + step.usual_beats(step.defaults())
    (mark,) = [m for m in found.marks if m.fails]
    assert (mark.track, mark.row, mark.key, mark.fix) == ("legs", 1, "at", end)
    assert f"until beat {end:g}" in mark.sentence
    assert block_on(text, 9) == ("legs", 1, "")
    assert block_on(text, 1) == ("", -1, "")
    broken = timeline(text.replace("bpm: 120", "bpm: [}"), HERE)
    assert not broken.is_read
    assert "not valid YAML" in broken.marks[0].sentence


def test_the_palette_has_every_move_with_its_ranges():
    moves = palette(HERE.parent)
    assert {m["move"] for m in moves} == shipped_moves().keys()
    assert [m["track"] for m in moves] == sorted(
        (m["track"] for m in moves), key=TRACKS.index
    )
    depth = next(m for m in moves if m["move"] == "bounce")["parameters"]["depth"]
    assert (depth["least"], depth["most"], depth["unit"]) == (0.0, 0.2, "m")


def test_blocks_that_are_made_in_turn_are_a_file_as_one_would_write_it(tmp_path):
    text = "kind: dance\nname: a\nbpm: 98\nbeats: 16\ntracks: {}\n"
    document = DanceDocument(tmp_path / "a.yaml", text)
    for move, at in (("wave", 4), ("bounce", 8), ("sway", 2), ("nod", 2)):
        edit = {"edit": "insert", "move": move, "at": at, "track": ""}
        document.apply(edit, document.revision)
    edit = {"edit": "stretch", "track": "legs", "row": 0, "at": 2, "beats": 6}
    document.apply(edit, document.revision)
    edit = {"edit": "value", "track": "legs", "row": 0, "name": "width", "value": 0.05}
    document.apply(edit, document.revision)
    assert (
        document.path.read_text()
        == """\
kind: dance
name: a
bpm: 98
beats: 16
tracks:
  legs:
    - {move: sway, at: 2, beats: 6, values: {width: 0.05}}
    - {move: bounce, at: 8}
  arms:
    - {move: wave, at: 4}
  head:
    - {move: nod, at: 2}
"""
    )
    assert isinstance(parse_specification(document.text, "a"), DanceSpecification)
