"""Recorded moves: joint trajectories from elsewhere on the track of a dance."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from backbeat.behaviors.dance.step_times import (
    fastest,
    knot_spacing,
    least_stance,
    move_steps,
)
from backbeat.behaviors.dance.vocabulary.expression import Expression
from backbeat.behaviors.dance.vocabulary.move import LENGTHS, Curve, Move, Offsets
from backbeat.behaviors.dance.vocabulary.part_weights import check_weights, shares
from backbeat.behaviors.footsteps.step import FEET
from backbeat.behaviors.library.stored import check_name
from backbeat.behaviors.motion.time_law import minimum_jerk
from backbeat.behaviors.recording.dance_offsets import DanceOffsets, dance_offsets
from backbeat.behaviors.recording.planted_feet import Interval
from backbeat.behaviors.recording.take_file import read_take
from backbeat.behaviors.takes.take import Conventions, Take
from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.common.outside_file import beside
from backbeat.models.robot.model import RobotModel

STAY = "stay"
# What a recording may be played faster or slower by.
FASTEST, SLOWEST = 4.0, 0.1
MOST_LEAD = 16.0
# Samples over which the speed of the body at the ends of a recording is taken.
SPEED_OVER = 6


@dataclass
class RecordingDescription:
    """A recording in a choreography."""

    # Motion file of any format, from the folder of the choreography.
    file: str = ""
    # radians or degrees; as the format has it, or as the ranges of joints show.
    unit: str = ""
    # Name of its format; found in the file if it is left out.
    format: str = ""
    # m, cm or mm; wxyz or xyzw; z or y: as the format has them.
    length: str = ""
    quaternion: str = ""
    up: str = ""
    # Samples a second, where the file has no times.
    rate: float | None = None
    # File that says which joints of a person's skeleton are which parts of the body,
    # from the folder of the choreography; the skeletons that are known need none.
    skeleton: str = ""
    # Joints or groups to take; all that the file has if it is left out.
    joints: list[str] = field(default_factory=list)
    # Columns that are no joints.
    ignore: list[str] = field(default_factory=list)
    # The part of the file to take [s]; all of it if they are left out.
    start: float | None = None
    end: float | None = None
    # Beats to stretch it to; its own time if it is left out.
    beats: float | None = None
    # Beats to get from the dance's posture to its first sample, and back from the last.
    lead: float = 1.0
    # "stay" if both feet stand all the time; else when each foot stands, in seconds of
    # the file; found in the recording if both are left out.
    feet: str = ""
    # Whether feet land on their heels and leave over their toes where they do so in the
    # file; false keeps them flat.
    roll: bool = True
    # Factors on how near hands, feet and trunk stay to it, by part.
    weights: dict[str, float] = field(default_factory=dict)
    planted: dict[str, list[list[float]]] = field(default_factory=dict)

    def conventions(self) -> Conventions:
        """What is said about the file."""
        return Conventions(
            self.format,
            self.unit,
            self.length,
            self.quaternion,
            self.up,
            self.rate,
            tuple(self.ignore),
            self.skeleton,
        )

    def times(self, where: str) -> Mapping[str, list[tuple[float, float]]] | None:
        """When each foot stands, as declared; None if it is to be found.

        Raises:
            BackbeatError: no such foot, or what is no time.
        """
        if self.feet not in ("", STAY):
            raise BackbeatError(
                f"{where}: feet is '{STAY}', not {self.feet!r}; 'planted' says when "
                "each foot stands"
            )
        if self.feet and self.planted:
            raise BackbeatError(f"{where}: say 'feet' or 'planted', not both")
        if not self.feet and not self.planted:
            return None
        found = {}
        for foot in self.planted:
            if foot not in FEET:
                raise unknown_name(f"foot in {where}", foot, FEET)
        for foot in FEET:
            rows = self.planted.get(foot, [[-np.inf, np.inf]])
            ends = [x for row in rows for x in row]
            if not all(len(row) == 2 for row in rows) or ends != sorted(set(ends)):
                raise BackbeatError(
                    f"{where}: the {foot} foot stands from times to times in order, "
                    "such as [[0, 2.1], [2.6, 4]]"
                )
            found[foot] = [(float(a), float(b)) for a, b in rows]
        return found


@dataclass(frozen=True)
class RecordingSource:
    """What a recorded move was made of.

    Attributes:
        path: its file.
        take: what that holds.
        span: first and last time that were asked for [s].
        joints: names or groups that were taken; all if there are none.
    """

    path: Path
    take: Take
    span: Interval
    joints: tuple[str, ...]


@dataclass(frozen=True)
class RecordedMove(Move):
    """A move whose channels are sampled.

    Attributes:
        lead: share of its length before the first sample, and after the last.
        times: (n,) shares of what is between.
        samples: (n,) by channel.
        notes: sentences on what was found in it.
        changes: sentences on what could not stay as it was.
        planted: when each foot stands, in the file's time [s]; empty without legs.
        source: what it was made of; None for what is made in tests.
    """

    lead: float = 0.0
    times: np.ndarray = field(default_factory=lambda: np.zeros(2))
    samples: Mapping[str, np.ndarray] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    planted: Mapping[str, tuple[Interval, ...]] = field(default_factory=dict)
    source: RecordingSource | None = None

    def shape(
        self, since: np.ndarray, beats: float, values: Mapping[str, float]
    ) -> Offsets:
        """Offsets over beats since the start."""
        u, share = since / self.length(values), self.leads(since, values)
        at = (u - self.lead) / (1 - 2 * self.lead)
        offsets = {n: np.interp(at, self.times, s) for n, s in self.samples.items()}
        for n in LENGTHS:
            if n in offsets and self.lead:
                offsets[n] += self._coasting(self.samples[n], at)
        return {n: share * o for n, o in offsets.items()}

    def _coasting(self, samples: np.ndarray, at: np.ndarray) -> np.ndarray:
        """What a body does beyond its samples that has a speed at their ends.

        A walk that is cut out of a longer one neither starts nor ends at rest: in the
        leads the speed goes evenly to none.

        Args:
            samples: (n,) of a channel.
            at: (m,) shares of the time of the samples.
        """
        length, near = self.lead / (1 - 2 * self.lead), slice(None, SPEED_OVER)
        first, last = (
            np.polyfit(self.times[rows], samples[rows], 1)[0]
            for rows in (near, slice(-SPEED_OVER, None))
        )
        before, after = (np.clip(x, 0.0, length) for x in (-at, at - 1.0))
        ahead, back = (x - 0.5 * x**2 / length for x in (after, before))
        return np.asarray(last * ahead - first * back)

    def leads(self, since: np.ndarray, values: Mapping[str, float]) -> np.ndarray:
        """As of `Move`: all of the body, and less in its leads."""
        u = since / self.length(values)
        if not self.lead:
            return np.ones_like(u)
        near = np.minimum(u, 1 - u) / self.lead
        return np.asarray(minimum_jerk(np.clip(near, 0.0, 1.0)))


@dataclass(frozen=True)
class RecordedMoves:
    """Makes moves of the recordings of one dance.

    Attributes:
        known: moves that exist besides.
        folder: where files are found from.
        robot: model of the robot.
        q_start: (nq,) where it starts.
        bpm: tempo of the dance.
    """

    known: Mapping[str, Move]
    folder: Path
    robot: RobotModel
    q_start: np.ndarray
    bpm: float

    def move(self, name: str, d: RecordingDescription) -> RecordedMove:
        """A recording as a move of a name.

        Raises:
            BackbeatError: it cannot be read, or cannot be danced as it is asked for.
        """
        where = f"recording {check_name(name)}"
        if name in self.known:
            raise BackbeatError(
                f"{where}: there is a move {name!r}; choose another name"
            )
        if not d.file:
            raise BackbeatError(f"{where}: 'file' names a motion file")
        if not 0 <= d.lead <= MOST_LEAD:
            raise BackbeatError(
                f"{where}: lead is {d.lead:g} beats; it goes from 0 to {MOST_LEAD:g}"
            )
        check_weights(d.weights, where)
        path = beside(self.folder, d.file, where)
        told = d.conventions()
        if d.skeleton:
            own = beside(self.folder, d.skeleton, where)
            told = replace(told, skeleton=own)
        recording = read_take(path, self.robot, told)
        span = (
            recording.t[0] if d.start is None else d.start,
            recording.t[-1] if d.end is None else d.end,
        )
        found = dance_offsets(
            recording,
            self.robot,
            self.q_start,
            where,
            d.joints,
            d.times(where),
            span,
            d.roll,
        )
        read = tuple(s for s in (recording.said, *recording.notes) if s)
        found = replace(found, notes=(*read, *found.notes))
        source = RecordingSource(path, recording, span, tuple(d.joints))
        return replace(self._move(name, where, d, found), source=source)

    def _move(
        self, name: str, where: str, d: RecordingDescription, found: DanceOffsets
    ) -> RecordedMove:
        """What was found, on the grid of beats."""
        own, beat = float(found.t[-1]), 60.0 / self.bpm
        notes, stance = found.notes, least_stance(beat)
        beats = own / beat if d.beats is None else d.beats
        if d.beats is None and (slow := fastest(found.steps, stance)) < 1:
            beats /= slow
            notes = (
                *notes,
                f"{where}: its steps follow each other too fast for both feet to stand "
                f"{stance:.2g} s in between, so that it gets {beats:.3g} beats; "
                "'beats' gives it others",
            )
        speed = own / beat / beats if beats > 0 else np.inf
        if not SLOWEST <= speed <= FASTEST:
            raise BackbeatError(
                f"{where}: it lasts {own:.2f} s, and {beats:g} beats are "
                f"{beats * beat:.2f} s; it may be played {SLOWEST:g} to {FASTEST:g} "
                "times as fast"
            )
        if abs(speed - 1) > 1e-3:
            notes = (*notes, f"{where}: it is played {speed:.3g} times as fast")
        length = beats + 2 * d.lead
        steps = move_steps(found.steps, own, stance * speed, d.lead / length, where)
        return RecordedMove(
            name=name,
            track=_track(found, self.robot),
            summary=f"the recording {d.file}",
            parameters={},
            length=Expression(length),
            repeats=False,
            curves={n: Curve((0.0,), (Expression(),)) for n in found.offsets},
            steps=steps,
            entry=("stand",) if found.planted else (),
            lead=d.lead / length,
            times=found.t / own,
            samples=found.offsets,
            notes=notes,
            changes=found.changes,
            planted=found.planted,
            knot_spacing=knot_spacing(steps, length * beat),
            shares=shares(self.robot, found.offsets, d.weights),
            body_steps=True,
        )


def _track(found: DanceOffsets, robot: RobotModel) -> str:
    """The track where a recording belongs: that of the lowest part that moves."""
    if found.planted:
        return "legs"

    def is_of(*roles: str) -> bool:
        there = [robot.roles.names(role) for role in roles if role in robot.roles]
        return set(found.offsets) <= {name for names in there for name in names}

    if is_of("neck"):
        return "head"
    return "arms" if is_of("neck", "left arm", "right arm") else "body"
