"""`backbeat replay`: a run once more, compared with its file bit for bit."""

from pathlib import Path
from typing import Annotated

import typer

from backbeat.cli.completion import runs
from backbeat.cli.options import LIBRARY, LibraryFolder


def command(
    run_file: Annotated[
        Path,
        typer.Argument(
            help="Run file of `backbeat track` or `backbeat play`.", autocompletion=runs
        ),
    ],
    library: LibraryFolder = LIBRARY,
    anyway: Annotated[
        bool,
        typer.Option(
            "--anyway", help="Also with another build, robot, machine or versions."
        ),
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the new run file.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Runs a run file's scenario again, with what was changed by hand.

    Ends with code 1 when a sample differs in any bit.
    """
    from dataclasses import asdict

    from backbeat.cli.console import print_json, progress_bar
    from behaviors.library import Library
    from models.errors import BackbeatError
    from mpc.simulation.metrics import run_metrics
    from mpc.simulation.origin import other_origins
    from mpc.simulation.replay import compare_samples
    from mpc.simulation.run import run_scenario
    from mpc.simulation.run_file import (
        check_run_place,
        load_run,
        run_settings,
        run_weights,
        save_run,
    )
    from mpc.simulation.run_table import run_frame

    samples, story = load_run(run_file)
    scenario = run_settings(story)
    behavior = Library(library).load(scenario.behavior)
    others = other_origins(story, behavior)
    if others and not anyway:
        raise BackbeatError(
            f"{run_file} was made with {', '.join(others)}: it need not come out the "
            "same; --anyway replays it all the same"
        )
    if output is not None:
        check_run_place(output)
    with progress_bar(scenario.behavior) as report:
        run = run_scenario(
            scenario,
            behavior,
            run_weights(story),
            progress=lambda share: report(share, "once more"),
        )
    difference = compare_samples(samples, run_frame(run))
    if output is not None:
        save_run(run, output, run_metrics(run))
    if as_json:
        print_json(
            {
                "run": str(run_file),
                "same": difference is None,
                "difference": difference and asdict(difference),
                "other_origins": others,
            }
        )
    else:
        typer.echo(f"{run_file}: {difference or 'the same bit for bit'}.")
    raise typer.Exit(0 if difference is None else 1)
