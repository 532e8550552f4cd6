"""Library files that were cut, edited or hit by a cosmic ray are refused."""

import json

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from backbeat.behaviors.library.record import FORMAT
from backbeat.behaviors.library.table import digest
from backbeat.models.common.errors import BackbeatError
from tests.behaviors.identity import same


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.99])
def test_a_truncated_file_is_refused(library, stored, share):
    data = stored.read_bytes()
    stored.write_bytes(data[: int(share * len(data))])
    with pytest.raises(BackbeatError, match=r"cannot be used.*build drums --force"):
        library.load("drums")


def rewrite(path, change_table=None, change_record=None):
    """Edits a stored file as somebody would who has Parquet tools."""
    table = pq.read_table(path)
    metadata = dict(table.schema.metadata)
    record = json.loads(metadata[b"backbeat"])
    if change_record:
        record = change_record(record)
    frame = table.to_pandas()
    if change_table:
        frame = change_table(frame)
    new = pa.Table.from_pandas(frame, preserve_index=False)
    metadata = {**new.schema.metadata, b"backbeat": json.dumps(record).encode()}
    pq.write_table(new.replace_schema_metadata(metadata), path)


def test_a_file_written_anew_without_a_change_is_the_same(library, stored, drums):
    rewrite(stored)
    assert same(library.load("drums"), drums)


def one_number(frame):
    frame.loc[3, "q.l_arm_elx"] += 1e-15
    return frame


def summary(record):
    record["header"]["summary"] = "edited"
    return record


def bound(record):
    record["header"]["certificate"]["friction"] = {"value": 0, "bound": 1}
    return record


@pytest.mark.parametrize(
    ("table", "record"),
    [
        (one_number, None),
        (lambda f: f.iloc[:-1], None),
        (lambda f: f.drop(columns="tau.l_arm_elx"), None),
        (lambda f: f.rename(columns={"q.l_arm_elx": "q.l_elbow"}), None),
        (lambda f: f.assign(more=0.0), None),
        (None, summary),
        (None, bound),
    ],
)
def test_an_edited_file_is_refused(library, stored, table, record):
    rewrite(stored, table, record)
    with pytest.raises(BackbeatError, match="checksum"):
        library.load("drums")


@pytest.mark.parametrize("version", [0, FORMAT - 1, FORMAT + 1, 99, "1", None])
def test_a_foreign_format_version_is_refused(library, stored, version):
    rewrite(stored, None, lambda r: r | {"format": version})
    with pytest.raises(BackbeatError, match=f"its format {version} is not {FORMAT}"):
        library.load("drums")
    assert library.key("drums") is None


def test_a_behavior_of_another_robot_is_one_sentence(library, stored):
    """The checksum is right, the robot has changed since."""

    def renamed(frame):
        return frame.rename(columns={"q.l_arm_elx": "q.l_elbow"})

    frame = renamed(pd.read_parquet(stored))
    rewrite(stored, renamed, lambda r: r | {"sha256": digest(frame, r["header"])})
    with pytest.raises(BackbeatError, match=r"no column .q.l_arm_elx.*--force"):
        library.load("drums")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"pandas_type"', b'"pandas_typo"'),
        (b'"float64"', b'"floak64"'),
        (b'"pandas_version"', b'"pandas_versio\xff"'),
    ],
)
def test_damage_in_what_pandas_notes_changes_nothing(library, stored, drums, old, new):
    data = stored.read_bytes()
    assert old in data
    assert len(old) == len(new)
    stored.write_bytes(data.replace(old, new, 1))
    assert same(library.load("drums"), drums)
