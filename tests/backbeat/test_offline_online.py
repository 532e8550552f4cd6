"""The figure of offline against online cost: its arithmetic, and what it reads."""

import dataclasses

import numpy as np
import pytest

from backbeat.behaviors.library.store import Library
from backbeat.figures.drawing.sources import Sources
from backbeat.figures.studies import offline_online as module
from backbeat.figures.studies.offline_online import (
    GOAL,
    Cost,
    cost,
    offline_online,
    read_costs,
)
from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.runs.file import save_run
from backbeat.mpc.runs.record import read_run
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario

MADE = Cost("sway", 10.0, 0.5, 1.0, 3e-3, 2e-4, plan_period=0.02, tick_period=0.002)


@pytest.fixture(scope="module")
def stand(built):
    """A behavior that has been built, with what that took."""
    return built("stand")


@pytest.fixture(scope="module")
def folder(stand, tmp_path_factory):
    """A library with a behavior, and a run file of a moment of it."""
    folder = tmp_path_factory.mktemp("costs")
    Library(folder).save(stand)
    scenario = Scenario.of(behavior="stand", lead_in=0.1, duration=0.1)
    run = run_scenario(scenario, stand)
    save_run(run, folder / "stand.run.parquet", run_metrics(run))
    return folder


def test_a_step_is_a_plan_and_the_ticks_until_the_next():
    assert MADE.step == pytest.approx(3e-3 + 10 * 2e-4)
    assert MADE.solve_steps == pytest.approx(0.5 / 5e-3)
    assert MADE.build_steps == pytest.approx(1.0 / 5e-3)
    assert MADE.per_second() == pytest.approx((0.05, 0.1, 50 * 5e-3))


def test_a_build_says_what_it_took(stand):
    """The optimizer is a part of the build, and processor time is no more than all."""
    made = stand.provenance
    assert 0 < made["solve_cpu_s"] < made["build_cpu_s"]


def test_costs_are_those_of_library_and_run(folder, stand):
    (found,) = read_costs(folder, folder)
    record = read_run(folder / "stand.run.parquet")
    assert found.solve == stand.provenance["solve_cpu_s"]
    assert found.build == stand.provenance["build_cpu_s"]
    assert found.plan == pytest.approx(1e-3 * record.metrics["plan_cpu_ms"]["median"])
    assert found.tick == pytest.approx(1e-3 * record.metrics["tick_ms"]["median"])
    assert (found.plan_period, found.tick_period) == (0.02, 0.002)


def test_what_is_drawn_are_the_costs(monkeypatch):
    longer = dataclasses.replace(MADE, behavior="drums", duration=30.0, solve=3.0)
    monkeypatch.setattr(module, "read_costs", lambda *_: [MADE, longer])
    left, right = offline_online(Sources()).axes
    builds, solves, goal = (line.get_ydata() for line in left.lines)
    assert list(builds) == pytest.approx([200.0, 200.0])
    assert list(solves) == pytest.approx([100.0, 600.0])
    assert np.all(np.asarray(goal) == GOAL)
    widths = [bar.get_width() for bar in right.patches]
    assert widths == pytest.approx([0.05, 0.1, 0.1, 1 / 30, 0.25, 0.25])


def test_a_run_of_another_build_is_refused(folder, stand):
    other = {**stand.provenance, "key": "another"}
    record = read_run(folder / "stand.run.parquet")
    with pytest.raises(BackbeatError, match="built anew since this run; `backbeat tr"):
        cost(dataclasses.replace(stand, provenance=other), record)


def test_a_behavior_without_its_cost_is_left_out(folder, stand):
    made = {k: v for k, v in stand.provenance.items() if not k.endswith("cpu_s")}
    record = read_run(folder / "stand.run.parquet")
    assert cost(dataclasses.replace(stand, provenance=made), record) is None


def test_without_runs_it_says_what_makes_them(folder, tmp_path, backbeat):
    options = ["--library", folder, "--runs", tmp_path, "-o", tmp_path / "figures"]
    code, _, said = backbeat("figure", "offline-online", *options)
    assert code == 2
    assert "`backbeat track NAME`" in said
    assert list(tmp_path.iterdir()) == []


def test_it_is_drawn_from_library_and_runs(folder, tmp_path, backbeat):
    options = ["--library", folder, "--runs", folder, "-o", tmp_path]
    code, said, _ = backbeat("figure", "offline-online", *options)
    assert code == 0
    assert "offline-online.png" in said
