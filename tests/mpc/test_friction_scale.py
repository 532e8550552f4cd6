"""Grip: a floor that gives less friction than was relied on is learned from slips."""

from dataclasses import replace

import numpy as np
import pytest

from backbeat.models.state.configuration import Configuration
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.disturbances.model_mismatch import model_mismatch
from backbeat.mpc.plans.friction_scale import (
    HALVING,
    LEAST,
    REGAIN,
    SLIDING,
    estimate_friction_scale,
)
from backbeat.mpc.plans.start import PlanStart
from backbeat.mpc.plans.weights import PredictiveWeights
from backbeat.mpc.predictive.plan_explanation import explain_plan
from backbeat.mpc.predictive.program import PredictiveProgram
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario

PERIOD = 0.02
# A push that leaves the balance point inside the feet, and lets soles lean [m/s].
PUSHED = np.r_[np.zeros(3), 0.25, 0.1, 0.0, np.zeros(6)]


def leaning(reference, ratio=0.3):
    """A plan whose soles lean on so much friction each."""
    plan = PredictiveProgram(reference).rest(1.0, 1.0)
    wrench = plan.wrench.copy()
    wrench[:, :, 3] = ratio * wrench[:, :, 5]
    return replace(plan, wrench=wrench)


def learn(reference, plan, speed, force=400.0, standing=True):
    """Grip after a period in which the left sole moves and the right one stands."""
    sample = reference.sample(1.0)
    sample.standing[0] = standing
    motion = np.zeros((2, 3))
    motion[0] = speed
    forces = np.array([force, 400.0])
    return estimate_friction_scale(reference, sample, plan, motion, PERIOD, forces)


def test_every_way_of_a_slide_halves_it(reference):
    """By the way alone: fast or slow, along any direction of the floor."""
    slow, fast = leaning(reference), leaning(reference)
    for _ in range(20):
        friction_scale = learn(reference, slow, [0.06, 0.08, 0.0])
        slow = replace(slow, friction_scale=friction_scale)
    for _ in range(5):
        fast = replace(fast, friction_scale=learn(reference, fast, [-0.4, 0.0, 0.0]))
    assert slow.friction_scale == pytest.approx(0.5 ** (20 * 0.1 * PERIOD / HALVING))
    assert fast.friction_scale == pytest.approx(slow.friction_scale)


@pytest.mark.parametrize(
    ("speed", "ratio", "force", "standing"),
    [
        ([0.9 * SLIDING, 0.0, 0.0], 0.3, 400.0, True),
        ([0.0, 0.0, 0.5], 0.3, 400.0, True),
        ([0.5, 0.0, 0.0], 0.05, 400.0, True),
        ([0.5, 0.0, 0.0], 0.3, 40.0, True),
        ([0.5, 0.0, 0.0], 0.3, 400.0, False),
    ],
    ids=["noise", "downwards", "upright", "unloaded", "in the air"],
)
def test_what_is_no_slide_lets_it_come_back(reference, speed, ratio, force, standing):
    plan = replace(leaning(reference, ratio), friction_scale=0.5)
    friction_scale = learn(reference, plan, speed, force, standing)
    assert friction_scale == pytest.approx(0.5 + REGAIN * PERIOD)


def test_it_stays_between_the_least_and_all(reference):
    plan = leaning(reference)
    assert learn(reference, plan, [0.0, 0.0, 0.0]) == 1.0
    assert (
        learn(reference, replace(plan, friction_scale=LEAST), [2.0, 0.0, 0.0]) == LEAST
    )


def test_half_the_grip_is_half_the_friction(reference):
    """The same bits as a program made for it; and with all of it again as before."""
    weights = PredictiveWeights()
    program = PredictiveProgram(reference, weights)
    start = PlanStart(1.0, 1.0, PUSHED)
    before = program.solve(start)
    slippery = program.solve(replace(start, friction_scale=0.25))
    after = program.solve(start)
    made = replace(weights, friction=0.25 * weights.friction)
    other = PredictiveProgram(reference, made).solve(start)
    np.testing.assert_array_equal(slippery.wrench, other.wrench)
    np.testing.assert_array_equal(slippery.deviation, other.deviation)
    np.testing.assert_array_equal(before.wrench, after.wrench)
    assert slippery.friction_scale == 0.25
    used = [
        (np.abs(p.wrench[:, :, 3:5]).max(2) / p.wrench[:, :, 5]).max()
        for p in (before, slippery)
    ]
    most = 0.25 * weights.friction / np.sqrt(2)
    assert used[1] == pytest.approx(most, rel=1e-3)
    assert used[0] > 1.2 * most


def test_a_plan_is_explained_with_the_grip_that_it_had(reference):
    """Solved again for the same floor, it has the same cost."""
    program = PredictiveProgram(reference)
    plan = program.solve(PlanStart(1.0, 1.0, PUSHED, friction_scale=0.25))
    said = explain_plan(program, plan)
    assert "25 % of the friction" in str(said)
    assert sum(said.costs.values()) == pytest.approx(plan.objective, rel=1e-6)
    whole = program.solve(PlanStart(1.0, 1.0, PUSHED))
    assert "have slid" not in str(explain_plan(program, whole))
    assert whole.objective < 0.99 * plan.objective


def test_a_push_does_not_make_a_floor_slippery(built):
    """Soles are dragged and turned about their edges, and grip stays near whole."""
    scenario = Scenario.of(
        behavior="stand",
        lead_in=0.3,
        duration=1.5,
        state="estimated",
        pushes=[Push(0.5, 0.1, [0.0, 130.0, 0.0])],
    )
    run = run_scenario(scenario, built("stand"))
    assert not run.fell
    assert min(p.friction_scale for p in run.plans) > 0.9


def slide(run):
    """How far soles have slid apart at the end [m]."""
    robot = run.behavior.robot_model
    nq = robot.num_positions
    ends = [Configuration(robot, x[:nq], x[nq:]) for x in run.x[[0, -1]]]
    apart = [state.place("l_foot") - state.place("r_foot") for state in ends]
    return float(np.hypot(*(apart[1] - apart[0])[:2]))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, 3, 11])
def test_a_dancer_stays_up_where_it_leans_on_more_than_there_is(built, seed):
    """All three fell when nothing was learned, after feet that slid 16 cm apart."""
    scenario = Scenario.of(
        behavior="groove",
        seed=seed,
        state="estimated",
        actuator_lag=0.005,
        world=model_mismatch(patch_friction=[0.2, 0.3]),
    )
    run = run_scenario(scenario, built("groove"))
    assert run_metrics(run)["survived"]
    assert min(p.friction_scale for p in run.plans) < 0.7
    assert slide(run) < 0.13
