"""The table of a sweep: a folder of Parquet files, a row for every run that has ended.

Whenever a run ends, the last file is written anew, whole or not at all: what is in
the table survives any interruption, and is whole at any time, however many
thousands of rows it has. Rows of older sources stay in it beside the new ones, with
the commit they belong to.
"""

import fcntl
import hashlib
import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from backbeat.behaviors.building.build_key import ROOT, source_hash
from backbeat.models.common.atomic_file import replacing
from backbeat.models.common.errors import BackbeatError, clipped, gist
from backbeat.models.common.outside_file import is_file
from backbeat.models.common.table_file import read_table
from backbeat.mpc.scenario.specification import Scenario

# What can change a run.
PACKAGES = ("models", "optimization", "behaviors", "mpc")
TEXT, NUMBER, COUNT, FLAG = pa.string(), pa.float64(), pa.int64(), pa.bool_()
COLUMNS = {
    "key": TEXT,
    "commit": TEXT,
    "source": TEXT,
    "finished": TEXT,
    "behavior": TEXT,
    "robot": TEXT,
    "engine": TEXT,
    "behavior_key": TEXT,
    "case": TEXT,
    "values": TEXT,
    "level": NUMBER,
    "seed": COUNT,
    "controller": TEXT,
    "scenario": TEXT,
    "state": TEXT,
    "survived": FLAG,
    "fell": FLAG,
    "fell_at_s": NUMBER,
    "duration_s": NUMBER,
    "com_error_rms_mm": NUMBER,
    "com_error_max_mm": NUMBER,
    "joint_error_rms_deg": NUMBER,
    "foot_slip_mm": NUMBER,
    "torque_peak_fraction": NUMBER,
    "strained": TEXT,
    "beat_error_max_ms": NUMBER,
    "hits_planned": COUNT,
    "hits_made": COUNT,
    "hits_extra": COUNT,
    "timing_mean_ms": NUMBER,
    "timing_sd_ms": NUMBER,
    "timing_max_ms": NUMBER,
    "position_max_mm": NUMBER,
    "markers": TEXT,
    "plan_failures": COUNT,
    "tick_failures": COUNT,
    "plan_ms_median": NUMBER,
    "tick_ms_median": NUMBER,
    "realtime_factor": NUMBER,
    "error": TEXT,
}
# Rows of a file; then another one is begun.
PART_ROWS = 500
# Columns that tables did not have from the beginning.
LATER = (
    "robot",
    "engine",
    "controller",
    "markers",
    "strained",
    "timing_sd_ms",
    "timing_max_ms",
    "position_max_mm",
)
SCHEMA = pa.schema(list(COLUMNS.items()))


@cache
def sources() -> str:
    """Hash of all code and data that can change a run."""
    return source_hash(PACKAGES)


def run_key(scenario: Scenario, behavior_key: str, controller: str = "") -> str:
    """Hash of all that decides a run: settings, the behavior as built, our sources.

    Args:
        scenario: settings.
        behavior_key: of the behavior's build.
        controller: what identifies a user's own controller; "" for ours.
    """
    settings = json.dumps(scenario.to_dict(), sort_keys=True)
    text = "\n".join(
        [settings, behavior_key, sources(), *([controller] if controller else [])]
    )
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def commit() -> str:
    """The git commit of our sources, "-dirty" when they have changed since.

    "" when they are not in a repository.
    """
    # Packages are links in a checkout: what they lead to may have changed.
    folder = ROOT.joinpath(PACKAGES[0]).resolve().parent

    def git(*arguments: str) -> str:
        called = ["git", "-C", str(folder), *arguments]
        found = subprocess.run(called, capture_output=True, text=True, check=True)
        return found.stdout.strip()

    try:
        head = git("rev-parse", "HEAD")
        return head + ("-dirty" if git("status", "--porcelain", *PACKAGES) else "")
    except (OSError, subprocess.CalledProcessError):
        return ""


def result_row(metrics: Mapping[str, Any]) -> dict[str, Any]:
    """The row of a run, from its metrics."""
    hits, markers = metrics["hits"] or {}, metrics.get("markers")
    return {
        "state": metrics["state"],
        "survived": metrics["survived"],
        "fell": metrics["fell"],
        "fell_at_s": metrics["fell_at_s"],
        "duration_s": metrics["duration_s"],
        "com_error_rms_mm": metrics["com_error_mm"]["rms"],
        "com_error_max_mm": metrics["com_error_mm"]["max"],
        "joint_error_rms_deg": metrics["joint_error_deg"]["rms"],
        "foot_slip_mm": metrics["foot_slip_mm"],
        "torque_peak_fraction": metrics["torque_peak_fraction"],
        "strained": ", ".join(
            f"{s['joint']} {s['why']}" for s in metrics["strained_joints"]
        ),
        "beat_error_max_ms": metrics["beat_error_ms"]["max"],
        "hits_planned": hits.get("planned"),
        "hits_made": hits.get("made"),
        "hits_extra": hits.get("extra"),
        "timing_mean_ms": hits.get("timing_mean_ms"),
        "timing_sd_ms": hits.get("timing_sd_ms"),
        "timing_max_ms": hits.get("timing_max_ms"),
        "position_max_mm": hits.get("position_max_mm"),
        "markers": json.dumps(markers) if markers else None,
        "plan_failures": metrics["plan_failures"],
        "tick_failures": metrics["tick_failures"],
        "plan_ms_median": metrics["plan_ms"]["median"],
        "tick_ms_median": metrics["tick_ms"]["median"],
        "realtime_factor": metrics["realtime_factor"],
        "error": "",
    }


def failed_row(error: Exception) -> dict[str, Any]:
    """A row for a run that a fault of ours ended; it counts as not survived."""
    what = clipped(f"{type(error).__name__}: {error}", 300)
    return {"survived": False, "fell": False, "error": what}


class SweepTable:
    """The rows of a sweep, in memory and in its files.

    Attributes:
        path: folder of the files; pandas and DuckDB read it as one table.
        rows: rows by key, in the order of their ends.
    """

    def __init__(self, path: str | Path) -> None:
        """Opens a table, empty when there is none yet.

        Raises:
            BackbeatError: there is something that is no table of a sweep.
        """
        self.path = path = Path(path)
        self.rows: dict[str, dict[str, Any]] = {}
        self._part, self._last = 0, list[dict[str, Any]]()
        if is_file(path):
            raise _no_table(path, "it is one file, as only older versions wrote it")
        for part, file in enumerate(sorted(path.glob("*.parquet"))):
            self._part, self._last = part, _read(file)
            self.rows |= {row["key"]: row for row in self._last}

    def add(self, key: str, row: Mapping[str, Any]) -> None:
        """Adds a row and writes the last file."""
        about = {
            "key": key,
            "commit": commit(),
            "source": sources(),
            "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        complete = {**dict.fromkeys(COLUMNS), **about, **row}
        self.rows[key] = {name: complete[name] for name in COLUMNS}
        if len(self._last) >= PART_ROWS:
            self._part, self._last = self._part + 1, []
        self._last.append(self.rows[key])
        table = pa.Table.from_pylist(self._last, SCHEMA)
        with replacing(self.path / f"part-{self._part:05d}.parquet") as file:
            pq.write_table(table, file, compression="zstd")

    def frame(self) -> pd.DataFrame:
        """The table for pandas."""
        return pd.DataFrame(list(self.rows.values()), columns=list(COLUMNS))


def _read(path: Path) -> list[dict[str, Any]]:
    try:
        table = read_table(path, "sweep table")
        for name in COLUMNS:
            # Tables of older sources have fewer columns.
            if name not in table.column_names and name in LATER:
                table = table.append_column(name, pa.nulls(len(table), COLUMNS[name]))
        table = table.select(list(COLUMNS))
        found: list[dict[str, Any]] = table.cast(SCHEMA).to_pylist()
    except (OSError, pa.ArrowException, KeyError, ValueError) as error:
        raise _no_table(path, gist(error)) from None
    return found


def _no_table(path: Path, why: str) -> BackbeatError:
    return BackbeatError(
        f"{path} is not a table of a sweep: {why}; move it away or name another folder"
    )


@contextmanager
def locked(path: str | Path) -> Iterator[None]:
    """Holds a table for this process alone.

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
            f"{path} belongs to a sweep that is running; wait for it or name another "
            "folder"
        ) from None
    finally:
        os.close(lock)
