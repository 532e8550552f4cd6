"""`backbeat tune`: weights of the controllers, searched for a measure."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backbeat.cli.common.completion import yaml_files
from backbeat.cli.common.options import (
    LIBRARY,
    LibraryFolder,
    OwnTerms,
    RunsAtATime,
    Scheduler,
    controller_terms,
)

if TYPE_CHECKING:
    from backbeat.mpc.sweep.tuning import TuningResult


def command(
    specification: Annotated[
        Path,
        typer.Argument(
            help="Sweep YAML with a tune section: measure, weights with their ranges, "
            "trials.",
            autocompletion=yaml_files,
        ),
    ],
    library: LibraryFolder = LIBRARY,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="Folder of tables, weights and page."),
    ] = Path("out/tuning"),
    trials: Annotated[
        int | None, typer.Option(min=1, help="Trials, instead of those of the file.")
    ] = None,
    terms: OwnTerms = None,
    jobs: RunsAtATime = None,
    scheduler: Scheduler = None,
    as_json: Annotated[bool, typer.Option("--json", help="Results as JSON.")] = False,
) -> None:
    """Searches weights of the controllers; goes on where it was stopped.

    Writes a weights file for `--weights`, a table of all trials, and a page that says
    what mattered. The best weights are run again on seeds that no trial had.
    """
    from dataclasses import replace

    from backbeat.cli.common.console import print_json
    from backbeat.cli.simulate.sweep import sweep_progress
    from backbeat.jobs.cluster import cluster_executors
    from backbeat.jobs.tuning import tune
    from backbeat.models.common.atomic_file import replacing
    from backbeat.mpc.sweep.tuning import load_tuning
    from backbeat.report.pages.tuning import tuning_page

    own, tuning = controller_terms(terms), load_tuning(specification)
    if trials is not None:
        tuning = replace(tuning, settings=replace(tuning.settings, trials=trials))
    name = tuning.sweep.settings.name
    with (
        cluster_executors(scheduler) as executors,
        sweep_progress(name, output) as progress,
    ):
        result = tune(tuning, library, output, progress, jobs, executors, own)
    page = output / f"{name}.html"
    with replacing(page) as file:
        file.write(tuning_page(result).encode())
    if as_json:
        print_json({**result.to_plain(), "page": str(page)})
        return
    _tell(result, page)


def _tell(result: "TuningResult", page: Path) -> None:
    """Prints what was found, what mattered, and where it is."""
    measure = result.tuning.settings.measure
    given, best = result.trials[0], result.best
    print(f"{measure}: {given.measure:.4g} as given", end="")
    if not best.number:
        print("; no trial is better")
    else:
        print(f", {best.measure:.4g} in {best.title}")
        before, after = (f"{trial.measure:.4g}" for trial in result.fresh)
        print(f"on seeds that no trial had: {before} as given, {after} tuned")
        for name, value in best.values.items():
            print(f"  {name}: {value:g}")
    for name, told in sorted(
        result.importances.items(), key=lambda item: -item[1].share
    ):
        print(
            f"  {name}: explains {told.share:.0%} of the scores, best {told.best}, "
            f"p-value {told.p_value:.2g}"
        )
    for path in (*result.files.values(), page):
        print(path)
