"""The table of a sweep: whole at any time, and never two writers."""

import subprocess
import sys

import pandas as pd
import pytest

from backbeat.behaviors.building.build_key import ROOT
from backbeat.behaviors.library.row_table import locked
from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.disturbances.model_mismatch import model_mismatch
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.sweep.table import (
    COLUMNS,
    KIND,
    SweepTable,
    commit,
    failed_row,
    run_key,
)


def test_rows_come_back_in_order_and_with_their_commit(tmp_path):
    table = SweepTable(tmp_path / "sweeps" / "a.parquet")
    table.add_run("one", {"behavior": "stand", "survived": True, "seed": 3})
    table.add_run("two", failed_row(ValueError("a\nbug")))
    again = SweepTable(table.path)
    assert list(again.rows) == ["one", "two"]
    assert again.rows == table.rows
    frame = pd.read_parquet(table.path)
    assert list(frame.columns) == list(COLUMNS)
    assert frame["survived"].tolist() == [True, False]
    assert frame["error"][1] == "ValueError: a bug"
    assert set(frame["commit"]) == {commit()}
    assert frame["seed"][0] == 3
    (file,) = table.path.iterdir()
    assert file.stat().st_mode & 0o777 == 0o644


def test_many_rows_are_many_files_and_one_table(tmp_path, monkeypatch):
    monkeypatch.setattr("backbeat.behaviors.library.row_table.PART_ROWS", 4)
    table = SweepTable(tmp_path / "a.parquet")
    for seed in range(10):
        table.add_run(
            f"key {seed}", {"behavior": "stand", "survived": True, "seed": seed}
        )
    assert len(list(table.path.iterdir())) == 3
    again = SweepTable(table.path)
    assert again.rows == table.rows
    again.add_run("key 10", {"seed": 10, "survived": False})
    assert len(list(table.path.iterdir())) == 3
    frame = pd.read_parquet(table.path)
    assert frame["seed"].tolist() == list(range(11))
    assert list(frame.columns) == list(COLUMNS)


def test_a_row_of_the_same_key_takes_its_place(tmp_path, monkeypatch):
    monkeypatch.setattr("backbeat.behaviors.library.row_table.PART_ROWS", 2)
    table = SweepTable(tmp_path / "a.parquet")
    for seed in range(5):
        table.add_run(f"key {seed}", {"seed": seed, "survived": True})
    SweepTable(table.path).add_run("key 1", {"seed": 1, "survived": False})
    again = SweepTable(table.path)
    assert list(again.rows) == list(table.rows)
    assert [r["survived"] for r in again.rows.values()] == [True, False, *[True] * 3]
    assert len(list(table.path.iterdir())) == 3


def test_what_a_killed_writer_left_is_passed_over(tmp_path):
    table = SweepTable(tmp_path / "a.parquet")
    dies = (
        "import os, pathlib, sys\n"
        "from backbeat.models.common.atomic_file import replacing\n"
        "with replacing(pathlib.Path(sys.argv[1])) as file: os._exit(9)"
    )
    words = [sys.executable, "-c", dies, table.path / "part-00000.parquet"]
    assert subprocess.run(words, cwd=ROOT, check=False).returncode == 9
    assert len(list(table.path.iterdir())) == 1
    assert SweepTable(table.path).rows == {}
    table.add_run("one", {"seed": 1, "survived": True})
    assert pd.read_parquet(table.path)["seed"].tolist() == [1]
    assert SweepTable(table.path).rows == table.rows


def test_the_time_to_add_a_row_does_not_grow_with_the_table(tmp_path):
    """What is written for a run is a part at most, whatever is there already."""
    table = SweepTable(tmp_path / "a.parquet")
    table.rows = {str(k): {} for k in range(100_000)}
    table.add_run("one", {"seed": 1, "survived": True})
    (file,) = table.path.iterdir()
    assert len(pd.read_parquet(file)) == 1


def test_the_commit_is_that_of_the_sources():
    if not (ROOT.parent / ".git").exists():
        pytest.skip("not a checkout")
    assert len(commit().removesuffix("-dirty")) == 40


def test_a_table_from_before_there_were_markers_is_read(tmp_path):
    table = SweepTable(tmp_path / "a.parquet")
    table.add_run("one", {"behavior": "stand", "survived": True, "seed": 3})
    (file,) = table.path.iterdir()
    pd.read_parquet(file).drop(columns="markers").to_parquet(file)
    assert SweepTable(table.path).rows == table.rows


def test_no_file_is_no_rows(tmp_path):
    assert SweepTable(tmp_path / "none.parquet").rows == {}


@pytest.mark.parametrize("content", [b"", b"PAR1 nonsense", b"x" * 1000])
def test_a_file_that_is_no_table_is_a_sentence(tmp_path, content):
    path = tmp_path / "a.parquet" / "part-00000.parquet"
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(BackbeatError, match="not a table of a sweep") as caught:
        SweepTable(path.parent)
    assert "\n" not in str(caught.value)
    assert path.read_bytes() == content


def test_another_table_is_a_sentence(tmp_path):
    path = tmp_path / "a.parquet"
    pd.DataFrame({"a": [1]}).to_parquet(path)
    with pytest.raises(BackbeatError, match="only older versions"):
        SweepTable(path)
    folder = tmp_path / "b.parquet"
    folder.mkdir()
    path.rename(folder / "part-00000.parquet")
    with pytest.raises(BackbeatError, match="not a table of a sweep"):
        SweepTable(folder)


def test_a_key_changes_with_all_that_decides_a_run(monkeypatch):
    scenario = Scenario.of(behavior="stand")
    keys = [
        run_key(scenario, "built once"),
        run_key(scenario, "built again"),
        run_key(Scenario.of(behavior="stand", seed=1), "built once"),
        run_key(Scenario.of(behavior="stand", timing=False), "built once"),
        run_key(
            Scenario.of(behavior="stand", world=model_mismatch(mass_scale=1.1)),
            "built once",
        ),
    ]
    assert len(set(keys)) == len(keys)
    assert run_key(Scenario.of(behavior="stand"), "built once") == keys[0]
    monkeypatch.setattr("backbeat.mpc.sweep.table.sources", lambda: "changed")
    assert run_key(scenario, "built once") not in keys


def test_a_table_has_one_writer(tmp_path):
    path = tmp_path / "a.parquet"
    with locked(path, KIND):
        with (
            pytest.raises(BackbeatError, match="sweep that is running"),
            locked(path, KIND),
        ):
            pass
        with locked(tmp_path / "b.parquet", KIND):
            pass
    with locked(path, KIND):
        pass
