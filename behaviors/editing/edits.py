"""Edits of a dance: what is done to one of its blocks or keys, as a change of its text.

An edit is plain data, as a page sends it: {"edit": NAME, ...}, with the keys that the
docstrings of the functions below have as arguments. A block is called by its track and
its row there. Numbers are beats, counted from zero.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from backbeat.behaviors.dance.choreography import DanceSpecification
from backbeat.behaviors.dance.vocabulary.descriptions import MoveDescription
from backbeat.behaviors.dance.vocabulary.move import TRACKS, Move
from backbeat.behaviors.dance.vocabulary.move_file import vocabulary
from backbeat.behaviors.editing.yaml_text import with_item, with_value, without
from backbeat.behaviors.specification.kinds import parse_specification
from backbeat.models.common.errors import BackbeatError, KeyPath, unknown_name
from backbeat.models.common.yaml_file import read_tree

# Keys of a move that follow each other like this, and those that may be set.
ROW_KEYS = tuple(item.name for item in fields(MoveDescription))
OPTIONS = ("repeat", "alternate", "mirror", "blend", "timing", "tracking")
# Keys of a dance that may be set.
DANCE_KEYS = ("summary", "bpm", "beats", "fade", "beat_priority", "meter")
ORDER = list(
    dict.fromkeys(
        ("kind", "name", "summary", "robot")
        + tuple(item.name for item in fields(DanceSpecification))
    )
)
# Longest name of a recording.
LONGEST = 200
# Places and lengths are written with so many digits, and no block is shorter [beats].
DIGITS, SHORTEST = 4, 0.125
# The latest beat on which a block may start.
LATEST = 1e5


def apply_edit(
    edits: Mapping[str, Callable[..., str]],
    edit: Mapping[str, Any],
    written: object,
    what: str = "edit",
) -> str:
    """The text that an edit makes.

    Args:
        edits: functions by name, whose first argument is what is written.
        edit: plain data, see above.
        written: what is edited.
        what: what one is called in errors.

    Raises:
        BackbeatError: an unknown edit, other keys than its, or as of the function.
    """
    given = dict(edit)
    name = given.pop("edit", "")
    if name not in edits:
        raise unknown_name(what, str(name)[:40], edits)
    act = edits[name]
    known = list(inspect.signature(act).parameters)[1:]
    if set(given) != set(known):
        raise BackbeatError(f"the edit {name!r} has {', '.join(known)} and no others")
    return act(written, **given)


def edited(text: str, edit: Mapping[str, Any], folder: str | Path) -> str:
    """The text of a dance after an edit.

    Args:
        text: a dance that can be read.
        edit: what is done.
        folder: of the file, beside which moves of the user's own may be.

    Raises:
        BackbeatError: the edit makes no sense, or cannot be written.
    """
    new = apply_edit(EDITS, edit, Written(text, Path(folder)))
    read_dance(new)
    return new


def read_dance(text: str, where: str = "the dance") -> DanceSpecification:
    """What the text of a dance says; `where` names it in errors.

    Raises:
        BackbeatError: it cannot be read, or is of another kind.
    """
    specification = parse_specification(text, where)
    if not isinstance(specification, DanceSpecification):
        raise BackbeatError(
            f"{where} is a {specification.kind}; dances alone have a timeline"
        )
    return specification


@dataclass(frozen=True)
class Written:
    """A dance as it is written.

    Attributes:
        text: the file.
        folder: where it is.
    """

    text: str
    folder: Path

    @property
    def dance(self) -> DanceSpecification:
        """What the text says."""
        return read_dance(self.text)

    def block(self, track: Any, row: Any) -> tuple[KeyPath, MoveDescription]:
        """Where a block is written, and what it says.

        Raises:
            BackbeatError: there is none.
        """
        rows = self.dance.tracks.get(str(track), [])
        if not isinstance(row, int) or not 0 <= row < len(rows):
            raise BackbeatError(f"there is no block {row!r:.20} on {track!r:.20}")
        return ("tracks", str(track), row), rows[row]

    def move(self, name: str) -> Move | None:
        """The move of a name; None for a recording.

        Raises:
            BackbeatError: there is no such move.
        """
        moves, recorded = vocabulary(self.folder), self.dance.recordings
        if name not in moves and name not in recorded:
            raise unknown_name("move", str(name)[:60], [*moves, *recorded])
        return moves.get(name)

    def put_at(self, path: KeyPath, d: MoveDescription, at: Any) -> str:
        """The text with a block on another beat, as a beat or bar as it was."""
        at = beat(at)
        if not d.bar:
            return with_value(self.text, (*path, "at"), at, ROW_KEYS)
        bar, number = self.dance.meter_map().place(at)
        text = with_value(self.text, (*path, "bar"), bar, ROW_KEYS)
        return with_value(text, (*path, "beat"), plain(number), ROW_KEYS)


def insert(now: Written, move: Any, at: Any, track: Any = "") -> str:
    """Puts a move with its usual values on a beat; a recording goes on a track."""
    known = now.move(move)
    where = str(track) if known is None else known.track
    if where not in TRACKS:
        raise unknown_name("track", where[:40], TRACKS)
    return _with_row(now, where, {"move": move, "at": beat(at)})


def copy(now: Written, track: Any, row: Any, at: Any) -> str:
    """Puts a block once more on another beat."""
    _, d = now.block(track, row)
    usual = MoveDescription()
    said = {
        name: plain(getattr(d, name))
        for name in ROW_KEYS
        if getattr(d, name) != getattr(usual, name)
    }
    place = {"move": d.move, "at": beat(at)}
    rest = {n: x for n, x in said.items() if n not in ("move", "at", "bar", "beat")}
    return _with_row(now, str(track), place | rest)


def _with_row(now: Written, track: str, row: Mapping[str, Any]) -> str:
    """A new row, after those that start before it."""
    dance = now.dance
    meter = dance.meter_map()
    starts = [d.start(meter) for d in dance.tracks.get(track, [])]
    index = max((i + 1 for i, s in enumerate(starts) if s <= row["at"]), default=0)
    return with_item(now.text, ("tracks", track), index, dict(row), TRACKS)


def move(now: Written, track: Any, row: Any, at: Any) -> str:
    """Puts a block on another beat."""
    return now.put_at(*now.block(track, row), at)


def stretch(now: Written, track: Any, row: Any, at: Any, beats: Any) -> str:
    """Gives a block another start and length, of each of its repetitions."""
    path, d = now.block(track, row)
    length = number("beats", beats, SHORTEST, LATEST)
    text = with_value(now.text, (*path, "beats"), length, ROW_KEYS)
    if beat(at) != plain(d.start(now.dance.meter_map())):
        text = Written(text, now.folder).put_at(path, d, at)
    return text


def delete(now: Written, track: Any, row: Any) -> str:
    """Takes a block away."""
    return without(now.text, now.block(track, row)[0])


def mirror(now: Written, track: Any, row: Any) -> str:
    """Exchanges left and right of a block, or back."""
    path, d = now.block(track, row)
    if d.mirror:
        return without(now.text, (*path, "mirror"))
    return with_value(now.text, (*path, "mirror"), True, ROW_KEYS)


def value(now: Written, track: Any, row: Any, name: Any, value: Any) -> str:
    """Sets a parameter of the move of a block."""
    path, d = now.block(track, row)
    known = now.move(d.move)
    if known is None:
        raise BackbeatError(f"{d.move} is a recording, which has no parameters")
    given = number(str(name)[:60], value, -1e9, 1e9)
    known.values({str(name): given}, f"beat {d.start(now.dance.meter_map()):g}")
    if not d.values:
        return with_value(now.text, (*path, "values"), {name: given}, ROW_KEYS)
    return with_value(now.text, (*path, "values", name), given, [*known.parameters])


def option(now: Written, track: Any, row: Any, key: Any, value: Any) -> str:
    """Sets another key of a block, such as repeat or blend."""
    path, _ = now.block(track, row)
    if key not in OPTIONS:
        raise unknown_name("key of a move that can be set", str(key)[:40], OPTIONS)
    return with_value(now.text, (*path, key), plain(value), ROW_KEYS)


def setting(now: Written, key: Any, value: Any) -> str:
    """Sets a key of the whole dance, such as its tempo or length."""
    if key not in DANCE_KEYS:
        raise unknown_name("key of a dance that can be set", str(key)[:40], DANCE_KEYS)
    text = with_value(now.text, (key,), plain(value), ORDER)
    dance = read_dance(text)
    if any(dance.tracks.values()):
        dance.check_grid()
    else:
        dance.meter_map()
    return text


def music(now: Written, backing: Any, offset: Any) -> str:
    """Names a recording that plays along, and where in it the dance begins."""
    return with_music(now.text, backing, offset, ORDER)


def with_music(text: str, backing: Any, offset: Any, order: Sequence[str]) -> str:
    """A text with another recording that plays along.

    Args:
        text: of a file with keys `backing` and `offset`.
        backing: name of the recording; "" to take both keys away.
        offset: where in it the music begins [s].
        order: keys as they follow each other.

    Raises:
        BackbeatError: a name that is none, or no such time.
    """
    name = str(backing)
    if not isinstance(backing, str) or Path(name).name != name or len(name) > LONGEST:
        raise BackbeatError(
            "a recording is named as a file beside this one, without a path, in up to "
            f"{LONGEST} letters"
        )
    given = number("the offset", offset, -LATEST, LATEST)
    for key, value in (("backing", name), ("offset", given)):
        if name:
            text = with_value(text, (key,), value, order)
        elif key in read_tree(text, "the file"):
            text = without(text, (key,))
    return text


EDITS: dict[str, Callable[..., str]] = {
    act.__name__: act
    for act in (
        insert,
        copy,
        move,
        stretch,
        delete,
        mirror,
        value,
        option,
        setting,
        music,
    )
}


def beat(at: Any) -> float:
    """A beat on which a block may start, as it is written."""
    return number("the beat", at, 0, LATEST)


def number(what: str, given: Any, low: float, high: float) -> float:
    """A number within its range, as it is written.

    Raises:
        BackbeatError: it is none, or out of range.
    """
    is_number = isinstance(given, (int, float)) and not isinstance(given, bool)
    if not is_number or not low <= given <= high:
        raise BackbeatError(
            f"{what} is a number from {low:g} to {high:g}, not {given!r:.40}"
        )
    found: float = plain(given)
    return found


def plain(given: Any) -> Any:
    """Numbers with few digits, and whole ones without a point; also in mappings."""
    if isinstance(given, dict):
        return {key: plain(item) for key, item in given.items()}
    if isinstance(given, float):
        near = round(given, DIGITS)
        return int(near) if near.is_integer() else near
    return given
