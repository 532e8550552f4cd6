"""Recorded takes of a stored behavior: read again, compared and judged."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from backbeat.behaviors.cuts.finding import find_parts
from backbeat.behaviors.cuts.take_parts import TakeParts
from backbeat.behaviors.dance.choreography import DanceSpecification
from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.recording.before_and_after import (
    BeforeAndAfter,
    before_and_after,
)
from backbeat.behaviors.recording.take_changes import (
    RecordedPart,
    TakeChanges,
    take_changes,
)
from backbeat.behaviors.recording.take_file import read_take, take_digest
from backbeat.behaviors.specification.kinds import parse_specification
from backbeat.behaviors.takes.take import Take
from backbeat.models.common.errors import BackbeatError, ended
from backbeat.models.common.outside_file import is_there


@dataclass(frozen=True)
class RecordedTake:
    """A take in a behavior.

    Attributes:
        move: the recording's name in the dance.
        part: where it is in the behavior and in the take.
        summary: a sentence of the build on how far the behavior is from it.
        changes: how far, over time; None if that cannot be said any more.
        judged: what it exceeded and the behavior does not; None if that is not known.
        parts: jumps of the whole take, and where it is not on its feet; None if that is
            not known.
        note: why something is missing, a sentence, or "".
    """

    move: str
    part: RecordedPart
    summary: str
    changes: TakeChanges | None = None
    judged: BeforeAndAfter | None = None
    parts: TakeParts | None = None
    note: str = ""


def summaries(behavior: Behavior) -> list[str]:
    """Sentences of the build on how far a behavior is from its takes."""
    return [str(entry["summary"]) for entry in _entries(behavior)]


def recorded_takes(behavior: Behavior) -> list[RecordedTake]:
    """The takes that a behavior was made of, in order of time.

    A file that is gone, or is not what it was at the build, is told in `note`.
    """
    found = [_take(behavior, entry) for entry in _entries(behavior)]
    return sorted(found, key=lambda one: one.part.start)


def changes_table(takes: Sequence[RecordedTake]) -> pd.DataFrame:
    """What changed over time, of all takes of a behavior, as one table.

    Args:
        takes: see `recorded_takes`.

    Returns:
        `recording` (its name), then the columns of `TakeChanges.table`; those that a
        take has not are NaN.

    Raises:
        BackbeatError: a take cannot be compared any more, or there is none.
    """
    if not takes:
        raise BackbeatError(
            "the behavior has no recorded take, so there is no change to write"
        )
    tables = []
    for one in takes:
        if one.changes is None:
            raise BackbeatError(one.note)
        tables.append(one.changes.table.assign(recording=one.move))
    table = pd.concat(tables, ignore_index=True)
    return table[["recording", *(c for c in table.columns if c != "recording")]]


def _entries(behavior: Behavior) -> list[Mapping[str, Any]]:
    return list(behavior.provenance.get("recordings", []))  # type: ignore[call-overload]


def _take(behavior: Behavior, entry: Mapping[str, Any]) -> RecordedTake:
    """A take, or why it cannot be compared."""
    part = RecordedPart(
        start=float(entry["start_s"]),
        end=float(entry["end_s"]),
        first=float(entry["from_s"]),
        last=float(entry["to_s"]),
        mirror=bool(entry["mirror"]),
    )
    move, file = str(entry["move"]), Path(str(entry["file"]))
    made = RecordedTake(move, part, str(entry["summary"]))
    where = f"recording {move}"
    missing = _missing(where, file, str(entry["sha256"]))
    if not 0 <= part.start < part.end <= behavior.duration + 1e-6:
        missing = f"{where}: it is no part of the behavior; build that anew."
    if missing:
        return replace(made, note=missing)
    try:
        take, joints = _read(behavior, move, file)
        take.part(part.first, part.last, where)
        robot, motion = behavior.robot_model, behavior.motion
        changes = take_changes(take, robot, motion, part, joints)
        made = replace(made, changes=changes, parts=find_parts(take, robot))
        judged = before_and_after(take, robot, motion, part, where)
        return replace(made, judged=judged)
    except BackbeatError as error:
        return replace(made, note=ended(str(error)))


def _missing(where: str, file: Path, digest: str) -> str:
    """Why a take cannot be compared; "" if it is what it was."""
    if not is_there(file):
        return (
            f"{where}: its file {file} is gone, so that its changes cannot be shown; "
            "put it there again, or build the behavior anew."
        )
    try:
        now = take_digest(file)
    except BackbeatError as error:
        return ended(f"{where}: {error}")
    if now != digest:
        return (
            f"{where}: its file {file} is not what it was when the behavior was built, "
            "so that its changes cannot be shown; build the behavior anew."
        )
    return ""


def _read(behavior: Behavior, move: str, file: Path) -> tuple[Take, list[str]]:
    """A take, read as its dance says, and the joints that are taken.

    Raises:
        BackbeatError: it cannot be read, or the dance has no such recording.
    """
    dance = parse_specification(behavior.specification, behavior.name)
    if not isinstance(dance, DanceSpecification) or move not in dance.recordings:
        raise BackbeatError(
            f"{behavior.name}: its specification has no recording {move!r}; build it "
            "anew"
        )
    described = dance.recordings[move]
    told = described.conventions()
    if described.skeleton:
        # The take lies beside or below the dance, and so does the map.
        folder = file.parents[len(Path(described.file).parts) - 1]
        told = replace(told, skeleton=folder / described.skeleton)
    return read_take(file, behavior.robot_model, told), described.joints
