"""The behavior library: one Parquet file a behavior, written whole or not at all."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.header import HEADER
from backbeat.behaviors.library.table import (
    DAMAGED,
    behavior_from_frame,
    digest,
    to_frame,
    to_header,
)
from backbeat.models.common.atomic_file import replacing
from backbeat.models.common.bounds import LONGEST_SIMULATED
from backbeat.models.common.errors import BackbeatError, gist, shown, unknown_name
from backbeat.models.common.outside_file import cannot_read, is_file, is_there
from backbeat.models.common.plain_data import cleaned, misfits
from backbeat.models.common.table_file import read_metadata, read_table

FORMAT = 3
# Where a library usually is, and where there are specifications of what ships.
USUAL = "library"
SHIPPED = [Path(__file__).parents[1] / kind for kind in ("specifications", "setlists")]
# Fastest tempo of all: far more than can be played.
MOST_BPM = 1000.0
# Where a behavior's file has its record.
METADATA = b"backbeat"
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")


def check_name(name: str) -> str:
    """Returns a behavior name that is safe as a file name.

    Raises:
        BackbeatError: the name holds anything but a-z, 0-9 and "-".
    """
    if not _NAME.fullmatch(name):
        if is_file(Path(name)):
            raise BackbeatError(
                f"{name} is not a behavior name but a file; 'backbeat build' makes "
                "behaviors of specifications, and 'backbeat list' names them"
            )
        raise BackbeatError(
            f"{name[:80]!r} is not a behavior name; use small letters, digits and '-'",
            subject=name,
        )
    return name


class Library:
    """A folder of behaviors.

    Attributes:
        folder: where the files are.
    """

    def __init__(self, folder: str | Path = USUAL) -> None:
        """Opens a library; the folder is made when the first behavior is saved."""
        self.folder = Path(folder)

    def path(self, name: str) -> Path:
        """Path of a behavior's file, whether it exists or not."""
        return self.folder / f"{check_name(name)}.parquet"

    def names(self) -> list[str]:
        """Names of the stored behaviors, sorted.

        Raises:
            BackbeatError: the library is a file.
        """
        if is_file(self.folder):
            raise BackbeatError(f"{self.folder} is a file; a library is a folder")
        try:
            files = list(self.folder.glob("*.parquet"))
        except OSError as error:
            raise cannot_read(self.folder, error) from None
        return sorted(p.stem for p in files if _NAME.fullmatch(p.stem))

    def save(self, behavior: Behavior) -> Path:
        """Stores a behavior; a reader sees the old file or the new, never a part."""
        path = self.path(behavior.name)
        frame, header = to_frame(behavior), to_header(behavior)
        record = {"format": FORMAT, "sha256": digest(frame, header), "header": header}
        table = pa.Table.from_pandas(frame, preserve_index=False)
        table = table.replace_schema_metadata(
            {**(table.schema.metadata or {}), METADATA: json.dumps(record).encode()}
        )
        with replacing(path) as file:
            pq.write_table(table, file, compression="zstd")
        return path

    def load(self, name: str) -> Behavior:
        """Loads a behavior and checks that nothing in it was changed.

        Raises:
            BackbeatError: no such behavior, or its file is damaged or edited.
        """
        path, record = self.path(name), self._record(name)
        try:
            # Without the notes of pandas, in which a changed byte could be anything.
            frame = read_table(path, "behavior").to_pandas(ignore_metadata=True)
            is_whole = digest(frame, record["header"]) == record["sha256"]
        except DAMAGED as error:
            raise _damaged(path, name, str(error)) from None
        if not is_whole:
            raise _damaged(path, name, "its contents do not match their checksum")
        header = self._header(name, record)
        try:
            _check_time(frame["t"].to_numpy(float))
            return behavior_from_frame(frame, header)
        except DAMAGED as error:
            why = f"its columns are not those of a motion ({error})"
            raise _damaged(path, name, why) from None

    def key(self, name: str) -> str | None:
        """Build key of a stored behavior; None when there is none that reads."""
        try:
            record = self._record(name)
            key = self._header(name, record)["provenance"].get("key")
            return None if key is None else str(key)
        except BackbeatError:
            return None

    def table(self) -> pd.DataFrame:
        """One row a behavior: name, kind, length, tempo, whether verified, summary.

        Those that cannot be used are left out; see `damaged`.
        """
        bad = self.damaged()
        rows = [self.row(name) for name in self.names() if name not in bad]
        columns = ["name", "kind", "duration_s", "bpm", "verified", "summary"]
        return pd.DataFrame(rows, columns=columns)

    def damaged(self) -> dict[str, str]:
        """Why behaviors cannot be used that are there all the same, by name."""
        found = {}
        for name in self.names():
            try:
                self.row(name)
            except BackbeatError as error:
                found[name] = str(error)
        return found

    def row(self, name: str) -> dict[str, Any]:
        """What the table says of one behavior.

        Raises:
            BackbeatError: no such behavior, or its file is damaged.
        """
        header = self._header(name, self._record(name))
        checks = header["certificate"].values()
        return {
            "name": name,
            "kind": header["kind"],
            "duration_s": header["provenance"]["duration_s"],
            "bpm": header["bpm"],
            "verified": all(c["value"] <= c["bound"] for c in checks),
            "summary": header["summary"],
        }

    def _missing(self, name: str) -> BackbeatError:
        """Why there is no behavior of a name: not built yet, or unknown."""
        own = "" if self.folder == Path(USUAL) else f" --library {self.folder}"
        if any((folder / f"{name}.yaml").is_file() for folder in SHIPPED):
            return BackbeatError(
                f"{name} ships with Backbeat and is not built yet; build it first: "
                f"backbeat build {name}{own}"
            )
        where = f" {self.folder}" if own else ""
        return unknown_name(f"behavior in library{where}", name, self.names())

    def _header(self, name: str, record: dict[str, Any]) -> dict[str, Any]:
        """The record of a behavior, if it has the right form."""
        for misfit in misfits(record["header"], HEADER):
            raise _damaged(self.path(name), name, misfit)
        header: dict[str, Any] = cleaned(record["header"])
        if header["name"] != name:
            raise _damaged(self.path(name), name, f"it is of {shown(header['name'])}")
        if not 0 <= header["bpm"] <= MOST_BPM:
            why = f"its tempo is {header['bpm']:g} beats/min"
            raise _damaged(self.path(name), name, why)
        return header

    def _record(self, name: str) -> dict[str, Any]:
        path = self.path(name)
        if not is_there(path):
            raise self._missing(name)
        try:
            metadata = read_metadata(path, "behavior")
            record: dict[str, Any] = json.loads(metadata[METADATA])
            version = record["format"]
            dict(record["header"]), str(record["sha256"])
        except DAMAGED:
            raise _damaged(path, name, "it is not a whole Backbeat file") from None
        if version != FORMAT:
            raise _damaged(path, name, f"its format {version} is not {FORMAT}")
        return record


def _check_time(t: np.ndarray) -> None:
    """Refuses times of samples that no motion has.

    Raises:
        ValueError: they are none.
    """
    if len(t) < 2 or not (np.diff(t) >= 0).all():
        raise ValueError("time does not go on")
    if not 0 <= t[0] <= t[-1] <= LONGEST_SIMULATED:
        raise ValueError(f"time goes from {t[0]:g} to {t[-1]:g} s")


def _damaged(path: Path, name: str, why: str) -> BackbeatError:
    why = gist(why)
    return BackbeatError(
        f"{path} cannot be used: {why}; rebuild it with 'backbeat build {name} --force'"
    )
