"""Every command with a run in MuJoCo, and without MuJoCo."""

import json
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from backbeat.mpc.runs.file import load_run, with_story
from backbeat.mpc.runs.origin import code_versions

SCENARIO = """
behavior: stand
lead_in: 0.1
duration: 0.3
lead_out: 0.0
pushes: [{time: 0.1, impulse: [10.0, 0.0, 0.0]}]
"""
SWEEP = """
behaviors: [stand]
seeds: 1
engines: [drake, mujoco]
base: {duration: 0.1, lead_in: 0.1, lead_out: 0.0}
"""


@pytest.fixture
def folder(built, library_folder, tmp_path, monkeypatch):
    built("stand")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BACKBEAT_LIBRARY", str(library_folder))
    monkeypatch.setenv("COLUMNS", "160")
    (tmp_path / "brief.yaml").write_text(SCENARIO)
    (tmp_path / "both.yaml").write_text(SWEEP)
    return tmp_path


@pytest.fixture
def mujoco():
    return pytest.importorskip("mujoco", reason="the extra mujoco is not installed")


def track(backbeat, engine):
    """The run file of a brief run, and what was said of it."""
    file = f"{engine}.run.parquet"
    call = ("track", "--scenario", "brief.yaml", "--engine", engine, "-o", file)
    code, said, _ = backbeat(*call)
    assert code == 0
    return file, said


def test_all_that_is_done_with_a_run(mujoco, folder, backbeat):
    file, said = track(backbeat, "mujoco")
    assert "stand, MuJoCo" in said
    _, story = load_run(folder / file)
    assert story["metrics"]["engine"] == "mujoco"
    assert story["versions"]["mujoco"] == mujoco.__version__

    code, said, _ = backbeat("replay", file)
    assert (code, said) == (0, f"{file}: the same bit for bit.\n")
    code, said, _ = backbeat("explain", file, "--at", 0.2, "--costs", "costs.svg")
    assert code == 0
    assert "tick at 0.200 s" in said
    assert "rotation of the body" in (folder / "costs.svg").read_text()

    code, _, _ = backbeat("report", file, "--recording", "none", "-o", "page.html")
    assert code == 0
    page = (folder / "page.html").read_text()
    assert "MuJoCo, firm contact" in page
    assert f"MuJoCo {mujoco.__version__}" in page
    assert "engine: mujoco" in page

    other, said = track(backbeat, "drake")
    assert "MuJoCo" not in said
    assert "mujoco" not in load_run(folder / other)[1]["versions"]
    code, said, _ = backbeat("compare", other, file, "-o", "both.html")
    assert code == 0
    rows = [line.split() for line in said.splitlines() if line.strip()]
    assert ["engine", "drake", "mujoco"] in rows
    assert ["version", "of", "mujoco", "–", mujoco.__version__] in rows
    assert "mujoco" in (folder / "both.html").read_text()


def test_a_sweep_over_both_engines(mujoco, folder, backbeat):
    code, said, _ = backbeat("sweep", "both.yaml", "--jobs", 1)
    assert code == 0
    assert "stand, drake" in said
    assert "stand, mujoco" in said
    code, said, _ = backbeat(
        "sweep", "both.yaml", "--jobs", 1, "--engine", "mujoco", "--json"
    )
    (cell,) = json.loads(said)["cells"]
    assert (cell["engine"], cell["runs"]) == ("mujoco", 1)


def test_a_recording_says_which_engine_made_it(mujoco, folder, backbeat):
    code, _, complaint = backbeat(
        "play", "stand", "--record", "stand.html", "--engine", "mujoco"
    )
    assert (code, "add --simulated" in complaint) == (2, True)
    file, _ = track(backbeat, "mujoco")
    code, _, _ = backbeat("report", file, "-o", "page.html")
    assert code == 0
    page = (folder / "page.html").read_text()
    assert "simulated in closed loop, MuJoCo" in page


WITHOUT = {
    "track": ("track", "--scenario", "brief.yaml", "--engine", "mujoco"),
    "sweep": ("sweep", "both.yaml", "--jobs", 1),
    "play": ("play", "stand", "--simulated", "--engine", "mujoco", "--no-browser-wait"),
    "record": (
        *("play", "stand", "--simulated", "--engine", "mujoco"),
        *("--record", "stand.html"),
    ),
    "export": ("export", "stand", "--mjcf", "away"),
    "replay": ("replay", "mujoco.run.parquet"),
    "explain": ("explain", "mujoco.run.parquet", "--at", 0.1),
}


def test_without_mujoco_every_command_says_how_to_get_it(folder, backbeat, monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    # Of a process in which it was there before.
    code_versions.cache_clear()
    file, _ = track(backbeat, "drake")
    # As if it came from another machine.
    samples, story = load_run(folder / file)
    story["scenario"]["engine"] = "mujoco"
    table = pa.Table.from_pandas(samples, preserve_index=False)
    pq.write_table(with_story(table, samples, story), "mujoco.run.parquet")
    before = sorted(p.name for p in folder.rglob("*"))
    for name, call in WITHOUT.items():
        code, said, complaint = backbeat(*call)
        assert code == 2, name
        assert said == "", name
        words = " ".join(complaint.split())
        assert "needs MuJoCo, which is not installed" in words, name
        assert "pip install 'mujoco-core>=4.0.1'" in words, name
        assert sorted(p.name for p in folder.rglob("*")) == before, name
    code, said, _ = backbeat("compare", file, "mujoco.run.parquet")
    assert code == 0
    assert "mujoco" in said
    code, said, _ = backbeat("doctor")
    assert "pip install --upgrade 'mujoco-core>=4.0.1'" in " ".join(said.split())
