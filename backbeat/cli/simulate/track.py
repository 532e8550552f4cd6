"""`backbeat track`: a behavior in closed loop, to a run file and metrics."""

from pathlib import Path
from typing import Annotated

import typer

from backbeat.cli.common.completion import behaviors, yaml_files
from backbeat.cli.common.options import INTERRUPTED, LIBRARY, LibraryFolder
from backbeat.cli.common.stream_options import (
    StreamFormat,
    StreamPort,
    StreamRate,
    open_stream,
)


def command(
    name: Annotated[
        str, typer.Argument(help="Behavior in the library.", autocompletion=behaviors)
    ] = "",
    scenario: Annotated[
        Path | None,
        typer.Option(
            help="Scenario YAML; options below override it.", autocompletion=yaml_files
        ),
    ] = None,
    library: LibraryFolder = LIBRARY,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Run file to write, also in place of another; out/NAME.run.parquet if "
            "not given, and an earlier run there is kept under a name of its own.",
        ),
    ] = None,
    contact_model: Annotated[
        str | None, typer.Option(help="lagged, sap, similar or continuous.")
    ] = None,
    time_step: Annotated[float | None, typer.Option(help="Plant step in s.")] = None,
    friction: Annotated[float | None, typer.Option(help="Of soles on ground.")] = None,
    state: Annotated[str | None, typer.Option(help="true or estimated.")] = None,
    beat_priority: Annotated[
        float | None,
        typer.Option(help="0 saves the balance first, 1 holds the beat at any price."),
    ] = None,
    duration: Annotated[
        float | None, typer.Option(help="Stop after so many s.")
    ] = None,
    push: Annotated[
        list[str] | None,
        typer.Option(
            help="TIME,X,Y,Z: push the base; in s and N s along the world's axes, "
            "forward, left and up, over 0.1 s; may repeat."
        ),
    ] = None,
    planner: Annotated[
        str | None, typer.Option(help="inside, or process: a second one plans.")
    ] = None,
    preset: Annotated[
        str | None, typer.Option(help="Tasks of the whole-body controller: momentum.")
    ] = None,
    remote: Annotated[
        str | None,
        typer.Option(help="HOST:PORT of a `backbeat serve` that controls the robot."),
    ] = None,
    unverified: Annotated[
        bool, typer.Option("--unverified", help="Even if verification failed.")
    ] = False,
    seed: Annotated[int | None, typer.Option(help="Seed of all randomness.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Metrics as JSON.")] = False,
    stream: StreamPort = None,
    stream_rate: StreamRate = None,
    stream_format: StreamFormat = None,
) -> None:
    """Tracks a behavior in closed loop and reports what happened."""
    from backbeat.cli.common.console import print_json, progress_bar, remarks, warn
    from backbeat.cli.common.results import print_results
    from backbeat.common.card_words import predicted
    from backbeat.common.verified import load_verified
    from backbeat.models.common.errors import BackbeatError
    from backbeat.models.common.outside_file import is_there
    from backbeat.mpc.analysis.metrics import run_metrics
    from backbeat.mpc.remote.address import read_address
    from backbeat.mpc.runs.earlier import keep_earlier, repeats
    from backbeat.mpc.runs.file import check_run_place, save_run
    from backbeat.mpc.scenario.specification import Scenario, load_scenario, read_push
    from backbeat.mpc.simulation.simulate import run_scenario

    settings = load_scenario(scenario) if scenario else Scenario()
    overrides = {
        "behavior": name or None,
        "contact_model": contact_model,
        "time_step": time_step,
        "friction": friction,
        "state": state,
        "beat_priority": beat_priority,
        "duration": duration,
        "planner": planner,
        "preset": preset,
        "seed": seed,
        "pushes": [read_push(text) for text in push] if push else None,
    }
    for key, value in overrides.items():
        if value is not None:
            setattr(settings, key, value)
    if planner == "process" and settings.planning_time == 0:
        settings.planning_time = settings.plan_period
    if not settings.behavior:
        raise BackbeatError("name a behavior, or a scenario that names one")
    settings.check()
    address = read_address(remote) if remote else None
    if address is not None and not address.is_local:
        warn(
            f"{address} is not on this machine; nothing that goes "
            "there and back is encrypted"
        )
    behavior = load_verified(library, settings.behavior, unverified)
    path = output or Path("out") / f"{behavior.name}.run.parquet"
    check_run_place(path)
    if said := predicted(library, behavior):
        remarks.print(said)
    try:
        with (
            open_stream(stream, stream_rate, stream_format) as opened,
            progress_bar(settings.behavior) as report,
        ):
            if opened is not None:
                opened.describe(behavior.robot_model, behavior.name, "simulated")
            run = run_scenario(
                settings,
                behavior,
                progress=lambda share: report(share, "in closed loop"),
                remote=address,
                listener=None if opened is None else opened.listener,
            )
    except KeyboardInterrupt:
        typer.echo(f"backbeat: interrupted; {path} was not written.", err=True)
        raise typer.Exit(INTERRUPTED) from None
    metrics = run_metrics(run)
    if output is None:
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
