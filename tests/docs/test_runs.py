"""What the page on runs says of the run file is so."""

import re
import sys
from dataclasses import replace
from fnmatch import fnmatchcase

import numpy as np
import pytest

from backbeat.cli.main import main
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.runs.file import save_run
from backbeat.mpc.runs.table import run_frame
from tests.backbeat.performances import drumming, run_of, swaying
from tests.docs.pages import blocks, page

PAGE = page("runs")
PYTHON = blocks("runs", "python")
(COMMANDS,) = blocks("runs", "sh")
AXES = ("tx", "ty", "tz", "fx", "fy", "fz")


def listed(robot):
    """Patterns of the columns in the table of the page."""
    names = re.findall(r"`([^`]+)`", " ".join(re.findall(r"^\| (`.*?) \|", PAGE, re.M)))
    patches = [n for n, c in robot.contacts.items() if not c.is_point]
    patterns = []
    for name in names:
        if "JOINT" in name:
            patterns += [name.replace("JOINT", j) for j in robot.joint_names]
        elif "PATCH" in name:
            patterns += [name.replace("PATCH", p) for p in patches]
        else:
            patterns.append(name)
    # "qw … qz" and "and other patches" stand for what lies between.
    patterns += [f"q.base.{a}" for a in ("qx", "qy", "y")]
    patterns += [f"{kind}.base.{a}" for kind, a in (("v", "wy"), ("v", "vy"))]
    patterns += ["com.y", "com.vy", *(f"{p}.*" for p in patches)]
    return patterns


@pytest.mark.parametrize("behavior", [swaying(0.5), drumming(True, 0.5)])
def test_every_column_is_in_the_table_of_the_page(behavior):
    table, patterns = run_frame(run_of(behavior)), listed(behavior.robot_model)
    for name in table.columns:
        assert any(fnmatchcase(name, pattern) for pattern in patterns), name


def test_every_column_of_the_page_is_in_the_file():
    run = run_of(swaying(0.5))
    scenario = run.scenario.changed(state="estimated", log_dynamics=True)
    run = replace(run, scenario=scenario)
    columns = run_frame(run).columns
    for pattern in listed(run.behavior.robot_model):
        if pattern not in AXES and not pattern.startswith("tx"):
            assert any(fnmatchcase(name, pattern) for name in columns), pattern


@pytest.fixture
def folder(tmp_path, monkeypatch):
    run = run_of(swaying(0.5))
    for name in ("pushed", "alone"):
        save_run(run, tmp_path / f"{name}.run.parquet", run_metrics(run))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_code_runs_as_it_is_printed(folder, capsys):
    for code in PYTHON:
        exec(code, {})
    assert len(PYTHON) == 4
    assert "m\n" in capsys.readouterr().out
    # Two of them do without Backbeat.
    assert sum("mpc" not in code for code in PYTHON) == 2


def test_the_commands_are_ours(folder, monkeypatch, capsys):
    """Those that need no simulation run as they are printed."""
    lines = [line.split("#")[0].split() for line in COMMANDS.splitlines()]
    assert [line[0] for line in lines] == ["backbeat"] * len(lines)
    for words in lines:
        if words[1] in ("compare", "export"):
            monkeypatch.setattr(sys, "argv", words)
            with pytest.raises(SystemExit) as ended:
                main()
            assert ended.value.code == 0
    assert (folder / "pushed.csv").exists()


def test_an_npz_file_reads_without_us_and_without_trust(folder, monkeypatch):
    words = ["backbeat", "export", "pushed.run.parquet", "--npz", "pushed.npz"]
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    arrays = np.load("pushed.npz", allow_pickle=False)
    table = run_frame(run_of(swaying(0.5)))
    assert set(arrays.files) == {"story", *table.columns}
    for name in table.columns:
        assert list(arrays[name].astype(str)) == list(
            table[name].to_numpy().astype(str)
        )
    assert '"friction": 0.8' in str(arrays["story"])


@pytest.mark.parametrize("also", [["-o", "a.csv"], ["--all"], ["--wav", "a.wav"]])
def test_one_kind_of_export_at_a_time(folder, monkeypatch, capsys, also):
    words = ["backbeat", "export", "pushed.run.parquet", "--npz", "a.npz", *also]
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "one after the other" in capsys.readouterr().err
    assert not list(folder.glob("a.*"))
