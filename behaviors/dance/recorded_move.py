"""Recorded moves: joint trajectories from elsewhere on the track of a dance."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from backbeat.behaviors.dance.recordings.description import RecordingDescription
from backbeat.behaviors.dance.recordings.reading import (
    RecordingRequest,
    RecordingSource,
    near_before,
    read_recording,
)
from backbeat.behaviors.dance.step_times import (
    fastest,
    knot_spacing,
    least_stance,
    move_steps,
)
from backbeat.behaviors.dance.vocabulary.expression import Expression
from backbeat.behaviors.dance.vocabulary.move import LENGTHS, Curve, Move, Offsets
from backbeat.behaviors.dance.vocabulary.part_weights import check_weights, shares
from backbeat.behaviors.library.stored import check_name
from backbeat.behaviors.motion.time_law import minimum_jerk
from backbeat.behaviors.recording.contacts.foot_roll import KeptFeet
from backbeat.behaviors.recording.dance_offsets import DanceOffsets
from backbeat.behaviors.recording.planted_feet import Interval
from backbeat.behaviors.recording.take_file import take_digests
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.outside_file import beside
from backbeat.models.robot.model import RobotModel

# What a recording may be played faster or slower by.
FASTEST, SLOWEST = 4.0, 0.1
MOST_LEAD = 16.0
# Samples over which the speed of the body at the ends of a recording is taken.
SPEED_OVER = 6


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

    def move(
        self, name: str, d: RecordingDescription, before: RecordedMove | None = None
    ) -> RecordedMove:
        """A recording as a move of a name.

        Args:
            name: of the move.
            d: the recording.
            before: the move of an earlier version of the file; what differs slightly
                from it away from what was edited stays as it was.

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
        d.check_jumps(where)
        path, told = beside(self.folder, d.file, where), d.conventions()
        if d.skeleton:
            told = replace(told, skeleton=beside(self.folder, d.skeleton, where))
        stands, q_start = d.times(where), tuple(self.q_start)
        rows = None if stands is None else tuple((f, *r) for f, r in stands.items())
        digests = take_digests(path, told)
        joints, kept = tuple(d.joints), KeptFeet(d.roll, d.jumps)
        request = RecordingRequest(told, joints, rows, (d.start, d.end), kept)
        read = read_recording(path, digests, request, self.robot, q_start, where)
        take, span, found = read
        source = RecordingSource(path, digests[0], take, span, joints, found, found)
        if before is not None and before.source is not None:
            source = near_before(source, before.source)
        move = self._move(name, where, d, source.offsets)
        return replace(move, source=source)

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
