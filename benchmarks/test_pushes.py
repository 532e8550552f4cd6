"""Crocoddyl's MPC against ours: its parts every day, the table with `make bench`."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.store import Library
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.analysis.survival import judge, survived
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.sweep.margin import MarginSearch
from benchmarks.crocoddyl.closed_loop import run_loop
from benchmarks.crocoddyl.standing import CrocoddylStanding, StandingSettings
from benchmarks.environment import make_environment
from benchmarks.pushes import (
    DIRECTIONS,
    PushRow,
    crocoddyl_rows,
    limit,
    our_rows,
    scenario_of,
    table,
)
from tests.tolerances import RECURSION


@pytest.fixture(scope="module")
def stand(tmp_path_factory):
    return build("stand", Library(tmp_path_factory.mktemp("library")))


class Limp:
    """In the place of Crocoddyl: no torques; remembers when it was to plan."""

    def __init__(self):
        self.plans = []

    def tick(self, t, q, v, delay=None):
        if delay is not None:
            self.plans.append((t, delay))
        return np.zeros(len(v) - 6), 0.002


def test_a_foreign_controller_plans_when_it_should_and_a_limp_robot_falls(stand):
    scenario = Scenario.of("stand", duration=2.0, plan_period=0.025)
    tool = Limp()
    run = run_loop(tool, stand, scenario, delay=0.012)
    assert run.fell
    assert 0.0 < run.fell_at + scenario.timing.lead_in < 1.5
    assert not survived(run, Reference(stand))
    times, delays = np.array(tool.plans).T
    assert_allclose(times, 0.025 * np.arange(len(times)), atol=RECURSION)
    assert_allclose(delays, 0.012)
    assert_allclose(run.plan_ms, 2.0)
    assert len(run.plan_ms) == len(times)


@pytest.mark.parametrize("edge", [0.0, 10.0, 70.0, 300.0])
def test_a_limit_is_the_last_impulse_that_holds(edge):
    tried = []

    def holds(impulse):
        tried.append(impulse)
        return impulse <= edge

    assert limit(holds) == edge
    assert len(tried) <= 5


def test_a_push_has_its_impulse_and_is_judged_within_the_run():
    for direction in DIRECTIONS.values():
        (push,) = scenario_of(direction, 80.0).disturbances.pushes
        assert np.linalg.norm(push.impulse) == pytest.approx(80.0)
        assert np.dot(push.impulse[:2], direction) > 79.9
    scenario = scenario_of((1, 0), 80.0).check()
    assert scenario.timing.duration > push.time + push.duration + 4.0


def test_the_table_says_what_was_not_reached():
    some = {"+x": 0.0, "-x": 70.0, "+y": 300.0, "+x+y": 110.0}
    limits = dict.fromkeys(DIRECTIONS, 50.0) | some
    text = table([PushRow("somebody", 50.0, limits, 2.34, 7.81, 900)])
    row = next(line for line in text.splitlines() if "somebody" in line)
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    shown = {"+x": "< 10", "-x": "70", "+y": ">= 300", "+x+y": "110"}
    expected = [shown.get(name, "50") for name in DIRECTIONS]
    assert cells == ["somebody", *expected, "2.3", "7.8", "50"]


@pytest.fixture(scope="module")
def crocoddyl():
    with CrocoddylStanding(make_environment()) as running:
        yield running


@pytest.mark.benchmark
@pytest.mark.peers
def test_crocoddyl_reads_the_state_as_it_is(crocoddyl, stand):
    robot, rng = stand.robot_model, np.random.default_rng(5)
    crocoddyl.begin(stand, StandingSettings())
    q, v = stand.motion.q[0].copy(), rng.standard_normal(robot.num_velocities)
    q[:4] = rng.standard_normal(4)
    q[:4] /= np.linalg.norm(q[:4])
    q[7:] += 0.1 * rng.standard_normal(robot.num_joints)
    angular, linear = np.split(Configuration(robot, q, v).momentum, 2)
    found = crocoddyl.momentum(q, v)
    assert_allclose(found, np.r_[linear, angular], rtol=RECURSION, atol=1e-9)


@pytest.mark.benchmark
@pytest.mark.peers
def test_crocoddyl_stands_and_gets_over_a_small_push(crocoddyl, stand):
    reference = Reference(stand)
    for delay in (0.0, 0.02):
        crocoddyl.begin(stand, StandingSettings())
        run = run_loop(crocoddyl, stand, scenario_of((1, 0), 40.0), delay)
        assert survived(run, reference)
        assert judge(run, reference, float(run.t[-1])).tilt_error < 0.05


@pytest.mark.benchmark
@pytest.mark.peers
def test_table(stand, capsys):
    search = MarginSearch(low=40.0, high=280.0, step=40.0)
    rows = [*crocoddyl_rows(stand, make_environment(), search)]
    rows += our_rows(stand, search)
    with capsys.disabled():
        print("\n" + table(rows))
    assert all(row.limits["+x"] > 0 for row in rows)
