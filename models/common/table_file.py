"""Tables from outside, as Parquet files: surveyed before they are read."""

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from backbeat.models.common.bounds import CELLS, CELLS_PER_BYTE, SOME_CELLS
from backbeat.models.common.outside_file import opened


def read_table(path: str | Path, kind: str) -> pa.Table:
    """A table with its metadata.

    Args:
        path: the file.
        kind: what it is of, see `backbeat.models.common.bounds.BYTES`.

    Raises:
        BackbeatError: it cannot be opened, or is too large.
        ValueError: it says that it holds more numbers than any.
        pyarrow.ArrowException: it is damaged.
    """
    with opened(path, kind) as file:
        told = pq.read_metadata(file)
        # A few bytes can stand for any number of equal numbers.
        cells = told.num_rows * max(told.num_columns, 1)
        size = file.seek(0, os.SEEK_END)
        if cells > max(SOME_CELLS, min(CELLS, size * CELLS_PER_BYTE)):
            raise ValueError(
                f"it has {told.num_rows} rows of {told.num_columns} columns in {size} "
                f"bytes, which is no {kind}"
            )
        file.seek(0)
        return pq.read_table(file)


def read_metadata(path: str | Path, kind: str) -> dict[bytes, bytes]:
    """What a table says of itself; nothing if it says nothing.

    Args:
        path: the file.
        kind: what it is of, see `backbeat.models.common.bounds.BYTES`.

    Raises:
        BackbeatError: it cannot be opened, or is too large.
        pyarrow.ArrowException: it is damaged.
    """
    with opened(path, kind) as file:
        return dict(pq.read_schema(file).metadata or {})
