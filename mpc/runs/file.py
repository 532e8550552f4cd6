"""Run files: a run as one Parquet table with its story in the metadata.

`pandas.read_parquet` reads the table without Backbeat: columns are named by joint
and contact, times are those of the behavior.
"""

import hashlib
import json
import logging
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.header import EVENT, METER, MOUNT, SCENE
from backbeat.behaviors.library.record import METADATA as BEHAVIOR
from backbeat.behaviors.library.table import DAMAGED, digest
from backbeat.models.common.atomic_file import check_place, replacing
from backbeat.models.common.errors import BackbeatError, gist
from backbeat.models.common.outside_file import is_there
from backbeat.models.common.plain_data import Perhaps, Several, cleaned, misfits
from backbeat.models.common.table_file import read_table
from backbeat.mpc.analysis.drumming.hits import run_hits
from backbeat.mpc.analysis.marker_errors import run_markers
from backbeat.mpc.disturbances.registry import keys_of, registered, story_of, without
from backbeat.mpc.runs.metrics_schema import METRICS
from backbeat.mpc.runs.origin import origin_story
from backbeat.mpc.runs.predictions import predictions_story
from backbeat.mpc.runs.table import run_frame
from backbeat.mpc.scenario.specification import Scenario, read_scenario
from backbeat.mpc.simulation.run import SimulationRun
from backbeat.mpc.weights.controller_weights import (
    ControllerWeights,
    read_all_weights,
)

# Columns of earlier versions, read under the names that they have now.
OLD_COLUMNS = {
    "plan.grip": "plan.friction_scale",
    "plan.push.x": "plan.external_acceleration.x",
    "plan.push.y": "plan.external_acceleration.y",
}
# Schema of the story of a run; earlier versions had fewer fields.
STORY = {
    "scenario": {...: Any},
    "behavior": str,
    "bpm": float,
    "weights": Perhaps({...: Any}),
    "weights_hash": Perhaps(str),
    "controller": Perhaps({"replaces": [str], ...: Any}),
    "beats_per_bar": Perhaps(float),
    "meter": Perhaps(METER),
    "lead_in_bars": Perhaps(int),
    "pulses": Perhaps([Several(float, 5)]),
    "beats": Perhaps([float]),
    "music": Perhaps(float),
    "count_in": Perhaps([float]),
    "backing": Perhaps(str),
    "metrics": METRICS,
    "hits": [{"time": float, ...: Any}],
    "extra_hits": Perhaps([{...: Any}]),
    "markers": Perhaps([{...: Any}]),
    "segments": Perhaps([EVENT]),
    "robot": Perhaps(
        {
            "name": str,
            "equipment": [str],
            "mount": MOUNT,
            "scene": SCENE,
            "mass_kg": float,
            "joints": [str],
            "limits": {...: [Perhaps(float)]},
        }
    ),
    ...: Any,
}
_METADATA, _CHECKSUM = b"backbeat-run", b"backbeat-run-sha256"


def check_run_place(path: str | Path) -> None:
    """Finds out before the run whether its file can be written, and found again.

    Raises:
        BackbeatError: it cannot, or its name is that of another kind of file.
    """
    path = Path(path)
    if path.suffix != ".parquet":
        raise BackbeatError(
            f"a run file is a Parquet table: name it {path.stem}.run.parquet, not "
            f"{path.name}; `backbeat export` makes a CSV of it"
        )
    check_place(path)


def run_story(run: SimulationRun, metrics: Mapping[str, Any]) -> dict[str, Any]:
    """What the samples do not say.

    Settings, versions, hits, markers, results, and what plans expected.
    """
    hits, markers = run_hits(run), run_markers(run)
    return {
        **settings_story(run),
        "kit": run.behavior.scene.kit,
        "bpm": run.behavior.bpm,
        "meter": run.behavior.meter.to_plain(),
        "lead_in_bars": run.behavior.meter.lead_in,
        "beats": run.beat_times().tolist(),
        "pulses": [[t, p.beat, p.bar, p.number, p.count] for t, p in run.pulses()],
        "music": run.behavior.music().time,
        "backing": run.behavior.music().what,
        "count_in": [e.time for e in run.requested_events() if e.kind == "count"],
        "metrics": dict(metrics),
        "hits": [] if hits is None else hits.table.to_dict("records"),
        "extra_hits": [] if hits is None else [asdict(h) for h in hits.extra],
        "markers": [] if markers is None else _records(markers),
        "segments": [asdict(e) for e in run.requested_events() if e.kind == "segment"],
        "robot": robot_story(run.behavior),
        "predictions": predictions_story(run),
        **origin_story(run.behavior, run.scenario.world.engine),
    }


def settings_story(run: SimulationRun) -> dict[str, Any]:
    """Settings of a run, which with its origin determine its numbers."""
    return {
        "scenario": run.scenario.to_dict(),
        "weights": run.weights.to_dict(),
        "weights_hash": weights_hash(run.weights.to_dict()),
        "behavior": run.behavior.name,
        **({"disturbances": own} if (own := story_of(run.scenario.active)) else {}),
        **({"terms": terms} if (terms := run.weights.own_terms()) else {}),
        **({"controller": dict(run.controller)} if run.controller else {}),
    }


def robot_story(behavior: Behavior) -> dict[str, Any]:
    """Which robot it is, what it carries, how it is held, and its limits.

    Limits are those of the joints, in the order of its model: lowest and highest
    angle [rad], greatest speed [rad/s] and torque [N m].
    """
    robot = behavior.robot_model
    limits = {
        "lowest": robot.position_lower,
        "highest": robot.position_upper,
        "speed": robot.velocity_limits,
        "torque": robot.effort_limits,
    }
    return {
        "name": behavior.robot,
        "equipment": list(behavior.equipment),
        "mount": asdict(behavior.mount),
        "scene": asdict(behavior.scene),
        "mass_kg": robot.total_mass,
        "joints": list(robot.joint_names),
        # JSON has no infinity: None for no limit.
        "limits": {
            name: [float(x) if np.isfinite(x) else None for x in values]
            for name, values in limits.items()
        },
    }


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows as plain data, with None for NaN, which JSON does not have."""
    found: list[dict[str, Any]] = (
        table.astype(object).where(table.notna(), None).to_dict("records")
    )
    return found


def run_settings(story: Mapping[str, Any]) -> Scenario:
    """The scenario of a run, from its story.

    Raises:
        BackbeatError: it was made by a Backbeat that had other settings.
    """
    own = story.get("disturbances", {})
    known = {key for kind in registered() for key in keys_of(kind)}
    lacking = [key for key in own.get("keys", ()) if key not in known]
    if lacking:
        logging.getLogger(__name__).warning(
            "%s of the run is a disturbance of %s, which `--with` does not name here; "
            "it is left out",
            ", ".join(lacking),
            own.get("file", "a program of the user's own"),
        )
    text = json.dumps(without(story["scenario"], lacking))
    return read_scenario(text, "the run's scenario").check()


def weights_hash(weights: Mapping[str, Any]) -> str:
    """Hash of all weights of the controllers, as plain data."""
    text = json.dumps(weights, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def run_weights(
    story: Mapping[str, Any], base: ControllerWeights | None = None
) -> ControllerWeights:
    """The weights of the controllers of a run, from its story.

    Runs of earlier versions kept those of the predictive program or none; the others
    were those that ship, which are taken, and one sentence says so. What a weight that
    came later says is then as it ships, which changes nothing.

    Args:
        story: of the run file.
        base: those that ship, with terms of one's own; None for none of them.

    Raises:
        BackbeatError: it was made by a Backbeat that had other names, or was changed.
    """
    told, where = story.get("weights", {}), "the run's weights"
    found = read_all_weights(told, where, base)
    if "weights_hash" not in story:
        logging.getLogger(__name__).warning(
            "the run was made by an earlier Backbeat, which did not keep all weights: "
            "those that ship are taken for %s",
            "gains and recovery" if told else "all of them",
        )
    elif weights_hash(told) != story["weights_hash"]:
        raise BackbeatError(
            "the run's weights are not those of its hash: they were changed after the "
            "run; track the behavior again"
        )
    return found


def save_run(run: SimulationRun, path: str | Path, metrics: Mapping[str, Any]) -> Path:
    """Writes a run file, whole or not at all.

    Args:
        run: the run.
        path: file to write.
        metrics: its metrics, computed once by the caller.

    Raises:
        BackbeatError: the file cannot be written.
    """
    path, frame = Path(path), run_frame(run)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    table = with_story(table, frame, run_story(run, metrics))
    # Bytes of numbers that hardly change from row to row pack best side by side.
    is_number = [pa.types.is_floating(kind) for kind in table.schema.types]
    numbers = [n for n, yes in zip(table.column_names, is_number, strict=True) if yes]
    rest = [n for n in table.column_names if n not in numbers]
    with replacing(path) as file:
        pq.write_table(
            table,
            file,
            compression="zstd",
            use_dictionary=rest,
            use_byte_stream_split=numbers,
        )
    return path


def with_story(
    table: pa.Table, frame: pd.DataFrame, story: Mapping[str, Any]
) -> pa.Table:
    """A table of a run with its story, and a checksum of both.

    Args:
        table: as it is stored.
        frame: the same, as it is read.
        story: see `run_story`.
    """
    text = json.dumps(story)
    own = {_METADATA: text, _CHECKSUM: digest(frame, json.loads(text))}
    return table.replace_schema_metadata({**(table.schema.metadata or {}), **own})


def _check_kind(path: Path, metadata: Mapping[bytes, bytes]) -> None:
    """Refuses a table that is no run."""
    if _METADATA in metadata:
        return
    if BEHAVIOR in metadata:
        raise BackbeatError(
            f"{path} is the file of a behavior, not of a run; name the behavior "
            f"itself, {path.stem}, and where it is by --library and --robot"
        )
    raise BackbeatError(
        f"{path} is a table, but not of a run; `backbeat track NAME -o FILE` writes one"
    )


def load_run(path: str | Path) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Samples and story of a run file.

    Raises:
        BackbeatError: the file cannot be read, is not a run file, or was changed.
    """
    path = Path(path)
    if not is_there(path):
        raise BackbeatError(
            f"there is no file {path}; `backbeat track NAME -o FILE` writes one"
        )
    try:
        table = read_table(path, "run")
        metadata = table.schema.metadata or {}
        _check_kind(path, metadata)
        story: dict[str, Any] = json.loads(metadata[_METADATA])
        # Without the notes of pandas, in which a changed byte could be anything.
        frame = table.to_pandas(ignore_metadata=True)
    except DAMAGED as error:
        raise BackbeatError(
            f"{path} is not a Backbeat run file: {gist(error)}"
        ) from None
    if _CHECKSUM not in metadata:
        raise BackbeatError(
            f"{path} was written by an earlier Backbeat, without a checksum; track the "
            "behavior again"
        )
    if metadata[_CHECKSUM].decode("latin-1") != digest(frame, story):
        raise BackbeatError(
            f"{path} cannot be used: its contents do not match their checksum; track "
            "the behavior again"
        )
    for misfit in misfits(story, STORY):
        raise BackbeatError(f"{path} is not a Backbeat run file: {misfit}")
    clean: dict[str, Any] = cleaned(story)
    return _under_current_names(frame, path), clean


def _under_current_names(frame: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Samples by the current names of columns; says which had old ones."""
    old = {name: new for name, new in OLD_COLUMNS.items() if name in frame.columns}
    if old:
        pairs = ", ".join(f"{name} (now {new})" for name, new in old.items())
        logging.getLogger(__name__).warning(
            "%s: old names of columns are read for one more version: %s", path, pairs
        )
    return frame.rename(columns=old)
