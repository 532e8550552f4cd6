"""`backbeat card`: what a behavior survives, and how often."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backbeat.cli.common.completion import behaviors
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
from backbeat.cli.common.other_robot import OfRobot, placed_robot
from backbeat.cli.simulate.track_options import Weights, given_weights

if TYPE_CHECKING:
    from backbeat.behaviors.library.store import Library
    from backbeat.jobs.cards import CardRuns
    from backbeat.mpc.sweep.card.robustness import RobustnessCard
    from backbeat.mpc.sweep.card.sample import Sample

OneEngine = Annotated[
    str, typer.Option(help="Run in this engine alone, drake or mujoco.")
]


def command(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="Behaviors in the library; all of them without a name.",
            autocompletion=behaviors,
        ),
    ] = None,
    library: LibraryFolder = LIBRARY,
    seeds: Annotated[
        int | None,
        typer.Option(min=1, help="Seeds per disturbance; a whole card has 20."),
    ] = None,
    sample: Annotated[
        bool,
        typer.Option(
            "--sample",
            help="Run three seeds of each standard disturbance and make no card; "
            "exit code 1 if fewer than 95 % of all runs survive in one engine.",
        ),
    ] = False,
    jobs: RunsAtATime = None,
    scheduler: Scheduler = None,
    robot: OfRobot = "",
    engine: OneEngine = "",
    controller: OwnController = None,
    weights: Weights = None,
    terms: OwnTerms = None,
    as_json: Annotated[bool, typer.Option("--json", help="Cards as JSON.")] = False,
) -> None:
    """Makes robustness cards: success by disturbance, and the largest push.

    In both engines, Drake and MuJoCo; headlines quote the lower figures.

    Cards are in the folder `cards` of a robot in the library; `backbeat list` and
    `backbeat track` quote them. The same command makes what Ctrl-C has left.
    """
    from backbeat.behaviors.library.store import Library
    from backbeat.cli.author.build import report_failures
    from backbeat.cli.simulate.sweep import sweep_progress
    from backbeat.jobs.cards import build_card, stored_card, take_sample
    from backbeat.jobs.cluster import cluster_executors

    store, runs_of = Library(library), _runs(engine, controller, weights, terms)
    make = take_sample if sample else build_card
    results, failures = [], []
    with cluster_executors(scheduler) as executors:
        for name, of in _chosen(store, names, placed_robot(robot)):
            path = stored_card(name, library, runs := runs_of._replace(robot=of))
            with sweep_progress(name, path.parent) as progress:
                more = seeds, progress, jobs, executors, runs
                result, failed = make(name, library, *more)
            results.append(result)
            failures += failed
            if not as_json:
                _tell(result, "" if sample else f"\n  {path.with_suffix('.html')}")
    if as_json:
        _print_as_json(results)
    report_failures(failures)
    _judge(results)


def _runs(
    engine: str, controller: str | None, weights: str | None, terms: str | None
) -> "CardRuns":
    """Which runs cards are of, whatever the robot."""
    from backbeat.jobs.cards import CardRuns

    name = Path(weights or "").stem
    own, added = user_controller(controller), controller_terms(terms)
    return CardRuns("", engine, own, given_weights(weights), name, added)


def _chosen(
    store: "Library", names: list[str] | None, robot: str
) -> list[tuple[str, str]]:
    """The behaviors that cards are made of, with their robots.

    Raises:
        BackbeatError: none is named, and there are none.
    """
    from backbeat.behaviors.kinematic.behavior import KINEMATIC
    from backbeat.models.common.errors import BackbeatError

    if names:
        return [(name, robot) for name in names]
    headers = [store.header(stored) for stored in store.stored(robot)]
    chosen = [(h["name"], h["robot"]) for h in headers if h["kind"] != KINEMATIC]
    if not chosen:
        whose = f" of {robot}" if robot else ""
        raise BackbeatError(
            f"library {store.folder} has no behavior{whose}; build one first"
        )
    return chosen


def _tell(result: "RobustnessCard | Sample", page: str) -> None:
    """Prints a headline and where the page is, and which engine is missing."""
    from backbeat.behaviors.library.behavior import named_with_robot
    from backbeat.cli.common.console import remarks

    title = named_with_robot(result.behavior, result.robot)
    typer.echo(f"{title}: {result.headline}{page}")
    if result.missing:
        alone = result.engines[0].title
        remarks.print(f"{title}, {alone} alone: {result.missing}")


def _print_as_json(results: "Sequence[RobustnessCard | Sample]") -> None:
    from dataclasses import asdict

    from backbeat.cli.common.console import print_json

    print_json([asdict(result) for result in results])


def _judge(results: "Sequence[RobustnessCard | Sample]") -> None:
    """Ends with code 1 when samples are below the standard; cards have none."""
    from backbeat.behaviors.library.behavior import named_with_robot
    from backbeat.models.common.errors import ended
    from backbeat.mpc.sweep.card.sample import STANDARD, Sample

    taken = [r for r in results if isinstance(r, Sample)]
    below = ", ".join(
        named_with_robot(s.behavior, s.robot) for s in taken if not s.meets_standard
    )
    if below:
        why = f"fewer than {STANDARD:.0%} of the runs survived, or joints were strained"
        typer.echo(ended(f"backbeat: {below}: {why}"), err=True)
        raise typer.Exit(1)
