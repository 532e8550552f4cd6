"""Which files of a folder are takes, and what these are called."""

import os

import pytest

from backbeat.behaviors.library.stored import check_name
from backbeat.jobs import take_files
from backbeat.jobs.take_files import find_takes, take_names
from backbeat.models.common.errors import BackbeatError


def test_motions_are_found_in_all_folders_and_nothing_else(tmp_path):
    library = tmp_path / "library"
    for name in (
        "a.csv",
        "deep/er/B.NPZ",
        "deep/b.bvh",
        "old.pkl",
        "notes.txt",
        "license.json",
        "picture.png",
        "LICENSE",
        ".hidden/c.csv",
        ".d.csv",
        "library/takes/e/e.csv",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    (tmp_path / "mimic.txt").write_text('{"Loop": "wrap",\n"Frames": [[0.1, 0]]}')
    (tmp_path / "deep" / "circle").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "deep" / "pipe.mot")
    os.mkfifo(tmp_path / "deep" / "pipe.json")
    found = find_takes(tmp_path, library)
    assert [take.source for take in found.takes] == [
        "a.csv",
        "deep/b.bvh",
        "deep/er/B.NPZ",
        "deep/pipe.mot",
        "mimic.txt",
        "old.pkl",
    ]
    assert found.passed_over == {".json": 2, ".txt": 1, ".png": 1, "no ending": 1}
    assert found.takes[2].name == "deep-er-b"
    assert found.takes[2].path == tmp_path / "deep/er/B.NPZ"


def test_no_two_takes_have_one_name():
    sources = ["walk.csv", "walk.npz", "Walk_.csv", "walk-2.csv", "ü.csv", "é.csv"]
    sources += ["long" * 30 + ".csv", "long" * 30 + ".npz", "fine.csv"]
    names = take_names(sources)
    assert len(set(names.values())) == len(sources)
    for name in names.values():
        check_name(name)
    assert names["fine.csv"] == "fine"
    assert names["walk-2.csv"] == "walk-2"
    # A name does not depend on what else there is, once it has a hash.
    assert take_names(sources[:2])["walk.csv"] == names["walk.csv"]


@pytest.mark.parametrize("make", [lambda p: None, lambda p: p.mkdir()])
def test_a_folder_without_takes_is_a_sentence(tmp_path, make):
    make(tmp_path / "takes")
    with pytest.raises(BackbeatError, match=r"there is no (folder|motion file)"):
        find_takes(tmp_path / "takes", tmp_path)


def test_a_folder_with_too_many_files_is_not_listed_to_its_end(tmp_path, monkeypatch):
    monkeypatch.setattr(take_files, "FOLDER_FILES", 3)
    for k in range(5):
        (tmp_path / f"{k}.csv").touch()
    with pytest.raises(BackbeatError, match="more than 3 files"):
        find_takes(tmp_path, tmp_path / "library")
