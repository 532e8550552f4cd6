"""Small pictures of moves: a robot as lines, at the extreme of each move.

The poses are those of the kinematic preview of the move alone, so that they take a few
hundredths of a second each. A set of pictures is kept in a file.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from backbeat.behaviors.building.build_key import robot_and_sources
from backbeat.behaviors.dance.preview import BEFORE, preview
from backbeat.behaviors.dance.vocabulary.move import Move
from backbeat.behaviors.dance.vocabulary.move_file import move_files, vocabulary
from backbeat.behaviors.kinematic.preview import KinematicPreview
from backbeat.behaviors.specification.transfer import transferred
from backbeat.models.common.atomic_file import replacing
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.outside_file import is_file, read_bytes
from backbeat.models.dynamics.frames import Frame
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.transcription.transcribe import Transcription

# Where pictures are kept in a library.
KEPT = ".pictures"
# Instants of a move that are looked at for its extreme.
INSTANTS = 24
# From where the robot is seen: so far to its left of straight ahead, and from so far
# above [rad].
AROUND, ABOVE = 0.45, 0.12
# Width and height of a picture, and the height of a standing robot in it.
SIZE, TALL = 64.0, 52.0
# Height of a head that no joint moves above the shoulders, and how far its face is from
# its middle, over the length of a leg.
NECK, FACE, ARMS = 0.25, 0.16, ("left arm", "right arm")


@dataclass(frozen=True)
class MovePicture:
    """Lines as paths of SVG in a square of `SIZE`.

    Attributes:
        other, lines: the robot at the extreme of the move, and where it is farthest
            from that.
        head: (2,) where the middle of the head is at the extreme.
    """

    other: str
    lines: str
    head: tuple[float, float]


def kept_pictures(
    folder: str | Path, robot: str, library: str | Path
) -> dict[str, dict[str, object]]:
    """Pictures of all moves by name, as plain data, drawn when first asked for.

    Args:
        folder: beside which moves of the user's own may be.
        robot: that makes the moves, a shipped name or path of a robot YAML.
        library: folder of the library that keeps them.

    Raises:
        BackbeatError: there is no such robot, or a move cannot be read.
    """
    sha = hashlib.sha256(robot_and_sources(robot).encode())
    for path in move_files(folder):
        sha.update(read_bytes(path, "description"))
    file = Path(library) / KEPT / f"{sha.hexdigest()[:24]}.json"
    if is_file(file):
        try:
            kept: dict[str, dict[str, object]] = json.loads(read_bytes(file, "CSV"))
            return kept
        except ValueError:
            file.unlink()
    drawn = {n: asdict(p) for n, p in move_pictures(vocabulary(folder), robot).items()}
    file.parent.mkdir(parents=True, exist_ok=True)
    with replacing(file) as out:
        out.write(json.dumps(drawn).encode())
    return drawn


def move_pictures(moves: Mapping[str, Move], robot: str) -> dict[str, MovePicture]:
    """Pictures of the moves that a robot can make.

    Args:
        moves: by name.
        robot: a shipped name, or path of a robot YAML.
    """
    found = {}
    for name in moves:
        try:
            dance = transferred(preview(name, moves).dance, robot)
            problem = dance.plan(Path()).problem
        except BackbeatError:
            continue  # It cannot make this one, as its mark on the timeline says.
        seen = KinematicPreview(Transcription(problem))
        first = BEFORE * 60.0 / dance.tempo(Path())
        times = np.linspace(first, problem.times[-1], INSTANTS)
        figure = _Figure(problem.robot, problem.q_start)
        places = [figure.places(seen.configuration(t)) for t in times]
        extreme = _farthest(places, figure.still)
        found[name] = figure.drawn(extreme, _farthest(places, extreme))
    return found


def _farthest(poses: Sequence[np.ndarray], other: np.ndarray) -> np.ndarray:
    """The pose (n, 3) that is farthest from another one [m]."""
    off = [np.linalg.norm(places - other, axis=1).sum() for places in poses]
    return poses[int(np.argmax(off))]


class _Figure:
    """A robot as lines between points of its links."""

    def __init__(self, robot: RobotModel, q: np.ndarray) -> None:
        """Finds the points; they stand still at a configuration (nq,)."""
        self._state = Configuration(robot, q)
        self._frames, self._lines = _skeleton(robot, self._state)
        self.still, self._head = self.places(q), len(self._frames) - 2
        height = np.ptp(self.still[:, 2])
        self._scale = TALL / height
        self._middle = self.still[:, :2].mean(axis=0)
        self._floor = self.still[:, 2].min()

    def places(self, q: np.ndarray) -> np.ndarray:
        """(n, 3) the points at a configuration [m]."""
        self._state.update(q)
        return np.array([self._state.place(frame) for frame in self._frames])

    def drawn(self, extreme: np.ndarray, other: np.ndarray) -> MovePicture:
        """The picture of two poses, (n, 3) each."""
        x, y = self._on_picture(extreme)[self._head]
        return MovePicture(self._path(other), self._path(extreme), (x, y))

    def _on_picture(self, places: np.ndarray) -> list[list[float]]:
        x, y = (places[:, :2] - self._middle).T
        z = places[:, 2] - self._floor
        ahead = x * np.cos(AROUND) + y * np.sin(AROUND)
        right = y * np.cos(AROUND) - x * np.sin(AROUND)
        up = z * np.cos(ABOVE) - ahead * np.sin(ABOVE)
        rows = np.column_stack(
            [SIZE / 2 + self._scale * right, SIZE - 5 - self._scale * up]
        )
        found: list[list[float]] = np.round(rows, 1).tolist()
        return found

    def _path(self, places: np.ndarray) -> str:
        at = self._on_picture(places)
        return "".join("M{} {}L{} {}".format(*at[a], *at[b]) for a, b in self._lines)


def _skeleton(
    robot: RobotModel, state: Configuration
) -> tuple[list[Frame], list[tuple[int, int]]]:
    """Points of a robot, head and face last, and which are joined.

    Links are joined at their joints, the last of a limb ends at its center of mass, and
    a sole goes from heel to toe.
    """
    tree = robot.tree
    frames = [Frame.on(body, np.zeros(3)) for body in range(len(tree.mass))]
    lines = [(int(parent), j + 1) for j, parent in enumerate(tree.parent)]
    for body in sorted(set(range(len(frames))) - {int(p) for p in tree.parent}):
        frames.append(Frame.on(body, tree.p_BoBcm[body]))
        lines.append((body, len(frames) - 1))
    for name in robot.soles:
        sole, n = robot.contacts[name], len(frames)
        ahead = sole.half_length * sole.frame.R_PF[:, 0]
        frames += [
            Frame.on(sole.frame.body, sole.frame.p_PF + d) for d in (-ahead, ahead)
        ]
        lines += [(n, n + 1), (sole.frame.body, n), (sole.frame.body, n + 1)]
    head = _head(robot, state, frames)
    X_WH = state.pose(head)
    face = X_WH.rotation().matrix()[0] * FACE * robot.leg_length
    frames += [head, Frame.on(head.body, head.p_PF + face)]
    return frames, [*lines, (len(frames) - 2, len(frames) - 1)]


def _head(robot: RobotModel, state: Configuration, bodies: Sequence[Frame]) -> Frame:
    """The middle of the head, above the shoulders where no joint moves it."""
    neck = robot.roles.joints("neck") if "neck" in robot.roles else np.zeros(0, int)
    if len(neck):
        body = int(neck[-1]) + 1
        return Frame.on(body, robot.tree.p_BoBcm[body])
    shoulders = [bodies[robot.roles.joints(r)[0] + 1] for r in ARMS if r in robot.roles]
    at = np.mean([state.place(frame) for frame in shoulders], axis=0)
    at[2] += NECK * robot.leg_length
    trunk = robot.trunk.body
    return Frame.on(trunk, state.pose(bodies[trunk]).inverse().multiply(at))
