"""`backbeat moves`: what a choreography can be made of."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.text import Text

    from backbeat.behaviors.dance.vocabulary.move import Move


def command(
    folder: Annotated[
        Path, typer.Option(help="Folder of a dance with moves of its own.")
    ] = Path(),
) -> None:
    """Lists the moves of the dance vocabulary with their parameters."""
    from rich import box
    from rich.table import Table

    from backbeat.behaviors.dance.vocabulary.move import TRACKS
    from backbeat.behaviors.dance.vocabulary.move_file import vocabulary
    from backbeat.cli.common.console import Screen
    from backbeat.models.common.errors import BackbeatError

    if not folder.is_dir():
        raise BackbeatError(
            f"there is no folder {folder}; name the one that a choreography is in"
        )
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 0, 0, 1))
    for name in ("track", "move"):
        table.add_column(name, no_wrap=True)
    table.add_column("beats", justify="right")
    table.add_column("what it does, and what belongs on the beat")
    table.add_column("parameters:\nusual, least to most", no_wrap=True)
    moves = sorted(
        vocabulary(folder).values(), key=lambda m: (TRACKS.index(m.track), m.name)
    )
    for before, move in zip([None, *moves], moves, strict=False):
        is_first = before is None or before.track != move.track
        if is_first and before is not None:
            table.add_section()
        parameters = "\n".join(
            f"{n} {p.default:g} {p.unit}, {p.least:g} to {p.most:g}"
            for n, p in move.parameters.items()
        )
        beats = f"{move.usual_beats(move.defaults()):g}"
        track = move.track if is_first else ""
        table.add_row(track, move.name, beats, _text(move), parameters)
    Screen().print(table)


def _text(move: "Move") -> "Text":
    """What a move does; on a line of its own what belongs on which of its beats."""
    from rich.text import Text

    text = Text(move.summary + (f"; leads to {move.exit}" if move.exit else ""))
    if move.marker is not None:
        beat = 1 + move.marker.at * move.length(move.defaults())
        text.append(f"\nbeat {beat:g}: {move.marker.what}", "dim")
    return text
