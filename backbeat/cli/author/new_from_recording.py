"""A dance to start from, of a recording of joint angles."""

import os
from collections.abc import Mapping, Sequence
from math import ceil, floor
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from backbeat.cli.author.new_for_robot import ATLAS

if TYPE_CHECKING:
    from backbeat.behaviors.recording.planted_feet import Interval

RECORDING = """\
# A dance from a recording. Check it, build it, and watch it:
#   backbeat check {path}
#   backbeat build {path}
#   backbeat play {name}
# docs/recordings.md has all keys.
kind: dance
name: {name}
summary: {title} dances what was recorded.
{robot}bpm: 98
# Length in beats, with a beat or two at the end to come to rest.
beats: {beats}
recordings:
  take-1:
    file: {file}
    unit: {unit}
    # Beats from the dance's posture to its first sample, and back from its last.
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
    name: str, folder: Path, recording: Path, unit: str, robot: str = ATLAS
) -> dict[Path, str]:
    """A choreography of a recording, by path; says what was found in it.

    A dance refers to what lies beside or below it alone, so that a recording from
    elsewhere is copied to it.

    Raises:
        BackbeatError: the name is not one of a behavior, or the recording is of no use;
            or there is no such robot.
    """
    from backbeat.behaviors.dance.choreography import DanceSpecification
    from backbeat.behaviors.dance.recorded_move import RecordingDescription
    from backbeat.behaviors.library.stored import check_name
    from backbeat.cli.author.new_for_robot import robot_to_start
    from backbeat.models.common.outside_file import leaves, read_text
    from backbeat.models.robot.description import find_description

    path = folder / f"{check_name(name)}.yaml"
    described = RecordingDescription(file=recording.name, unit=unit)
    dance = DanceSpecification(name=name, recordings={"take-1": described})
    title, lines = "Atlas", ""
    if robot != ATLAS:
        own = robot_to_start(robot, folder)
        title, lines = own.model.name, f"{own.lines}\n"
        dance.robot, dance.start = str(find_description(robot).resolve()), own.start
    move = dance.recorded(recording.parent, ["take-1"])["take-1"]
    for note in (*move.notes, *move.changes):
        typer.echo(note)
    length = move.length({})
    copies: dict[Path, str] = {}
    file = os.path.relpath(recording, folder)
    if leaves(folder, recording):
        file = recording.name
        copies = {folder / file: read_text(recording, "CSV")}
    text = RECORDING.format(
        name=name,
        title=title,
        robot=lines,
        path=path,
        file=file,
        unit=unit,
        planted=_planted(move.planted),
        track=move.track,
        beats=int(length + 4),
        own=round(length - 2),
    )
    return {path: text, **copies}


def _planted(intervals: "Mapping[str, Sequence[Interval]]") -> str:
    """Keys for when each foot stands; "" without legs.

    Args:
        intervals: by foot, in seconds of the file.
    """
    if not intervals:
        return ""
    first, last = (intervals["left"][i][i] for i in (0, -1))
    feet = "".join(
        f"      {foot}: [{', '.join(f'[{a:.2f}, {b:.2f}]' for a, b in times)}]\n"
        for foot, times in intervals.items()
    )
    return (
        "    # The part that begins and ends with both feet on the ground [s].\n"
        f"    start: {ceil(100 * first - 1e-6) / 100:.2f}\n"
        f"    end: {floor(100 * last + 1e-6) / 100:.2f}\n"
        "    # Times at which each foot stands, in seconds of the file, as found.\n"
        f"    planted:\n{feet}"
    )
