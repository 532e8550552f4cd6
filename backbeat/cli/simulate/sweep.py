"""`backbeat sweep`: many runs, success rates and margins."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backbeat.cli.author.build import report_failures
from backbeat.cli.common.completion import behaviors, robots, sweeps
from backbeat.cli.common.options import (
    LIBRARY,
    LibraryFolder,
    OwnController,
    OwnTerms,
    RunsAtATime,
    Scheduler,
    controller_terms,
    user_controller,
)
from backbeat.cli.simulate.track_options import Weights, given_weights

if TYPE_CHECKING:
    from backbeat.jobs.sweeping import Progress, SweepResult

InsteadRobots = Annotated[
    list[str] | None,
    typer.Option(
        help="This robot, one that ships or a robot YAML, instead of those of the "
        "file; may be repeated.",
        autocompletion=robots,
    ),
]

InsteadEngines = Annotated[
    list[str] | None,
    typer.Option(
        "--engine",
        help="In this engine, drake or mujoco, instead of those of the file; may be "
        "repeated.",
    ),
]


def command(
    name: Annotated[
        str,
        typer.Argument(
            help="YAML file, or a sweep that ships: ablation, ablation-march, "
            "ablation-walk, ablation-world, actuators, contact, dances, drumming, "
            "engine-jumps, engine-pushes, engine-stance, engines, estimator, jumps, "
            "lost-ticks, model-error, pushes, robots, stance-pushes, step-pushes, "
            "timing, torso-pushes, world.",
            autocompletion=sweeps,
        ),
    ],
    library: LibraryFolder = LIBRARY,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder of tables and summaries.")
    ] = Path("out/sweeps"),
    seeds: Annotated[
        int | None,
        typer.Option(min=1, help="Seeds per cell, instead of those of the file."),
    ] = None,
    behavior: Annotated[
        list[str] | None,
        typer.Option(
            help="Only this behavior; may be repeated.", autocompletion=behaviors
        ),
    ] = None,
    robot: InsteadRobots = None,
    engine: InsteadEngines = None,
    weights: Weights = None,
    controller: OwnController = None,
    terms: OwnTerms = None,
    jobs: RunsAtATime = None,
    scheduler: Scheduler = None,
    as_json: Annotated[bool, typer.Option("--json", help="Summary as JSON.")] = False,
) -> None:
    """Runs scenarios over fields and seeds; goes on where it was stopped."""
    from backbeat.cli.common.console import print_json
    from backbeat.cli.common.other_robot import placed_robot
    from backbeat.cli.simulate.sweep_table import print_sweep
    from backbeat.jobs.cluster import cluster_executors
    from backbeat.jobs.sweeping import run_sweep
    from backbeat.mpc.sweep.cells import narrowed, on_weights
    from backbeat.mpc.sweep.specification import find_sweep, load_sweep

    robots = [placed_robot(r) for r in robot or ()]
    own = user_controller(controller), controller_terms(terms)
    whole = on_weights(load_sweep(find_sweep(name)), given_weights(weights))
    sweep = narrowed(whole, behavior, seeds, robots, engine)
    with (
        cluster_executors(scheduler) as executors,
        sweep_progress(sweep.settings.name, output) as progress,
    ):
        result = run_sweep(sweep, library, output, progress, jobs, executors, *own)
    if as_json:
        print_json(result.summary)
    else:
        print_sweep(result.summary)
        _print_files(result)
    report_failures(list(result.failures))


def _print_files(result: "SweepResult") -> None:
    """Says where table and summary of a sweep are."""
    print(f"{result.made} runs made, {result.taken} taken from {result.table}")
    print(f"summary: {result.summary_file}")


@contextmanager
def sweep_progress(title: str, output: Path) -> Iterator["Progress"]:
    """A progress bar on stderr for a sweep; Ctrl-C says where what is done is kept.

    Args:
        title: what is being made.
        output: folder of the tables.
    """
    from backbeat.cli.common.console import counted_progress

    kept = (
        f"the runs that ended are kept in {output}, and the same command makes the rest"
    )
    with counted_progress(title, kept) as progress:
        yield progress
