"""Arrangement: the moves of a choreography, each at its place on the beat grid."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from backbeat.behaviors.dance.vocabulary.channels import joint_offsets, mirrored
from backbeat.behaviors.dance.vocabulary.descriptions import (
    MoveDescription,
    PhraseDescription,
)
from backbeat.behaviors.dance.vocabulary.move import LENGTHS, STATES, Move, Offsets
from backbeat.behaviors.motion.time_law import minimum_jerk
from backbeat.behaviors.music.notation.meter import MeterMap
from backbeat.models.robot.model import RobotModel

# Nearer than this is at the same time [beats].
SAME = 1e-6
# Share of a cycle on either side of a marker that a move has all of its size.
BESIDE = 0.25


@dataclass(frozen=True)
class PlacedMove:
    """A move at its place.

    Attributes:
        move: the move.
        track, row: where it was written: the track, and which of its moves.
        start, beats: when, and for how long [beats].
        values: of all its parameters.
        mirror: whether left and right are exchanged.
        rise, fall: (2,) beats from none to all of it, and from all to none.
        timing: how much the beat counts against balance; None for the dance's.
        tracking: how closely the motion follows it, 0 to 1.
        apart: share of what takes its hands apart for what they carry.
        scale: factor on its lengths.
        is_again: whether a phrase plays it again.
    """

    move: Move
    track: str
    row: int
    start: float
    beats: float
    values: Mapping[str, float]
    mirror: bool
    rise: tuple[float, float]
    fall: tuple[float, float]
    timing: float | None
    tracking: float
    apart: float = 0.0
    scale: float = 1.0
    is_again: bool = False

    @property
    def end(self) -> float:
        """Beat at which it is over."""
        return self.start + self.beats

    @property
    def cycles(self) -> int:
        """Whole cycles, of which there is one if it does not repeat."""
        if not self.move.repeats:
            return 1
        return int(np.floor(self.beats / self.move.length(self.values) + SAME))

    def window(self, beats: np.ndarray) -> np.ndarray:
        """(n,) share of it, growing and dying smoothly."""
        grown = _smooth(beats, *self.rise)
        return np.asarray(grown * (1 - _smooth(beats, *self.fall)))

    def markers(self) -> list[float]:
        """Beats on which its marker falls."""
        if self.move.marker is None:
            return []
        length = self.move.length(self.values)
        at = self.move.marker.at * length
        if not self.move.repeats:
            hold = self.move.hold
            late = hold is not None and self.move.marker.at > hold
            found = [at + (self.beats - length if late else 0.0)]
        else:
            found = [at + k * length for k in range(self.cycles + 1)]
        full = [self.start + b for b in found if b <= self.beats + SAME]
        if self.move.steps:
            return [b for b in full if b <= self.end + SAME]
        if not self.move.repeats:
            return full
        # An extreme beside which it grows or dies is not where the move has it: what
        # follows it is larger than what led to it, and a smooth motion turns later.
        beside = BESIDE * length
        first, last = self.rise[1] + beside, self.fall[0] - beside
        return [b for b in full if first - SAME <= b <= last + SAME]


def _smooth(beats: np.ndarray, start: float, end: float) -> np.ndarray:
    """From zero to one, smoothly; a step of no length belongs to what follows."""
    if end - start < SAME:
        return (beats >= start - SAME).astype(float)
    return minimum_jerk(np.clip((beats - start) / (end - start), 0.0, 1.0))


def place_moves(
    tracks: Mapping[str, Sequence[MoveDescription]],
    moves: Mapping[str, Move],
    meter: MeterMap,
    fade: float,
    where: str,
    scale: float = 1.0,
    mirror: bool = False,
    phrases: Sequence[PhraseDescription] = (),
) -> list[PlacedMove]:
    """Lays out all moves, with their repeats, track by track in order of time.

    Those of a phrase follow again where it is danced again.

    Their lengths are multiplied by `scale`; with `mirror` left and right of all of them
    are exchanged.

    Raises:
        BackbeatError: a parameter that a move does not have, or out of its range.
    """
    placed: list[PlacedMove] = []
    for track, rows in tracks.items():
        mine: list[tuple[PlacedMove, float]] = []
        for row, described in enumerate(rows):
            mine += _placed(described, row, track, moves, meter, fade, where)
        mine += _again(mine, phrases, meter)
        mine.sort(key=lambda pair: (pair[0].start, pair[0].row))
        placed += _blended(mine)
    return [replace(p, scale=scale, mirror=p.mirror != mirror) for p in placed]


def _placed(
    d: MoveDescription,
    row: int,
    track: str,
    moves: Mapping[str, Move],
    meter: MeterMap,
    fade: float,
    where: str,
) -> list[tuple[PlacedMove, float]]:
    """A move and its repeats, each with its blend."""
    move, start = moves[d.move], d.start(meter)
    values = move.values(d.values, f"{where}, beat {start:g}")
    beats = move.usual_beats(values) if d.beats is None else d.beats
    copies = []
    for k in range(d.repeat):
        a = start + k * beats
        length = move.length(values)
        in_time = min(fade, 0.5 * beats)
        cut = not move.repeats and beats < length - SAME
        rise = in_time if move.repeats else 0.0
        fall = in_time if move.repeats or cut else 0.0
        copies.append(
            (
                PlacedMove(
                    move=move,
                    track=track,
                    row=row,
                    start=a,
                    beats=beats,
                    values=values,
                    mirror=d.mirror != (d.alternate and k % 2 == 1),
                    rise=(a, a + rise),
                    fall=(a + beats - fall, a + beats),
                    timing=d.timing,
                    tracking=d.tracking,
                ),
                d.blend,
            )
        )
    return copies


def _again(
    mine: Sequence[tuple[PlacedMove, float]],
    phrases: Sequence[PhraseDescription],
    meter: MeterMap,
) -> list[tuple[PlacedMove, float]]:
    """The moves of one track that phrases play again, each with its blend."""
    copies = []
    for phrase in phrases:
        start = phrase.start(meter)
        end = start + phrase.beats
        inside = [(p, b) for p, b in mine if start - SAME <= p.start < end - SAME]
        for k, again in enumerate(phrase.starts_again(meter)):
            swap = phrase.alternate and k % 2 == 0
            copies += [(_shifted(p, again - start, swap), b) for p, b in inside]
    return copies


def _shifted(p: PlacedMove, beats: float, swap: bool) -> PlacedMove:
    """The same so many beats later, with left and right exchanged if asked."""
    return replace(
        p,
        start=p.start + beats,
        rise=(p.rise[0] + beats, p.rise[1] + beats),
        fall=(p.fall[0] + beats, p.fall[1] + beats),
        mirror=p.mirror != swap,
        is_again=True,
    )


def _blended(mine: list[tuple[PlacedMove, float]]) -> list[PlacedMove]:
    """Lets what ends where a blended move starts die as that one grows."""
    placed = [p for p, _ in mine]
    for i, (_, blend) in enumerate(mine):
        if blend <= 0:
            continue
        start = placed[i].start
        ramp = (start - 0.5 * blend, start + 0.5 * blend)
        placed[i] = replace(placed[i], rise=ramp)
        for j, before in enumerate(placed):
            if j != i and abs(before.end - start) < SAME:
                placed[j] = replace(before, fall=ramp)
    return placed


def state_changes(
    placed: Iterable[PlacedMove],
) -> list[tuple[PlacedMove, str, str]]:
    """The legs' moves in order, with the state before and after each."""
    legs = sorted((p for p in placed if p.track == "legs"), key=lambda p: p.start)
    state, found = "stand", []
    for p in legs:
        after = p.move.exit or state
        found.append((p, state, after))
        state = after
    return found


def timings(placed: Sequence[PlacedMove], usual: float) -> np.ndarray:
    """(n,) how much the beat counts for each move.

    Args:
        placed: the moves.
        usual: for those that do not say.
    """
    return np.array([usual if p.timing is None else p.timing for p in placed])


def mean_timing(placed: Sequence[PlacedMove], usual: float) -> float:
    """How much the beat counts in a dance: the mean over its moves' beats.

    A controller has one priority for the whole of a dance; where moves want different
    ones, those that last longer count more.
    """
    timing = timings(placed, usual)
    if (timing == timing[0]).all():
        return float(timing[0])
    return float(np.average(timing, weights=[p.beats for p in placed]))


def channel_offsets(p: PlacedMove, beats: np.ndarray, robot: RobotModel) -> Offsets:
    """What a move adds to each channel at given beats of the dance."""
    window = p.window(beats)
    shape = p.move.shape(beats - p.start, p.beats, p.values)
    for channel, most in p.move.apart.items():
        shape[channel] = shape[channel] + p.apart * most
    for channel in shape:
        if channel in LENGTHS:
            shape[channel] = p.scale * shape[channel]
    offsets = joint_offsets({n: window * o for n, o in shape.items()}, robot)
    return mirrored(offsets, robot) if p.mirror else offsets


def state_offsets(placed: Sequence[PlacedMove], beats: np.ndarray) -> Offsets:
    """What the states of the legs add: from one to the next within a move."""
    total: Offsets = {}
    changes = state_changes(placed)
    if all(before == after for _, before, after in changes):
        return total
    channels = dict.fromkeys(itertools.chain(*STATES.values()))
    for channel in channels:
        total[channel] = np.zeros(len(beats))
        for p, before, after in changes:
            change = STATES[after].get(channel, 0.0) - STATES[before].get(channel, 0.0)
            change *= p.scale
            total[channel] += change * _smooth(beats, p.start, p.end)
    return total
