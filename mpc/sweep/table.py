"""The table of a sweep: a row for every run that has ended.

Rows of older sources stay in it beside the new ones, with the commit they belong to.
"""

import hashlib
import json
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa

from backbeat.behaviors.building.build_key import ROOT, source_hash
from backbeat.behaviors.library.row_table import (
    COUNT,
    FLAG,
    NUMBER,
    TEXT,
    RowTable,
    TableKind,
)
from backbeat.models.common.errors import clipped
from backbeat.mpc.scenario.specification import Scenario

# What can change a run.
PACKAGES = ("models", "optimization", "behaviors", "mpc")
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
    "terms": TEXT,
    "trajectory": TEXT,
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
# Columns that tables did not have from the beginning.
LATER = (
    "robot",
    "engine",
    "controller",
    "terms",
    "trajectory",
    "markers",
    "strained",
    "timing_sd_ms",
    "timing_max_ms",
    "position_max_mm",
)
SCHEMA = pa.schema(list(COLUMNS.items()))
KIND = TableKind("sweep table", "a sweep", SCHEMA, "key", LATER)


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


class SweepTable(RowTable):
    """The rows of a sweep by key, in the order of their ends; see `RowTable`."""

    def __init__(self, path: str | Path) -> None:
        """Opens a table, empty when there is none yet.

        Raises:
            BackbeatError: there is something that is no table of a sweep.
        """
        super().__init__(path, KIND)

    def add_run(self, key: str, row: Mapping[str, Any]) -> None:
        """Adds the row of a run, with the commit of our sources."""
        about = {
            "key": key,
            "commit": commit(),
            "source": sources(),
            "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        self.add({**about, **row})
