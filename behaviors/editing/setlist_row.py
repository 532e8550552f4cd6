"""The row of a setlist as data: entries, transitions, and what is wrong with each.

Its beats are seconds: what is not known yet has a usual length.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from backbeat.behaviors.editing.edits import plain
from backbeat.behaviors.editing.setlist_edits import OPTIONS, SETLIST_KEYS
from backbeat.behaviors.editing.timeline import Mark, TrackSheet
from backbeat.behaviors.library.robots import folder_name, robot_beside, robot_name
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.setlist.memory import REFUSED, PartState, ShowMemory
from backbeat.behaviors.setlist.specification import SetlistEntry
from backbeat.behaviors.specification.checking import check_setlist
from backbeat.behaviors.specification.kinds import SHIPPED_FOLDER, kinds, read_setlist
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.outside_file import read_text
from backbeat.models.common.yaml_file import read_tree

ROW = "behaviors"
# Length of a behavior and of a transition that is not known yet, and from mark to mark
# of the ruler [s].
UNKNOWN_LENGTH, TRANSITION, RULER = 8.0, 1.0, 5.0


@dataclass(frozen=True)
class EntryBlock:
    """An entry as it is seen.

    Attributes:
        row: which of the setlist.
        move: the behavior, as the file names it.
        start, beats: when, and how long each of its repetitions is [s].
        options: its other keys.
        phase: how far the behavior is, see `PartState`; "" before it is begun.
        before: the transition to it; None of the first.
    """

    row: int
    move: str
    start: float
    beats: float
    options: dict[str, Any]
    phase: str = ""
    before: PartState | None = None


@dataclass(frozen=True)
class SetlistRow(TrackSheet):
    """What a setlist holds: its entries, as the only track."""

    tracks: dict[str, list[EntryBlock]] = field(default_factory=dict)


def setlist_row(text: str, path: str | Path) -> SetlistRow:
    """The row of a setlist that is not made yet, checked by all rules.

    Args:
        text: the file.
        path: where it is, or will be.
    """
    path = Path(path)
    try:
        setlist = read_setlist(text, path.name)
    except BackbeatError as error:
        return SetlistRow(marks=[Mark(True, str(error))], is_read=False)
    blocks = [_block(i, entry) for i, entry in enumerate(setlist.behaviors)]
    found = (
        [item.finding for item in check_setlist(text, path, False)] if blocks else []
    )
    keys = {name: plain(getattr(setlist, name)) for name in SETLIST_KEYS}
    marks = [Mark(f.fails, f.sentence, *_place(f.path), f.fix) for f in found]
    return SetlistRow(
        name=setlist.name,
        robot=setlist.robot,
        bpm=60.0,
        keys=keys | {"equipment": ", ".join(setlist.equipment)},
        tracks={ROW: blocks},
        marks=marks,
    )


def _block(i: int, entry: SetlistEntry) -> EntryBlock:
    options = {name: plain(getattr(entry, name)) for name in OPTIONS}
    return EntryBlock(i, entry.behavior, 0.0, UNKNOWN_LENGTH, options)


def _place(path: Sequence[str | int]) -> tuple[str, int, str]:
    """Track, row and key of a place in the file."""
    if path[:1] != (ROW,) or len(path) < 2 or not isinstance(path[1], int):
        return "", -1, str(path[-1]) if path else ""
    return ROW, path[1], str(path[-1]) if len(path) > 2 else ""


def laid_out(
    sheet: SetlistRow, lengths: Mapping[str, float], memory: ShowMemory | None
) -> SetlistRow:
    """A row with what is known of its show.

    Args:
        sheet: the row.
        lengths: of behaviors [s].
        memory: of this version; None where it is of another one.
    """
    states = {} if memory is None else memory.behaviors
    transitions = () if memory is None else memory.transitions
    starts = [] if memory is None else list(memory.starts)
    at, k, blocks, marks = 0.0, 0, [], list(sheet.marks)
    for block in sheet.tracks.get(ROW, []):
        repeat, name = int(block.options["repeat"]), block.move
        state = states.get(name, PartState())
        once = state.seconds or lengths.get(name, UNKNOWN_LENGTH)
        own = transitions[max(k - 1, 0) : k - 1 + repeat]
        before = PartState() if k else None
        if k and own:
            before, own = own[0], own[1:]
        if starts[k : k + repeat]:
            at, (last, length) = starts[k][0], starts[k + repeat - 1]
            whole = last + length - at
        else:
            at += _length(before) + block.options["rest"]
            whole = once * repeat + sum(_length(t) for t in own[: repeat - 1])
        refused = [s for s in (state, before, *own) if s and s.phase == REFUSED]
        marks += [Mark(True, s.sentence, ROW, block.row) for s in refused]
        phase = state.phase if name in states else ""
        placed = replace(block, start=plain(at), beats=plain(whole / repeat))
        blocks.append(replace(placed, phase=phase, before=before))
        at, k = at + whole, k + repeat
    marked = int(at / RULER) + 1
    bars = [(RULER * i, round(RULER * i)) for i in range(marked)]
    return replace(sheet, tracks={ROW: blocks}, beats=plain(at), bars=bars, marks=marks)


def _length(transition: PartState | None) -> float:
    if transition is None:
        return 0.0
    return transition.seconds if transition.phase == "solved" else TRANSITION


def shelf(path: str | Path, robot: str, library: Library) -> list[dict[str, Any]]:
    """Behaviors that an entry may name: what ships, and files beside the setlist.

    Args:
        path: of the setlist.
        robot: that makes them.
        library: what is built; that alone has an id, a length and a picture.

    Raises:
        BackbeatError: there is no such robot.
    """
    robot = robot_beside(robot, path)
    folder = folder_name(robot_name(robot))
    built = {row["name"]: row for _, row in library.rows(robot)}
    shipped = sorted(SHIPPED_FOLDER.glob("*.yaml"))
    found = []
    for file in [*shipped, *sorted(Path(path).parent.glob("*.yaml"))]:
        try:
            tree = read_tree(read_text(file), file.name)
        except BackbeatError:
            continue  # `backbeat check` says what is wrong with it.
        kind, title = str(tree.get("kind")), str(tree.get("name"))
        if kind not in kinds():
            continue
        row = built.get(title)
        found.append(
            {
                "id": "" if row is None else f"{folder}/{title}",
                "robot": robot,
                "name": file.stem if file.parent == SHIPPED_FOLDER else file.name,
                "kind": kind,
                "seconds": None if row is None else round(float(row["duration_s"]), 1),
                "bpm": 0.0 if row is None else round(float(row["bpm"]), 1),
                "verified": row is None or bool(row["verified"]),
                "summary": str(tree.get("summary", "")),
            }
        )
    return found
