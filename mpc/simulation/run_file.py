"""Run files: a run as one Parquet table with its story in the metadata.

`pandas.read_parquet` reads the table without Backbeat: columns are named by joint
and contact, times are those of the behavior.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from behaviors.behavior_table import BASE_POSITIONS, BASE_VELOCITIES, WRENCH
from models.atomic_file import replacing
from models.errors import BackbeatError
from models.yaml_file import parse_yaml
from mpc.simulation.run import SimulationRun
from mpc.simulation.scenario import Scenario

_METADATA = b"backbeat-run"


def run_frame(run: SimulationRun) -> pd.DataFrame:
    """The samples of a run as a table, columns by joint and contact name."""
    robot = run.behavior.robot_model
    nq, nv = robot.base_positions, robot.base_velocities
    columns: dict[str, np.ndarray] = {"t": run.t}
    names = [f"q.base.{a}" for a in BASE_POSITIONS[:nq]]
    names += [f"q.{j}" for j in robot.joint_names]
    names += [f"v.base.{a}" for a in BASE_VELOCITIES[:nv]]
    names += [f"v.{j}" for j in robot.joint_names]
    columns |= {name: run.x[:, i] for i, name in enumerate(names)}
    for i, joint in enumerate(robot.joint_names):
        columns[f"tau.{joint}"] = run.effort[:, i]
    patches = [n for n, c in robot.contacts.items() if not c.is_point]
    for c, name in enumerate([*patches, "elsewhere"]):
        for i, axis in enumerate(WRENCH):
            columns[f"{name}.{axis}"] = run.contact[:, c, i]
    for i, axis in enumerate("xyz"):
        columns[f"push.f{axis}"] = run.push[:, i]
    return pd.DataFrame(columns)


def run_story(run: SimulationRun, metrics: Mapping[str, Any]) -> dict[str, Any]:
    """What the samples do not say: settings, versions, hits and results."""
    hits = run.hits()
    return {
        "scenario": run.scenario.to_dict(),
        "behavior": run.behavior.name,
        "behavior_key": run.behavior.provenance.get("key"),
        "bpm": run.behavior.bpm,
        "beats_per_bar": run.behavior.beats_per_bar,
        "beats": run.behavior.beat_times(float(run.t[-1])).tolist(),
        "music": run.behavior.music().time,
        "backing": run.behavior.music().what,
        "versions": {n: metadata.version(n) for n in ("backbeat", "drake", "numpy")},
        "metrics": dict(metrics),
        "hits": [] if hits is None else hits.table.to_dict("records"),
        "extra_hits": [] if hits is None else [asdict(h) for h in hits.extra],
    }


def run_settings(story: Mapping[str, Any]) -> Scenario:
    """The scenario of a run, from its story.

    Raises:
        BackbeatError: it was made by a Backbeat that had other settings.
    """
    text = json.dumps(story["scenario"])
    return parse_yaml(Scenario, text, "the run's scenario").check()


def save_run(run: SimulationRun, path: Path, metrics: Mapping[str, Any]) -> Path:
    """Writes a run file, whole or not at all.

    Args:
        run: the run.
        path: file to write.
        metrics: its metrics, computed once by the caller.

    Raises:
        BackbeatError: the file cannot be written.
    """
    table = pa.Table.from_pandas(run_frame(run), preserve_index=False)
    story = json.dumps(run_story(run, metrics)).encode()
    table = table.replace_schema_metadata(
        {**(table.schema.metadata or {}), _METADATA: story}
    )
    with replacing(path) as file:
        pq.write_table(table, file, compression="zstd")
    return path


def load_run(path: Path) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Samples and story of a run file.

    Raises:
        BackbeatError: the file cannot be read or is not a run file.
    """
    try:
        table = pq.read_table(path)
        story: dict[str, Any] = json.loads((table.schema.metadata or {})[_METADATA])
        # Without the notes of pandas, in which a changed byte could be anything.
        frame = table.to_pandas(ignore_metadata=True)
    except (OSError, pa.ArrowException, KeyError, ValueError, TypeError) as error:
        why = " ".join(str(error).split())[:120]
        raise BackbeatError(f"{path} is not a Backbeat run file: {why}") from None
    return frame, story
