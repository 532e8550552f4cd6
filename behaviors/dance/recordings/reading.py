"""What a dance has of a recording, which is read once and kept."""

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from backbeat.behaviors.cuts.finding import find_parts
from backbeat.behaviors.recording.contacts.foot_roll import KeptFeet
from backbeat.behaviors.recording.dance_offsets import DanceOffsets, dance_offsets
from backbeat.behaviors.recording.planted_feet import Interval
from backbeat.behaviors.recording.steps import kept_steps
from backbeat.behaviors.recording.take_file import read_take
from backbeat.behaviors.takes.edits import BESIDE, edited, kept
from backbeat.behaviors.takes.take import Conventions, Take
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel

# Recordings that are kept after they were read.
READ = 4


@dataclass(frozen=True)
class RecordingSource:
    """What a recorded move was made of.

    Attributes:
        path: its file.
        digest: SHA-256 of the file.
        take: what that holds.
        span: first and last time that were asked for [s].
        joints: names or groups that were taken; all if there are none.
        found: what is found in it.
        offsets: what a dance has of it: that, or in part what an earlier version had.
    """

    path: Path
    digest: str
    take: Take
    span: Interval
    joints: tuple[str, ...]
    found: DanceOffsets
    offsets: DanceOffsets


class RecordingRequest(NamedTuple):
    """What a dance says of a recording, for `read_recording`."""

    told: Conventions
    joints: tuple[str, ...]
    stands: tuple[tuple[Any, ...], ...] | None
    part: tuple[float | None, float | None]
    kept: KeptFeet


@lru_cache(maxsize=READ)
def read_recording(
    path: str | Path,
    _digests: tuple[str, ...],
    request: RecordingRequest,
    robot: RobotModel,
    q_start: tuple[float, ...],
    where: str,
) -> tuple[Take, Interval, DanceOffsets]:
    """A recording, which part of it is taken, and what a dance has of that.

    A build checks a dance and then plans it, and a dance that is being written is read
    at every save: what was read last is kept, by the hashes of its files.
    """
    told, joints, stands, (start, end), feet = request
    recording = read_take(path, robot, told)
    first = float(recording.t[0]) if start is None else start
    last = float(recording.t[-1]) if end is None else end
    planted = None if stands is None else {f: list(rows) for f, *rows in stands}
    start_array, span = np.array(q_start), (first, last)
    if planted is None:
        _check_floor(recording, robot, request, where)
    found = dance_offsets(
        recording, robot, start_array, where, joints, planted, span, feet
    )
    notes = (s for s in (recording.said, *recording.notes, *found.notes) if s)
    return recording, span, replace(found, notes=tuple(notes))


def _check_floor(
    take: Take, robot: RobotModel, request: RecordingRequest, where: str
) -> None:
    """Refuses what a robot on its feet cannot do.

    Raises:
        BackbeatError: something else than soles is on the floor, or it falls.
    """
    recorded = [robot.joint_index(name) for name in take.joints]
    taken = robot.joint_indices(request.joints) if request.joints else recorded
    if not np.isin(taken, robot.leg_joints).any():
        return
    parts = find_parts(take, robot, *request.part, where)
    if not parts.is_whole:
        way = "; take one with 'start' and 'end'" if parts.parts else ""
        raise BackbeatError(f"{where}: {parts.sentence()}{way}")


def near_before(after: RecordingSource, before: RecordingSource) -> RecordingSource:
    """A later version, as the earlier one where they differ slightly.

    What is slight is told from what was found in each version, so that edit after edit
    does not add up what an earlier one left as it was.
    """
    new, old, found = after.found, before.offsets, before.found
    same = new.offsets.keys() == old.offsets.keys() and np.array_equal(new.t, old.t)
    if new is old or not same or len(new.steps) != len(old.steps):
        return after
    first, last = edited(before.take, after.take)
    stands = [x for rows in new.planted.values() for row in rows for x in row]
    t = new.t + (min(stands) if stands else after.span[0])
    far = (t < first - BESIDE) | (t > last + BESIDE)
    offsets = {
        n: kept(old.offsets[n], x, far, found.offsets[n])
        for n, x in new.offsets.items()
    }
    steps = kept_steps(old.steps, new.steps, found.steps)
    return replace(after, offsets=replace(new, offsets=offsets, steps=steps))
