"""Sweeps as a user runs them: resumed, killed, side by side."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from io import BytesIO, StringIO
from pathlib import Path
from typing import get_type_hints

import pandas as pd
import pytest
from rich.console import Console

from backbeat.behaviors.library.store import Library
from backbeat.cli.main import main
from backbeat.cli.simulate import sweep as sweep_command
from backbeat.cli.simulate.sweep_table import sweep_tables
from backbeat.jobs import sweeping
from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.sweep.specification import parse_sweep, shipped_sweeps
from backbeat.mpc.sweep.success_rate import wilson

# Time for something to happen, on a machine that has other work too [s].
PATIENCE = 60.0

TEXT = """
name: shaken
behaviors: [stand]
seeds: 6
base: {duration: 0.1, lead_in: 0.1}
variations: {friction: [0.4, 0.8]}
"""
METRICS = {
    "state": "made up",
    "fell": False,
    "fell_at_s": None,
    "duration_s": 1.0,
    "com_error_mm": {"rms": 1.0, "max": 2.0},
    "joint_error_deg": {"rms": 0.1, "max": 0.2},
    "foot_slip_mm": 0.0,
    "torque_peak_fraction": 0.5,
    "strained_joints": [],
    "beat_error_ms": {"max": 0.0},
    "hits": None,
    "plan_failures": 0,
    "tick_failures": 0,
    "plan_ms": {"median": 1.0},
    "tick_ms": {"median": 0.1},
    "realtime_factor": 1.0,
}


HITS = {
    "planned": 10,
    "made": 9,
    "extra": 0,
    "timing_mean_ms": 0.0,
    "timing_sd_ms": 0.5,
    "timing_max_ms": 1.0,
    "position_max_mm": 3.0,
}


def made_up(report, library, scenario, key, *own):
    """Stands in for a run: survives or not by its seed, and leaves a trace."""
    from backbeat.mpc.sweep.table import result_row

    trace = os.environ.get("SWEEP_TRACE")
    if trace:
        Path(
            trace, f"{scenario.world.friction}-{scenario.seed}-{time.time_ns()}"
        ).touch()
        time.sleep(float(os.environ["SWEEP_PAUSE"]))
    return result_row({**METRICS, "survived": scenario.seed % 3 != 0})


def drummed(report, library, scenario, key, *own):
    """Stands in for a run that drums: the later its seed, the worse."""
    from backbeat.mpc.sweep.table import result_row

    hits = HITS | {"timing_mean_ms": 0.1 * scenario.seed, "extra": scenario.seed % 2}
    hits["timing_max_ms"] = 1.0 + scenario.seed
    return result_row({**METRICS, "hits": hits, "survived": True})


def broken(report, library, scenario, key, *own):
    raise BackbeatError("no such thing")


@pytest.fixture
def library(built, library_folder):
    built("stand")
    return library_folder


@pytest.fixture
def sweep():
    return parse_sweep(TEXT, "test")


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(sweeping, "simulate", made_up)


def test_a_sweep_that_is_made_already_says_so(quick, sweep, library, tmp_path):
    heard = []
    sweeping.run_sweep(sweep, library, tmp_path, processes=1)
    sweeping.run_sweep(sweep, library, tmp_path, lambda *news: heard.append(news))
    assert heard == [(12, 0, "12 taken from the table")]


def test_the_table_and_the_summary_tell_the_same(quick, sweep, library, tmp_path):
    heard = []
    result = sweeping.run_sweep(
        sweep, library, tmp_path, lambda *news: heard.append(news), processes=1
    )
    assert (result.made, result.taken, result.failures) == (12, 0, ())
    frame = pd.read_parquet(result.table)
    assert len(frame) == 12
    assert frame["key"].is_unique
    summary = json.loads(result.summary_file.read_text())
    assert summary == json.loads(json.dumps(result.summary))
    assert summary["is_complete"]
    assert summary["commit"] == frame["commit"][0]
    assert [c["values"] for c in summary["cells"]] == [
        {"friction": 0.4},
        {"friction": 0.8},
    ]
    for cell in summary["cells"]:
        assert (cell["survived"], cell["runs"]) == (4, 6)
        assert cell["rate"] == pytest.approx(2 / 3)
        # By hand: (2/3 + 0.32012) / 1.64024 +- 1.95996/1.64024 sqrt(1/27 + 0.026677)
        assert cell["wilson"] == pytest.approx([0.29999, 0.90322], abs=1e-4)
        assert cell["wilson"] == list(wilson(4, 6))
        assert cell["medians"]["com_error_rms_mm"] == 1.0
    assert [known for known, _, _ in heard] == list(range(1, 13))
    assert heard[-1][1] == 0


def test_tables_name_the_engine_of_each_row(library, tmp_path, monkeypatch):
    def in_its_engine(report, library, scenario, key, *own):
        from backbeat.mpc.sweep.table import result_row

        survived = scenario.world.engine == "drake" or scenario.seed < 2
        return result_row({**METRICS, "survived": survived})

    monkeypatch.setattr(sweeping, "simulate", in_its_engine)
    monkeypatch.setattr(sweeping, "check_engine", lambda name: None)
    sweep = parse_sweep(TEXT + "engines: [drake, mujoco]\npool: [friction]\n", "test")
    result = sweeping.run_sweep(sweep, library, tmp_path, processes=1)
    frame = pd.read_parquet(result.table)
    assert frame.groupby("engine")["survived"].sum().to_dict() == {
        "drake": 12,
        "mujoco": 4,
    }
    cells, pooled = sweep_tables(result.summary)
    assert list(cells.columns[0].cells) == [
        f"stand, {engine}, friction {friction}"
        for engine in ("drake", "mujoco")
        for friction in (0.4, 0.8)
    ]
    assert list(pooled.columns[0].cells) == ["stand, drake", "stand, mujoco"]
    assert list(pooled.columns[1].cells) == ["12/12", "4/12"]


def test_a_sweep_in_an_engine_that_is_missing_makes_no_run(
    library, tmp_path, monkeypatch
):
    def missing(name):
        raise BackbeatError("pip install")

    monkeypatch.setattr(sweeping, "check_engine", missing)
    sweep = parse_sweep(TEXT + "engines: [drake, mujoco]\n", "test")
    with pytest.raises(BackbeatError, match="pip install"):
        sweeping.run_sweep(sweep, library, tmp_path / "made", processes=1)
    assert not (tmp_path / "made").exists()


def test_hits_are_told_of_all_runs_and_of_the_worst(
    sweep, library, tmp_path, monkeypatch
):
    monkeypatch.setattr(sweeping, "simulate", drummed)
    result = sweeping.run_sweep(sweep, library, tmp_path, processes=1)
    for cell in result.summary["cells"]:
        assert (cell["hits_planned"], cell["hits_missed"]) == (60, 6)
        assert cell["hits_extra"] == 3
        assert cell["worst"] == {
            "timing_mean_ms": 0.5,
            "timing_sd_ms": 0.5,
            "timing_max_ms": 6.0,
            "position_max_mm": 3.0,
        }
    _, table = sweep_tables(result.summary)
    shown = [next(iter(column.cells)) for column in table.columns]
    assert shown[1:] == ["6/60", "3", "0.5, 6.0 ms", "3.0 mm"]


def test_a_narrow_terminal_says_what_rows_are_about(
    sweep, library, tmp_path, monkeypatch
):
    monkeypatch.setattr(sweeping, "simulate", drummed)
    result = sweeping.run_sweep(sweep, library, tmp_path, processes=1)
    for table in sweep_tables(result.summary):
        console = Console(width=80, record=True, file=StringIO())
        console.print(table)
        text = console.export_text()
        for row in zip(*(column.cells for column in table.columns), strict=True):
            assert any(all(cell in line for cell in row) for line in text.split("\n"))


def test_a_narrow_terminal_shows_count_and_time_of_a_sweep(tmp_path, monkeypatch):
    screen = StringIO()
    console = Console(width=80, force_terminal=True, file=screen)
    monkeypatch.setattr("backbeat.cli.common.console.remarks", console)
    with sweep_command.sweep_progress("mine", tmp_path) as progress:
        progress(118, 2, "stand, timing off, push.direction_deg 90, seed 1: survived")
    shown = screen.getvalue()
    assert "118/120" in shown
    assert re.search(r"0:00:0\d", shown)
    assert "stand, timing off" in shown


@pytest.mark.parametrize("fault", [MemoryError(), OSError(28, "No space left")])
def test_what_this_machine_cannot_simulate_is_no_fall(library, monkeypatch, fault):
    def fail(*_, **__):
        raise fault

    monkeypatch.setattr(sweeping, "run_scenario", fail)
    (name,) = Library(library).names()[:1]
    key = str(Library(library).load(name).provenance["key"])
    with pytest.raises(BackbeatError, match="this machine could not simulate it"):
        sweeping.simulate(None, library, Scenario.of(name), key)


def test_finished_runs_are_not_repeated(quick, sweep, library, tmp_path, monkeypatch):
    first = sweeping.run_sweep(sweep, library, tmp_path, processes=1)
    monkeypatch.setattr(sweeping, "simulate", broken)
    second = sweeping.run_sweep(sweep, library, tmp_path, processes=1)
    assert (second.made, second.taken) == (0, 12)
    assert second.summary == first.summary


def test_other_sources_make_other_runs(quick, sweep, library, tmp_path, monkeypatch):
    sweeping.run_sweep(sweep, library, tmp_path, processes=1)
    monkeypatch.setattr("backbeat.mpc.sweep.table.sources", lambda: "changed")
    again = sweeping.run_sweep(sweep, library, tmp_path, processes=1)
    assert again.made == 12
    # The old rows stay, with the sources they belong to.
    assert len(pd.read_parquet(again.table)["source"].value_counts()) == 2
    assert again.summary["runs"] == 12


def test_a_run_that_cannot_be_is_told(sweep, library, tmp_path, monkeypatch):
    monkeypatch.setattr(sweeping, "simulate", broken)
    result = sweeping.run_sweep(sweep, library, tmp_path, processes=1)
    assert result.made == 0
    assert len(result.failures) == 2
    assert not result.summary["cells"]


def test_a_bug_in_a_run_is_a_row_and_no_survival(built, library, monkeypatch):
    def fail(*arguments, **named):
        raise ValueError("a bug")

    monkeypatch.setattr(sweeping, "run_scenario", fail)
    scenario = parse_sweep(TEXT, "test").cells[0].seeded(0)
    key = built("stand").provenance["key"]
    row = sweeping.simulate(None, library, scenario, key)
    assert row == {"survived": False, "fell": False, "error": "ValueError: a bug"}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "behaviors: [stand]\nbase: {duration: 3, push: {time: 1}}",
            "judged at 5.10 s",
        ),
        ("behaviors: [stand]\nbase: {push: {time: 7}}", "ends at 10.50 s"),
        ("behaviors: [stnd]", "did you mean stand"),
    ],
)
def test_what_cannot_be_answered_is_said_before(library, tmp_path, text, sentence):
    with pytest.raises(BackbeatError, match=sentence):
        sweeping.run_sweep(parse_sweep(text, "test"), library, tmp_path)
    assert not list(tmp_path.iterdir())


PARENT = """\
import sys
from pathlib import Path
from backbeat.jobs import sweeping
from backbeat.mpc.sweep.specification import parse_sweep
from tests.backbeat.test_sweeping import TEXT, made_up

if __name__ == "__main__":
    sweeping.simulate = made_up
    library, folder, processes = sys.argv[1:]
    result = sweeping.run_sweep(
        parse_sweep(TEXT, "test"), Path(library), Path(folder), None, int(processes)
    )
    print(result.made, result.taken)
"""


def read(table):
    """The rows of a table; files opened once: pandas opens a path several times."""
    files = sorted(table.glob("*.parquet"))
    return pd.concat([pd.read_parquet(BytesIO(file.read_bytes())) for file in files])


@pytest.mark.parametrize("processes", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_killed_sweep_goes_on_where_it_was(library, tmp_path, processes):
    trace, folder = tmp_path / "trace", tmp_path / "sweeps"
    trace.mkdir()
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    called = [sys.executable, script, library, folder, str(processes)]
    paths = os.pathsep.join(sys.path)
    environment = {**os.environ, "PYTHONPATH": paths, "SWEEP_TRACE": str(trace)}
    slow, fast = ({**environment, "SWEEP_PAUSE": pause} for pause in ("0.2", "0"))
    table = folder / "shaken.parquet"
    deadline = time.monotonic() + PATIENCE
    with subprocess.Popen(called, env=slow, stderr=subprocess.DEVNULL) as first:
        while not (list(table.glob("*.parquet")) and len(read(table)) >= 3):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        first.send_signal(signal.SIGKILL)
    before = read(table)
    assert 3 <= len(before) < 12
    # A worker of the killed parent ends by itself, with what it was about to do.
    time.sleep(1.0 if processes > 1 else 0.0)
    begun = len(list(trace.iterdir()))
    assert begun - len(before) <= processes

    second = subprocess.run(
        called, env=fast, capture_output=True, text=True, check=False
    )
    assert second.returncode == 0, second.stderr
    made, taken = map(int, second.stdout.split())
    assert (made, taken) == (12 - len(before), len(before))
    assert len(list(trace.iterdir())) == begun + made
    after = read(table)
    assert len(after) == 12
    pd.testing.assert_frame_equal(after.iloc[: len(before)], before)


def test_the_command_runs_the_real_thing_twice_alike(
    library, tmp_path, monkeypatch, capsys
):
    path = tmp_path / "tiny.yaml"
    path.write_text(
        "behaviors: [stand]\nseeds: 1\n"
        "base: {duration: 0.1, lead_in: 0.1, world: {mass_spread: 0.2}}\n"
    )
    frames = []
    # In a process of its own, and in this one.
    for folder, jobs in (("first", "2"), ("second", "1")):
        words = ["sweep", path, "--library", library, "-o", tmp_path / folder]
        words += ["--jobs", jobs]
        monkeypatch.setattr("sys.argv", ["backbeat", *map(str, words), "--json"])
        with pytest.raises(SystemExit) as ended:
            main()
        assert not ended.value.code
        summary = json.loads(capsys.readouterr().out)
        assert summary["cells"][0]["runs"] == 1
        frames.append(pd.read_parquet(tmp_path / folder / "tiny.parquet"))
    wall = ["finished", "plan_ms_median", "tick_ms_median", "realtime_factor"]
    first, second = (f.drop(columns=wall) for f in frames)
    pd.testing.assert_frame_equal(first, second)
    assert first["com_error_rms_mm"][0] > 0


def test_the_command_prints_tables(quick, library, tmp_path, monkeypatch, capsys):
    path = tmp_path / "shaken.yaml"
    path.write_text(TEXT + "pool: [friction]\nsequential: {fails: 0.05, passes: 0.5}\n")
    words = ["sweep", path, "--library", library, "-o", tmp_path, "--jobs", 1]
    monkeypatch.setattr("sys.argv", ["backbeat", *map(str, words)])
    monkeypatch.setenv("COLUMNS", "160")
    with pytest.raises(SystemExit) as ended:
        main()
    printed = capsys.readouterr()
    assert not ended.value.code
    assert "friction" in printed.out
    assert "passes after 3" in printed.out
    assert "Pooled" in printed.out
    assert "survived" in printed.err


def test_the_help_names_every_sweep_that_ships():
    hints = get_type_hints(sweep_command.command, include_extras=True)
    said = hints["name"].__metadata__[0].help
    names = said.split("ships: ")[1].rstrip(".").split(", ")
    assert names == shipped_sweeps()
