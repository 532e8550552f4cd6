"""`backbeat moves`: what a choreography can be made of."""

from pathlib import Path
from typing import Annotated

import typer


def command(
    folder: Annotated[
        Path, typer.Option(help="Folder of a choreography with moves of its own.")
    ] = Path(),
) -> None:
    """Lists the moves of the dance vocabulary with their parameters."""
    from rich.console import Console
    from rich.table import Table

    from behaviors.dance.move import TRACKS
    from behaviors.dance.move_file import vocabulary

    table = Table("track", "move", "beats", "what it does", "parameters")
    moves = vocabulary(folder).values()
    for move in sorted(moves, key=lambda m: (TRACKS.index(m.track), m.name)):
        parameters = ", ".join(
            f"{n} {p.default:g} {p.unit} ({p.least:g} to {p.most:g})"
            for n, p in move.parameters.items()
        )
        leads = f"; leads to {move.exit}" if move.exit else ""
        beats = f"{move.usual_beats(move.defaults()):g}"
        table.add_row(move.track, move.name, beats, move.summary + leads, parameters)
    Console().print(table)
