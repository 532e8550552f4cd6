"""`backbeat track`: a behavior in closed loop, to a run file and metrics."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from backbeat.cli.common.options import (
    INTERRUPTED,
    LIBRARY,
    LibraryFolder,
    MetricsAsJson,
    OwnController,
    OwnTerms,
    Unverified,
    controller_terms,
    user_controller,
    weights_with,
)
from backbeat.cli.common.other_robot import OfRobot
from backbeat.cli.common.stream_options import (
    StreamFormat,
    StreamPort,
    StreamRate,
    open_stream,
)
from backbeat.cli.simulate import track_options as options

if TYPE_CHECKING:
    from backbeat.behaviors.library.behavior import Behavior
    from backbeat.mpc.control.user_code import UserCode
    from backbeat.mpc.remote.address import Address
    from backbeat.mpc.scenario.specification import Scenario
    from backbeat.mpc.simulation.run import SimulationRun
    from backbeat.optimization.terms.user_file import UserFile
    from backbeat.stream.server import JointStream


def command(
    name: options.BehaviorName = "",
    scenario: options.ScenarioFile = None,
    library: LibraryFolder = LIBRARY,
    output: options.RunFile = None,
    engine: options.EngineName = None,
    contact_model: options.ContactModel = None,
    time_step: options.TimeStep = None,
    friction: options.Friction = None,
    state: options.State = None,
    beat_priority: options.BeatPriority = None,
    duration: options.Duration = None,
    push: options.Pushes = None,
    planner: options.Planner = None,
    preset: options.Preset = None,
    weights: options.Weights = None,
    remote: options.Remote = None,
    controller: OwnController = None,
    terms: OwnTerms = None,
    unverified: Unverified = False,
    seed: options.Seed = None,
    robot: OfRobot = "",
    as_json: MetricsAsJson = False,
    stream: StreamPort = None,
    stream_rate: StreamRate = None,
    stream_format: StreamFormat = None,
) -> None:
    """Tracks a behavior in closed loop and reports what happened."""
    from backbeat.cli.common.card_words import predicted
    from backbeat.cli.common.console import remarks
    from backbeat.cli.common.other_robot import placed_robot
    from backbeat.common.verified import scenario_behavior

    fields = {
        "behavior": name or None,
        "robot": placed_robot(robot) or None,
        "engine": engine,
        "contact_model": contact_model,
        "time_step": time_step,
        "friction": friction,
        "state": state,
        "beat_priority": beat_priority,
        "duration": duration,
        "planner": planner,
        "preset": preset,
        "seed": seed,
    }
    added, (address, own) = controller_terms(terms), _replacements(remote, controller)
    settings = options.read_scenario(scenario, push, fields, weights)
    behavior = scenario_behavior(library, settings, unverified)
    path = _run_place(output, behavior, settings.robot)
    if said := predicted(library, behavior):
        remarks.print(said)
    try:
        with open_stream(stream, stream_rate, stream_format) as opened:
            run = _run(settings, behavior, added, address, own, opened)
    except KeyboardInterrupt:
        typer.echo(f"backbeat: interrupted; {path} was not written.", err=True)
        raise typer.Exit(INTERRUPTED) from None
    _store(run, path, is_named=output is not None, as_json=as_json)


def _run_place(output: Path | None, behavior: "Behavior", robot: str) -> Path:
    """Where the run file goes; finds out whether it can be written there."""
    from backbeat.cli.common.other_robot import file_stem
    from backbeat.mpc.runs.file import check_run_place

    path = output or Path("out") / f"{file_stem(behavior.name, robot)}.run.parquet"
    check_run_place(path)
    return path


def _replacements(
    remote: str | None, controller: str | None
) -> "tuple[Address | None, UserCode | None]":
    """What takes the place of our controllers: another process, or the user's file."""
    from backbeat.models.common.errors import BackbeatError

    address, own = _address(remote), user_controller(controller)
    if address is not None and own is not None:
        raise BackbeatError(
            "--remote and --controller both take the place of the controllers; give one"
        )
    return address, own


def _address(remote: str | None) -> "Address | None":
    """Where the controllers are; warns of another machine."""
    from backbeat.cli.common.console import warn
    from backbeat.mpc.remote.address import read_address

    address = read_address(remote) if remote else None
    if address is not None and not address.is_local:
        warn(
            f"{address} is not on this machine; nothing that goes "
            "there and back is encrypted"
        )
    return address


def _run(
    scenario: "Scenario",
    behavior: "Behavior",
    terms: "UserFile | None",
    remote: "Address | None",
    controller: "UserCode | None",
    stream: "JointStream | None",
) -> "SimulationRun":
    """Simulates, with a progress bar, and streams what there is."""
    from backbeat.cli.common.console import progress_bar
    from backbeat.mpc.remote.controller import remote_controllers
    from backbeat.mpc.simulation.simulate import run_scenario

    with progress_bar(behavior.title) as report:
        if stream is not None:
            stream.describe(behavior.robot_model, behavior.name, "simulated")
        return run_scenario(
            scenario,
            behavior,
            weights_with(terms),
            progress=lambda share: report(share, "in closed loop"),
            remote=None if remote is None else remote_controllers(remote),
            controller=controller,
            listener=None if stream is None else stream.listener,
        )


def _store(run: "SimulationRun", path: Path, is_named: bool, as_json: bool) -> None:
    """Writes the run file and prints the metrics; code 1 when joints were strained.

    Args:
        run: what happened.
        path: where the run file goes.
        is_named: whether `path` was named: it then takes the place of what is there.
        as_json: whether metrics are JSON or a table.
    """
    from backbeat.cli.common.console import print_json, remarks
    from backbeat.cli.common.results import print_results
    from backbeat.models.common.outside_file import is_there
    from backbeat.mpc.analysis.metrics import run_metrics
    from backbeat.mpc.runs.earlier import keep_earlier, repeats
    from backbeat.mpc.runs.file import save_run

    metrics = run_metrics(run)
    if not is_named:
        if earlier := keep_earlier(path, run):
            remarks.print(f"the earlier run is now {earlier}")
    elif is_there(path) and not repeats(path, run):
        remarks.print(f"{path} takes the place of an earlier file")
    save_run(run, path, metrics)
    if as_json:
        print_json(metrics)
    else:
        print_results([metrics])
        print(f"run file: {path}")
    if metrics["strained_joints"]:
        raise typer.Exit(1)
