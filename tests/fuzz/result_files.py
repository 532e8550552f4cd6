"""Files of ours that others may have cut, edited or made up: what was built and run."""

import base64
import io
import json
import zlib
from dataclasses import asdict
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.row_table import RowTable
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.solving.window_store import WindowStore
from backbeat.jobs.import_settings import import_story
from backbeat.jobs.take_table import KIND, STATUSES
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.horizon.prediction import POINTS
from backbeat.mpc.runs.file import save_run
from backbeat.mpc.runs.predictions import FiledPredictions, predictions_story
from backbeat.mpc.runs.record import read_run
from backbeat.mpc.sweep.card.robustness import (
    EngineCard,
    RobustnessCard,
    read_card,
)
from backbeat.mpc.sweep.card.survivals import Survival
from backbeat.mpc.sweep.table import SCHEMA, SweepTable
from backbeat.report.pages.takes import takes_page
from backbeat.sound.notes import performed_in_file
from tests.backbeat.performances import drumming, run_of, swaying
from tests.behaviors.identity import same
from tests.fuzz.noise import HOSTILE, HOSTILE_JSON, damaged, json_like
from tests.fuzz.reader import Reader

CARD = RobustnessCard(
    behavior="groove",
    behavior_key="abc",
    commit="def",
    source="ghi",
    seeds=20,
    engines=(
        EngineCard(
            "drake",
            (Survival("noise", 16, 16), Survival("friction 0.5", 3, 5, 1.3, 2)),
            (Survival(80.0, 10, 10), Survival(120.0, 2, 10, 0.9)),
            80.0,
            False,
        ),
        EngineCard("mujoco", (Survival("noise", 16, 16),), (), None, False),
    ),
    is_complete=True,
)


@cache
def _drums() -> Behavior:
    return drumming(seated=True, duration=0.5)


def _stored(kind: str) -> bytes:
    """A whole file of a behavior or a run."""
    with TemporaryDirectory() as folder:
        if kind == "behavior":
            return Library(folder).save(_drums()).read_bytes()
        run = run_of(swaying(0.3))
        return save_run(run, Path(folder) / "a.parquet", run_metrics(run)).read_bytes()


def _story(whole: bytes, key: bytes) -> object:
    return json.loads(pq.read_schema(io.BytesIO(whole)).metadata[key])


def _told(whole: bytes, key: bytes) -> SearchStrategy[bytes]:
    """A whole Parquet file that tells another story of its table, or no JSON."""
    table = pq.read_table(io.BytesIO(whole))

    def write(story: bytes) -> bytes:
        file = io.BytesIO()
        metadata = {**table.schema.metadata, key: story}
        pq.write_table(table.replace_schema_metadata(metadata), file)
        return file.getvalue()

    return json_like(_story(whole, key)).map(write)


def _dressed(noise: bytes) -> bytes:
    """Noise that begins and ends as Parquet does."""
    return b"PAR1" + noise + len(noise).to_bytes(4, "little") + b"PAR1"


def _read_behavior(path: Path) -> None:
    """What is damaged is refused, or was not damaged where it says something."""
    library = Library(path.parent)
    try:
        assert same(library.load("drums"), _drums())
        assert library.row("drums")["name"] == "drums"
    finally:
        assert library.names() == ["drums"]
        library.key("drums")


def _read_run(path: Path) -> None:
    record = read_run(path)
    assert record.scenario.behavior
    assert len(record.limits) == record.robot.num_joints
    assert record.positions(record.samples).shape[0] == len(record.samples)
    assert performed_in_file(path).duration > 0


def _read_predictions(path: Path) -> None:
    """What is read holds as many points as a prediction has, or none."""
    try:
        story = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        # Refused by `load_run`.
        return
    found = FiledPredictions(story if isinstance(story, dict) else {}, PATCHES).at(0.1)
    assert found.com.shape in {(0, 3), (POINTS, 3)}
    assert all(f.contact in PATCHES for f in found.footholds)


def _read_table(path: Path) -> None:
    table = SweepTable(path.parent)
    assert len(table.frame()) == len(table.rows)


def _read_takes(path: Path) -> None:
    """Reads the table of an import, and writes its page."""
    rows = list(RowTable(path.parent, KIND).rows.values())
    assert takes_page(rows, path.parent, STATUSES).count("<article") == len(rows)


def _read_story(path: Path) -> None:
    assert import_story(path.parent.parent)["command"].isprintable()


def _read_card(path: Path) -> None:
    card = read_card(path)
    assert card is not None
    assert "%" in card.headline


def _read_windows(path: Path) -> None:
    found = WindowStore(path.parent).load(path.stem)
    assert found is None or all(isinstance(a, np.ndarray) for a in found.values())


def _table(schema: pa.Schema = SCHEMA, **values: object) -> bytes:
    file = io.BytesIO()
    row = dict.fromkeys(schema.names) | values
    pq.write_table(pa.Table.from_pylist([row], schema), file)
    return file.getvalue()


def _other_tables(schema: pa.Schema = SCHEMA) -> SearchStrategy[bytes]:
    """Tables whose columns are others, or of other kinds."""
    columns = [
        np.arange(2),
        np.array(["a", "b"]),
        np.array([0.5, np.nan]),
        [None, True],
    ]

    def write(chosen: dict[str, int]) -> bytes:
        file = io.BytesIO()
        pq.write_table(pa.table({n: columns[k] for n, k in chosen.items()}), file)
        return file.getvalue()

    some = st.dictionaries(st.sampled_from([*schema.names, "x"]), st.integers(0, 3))
    whole = st.fixed_dictionaries({n: st.integers(0, 3) for n in schema.names})
    return (some | whole).map(write)


def _arrays() -> bytes:
    file = io.BytesIO()
    np.savez(file, a=np.arange(5.0), b=np.array(["x"]))
    return file.getvalue()


BEHAVIOR, RUN = _stored("behavior"), _stored("run")
BINARY = st.binary(max_size=200)
TAKE = _table(
    KIND.schema, source="a.csv", name="a", status="refused", picture="../../a.jpg"
)
PATCHES = swaying(0.3).robot_model.patches
PREDICTIONS = json.loads(json.dumps(predictions_story(run_of(swaying(0.3)))))


def _repacked(packed: str, **others: object) -> bytes:
    """What plans expected, with other contents."""
    return json.dumps(PREDICTIONS | {"packed": packed} | others).encode()


PARQUET = HOSTILE | {
    "empty Parquet": _dressed(b""),
    "zeros as Parquet": _dressed(bytes(99)),
}

READERS = (
    Reader(
        "library",
        _read_behavior,
        damaged(BEHAVIOR) | _told(BEHAVIOR, b"backbeat") | BINARY.map(_dressed),
        "drums.parquet",
        PARQUET,
        count=100,
    ),
    Reader(
        "run",
        _read_run,
        damaged(RUN) | _told(RUN, b"backbeat-run") | BINARY.map(_dressed),
        "a.run.parquet",
        PARQUET,
        count=60,
    ),
    Reader(
        "predictions",
        _read_predictions,
        json_like(PREDICTIONS)
        | BINARY.map(lambda noise: _repacked(base64.b64encode(noise).decode())),
        "a.json",
        {
            "a bomb": _repacked(base64.b64encode(zlib.compress(bytes(10**8))).decode()),
            "no times": _repacked("", times=[]),
            "a time that is none": _repacked("", times=[float("nan")]),
        },
        count=60,
    ),
    Reader(
        "sweep table",
        _read_table,
        damaged(_table(key="one", seed=1, survived=True)) | _other_tables(),
        "sweep/part-00000.parquet",
        PARQUET,
    ),
    Reader(
        "take table",
        _read_takes,
        damaged(TAKE) | _other_tables(KIND.schema),
        "import/part-00000.parquet",
        PARQUET,
    ),
    Reader(
        "import",
        _read_story,
        json_like({"folder": "mocap", "command": "backbeat import mocap"}),
        "takes/import.json",
        HOSTILE_JSON,
        count=100,
    ),
    Reader(
        "card",
        _read_card,
        json_like(asdict(CARD)),
        "groove.json",
        HOSTILE_JSON,
        count=100,
    ),
    Reader(
        "window",
        _read_windows,
        damaged(_arrays()),
        "abc.npz",
        HOSTILE
        | {
            "a pickled array": b"\x93NUMPY\x01\x00F\x00"
            b"{'descr': '|O', 'fortran_order': False, 'shape': (), }" + b" " * 20
        },
        count=60,
        never_refuses=True,
    ),
)
