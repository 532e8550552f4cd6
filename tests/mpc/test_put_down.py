"""A foot that the behavior keeps in the air is put down when that saves the robot."""

from dataclasses import replace

import numpy as np
import pytest

from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.plans.start import PlanStart
from backbeat.mpc.plans.stepping import UNLOADING, AddedStep, covered
from backbeat.mpc.plans.swings import STEP_DEPTH, next_swings
from backbeat.mpc.plans.touchdown import EARLY, delay_steps, find_touchdowns, put_down
from backbeat.mpc.predictive.core import PredictiveCore
from backbeat.mpc.predictive.program import PredictiveProgram
from backbeat.mpc.predictive.recovery import Recovery
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario
from tests.mpc.recovered import SOON, recovered
from tests.tolerances import EXACT

AHEAD = 0.026
# When the left foot of the behavior is at its highest [s].
HIGH = 2.5
LEFT, RIGHT = 0, 1


@pytest.fixture(scope="module")
def balance(built):
    return Reference(built("one-leg-balance"))


@pytest.fixture(scope="module")
def program(balance):
    return PredictiveProgram(balance)


@pytest.fixture(scope="module")
def end(balance):
    """When the behavior lands the foot [s]."""
    return float(balance.swings[LEFT][0, 1])


def improved(program, y, s=HIGH):
    """The plan of a robot whose center of mass has been pushed sideways [m/s]."""
    deviation, shift = np.zeros(12), np.zeros((2, 2))
    deviation[4] = y
    start = PlanStart(s, s, deviation, shift)
    plan, before = program.solve(start), program.rest(s - 0.02, s - 0.02)
    found = Recovery().improve(program, start, plan, before, 0.02)
    return plan, found


def test_who_is_hardly_off_stays_on_one_leg(program):
    plan, found = improved(program, 0.05)
    assert found is plan
    assert found.touchdowns == ()


def test_who_falls_to_the_free_side_puts_the_foot_down(program, balance, end):
    plan, found = improved(program, 0.3)
    (down,) = found.touchdowns
    assert down.is_put_down
    assert down.contact == LEFT
    assert HIGH < down.start < HIGH + 0.3
    assert down.end == end
    assert abs(down.place[2] - balance.sample(end).p_contact[LEFT, 2]) < EXACT
    assert found.objective < plan.objective
    # It carries nothing before it stands, and a good part of the weight then.
    k = np.searchsorted(found.phases, down.start - 1e-9)
    assert np.abs(found.wrench[:k, LEFT]).max() < 1e-3
    assert found.wrench[k:, LEFT, 5].max() > 0.3
    # It goes aside, as far as the fall goes.
    assert found.shift[-1, LEFT, 1] > 0.02


def test_a_step_that_lands_soon_anyway_is_left_alone(program, end):
    _, found = improved(program, 0.3, end - 0.4)
    assert found is None or found.touchdowns == ()


def put_down_before(program, y, s, end):
    """A robot pushed sideways [m/s], whose foot was put down and has stood since."""
    down = put_down(program.reference, LEFT, s - 0.02, end)
    deviation = np.zeros(12)
    deviation[4] = y
    start = PlanStart(s, s, deviation, np.zeros((2, 2)), (down,))
    before = program.rest(s - 0.02, s - 0.02)
    return Recovery().improve(program, start, program.solve(start), before, 0.02)


def test_the_other_foot_steps_before_the_swing_would_have_ended(program, end):
    """One put down stands until then, and may be lifted again from then on."""
    s = end - 0.4
    found = put_down_before(program, 0.6, s, end)
    first, *later = found.steps
    assert first.contact == RIGHT
    assert s < first.start < first.end < end
    assert all(w.start >= end for w in later if w.contact == LEFT)
    middles = 0.5 * (found.phases[:-1] + found.phases[1:])
    carries = found.wrench[:, :, 5] > 1e-3
    in_the_air = covered(first, middles)
    assert in_the_air.any()
    assert (carries[in_the_air] == [True, False]).all()


def test_a_second_step_far_off_is_not_decided_yet(program, end):
    found = put_down_before(program, 0.6, HIGH, end)
    (step,) = found.steps
    assert step.contact == RIGHT
    assert step.end < HIGH + 0.3


def test_steps_that_wait_for_no_landing_are_not_put_off(program, balance, end):
    """Decided again in each plan, they would begin at once for ever."""
    s = end - 0.4
    found = put_down_before(program, 0.6, s, end)
    step, sample = PredictiveCore(program, recovery=Recovery()), balance.sample(s)
    v = sample.v.copy()
    v[4] += 0.6
    plan = step(s, sample.q, v, replace(step.start(), plan=found)).plan
    assert plan.steps == found.steps


def test_the_other_foot_waits_for_one_that_is_late(balance, end):
    """Both would be off the ground at once."""
    down = put_down(balance, LEFT, HIGH, end)
    steps = (AddedStep(RIGHT, HIGH + UNLOADING, HIGH + 0.25),)
    assert delay_steps(balance, steps, [down], HIGH - 0.02, True) == steps
    late = replace(down, start=HIGH + 0.03)
    (step,) = delay_steps(balance, steps, [late], HIGH + 0.02, True)
    assert step.start == pytest.approx(late.start + UNLOADING)
    assert step.end - step.start == pytest.approx(0.2)
    assert delay_steps(balance, steps, [down], HIGH + 0.02, True) == steps


def swings(program, down, s, before=()):
    plan = replace(program.rest(s, s), touchdowns=(down,))
    plan.shift[:, LEFT] = 0.0, 0.1
    soles = np.zeros((2, 2, 3))
    return next_swings(program.reference, plan, before, s, AHEAD, soles)


def test_the_foot_goes_down_smoothly_from_where_it_is(program, balance, end):
    """On from plan to plan, and to where the plan wants it, on the ground."""
    down = put_down(balance, LEFT, HIGH + 0.2, end)
    (first,) = swings(program, down, HIGH)
    (later,) = swings(program, down, HIGH + 0.1, [first])
    np.testing.assert_allclose(first.offset(HIGH)[:2], 0.0, atol=EXACT)
    now = HIGH + 0.1
    np.testing.assert_allclose(later.offset(now)[:2], first.offset(now)[:2], atol=EXACT)
    landed = later.offset(down.start)
    foot = balance.sample(down.start).p_contact[LEFT] + landed[0]
    assert abs(foot[2] - (down.place[2] - STEP_DEPTH)) < EXACT
    assert abs(landed[0, 1] - 0.1) < EXACT
    np.testing.assert_allclose(landed[1], 0.0, atol=EXACT)


def test_it_lands_when_it_touches_and_goes_on_when_it_does_not(program, balance, end):
    down = put_down(balance, LEFT, HIGH + 0.2, end)

    def after(s, force, known):
        forces = np.full(2, 900.0)
        forces[LEFT] = force
        return find_touchdowns(balance, (), known, s, AHEAD, forces, np.zeros(2))

    assert after(HIGH + 0.1, 0.0, [down]) == (down,)
    (early,) = after(HIGH + 0.18, 2.0 * EARLY, [down])
    assert (early.start, early.end) == (HIGH + 0.18, end)
    # One that is put down when it has only just been lifted still carries weight.
    lifted = float(balance.swings[LEFT][0, 0])
    soon = put_down(balance, LEFT, lifted + 0.2, end)
    assert after(lifted + 0.02, 2.0 * EARLY, [soon]) == (soon,)
    assert after(lifted + 0.19, 2.0 * EARLY, [soon])[0].start == lifted + 0.19
    (late,) = after(HIGH + 0.205, 0.0, [down])
    assert HIGH + 0.205 < late.start < HIGH + 0.205 + AHEAD
    (swing,) = swings(program, down, HIGH)
    (sinking,) = swings(program, late, HIGH + 0.205, [swing])
    assert sinking.until == late.start
    assert sinking.is_under_way(HIGH + 0.21)
    # What has stood stays, with no weight on it too, until the behavior lands it.
    assert after(HIGH + 1.0, 0.0, [early]) == (early,)
    assert after(end + 0.01, 900.0, [early]) == ()


def test_it_stays_where_it_stands_when_the_behavior_walks_on(built):
    """The behavior lands the foot a step ahead of where it was put down."""
    walk, s = Reference(built("walk-6")), 2.7
    lifted, end = (float(x) for x in walk.swings[LEFT][1])
    assert lifted < s < end
    down = put_down(walk, LEFT, s + 0.2, end)
    program = PredictiveProgram(walk)
    start = PlanStart(s, s, np.zeros(12), np.zeros((2, 2)), (down,))
    for plan in (program.solve(start), program.solve_anew(start)):
        places = np.array(
            [
                walk.sample(x).p_contact[LEFT, :2] + shift
                for x, shift in zip(plan.phases, plan.shift[:, LEFT], strict=True)
                if x >= end
            ]
        )
        assert len(places) > 10
        at = np.searchsorted(plan.phases, down.start - 1e-9)
        place = down.place[:2] + plan.shift[at, LEFT]
        np.testing.assert_allclose(places, np.tile(place, (len(places), 1)), atol=1e-6)
        landed = walk.sample(end).p_contact[LEFT, :2]
        assert landed[0] - down.place[0] > 0.1


def pushed(built, direction, state="true", impulse=50.0, **settings):
    behavior = built("one-leg-balance")
    push = Push(HIGH, 0.1, [impulse * x for x in (*direction, 0.0)])
    lag = 0.005 if state == "estimated" else 0.0
    scenario = Scenario.of(
        behavior=behavior.name,
        pushes=[push],
        state=state,
        actuator_lag=lag,
        **settings,
    )
    return run_scenario(scenario, behavior)


def test_a_push_to_the_free_side_is_survived(built):
    run = pushed(built, (0.0, 1.0), lead_in=0.2, duration=HIGH + 0.2 + SOON)
    assert recovered(run)
    assert any(d.is_put_down for plan in run.plans for d in plan.touchdowns)


@pytest.mark.slow
@pytest.mark.parametrize("angle", range(0, 360, 45))
def test_pushes_on_one_leg_are_survived_on_sensors_and_motors(built, angle):
    a = np.radians(angle)
    run = pushed(built, (np.cos(a), np.sin(a)), "estimated", 60.0)
    assert run_metrics(run)["survived"]
