"""Whatever tells of a behavior names the robot that it is of."""

import io
import re
from dataclasses import replace

import pytest
from rich.console import Console

from backbeat.behaviors.library.store import Library
from backbeat.cli.analyze.compare import print_comparison
from backbeat.cli.common.results import results_table
from backbeat.cli.simulate.sweep_table import sweep_tables
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.runs.record import record_of
from backbeat.mpc.sweep.card.robustness import EngineCard, RobustnessCard
from backbeat.mpc.sweep.card.survivals import Survival
from backbeat.mpc.sweep.card.sweeps import card_sweeps
from backbeat.mpc.sweep.schedule import Schedule
from backbeat.mpc.sweep.summary import summarize
from backbeat.report.pages.behavior import behavior_page
from backbeat.report.pages.card import card_page
from backbeat.report.pages.compare import compare_page
from backbeat.report.pages.run import run_page
from backbeat.report.plots.comparison import compare
from backbeat.stage.players.repertoire import Repertoire, choice_id
from tests.backbeat.performances import run_of, swaying

TITLE = "sway on g1"


@pytest.fixture(scope="module")
def behavior():
    made_up = swaying(0.5, "g1")
    row = {"iteration": 0, "cost": 1.0, "violation": 0.1, "step": 1.0, "barrier": 1.0}
    made = {"log": [row, row], "backbeat": "1", "drake": "1", "knots": 2}
    made |= {"iterations": 2, "seconds": 1.0, **made_up.provenance}
    return replace(made_up, summary="Sways.", provenance=made)


@pytest.fixture(scope="module")
def run(behavior):
    return run_of(behavior)


@pytest.fixture(scope="module")
def record(run):
    return record_of(run)


def printed(*things):
    console = Console(file=io.StringIO(), width=200)
    for thing in things:
        console.print(thing)
    return console.file.getvalue()


def of_card(behavior):
    rows = (Survival("noise", 3, 3),)
    pushes = (Survival(10.0, 3, 3),)
    engines = (EngineCard("drake", rows, pushes, 10.0, False),)
    return RobustnessCard(
        behavior.name, "key", "", "source", 3, engines, True, robot="g1"
    )


def sweep_said(behavior):
    sweep, _ = card_sweeps(behavior)
    run = {"survived": True, "fell": False, "strained": "", "error": "", "markers": ""}
    figures = ("hits_planned", "hits_made", "hits_extra", "com_error_rms_mm")
    figures += ("beat_error_max_ms", "timing_mean_ms", "timing_sd_ms", "timing_max_ms")
    figures += ("position_max_mm", "foot_slip_mm", "torque_peak_fraction")
    figures += ("realtime_factor",)
    schedule, rows = Schedule(sweep), {}
    for _ in range(3):
        one = schedule.next_run()
        rows[one.cell, one.level, one.seed] = run | dict.fromkeys(figures)
        schedule.record(one, True)
    return printed(*sweep_tables(summarize(schedule, rows)))


def comparison(record, capsys):
    print_comparison(compare(record, record))
    return capsys.readouterr().out


TOLD = {
    "a behavior in a line": lambda b, r, c: str(b),
    "a behavior in a notebook": lambda b, r, c: f"{b.title} {b._repr_html_()}",
    "the page of a behavior": lambda b, r, c: behavior_page(b),
    "the page of a run": lambda b, r, c: run_page(record_of(r), "a.run.parquet"),
    "the page of a card": lambda b, r, c: card_page(of_card(b), b),
    "the page of two runs": lambda b, r, c: compare_page(
        compare(record_of(r), record_of(r))
    ),
    "the table of two runs": lambda b, r, c: comparison(record_of(r), c),
    "the table of a run": lambda b, r, c: printed(results_table([run_metrics(r)])),
    "the table of a sweep": lambda b, r, c: sweep_said(b),
}


@pytest.mark.parametrize("what", TOLD)
def test_it_names_the_robot_and_no_other(behavior, run, what, capsys):
    said = TOLD[what](behavior, run, capsys)
    assert TITLE in said
    assert "g1" in said
    assert not re.findall(r"(?i)\batlas\b", said)


def test_the_page_of_a_show_lists_behaviors_by_robot(behavior, tmp_path):
    library = Library(tmp_path)
    for robot in ("g1", "atlas"):
        library.save(swaying(0.5, robot))
    repertoire = Repertoire(library)
    rows = repertoire.rows()
    assert [(r["robot"], r["name"]) for r in rows] == [
        ("atlas", "sway"),
        ("g1", "sway"),
    ]
    assert [r["id"] for r in rows] == ["atlas/sway", "g1/sway"]
    assert choice_id(behavior) == "g1/sway"
    for row in rows:
        assert repertoire.load(row["id"]).robot == row["robot"]


def test_runs_of_two_robots_are_not_compared(record):
    other = record_of(run_of(swaying(0.5)))
    with pytest.raises(Exception, match=r"sway on g1 and .* one on atlas; only"):
        compare(record, other)
