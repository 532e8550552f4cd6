"""The record in the file of a behavior: its header, with the checks of what it says."""

import json
from pathlib import Path
from typing import Any

from backbeat.behaviors.library.header import HEADER
from backbeat.behaviors.library.robots import USUAL_ROBOT
from backbeat.models.common.errors import BackbeatError, gist, shown
from backbeat.models.common.plain_data import cleaned, misfits
from backbeat.models.robot.description import SHIPPED

FORMAT = 3
# Fastest tempo of all: far more than can be played.
MOST_BPM = 1000.0
# Where a behavior's file has its record.
METADATA = b"backbeat"


def read_record(path: str | Path) -> dict[str, Any]:
    """The record of a file as it is: `format`, `sha256` and `header`.

    Raises:
        BackbeatError: the file is damaged, or of another version.
    """
    # With them comes all of Arrow, which no command needs that reads only YAML.
    from backbeat.behaviors.library.table import DAMAGED
    from backbeat.models.common.table_file import read_metadata

    try:
        metadata = read_metadata(path, "behavior")
        record: dict[str, Any] = json.loads(metadata[METADATA])
        version = record["format"]
        dict(record["header"]), str(record["sha256"])
    except DAMAGED:
        raise damaged(path, "it is not a whole Backbeat file") from None
    if version != FORMAT:
        raise damaged(path, f"its format {version} is not {FORMAT}")
    return record


def checked_header(path: str | Path, record: dict[str, Any]) -> dict[str, Any]:
    """The header in a record, if it has the right form.

    Raises:
        BackbeatError: it has not, or is that of another behavior.
    """
    path = Path(path)
    for misfit in misfits(record["header"], HEADER):
        raise damaged(path, misfit)
    header: dict[str, Any] = cleaned(record["header"])
    if header["name"] != path.stem:
        raise damaged(path, f"it is of {shown(header['name'])}")
    if not 0 <= header["bpm"] <= MOST_BPM:
        raise damaged(path, f"its tempo is {header['bpm']:g} beats/min")
    return header


def read_header(path: str | Path) -> dict[str, Any]:
    """Everything but the arrays, see `backbeat.behaviors.library.header`.

    Raises:
        BackbeatError: the file is damaged, or of another version.
    """
    return checked_header(path, read_record(path))


def damaged(path: str | Path, why: str) -> BackbeatError:
    """Error for a file that cannot be used, with what makes it anew."""
    path = Path(path)
    robot = path.parent.name
    on = f" --robot {robot}" if robot in SHIPPED and robot != USUAL_ROBOT else ""
    return BackbeatError(
        f"{path} cannot be used: {gist(why)}; rebuild it with 'backbeat build "
        f"{path.stem}{on} --force'"
    )
