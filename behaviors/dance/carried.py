"""Carried items: moves are changed to keep them clear of the robot.

A move that brings hands together, as clapping does, says in its file with which
channels they come apart. Where the hands carry something, it is danced with as much of
that as keeps all of it clear.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from backbeat.behaviors.dance.arrangement import PlacedMove, channel_offsets
from backbeat.behaviors.motion.finding import RuleFinding
from backbeat.models.collision.making import make_self_collision_model
from backbeat.models.collision.shapes import CollisionModel
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration

# Instants of a beat that are looked at.
FINE = 24
# Shares of the way apart that are tried, and the clearance beyond that which the
# optimizer keeps [m]: between knots a motion takes some.
SHARES = np.linspace(0.05, 1.0, 20)
SPARE = 0.01
# Values of a parameter that are tried where something is in something else.
TRIES = 8


@dataclass(frozen=True)
class _Near:
    """What comes nearest to what, and when.

    Attributes:
        distance: of the two, as planners see them [m].
        beat: when.
        what, other: names of a carried item and of what it is near.
    """

    distance: float
    beat: float
    what: str
    other: str


def clear_of_each_other(
    robot: RobotModel, q_start: np.ndarray, placed: Sequence[PlacedMove], name: str
) -> tuple[list[PlacedMove], list[RuleFinding]]:
    """Moves with hands as far apart as what they carry needs, and all to say of it.

    Args:
        robot: the dancer with its equipment.
        q_start: (nq,) configuration that moves are added to.
        placed: all moves of a dance.
        name: of the dance, for sentences.
    """
    carried = Carried(robot, q_start)
    moves, found = carried.with_room(placed, name)
    return moves, [*found, *carried.collisions(moves, name)]


class Carried:
    """What one dancer carries, among its links above the legs."""

    def __init__(self, robot: RobotModel, q_start: np.ndarray) -> None:
        """Finds what is carried.

        Args:
            robot: the dancer with its equipment.
            q_start: (nq,) configuration that moves are added to.
        """
        self._robot, self._q_start = robot, q_start
        model = make_self_collision_model(robot)
        self._items = set(robot.equipment_items())
        carried = np.array([s.name in self._items for s in model.solids], bool)
        by_legs = _moved_by_legs(robot)
        above = np.array([s.body not in by_legs for s in model.solids], bool)
        feels = np.array([f.link in self._items for f in model.spheres], bool)
        steady = np.array([f.frame.body not in by_legs for f in model.spheres], bool)
        pairs = model.pairs & (feels[:, None] | carried) & above & steady[:, None]
        self._model: CollisionModel = replace(model, pairs=pairs)
        self.is_any = bool(pairs.any())

    def with_room(
        self, placed: Sequence[PlacedMove], name: str
    ) -> tuple[list[PlacedMove], list[RuleFinding]]:
        """Moves with hands as far apart as what they carry needs, and what was done.

        Args:
            placed: all moves of a dance.
            name: of the dance, for sentences.
        """
        moves, found = list(placed), []
        rows = dict.fromkeys(_row(p) for p in placed if p.move.apart)
        for row in rows if self.is_any else ():
            at = [i for i, p in enumerate(moves) if _row(p) == row]
            beats = np.concatenate([_beats(moves[i]) for i in at])
            near = self._nearest(moves, beats)
            if self._is_clear(near):
                continue
            for share in SHARES:
                tried = list(moves)
                for i in at:
                    tried[i] = replace(moves[i], apart=float(share))
                if self._is_clear(self._nearest(tried, beats, first=True)):
                    moves = tried
                    found.append(_opened(moves[at[0]], near, name))
                    break
        return moves, found

    def collisions(
        self, placed: Sequence[PlacedMove], name: str
    ) -> Iterator[RuleFinding]:
        """Moves in which what is carried would be in something, if danced as written.

        Args:
            placed: all moves of a dance.
            name: of the dance, for sentences.
        """
        told: set[tuple[str, int]] = set()
        for p in placed if self.is_any else ():
            if p.track != "arms" or _row(p) in told:
                continue
            near = self._nearest(placed, _beats(p))
            if near.distance < 0:
                told.add(_row(p))
                sentence = (
                    f"{name}, beat {near.beat:g}: in {p.move.name} as it is written "
                    f"{near.what} would be in {near.other}, and the motion goes around "
                    f"it; {self._remedy(placed, p)}"
                )
                yield RuleFinding(False, ("tracks", p.track, p.row, "move"), sentence)

    def _remedy(self, placed: Sequence[PlacedMove], p: PlacedMove) -> str:
        """What would keep it clear; a value is one that was tried."""
        mine = [i for i, other in enumerate(placed) if _row(other) == _row(p)]
        beats = np.concatenate([_beats(placed[i]) for i in mine])
        lengths = {n for n, _ in p.move.length.factors}
        for name, parameter in p.move.parameters.items():
            if name in lengths:
                continue
            for end in (parameter.default, parameter.least, parameter.most):
                for value in np.linspace(p.values[name], end, TRIES + 1)[1:]:
                    tried = list(placed)
                    for i in mine:
                        values = {**placed[i].values, name: round(float(value), 2)}
                        tried[i] = replace(placed[i], values=values)
                    if self._is_clear(self._nearest(tried, beats, first=True)):
                        return f"with {name}: {values[name]:g} it is clear"
        return (
            "take another move, or say in a move file of your own with 'apart' what "
            "takes its hands apart"
        )

    def _is_clear(self, near: _Near) -> bool:
        return near.distance >= self._model.margin + SPARE

    def _nearest(
        self, placed: Sequence[PlacedMove], beats: np.ndarray, first: bool = False
    ) -> _Near:
        """What comes nearest at some beats; or the first that is not clear."""
        robot, model = self._robot, self._model
        arrays = model.arrays()
        path = joint_path(robot, self._q_start, placed, beats)
        q, state = self._q_start.copy(), Configuration(robot, self._q_start)
        best, where = np.inf, (0, self._q_start)
        for beat, joints in zip(beats, path, strict=True):
            q[robot.base_positions :] = joints
            distances, _ = state.update(q).distances(arrays)
            i = int(np.argmin(distances))
            if distances[i] < best:
                best, where = float(distances[i]), (i, q.copy())
                at = float(beat)
                if first and best < model.margin + SPARE:
                    break
        i, q = where
        sphere = model.spheres[i]
        other = self._other(i, q)
        names = [sphere.link, other]
        names.sort(key=lambda n: n not in self._items)
        return _Near(best, at, *names)

    def _other(self, sphere: int, q: np.ndarray) -> str:
        """Name of the solid that is nearest to a sphere."""
        model, state = self._model, Configuration(self._robot, q)
        best, name = np.inf, ""
        for j in np.flatnonzero(model.pairs[sphere]):
            pairs = np.zeros_like(model.pairs)
            pairs[sphere, j] = True
            distances, _ = state.distances(replace(model, pairs=pairs).arrays())
            if distances[sphere] < best:
                best, name = float(distances[sphere]), model.solids[j].name
        return name


def joint_path(
    robot: RobotModel,
    q_start: np.ndarray,
    placed: Sequence[PlacedMove],
    beats: np.ndarray,
) -> np.ndarray:
    """(n, nj) joints as moves have them at some beats, within their limits."""
    path = np.tile(q_start[robot.base_positions :], (len(beats), 1))
    for p in placed:
        at = np.flatnonzero((beats >= p.rise[0]) & (beats <= p.fall[1]))
        if len(at) == 0:
            continue
        for channel, offset in channel_offsets(p, beats[at], robot).items():
            if channel in robot.joint_names:
                path[at, robot.joint_index(channel)] += offset
    return np.asarray(np.clip(path, robot.position_lower, robot.position_upper))


def _row(p: PlacedMove) -> tuple[str, int]:
    return p.track, p.row


def _beats(p: PlacedMove) -> np.ndarray:
    """Beats from where a move grows to where it has died."""
    start, end = p.rise[0], p.fall[1]
    return np.linspace(start, end, max(2, round((end - start) * FINE) + 1))


def _moved_by_legs(robot: RobotModel) -> set[int]:
    """Fused bodies beyond joints of legs: where they are is up to the balance."""
    found: set[int] = set()
    for body in range(1, robot.num_joints + 1):
        parent = int(robot.tree.parent[body - 1])
        if body - 1 in robot.leg_joints or parent in found:
            found.add(body)
    return found


def _opened(p: PlacedMove, near: _Near, name: str) -> RuleFinding:
    """What a move does to keep what is carried clear."""
    by = " and ".join(f"{c} {p.apart * v:+.2f} rad" for c, v in p.move.apart.items())
    sentence = (
        f"{name}, beat {near.beat:g}: {p.move.name} keeps the hands apart ({by}), for "
        f"as it is written {near.what} would touch {near.other}"
    )
    return RuleFinding(False, ("tracks", p.track, p.row, "move"), sentence)
