"""Touchdowns that are early or late, in rules and on ground that is not as planned."""

import numpy as np
import pytest

from backbeat.mpc.analysis.survival import survived
from backbeat.mpc.disturbances.model_mismatch import model_mismatch
from backbeat.mpc.plans.start import PlanStart
from backbeat.mpc.plans.stepping import UNLOADING, AddedStep, standing
from backbeat.mpc.plans.swing import Swing
from backbeat.mpc.plans.touchdown import (
    EARLY,
    LATEST,
    NEAR,
    Touchdown,
    delay_steps,
    find_touchdowns,
)
from backbeat.mpc.predictive.program import PredictiveProgram
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario
from tests.tolerances import EXACT

AHEAD = 0.026


@pytest.fixture(scope="module")
def swing(march):
    """Patch, start and end of the first swing."""
    starts = [(float(w[0, 0]), c) for c, w in enumerate(march.swings) if len(w)]
    _, c = min(starts)
    start, end = march.swings[c][0]
    return c, float(start), float(end)


def forces(march, c, force):
    out = np.full(len(march.patches), 900.0)
    out[c] = force
    return out


def found(march, s, force, before=(), steps=(), way=0.0):
    ways = np.full(len(march.patches), way)
    return find_touchdowns(march, steps, before, s, AHEAD, force, ways)


@pytest.mark.parametrize(
    ("share", "force", "is_early"),
    [
        (0.3, 500.0, False),
        (0.8, 500.0, True),
        (0.8, 0.5 * EARLY, False),
    ],
)
def test_a_foot_is_down_early_when_it_carries_something_late_in_its_swing(
    march, swing, share, force, is_early
):
    c, start, end = swing
    s = start + share * (end - start)
    downs = found(march, s, forces(march, c, force))
    assert [(d.contact, d.stands, d.start, d.end) for d in downs] == (
        [(c, True, s, end)] if is_early else []
    )


def test_a_foot_that_has_far_to_go_touches_the_ground_in_passing(march, swing):
    c, start, end = swing
    s, force = start + 0.8 * (end - start), forces(march, c, 500.0)
    assert not found(march, s, force, way=1.01 * NEAR)
    assert found(march, s, force, way=0.99 * NEAR)


def test_it_stays_down_with_less_and_leaves_again_with_nothing(march, swing):
    c, start, end = swing
    s = start + 0.8 * (end - start)
    first = found(march, s, forces(march, c, 500.0))
    light = found(march, s + 0.02, forces(march, c, 0.5 * EARLY), first)
    assert [(d.start, d.end) for d in light] == [(s, end)]
    assert found(march, s + 0.02, forces(march, c, 0.0), light) == ()


def test_a_foot_that_finds_no_ground_goes_on_looking_for_a_while(march, swing):
    c, _, end = swing
    nothing, downs, s = forces(march, c, 0.0), (), end + 0.01
    while True:
        now = found(march, s, nothing, downs)
        if not now:
            break
        assert [(d.contact, d.stands, d.start) for d in now] == [(c, False, end)]
        downs, s = now, s + 0.02
    assert LATEST - 0.02 < s - end < LATEST + 0.03
    assert found(march, end + 0.01, forces(march, c, 900.0)) == ()


def test_one_that_loses_the_ground_later_is_not_late(march, swing):
    c, _, end = swing
    assert found(march, end + 0.06, forces(march, c, 0.0)) == ()


def test_what_stands_is_what_the_touchdowns_say(march, swing):
    c, start, end = swing
    phases = np.array([0.5 * (start + end), end - 0.01, end + 0.01, end + 0.2])
    planned = np.array([march.sample(s).standing.copy() for s in phases])
    early = Touchdown(c, end - 0.05, end, True, np.zeros(3))
    late = Touchdown(c, end, end + 0.1, False, np.zeros(3))
    assert planned[:, c].tolist() == [False, False, True, True]
    assert standing(planned, phases, [early])[:, c].tolist() == [
        False,
        True,
        True,
        True,
    ]
    assert standing(planned, phases, [late])[:, c].tolist() == [
        False,
        False,
        False,
        True,
    ]


def test_a_foot_on_the_ground_early_is_planned_with(march, swing):
    """It carries weight at once, and where it is, not where it was going."""
    c, _start, end = swing
    s, program = end - 0.12, PredictiveProgram(march)
    place = march.sample(end).p_contact[c].copy()
    down = Touchdown(c, s, end, True, place)
    deviation = np.zeros(12)
    deviation[4] = 0.3 * np.sign(place[1])
    usual = program.solve(PlanStart(s, s, deviation))
    early = program.solve(PlanStart(s, s, deviation, touchdowns=[down]))
    assert abs(usual.wrench[0, c, 5]) < 1e-3
    assert early.wrench[:2, c, 5].max() > 0.05


@pytest.mark.parametrize("can_wait", [True, False])
def test_steps_to_come_wait_for_a_foot_in_the_air(march, can_wait):
    # Long before the behavior lifts a foot itself.
    steps = (
        AddedStep(0, -1.0, -0.8),
        AddedStep(1, -0.75, -0.55),
        AddedStep(0, -0.5, -0.3),
    )
    late = Touchdown(0, -0.8, -0.76, False, np.zeros(3))
    delayed = delay_steps(march, steps, [late], -0.81, can_wait)
    assert delayed[0] == steps[0]
    shift = late.end + UNLOADING - steps[1].start
    for now, was in zip(delayed[1:], steps[1:], strict=True):
        assert now.start == pytest.approx(was.start + shift)
        assert now.end == pytest.approx(was.end + shift)
    assert delay_steps(march, steps, [], -0.81, can_wait) == steps
    assert delay_steps(march, steps, [], -0.79, can_wait) == steps[1:]


def test_a_late_foot_makes_no_two_feet_swing_at_once(march, swing):
    """The behavior's own foot waits, or, where it may not, the step is given up."""
    c, begin, _ = swing
    other = 1 - c
    steps = (
        AddedStep(c, begin - 0.5, begin - 0.3),
        AddedStep(other, begin - 0.25, begin - 0.05),
    )
    late = Touchdown(c, begin - 0.3, begin - 0.2, False, np.zeros(3))
    s = begin - 0.301
    step, delayed, wait = delay_steps(march, steps, [late], s, True)
    assert step == steps[0]
    assert delayed.start == pytest.approx(late.end + UNLOADING)
    assert delayed.end > begin
    assert wait == AddedStep(
        c, begin, pytest.approx(delayed.end + UNLOADING), stands=True
    )
    assert delay_steps(march, steps, [late], s, False) == steps[:1]


def test_a_foot_that_waits_stands_where_the_behavior_would_have_lifted_it(march, swing):
    c, begin, _ = swing
    wait = AddedStep(c, begin, begin + 0.1, stands=True)
    (down,) = found(march, begin + 0.05, forces(march, c, 500.0), steps=(wait,))
    assert (down.contact, down.start, down.end) == (c, wait.start, wait.end)
    assert down.stands
    np.testing.assert_array_equal(down.place, march.sample(begin).p_contact[c])
    assert found(march, begin + 0.11, forces(march, c, 5.0), steps=(wait,)) == ()


def test_a_foot_that_missed_the_ground_goes_straight_down():
    shift = np.array([0.1, 0.0])
    swing = Swing(0, 1.0, 1.3, 1.2, shift, np.zeros(2), shift, 0.07, 0.004, until=1.4)
    places = np.array([swing.offset(s) for s in (1.3, 1.31, 1.35)])
    np.testing.assert_allclose(places[:, 0, :2], np.tile(shift, (3, 1)), atol=EXACT)
    np.testing.assert_allclose(np.diff(places[:, 0, 2]) / [0.01, 0.04], -0.4)
    np.testing.assert_array_equal(places[:, 2], 0.0)
    assert swing.is_under_way(1.35)
    assert not swing.is_under_way(1.41)


def test_march_goes_on_over_ground_that_is_not_flat(built):
    """Steps of up to 3 cm that nobody knows of."""
    scenario = Scenario.of(
        behavior="march",
        duration=3.2,
        lead_in=0.2,
        world=model_mismatch(step_height=0.03, tilt_deg=3.0),
        seed=1,
    )
    run = run_scenario(scenario, built("march"))
    assert not run.fell
    assert max(abs(p.ground) for p in run.plans) > 0.005


@pytest.mark.slow
@pytest.mark.parametrize(
    ("error", "seed"),
    [
        ({"tilt_deg": 5.0}, 0),
        ({"tilt_deg": 5.0}, 2),
        ({"step_height": 0.03}, 1),
        ({"step_height": 0.03}, 7),
    ],
)
def test_six_steps_over_other_ground_by_sensors(built, error, seed):
    """Fallen, all, when soles that were not were taken to stand on level ground."""
    scenario = Scenario.of(
        behavior="walk-6",
        world=model_mismatch(**error),
        seed=seed,
        lead_out=3.0,
        state="estimated",
        actuator_lag=0.005,
    )
    assert not run_scenario(scenario, built("walk-6")).fell


@pytest.mark.slow
def test_six_steps_over_ground_that_is_not_flat(built):
    """Fallen before early and late touchdowns were known, three of three.

    And in seed 0 when a foot went for the height of the plan at once, down through the
    block it left, and caught on its edge.
    """
    behavior, back = built("walk-6"), 0
    for seed in range(4):
        scenario = Scenario.of(
            behavior="walk-6",
            world=model_mismatch(step_height=0.03),
            seed=seed,
            lead_out=3.0,
        )
        run = run_scenario(scenario, behavior)
        assert not run.fell
        back += survived(run, Reference(behavior)) is True
    assert back >= 3
