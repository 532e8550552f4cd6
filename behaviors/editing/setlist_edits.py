"""Edits of a setlist: entries put in, moved and taken away, as changes of its text.

An edit is plain data, as a page sends it, see `edits`. An entry is called by its row,
counted from zero; `to` is the row that it is to have.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from backbeat.behaviors.editing.edits import apply_edit, plain
from backbeat.behaviors.editing.yaml_text import (
    with_item,
    with_moved,
    with_value,
    without,
)
from backbeat.behaviors.setlist.specification import SetlistEntry, SetlistSpecification
from backbeat.behaviors.specification.kinds import read_setlist
from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.common.schema import check_values

# Keys of an entry as they follow each other, those that may be set, and of a setlist.
ROW_KEYS = tuple(item.name for item in fields(SetlistEntry))
OPTIONS = ("repeat", "rest", "beats", "until")
SETTABLE = ("behavior", *OPTIONS)
SETLIST_KEYS = ("summary", "bpm", "step_back", "equipment", "beat_priority")
ORDER = ("kind", "name", "summary", "robot", "equipment", "beat_priority", "bpm")
# Longest name or path of a behavior, and most entries.
LONGEST, MOST = 300, 200


def edited_setlist(text: str, edit: Mapping[str, Any]) -> str:
    """The text of a setlist after an edit.

    Args:
        text: a setlist that can be read.
        edit: what is done.

    Raises:
        BackbeatError: the edit makes no sense, or cannot be written.
    """
    new = apply_edit(EDITS, edit, WrittenSetlist(text), "edit of a setlist")
    setlist = read_setlist(new, "the setlist")
    check_values(setlist, setlist.name)
    return new


@dataclass(frozen=True)
class WrittenSetlist:
    """A setlist as it is written.

    Attributes:
        text: the file.
    """

    text: str

    @property
    def setlist(self) -> SetlistSpecification:
        """What the text says."""
        return read_setlist(self.text, "the setlist")

    def entry(self, row: Any) -> SetlistEntry:
        """What an entry says.

        Raises:
            BackbeatError: there is none.
        """
        entries = self.setlist.behaviors
        if not _is_row(row, len(entries) - 1):
            raise BackbeatError(
                f"there is no entry {row!r:.20}; there are {len(entries)}"
            )
        return entries[row]

    def put(self, item: dict[str, Any], to: Any) -> str:
        """The text with one more entry.

        Raises:
            BackbeatError: there is no such place, or there are too many.
        """
        count = len(self.setlist.behaviors)
        if not _is_row(to, count) or count >= MOST:
            raise BackbeatError(
                f"a new entry goes to a place from 0 to {min(count, MOST - 1)}, not "
                f"{to!r:.20}; a setlist has at most {MOST}"
            )
        return with_item(self.text, ("behaviors",), to, item, ORDER)


def insert(now: WrittenSetlist, behavior: Any, to: Any) -> str:
    """Puts a behavior into the row."""
    if not isinstance(behavior, str) or not 0 < len(behavior) <= LONGEST:
        raise BackbeatError(f"a behavior is a name of up to {LONGEST} letters")
    return now.put({"behavior": behavior}, to)


def copy(now: WrittenSetlist, row: Any, to: Any) -> str:
    """Puts an entry once more into the row."""
    entry, usual = now.entry(row), SetlistEntry()
    said = {name: plain(getattr(entry, name)) for name in ROW_KEYS}
    return now.put({n: x for n, x in said.items() if x != getattr(usual, n)}, to)


def move(now: WrittenSetlist, row: Any, to: Any) -> str:
    """Gives an entry another place."""
    now.entry(row)
    now.entry(to)
    return with_moved(now.text, ("behaviors",), row, to)


def delete(now: WrittenSetlist, row: Any) -> str:
    """Takes an entry away."""
    now.entry(row)
    return without(now.text, ("behaviors", row))


def option(now: WrittenSetlist, row: Any, key: Any, value: Any) -> str:
    """Sets a key of an entry, such as repeat or rest."""
    now.entry(row)
    if key not in SETTABLE:
        raise unknown_name("key of an entry that can be set", str(key)[:40], SETTABLE)
    return with_value(now.text, ("behaviors", row, key), plain(value), ROW_KEYS)


def setting(now: WrittenSetlist, key: Any, value: Any) -> str:
    """Sets a key of the whole setlist; equipment may be words between commas."""
    if key not in SETLIST_KEYS:
        raise unknown_name(
            "key of a setlist that can be set", str(key)[:40], SETLIST_KEYS
        )
    if key == "equipment" and isinstance(value, str):
        value = [word.strip() for word in value.split(",") if word.strip()]
    return with_value(now.text, (key,), plain(value), ORDER)


EDITS: dict[str, Callable[..., str]] = {
    act.__name__: act for act in (insert, copy, move, delete, option, setting)
}


def _is_row(row: Any, last: int) -> bool:
    return isinstance(row, int) and not isinstance(row, bool) and 0 <= row <= last
