"""What a stored behavior says of itself is data from outside, checksum or not."""

import json
import math
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from backbeat.behaviors.library.record import METADATA
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.library.table import digest
from backbeat.cli.author import info
from backbeat.cli.author import list as listing
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.table_file import read_table
from backbeat.mpc.sweep.card.robustness import card_path
from tests.backbeat.performances import drumming, swaying


@pytest.fixture(scope="module")
def wholes():
    return drumming(True, 0.5), swaying(0.5)


@pytest.fixture(scope="module")
def saved(tmp_path_factory, wholes):
    folder = tmp_path_factory.mktemp("saved")
    for behavior in wholes:
        Library(folder).save(behavior)
    return folder


@pytest.fixture
def library(tmp_path, saved):
    """A library of two behaviors."""
    return Library(shutil.copytree(saved, tmp_path / "library"))


def craft(library, name, change):
    """Changes the header of a behavior, and makes its checksum anew."""
    path = library.path(name)
    table = pq.read_table(path)
    record = json.loads(table.schema.metadata[METADATA])
    change(record["header"])
    frame = table.to_pandas(ignore_metadata=True)
    record["sha256"] = digest(frame, record["header"])
    metadata = {**table.schema.metadata, METADATA: json.dumps(record).encode()}
    pq.write_table(table.replace_schema_metadata(metadata), path)


def put(*way, value):
    def change(header):
        *path, last = way
        for key in path:
            header = header[key]
        header[last] = value

    return change


def drop(*way):
    def change(header):
        *path, last = way
        for key in path:
            header = header[key]
        del header[last]

    return change


CRAFTED = {
    "a tempo as text": put("bpm", value="fast"),
    "a tempo without end": put("bpm", value=math.inf),
    "a tempo beyond all": put("bpm", value=1e300),
    "a large whole number": put("bpm", value=10**400),
    "a certificate as a list": put("certificate", value=[]),
    "a check as text": put("certificate", value={"friction": "fine"}),
    "a bound as text": put(
        "certificate",
        value={"friction": {"value": 0, "bound": "0", "time": 0, "where": ""}},
    ),
    "no provenance": drop("provenance"),
    "provenance as text": put("provenance", value="yes"),
    "no length": drop("provenance", "duration_s"),
    "a log of numbers": put("provenance", "log", value=[1, 2]),
    "limits without names": put("provenance", "active_limits", value=[{}]),
    "seconds as text": put("provenance", "seconds", value="1"),
    "an event without a target": lambda header: header["events"].append({"time": 0.0}),
    "an event of NaN": put("events", value=[{"time": math.nan}]),
    "events as a map": put("events", value={}),
    "a mount of NaN": put("mount", "rpy_WB", value=[math.nan] * 3),
    "a mount of two numbers": put("mount", "p_WB", value=[0.0, 1.0]),
    "a joint locked at NaN": put("mount", "locked", value={"neck_ay": math.nan}),
    "a scene without a place": drop("scene", "place"),
    "no summary": drop("summary"),
    "a summary as a list": put("summary", value=["a"]),
    "another name": put("name", value="other"),
    "a name as a path": put("name", value="../../x"),
    "contacts as numbers": put("contacts", value=[1]),
    "contacts of another robot": put("contacts", value=["tail"]),
    "equipment as text": put("equipment", value="sticks"),
    "a priority that is true": put("beat_priority", value=True),
    "an unknown robot": put("robot", value="/etc/passwd"),
}


@pytest.mark.parametrize("change", CRAFTED.values(), ids=CRAFTED)
def test_a_crafted_header_is_refused_and_hides_no_other(
    library, wholes, change, capsys
):
    drums, sway = (b.name for b in wholes)
    craft(library, drums, change)
    with pytest.raises(BackbeatError) as caught:
        library.load(drums)
    assert len(str(caught.value)) < 600
    assert library.load(sway).name == sway
    assert sway in set(library.table()["name"])
    for as_json in (True, False):
        listing.command(library.folder, as_json=as_json)
    said = capsys.readouterr()
    assert sway in said.out
    if f"atlas/{drums}" in library.damaged():
        assert drums in said.err


def test_a_summary_does_not_steer_the_terminal(library, wholes, capsys):
    drums, _ = (b.name for b in wholes)
    summary = "\x1b[2J\x1b]0;title\x07red\x9b31m\u202eback\rover\nline"
    craft(library, drums, put("summary", value=summary))
    craft(library, drums, put("kind", value="\x1b[31mposture"))
    listing.command(library.folder)
    info.command(drums, library.folder)
    said = capsys.readouterr()
    for letter in "\x1b\x07\x9b\u202e\r":
        assert letter not in said.out + said.err
    assert "red" in library.load(drums).summary


@pytest.mark.parametrize("content", [b"", b"PAR1", b"{}", bytes(1000)])
def test_a_file_that_is_none_hides_no_other(library, wholes, content, capsys):
    drums, sway = (b.name for b in wholes)
    library.path(drums).write_bytes(content)
    library.path(sway).with_name("cards").mkdir()
    card_path(library.path(sway)).write_bytes(content)
    listing.command(library.folder)
    said = capsys.readouterr()
    assert sway in said.out
    assert "cannot be used" in said.err
    assert "not a robustness card" in said.err


def test_rows_without_end_are_not_read(tmp_path):
    """A column of one value packs into a few bytes, however long it is."""
    path = tmp_path / "a.parquet"
    column = pa.DictionaryArray.from_arrays(
        pa.array([0] * 30_000_000, pa.int8()), pa.array([1.5])
    )
    pq.write_table(pa.table({"a": column}), path)
    assert path.stat().st_size < 200_000
    with pytest.raises(ValueError, match="30000000 rows"):
        read_table(path, "behavior")
