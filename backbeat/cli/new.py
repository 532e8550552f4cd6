"""`backbeat new`: a commented specification to start from, in the user's folder."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from backbeat.cli.completion import kinds

DRUMMING = """\
# A drummer for the score in scores/{name}.yaml. Build it, and watch it play:
#   backbeat build {path}
#   backbeat play {name}
kind: drumming
name: {name}
summary: Atlas drums a song of my own.
score: {name}
# The drums: drum-kit; full-kit with a kick and a hi-hat pedal for the feet of who sits;
# or a kit file of your own, see docs/kits.md.
kit: drum-kit
# "chair": sits on the kit's chair; "none": stands.
seat: chair
# How a drum is struck: apex between hits [m], speed of the tip at the head [m/s].
stroke: {{apex: 0.13, speed: 1.5}}
"""
SCORE = """\
# A score: parts follow each other. docs/keys.md has all keys.
title: {name}
bpm: 98
# Of any kind: 3/4, 7/8. A beat is a quarter note in all.
meter: 4/4
# Steps of a hand's line per beat: 2 for eighths, 3 for triplets, 4 for sixteenths.
steps_per_beat: 2
# Share of a pair of notes before the off-beat: 0.5 is straight, 0.667 swings.
swing: 0.5
# What the kit lacks, such as a kick: "drop", "map" to a drum nearby, or "refuse".
absent: drop
# A recording of your own beside this file, to play along with.
# backing: my-song.wav

parts:
  # A drummer starts at rest: both sticks on a drum, while the torso sways.
  - name: ready
    hold: 5
    rest: {{left: snare, right: floor_tom}}

  # Lines of hands: numbers of drums (1 hi-hat, 2 crash, 3 snare, 4 high tom, 5 mid tom,
  # 6 floor tom, 7 ride), "-" for nothing, "!" accents, "?" ghost notes.
  - name: verse
    left:  "- 1 - 3! - 1 - 3! | - 1 - 3! - 1 - 3!"
    right: "7 - 7 -  7 - 7 -  | 7 - 7 -  6 - 6 - "

  # Tablature: x and o hits, X and O accents, g ghost notes; hands are found.
  - name: chorus
    tab: |
      HH|x-x-x-x-|x-x-x-x-|
      SN|--O---O-|--O---Og|
      BD|o---o---|o---o---|

  # Hits one by one. A part may have a tempo and a meter of its own:
  # bpm: 110, end_bpm: 120, meter: "3/4".
  - name: ending
    hits:
      - {{bar: 1, beat: 1, member: snare, velocity: 115}}
      - {{bar: 1, beat: 2.5, member: hi_hat}}
      - {{bar: 1, beat: 3, member: floor_tom, hand: right}}

  # Hands can be sent to a drum or a place within some beats, with a hit or without:
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
# docs/keys.md has all keys.
kind: dance
name: {name}
summary: Atlas dances a dance of my own.
bpm: 98
# Of any kind: 3/4, 7/8. A beat is a quarter note in all.
meter: 4/4
# Length in beats; leave a beat or two at the end to come to rest.
beats: 32
# 0 saves the balance first, 1 holds the beat at any price.
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
    # blend grows out of the move before, two beats long; tracking 0 is soft, 1 stiff.
    - {{move: wave, at: 12, beats: 8, blend: 2, tracking: 0.6}}
    # A move that is given more beats than it takes waits at its marker.
    - {{move: raise, at: 21, beats: 6}}
  head:
    - {{move: nod, at: 2, beats: 10}}
"""
RECORDING = """\
# A dance from a recording. Check it, build it, and watch it:
#   backbeat check {path}
#   backbeat build {path}
#   backbeat play {name}
# docs/recordings.md has all keys.
kind: dance
name: {name}
summary: Atlas dances what was recorded.
bpm: 98
# Length in beats, with a beat or two at the end to come to rest.
beats: {beats}
recordings:
  take-1:
    file: {file}
    unit: {unit}
    # Beats to get into its first posture, and back from its last.
    lead: 1
    # Stretch it to so many beats; without this it has its own time.
    # beats: {own}
{planted}
tracks:
  {track}:
    # Its first sample is on the beat after the lead. mirror, repeat, blend and other
    # moves work as with any move.
    - {{move: take-1, at: 1}}
"""


def command(
    kind: Annotated[
        str,
        typer.Argument(
            help="Kind of behavior: drumming or dance.", autocompletion=kinds
        ),
    ],
    name: Annotated[str, typer.Argument(help="Its name: small letters, digits, '-'.")],
    folder: Annotated[Path, typer.Option(help="Where to put it.")] = Path(),
    recording: Annotated[
        Path | None,
        typer.Option(help="CSV file of joint angles that a dance starts from."),
    ] = None,
    unit: Annotated[
        str, typer.Option(help="Of the recording: radians or degrees.")
    ] = "",
) -> None:
    """Writes a specification that builds as it is, with comments on what to change."""
    from models.errors import BackbeatError, unknown_name

    if kind not in KINDS:
        raise unknown_name("kind to start from", kind, KINDS)
    if recording is None and unit:
        raise BackbeatError("name the recording that the unit is of: --recording FILE")
    if recording is None:
        files = KINDS[kind](name, folder)
    elif kind == "dance":
        if not unit:
            raise BackbeatError(f"say --unit radians or --unit degrees of {recording}")
        files = recorded_dance_files(name, folder, recording, unit)
    else:
        raise BackbeatError("only a dance starts from a recording")
    for path in write_new(files):
        typer.echo(f"wrote {path}")
    typer.echo(f"next: backbeat build {folder / name}.yaml")


def write_new(files: dict[Path, str]) -> list[Path]:
    """Writes files that are not there yet.

    Raises:
        BackbeatError: one of them exists or cannot be written; none is written then.
    """
    from models.atomic_file import check_places, replacing
    from models.errors import BackbeatError

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
                file.write(text.encode())
            written.append(path)
    except BaseException:
        # Also when interrupted: one without the other is of no use.
        for path in written:
            path.unlink(missing_ok=True)
        raise
    return written


def drumming_files(name: str, folder: Path) -> dict[Path, str]:
    """A drummer and its score, by path.

    Raises:
        BackbeatError: the name is not one of a behavior.
    """
    from behaviors.library import check_name

    path = folder / f"{check_name(name)}.yaml"
    return {
        path: DRUMMING.format(name=name, path=path),
        folder / "scores" / f"{name}.yaml": SCORE.format(name=name),
    }


def dance_files(name: str, folder: Path) -> dict[Path, str]:
    """A choreography, by path.

    Raises:
        BackbeatError: the name is not one of a behavior.
    """
    from behaviors.library import check_name

    path = folder / f"{check_name(name)}.yaml"
    return {path: DANCE.format(name=name, path=path)}


def recorded_dance_files(
    name: str, folder: Path, recording: Path, unit: str
) -> dict[Path, str]:
    """A choreography of a recording, by path; says what was found in it.

    A dance refers to what lies beside or below it alone, so that a recording from
    elsewhere is copied to it.

    Raises:
        BackbeatError: the name is not one of a behavior, or the recording is of no use.
    """
    import os

    from behaviors.dance.choreography import DanceSpecification
    from behaviors.dance.recorded_move import RecordingDescription
    from behaviors.library import check_name
    from models.outside_file import leaves, read_text

    path = folder / f"{check_name(name)}.yaml"
    described = RecordingDescription(file=recording.name, unit=unit)
    dance = DanceSpecification(name=name, recordings={"take-1": described})
    move = dance.recorded(recording.parent, ["take-1"])["take-1"]
    for note in (*move.notes, *move.changes):
        typer.echo(note)
    planted = "".join(
        f"      {foot}: [{', '.join(f'[{a:.2f}, {b:.2f}]' for a, b in times)}]\n"
        for foot, times in move.planted.items()
    )
    if planted:
        found = "    # When each foot stands, in seconds of the file, as found.\n"
        planted = f"{found}    planted:\n{planted}"
    length = move.length({})
    copies: dict[Path, str] = {}
    file = os.path.relpath(recording, folder)
    if leaves(folder, recording):
        copies, file = (
            {folder / recording.name: read_text(recording, "CSV")},
            recording.name,
        )
    text = RECORDING.format(
        name=name,
        path=path,
        file=file,
        unit=unit,
        planted=planted,
        track=move.track,
        beats=int(length + 4),
        own=round(length - 2),
    )
    return {path: text, **copies}


KINDS: dict[str, Callable[[str, Path], dict[Path, str]]] = {
    "drumming": drumming_files,
    "dance": dance_files,
}
