"""Behavior: a verified motion with all data that a controller needs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from html import escape
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from pydrake.math import RigidTransform, RollPitchYaw

from backbeat.behaviors.library.beat_grid import BeatGrid
from backbeat.behaviors.library.robots import USUAL_ROBOT
from backbeat.behaviors.music.notation.meter import COMMON, MeterMap, Pulse
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.description import find_description, robot_stamps
from backbeat.models.robot.inheritance import Stamp
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.models.world.scene import Scene
from backbeat.optimization.diagnosis.costs import KnotCosts
from backbeat.optimization.problem.dense_trajectory import DenseTrajectory
from backbeat.optimization.verification.certificate import Certificate

if TYPE_CHECKING:
    import pandas as pd

# How much the beat counts against balance, unless a behavior says otherwise.
BEAT_PRIORITY = 0.5

Triple = tuple[float, float, float]
# Called with a share of the work done, 0 to 1, and what is being done.
Progress = Callable[[float, str], None]


def named_with_robot(name: str, robot: str) -> str:
    """A behavior as people call it, by its name and that of its robot.

    Atlas's is not said, which is the robot unless another one is named.
    """
    return name if robot in ("", USUAL_ROBOT) else f"{name} on {robot}"


@dataclass(frozen=True)
class Mount:
    """How the robot is held, for behaviors that do not stand freely.

    Attributes:
        p_WB: place of the welded base [m]; None for a free base.
        rpy_WB: its roll, pitch, yaw [rad].
        locked: angles of joints that stay still [rad], by name.
    """

    p_WB: Triple | None = None
    rpy_WB: Triple = (0.0, 0.0, 0.0)
    locked: Mapping[str, float] = field(default_factory=dict)

    @property
    def is_free(self) -> bool:
        """Whether the base floats."""
        return self.p_WB is None

    def pose(self) -> RigidTransform | None:
        """X_WB of a welded base, None of a free one."""
        if self.p_WB is None:
            return None
        return RigidTransform(RollPitchYaw(*self.rpy_WB), np.array(self.p_WB))


ON_ITS_FEET = Mount()


@dataclass(frozen=True)
class Event:
    """Something that belongs to an instant of a behavior.

    Attributes:
        time: authored, absolute time [s].
        kind: "strike", "left out" for a hit that is written and cannot be played,
            "rest", "target" where a hand is without either, "segment", "marker", "beat"
            where a tempo changes, "count" for a click of the count-in, or "music" where
            the music of a file begins that has more before it.
        what: drum member of a strike, name of a target, segment or marker, file name of
            the backing of music, number of a click from 1, or which beat it is, from
            the start, such as 3.5.
        who: contact that strikes, or "".
        velocity: loudness as in MIDI, 0 to 127.
        duration: length of a segment, or how far from its time a marker may be [s].
        aim: place of a strike on the head, from its strike point, in its axes [m].
        channel: of a marker: joint, task channel or foot whose extreme it is.
        extreme: of a marker: "most", "least" or "lands"; see
            `backbeat.behaviors.dance.markers`.
        cause: why a hit is left out.
    """

    time: float
    kind: str
    what: str
    who: str = ""
    velocity: int = 0
    duration: float = 0.0
    aim: tuple[float, float] = (0.0, 0.0)
    channel: str = ""
    extreme: str = ""
    cause: str = ""


def music_events(backing: str, time: float, is_later: bool = False) -> list[Event]:
    """The event of music; none where there is no backing and no time to mark.

    Args:
        backing: file name of a recording that plays along; "" for none.
        time: when it begins [s]; below 0 it has begun before the behavior does.
        is_later: whether the time is of use without a backing.
    """
    return [Event(time, "music", backing)] if backing or is_later else []


def count_in_events(times: Iterable[float]) -> list[Event]:
    """The events of a count-in, from the times of its clicks [s]."""
    return [Event(time, "count", str(k)) for k, time in enumerate(times, 1)]


def beat_events(marked: Iterable[tuple[float, float]]) -> list[Event]:
    """The events of beats that are marked, from these and their times [s]."""
    return [Event(time, "beat", f"{beat:.12g}") for beat, time in marked]


def beat_grid(bpm: float, meter: MeterMap, events: Sequence[Event]) -> BeatGrid:
    """Beats of a motion with some events."""
    marked = [e for e in events if e.kind == "beat"]
    # Those that earlier versions have stored are whole, and have no number.
    points = [(float(e.what or k), e.time) for k, e in enumerate(marked)]
    return BeatGrid(bpm, meter, points)


@dataclass(frozen=True)
class Behavior:
    """A motion on a fine grid of phase, its events and its certificate.

    Attributes:
        name: name in the library.
        kind: "posture", "dance", "drumming", "footsteps" or "setlist".
        summary: one sentence for people.
        robot: robot name or path of its YAML.
        equipment: what the robot carries.
        mount: how it is held.
        scene: what stands around the robot.
        bpm: tempo [beats/min], 0 without music.
        meter: its bars.
        motion: the dense trajectory.
        com: (M, 3) center of mass [m].
        momentum: (M, 6) momentum about the center of mass [angular, linear].
        inertia: (M, 3, 3) centroidal rotational inertia, world axes [kg m^2].
        events: strikes, segments and markers in order of time.
        certificate: what verification found.
        specification: the YAML it was built from.
        provenance: versions and numbers of the build, by name.
        beat_priority: how much the beat counts against balance, 0 to 1.
        compliance: how soft joints are, 0 as usual to 1 as can be, by name.
    """

    name: str
    kind: str
    summary: str
    robot: str
    equipment: tuple[str, ...]
    mount: Mount
    scene: Scene
    bpm: float
    meter: MeterMap
    motion: DenseTrajectory
    com: np.ndarray
    momentum: np.ndarray
    inertia: np.ndarray
    events: tuple[Event, ...]
    certificate: Certificate
    specification: str
    provenance: Mapping[str, object]
    beat_priority: float = BEAT_PRIORITY
    compliance: Mapping[str, float] = field(default_factory=dict)

    @property
    def duration(self) -> float:
        """Length at nominal tempo [s]."""
        return float(self.motion.t[-1])

    @cached_property
    def robot_model(self) -> RobotModel:
        """The robot as this behavior uses it."""
        return make_robot(self.robot, self.equipment, self.mount)

    @property
    def title(self) -> str:
        """Its name and, if that is not Atlas, its robot's."""
        return named_with_robot(self.name, self.robot_model.name)

    def iterations(self) -> "pd.DataFrame":
        """What the solver did: cost, violation, step, barrier of every iteration."""
        import pandas as pd

        return pd.DataFrame(self.provenance.get("log", []))

    def active_limits(self) -> "pd.DataFrame":
        """Limits that the motion uses to the full, and from when to when."""
        import pandas as pd

        return pd.DataFrame(self.provenance.get("active_limits", []))

    def costs(self) -> KnotCosts:
        """What each term of its trajectory costs over time.

        Raises:
            BackbeatError: nothing was kept of it, as of motions that were put together.
        """
        told: Any = self.provenance.get("costs")
        columns = [told["t"], told["span"], *told["terms"].values()] if told else []
        if len({len(column) for column in columns}) != 1 or not columns[0]:
            raise BackbeatError(
                f"{self.title} does not say what terms cost: setlists do not, nor do "
                "behaviors of earlier versions; build a single motion again"
            )
        return KnotCosts.from_plain(told)

    def beat_times(self, end: float) -> np.ndarray:
        """Absolute times of its beats up to a time, the first at 0 [s].

        A beat is a quarter note. They are events where the tempo changes, and else
        follow from `bpm`; there are none without music.
        """
        return self.grid.beat_times(min(end, self.duration))

    def pulses(self, end: float) -> list[tuple[float, Pulse]]:
        """Pulses of its bars up to a time, each with its own [s]; none without music.

        A pulse is a note of the meter's denominator: seven to a bar of 7/8.
        """
        return self.grid.pulses(min(end, self.duration))

    @cached_property
    def grid(self) -> BeatGrid:
        """Its beats."""
        return beat_grid(self.bpm, self.meter, self.events)

    def strikes(self) -> list[Event]:
        """The strikes in order of time."""
        return self.events_of("strike")

    def events_of(self, kind: str) -> list[Event]:
        """Events of a kind in order of time."""
        return [e for e in self.events if e.kind == kind]

    def music(self) -> Event:
        """Where music begins, and its backing; the start if nothing else is said."""
        found = (e for e in self.events if e.kind == "music")
        return next(found, Event(0.0, "music", ""))

    def _tempo(self) -> str:
        """Its tempo, and its meter if that is none of every day."""
        meter = "" if str(self.meter) == str(COMMON) else f" in {self.meter}"
        return f"{self.bpm:g} BPM{meter}"

    def __str__(self) -> str:
        """One paragraph for a person."""
        state = "verified" if self.certificate.passed else "NOT verified"
        strikes = len(self.strikes())
        music = f", {self._tempo()}, {strikes} strikes" if self.bpm else ""
        return (
            f"{self.title} ({self.kind}, {self.duration:.1f} s{music}, {state}): "
            f"{self.summary}"
        )

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """A small table, for notebooks."""
        rows = {
            "kind": self.kind,
            "length": f"{self.duration:.1f} s",
            "tempo": self._tempo() if self.bpm else "none",
            "robot": " with ".join([self.robot_model.name, *self.equipment]),
            "verified": "yes" if self.certificate.passed else "NO",
        }
        for check in self.certificate.failures():
            rows[check.name.replace("_", " ")] = (
                f"{check.value:.3g} > {check.bound:.3g} at {check.time:.2f} s, "
                f"{check.where}"
            )
        cells = "".join(
            f"<tr><th>{escape(key)}</th><td>{escape(text)}</td></tr>"
            for key, text in rows.items()
        )
        caption = f"<caption>{escape(self.name)}: {escape(self.summary)}</caption>"
        return f"<table>{caption}{cells}</table>"


def make_robot(
    robot: str, equipment: tuple[str, ...] = (), mount: Mount = ON_ITS_FEET
) -> RobotModel:
    """The robot model for given equipment and mount.

    It holds no state: equal arguments give the same model, as long as
    its files are the same.

    Raises:
        BackbeatError: an unknown name, or equipment named twice.
    """
    for name in equipment:
        if equipment.count(name) > 1:
            raise BackbeatError(f"the robot carries {name!r} twice")
    pose = None if mount.p_WB is None else (mount.p_WB, mount.rpy_WB)
    locked = tuple(sorted(mount.locked.items()))
    stamps = robot_stamps(find_description(robot))
    # Two threads that ask for a robot at once get the same one, too.
    with _MAKING:
        return _robot(robot, tuple(equipment), pose, locked, stamps)


_MAKING = Lock()


@lru_cache(maxsize=8)
def _robot(
    robot: str,
    equipment: tuple[str, ...],
    pose: tuple[Triple, Triple] | None,
    locked: tuple[tuple[str, float], ...],
    stamps: tuple[Stamp, ...],
) -> RobotModel:
    mount = Mount() if pose is None else Mount(*pose)
    return RobotModel(robot, equipment, mount.pose(), dict(locked))


def centroidal_quantities(
    robot: RobotModel, motion: DenseTrajectory
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Center of mass, momentum about it and centroidal inertia of every sample."""
    M = len(motion.t)
    com, momentum, inertia = np.zeros((M, 3)), np.zeros((M, 6)), np.zeros((M, 3, 3))
    configuration = Configuration(robot, motion.q[0])
    for i in range(M):
        configuration.update(motion.q[i], motion.v[i])
        com[i] = configuration.center_of_mass
        momentum[i] = configuration.momentum
        I = configuration.centroidal_inertia
        # Symmetric to the last bit, as it is stored.
        inertia[i] = 0.5 * (I + I.T)
    return com, momentum, inertia
