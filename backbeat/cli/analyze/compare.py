"""`backbeat compare`: two runs of one behavior, as a table and as one page."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backbeat.cli.common.completion import runs

if TYPE_CHECKING:
    from backbeat.report.plots.comparison import Comparison


def command(
    first: Annotated[Path, typer.Argument(help="Run file.", autocompletion=runs)],
    second: Annotated[
        Path, typer.Argument(help="Run file to compare it with.", autocompletion=runs)
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="HTML file to write.")
    ] = Path("comparison.html"),
) -> None:
    """Says in what two runs of one behavior differ, and overlays their curves."""
    from backbeat.models.common.atomic_file import refuse_to_replace, replacing
    from backbeat.mpc.runs.record import read_run
    from backbeat.report.pages.compare import compare_page
    from backbeat.report.plots.comparison import compare

    refuse_to_replace(output, first, second)
    comparison = compare(read_run(first), read_run(second))
    page = compare_page(comparison)
    with replacing(output) as file:
        file.write(page.encode())
    print_comparison(comparison)
    typer.echo(f"{output}: {len(page) / 1e6:.1f} MB")


def print_comparison(comparison: "Comparison") -> None:
    """Prints what differs, and every figure of both, on stdout."""
    from rich import box
    from rich.table import Table

    from backbeat.cli.common.console import Screen

    console = Screen()
    settings = Table(box=box.SIMPLE_HEAD, show_edge=False)
    for column in ("setting", "first", "second"):
        settings.add_column(column)
    for row in comparison.settings:
        settings.add_row(*row)
    if comparison.settings:
        console.print(settings)
    else:
        console.print("Settings, versions and the build of the behavior are the same.")
    results = Table(box=box.SIMPLE_HEAD, show_edge=False)
    results.add_column(comparison.first.title)
    for column in ("first", "second", "difference"):
        results.add_column(column, justify="right", no_wrap=True)
    results.add_column("")
    for figures in comparison.rows():
        results.add_row(*figures)
    console.print(results)
