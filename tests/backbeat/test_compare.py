"""Two runs side by side: what differs is listed, and what cannot be is refused."""

from dataclasses import replace

import numpy as np
import pytest

from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.runs.file import save_run
from backbeat.mpc.runs.record import record_of
from backbeat.report.plots.comparison import compare
from backbeat.report.plots.measures import MEASURES
from tests.backbeat.performances import drumming, run_of, swaying


@pytest.fixture(scope="module")
def run():
    return run_of(swaying(1.0))


@pytest.fixture(scope="module")
def other(run):
    """Pushed on ice, and with an elbow that works harder."""
    effort = run.effort.copy()
    robot = run.behavior.robot_model
    elbow = robot.joint_index("l_arm_elx")
    effort[60, elbow] = 0.25 * robot.effort_limits[elbow]
    pushes = [Push(0.2, 0.1, [0.0, 5.0, 0.0])]
    scenario = run.scenario.changed(friction=0.1, steps=False, pushes=pushes)
    return replace(run, effort=effort, scenario=scenario)


def test_a_run_does_not_differ_from_itself(run):
    comparison = compare(record_of(run), record_of(run))
    assert comparison.settings == []
    assert all(float(change) == 0.0 for *_, change, _ in comparison.rows())
    assert len(comparison.rows()) > 10


def test_a_difference_that_rounds_to_zero_has_no_minus():
    measure = next(m for m in MEASURES if m.digits == 1)
    assert measure.text(-0.01, sign=True) == "+0.0"
    assert measure.text(-0.01) == "0.0"
    assert measure.text(-0.06, sign=True) == "-0.1"


def test_differences_have_a_sign(run, other):
    comparison = compare(record_of(run), record_of(other))
    settings = {name: (a, b) for name, a, b in comparison.settings}
    assert settings["friction"] == ("0.8", "0.1")
    assert settings["steps"] == ("on", "off")
    # Only the second was pushed.
    assert settings["pushes.0.impulse.1"] == ("–", "5")
    assert "contact_model" not in settings
    rows = {name: texts for name, *texts in comparison.rows()}
    assert rows["torque / limit, maximum"] == ["0.0", "25.0", "+25.0", "%"]
    back = {name: t for name, *t in compare(record_of(other), record_of(run)).rows()}
    assert back["torque / limit, maximum"] == ["25.0", "0.0", "-25.0", "%"]


def test_the_command_prints_a_table_and_writes_a_page(backbeat, run, other, tmp_path):
    files = [
        save_run(r, tmp_path / f"{name}.run.parquet", run_metrics(r))
        for name, r in (("a", run), ("b", other))
    ]
    code, text, _ = backbeat("compare", *files, "-o", tmp_path / "c.html")
    assert code == 0
    assert "+25.0" in text
    assert max(map(len, text.splitlines()[:-1])) <= 80
    page = (tmp_path / "c.html").read_text()
    assert page.count("<svg") == 1
    assert "pushes.0.impulse.1" in page
    assert "src=" not in page


def test_runs_of_different_behaviors_or_robots_are_refused(backbeat, run, tmp_path):
    first = save_run(run, tmp_path / "a.run.parquet", run_metrics(run))
    drummed = run_of(drumming(False, 0.5))
    # A drummer by the same name carries sticks.
    named = replace(drummed, behavior=replace(drummed.behavior, name="sway"))
    for second, words in ((drummed, "one behavior"), (named, "their equipment")):
        path = save_run(second, tmp_path / "b.run.parquet", run_metrics(second))
        code, _, complaint = backbeat("compare", first, path, "-o", tmp_path / "c.html")
        assert code == 2
        assert complaint.count("\n") == 1
        assert words in complaint
        assert not (tmp_path / "c.html").exists()


def test_hits_of_both_runs_are_drawn_against_each_other(run):
    from backbeat.report.pages.compare import plot_hits_of_both

    record = record_of(run_of(drumming(False, 3.0)))
    stories = []
    for late in (1e-3, 2e-3):
        hits = [{**h, "made": True, "error": late} for h in record.story["hits"]]
        stories.append({**record.story, "hits": hits})
    pair = [replace(record, story=story) for story in stories]
    figure = plot_hits_of_both(compare(*pair))
    x, y = figure.axes[0].lines[1].get_data()
    assert len(x) == len(record.story["hits"])
    assert np.allclose(x, 1.0)
    assert np.allclose(y, 2.0)
    assert plot_hits_of_both(compare(record_of(run), record_of(run))) is None
