"""What plans learn of forces that no contact makes: a weight that is off, a push."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.plans.external_force import (
    FELT,
    GOES_ON,
    LEARNING,
    SURPRISE,
    estimate_external_acceleration,
    estimate_external_force,
    external_acceleration,
)
from backbeat.mpc.plans.start import PlanStart
from backbeat.mpc.predictive.program import PredictiveProgram
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario
from tests.tolerances import EXACT

PERIOD, SIDEWAYS = 0.02, np.array([0.0, -9.0])


@pytest.fixture(scope="module")
def program(built):
    return PredictiveProgram(Reference(built("march")))


@pytest.fixture
def rest(program):
    """A plan of a robot that is where it should be."""
    return replace(program.rest(1.0, 1.0), iterations=1)


def test_a_push_is_not_taken_for_a_weight(rest):
    thrown = np.zeros(12)
    thrown[5] = 1.0
    external_force_z = estimate_external_force(rest, 1.0 + PERIOD, thrown, 9.81)
    assert 0 < external_force_z <= PERIOD * SURPRISE * LEARNING + EXACT
    assert (
        estimate_external_force(replace(rest, is_fresh=False), 1.02, thrown, 9.81)
        == 0.0
    )


def test_a_push_is_what_a_plan_has_not_foreseen(rest):
    pushed = np.zeros(12)
    pushed[3:5] = PERIOD * SIDEWAYS
    assert_allclose(
        estimate_external_acceleration(rest, 1.0 + PERIOD, pushed), SIDEWAYS, atol=1e-9
    )
    noise = 0.99 * FELT / np.hypot(*SIDEWAYS) * pushed
    assert not estimate_external_acceleration(rest, 1.0 + PERIOD, noise).any()
    assert not estimate_external_acceleration(
        replace(rest, is_fresh=False), 1.02, pushed
    ).any()


@pytest.mark.parametrize("late", [0.5 * PERIOD, PERIOD])
def test_a_plan_that_takes_effect_late_has_foreseen_from_its_state_on(rest, late):
    """It may take effect at the very time of the next state, or by rounding later."""
    pushed, now = np.zeros(12), 1.0 + PERIOD - late
    pushed[3:5] = PERIOD * SIDEWAYS
    assert_allclose(
        estimate_external_acceleration(rest, now, pushed, late), SIDEWAYS, atol=1e-9
    )
    again = replace(rest, external_acceleration_xy=SIDEWAYS)
    felt = estimate_external_acceleration(again, now, np.zeros(12), late)
    assert_allclose(felt, SIDEWAYS, atol=1e-9)
    assert not estimate_external_acceleration(rest, 1.0, pushed).any()
    assert not estimate_external_acceleration(rest, 1.0 + 1e-15, pushed).any()


@pytest.mark.parametrize("planning_time", [0.01, 0.02])
def test_plans_that_take_time_know_of_a_push_and_of_no_other(built, planning_time):
    external_acceleration_xy = Push(0.5, 0.1, [0.0, 150.0, 0.0])
    scenario = Scenario.of(
        "march", planning_time=planning_time, lead_in=0.1, duration=0.9
    )
    run = run_scenario(
        scenario.changed(pushes=[external_acceleration_xy]), built("march")
    )
    begin = external_acceleration_xy.time + scenario.timing.lead_in
    felt = [p.time - begin for p in run.plans if p.external_acceleration_xy.any()]
    assert all(p.status == "solved" for p in run.plans)
    assert felt
    assert 0 < min(felt) <= 0.05
    assert max(felt) < 0.25


def test_a_push_goes_on_until_the_robot_moves_as_without(program):
    s, zeros = 1.0, np.zeros(12)
    pushed = program.solve(PlanStart(s, s, zeros, external_acceleration_xy=SIDEWAYS))
    foreseen = pushed.at(s + PERIOD).deviation
    assert_allclose(
        estimate_external_acceleration(pushed, s + PERIOD, foreseen),
        SIDEWAYS,
        atol=1e-6,
    )
    less = foreseen.copy()
    less[3:5] -= PERIOD * SIDEWAYS
    assert not estimate_external_acceleration(pushed, s + PERIOD, less).any()


@pytest.mark.parametrize("durations", [[0.05] * 4, [0.01, 0.03, 0.1], [0.2]])
def test_a_push_gives_the_momentum_of_the_time_that_it_goes_on(durations):
    h = np.array(durations)
    found = external_acceleration(0.1, SIDEWAYS, h, 9.81)
    assert_allclose(h @ found[:, :2], GOES_ON * SIDEWAYS, atol=EXACT)
    assert_allclose(found[:, 2], 0.981, atol=EXACT)


@pytest.mark.parametrize("steps", [True, False])
def test_plans_know_of_a_push_while_it_lasts(built, steps):
    """Those of a robot that may step: one that stands would go along with it."""
    behavior, impulse = built("march"), 150.0
    external_acceleration_xy = Push(0.5, 0.1, [0.0, -impulse, 0.0])
    run = run_scenario(
        Scenario.of(
            behavior="march",
            pushes=[external_acceleration_xy],
            duration=0.8,
            lead_in=0.1,
            steps=steps,
        ),
        behavior,
    )
    found = np.array([plan.external_acceleration_xy for plan in run.plans])
    t = np.array([plan.time for plan in run.plans]) - 0.6
    size = impulse / external_acceleration_xy.duration / behavior.robot_model.total_mass
    during, after = (t > 0.03) & (t < 0.09), t > 0.15
    if not steps:
        assert not found.any()
        return
    # What feet fall short of, while a plan wants them to resist, counts with it.
    assert (-found[during, 1] > 0.9 * size).all()
    assert (-found[during, 1] < 2.5 * size).all()
    assert not found[after].any()
    assert not found[t < 0].any()
