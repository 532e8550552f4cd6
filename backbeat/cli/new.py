"""`backbeat new`: a commented specification to start from, in the user's folder."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

DRUMMING = """\
# A drummer for the score in scores/{name}.yaml. Build it, and watch it play:
#   backbeat build {path}
#   backbeat play {name}
kind: drumming
name: {name}
summary: Atlas drums a song of my own.
score: {name}
# "chair": sits on the kit's chair; "none": stands.
seat: chair
# How a drum is struck: apex between hits [m], speed of the tip at the head [m/s].
stroke: {{apex: 0.13, speed: 1.5}}
"""
SCORE = """\
# A score: parts follow each other. docs/scores.md has all keys.
title: {name}
bpm: 98
beats_per_bar: 4
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
# docs/dances.md has all keys.
kind: dance
name: {name}
summary: Atlas dances a dance of my own.
bpm: 98
beats_per_bar: 4
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


def command(
    kind: Annotated[str, typer.Argument(help="Kind of behavior: drumming or dance.")],
    name: Annotated[str, typer.Argument(help="Its name: small letters, digits, '-'.")],
    folder: Annotated[Path, typer.Option(help="Where to put it.")] = Path(),
) -> None:
    """Writes a specification that builds as it is, with comments on what to change."""
    from models.errors import unknown_name

    if kind not in KINDS:
        raise unknown_name("kind to start from", kind, KINDS)
    for path in write_new(KINDS[kind](name, folder)):
        typer.echo(f"wrote {path}")
    typer.echo(f"next: backbeat build {folder / name}.yaml")


def write_new(files: dict[Path, str]) -> list[Path]:
    """Writes files that are not there yet.

    Raises:
        BackbeatError: one of them exists; none is written then.
    """
    from models.atomic_file import replacing
    from models.errors import BackbeatError

    for path in files:
        if path.exists() or path.is_symlink():
            raise BackbeatError(
                f"{path} exists and is left as it is; choose another name or folder"
            )
    for path, text in files.items():
        with replacing(path) as file:
            file.write(text.encode())
    return list(files)


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


KINDS: dict[str, Callable[[str, Path], dict[Path, str]]] = {
    "drumming": drumming_files,
    "dance": dance_files,
}
