"""The library: what is stored comes back whole and unchanged, or not at all."""

import dataclasses
import json

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from backbeat.behaviors.library.store import Library, check_name
from backbeat.models.common.errors import BackbeatError
from tests.behaviors.identity import same

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


def test_what_ships_and_is_not_built_is_told_how_to_be(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BackbeatError, match=r"not built yet.*backbeat build groove$"):
        Library().load("groove")
    with pytest.raises(BackbeatError, match=r"backbeat build show --library mine$"):
        Library("mine").load("show")
    with pytest.raises(BackbeatError, match="unknown behavior in library 'grove'"):
        Library().load("grove")
