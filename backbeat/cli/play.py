"""``backbeat play``: a behavior on the stage, in real time or as a recording."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from backbeat.sound.notes import SoundExtras
    from behaviors.behavior import Behavior

LEAST_SPEED, MOST_SPEED = 0.05, 4.0
LEAST_FPS, MOST_FPS = 5, 120


def command(
    name: Annotated[str | None, typer.Argument(help="Behavior in the library.")] = None,
    move: Annotated[
        str | None,
        typer.Option(help="A single move of a dance instead, solved on the spot."),
    ] = None,
    library: Annotated[
        Path, typer.Option(help="Folder of built behaviors.", envvar="BACKBEAT_LIBRARY")
    ] = Path("library"),
    simulated: Annotated[
        bool,
        typer.Option(
            "--simulated/--planned",
            help="Closed loop, simulated as you watch; or the motion as planned.",
        ),
    ] = False,
    kinematic: Annotated[
        bool,
        typer.Option(
            "--kinematic",
            help="A drumming specification by the kinematic player, without forces.",
        ),
    ] = False,
    unverified: Annotated[
        bool,
        typer.Option("--unverified", help="Simulate even if verification failed."),
    ] = False,
    speed: Annotated[
        float,
        typer.Option(help="Behavior seconds a second of the clock, 0.05 to 4."),
    ] = 1.0,
    loop: Annotated[
        bool, typer.Option("--loop", help="Begin again at the end.")
    ] = False,
    port: Annotated[
        int | None, typer.Option(help="Port of the page; any free one by default.")
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option(help="Write an HTML file that plays on its own, and end."),
    ] = None,
    fps: Annotated[
        float, typer.Option(help="Frames a second of the recording, 5 to 120.")
    ] = 30.0,
    click: Annotated[
        bool, typer.Option("--click", help="A metronome in the recording.")
    ] = False,
    latency_ms: Annotated[
        float, typer.Option(help="Drums of the recording sound so much later.")
    ] = 0.0,
    backing: Annotated[
        Path | None, typer.Option(help="Your own WAV file in the recording.")
    ] = None,
    wait: Annotated[
        bool,
        typer.Option(
            "--browser-wait/--no-browser-wait",
            help="Start when a browser looks, and stay until Ctrl-C.",
        ),
    ] = True,
) -> None:
    """Shows a behavior in Meshcat."""
    # Drake takes half a second to load, which `--help` does not have.
    from backbeat.cli.port import check_port
    from backbeat.cli.sound_options import read_extras
    from backbeat.cli.verified import load_verified
    from models.errors import BackbeatError

    if not LEAST_SPEED <= speed <= MOST_SPEED:
        raise BackbeatError(
            f"--speed {speed:g} is not between {LEAST_SPEED} and {MOST_SPEED:g}"
        )
    if not LEAST_FPS <= fps <= MOST_FPS:
        raise BackbeatError(f"--fps {fps:g} is not between {LEAST_FPS} and {MOST_FPS}")
    check_port(port)
    if kinematic and simulated:
        raise BackbeatError("what the kinematic player does, no robot can follow")
    if (name is None) == (move is None):
        raise BackbeatError("name a behavior of the library, or a move by --move")
    if move is not None:
        from behaviors.build import solve_preview

        typer.echo(f"Solving {move} ...", err=True)
        behavior = solve_preview(move, Path())
    elif kinematic:
        from behaviors.kinematic_behavior import kinematic_behavior

        behavior = kinematic_behavior(str(name))
    else:
        # A plan that fails is worth a look; a robot shall not follow it.
        behavior = load_verified(library, str(name), unverified or not simulated)
    if record is not None:
        from backbeat.sound.notes import planned

        extras = read_extras(click, latency_ms, backing, planned(behavior))
        write_recording(behavior, simulated, record, fps, extras)
        return
    if click or latency_ms or backing is not None:
        raise BackbeatError("sound is heard in a recording: add --record PATH")
    from backbeat.stage.live import Playback, play_planned, play_simulated
    from mpc.simulation.scenario import Scenario

    playback = Playback(speed, loop, wait, port)
    try:
        if simulated:
            typer.echo("Making the controllers ...", err=True)
            play_simulated(
                behavior, Scenario(behavior=behavior.name), playback, announce
            )
        else:
            play_planned(behavior, playback, announce)
    except KeyboardInterrupt:
        typer.echo("\nThe show is over.", err=True)


def write_recording(
    behavior: "Behavior",
    simulated: bool,
    path: Path,
    fps: float,
    extras: "SoundExtras",
) -> None:
    """Records the plan, or a run that it simulates first, and prints the size."""
    from backbeat.cli.console import progress_bar
    from backbeat.stage.recording import check_writable, record_behavior, record_run
    from mpc.simulation.run import run_scenario
    from mpc.simulation.scenario import Scenario

    check_writable(path)
    if not simulated:
        typer.echo(record_behavior(behavior, path, fps, extras))
        return
    with progress_bar(behavior.name) as report:
        run = run_scenario(
            Scenario(behavior=behavior.name),
            behavior,
            progress=lambda share: report(share, "in closed loop"),
        )
    typer.echo(record_run(run, path, fps, extras))


def announce(url: str) -> None:
    """Tells where to look."""
    typer.echo(f"On stage at {url}  (Ctrl-C ends the show)")
