"""`backbeat explain`: what the controllers of a run wanted, got, and ran into."""

from pathlib import Path
from typing import Annotated

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


def command(
    run_file: Annotated[
        Path, typer.Argument(help="Run file of `backbeat track`.", autocompletion=runs)
    ],
    at: Annotated[float, typer.Option(help="Time of the behavior in s.")],
    library: LibraryFolder = LIBRARY,
    controller: OwnController = None,
    terms: OwnTerms = None,
    costs: Annotated[
        Path | None,
        typer.Option(
            help="Figure to write (.svg, .png or .pdf): what each term of both "
            "programs cost from the start to that time."
        ),
    ] = None,
) -> None:
    """Explains plan and tick at a time: tasks, errors, limits in force, slack.

    The run is simulated again up to that time, which gives the same to the last bit.
    """
    from backbeat.behaviors.library.store import Library
    from backbeat.cli.common.console import progress_bar
    from backbeat.models.common.errors import BackbeatError
    from backbeat.mpc.analysis.cost_history import cost_history
    from backbeat.mpc.analysis.run_explanation import check_time, explain_run
    from backbeat.mpc.runs.behavior import behavior_of_run
    from backbeat.mpc.runs.file import load_run, run_settings, run_weights
    from backbeat.mpc.runs.origin import check_controller, check_terms
    from backbeat.mpc.simulation.simulate import run_scenario
    from backbeat.report.plots.costs import plot_costs
    from backbeat.report.plots.figure_file import check_figure, save_figure

    if costs is not None:
        check_figure(costs)
    samples, story = load_run(run_file)
    own, added = user_controller(controller), controller_terms(terms)
    others = check_controller(story, own, run_file)
    for other in others + check_terms(story, added, run_file):
        raise BackbeatError(f"{run_file} was made with the {other}; track it again")
    check_time(at, samples["t"].iloc[0], samples["t"].iloc[-1])
    scenario = run_settings(story)
    behavior = behavior_of_run(Library(library), story)
    if behavior.provenance.get("key") != story["behavior_key"]:
        raise BackbeatError(
            f"{behavior.title!r} in {library} is not the one of {run_file}: track "
            "it again"
        )
    duration = max(at, 0.0) + scenario.timing.plan_period
    scenario = scenario.changed(duration=duration)
    with progress_bar(behavior.title) as report:
        run = run_scenario(
            scenario,
            behavior,
            run_weights(story, weights_with(added)),
            progress=lambda share: report(share, "once more"),
            controller=own,
        )
    typer.echo(str(explain_run(run, at)))
    if costs is not None:
        typer.echo(save_figure(plot_costs(cost_history(run, at)), costs))
