"""The table of an imported folder: a row for every take, with its figures."""

from pathlib import Path

import pyarrow as pa

from backbeat.behaviors.library.robots import TAKES
from backbeat.behaviors.library.row_table import (
    COUNT,
    FLAG,
    NUMBER,
    TEXT,
    RowTable,
    TableKind,
)

# What can become of a take: a verified motion of all of it, or of parts; none, and why;
# or none because something broke, which is tried again.
CERTIFIED, CUT, REFUSED, FAILED = "certified", "cut", "refused", "failed"
STATUSES = (CERTIFIED, CUT, REFUSED, FAILED)
COLUMNS = {
    "name": TEXT,
    "source": TEXT,
    "robot": TEXT,
    "status": TEXT,
    "reason": TEXT,
    "seconds": NUMBER,
    "frames": COUNT,
    "format": TEXT,
    "kept_s": NUMBER,
    "cuts": TEXT,
    "obstacles": TEXT,
    "feasible_before": FLAG,
    "root_rms_mm": NUMBER,
    "root_rms_deg": NUMBER,
    "joints_rms_deg": NUMBER,
    "slide_before_mm": NUMBER,
    "slide_after_mm": NUMBER,
    "penetration_before_mm": NUMBER,
    "penetration_after_mm": NUMBER,
    "torque_share_before": NUMBER,
    "torque_share_after": NUMBER,
    "speed_share_before": NUMBER,
    "speed_share_after": NUMBER,
    "off_balance_before": NUMBER,
    "off_balance_after": NUMBER,
    "behavior_s": NUMBER,
    "begins_s": NUMBER,
    "ends_s": NUMBER,
    "processor_s": NUMBER,
    "notes": TEXT,
    "picture": TEXT,
    "sha256": TEXT,
    "key": TEXT,
    "behavior_key": TEXT,
    "version": TEXT,
    "finished": TEXT,
}
KIND = TableKind(
    "take table", "an import", pa.schema(list(COLUMNS.items())), key="source"
)


def takes_folder(library: str | Path) -> Path:
    """Where a library has the table and the specifications of imported takes."""
    return Path(library) / TAKES


def table_path(library: str | Path) -> Path:
    """Where that table is."""
    return takes_folder(library) / "table.parquet"


class TakeTable(RowTable):
    """The rows of an import by source; see `RowTable`."""

    def __init__(self, library: str | Path) -> None:
        """Opens the table of a library, empty when there is none yet.

        Raises:
            BackbeatError: there is something that is no table of an import.
        """
        super().__init__(table_path(library), KIND)
