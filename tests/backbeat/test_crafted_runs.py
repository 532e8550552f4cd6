"""What a run file says of its results is data from outside, checksum or not."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from backbeat.cli.main import app
from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.runs.file import run_story, with_story
from backbeat.mpc.runs.record import read_run
from backbeat.mpc.runs.table import run_frame
from tests.backbeat.performances import run_of, swaying
from tests.fuzz.crafted import changed


@pytest.fixture(scope="module")
def whole():
    run = run_of(swaying(0.5))
    frame = run_frame(run)
    story = json.loads(json.dumps(run_story(run, run_metrics(run))))
    return pa.Table.from_pandas(frame, preserve_index=False), frame, story


def write(whole, way, value, path):
    table, frame, story = whole
    pq.write_table(with_story(table, frame, changed(story, way, value)), path)
    return path


@pytest.mark.parametrize(
    ("way", "value", "sentence"),
    [
        (("metrics",), [], "metrics has no keys"),
        (("metrics",), {}, "metrics duration_s is missing"),
        (("metrics", "duration_s"), "long", "metrics duration_s is 'long', not a num"),
        (("metrics", "fell"), 1, "metrics fell is '1', not true or false"),
        (("metrics", "fell_at_s"), [], "metrics fell_at_s is"),
        (("metrics", "tick_ms"), 3.0, "metrics tick_ms has no keys"),
        (("metrics", "tick_ms", "p99"), "x", "metrics tick_ms p99 is 'x'"),
        (("metrics", "safety", "whole_body", "seconds"), {}, "is missing"),
        (("metrics", "safety"), {"a": {}}, "metrics safety 'a' mode is missing"),
        (("metrics", "pushes"), [{}], "metrics pushes 0 time_s is missing"),
        (("metrics", "hits"), {"made": "all"}, "metrics hits planned is missing"),
        (("metrics", "markers"), {}, "metrics markers is no list"),
        (("metrics", "jerk", "planned"), 5, "metrics jerk planned has no keys"),
        (("metrics", "rests"), ["x"], "metrics rests 0 has no keys"),
        (("metrics", "plan_failures"), 10**400, "metrics plan_failures is"),
    ],
    ids=str,
)
def test_results_that_cannot_be_are_refused_by_name(
    way, value, sentence, whole, tmp_path
):
    path = write(whole, way, value, tmp_path / "a.run.parquet")
    with pytest.raises(BackbeatError, match=r"a\.run\.parquet") as error:
        read_run(path)
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)
    result = CliRunner().invoke(app, ["report", str(path)])
    assert isinstance(result.exception, BackbeatError)
    assert list(tmp_path.iterdir()) == [path]


def test_a_run_as_it_was_written_is_reported_on(whole, tmp_path):
    path = write(whole, ("metrics", "seed"), 3, tmp_path / "a.run.parquet")
    assert read_run(path).metrics["seed"] == 3
