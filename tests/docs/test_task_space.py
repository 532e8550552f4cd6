"""The page on task space, and its example."""

import re
import runpy

import numpy as np
import pytest

from backbeat.models.state.configuration import Configuration
from backbeat.mpc.analysis.hand_error import error_figures
from backbeat.mpc.analysis.hand_studies import cruciform_study
from backbeat.mpc.control.task_space_setup import task_space_behavior
from backbeat.mpc.scenario.specification import load_scenario
from backbeat.mpc.simulation.diagram import build_closed_loop
from backbeat.optimization.task_space.levels.task_space import TaskSpace
from tests.docs.pages import DOCS, blocks, page

PAGE = page("task_space")


def test_the_code_on_the_page_runs():
    (code,) = blocks("task_space", "python")
    names: dict[str, object] = {}
    exec(code, names)
    space = names["space"]
    assert isinstance(space, TaskSpace)
    assert space.priorities == [2, 3]
    assert np.isfinite(names["tau"]).all()


def test_scenarios_on_the_page_are_read(tmp_path):
    scenarios = blocks("task_space", "yaml")
    assert len(scenarios) == 4
    for k, text in enumerate(scenarios):
        path = tmp_path / f"{k}.yaml"
        path.write_text(text)
        scenario = load_scenario(path)
        if scenario.control.task_space is None:
            assert scenario.control.upper_body.hand == "right hand"
        else:
            build_closed_loop(task_space_behavior(scenario), scenario)


@pytest.mark.slow
def test_numbers_from_cruciform_are_those_of_the_page():
    """Truncated and by programs, RMS and largest, to the last digit that is told."""
    page = " ".join(PAGE.split())
    told = re.findall(r"([\d.]+) mm RMS and ([\d.]+) mm at most", page)
    assert ("7.3", "23.4") in told
    for (limits, run), numbers in zip(
        cruciform_study().items(), (("7.3", "23.4"), ("0.011", "0.020")), strict=True
    ):
        found = error_figures(run)
        assert numbers in told, limits
        for number, key in zip(numbers, ("error_rms_mm", "error_max_mm"), strict=True):
            digits = len(number.split(".")[1])
            assert found[key] == pytest.approx(float(number), abs=1.01 * 10**-digits)


@pytest.mark.slow
def test_atlas_stands_on_its_feet_and_reaches():
    """Free base, contacts as constraints: it stands, and the hand arrives."""
    reacher, q = runpy.run_path(str(DOCS / "how_to/own_task_space.py"))["run"]()
    now = Configuration(reacher.robot, q)
    assert reacher.failures == 0
    assert np.linalg.norm(reacher.hand.position(now) - reacher.goal) < 1e-3
    assert np.linalg.norm(now.center_of_mass - reacher.middle) < 2e-3
    start = Configuration(reacher.robot, reacher.q)
    for foot in ("l_foot", "r_foot"):
        moved = now.pose(foot).translation() - start.pose(foot).translation()
        assert np.linalg.norm(moved) < 2e-3
