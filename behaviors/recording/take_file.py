"""Takes from files: the one place where motions of all formats are read."""

import hashlib
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from backbeat.behaviors.recording.base_order import best_roll
from backbeat.behaviors.takes.readers.formats import FORMATS, read_motion
from backbeat.behaviors.takes.settling import check_conventions, settled
from backbeat.behaviors.takes.take import Conventions, Take
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.outside_file import is_there, read_bytes
from backbeat.models.robot.model import RobotModel

# How a quaternion of one order, read in the other, has to be rolled.
MEANT = {"wxyz": 1, "xyzw": -1}
AS_ITS_FORMAT = Conventions()
# Takes that are kept after they were read.
READ = 4
# Samples at which it is looked how feet stand: blocks in a row.
BLOCKS, BLOCK = 8, 120


def read_take(
    path: str | Path, robot: RobotModel, told: Conventions = AS_ITS_FORMAT
) -> Take:
    """Reads a motion file of any format; what was read last is kept.

    Args:
        path: the file.
        robot: whose motion it is.
        told: what the user says about the file.

    Raises:
        BackbeatError: what is wrong with it, or what it leaves open with both readings.
    """
    path = Path(path)
    check_conventions(told, path)
    if not is_there(path):
        raise BackbeatError(
            f"there is no recording {path}; formats are {', '.join(FORMATS)}"
        )
    told = replace(told, ignore=tuple(told.ignore))
    return _read(path, take_digests(path, told), robot, told)


@lru_cache(maxsize=READ)
def _read(
    path: Path, _digests: tuple[str, ...], robot: RobotModel, told: Conventions
) -> Take:
    """A take by the hashes of its files."""
    file = read_motion(take_bytes(path), path, robot, told)
    take = settled(file, robot, told, path)
    named = file.turn is not None and file.turn.shape[1] == 4
    walks = any(robot.joint_index(n) in robot.leg_joints for n in take.joints)
    known = told.quaternion or file.converted
    if known or not (named and walks and file.quaternion):
        return take
    if best_roll(robot, *_looked_at(take, robot)) != MEANT[file.quaternion]:
        return take
    other = "xyzw" if file.quaternion == "wxyz" else "wxyz"
    turned = settled(file, robot, replace(told, quaternion=other), path)
    note = (
        f"{path.name}: {take.format} has quaternions with w "
        f"{'first' if other == 'xyzw' else 'last'}, but the robot's feet stand only "
        f"with w {'last' if other == 'xyzw' else 'first'}, which is taken "
        f"(--quaternion {file.quaternion} keeps the other)"
    )
    return replace(turned, notes=(*turned.notes, note))


def take_digest(path: str | Path) -> str:
    """SHA-256 of a motion file.

    Raises:
        BackbeatError: it cannot be read.
    """
    return hashlib.sha256(take_bytes(path)).hexdigest()


def take_digests(path: str | Path, told: Conventions) -> tuple[str, ...]:
    """SHA-256 of a motion file and of its map of a skeleton, "" of what is not there.

    Raises:
        BackbeatError: one cannot be read.
    """
    files = [path, told.skeleton] if told.skeleton else [path]
    return tuple(take_digest(file) if is_there(file) else "" for file in files)


def take_bytes(path: str | Path) -> bytes:
    """What a motion file holds.

    Raises:
        BackbeatError: it cannot be read, or is too large for one.
    """
    path = Path(path)
    kind = "CSV" if path.suffix.lower() in ("", ".csv", ".txt") else "take"
    return read_bytes(path, kind)


def _looked_at(take: Take, robot: RobotModel) -> tuple[float, np.ndarray]:
    """Time between samples [s], and (n, nq) configurations of parts of a take."""
    n = len(take.t)
    rows = np.arange(n)
    if n > BLOCKS * BLOCK:
        starts = np.linspace(0, n - BLOCK, BLOCKS).astype(int)
        rows = np.concatenate([np.arange(s, s + BLOCK) for s in starts])
    return float(np.median(np.diff(take.t))), configurations(take, robot)[rows]


def configurations(take: Take, robot: RobotModel) -> np.ndarray:
    """(n, nq) configurations of a take; joints that it lacks are as in standing."""
    names = list(robot.posture_names)
    stand = robot.posture("stand" if "stand" in names else names[0])
    q = np.tile(stand, (len(take.t), 1))
    index = np.array([robot.joint_index(n) for n in take.joints])
    q[:, robot.base_positions + index] = take.q
    if take.base is not None:
        q[:, :7] = take.base
    return q
