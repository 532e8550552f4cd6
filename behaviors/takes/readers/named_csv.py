"""Motions as CSV whose first line names the columns, read with care.

One column of time or a rate, one for each joint, and the floating base if it is known.
Whatever cannot be meant is refused with its line.
"""

import csv
import re
from pathlib import Path

import numpy as np

from backbeat.behaviors.takes.naming import (
    ANGLES,
    BASE,
    PLACE,
    QUATERNION,
    TIME,
    ColumnNames,
    one_unit,
)
from backbeat.behaviors.takes.take import Conventions, MotionFile
from backbeat.behaviors.takes.timing import check_rate
from backbeat.models.common.bounds import check_count
from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.robot.model import RobotModel

FORMAT = "csv"
# Columns of a file: of a run with all its columns there are some hundred.
COLUMNS = 2000
# Columns that count samples, which serve as time with a rate.
COUNTERS = ("frame", "frames", "index", "")


def read_named_csv(
    raw: bytes, path: str | Path, robot: RobotModel, told: Conventions, line: int = 1
) -> MotionFile:
    """Reads CSV with a line of names.

    Args:
        raw: the file.
        path: names it in errors.
        robot: whose joints they are.
        told: what the user says: unit, rate, and columns to ignore.
        line: in the file, on which the names are.

    Raises:
        BackbeatError: what is wrong with it, with its line.
    """
    from backbeat.behaviors.takes.readers.number_table import read_numbers

    raw = raw.removeprefix(b"\xef\xbb\xbf").rstrip()
    at = f"{path}:{line}"
    check_columns(raw, at)
    names = _header(raw, at)
    for name in told.ignore:
        if name not in names:
            raise unknown_name(f"column to ignore in {path}", name, names)
    time = _time(names, at, told)
    columns, units = _known(names, time, robot, at, told)
    wanted = [*columns, *([time] if told.rate is None else [])]
    values = read_numbers(raw, names, wanted, path, line + 1)
    joints = [n for n in columns if columns[n] not in BASE]
    if not joints:
        raise BackbeatError(f"{at}: no column is a joint of {robot.name}")
    place, turn = _base({columns[n]: values[n] for n in columns}, at)
    if told.rate is None:
        t = values[time]
        rate = (len(t) - 1) / (t[-1] - t[0]) if len(t) > 1 and t[-1] > t[0] else 0.0
        timing = f"{rate:.4g} samples/s by its column {time}"
    else:
        t = np.arange(len(values[joints[0]])) / check_rate(told.rate, path)
        timing = f"{told.rate:g} samples/s as said"
    return MotionFile(
        format=FORMAT,
        layout="CSV with names of columns",
        t=t,
        timing=timing,
        joints=tuple(columns[n] for n in joints),
        q=np.stack([values[n] for n in joints], axis=1),
        place=place,
        turn=turn,
        unit=one_unit(units, at),
        first_line=line + 1,
    )


def check_columns(raw: bytes, path: object) -> None:
    """Refuses more columns than any motion has.

    Raises:
        BackbeatError: there are.
    """
    count = raw.partition(b"\n")[0].count(b",") + 1
    check_count(str(path), "columns", count, COLUMNS)


def _header(raw: bytes, at: str) -> list[str]:
    """The names of the columns."""
    line = raw.partition(b"\n")[0]
    try:
        text = line.decode().strip()
        names = [n.strip() for n in next(csv.reader([text]), [])]
    except (UnicodeDecodeError, csv.Error):
        raise BackbeatError(f"{at}: the names of columns are not text") from None
    if not text or b"\n" not in raw:
        raise BackbeatError(
            f"{at}: a line with the names of columns and lines of numbers are needed"
        )
    if len(names) == 1 and re.search(r"[;\t ]", text):
        raise BackbeatError(f"{at}: separate the columns with commas")
    seen: set[str] = set()
    for name in names:
        if name in seen or not name:
            twice = f"the column {name!r} is there twice"
            what = twice if name else "a column has no name"
            raise BackbeatError(f"{at}: {what}; name or remove it")
        seen.add(name)
    return names


def _time(names: list[str], at: str, told: Conventions) -> str:
    """The column of time, or the one that counts samples.

    Raises:
        BackbeatError: there is not one, or one besides a rate.
    """
    times = [n for n in names if n.lower() in TIME and n not in told.ignore]
    if told.rate is not None:
        if times:
            raise BackbeatError(
                f"{at}: it has a column {times[0]!r}, so that no rate is needed; "
                f"leave the rate out, or {times[0]!r} under 'ignore'"
            )
        counters = [n for n in names if n.lower() in COUNTERS and n not in told.ignore]
        return counters[0] if counters else ""
    if len(times) != 1:
        raise BackbeatError(
            f"{at}: one column of time in seconds is needed, called "
            f"{' or '.join(TIME)}; there are {len(times)} (without one, say the rate "
            "of samples with 'rate')"
        )
    return times[0]


def _known(
    names: list[str], time: str, robot: RobotModel, at: str, told: Conventions
) -> tuple[dict[str, str], list[str]]:
    """What columns are of, by name, and the units that their names give."""
    spelled, ignored = ColumnNames(robot), set(told.ignore)
    found: dict[str, str] = {}
    taken: set[str] = set()
    units = []
    for name in names:
        if name in ignored or name == time:
            continue
        found_name = spelled.look_up(name)
        if found_name is None:
            known = (*robot.joint_names, *BASE)
            error = unknown_name(f"column in {at}:", name, known)
            raise BackbeatError(f"{error} (to leave it out, name it under 'ignore')")
        plain, unit = found_name
        if plain in taken:
            raise BackbeatError(f"{at}: two columns are of {plain}; remove one")
        found[name] = plain
        taken.add(plain)
        units.append(unit)
    return found, units


def _base(
    columns: dict[str, np.ndarray], at: str
) -> tuple[np.ndarray | None, np.ndarray | None]:
    """(n, 3) places and (n, 4) quaternions or (n, 3) angles, if the columns have them.

    Raises:
        BackbeatError: they have a part of them.
    """
    has = {
        key: [n in columns for n in names]
        for key, names in (("p", PLACE), ("q", QUATERNION), ("a", ANGLES))
    }
    if not any(map(any, has.values())):
        return None, None
    is_turned = all(has["q"]) != all(has["a"]) and any(has["q"]) != any(has["a"])
    if not (all(has["p"]) and is_turned):
        raise BackbeatError(
            f"{at}: a floating base has the columns {', '.join(PLACE)} in meters "
            f"and either {', '.join(QUATERNION)} or {', '.join(ANGLES)}"
        )
    turn = ANGLES if all(has["a"]) else QUATERNION
    place, turned = (np.stack([columns[n] for n in ns], axis=1) for ns in (PLACE, turn))
    return place, turned
