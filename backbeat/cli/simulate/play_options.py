"""The options of `backbeat play`, and which of them go together."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from backbeat.cli.common.completion import behaviors
from backbeat.cli.common.options import controller_terms, user_controller
from backbeat.cli.simulate.track_options import given_weights

if TYPE_CHECKING:
    from backbeat.stage.live.playback import Playback

# The engine that most machines simulate walking in in real time.
DRIVE_ENGINE = "mujoco"
LEAST_SPEED, MOST_SPEED = 0.05, 4.0
LEAST_FPS, FPS, MOST_FPS = 5.0, 30.0, 120.0
USUAL_ENGINE = "drake"

BehaviorName = Annotated[
    str | None,
    typer.Argument(
        help="Behavior in the library; without one, the page has a shelf of them.",
        autocompletion=behaviors,
    ),
]
MoveName = Annotated[
    str | None,
    typer.Option(help="Show a single move of a dance instead; it is solved first."),
]
Simulated = Annotated[
    bool,
    typer.Option(
        "--simulated/--planned",
        help="Show the closed loop, simulated live, or the motion as planned.",
    ),
]
Drive = Annotated[
    bool,
    typer.Option(
        "--drive",
        help="Walk the robot by arrow keys or a gamepad, on sensors; without a name, "
        "by step-in-place, which is built.",
    ),
]
EngineName = Annotated[
    str | None,
    typer.Option(
        help="Engine that simulates, drake or mujoco (that of --drive); a live page "
        "may choose the other."
    ),
]
Kinematic = Annotated[
    bool,
    typer.Option(
        "--kinematic",
        help="Play a drumming specification by inverse kinematics, without forces.",
    ),
]
Unverified = Annotated[
    bool,
    typer.Option("--unverified", help="Simulate even if verification failed."),
]
TaskSpaceRobot = Annotated[
    str | None,
    typer.Option(
        help="Simulate instead the hand of this robot, ur10 or atlas, which "
        "follows a target that you move."
    ),
]
Remote = Annotated[
    str | None,
    typer.Option(
        help="HOST:PORT of a `backbeat serve` that controls the robot of --task-space."
    ),
]
Speed = Annotated[float, typer.Option(help="Speed relative to real time, 0.05 to 4.")]
Loop = Annotated[bool, typer.Option("--loop", help="Repeat from the start at the end.")]
Port = Annotated[
    int | None, typer.Option(help="Port of the page; any free one by default.")
]
RecordingFile = Annotated[
    Path | None,
    typer.Option(
        help="Write a recording and exit: an HTML file that needs no other "
        "file, or an .mp4 or .gif, which need Chromium and ffmpeg."
    ),
]
FramesPerSecond = Annotated[
    float, typer.Option(help="Frames per second of the recording, 5 to 120.")
]
Click = Annotated[
    bool, typer.Option("--click", help="Add a metronome to the recording.")
]
Latency = Annotated[float, typer.Option(help="Delay of the recording's drums in ms.")]
Backing = Annotated[
    Path | None, typer.Option(help="WAV file of your own to mix into the recording.")
]
BrowserWait = Annotated[
    bool,
    typer.Option(
        "--browser-wait/--no-browser-wait",
        help="Start when a browser has opened the page, and run until Ctrl-C.",
    ),
]
Detail = Annotated[
    str,
    typer.Option(
        help="Savings of a simulation on a slow machine: auto (as needed), "
        "full (none) or least (all)."
    ),
]


class Subject(NamedTuple):
    """What is to be shown.

    Attributes:
        name: behavior of the library, or what the kinematic player plays.
        move: a move of a dance instead.
        is_kinematic: whether the kinematic player plays it.
        robot: of the behavior; "" for the usual one.
    """

    name: str | None
    move: str | None
    is_kinematic: bool
    robot: str = ""

    @property
    def is_named(self) -> bool:
        """Whether anything is; pages choose otherwise."""
        return self.name is not None or self.move is not None


class RecordingOptions(NamedTuple):
    """What is to be recorded, and how.

    Attributes:
        path: file to write; None for a live page.
        fps: frames a second.
        click: whether there is a metronome.
        latency_ms: by how much the drums are late [ms].
        backing: file to play along with; None for that of the behavior.
    """

    path: Path | None
    fps: float
    click: bool
    latency_ms: float
    backing: Path | None


def of_ones_own(
    controller: str | None, weights: str | None, terms: str | None
) -> dict[str, Any]:
    """What is simulated with, where it is not ours, by attribute of a `Playback`.

    Args:
        controller, weights, terms: as the command line names them.

    Raises:
        BackbeatError: one of them does not load.
    """
    return {
        "controller": user_controller(controller),
        "weights": given_weights(weights),
        "terms": controller_terms(terms),
    }


def usual_engine(is_driven: bool) -> str:
    """The engine that simulates where none is named."""
    return DRIVE_ENGINE if is_driven else USUAL_ENGINE


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


def refuse_remote(remote: str | None) -> None:
    """Refuses a connection for a behavior, whose controllers are here.

    Raises:
        BackbeatError: there is one.
    """
    from backbeat.models.common.errors import BackbeatError

    if remote is not None:
        raise BackbeatError(
            "--remote is for --task-space; `backbeat track --remote` gives a behavior "
            "to a controller in another process"
        )


def check_task_space(
    subject: Subject, playback: "Playback", recording: RecordingOptions
) -> None:
    """Refuses what a hand and its target have not.

    Raises:
        BackbeatError: says what goes with them.
    """
    from backbeat.models.common.errors import BackbeatError

    chosen = playback.is_simulated or playback.unverified or playback.loop
    chosen = chosen or playback.is_driven
    chosen = chosen or playback.engine != USUAL_ENGINE
    chosen = chosen or playback.controller is not None or bool(playback.weights)
    chosen = chosen or playback.terms is not None
    if any(subject) or chosen or recording.path:
        raise BackbeatError(
            "--task-space has a robot and nothing to perform: it goes with --port, "
            "--remote, --no-browser-wait, --no-open and --stream alone"
        )


def check_performance(
    subject: Subject,
    playback: "Playback",
    recording: RecordingOptions,
    streams: bool,
) -> None:
    """Refuses options that do not go together.

    Args:
        subject, playback, recording: as given.
        streams: whether joint states are to be sent.

    Raises:
        BackbeatError: says which, and what to do instead.
    """
    from backbeat.models.common.errors import BackbeatError, unknown_name
    from backbeat.mpc.engines.choosing import check_engine
    from backbeat.stage.web.savings import DETAILS

    if playback.is_driven and (subject.move or subject.is_kinematic or recording.path):
        raise BackbeatError(
            "--drive is of a live page with a behavior: leave out --move, --kinematic "
            "and --record"
        )
    if subject.is_kinematic and playback.is_simulated:
        raise BackbeatError("a kinematic motion has no forces and is not simulated")
    if playback.detail not in DETAILS:
        raise unknown_name("detail", playback.detail, DETAILS)
    check_engine(playback.engine)
    if recording.path is None:
        _check_live(recording)
    elif not subject.is_named:
        raise BackbeatError("name a behavior of the library, or a move by --move")
    else:
        _check_recording(playback, streams)


def _check_live(recording: RecordingOptions) -> None:
    """Refuses options of recordings where there is none."""
    from backbeat.models.common.errors import BackbeatError

    if recording.click or recording.latency_ms or recording.backing is not None:
        raise BackbeatError("sound is heard in a recording: add --record PATH")
    if recording.fps != FPS:
        raise BackbeatError("--fps is of a recording: add --record PATH")


def _check_recording(playback: "Playback", streams: bool) -> None:
    """Refuses options of live pages beside a recording."""
    from backbeat.models.common.errors import BackbeatError
    from backbeat.stage.web.savings import AUTOMATIC

    of_simulations = {
        "--engine": playback.engine != USUAL_ENGINE,
        "--controller": playback.controller is not None,
        "--weights": bool(playback.weights),
        "--with": playback.terms is not None,
    }
    for option, is_given in of_simulations.items():
        if is_given and not playback.is_simulated:
            raise BackbeatError(f"{option} is for what is simulated: add --simulated")
    if playback.detail != AUTOMATIC:
        raise BackbeatError(
            "--detail is of what is live; a recording has all of it, however long it "
            "takes"
        )
    if playback.speed != 1 or playback.loop or playback.port is not None:
        raise BackbeatError(
            "--speed, --loop and --port are of what is live; a recording has a player "
            "of its own, which has all speeds"
        )
    if streams:
        raise BackbeatError(
            "--stream is of what is live: leave out --record, or stream a run by "
            "'backbeat track'"
        )
