"""Joint files: joint trajectories as CSV, read with care.

The first line names the columns: one of time, one for each joint, and the floating
base if it is known. Whatever cannot be meant is refused with its line.
"""

import csv
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from pydrake.math import RollPitchYaw

from backbeat.behaviors.motion.concatenation import make_continuous
from backbeat.behaviors.motion.plan import LONGEST
from backbeat.behaviors.takes.number_table import read_numbers
from backbeat.behaviors.takes.take import Take
from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.common.outside_file import is_there, read_bytes
from backbeat.models.robot.model import RobotModel

# Least length [s] and number of samples.
SHORTEST, FEWEST = 0.2, 4
# Angles this far beyond a joint's range are no mistake of the performer [rad].
FAR = np.pi
# A recording whose angles are all smaller has been taken for degrees [rad].
SMALL = np.radians(3.3)
# Samples so far apart are hardly seconds [s].
SPARSE = 5.0
# Seconds since 1970 are fewer, nanoseconds more [s].
LATEST = 1e11
# Places beyond are no meters [m].
DISTANT = 1e4
UNITS = {"radians": 1.0, "degrees": np.pi / 180}
TIME = ("t", "time")
PLACE = ("base.x", "base.y", "base.z")
QUATERNION = ("base.qw", "base.qx", "base.qy", "base.qz")
ANGLES = ("base.roll", "base.pitch", "base.yaw")


def read_joint_file(
    path: str | Path, robot: RobotModel, unit: str, ignore: Sequence[str] = ()
) -> Take:
    """Reads a CSV file of joint angles.

    Args:
        path: the file.
        robot: whose joints they are.
        unit: "radians" or "degrees", of all angles.
        ignore: columns to leave out.

    Raises:
        BackbeatError: what is wrong with it, with its line.
    """
    path = Path(path)
    if unit not in UNITS:
        given = f"not {unit!r}" if unit else "and it cannot be guessed"
        raise BackbeatError(f"{path}: unit is radians or degrees, {given}")
    raw = _bytes(path)
    names = _header(raw, path)
    for name in ignore:
        if name not in names:
            raise unknown_name(f"column to ignore in {path}", name, names)
    time, columns = _known(names, robot, path, set(ignore))
    values = read_numbers(raw, names, [time, *columns], path)
    t = values[time]
    _check_time(t, path)
    joints = [n for n in columns if n not in (*PLACE, *QUATERNION, *ANGLES)]
    if not joints:
        raise BackbeatError(f"{path}:1: no column is a joint of {robot.name}")
    index = [robot.joint_index(columns[n]) for n in joints]
    scale = UNITS[unit]
    q = np.stack([scale * values[n] for n in joints], axis=1)
    _check_ranges(q, index, robot, unit, path)
    return Take(
        t=t,
        joints=tuple(robot.joint_names[j] for j in index),
        q=q,
        base=_base({columns[n]: values[n] for n in columns}, scale, path),
    )


def joint_table(frame: pd.DataFrame, with_base: bool = False) -> pd.DataFrame:
    """The joint angles of a behavior or run, as `read_joint_file` takes them.

    Args:
        frame: columns "t" [s] and "q.NAME" [rad], as behaviors and runs are stored.
        with_base: the floating base too, if there is one.
    """
    names = [n for n in frame.columns if n.startswith("q.")]
    names = [n for n in names if with_base or not n.startswith("q.base.")]
    # Where a contact begins or ends a motion has two samples, of the same joint angles.
    once = np.r_[True, np.diff(frame["t"].to_numpy()) > 0]
    table = frame.loc[once, ["t", *names]]
    return table.rename(columns=lambda n: n.removeprefix("q."))


def _bytes(path: Path) -> bytes:
    if not is_there(path):
        raise BackbeatError(f"there is no recording {path}; it is a CSV file")
    return read_bytes(path, "CSV").removeprefix(b"\xef\xbb\xbf").rstrip()


def _header(raw: bytes, path: Path) -> list[str]:
    """The names of the columns."""
    line = raw.partition(b"\n")[0]
    try:
        text = line.decode().strip()
        names = [n.strip() for n in next(csv.reader([text]), [])]
    except (UnicodeDecodeError, csv.Error):
        raise BackbeatError(f"{path}:1: the names of columns are not text") from None
    if not text or b"\n" not in raw:
        raise BackbeatError(
            f"{path}:1: a line with the names of columns and lines of numbers are "
            "needed"
        )
    if len(names) == 1 and re.search(r"[;\t ]", text):
        raise BackbeatError(f"{path}:1: separate the columns with commas")
    for i, name in enumerate(names):
        if name in names[:i] or not name:
            twice = f"the column {name!r} is there twice"
            what = twice if name else "a column has no name"
            raise BackbeatError(f"{path}:1: {what}; name or remove it")
    return names


def _known(
    names: list[str], robot: RobotModel, path: Path, ignored: set[str]
) -> tuple[str, dict[str, str]]:
    """The column of time, and the others with what they are."""
    times = [n for n in names if n in TIME and n not in ignored]
    if len(times) != 1:
        raise BackbeatError(
            f"{path}:1: one column of time in seconds is needed, called "
            f"{' or '.join(TIME)}; there are {len(times)}"
        )
    found: dict[str, str] = {}
    base = (*PLACE, *QUATERNION, *ANGLES)
    for name in names:
        if name in ignored or name == times[0]:
            continue
        plain = name.removeprefix("q.")
        try:
            if plain not in base:
                plain = robot.joint_names[robot.joint_index(plain)]
        except BackbeatError:
            known = (*robot.joint_names, *base)
            error = unknown_name(f"column in {path}:1:", name, known)
            raise BackbeatError(
                f"{error} (to leave it out, name it under 'ignore')"
            ) from None
        if plain in found.values():
            raise BackbeatError(f"{path}:1: two columns are of {plain}; remove one")
        found[name] = plain
    return times[0], found


def _check_time(t: np.ndarray, path: Path) -> None:
    if len(t) < FEWEST:
        raise BackbeatError(
            f"{path}: {len(t)} samples are too few; at least {FEWEST} are needed"
        )
    if np.abs(t).max() > LATEST:
        raise BackbeatError(
            f"{path}: time goes to {np.abs(t).max():g}; give seconds from the start"
        )
    back = np.flatnonzero(np.diff(t) <= 0)
    if len(back):
        i = back[0] + 1
        raise BackbeatError(
            f"{path}:{i + 2}: time goes from {t[i - 1]:g} to {t[i]:g} s; it must "
            "increase from line to line"
        )
    length = t[-1] - t[0]
    if np.median(np.diff(t)) > SPARSE:
        raise BackbeatError(
            f"{path}: samples are {np.median(np.diff(t)):g} s apart; is time in "
            "milliseconds? seconds are needed"
        )
    if not SHORTEST <= length <= LONGEST:
        raise BackbeatError(
            f"{path}: it lasts {length:g} s; a recording has {SHORTEST:g} to "
            f"{LONGEST:g} s"
        )


def _check_ranges(
    q: np.ndarray, index: Sequence[int], robot: RobotModel, unit: str, path: Path
) -> None:
    """Refuses angles that no joint comes near."""
    most = np.abs(q).max()
    if unit == "degrees" and 0 < most < SMALL:
        raise BackbeatError(
            f"{path}: no angle is beyond {np.degrees(most):.2g} degrees; are these "
            "radians?"
        )
    lower, upper = robot.position_lower[index], robot.position_upper[index]
    beyond = np.maximum(lower - q, q - upper)
    column = int(beyond.max(axis=0).argmax())
    far = np.flatnonzero(beyond[:, column] > FAR)
    if not len(far):
        return
    row = int(far[0])
    name, scale = robot.joint_names[index[column]], UNITS[unit]
    ends = [e / scale for e in (lower[column], upper[column])]
    asked = "are these degrees?" if unit == "radians" else "check the unit"
    raise BackbeatError(
        f"{path}:{row + 2}: {name} is {q[row, column] / scale:.4g} {unit}, and it goes "
        f"from {ends[0]:.3g} to {ends[1]:.3g}; {asked}"
    )


def _base(
    columns: dict[str, np.ndarray], scale: float, path: Path
) -> np.ndarray | None:
    """(n, 7) poses of the base, if the columns have them."""
    has = {
        key: [n in columns for n in names]
        for key, names in (("p", PLACE), ("q", QUATERNION), ("a", ANGLES))
    }
    if not any(map(any, has.values())):
        return None
    turned = all(has["q"]) != all(has["a"]) and any(has["q"]) != any(has["a"])
    if not (all(has["p"]) and turned):
        raise BackbeatError(
            f"{path}:1: a floating base has the columns {', '.join(PLACE)} in meters "
            f"and either {', '.join(QUATERNION)} or {', '.join(ANGLES)}"
        )
    place = np.stack([columns[n] for n in PLACE], axis=1)
    if all(has["a"]):
        angles = scale * np.stack([columns[n] for n in ANGLES], axis=1)
        w = np.array([RollPitchYaw(a).ToQuaternion().wxyz() for a in angles])
    else:
        w = np.stack([columns[n] for n in QUATERNION], axis=1)
    length = np.linalg.norm(np.clip(w, -DISTANT, DISTANT), axis=1)
    wrong = np.flatnonzero(np.abs(length - 1) > 0.1)
    if len(wrong):
        raise BackbeatError(
            f"{path}:{wrong[0] + 2}: the base's quaternion has length "
            f"{length[wrong[0]]:.3g}; it should be 1"
        )
    poses = np.hstack([w / length[:, None], place])
    make_continuous(poses, joints=0)
    far = np.flatnonzero(np.abs(place).max(axis=1) > DISTANT)
    if len(far):
        raise BackbeatError(
            f"{path}:{far[0] + 2}: the base is {np.abs(place[far[0]]).max():g} m away"
        )
    return poses
