"""Survey of a YAML text before it is loaded: its size and its depth.

What aliases stand for counts as often as they are written, so that neither they nor
merged keys grow into more than was allowed.
"""

import re
from dataclasses import dataclass, field
from typing import Any

import yaml

from backbeat.models.common import bounds
from backbeat.models.common.errors import BackbeatError, shown, steers

_NUMBER = re.compile(r"[-+.]?[0-9][0-9a-fA-FxXob_:.+-]*")
# What a list in a list stands under.
_NO_KEY = ""
# Key under which the keys of another mapping are taken over.
_MERGE = "<<"


@dataclass
class _Collection:
    """A list or mapping that has begun and not ended.

    Attributes:
        key: what it stands under.
        is_map: whether it is a mapping.
        line: where it begins, counted from 1.
        anchor: by what an alias finds it, or None.
        parts: how many parts it has, with all that is in it.
        entries: how many entries it has itself; of a mapping, keys and values.
        last: the last key.
        keys: all that it has, of a mapping.
    """

    key: str
    is_map: bool
    line: int
    anchor: str | None = None
    parts: int = 1
    entries: int = 0
    last: str = _NO_KEY
    keys: set[str] = field(default_factory=set)


@dataclass
class _Survey:
    """What has been seen of a text so far."""

    where: str
    open: list[_Collection] = field(default_factory=list)
    parts: dict[str, int] = field(default_factory=dict)
    aliases: int = 0
    total: int = 0

    def take(self, event: Any) -> None:
        """Counts an event of the parser."""
        if isinstance(event, yaml.ScalarEvent):
            if not event.value.isprintable() and steers(event.value):
                self._refuse("a character that steers a terminal; remove it", event)
            if event.implicit[0] and len(event.value) > bounds.NUMBER_LETTERS:
                self._refuse_number(event)
            self._refuse_twice(event)
            self._note(event.anchor, 1)
            self._add(1, event.value)
        elif isinstance(event, yaml.CollectionStartEvent):
            self._begin(event)
        elif isinstance(event, yaml.CollectionEndEvent):
            done = self.open.pop()
            self._note(done.anchor, done.parts)
            self._add(done.parts, _NO_KEY, is_new=False)
        elif isinstance(event, yaml.AliasEvent):
            self.aliases += 1
            if self.aliases > bounds.YAML_ALIASES:
                self._refuse(f"more than {bounds.YAML_ALIASES} aliases", event)
            self._add(self.parts.get(event.anchor or "", 1), _NO_KEY)

    def _refuse_twice(self, event: Any) -> None:
        """Refuses a key that stands twice, of which YAML readers keep the last."""
        inside = self.open[-1] if self.open else None
        if inside is None or not inside.is_map or inside.entries % 2:
            return
        if event.value in inside.keys and event.value != _MERGE:
            key = shown(event.value, 40)
            self._refuse(f"the key {key} stands twice; keep one", event)
        inside.keys.add(event.value)

    def _note(self, anchor: str | None, parts: int) -> None:
        if anchor is not None:
            self.parts[anchor] = parts

    def _begin(self, event: Any) -> None:
        inside = self.open[-1] if self.open else None
        # A list in a list is what the outer one is about: `via: [[0, 0, 0]]`.
        key = _NO_KEY if inside is None or not inside.is_map else inside.last
        line = event.start_mark.line + 1
        is_map = isinstance(event, yaml.MappingStartEvent)
        if len(self.open) >= bounds.YAML_DEPTH:
            raise BackbeatError(
                f"{self.where} line {line}: nested more than {bounds.YAML_DEPTH} deep",
                line=line,
            )
        self.open.append(_Collection(key, is_map, line, event.anchor))

    def _add(self, parts: int, said: str, is_new: bool = True) -> None:
        """Adds to the innermost collection.

        Args:
            parts: how many parts there are more.
            said: the text, of a scalar.
            is_new: whether they have not been counted in all.
        """
        self.total += parts if is_new else 1
        if self.total > bounds.YAML_PARTS:
            raise BackbeatError(
                f"{self.where} says more than {bounds.YAML_PARTS} things, with what "
                "its aliases stand for; make it shorter"
            )
        if not self.open:
            return
        inside = self.open[-1]
        inside.parts += parts
        if inside.is_map and inside.entries % 2 == 0:
            inside.last = said
        inside.entries += 1
        most = bounds.ENTRIES.get(inside.key, bounds.OTHER_ENTRIES)
        if inside.entries > most * (2 if inside.is_map else 1):
            of = f"{shown(inside.key, 40)} has" if inside.key else "there are"
            raise BackbeatError(
                f"{self.where} line {inside.line}: {of} more than {most} "
                f"{'keys' if inside.is_map else 'entries'}; use fewer",
                line=inside.line,
            )

    def _refuse_number(self, event: Any) -> None:
        if _NUMBER.fullmatch(event.value):
            self._refuse(
                f"a number of {len(event.value)} letters; no number needs more than "
                f"{bounds.NUMBER_LETTERS}",
                event,
            )

    def _refuse(self, what: str, event: Any) -> None:
        line = event.start_mark.line + 1
        raise BackbeatError(f"{self.where} line {line}: {what}", line=line)


def survey(text: str, where: str) -> None:
    """Refuses a text that says more than any file of ours does.

    Args:
        text: the text.
        where: names the source in errors.

    Raises:
        BackbeatError: too many parts, entries or aliases, too deep, or a number that is
            too long.
        yaml.YAMLError: it is no YAML.
    """
    try:
        _go_through(text, where, yaml.CSafeLoader)
    except yaml.YAMLError:
        # The parser in Python says better what is wrong, and takes a little more.
        _go_through(text, where, yaml.SafeLoader)


def _go_through(text: str, where: str, loader: Any) -> None:
    found = _Survey(where)
    for event in yaml.parse(text, Loader=loader):
        found.take(event)
