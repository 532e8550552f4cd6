"""Swings: what they add to the behavior, from plan to plan."""

from dataclasses import replace

import numpy as np
import pytest

from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.plans.swing import Swing
from backbeat.mpc.plans.swings import STEP_DEPTH, STEP_HEIGHT, next_swings, ways_to_go
from tests.tolerances import EXACT

SWING = Swing(
    contact=1,
    start=1.0,
    end=1.3,
    since=1.1,
    shift=np.array([0.02, -0.01]),
    rate=np.array([0.3, 0.1]),
    landing=np.array([0.2, 0.05]),
    height=STEP_HEIGHT,
    depth=STEP_DEPTH,
)


@pytest.fixture
def swing(march):
    """Start and end of the first swing."""
    return tuple(map(float, march.swings[march.soles[0]][0]))


def plan_from(s, landing):
    """A plan without steps that lands the first sole elsewhere."""
    N, zeros = 26, np.zeros
    shift = zeros((N + 1, 2, 2))
    shift[:, 0] = landing
    phases = np.linspace(s, s + 1.3, N + 1)
    rest = zeros((N + 1, 12)), zeros((N, 2, 6)), zeros((N + 1, 3))
    return Plan(s, s, 1.0, np.full(N, 0.05), phases, *rest, shift)


def following(reference, plan, before, s, sole=None):
    """The only swing at phase s, of a sole measured at an offset."""
    soles = np.zeros((2, 2, 3))
    if sole is not None:
        soles[0] = sole
    (found,) = next_swings(reference, plan, before, s, 0.02, soles)
    return found


def test_a_swing_goes_on_from_where_it_is_and_lands_where_it_should():
    now, end = SWING.offset(1.1), SWING.offset(1.3)
    np.testing.assert_allclose(now[0, :2], SWING.shift, atol=EXACT)
    np.testing.assert_allclose(now[1, :2], SWING.rate, atol=EXACT)
    np.testing.assert_allclose(end[0], [0.2, 0.05, -STEP_DEPTH], atol=EXACT)
    np.testing.assert_allclose(end[1], 0.0, atol=EXACT)
    np.testing.assert_allclose(SWING.offset(1.0)[:2, 2], 0.0, atol=EXACT)
    middle = SWING.offset(1.15)[0, 2]
    assert middle == pytest.approx(STEP_HEIGHT - 0.5 * STEP_DEPTH, abs=EXACT)


@pytest.mark.parametrize("s", [1.12, 1.17, 1.25, 1.29])
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("rise", [0.0, 0.03, -0.02])
def test_its_rates_are_those_of_its_places(s, order, rise):
    e, swing = 1e-6, replace(SWING, rise=rise)
    slope = (swing.offset(s + e)[order - 1] - swing.offset(s - e)[order - 1]) / (2 * e)
    np.testing.assert_allclose(swing.offset(s)[order], slope, rtol=1e-5, atol=1e-5)


def test_a_foot_that_has_landed_stays():
    np.testing.assert_array_equal(SWING.offset(2.0)[1:, :2], 0.0)
    np.testing.assert_array_equal(SWING.offset(2.0)[0], SWING.offset(1.3)[0])


@pytest.mark.parametrize("rise", [0.03, -0.02])
def test_a_swing_starts_from_the_height_that_the_foot_has(rise):
    swing = replace(SWING, height=0.0, depth=0.0, rise=rise)
    start, end = swing.start, swing.end
    middle = 0.5 * (start + end)
    heights = [swing.offset(s)[0, 2] for s in np.linspace(start, end, 41)]
    assert heights[0] == rise
    assert heights[-1] == 0.0
    # High ground is cleared before the foot comes down, and low ground left at once.
    expected = rise if rise > 0 else 0.0
    assert swing.offset(middle)[0, 2] == pytest.approx(expected, abs=EXACT)
    assert (np.sign(rise) * np.diff(heights) <= EXACT).all()


def test_the_next_swing_starts_where_the_foot_stands(march, swing):
    start, end = swing
    plan, high = plan_from(start, 0.0), np.zeros((2, 3))
    high[0, 2] = 0.02
    first = following(march, plan, (), start - 0.01, high)
    assert first.rise == 0.02
    # In the air its height is no longer that of the ground.
    high[0, 2] = 0.05
    second = following(march, plan, (first,), start + 0.1, high)
    assert (second.rise, second.end) == (0.02, end)


def test_a_swing_is_carried_on_from_plan_to_plan(march, swing):
    start, end = swing
    first = following(march, plan_from(start, [0.1, 0.0]), (), start)
    assert not first.height
    np.testing.assert_allclose(first.landing, [0.1, 0.0])
    s, plan = start + 0.2, plan_from(start, [0.15, 0.02])
    there = first.offset(s)[:2]
    second = following(march, plan, (first,), s, there)
    np.testing.assert_allclose(second.offset(s)[:2], there, atol=EXACT)
    np.testing.assert_allclose(second.offset(end)[0, :2], [0.15, 0.02], atol=EXACT)
    # Where it is a little off, it goes on as it should be.
    near = following(march, plan, (first,), s, there + 0.01)
    np.testing.assert_array_equal(near.offset(s), second.offset(s))
    # Whoever has not left yet starts where it stands.
    early = following(march, plan, (replace(first, end=9.0),), s)
    np.testing.assert_allclose(early.offset(s)[0, :2], 0.0, atol=EXACT)


def test_a_foot_that_has_caught_goes_on_from_where_it_is(march, swing):
    start, end = swing
    first = following(march, plan_from(start, [0.4, 0.0]), (), start)
    s, plan = start + 0.3, plan_from(start, [0.4, 0.0])
    stuck = np.array([[-0.02, 0.01, 0.0], [-0.3, 0.0, 0.0]])
    caught = following(march, plan, (first,), s, stuck)
    np.testing.assert_allclose(caught.offset(s)[:2, :2], stuck[:, :2], atol=EXACT)
    np.testing.assert_allclose(caught.offset(end)[0, :2], [0.4, 0.0], atol=EXACT)


def test_the_way_to_go_is_what_is_left_of_the_step_and_of_the_plan(march, swing):
    start, end = swing
    c, s = march.soles[0], start + 0.5 * (end - start)
    sample = march.sample(s)
    before = replace(SWING, contact=c, start=start, end=end)
    soles = np.zeros((2, 2, 3))
    soles[0, 0] = [0.05, 0.01, 0.02]
    goal = march.sample(end).p_contact[c, :2] + before.landing
    left = goal - sample.p_contact[c, :2] - soles[0, 0, :2]
    ways = ways_to_go(march, [before], sample, soles)
    assert ways[c] == pytest.approx(np.hypot(*left))
    assert ways.sum() == ways[c]
