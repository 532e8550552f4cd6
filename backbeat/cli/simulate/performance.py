"""What `backbeat play` does: finds what to show, plays it live or records it."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from backbeat.cli.common.browser import announce, announce_and_open

if TYPE_CHECKING:
    from backbeat.behaviors.library.behavior import Behavior
    from backbeat.cli.simulate.play_options import RecordingOptions, Subject
    from backbeat.stage.live.playback import Playback
    from backbeat.stream.server import JointStream

PAGES = (".html", ".htm")


def find_performance(subject: "Subject", library: Path, unverified: bool) -> "Behavior":
    """What to begin with: a behavior, a move that is solved, or the library's first.

    Args:
        subject: what is named, if anything.
        library: folder of built behaviors.
        unverified: also if verification failed.

    Raises:
        BackbeatError: there is nothing of that name, or nothing at all.
    """
    from backbeat.behaviors.building.move_preview import solve_preview
    from backbeat.behaviors.kinematic.behavior import kinematic_behavior
    from backbeat.behaviors.library.store import Library
    from backbeat.common.verified import load_verified
    from backbeat.models.common.errors import BackbeatError

    name, move, is_kinematic, robot = subject
    if robot and is_kinematic:
        raise BackbeatError(
            "--robot is of behaviors and moves; the kinematic player takes the robot "
            "that the file names"
        )
    if name is not None and move is not None:
        raise BackbeatError("name a behavior of the library or a move, not both")
    if move is not None:
        typer.echo(f"Solving {move} ...", err=True)
        return solve_preview(move, Path(), robot)
    if is_kinematic:
        if name is None:
            raise BackbeatError("name what the kinematic player shall play")
        played = kinematic_behavior(name, library=Library(library))
        remarks = played.provenance["remarks"]
        assert isinstance(remarks, list)
        typer.echo("\n".join(remarks), err=True)
        return played
    if name is not None:
        # A plan that fails is worth a look; a robot shall not follow it.
        return load_verified(library, name, unverified, robot)
    stored = Library(library).stored(robot)
    if not stored:
        raise BackbeatError(
            f"there is nothing in library {library} yet; build something, for "
            "instance by 'backbeat build deep-squat'"
        )
    return load_verified(library, stored[0], True)


def find_played(subject: "Subject", playback: "Playback", library: Path) -> "Behavior":
    """What a live page or a recording begins with; see `find_performance`."""
    if playback.is_driven and not subject.is_named:
        return _build_steps(library, subject.robot)
    is_followed = playback.is_simulated or playback.is_driven
    return find_performance(subject, library, playback.unverified or not is_followed)


def _build_steps(library: Path, robot: str) -> "Behavior":
    """What a robot is driven by: steps in place, solved if that was not done yet.

    Args:
        library: folder of built behaviors.
        robot: that walks; "" for the usual one.

    Raises:
        BackbeatError: no such robot, or it cannot step in place.
    """
    from backbeat.behaviors.building.build import build
    from backbeat.behaviors.library.store import Library
    from backbeat.behaviors.specification.kinds import Variant
    from backbeat.cli.common.console import progress_bar
    from backbeat.stage.players.repertoire import STEPS

    with progress_bar(STEPS) as report:
        variant = Variant(robot=robot)
        return build(STEPS, Library(library), progress=report, variant=variant)


def play_live(
    behavior: "Behavior",
    library: Path,
    playback: "Playback",
    stream: "JointStream | None" = None,
    opens: bool = False,
) -> None:
    """Opens the page and plays until Ctrl-C, or the end without waiting for a page."""
    from backbeat.behaviors.library.store import Library
    from backbeat.cli.author.author import edit, open_document
    from backbeat.cli.simulate.play_terminal import PlayTerminal
    from backbeat.stage.players.performing import perform
    from backbeat.stage.players.repertoire import Repertoire

    terminal = PlayTerminal()
    tell = announce_and_open if opens else announce
    try:
        repertoire = Repertoire(Library(library), behavior)
        asked = perform(behavior, repertoire, playback, tell, stream, terminal)
        if asked is not None:
            edit(*open_document(asked.file), library, asked.port)
    except KeyboardInterrupt:
        typer.echo("\nThe show is over.", err=True)
    finally:
        terminal.close()


def play_task_space(
    robot: str,
    library: Path,
    port: int | None,
    wait: bool,
    remote: str | None = None,
    stream: "JointStream | None" = None,
    opens: bool = False,
) -> None:
    """Opens the page of a hand and its target, until Ctrl-C."""
    from backbeat.mpc.control.task_space_setup import task_space_behavior
    from backbeat.mpc.remote.address import read_address
    from backbeat.mpc.remote.controller import remote_controllers
    from backbeat.stage.live.playback import Playback

    connect = None if remote is None else remote_controllers(read_address(remote))
    playback = Playback.of_hand(robot, wait=wait, port=port, remote=connect)
    assert playback.scenario is not None
    behavior = task_space_behavior(playback.scenario)
    play_live(behavior, library, playback, stream, opens and wait)


def write_recording(
    behavior: "Behavior", playback: "Playback", recording: "RecordingOptions"
) -> None:
    """Records the plan, or a run that it simulates first, and prints the size."""
    from backbeat.cli.common.console import progress_bar
    from backbeat.cli.common.sound_options import read_extras
    from backbeat.models.common.atomic_file import check_place
    from backbeat.models.common.errors import BackbeatError
    from backbeat.mpc.scenario.specification import Scenario
    from backbeat.mpc.simulation.simulate import run_scenario
    from backbeat.sound.notes import planned
    from backbeat.stage.frames.frame import PlaybackSource
    from backbeat.stage.recording.film import check_film, film, is_film
    from backbeat.stage.recording.html import page_of, write_page
    from backbeat.stage.sources.kinds import PlannedSource, SimulatedSource

    path, fps, click, latency_ms, backing = recording
    assert path is not None
    extras = read_extras(click, latency_ms, backing, planned(behavior))
    check_place(path)
    if is_film(path):
        check_film(path)
    elif path.suffix.lower() not in PAGES:
        raise BackbeatError(
            f"a recording is a page, {path.stem}.html, or a film, {path.stem}.mp4 or "
            f"{path.stem}.gif, not {path.name}"
        )
    with progress_bar(behavior.title) as report:
        source: PlaybackSource = PlannedSource(behavior)
        if playback.is_simulated:
            scenario = Scenario.of(behavior=behavior.name, robot=behavior.robot)
            run = run_scenario(
                playback.applied(scenario),
                behavior,
                playback.instead.weights,
                progress=lambda share: report(share, "in closed loop"),
                controller=playback.controller,
            )
            source = SimulatedSource(run)
        if is_film(path):
            recorded = film(source, path, fps, extras, report)
        else:
            recorded = write_page(page_of(source, fps, extras), path)
    typer.echo(recorded)
