"""`backbeat build`: specifications to verified behaviors in the library."""

from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import typer

from backbeat.cli.author import build_options as options
from backbeat.cli.common.browser import OpensBrowser
from backbeat.cli.common.options import (
    INTERRUPTED,
    LIBRARY,
    LibraryFolder,
    OwnTerms,
    ResultsAsJson,
    Scheduler,
)
from backbeat.cli.common.other_robot import BuiltForRobot

if TYPE_CHECKING:
    from backbeat.behaviors.music.notation.score_description import Adaptation
    from backbeat.behaviors.specification.kinds import Variant
    from backbeat.models.common.processes.pool import Outcome


def command(
    names: options.Names = None,
    library: LibraryFolder = LIBRARY,
    force: options.Force = False,
    jobs: options.Jobs = None,
    verbose: options.Verbose = False,
    max_tempo: options.MaxTempo = False,
    watched: options.Watched = False,
    port: options.Port = None,
    opens: OpensBrowser = True,
    scheduler: Scheduler = None,
    note_map: options.NoteMap = None,
    channel: options.Channel = 10,
    unplayable: options.Unplayable = "refuse",
    tempo_factor: options.TempoFactor = 1.0,
    grid: options.Grid = 0,
    least_velocity: options.LeastVelocity = 1,
    robot: BuiltForRobot = "",
    terms: OwnTerms = None,
    weights: options.Weights = None,
    as_json: ResultsAsJson = False,
) -> None:
    """Builds behaviors and setlists: solves, verifies and stores what has changed."""
    if robot and (watched or max_tempo):
        refuse_robot(robot)
    if watched:
        from backbeat.cli.author.watch import watch_behavior

        watch_behavior(names or [], library, port, opens)
        return
    if max_tempo:
        from backbeat.cli.author.highest_tempo import print_highest_tempo

        print_highest_tempo(names or [], as_json)
        return
    from backbeat.behaviors.specification.kinds import (
        Variant,
        find_specification,
        shipped_names,
    )
    from backbeat.cli.common.other_robot import placed_robot
    from backbeat.cli.common.shadows import warn_of_shadow
    from backbeat.mpc.weights.files import trajectory_weights

    adapt = adaptation(
        note_map, unplayable, tempo_factor, grid, least_velocity, channel
    )
    wanted = names or shipped_names()
    for path in [find_specification(name) for name in wanted]:
        warn_of_shadow(path, library)
    told = trajectory_weights(weights) if weights else {}
    variant = Variant(adapt, placed_robot(robot), terms or "", told)
    outcomes = build_behaviors(
        wanted, library, force, jobs, verbose, scheduler, variant
    )
    _print_built(outcomes, as_json)
    report_failures(outcomes)


def _print_built(outcomes: "list[Outcome]", as_json: bool) -> None:
    """Prints what was built, as text or data."""
    from backbeat.cli.common.console import print_json, remarks

    made = [o.value for o in outcomes if o.error is None]
    if as_json:
        print_json([built.numbers for built in made])
    else:
        for built in made:
            remarks.print(built.text)


def refuse_robot(robot: str) -> NoReturn:
    """Refuses another robot where a file is followed or tried.

    Raises:
        BackbeatError: always.
    """
    from backbeat.models.common.errors import BackbeatError

    raise BackbeatError(
        "--robot is for builds alone; for --watch and --max-tempo write "
        f"`robot: {robot}` into the specification"
    )


def adaptation(
    note_map: list[str] | None,
    unplayable: str,
    tempo_factor: float,
    grid: int,
    least_velocity: int,
    channel: int = 10,
) -> "Adaptation":
    """What options say is done to notes, checked.

    Raises:
        BackbeatError: a value makes no sense, or a map cannot be read.
    """
    from backbeat.behaviors.music.files.note_maps import spelled_out
    from backbeat.behaviors.music.notation.score_description import Adaptation
    from backbeat.behaviors.music.playing.adaptation import check_adaptation

    adapt = Adaptation(
        map=spelled_out(note_map or []),
        channel=channel,
        unplayable=unplayable,
        tempo_factor=tempo_factor,
        grid=grid,
        least_velocity=least_velocity,
    )
    check_adaptation(adapt, "the command")
    return adapt


def build_behaviors(
    names: list[str],
    library: Path,
    force: bool = False,
    jobs: int | None = None,
    verbose: bool = False,
    scheduler: str | None = None,
    variant: "Variant | None" = None,
) -> "list[Outcome]":
    """Builds behaviors with a progress bar each; Ctrl-C keeps what is done."""
    from backbeat.behaviors.specification.kinds import AS_IT_STANDS
    from backbeat.cli.common.console import ProgressBars
    from backbeat.jobs.building import build_all
    from backbeat.jobs.cluster import cluster_executors

    variant = variant or AS_IT_STANDS
    bars = ProgressBars()
    try:
        with cluster_executors(scheduler) as executors, bars:
            return build_all(
                names, library, bars, force, jobs, verbose, executors, variant
            )
    except KeyboardInterrupt:
        done = sum(o.error is None for o in bars.outcomes)
        typer.echo(
            f"backbeat: interrupted with {done} of {len(names)} behaviors done; what "
            f"is done is in {library}, and the next build makes the rest.",
            err=True,
        )
        raise typer.Exit(INTERRUPTED) from None


def report_failures(outcomes: "list[Outcome]") -> None:
    """Says in a sentence each what was not built, and ends with exit code 2.

    Raises:
        Exception: the first failure that is a fault of ours and not of the user.
    """
    from backbeat.models.common.errors import BackbeatError, ended, one_line

    failed = [(o.name, o.error) for o in outcomes if o.error is not None]
    for name, error in failed:
        if not isinstance(error, BackbeatError):
            error = BackbeatError(f"unexpected {type(error).__name__}: {error}")
        typer.echo(f"backbeat: {ended(error.about(one_line(name)))}", err=True)
    for _, error in failed:
        if not isinstance(error, BackbeatError):
            raise error
    if failed:
        raise typer.Exit(2)
