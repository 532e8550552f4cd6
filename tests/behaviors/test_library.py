"""The library: what is stored comes back whole and unchanged, or not at all."""

import dataclasses
import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from behaviors.behavior_table import digest
from behaviors.library import Library, check_name
from models.errors import BackbeatError

UNGUARDED = "Library.load reads pandas' notes without a guard"
HOSTILE = [
    "../x",
    "a/b",
    "a\\b",
    "/etc/passwd",
    ".hidden",
    "",
    " ",
    "Groove",
    "groove\n",
    "groove\0",
    "-rf",
    "ä",
    "x" * 65,
]


@pytest.fixture
def library(tmp_path):
    return Library(tmp_path / "library")


@pytest.fixture
def stored(library, drums):
    """Path of the stored drums."""
    return library.save(drums)


def same(a, b):
    """Whether two values are equal to the last bit, at any depth."""
    if dataclasses.is_dataclass(a):
        fields = [f.name for f in dataclasses.fields(a)]
        return type(a) is type(b) and all(
            same(getattr(a, n), getattr(b, n)) for n in fields
        )
    if isinstance(a, np.ndarray):
        return np.array_equal(a, b) and a.dtype == b.dtype and a.shape == b.shape
    return a == b


def test_what_is_saved_is_loaded_to_the_last_bit(library, stored, drums):
    assert same(library.load("drums"), drums)


@pytest.mark.parametrize("name", ["posture-tour", "outstanding"])
def test_a_built_behavior_comes_back_to_the_last_bit(tmp_path, built, name):
    """With free base and patches, or welded with impacts: the whole table."""
    behavior, library = built(name), Library(tmp_path)
    library.save(behavior)
    assert same(library.load(name), behavior)


def test_the_table_reads_without_backbeat(stored, drums):
    table = pd.read_parquet(stored)
    np.testing.assert_array_equal(table["t"], drums.motion.t)
    column = drums.robot_model.joint_index("l_arm_elx")
    np.testing.assert_array_equal(table["q.l_arm_elx"], drums.motion.q[:, column])
    header = json.loads(pq.read_schema(stored).metadata[b"backbeat"])["header"]
    assert header["bpm"] == 98.0


def test_an_empty_library_has_no_names(library):
    assert library.names() == []
    assert library.table().empty
    assert library.key("drums") is None
    with pytest.raises(BackbeatError, match="unknown behavior in library"):
        library.load("drums")


def test_a_near_miss_is_suggested(library, stored):
    assert library.names() == ["drums"]
    with pytest.raises(BackbeatError, match="did you mean drums"):
        library.load("drms")


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_touches_no_file(library, drums, name):
    with pytest.raises(BackbeatError, match="is not a behavior name"):
        check_name(name)
    for use in (library.path, library.load):
        with pytest.raises(BackbeatError, match="is not a behavior name"):
            use(name)
    with pytest.raises(BackbeatError, match="is not a behavior name"):
        library.save(dataclasses.replace(drums, name=name))
    assert not library.folder.parent.joinpath("x.parquet").exists()
    assert not library.folder.exists()


def test_foreign_files_in_the_folder_are_not_behaviors(library, stored):
    for name in ("notes.txt", "Up.parquet", ".x.parquet", "drums.parquet.part"):
        (library.folder / name).write_bytes(b"?")
    assert library.names() == ["drums"]


class Interrupted(KeyboardInterrupt):
    """Control-C at the worst moment."""


@pytest.mark.parametrize("error", [OSError(28, "No space left"), Interrupted()])
def test_a_failure_in_the_middle_leaves_the_old_file(
    library, stored, drums, monkeypatch, error
):
    before = stored.read_bytes()

    def half_written(table, file, **kwargs):
        file.write(b"PAR1 and a part of the rest")
        raise error

    monkeypatch.setattr(pq, "write_table", half_written)
    expected = BackbeatError if isinstance(error, OSError) else Interrupted
    with pytest.raises(expected):
        library.save(dataclasses.replace(drums, summary="newer"))
    assert stored.read_bytes() == before
    assert list(library.folder.iterdir()) == [stored]


def test_a_first_save_that_fails_leaves_nothing(library, drums, monkeypatch):
    def nothing(*args, **kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pq, "write_table", nothing)
    with pytest.raises(BackbeatError, match="No space left on device"):
        library.save(drums)
    assert list(library.folder.iterdir()) == []


def test_a_folder_that_is_a_file_is_one_sentence(tmp_path, drums):
    (tmp_path / "library").write_text("")
    with pytest.raises(BackbeatError, match="cannot write"):
        Library(tmp_path / "library").save(drums)


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


@pytest.mark.parametrize("version", [0, 2, 99, "1", None])
def test_a_foreign_format_version_is_refused(library, stored, version):
    rewrite(stored, None, lambda r: r | {"format": version})
    with pytest.raises(BackbeatError, match=f"its format {version} is not 1"):
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


@pytest.fixture(scope="module")
def pristine(tmp_path_factory, drums):
    return Library(tmp_path_factory.mktemp("pristine")).save(drums).read_bytes()


fuzzed = settings(
    deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.mark.xfail(reason=UNGUARDED, strict=True)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"pandas_type"', b'"pandas_typo"'),
        (b'"float64"', b'"floak64"'),
        (b'{"name": ', b'{"name":, '),
        (b'"pandas_version"', b'"pandas_versio\xff"'),
    ],
)
def test_damage_in_what_pandas_notes_is_refused(library, stored, old, new):
    data = stored.read_bytes()
    assert old in data
    assert len(old) == len(new)
    stored.write_bytes(data.replace(old, new, 1))
    with pytest.raises(BackbeatError):
        library.load("drums")


@pytest.mark.xfail(reason=UNGUARDED, strict=False)
@fuzzed
@given(st.data())
def test_flipped_bytes_never_go_unnoticed(tmp_path, pristine, drums, data):
    """Anything but a BackbeatError is either the old behavior or a bug."""
    broken = bytearray(pristine)
    for _ in range(data.draw(st.integers(1, 4))):
        # Half of them in the last tenth, where Parquet keeps its own story.
        first = data.draw(st.sampled_from([0, len(broken) * 9 // 10]))
        at = data.draw(st.integers(first, len(broken) - 1))
        broken[at] ^= data.draw(st.integers(1, 255))
    library = Library(tmp_path)
    (tmp_path / "drums.parquet").write_bytes(broken)
    try:
        loaded = library.load("drums")
    except BackbeatError:
        return
    assert same(loaded, drums)


@fuzzed
@given(st.binary(max_size=200), st.booleans())
def test_random_bytes_are_refused(tmp_path, noise, dressed):
    if dressed:
        noise = b"PAR1" + noise + len(noise).to_bytes(4, "little") + b"PAR1"
    (tmp_path / "drums.parquet").write_bytes(noise)
    with pytest.raises(BackbeatError):
        Library(tmp_path).load("drums")
    assert Library(tmp_path).key("drums") is None


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda x: st.lists(x, max_size=3) | st.dictionaries(st.text(max_size=5), x),
    max_leaves=5,
)


@fuzzed
@example({"format": 1})
@given(
    plain | st.fixed_dictionaries({"format": st.just(1)}, optional={"header": plain})
)
def test_a_record_of_anything_is_refused(tmp_path, record):
    table = pa.table({"t": [0.0]})
    metadata = {b"backbeat": json.dumps(record).encode()}
    path = tmp_path / "drums.parquet"
    pq.write_table(table.replace_schema_metadata(metadata), path)
    with pytest.raises(BackbeatError):
        Library(tmp_path).load("drums")
    assert Library(tmp_path).key("drums") is None
