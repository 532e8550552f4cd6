"""`backbeat replay`: a run once more, compared with its file bit for bit."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backbeat.cli.common.completion import runs
from backbeat.cli.common.options import (
    LIBRARY,
    LibraryFolder,
    OwnController,
    OwnTerms,
    controller_terms,
    user_controller,
    weights_with,
)

if TYPE_CHECKING:
    from backbeat.mpc.runs.replay import Difference


def command(
    run_file: Annotated[
        Path,
        typer.Argument(
            help="Run file of `backbeat track` or `backbeat play`.", autocompletion=runs
        ),
    ],
    library: LibraryFolder = LIBRARY,
    controller: OwnController = None,
    terms: OwnTerms = None,
    anyway: Annotated[
        bool,
        typer.Option(
            "--anyway", help="Compare even if build, robot, machine or versions differ."
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
    from backbeat.behaviors.library.store import Library
    from backbeat.cli.common.console import progress_bar
    from backbeat.mpc.analysis.metrics import run_metrics
    from backbeat.mpc.runs import file
    from backbeat.mpc.runs.behavior import behavior_of_run
    from backbeat.mpc.runs.origin import check_controller, check_terms, other_origins
    from backbeat.mpc.runs.replay import compare_samples
    from backbeat.mpc.runs.table import run_frame
    from backbeat.mpc.simulation.simulate import run_scenario

    samples, story = file.load_run(run_file)
    own, added = user_controller(controller), controller_terms(terms)
    others = check_controller(story, own, run_file)
    others += check_terms(story, added, run_file)
    scenario = file.run_settings(story)
    behavior = behavior_of_run(Library(library), story)
    others += other_origins(story, behavior)
    _check_origins(run_file, others, anyway)
    if output is not None:
        file.check_run_place(output)
    with progress_bar(behavior.title) as report:
        run = run_scenario(
            scenario,
            behavior,
            file.run_weights(story, weights_with(added)),
            progress=lambda share: report(share, "once more"),
            controller=own,
        )
    difference = compare_samples(samples, run_frame(run))
    if output is not None:
        file.save_run(run, output, run_metrics(run))
    _print_outcome(run_file, difference, others, as_json)
    raise typer.Exit(0 if difference is None else 1)


def _check_origins(run_file: Path, others: Sequence[str], anyway: bool) -> None:
    """Refuses to repeat a run that need not come out the same."""
    from backbeat.models.common.errors import BackbeatError

    if others and not anyway:
        raise BackbeatError(
            f"{run_file} was made with {', '.join(others)}: it need not come out the "
            "same; --anyway replays it all the same"
        )


def _print_outcome(
    run_file: Path,
    difference: "Difference | None",
    others: Sequence[str],
    as_json: bool,
) -> None:
    """Says where a run differs from its file, if it does."""
    from dataclasses import asdict

    from backbeat.cli.common.console import print_json

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
