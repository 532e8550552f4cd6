"""Tables that grow by a row: folders of Parquet files, for work that is resumed.

Whenever a row is added, the file that it is in is written anew, whole or not at all:
what is in the table survives any interruption, and is whole at any time, however many
thousands of rows it has.
"""

import fcntl
import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from backbeat.models.common.atomic_file import replacing
from backbeat.models.common.errors import BackbeatError, gist
from backbeat.models.common.outside_file import is_file
from backbeat.models.common.table_file import read_table

# Types of columns.
TEXT, NUMBER, COUNT, FLAG = pa.string(), pa.float64(), pa.int64(), pa.bool_()
# Rows of a file; then another one is begun.
PART_ROWS = 500


@dataclass(frozen=True)
class TableKind:
    """A kind of table.

    Attributes:
        name: of its kind of file, see `backbeat.models.common.bounds.BYTES`.
        of: what it is a table of, for messages, such as "a sweep".
        schema: its columns.
        key: the column that tells rows apart.
        later: columns that tables of older sources lack.
    """

    name: str
    of: str
    schema: pa.Schema
    key: str
    later: Collection[str] = ()


class RowTable:
    """Rows in memory and in files.

    Attributes:
        path: folder of the files; pandas and DuckDB read it as one table.
        kind: which columns there are.
        rows: rows by key, in the order in which their keys came.
    """

    def __init__(self, path: str | Path, kind: TableKind) -> None:
        """Opens a table, empty when there is none yet.

        Raises:
            BackbeatError: there is something that is no such table.
        """
        self.path, self.kind = Path(path), kind
        self.rows: dict[str, dict[str, Any]] = {}
        self._parts: list[dict[str, dict[str, Any]]] = [{}]
        self._part_of: dict[str, int] = {}
        if is_file(self.path):
            why = "it is one file, as only older versions wrote it"
            raise _no_table(self.path, kind, why)
        files = sorted(self.path.glob("*.parquet"))
        self._parts = [{r[kind.key]: r for r in _read(f, kind)} for f in files] or [{}]
        for number, part in enumerate(self._parts):
            self.rows |= part
            self._part_of |= dict.fromkeys(part, number)

    def add(self, row: Mapping[str, Any]) -> None:
        """Adds a row, or puts it in the place of that with its key; writes its file.

        Args:
            row: values by column; those that are left out are null.
        """
        complete = {name: row.get(name) for name in self.kind.schema.names}
        key = str(complete[self.kind.key])
        number = self._part_of.get(key)
        if number is None:
            if len(self._parts[-1]) >= PART_ROWS:
                self._parts.append({})
            number = self._part_of[key] = len(self._parts) - 1
        self.rows[key] = self._parts[number][key] = complete
        part = list(self._parts[number].values())
        table = pa.Table.from_pylist(part, self.kind.schema)
        with replacing(self.path / f"part-{number:05d}.parquet") as file:
            pq.write_table(table, file, compression="zstd")

    def frame(self) -> pd.DataFrame:
        """The table for pandas."""
        names = self.kind.schema.names
        return pd.DataFrame(list(self.rows.values()), columns=names)


def _read(path: Path, kind: TableKind) -> list[dict[str, Any]]:
    schema = kind.schema
    try:
        table = read_table(path, kind.name)
        for name in kind.later:
            if name not in table.column_names:
                of = schema.field(name).type
                table = table.append_column(name, pa.nulls(len(table), of))
        table = table.select(schema.names)
        found: list[dict[str, Any]] = table.cast(schema).to_pylist()
    except (OSError, pa.ArrowException, KeyError, ValueError) as error:
        raise _no_table(path, kind, gist(error)) from None
    return found


def _no_table(path: Path, kind: TableKind, why: str) -> BackbeatError:
    return BackbeatError(
        f"{path} is not a table of {kind.of}: {why}; move it away or name another "
        "folder"
    )


@contextmanager
def locked(path: str | Path, kind: TableKind) -> Iterator[None]:
    """Holds a table for this process alone.

    Args:
        path: of the table.
        kind: what it is of, for the message.

    Raises:
        BackbeatError: another process has it, or the folder cannot be written.
    """
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise BackbeatError(f"cannot write {path}: {error.strerror}") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise BackbeatError(
            f"{path} belongs to {kind.of} that is running; wait for it or name another "
            "folder"
        ) from None
    finally:
        os.close(lock)
