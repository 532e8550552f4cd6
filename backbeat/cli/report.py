"""`backbeat report`: a behavior as one page to read."""

from pathlib import Path
from typing import Annotated

import typer


def command(
    name: Annotated[str, typer.Argument(help="Behavior in the library.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="HTML file to write.")
    ] = None,
    library: Annotated[Path, typer.Option(help="Folder of behaviors.")] = Path(
        "library"
    ),
) -> None:
    """Writes a page: checks, active limits, forces, torques, how the solve went."""
    from backbeat.report.behavior_report import behavior_page
    from behaviors.library import Library
    from models.atomic_file import replacing

    page = behavior_page(Library(library).load(name))
    path = output or Path(f"{name}.html")
    with replacing(path) as file:
        file.write(page.encode())
    typer.echo(f"{path}: {len(page) / 1e3:.0f} kB")
