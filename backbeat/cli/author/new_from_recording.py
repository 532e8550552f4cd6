"""A dance to start from, of a recorded motion."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from math import ceil, floor
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from backbeat.cli.author.new_for_robot import ATLAS

if TYPE_CHECKING:
    from backbeat.behaviors.dance.recordings.description import RecordingDescription
    from backbeat.behaviors.recording.planted_feet import Interval

RECORDING = """\
# A dance from a recording. Check it, build it, and watch it:
#   backbeat check {path}
#   backbeat build {path}
#   backbeat play {name}
# docs/how_to/recordings.md has all keys.
kind: dance
name: {name}
summary: {title} dances what was recorded.
{robot}bpm: 98
# Length in beats, with a beat or two at the end to come to rest.
beats: {beats}
recordings:
  take-1:
    file: {file}
{said}    # Beats from the dance's posture to its first sample, and back from its last.
    lead: 1
    # Beats to stretch it to; without this line it has its own duration.
    # beats: {own}
{planted}
tracks:
  {track}:
    # Its first sample is on the beat after the lead. mirror, repeat, blend and other
    # moves work as with any move.
    - {{move: take-1, at: 1}}
"""


def recorded_dance_files(
    name: str,
    folder: Path,
    recording: Path,
    described: "RecordingDescription",
    robot: str = ATLAS,
) -> dict[Path, str | bytes]:
    """A choreography of a recording, by path; says what was found in it.

    A dance refers to what lies beside or below it alone, so that a recording from
    elsewhere is copied to it.

    Args:
        name: of the dance.
        folder: that it is written to.
        recording: the motion file.
        described: what the user says about it; its file is set here.
        robot: that dances.

    Raises:
        BackbeatError: the name is not one of a behavior, or the recording is of no use;
            or there is no such robot.
    """
    from backbeat.behaviors.dance.choreography import DanceSpecification
    from backbeat.behaviors.library.stored import check_name
    from backbeat.cli.author.new_for_robot import robot_to_start
    from backbeat.cli.common.other_robot import placed_robot

    path = folder / f"{check_name(name)}.yaml"
    described.file = recording.name
    skeleton = described.skeleton
    if skeleton:
        described.skeleton = os.path.relpath(skeleton, recording.parent)
    dance = DanceSpecification(name=name, recordings={"take-1": described})
    title, lines = "Atlas", ""
    if robot != ATLAS:
        own = robot_to_start(robot, folder)
        title, lines = own.model.name, f"{own.lines}\n"
        dance.robot, dance.start = placed_robot(robot), own.start
    move = dance.recorded(recording.parent, ["take-1"])["take-1"]
    for note in (*move.notes, *move.changes):
        typer.echo(note)
    length = move.length({})
    file, copies = _placed(folder, recording, described, skeleton)
    text = RECORDING.format(
        name=name,
        title=title,
        robot=lines,
        path=path,
        file=file,
        said="".join(_said(described, bool(move.planted))),
        planted=_planted(move.planted),
        track=move.track,
        beats=int(length + 4),
        own=round(length - 2),
    )
    return {path: text, **copies}


def _placed(
    folder: Path, recording: Path, described: "RecordingDescription", skeleton: str
) -> tuple[str, dict[Path, str | bytes]]:
    """What a dance in a folder calls a recording, and copies of what lies elsewhere."""
    from backbeat.models.common.outside_file import leaves, read_bytes

    if not leaves(folder, recording):
        if skeleton:
            described.skeleton = os.path.relpath(skeleton, folder)
        return os.path.relpath(recording, folder), {}
    copies: dict[Path, str | bytes] = {
        folder / recording.name: read_bytes(recording, "take")
    }
    if skeleton:
        copies[folder / described.skeleton] = read_bytes(skeleton, "YAML")
    return recording.name, copies


def _said(described: "RecordingDescription", has_feet: bool) -> Iterator[str]:
    """Keys that the user gave, as lines; the part too, unless the feet decide on it."""
    keys = ["format", "unit", "length", "quaternion", "up", "rate", "skeleton", "jumps"]
    if not has_feet:
        keys += ["start", "end"]
    for key in keys:
        if (value := getattr(described, key)) not in ("", None):
            yield f"    {key}: {value}\n"
    if described.ignore:
        yield f"    ignore: [{', '.join(map(json.dumps, described.ignore))}]\n"


def _planted(intervals: "Mapping[str, Sequence[Interval]]") -> str:
    """Keys for when each foot stands; "" without legs.

    Args:
        intervals: by foot, in seconds of the file.
    """
    if not intervals:
        return ""
    first, last = (intervals["left"][i][i] for i in (0, -1))
    feet = "".join(
        f"      {foot}: [{', '.join(f'[{_s(a)}, {_s(b)}]' for a, b in times)}]\n"
        for foot, times in intervals.items()
    )
    return (
        "    # The part that begins and ends with both feet on the ground [s].\n"
        f"    start: {ceil(100 * first - 1e-6) / 100:.2f}\n"
        f"    end: {floor(100 * last + 1e-6) / 100:.2f}\n"
        "    # Times at which each foot stands, in seconds of the file, as found.\n"
        f"    planted:\n{feet}"
    )


def _s(time: float) -> str:
    """A time of the file; jumps have milliseconds [s]."""
    said = f"{time:.3f}"
    return said.removesuffix("0")
