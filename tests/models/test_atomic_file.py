import os
import stat
import threading
from pathlib import Path

import pytest

from backbeat.models.common.atomic_file import (
    check_place,
    check_places,
    refuse_to_replace,
    replacing,
)
from backbeat.models.common.errors import BackbeatError


def test_a_file_takes_its_place_when_it_is_whole(tmp_path):
    path = tmp_path / "new" / "file.bin"
    with replacing(path) as file:
        file.write(b"first")
        assert not path.exists()
    assert path.read_bytes() == b"first"
    with replacing(path) as file:
        file.write(b"second")
        assert path.read_bytes() == b"first"
    assert path.read_bytes() == b"second"
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("problem", [ValueError, KeyboardInterrupt, SystemExit])
def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, problem):
    path = tmp_path / "file.bin"
    path.write_bytes(b"old")

    def fail():
        with replacing(path) as file:
            file.write(b"half")
            raise problem

    with pytest.raises(problem):
        fail()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_place_that_cannot_be_written_to(tmp_path):
    """A folder that is a file, and a file that is a folder."""
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "file" / "inside", tmp_path / "folder"):
        with pytest.raises(BackbeatError, match="cannot write"), replacing(path) as f:
            f.write(b"x")
        with pytest.raises(BackbeatError, match="cannot write"):
            check_place(path)
    check_place(tmp_path / "folder" / "file")
    assert {p.name for p in tmp_path.rglob("*")} == {"file", "folder"}


def test_a_pipe_is_written_into_and_stays_a_pipe(tmp_path):
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    check_place(pipe)
    with replacing(pipe) as file:
        file.write(b"whole")
    reader.join(timeout=10)
    assert read == [b"whole"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert list(tmp_path.iterdir()) == [pipe]


def test_a_place_is_looked_at_and_left_as_it_was(tmp_path):
    check_place(tmp_path / "new" / "folder" / "run.parquet")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file" / "run.parquet", tmp_path):
        with pytest.raises(BackbeatError, match="cannot write"):
            check_place(place)
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize(
    ("path", "sentence"), [(".", "it is a folder; name a file"), ("-", "no name of")]
)
def test_what_is_no_name_of_a_file(tmp_path, monkeypatch, path, sentence):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BackbeatError, match=sentence):
        check_place(Path(path))
    with pytest.raises(BackbeatError, match=sentence), replacing(Path(path)) as file:
        file.write(b"x")
    assert list(tmp_path.iterdir()) == []


def test_no_file_is_the_folder_of_another(tmp_path):
    check_places(tmp_path / "a.mid", None, tmp_path / "folder" / "a.wav")
    with pytest.raises(BackbeatError, match=r"cannot be a file and the folder of"):
        check_places(tmp_path / "m" / "a.mid", tmp_path / "m")
    with pytest.raises(BackbeatError, match="cannot write"):
        check_places(tmp_path / "a.mid", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_no_file_takes_the_place_of_what_it_is_made_from(tmp_path):
    source, link = tmp_path / "a.parquet", tmp_path / "b.parquet"
    source.write_text("run")
    link.symlink_to(source)
    refuse_to_replace(None, source)
    refuse_to_replace(tmp_path / "a.csv", source)
    for path in (source, tmp_path / "." / "a.parquet", link):
        with pytest.raises(BackbeatError, match="name another file"):
            refuse_to_replace(path, source)
