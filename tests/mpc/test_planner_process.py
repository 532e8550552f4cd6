"""Planning in a second process: the same to the last bit, and its end is noticed."""

import os
import signal
from dataclasses import fields

import numpy as np
import pytest

import backbeat.mpc.control.planner_process
from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.control.planner_process import PlannerProcess, PlannerSettings
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.plans.stepping import AddedStep
from backbeat.mpc.plans.swing import Swing
from backbeat.mpc.plans.touchdown import Touchdown
from backbeat.mpc.plans.weights import PredictiveWeights
from backbeat.mpc.predictive.memory import PredictiveMemory
from backbeat.mpc.predictive.plan_message import pack, unpack
from backbeat.mpc.predictive.program import PredictiveProgram
from backbeat.mpc.predictive.settings import PlanSettings
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.safety.fail_safe import Cause, FailureCount, Mode, Safety
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario

PLANNING_TIME = 0.02


def assert_same(a, b):
    """All values of two plans, to the last bit; times of solves aside."""
    for f in fields(Plan):
        if f.name in ("solve_time", "solve_cpu"):
            continue
        x, y = getattr(a, f.name), getattr(b, f.name)
        if isinstance(x, np.ndarray):
            assert x.shape == y.shape
            assert x.tobytes() == y.tobytes(), f.name
        elif f.name not in ("swings", "touchdowns"):
            assert x == y, f.name
    for one, other in zip(
        (*a.swings, *a.touchdowns), (*b.swings, *b.touchdowns), strict=True
    ):
        for f in fields(one):
            np.testing.assert_array_equal(getattr(one, f.name), getattr(other, f.name))


def test_a_plan_with_steps_and_swings_arrives_as_it_was():
    rng = np.random.default_rng(2)
    shapes = ((3,), (4,), (4, 12), (3, 2, 6), (4, 3), (4, 2, 2))
    arrays = [rng.standard_normal(shape) for shape in shapes]
    landed = Touchdown(0, 0.1, 0.2, True, rng.standard_normal(3))
    swing = Swing(1, 0.1, 0.3, 0.15, *rng.standard_normal((3, 2)), 0.07, 0.004)
    steps = (AddedStep(1, 0.1, 1 / 3), AddedStep(0, 0.4, 0.6))
    plan = Plan(
        1 / 3,
        2 / 7,
        0.9,
        *arrays,
        steps=steps,
        touchdowns=(landed,),
        swings=(swing,),
        iterations=5,
    )

    failures = {Cause.NUMERICS: FailureCount(2, 1 / 3, "why")}
    memory = PredictiveMemory(plan, 3, Safety(Mode.CARRYING, failures=failures))
    x, force = np.array([np.nan, -0.0, np.inf]), None

    t, found, now, nothing = unpack(pack((0.1, memory, x, force)))

    assert (t, nothing) == (0.1, None)
    assert now.tobytes() == x.tobytes()
    assert (found.plans, found.safety) == (3, memory.safety)
    assert_same(found.plan, plan)


@pytest.mark.parametrize("push", [pytest.param(20.0, marks=pytest.mark.slow), 150.0])
def test_a_run_is_the_same_bit_for_bit(built, push):
    """The harder push makes the robot step, so that steps and swings travel too."""
    behavior = built("stand")

    def run(planner):
        scenario = Scenario.of(
            behavior="stand",
            lead_in=0.1,
            duration=0.5,
            planner=planner,
            planning_time=PLANNING_TIME,
            pushes=[Push(0.05, 0.1, [push, 0.0, 0.0])],
        )
        return run_scenario(scenario, behavior)

    inside, outside = run("inside"), run("process")

    for name in ("t", "x", "effort", "contact"):
        assert getattr(inside, name).tobytes() == getattr(outside, name).tobytes()
    for a, b in zip(inside.plans, outside.plans, strict=True):
        assert_same(a, b)
    assert any(p.steps for p in inside.plans) == (push > 100)


@pytest.fixture
def planner(built):
    settings = PlannerSettings(
        PredictiveWeights(), PlanSettings(), 0.02, 0.0, PLANNING_TIME
    )
    with PlannerProcess(built("stand"), settings) as running:
        yield running


def question(behavior):
    """Time, state and memory of a request."""
    reference = Reference(behavior)
    plan = PredictiveProgram(reference).rest(0.0, 0.0)
    return 0.0, reference.table.q[0], reference.table.v[0], PredictiveMemory(plan)


def test_a_planner_that_dies_or_stalls_is_noticed(built, planner, monkeypatch):
    ask = question(built("stand"))
    assert planner.start(*ask).result().plans == 1

    monkeypatch.setattr(backbeat.mpc.control.planner_process, "ANSWER", 0.2)
    os.kill(planner.process_id, signal.SIGSTOP)
    pending = planner.start(*ask)
    with pytest.raises(BackbeatError, match=r"has not answered for 0\.2 s"):
        pending.result()
    # What was killed may take a while to end.
    monkeypatch.setattr(backbeat.mpc.control.planner_process, "ANSWER", 60.0)
    with pytest.raises(BackbeatError, match="ended with code -9"):
        pending.result()


def test_a_planner_that_does_not_start_leaves_nothing(built, monkeypatch):
    monkeypatch.setattr(backbeat.mpc.control.planner_process, "START", 0.0)
    before = set(os.listdir("/proc/self/fd"))
    settings = PlannerSettings(PredictiveWeights(), PlanSettings(), 0.02, 0.0, 0.0)
    with pytest.raises(BackbeatError, match="not answered for 0 s"):
        PlannerProcess(built("stand"), settings)
    assert set(os.listdir("/proc/self/fd")) == before


def test_a_planner_needs_its_time():
    scenario = Scenario.of(behavior="stand", planner="process")
    with pytest.raises(BackbeatError, match="planning_time"):
        scenario.check()
    with pytest.raises(BackbeatError, match="planning_time"):
        scenario.changed(planning_time=0.5).check()
