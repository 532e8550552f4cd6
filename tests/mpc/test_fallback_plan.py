"""A hold: the behavior goes on from where the feet are, and where they are going."""

from dataclasses import replace

import numpy as np
import pytest

from backbeat.mpc.plans.start import PlanStart
from backbeat.mpc.plans.stepping import AddedStep
from backbeat.mpc.plans.swings import next_swings
from backbeat.mpc.plans.touchdown import put_down
from backbeat.mpc.predictive.fallback import fall_back
from backbeat.mpc.predictive.program import PredictiveProgram
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.safety.fail_safe import Mode, Safety
from tests.tolerances import EXACT

LEFT, RIGHT = 0, 1
PERIOD, AHEAD = 0.02, 0.026


@pytest.fixture(scope="module")
def walk(built):
    return Reference(built("walk-6"))


@pytest.fixture(scope="module")
def program(walk):
    return PredictiveProgram(walk)


def hold(program, s, before):
    return fall_back(
        program, s, s, before, Safety(Mode.HOLDING), "no state", 1.0, AHEAD
    )


def held(program, plan, until):
    """Plans of a hold, each from the one before."""
    plans = [plan]
    while plans[-1].phase < until:
        plans.append(hold(program, plans[-1].phase + PERIOD, plans[-1]))
    return plans[1:]


def pushed(program, s, steps=(), downs=()):
    """The plan of a robot that has been pushed aside in mid-swing."""
    deviation = np.zeros(12)
    deviation[4] = 0.3
    plan = program.solve_anew(
        PlanStart(s, s, deviation, np.zeros((2, 2)), downs), steps
    )
    swings = next_swings(program.reference, plan, (), s, AHEAD, np.zeros((2, 2, 3)))
    return replace(plan, swings=swings)


def test_a_foot_in_the_air_lands_where_it_was_going(program, walk):
    end = float(walk.swings[LEFT][1, 1])
    plan = pushed(program, 3.0)
    (swing,) = plan.swings
    assert abs(swing.landing[1]) > 0.03
    plans = held(program, plan, end + 0.1)
    for p in plans:
        assert p.swings == (() if p.phase >= end else (swing,))
    # It stays there, and what swings next lands where the behavior and it have it.
    np.testing.assert_allclose(plans[-1].shift[0, LEFT], swing.landing, atol=1e-6)


def test_a_foot_that_lifts_meanwhile_lands_beside_the_behavior(program, walk):
    start, end = (float(x) for x in walk.swings[RIGHT][1])
    shift = np.array([[0.1, 0.02], [0.15, -0.03]])
    rest = program.rest(start - 0.1, start - 0.1)
    plan = replace(rest, shift=np.tile(shift, (len(rest.phases), 1, 1)))
    plans = held(program, plan, end - 0.02)
    # In time: before the next plan is there.
    assert plans[3].phase < start < plans[3].phase + AHEAD
    for p in plans[3:]:
        (swing,) = p.swings
        assert (swing.contact, swing.end) == (RIGHT, end)
        np.testing.assert_allclose(swing.offset(end)[0, :2], shift[RIGHT], atol=EXACT)
        np.testing.assert_allclose(swing.offset(p.phase)[1], 0.0, atol=EXACT)


def test_a_foot_that_was_put_down_stays_when_the_behavior_has_landed_it(program, walk):
    s, end = 2.7, float(walk.swings[LEFT][1, 1])
    down = put_down(walk, LEFT, s + 0.2, end)
    plan = pushed(program, s, downs=(down,))
    stood = down.start + 0.1
    landed = [p for p in held(program, plan, end + 0.2) if p.phase > stood]
    places = [
        (down.place if p.touchdowns else walk.sample(p.phase).p_contact[LEFT])[:2]
        + p.shift[0, LEFT]
        for p in landed
    ]
    assert {len(p.touchdowns) for p in landed} == {0, 1}
    np.testing.assert_allclose(places, np.tile(places[0], (len(places), 1)), atol=1e-6)


def test_a_recovery_step_under_way_is_made_and_others_are_not(program):
    s, steps = 0.1, (AddedStep(LEFT, 0.15, 0.35), AddedStep(RIGHT, 0.4, 0.6))
    plan = pushed(program, s, steps)
    plans = held(program, plan, 0.55)
    assert not any(p.steps for p in plans)
    plan = pushed(program, 0.2, steps)
    plans = held(program, plan, 0.55)
    for p in plans:
        assert p.steps == (steps[:1] if p.phase < 0.35 else ())
        assert len(p.swings) == len(p.steps)
