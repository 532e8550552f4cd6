"""OpenSim's .mot and .sto: a header up to `endheader`, then a table with names."""

import re
from dataclasses import replace
from pathlib import Path

from backbeat.behaviors.takes.naming import BASE, ColumnNames
from backbeat.behaviors.takes.readers.named_csv import check_columns, read_named_csv
from backbeat.behaviors.takes.take import Conventions, MotionFile
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel

FORMAT = "opensim"
# Bytes that the header has at most; columns that are named in a note.
HEADER, NAMED = 10_000, 4
_END = re.compile(rb"^endheader[ \t\r]*\n", re.MULTILINE | re.IGNORECASE)
_DEGREES = re.compile(rb"^inDegrees\s*=\s*(\w+)", re.MULTILINE | re.IGNORECASE)


def is_opensim(raw: bytes) -> bool:
    """Whether a file begins with such a header."""
    return _END.search(raw[:HEADER]) is not None


def header(raw: bytes) -> bytes:
    """The line of a file that names its columns."""
    end = _END.search(raw[:HEADER])
    return b"" if end is None else raw[end.end() :].lstrip().partition(b"\n")[0]


def read_opensim(
    raw: bytes, path: str | Path, robot: RobotModel, told: Conventions
) -> MotionFile:
    """Reads the columns that are joints of the robot; others are named in a note.

    Args:
        raw: the file.
        path: names it in errors.
        robot: whose motion it is.
        told: what the user says: the unit, if it is not in the header.

    Raises:
        BackbeatError: what is wrong with it, or no column is a joint of the robot.
    """
    end = _END.search(raw[:HEADER])
    if end is None:
        raise BackbeatError(f"{path}: there is no line 'endheader'")
    said = _DEGREES.search(raw[: end.start()])
    unit = {b"yes": "degrees", b"no": "radians"}.get(
        said[1].lower() if said else b"", ""
    )
    if told.unit and unit and told.unit != unit:
        raise BackbeatError(
            f"{path}: it has {unit}, as inDegrees says, and {told.unit} were asked "
            "for; leave the unit out"
        )
    lines = raw[: end.end()].count(b"\n")
    table = re.sub(rb"[ \t]+", b",", raw[end.end() :].strip())
    table = re.sub(rb",?\r?\n,?", b"\n", table)
    check_columns(table, path)
    names = table.partition(b"\n")[0].decode("utf-8", "replace").split(",")
    others = _others(names, robot, path)
    ignore = [*told.ignore, *(n for n in others if n not in told.ignore)]
    # Lines are those of the file, behind as many as the header has.
    found = replace(told, ignore=ignore)
    file = read_named_csv(table, path, robot, found, lines + 1)
    notes: tuple[str, ...] = ()
    if others:
        more = f" and {len(others) - NAMED} more" if len(others) > NAMED else ""
        notes = (
            f"{Path(path).name}: {', '.join(others[:NAMED])}{more} are no joints of "
            f"{robot.name} and are left out",
        )
    return replace(
        file,
        format=FORMAT,
        layout="OpenSim table",
        unit=unit,
        notes=notes,
    )


def _others(names: list[str], robot: RobotModel, path: str | Path) -> list[str]:
    """Columns that are neither time nor of the robot.

    Raises:
        BackbeatError: all are.
    """
    spelled = ColumnNames(robot)
    others, joints = [], 0
    for name in names:
        if name.lower() == "time":
            continue
        found = spelled.look_up(name)
        if found is None:
            others.append(name)
        else:
            joints += found[0] not in BASE
    if not joints:
        raise BackbeatError(
            f"{path}: no column is a joint of {robot.name}; coordinates of a person's "
            "model have to be retargeted first"
        )
    return others
