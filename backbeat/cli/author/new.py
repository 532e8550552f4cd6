"""`backbeat new`: a commented specification to start from, in the user's folder."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated

import typer

from backbeat.cli.author.new_for_robot import ATLAS
from backbeat.cli.author.new_from_recording import recorded_dance_files
from backbeat.cli.common.completion import kinds
from backbeat.cli.common.take_options import (
    NO_OPTIONS,
    TakeOptions,
    with_take_options,
)

DRUMMING = """\
# A drummer for the score in scores/{name}.yaml. Build it, and watch it play:
#   backbeat build {path}
#   backbeat play {name}
kind: drumming
name: {name}
summary: {title} drums a song of my own.
{robot}score: {name}
kit: drum-kit
seat: chair
stroke: {{apex: 0.13, speed: 1.5}}
"""
SCORE = """\
# A score: parts in order of time. docs/reference/keys.md has all keys.
title: {name}
bpm: 98
meter: 4/4  # a beat is a quarter note in all meters
steps_per_beat: 2  # eighths; 3 for triplets, 4 for sixteenths
swing: 0.5  # straight; 0.667 swings
absent: drop
# A recording of your own, beside this file, that plays along.
# backing: my-song.wav

parts:
  # A drummer starts at rest: both sticks on a drum, while the torso sways.
  - name: ready
    hold: 5
    rest: {{left: snare, right: floor_tom}}

  # Lines of hands: numbers of drums (1 hi-hat, 2 crash, 3 snare, 4 high tom, 5 mid tom,
  # 6 floor tom, 7 ride), "-" rests, "!" accents, "?" ghost notes.
  - name: verse
    left:  "- 1 - 3! - 1 - 3! | - 1 - 3! - 1 - 3!"
    right: "7 - 7 -  7 - 7 -  | 7 - 7 -  6 - 6 - "

  # Tablature: x and o hits, X and O accents, g ghost notes; hands are chosen.
  - name: chorus
    tab: |
      HH|x-x-x-x-|x-x-x-x-|
      SN|--O---O-|--O---Og|
      BD|o---o---|o---o---|

  # Hits at exact times. A part may have its own tempo and meter:
  # bpm: 110, end_bpm: 120, meter: "3/4".
  - name: ending
    hits:
      - {{bar: 1, beat: 1, member: snare, velocity: 115}}
      - {{bar: 1, beat: 2.5, member: hi_hat}}
      - {{bar: 1, beat: 3, member: floor_tom, hand: right}}

  # Hands can be sent to a drum or a place within some beats, with or without a hit:
  # - {{name: away, goto: 2, to: {{right: ride}}, place: {{left: [0.35, 0.25, 1.0]}}}}
  - name: rest
    hold: 5
    rest: {{left: snare, right: floor_tom}}
"""
DANCE = """\
# A dance. Check it, build it, and watch it:
#   backbeat check {path}
#   backbeat build {path}
#   backbeat play {name}
# `backbeat moves` lists all moves, `backbeat play --move wave` shows one alone, and
# docs/reference/keys.md has all keys.
kind: dance
name: {name}
summary: Atlas dances a dance of my own.
bpm: 98
meter: 4/4  # a beat is a quarter note in all meters
beats: 32
beat_priority: 0.5

tracks:
  # Moves on different tracks run at the same time. 'at' is a beat counted from 0;
  # bar: 2, beat: 1 says the same as at: 4.
  legs:
    - {{move: bounce, at: 2, beats: 10, values: {{depth: 0.06}}}}
    - {{move: sway, at: 4, beats: 8}}
    # Twice, the second time mirrored: to the left, and back to the right.
    - {{move: side-step, at: 12, repeat: 2, alternate: true}}
    - {{move: squat, at: 21, beats: 6}}
  body:
    - {{move: twist, at: 4, beats: 8, values: {{angle: 0.2}}}}
  arms:
    - {{move: pump, at: 4, beats: 8}}
    # blend fades over from the move before, in two beats; tracking: 0 soft, 1 stiff.
    - {{move: wave, at: 12, beats: 8, blend: 2, tracking: 0.6}}
    # A move with more beats than it needs waits at its marker.
    - {{move: raise, at: 21, beats: 6}}
  head:
    - {{move: nod, at: 2, beats: 10}}
"""


@with_take_options
def command(
    kind: Annotated[
        str,
        typer.Argument(
            help="Kind of behavior: drumming, dance or posture.",
            autocompletion=kinds,
        ),
    ],
    name: Annotated[str, typer.Argument(help="Its name: small letters, digits, '-'.")],
    folder: Annotated[Path, typer.Option(help="Folder to write it to.")] = Path(),
    recording: Annotated[
        Path | None,
        typer.Option(help="Motion file that a dance starts from."),
    ] = None,
    robot: Annotated[
        str, typer.Option(help="Name of a robot that ships, or path of a robot YAML.")
    ] = ATLAS,
    take_options: TakeOptions = NO_OPTIONS,
) -> None:
    """Writes a specification that builds as it is, with comments on what to change."""
    from backbeat.cli.author.schema import with_schemas
    from backbeat.models.common.atomic_file import replacing
    from backbeat.models.common.errors import BackbeatError, unknown_name

    if kind not in KINDS:
        raise unknown_name("kind to start from", kind, KINDS)
    if recording is None and take_options.are_given:
        raise BackbeatError("name the recording that this is of: --recording FILE")
    files: dict[Path, str | bytes]
    if recording is None:
        files = {**KINDS[kind](name, folder, robot)}
    elif kind == "dance":
        described = take_options.described()
        files = recorded_dance_files(name, folder, recording, described, robot)
    else:
        raise BackbeatError("only a dance starts from a recording")
    schemas = with_schemas(files, folder)
    written = write_new(files)
    for path, text in schemas.items():
        path.parent.mkdir(exist_ok=True)
        with replacing(path) as file:
            file.write(text.encode())
    for path in written:
        typer.echo(f"wrote {path}")
    typer.echo(f"next: backbeat build {folder / name}.yaml")


def write_new(files: Mapping[Path, str | bytes]) -> list[Path]:
    """Writes files that are not there yet.

    Raises:
        BackbeatError: one of them exists or cannot be written; none is written then.
    """
    from backbeat.models.common.atomic_file import check_places, replacing
    from backbeat.models.common.errors import BackbeatError

    for path in files:
        if path.exists() or path.is_symlink():
            raise BackbeatError(
                f"{path} exists and is left as it is; choose another name or folder"
            )
    check_places(*files)
    written: list[Path] = []
    try:
        for path, text in files.items():
            with replacing(path) as file:
                file.write(text if isinstance(text, bytes) else text.encode())
            written.append(path)
    except BaseException:
        # Also when interrupted: one without the other is of no use.
        for path in written:
            path.unlink(missing_ok=True)
        raise
    return written


def drumming_files(name: str, folder: Path, robot: str = ATLAS) -> dict[Path, str]:
    """A drummer and its score, by path.

    Raises:
        BackbeatError: the name is not one of a behavior, or the robot has no sticks.
    """
    from backbeat.behaviors.library.stored import check_name

    path, title, line = folder / f"{check_name(name)}.yaml", "Atlas", ""
    if robot != ATLAS:
        from backbeat.cli.author.new_for_robot import drumming_line, robot_to_start

        own = robot_to_start(robot, folder)
        title, line = own.model.name, drumming_line(own)
    return {
        path: DRUMMING.format(name=name, path=path, title=title, robot=line),
        folder / "scores" / f"{name}.yaml": SCORE.format(name=name),
    }


def dance_files(name: str, folder: Path, robot: str = ATLAS) -> dict[Path, str]:
    """A choreography, by path.

    Raises:
        BackbeatError: the name is not one of a behavior, or the robot cannot dance.
    """
    from backbeat.behaviors.library.stored import check_name

    if robot != ATLAS:
        from backbeat.cli.author import new_for_robot

        own = new_for_robot.robot_to_start(robot, folder)
        return new_for_robot.dance_files(name, folder, own)

    path = folder / f"{check_name(name)}.yaml"
    return {path: DANCE.format(name=name, path=path)}


def posture_files(name: str, folder: Path, robot: str = ATLAS) -> dict[Path, str]:
    """A tour of postures, by path.

    Raises:
        BackbeatError: the name is not one of a behavior, or the robot has no posture.
    """
    from backbeat.cli.author import new_for_robot

    own = new_for_robot.robot_to_start(robot, folder)
    return new_for_robot.posture_files(name, folder, own)


KINDS: dict[str, Callable[[str, Path, str], dict[Path, str]]] = {
    "drumming": drumming_files,
    "dance": dance_files,
    "posture": posture_files,
}
