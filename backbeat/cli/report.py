"""`backbeat report`: a behavior, or a run, as one page to read."""

from pathlib import Path
from typing import Annotated

import typer


def command(
    name: Annotated[str, typer.Argument(help="Behavior in the library, or run file.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="HTML file to write.")
    ] = None,
    library: Annotated[Path, typer.Option(help="Folder of behaviors.")] = Path(
        "library"
    ),
) -> None:
    """Writes a page: checks, active limits, forces, torques, how the solve went.

    Of the run file of a dancer: how late what belongs on the beat came. Of that of a
    drummer: joints, tempo read from velocity spikes, holds and
    their forces, singular values, and how like a person it plays.
    """
    from models.atomic_file import replacing

    if name.endswith(".parquet"):
        from backbeat.report.dance_report import dance_page
        from backbeat.report.drumming_report import drumming_page
        from mpc.simulation.run_file import load_run

        samples, story = load_run(Path(name))
        is_danced = bool(story.get("markers"))
        page = dance_page(story) if is_danced else drumming_page(samples, story)
        path = output or Path(name).with_suffix(".html")
    else:
        from backbeat.report.behavior_report import behavior_page
        from behaviors.library import Library

        page = behavior_page(Library(library).load(name))
        path = output or Path(f"{name}.html")
    with replacing(path) as file:
        file.write(page.encode())
    typer.echo(f"{path}: {len(page) / 1e3:.0f} kB")
