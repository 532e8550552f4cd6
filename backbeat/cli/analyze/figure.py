"""``backbeat figure``: figures of robot, kit and motion, as files."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backbeat.cli.common.completion import behaviors, figures
from backbeat.cli.common.options import LIBRARY, LibraryFolder
from backbeat.cli.common.other_robot import OfRobot, placed_robot

if TYPE_CHECKING:
    from backbeat.figures.drawing.registry import Figure
    from backbeat.figures.drawing.sources import Sources


def command(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Figures to draw.", autocompletion=figures),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All of them.")] = False,
    listed: Annotated[
        bool, typer.Option("--list", help="List the figures and exit.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Folder; out/figures by default."),
    ] = None,
    kind: Annotated[
        str,
        typer.Option("--format", help="Format: png, svg or pdf; animations are GIF."),
    ] = "png",
    behavior: Annotated[
        str,
        typer.Option(
            help="Drumming behavior for figures of a plan.",
            autocompletion=behaviors,
        ),
    ] = "outstanding",
    library: LibraryFolder = LIBRARY,
    robot: OfRobot = "",
    sweeps: Annotated[
        Path, typer.Option(help="Folder of the sweeps that figures are drawn from.")
    ] = Path("out/sweeps"),
    runs: Annotated[
        Path, typer.Option(help="Folder of the run files that figures are drawn from.")
    ] = Path("out"),
) -> None:
    """Draws figures from the model, the score and the plan in the library."""
    from backbeat.figures.drawing.registry import FIGURES, find_figure, write_figure
    from backbeat.models.common.errors import BackbeatError

    if listed:
        if names or every or output is not None:
            raise BackbeatError("--list says which figures there are, and draws none")
        list_figures(list(FIGURES.values()))
        return
    if bool(names) == every:
        raise BackbeatError(
            "name figures or say --all; `backbeat figure --list` says which there are"
        )
    chosen = [find_figure(name) for name in names or FIGURES]
    from backbeat.figures.drawing.sources import Sources

    sources = Sources(library, behavior, sweeps, runs, placed_robot(robot))
    folder = output or Path("out/figures")
    # Before anything is drawn: plan or score may be missing.
    if any(figure.of_plan for figure in chosen):
        _ = sources.plan
    if any(figure.of_score for figure in chosen):
        _ = sources.score
    chosen = _with_runs(chosen, sources, every)
    for figure in chosen:
        path = write_figure(figure, sources, folder, kind)
        typer.echo(f"{path} ({path.stat().st_size / 1e3:.0f} kB): {figure.shows}")


def _with_runs(
    chosen: "list[Figure]", sources: "Sources", every: bool
) -> "list[Figure]":
    """The figures whose runs there are; of all figures the others are left out, said.

    Raises:
        BackbeatError: one that was named lacks its runs.
    """
    from backbeat.figures.studies.offline_online import read_costs
    from backbeat.models.common.errors import BackbeatError

    kept = []
    for figure in chosen:
        try:
            if figure.of_sweep:
                sources.sweep(figure.of_sweep)
            if figure.of_runs:
                read_costs(sources.library, sources.runs)
        except BackbeatError as error:
            if not every:
                raise
            typer.echo(f"{figure.name} is left out: {error}", err=True)
            continue
        kept.append(figure)
    return kept


def list_figures(figures: "list[Figure]") -> None:
    """Prints names and what they show."""
    from rich.table import Table

    from backbeat.cli.common.console import Screen

    table = Table("figure", "shows", "drawn from")
    for figure in figures:
        source = "a plan in the library" if figure.of_plan else "model and score"
        if figure.of_sweep:
            source = f"the sweep {figure.of_sweep}"
        if figure.of_runs:
            source = "behaviors and runs of them"
        table.add_row(figure.name, figure.shows, source)
    Screen().print(table)
