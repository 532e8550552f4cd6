"""``backbeat play``: a behavior on the stage, in real time or as a recording."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backbeat.cli.common.browser import OpensBrowser, announce, announce_and_open
from backbeat.cli.common.completion import behaviors
from backbeat.cli.common.options import LIBRARY, LibraryFolder
from backbeat.cli.common.stream_options import (
    StreamFormat,
    StreamPort,
    StreamRate,
    open_stream,
)

if TYPE_CHECKING:
    from backbeat.behaviors.library.behavior import Behavior
    from backbeat.sound.notes import SoundExtras
    from backbeat.stage.live.playback import Playback
    from backbeat.stream.server import JointStream

LEAST_SPEED, MOST_SPEED = 0.05, 4.0
LEAST_FPS, FPS, MOST_FPS = 5.0, 30.0, 120.0
PAGES = (".html", ".htm")


def command(
    name: Annotated[
        str | None,
        typer.Argument(
            help="Behavior in the library; without one, the page offers them.",
            autocompletion=behaviors,
        ),
    ] = None,
    move: Annotated[
        str | None,
        typer.Option(help="A single move of a dance instead, solved on the spot."),
    ] = None,
    library: LibraryFolder = LIBRARY,
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
    task_space: Annotated[
        str | None,
        typer.Option(
            help="Instead, the hand of this robot, ur10 or atlas, after a target that "
            "you move."
        ),
    ] = None,
    remote: Annotated[
        str | None,
        typer.Option(
            help="With --task-space, HOST:PORT of `backbeat serve`, which controls it."
        ),
    ] = None,
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
        typer.Option(
            help="Write a file and end: HTML that plays on its own, or an .mp4 or "
            ".gif, which take Chromium and ffmpeg."
        ),
    ] = None,
    fps: Annotated[
        float, typer.Option(help="Frames a second of the recording, 5 to 120.")
    ] = FPS,
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
    opens: OpensBrowser = True,
    detail: Annotated[
        str,
        typer.Option(
            help="Simulated: auto saves what this machine is too slow for, full "
            "nothing, least all that can be."
        ),
    ] = "auto",
    stream: StreamPort = None,
    stream_rate: StreamRate = None,
    stream_format: StreamFormat = None,
) -> None:
    """Shows a behavior in Meshcat: live with its controls, or as a recording."""
    # Drake takes half a second to load, which `--help` does not have.
    from backbeat.cli.common.port import check_port
    from backbeat.cli.common.sound_options import read_extras
    from backbeat.models.common.errors import BackbeatError, unknown_name
    from backbeat.sound.notes import planned
    from backbeat.stage.live.playback import Playback
    from backbeat.stage.web.savings import AUTOMATIC, DETAILS

    check_rates(speed, fps)
    check_port(port)
    if task_space is not None:
        if any((name, move, simulated, kinematic, unverified, loop, record)):
            raise BackbeatError(
                "--task-space has a robot and nothing to perform: it goes with --port, "
                "--remote, --no-browser-wait, --no-open and --stream alone"
            )
        with open_stream(stream, stream_rate, stream_format) as opened:
            play_task_space(task_space, port, wait, remote, opened, opens)
        return
    if remote is not None:
        raise BackbeatError(
            "--remote is for --task-space; `backbeat track --remote` gives a behavior "
            "to a controller in another process"
        )
    if kinematic and simulated:
        raise BackbeatError("what the kinematic player does, no robot can follow")
    if detail not in DETAILS:
        raise unknown_name("detail", detail, DETAILS)
    if record is not None and detail != AUTOMATIC:
        raise BackbeatError(
            "--detail is of what is live; a recording has all of it, however long it "
            "takes"
        )
    if record is None and (click or latency_ms or backing is not None):
        raise BackbeatError("sound is heard in a recording: add --record PATH")
    if record is None and fps != FPS:
        raise BackbeatError("--fps is of a recording: add --record PATH")
    if record is not None and (speed != 1 or loop or port is not None):
        raise BackbeatError(
            "--speed, --loop and --port are of what is live; a recording has a player "
            "of its own, which has all speeds"
        )
    if record is not None and stream is not None:
        raise BackbeatError(
            "--stream is of what is live: leave out --record, or stream a run by "
            "'backbeat track'"
        )
    behavior = find_performance(
        name, move, library, kinematic, unverified or not simulated
    )
    if record is not None:
        if name is None and move is None:
            raise BackbeatError("name a behavior of the library, or a move by --move")
        extras = read_extras(click, latency_ms, backing, planned(behavior))
        write_recording(behavior, simulated, record, fps, extras)
        return
    chooses = name is None and move is None
    playback = Playback(speed, loop, wait, port, simulated, unverified, chooses, detail)
    with open_stream(stream, stream_rate, stream_format) as opened:
        play_live(behavior, library, playback, opened, opens and wait)


def check_rates(speed: float, fps: float) -> None:
    """Refuses a speed or frame rate that makes no sense.

    Raises:
        BackbeatError: one of them is out of its range.
    """
    from backbeat.models.common.errors import BackbeatError

    if not LEAST_SPEED <= speed <= MOST_SPEED:
        raise BackbeatError(
            f"--speed {speed:g} is not between {LEAST_SPEED} and {MOST_SPEED:g}"
        )
    if not LEAST_FPS <= fps <= MOST_FPS:
        raise BackbeatError(
            f"--fps {fps:g} is not between {LEAST_FPS:g} and {MOST_FPS:g}"
        )


def find_performance(
    name: str | None, move: str | None, library: Path, kinematic: bool, unverified: bool
) -> "Behavior":
    """What to begin with: a behavior, a move that is solved, or the library's first.

    Raises:
        BackbeatError: there is nothing of that name, or nothing at all.
    """
    from backbeat.behaviors.building.build import solve_preview
    from backbeat.behaviors.kinematic.behavior import kinematic_behavior
    from backbeat.behaviors.library.store import Library
    from backbeat.common.verified import load_verified
    from backbeat.models.common.errors import BackbeatError

    if name is not None and move is not None:
        raise BackbeatError("name a behavior of the library or a move, not both")
    if move is not None:
        typer.echo(f"Solving {move} ...", err=True)
        return solve_preview(move, Path())
    if kinematic:
        if name is None:
            raise BackbeatError("name what the kinematic player shall play")
        played = kinematic_behavior(name)
        remarks = played.provenance["remarks"]
        assert isinstance(remarks, list)
        typer.echo("\n".join(remarks), err=True)
        return played
    if name is not None:
        # A plan that fails is worth a look; a robot shall not follow it.
        return load_verified(library, name, unverified)
    names = Library(library).names()
    if not names:
        raise BackbeatError(
            f"there is nothing in library {library} yet; build something, for "
            "instance by 'backbeat build deep-squat'"
        )
    return load_verified(library, names[0], True)


def play_live(
    behavior: "Behavior",
    library: Path,
    playback: "Playback",
    stream: "JointStream | None" = None,
    opens: bool = False,
) -> None:
    """Opens the page and plays until Ctrl-C, or the end when nobody is awaited."""
    from backbeat.behaviors.library.store import Library
    from backbeat.cli.simulate.play_terminal import PlayTerminal
    from backbeat.stage.players.player import perform
    from backbeat.stage.players.repertoire import Repertoire

    terminal = PlayTerminal()
    tell = announce_and_open if opens else announce
    try:
        repertoire = Repertoire(Library(library), behavior)
        perform(behavior, repertoire, playback, tell, stream, terminal)
    except KeyboardInterrupt:
        typer.echo("\nThe show is over.", err=True)
    finally:
        terminal.close()


def play_task_space(
    robot: str,
    port: int | None,
    wait: bool,
    remote: str | None = None,
    stream: "JointStream | None" = None,
    opens: bool = False,
) -> None:
    """Opens the page of a hand and its target, until Ctrl-C."""
    from backbeat.mpc.remote.address import read_address
    from backbeat.stage.players.task_space_player import perform_task_space

    address = None if remote is None else read_address(remote)
    tell = announce_and_open if opens and wait else announce
    try:
        perform_task_space(robot, port, wait, tell, address, stream)
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
    from backbeat.cli.common.console import progress_bar
    from backbeat.models.common.atomic_file import check_place
    from backbeat.models.common.errors import BackbeatError
    from backbeat.mpc.scenario.specification import Scenario
    from backbeat.mpc.simulation.simulate import run_scenario
    from backbeat.stage.moments.moment import Take
    from backbeat.stage.recording.film import check_film, film, is_film
    from backbeat.stage.recording.html import page_of, write_page
    from backbeat.stage.takes.kinds import PlannedTake, SimulatedTake

    check_place(path)
    if is_film(path):
        check_film(path)
    elif path.suffix.lower() not in PAGES:
        raise BackbeatError(
            f"a recording is a page, {path.stem}.html, or a film, {path.stem}.mp4 or "
            f"{path.stem}.gif, not {path.name}"
        )
    with progress_bar(behavior.name) as report:
        take: Take = PlannedTake(behavior)
        if simulated:
            run = run_scenario(
                Scenario(behavior=behavior.name),
                behavior,
                progress=lambda share: report(share, "in closed loop"),
            )
            take = SimulatedTake(run)
        if is_film(path):
            recorded = film(take, path, fps, extras, report)
        else:
            recorded = write_page(page_of(take, fps, extras), path)
    typer.echo(recorded)
