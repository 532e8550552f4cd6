"""Parts of a take that become behaviors, where a robot on its feet cannot do all."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from backbeat.behaviors.dance.recordings.description import RecordingDescription

LONGEST, ALL = CUTS = ("longest", "all")


def check_cut(cut: str) -> None:
    """Refuses a word that names no parts.

    Raises:
        BackbeatError: the word, with those that exist.
    """
    from backbeat.models.common.errors import unknown_name

    if cut and cut not in CUTS:
        raise unknown_name("part to keep", cut, CUTS)


def kept_parts(
    name: str, take: Path, described: "RecordingDescription", robot: str, cut: str
) -> Iterator[tuple[str, "RecordingDescription"]]:
    """What of a take becomes a behavior: names, and the take with its part.

    Raises:
        BackbeatError: it has to be cut, and none of its parts was asked for; or none
            remains.
    """
    from backbeat.behaviors.cuts.finding import find_parts
    from backbeat.behaviors.library.behavior import make_robot
    from backbeat.behaviors.recording.take_file import read_take
    from backbeat.cli.common.other_robot import placed_robot
    from backbeat.models.common.errors import BackbeatError

    model = make_robot(placed_robot(robot))
    read = read_take(take, model, described.conventions())
    found = find_parts(read, model, described.start, described.end, str(take))
    if found.is_whole:
        yield name, described
        return
    if not found.parts or not cut:
        how = "take one with --start and --end, or keep them with --cut longest or all"
        way = f"; {how}" if found.parts else ""
        raise BackbeatError(f"{take}: {found.sentence()}{way}")
    typer.echo(f"{take.name}: {found.sentence()}")
    parts = [found.longest] if cut == LONGEST else list(found.parts)
    for k, (start, end) in enumerate(parts, 1):
        kept = replace(described, start=round(start, 2), end=round(end, 2))
        yield (f"{name}-{k}" if cut == ALL else name), kept
