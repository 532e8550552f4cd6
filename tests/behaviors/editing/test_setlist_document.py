"""Edits of a setlist file: what they change, and all that they leave as it is."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backbeat.behaviors.editing.setlist_document import SetlistDocument
from backbeat.behaviors.editing.setlist_edits import OPTIONS
from backbeat.behaviors.editing.yaml_text import with_moved
from backbeat.behaviors.specification.kinds import SETLIST_FOLDER, read_setlist
from backbeat.models.common.errors import BackbeatError

BY_HAND = """\
# At the top.
kind: setlist
name: 'by-hand'   # a name
bpm:  98.0

behaviors:
  # First of all.
  - {behavior: walk-6,  rest: 1.50}   # in
  - behavior: groove   # danced
    repeat: 2

    until:  16

  - {behavior: march}
  # Last,
  # really.
  - { behavior: "bow" }  # out

# At the end.
step_back: 0.60
"""
INLINE = (
    "kind: setlist\nname: a\nbehaviors: [ {behavior: bow},   {behavior: march} ] # x\n"
)
EMPTY = "kind: setlist\nname: mine\nbehaviors: []\n"
TEXTS = [path.read_text() for path in sorted(SETLIST_FOLDER.glob("*.yaml"))]


def names(text):
    """Behaviors in order."""
    return [entry.behavior for entry in read_setlist(text, "it").behaviors]


@st.composite
def edit_of(draw, text):
    """An edit that makes sense."""
    count = len(names(text))
    name = draw(st.sampled_from(["insert", "copy", "move", "delete", "option"]))
    if not count or name == "insert":
        behavior = draw(st.sampled_from(["bow", "march", "own.yaml"]))
        return {
            "edit": "insert",
            "behavior": behavior,
            "to": draw(st.integers(0, count)),
        }
    edit = {"edit": name, "row": draw(st.integers(0, count - 1))}
    if name in ("copy", "move"):
        edit["to"] = draw(st.integers(0, count - (name == "move")))
    if name == "option":
        key = draw(st.sampled_from(OPTIONS))
        edit |= {"key": key, "value": draw(st.integers(1, 9))}
    return edit


def expected(before, edit):
    """Names in order after an edit."""
    found = list(before)
    if edit["edit"] == "insert":
        found.insert(edit["to"], edit["behavior"])
    elif edit["edit"] == "copy":
        found.insert(edit["to"], found[edit["row"]])
    elif edit["edit"] == "move":
        found.insert(edit["to"], found.pop(edit["row"]))
    elif edit["edit"] == "delete":
        del found[edit["row"]]
    return found


@settings(max_examples=40)
@given(data=st.data(), text=st.sampled_from([BY_HAND, INLINE, EMPTY, *TEXTS]))
def test_random_edits_do_what_they_say_and_are_undone(data, text, tmp_path_factory):
    document = SetlistDocument(tmp_path_factory.mktemp("setlist") / "it.yaml", text)
    texts = [text]
    for _ in range(data.draw(st.integers(1, 6))):
        edit, before = data.draw(edit_of(document.text)), document.text
        document.apply(edit, document.revision)
        assert names(document.text) == expected(names(before), edit)
        if edit["edit"] == "move":
            # Comments move with their lines; none is lost, and no line is changed.
            assert sorted(document.text.splitlines()) == sorted(
                before.splitlines()
            ) or (text == INLINE)
        if document.text != before:
            texts.append(document.text)
    for old in reversed(texts[:-1]):
        document.apply({"edit": "undo"}, document.revision)
        assert document.text == old


def test_what_is_moved_takes_its_lines_and_comments_along():
    text = with_moved(BY_HAND, ("behaviors",), 3, 1)
    assert (
        text.index("# in")
        < text.index('  # Last,\n  # really.\n  - { behavior: "bow" }  # out')
        < text.index("# danced")
        < text.index("{behavior: march}\n")
        < text.index("# At the end.")
    )
    assert re.search(r"repeat: 2\n\n    until:  16\n", text)


def test_a_new_setlist_is_as_a_person_would_write_it(tmp_path):
    document = SetlistDocument(tmp_path / "mine.yaml", EMPTY)
    assert document.sheet().is_empty
    for to, name in ((0, "bow"), (0, "walk-6"), (1, "march")):
        edit = {"edit": "insert", "behavior": name, "to": to}
        document.apply(edit, document.revision)
    document.apply(
        {"edit": "option", "row": 1, "key": "repeat", "value": 2.0}, document.revision
    )
    document.apply(
        {"edit": "setting", "key": "equipment", "value": "sticks"}, document.revision
    )
    assert (tmp_path / "mine.yaml").read_text() == (
        "kind: setlist\nname: mine\nequipment: [sticks]\nbehaviors:\n"
        "  - {behavior: walk-6}\n  - {behavior: march, repeat: 2}\n"
        "  - {behavior: bow}\n"
    )


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        ({"edit": "insert", "behavior": "", "to": 0}, "a name of up to"),
        ({"edit": "insert", "behavior": "bow", "to": 9}, "a place from 0 to 4"),
        ({"edit": "insert", "behavior": "bow", "to": True}, "a place from 0 to 4"),
        ({"edit": "move", "row": 0, "to": 4}, "no entry 4; there are 4"),
        ({"edit": "delete", "row": -1}, "no entry -1"),
        ({"edit": "option", "row": 0, "key": "kind", "value": 1}, "key of an entry"),
        ({"edit": "option", "row": 0, "key": "repeat", "value": 0}, "repeat"),
        ({"edit": "setting", "key": "robot", "value": "g1"}, "key of a setlist"),
        ({"edit": "stretch", "row": 0, "to": 1}, "edit of a setlist"),
        ({"edit": "move", "row": 0}, "has row, to and no others"),
    ],
)
def test_edits_that_make_no_sense_are_refused(edit, words, tmp_path):
    document = SetlistDocument(tmp_path / "it.yaml", BY_HAND)
    with pytest.raises(BackbeatError, match=words):
        document.apply(edit, document.revision)
    assert document.text == BY_HAND
    assert not document.path.exists()


def test_what_does_not_go_together_is_marked_on_its_entry(tmp_path):
    text = EMPTY.replace(
        "[]", "\n  - {behavior: marsh}\n  - {behavior: groove, until: 900}"
    )
    sheet = SetlistDocument(tmp_path / "it.yaml", text).sheet()
    marks = {(m.row, m.key): m for m in sheet.marks}
    assert marks[0, "behavior"].fix == "march"
    assert "cannot be left on beat 900" in marks[1, "until"].sentence
    broken = SetlistDocument(tmp_path / "it.yaml", "kind: setlist\nname: [").sheet()
    assert not broken.is_read
    assert broken.marks[0].fails
