"""StageFrame and PlaybackSource: the state shown at one time, and over a whole run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from backbeat.behaviors.kinematic.path_segments import PathSegment, path_segments
from backbeat.behaviors.library.behavior import Behavior, Event
from backbeat.behaviors.music.notation.meter import Pulse
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.horizon.prediction import Prediction
from backbeat.mpc.scenario.requested_tempo import RequestedTempo


@dataclass(frozen=True)
class ContactForce:
    """A force of the world on the robot.

    Attributes:
        point: (3,) where it acts: the center of pressure of a patch [m].
        force: (3,) in world axes [N].
    """

    point: np.ndarray
    force: np.ndarray


@dataclass(frozen=True)
class MarkedLine:
    """A line from the robot to a place, as of a rope.

    Attributes:
        start, end: (3,) in the world [m].
        is_taut: whether it pulls.
    """

    start: np.ndarray
    end: np.ndarray
    is_taut: bool


@dataclass(frozen=True)
class StageFrame:
    """What the stage shows at one instant.

    Attributes:
        time: time of the behavior [s]; a lead-in is negative.
        state: the robot, valid until the next frame is requested.
        ghost: (nq,) configuration of the plan; None without a plan to follow.
        forces: contact forces by contact name; contacts without force are missing.
        planned_forces: contact forces of the plan of a simulation.
        pushes: links that are pushed, with the impulse as force [N s].
        lines: from the robot to places that hold it.
        standing: contacts that carry weight.
        prediction: what is expected next.
        flashes: brightness, 0 to 1, of drum members that were just hit.
        capture_point: (3,) on the ground [m]; None in the air or on a welded base.
        rate: phase rate of the plan; None where nothing is simulated.
        solver: state of the solvers in words, or "".
        remark: what has gone wrong in words, or "".
        com_error: distance of the center of mass from where the plan in force follows
            it [m]; None where nothing is followed.
        target: (3,) where the hand should be in task space [m]; None elsewhere.
        hand: (3,) where it is [m].
    """

    time: float
    state: Configuration
    ghost: np.ndarray | None = None
    forces: Mapping[str, ContactForce] = field(default_factory=dict)
    planned_forces: Mapping[str, ContactForce] = field(default_factory=dict)
    pushes: Mapping[str, ContactForce] = field(default_factory=dict)
    lines: tuple[MarkedLine, ...] = ()
    standing: tuple[str, ...] = ()
    prediction: Prediction = field(default_factory=Prediction)
    flashes: Mapping[str, float] = field(default_factory=dict)
    capture_point: np.ndarray | None = None
    rate: float | None = None
    solver: str = ""
    remark: str = ""
    com_error: float | None = None
    target: np.ndarray | None = None
    hand: np.ndarray | None = None

    @property
    def measures(self) -> dict[str, float]:
        """What is plotted of a simulation; empty of a plan."""
        if self.com_error is None or self.rate is None:
            return {}
        weight = self.state.robot.weight
        up = sum(float(contact.force[2]) for contact in self.forces.values())
        return {
            "CoM error, mm": round(1e3 * self.com_error, 2),
            "vertical force, weights": round(up / weight, 3),
            "phase rate": round(self.rate, 3),
        }

    @property
    def hand_words(self) -> str:
        """How far the hand is from its target, or ""."""
        if self.target is None or self.hand is None:
            return ""
        return f"hand error {1e3 * np.linalg.norm(self.hand - self.target):.1f} mm"


class PlaybackSource(Protocol):
    """A performance with a frame for each time.

    Attributes:
        behavior: what is performed.
        start, end: first and last time of it [s].
        is_simulated: whether it was measured in simulation; if not, it is the plan.
        engine: what simulated it; "" for the plan.
        accents: times that a recording must not miss, such as strikes [s].
        remarks: what the caption says from a time on, as (time, sentence).
    """

    behavior: Behavior
    is_simulated: bool
    accents: np.ndarray
    remarks: tuple[tuple[float, str], ...]

    @property
    def engine(self) -> str:
        """What simulated it."""

    @property
    def tempo(self) -> RequestedTempo:
        """Requested tempo."""

    @property
    def start(self) -> float:
        """First time of it [s]."""

    @property
    def end(self) -> float:
        """Last time of it [s]."""

    def frame_at(self, t: float) -> StageFrame:
        """What is seen at a time."""


def pulses(source: PlaybackSource) -> list[tuple[float, Pulse]]:
    """Pulses of a source's bars, each with its time [s]."""
    return source.tempo.pulses(source.behavior, source.end)


def paths(source: PlaybackSource) -> list[PathSegment]:
    """Holds and Gotos of hands, or of the body, when they are in a source."""
    behavior = source.behavior
    events = [source.tempo.place(event) for event in behavior.events]
    end = source.tempo.when(behavior.duration)
    return path_segments(behavior.kind, events, min(end, source.end))


def segments(source: PlaybackSource) -> list[Event]:
    """Parts of what is performed, when they are in a source."""
    events = map(source.tempo.place, source.behavior.events)
    return [event for event in events if event.kind == "segment"]


def frame_times(source: PlaybackSource, fps: float) -> np.ndarray:
    """Times to draw for a recording: an even grid, and every accent [s]."""
    count = max(1, round((source.end - source.start) * fps))
    grid = np.linspace(source.start, source.end, count + 1)
    inside = (source.accents > source.start) & (source.accents < source.end)
    times = np.unique(np.concatenate([grid, source.accents[inside]]))
    # A grid time a hair beside an accent would only be a second key for it.
    close = np.r_[False, np.diff(times) < 1e-4]
    return np.asarray(times[~close])
