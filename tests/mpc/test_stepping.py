"""Steps: what a swing adds to the behavior, and when which foot stands."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from mpc.reference import Reference
from mpc.stepping import (
    STEP_DEPTH,
    STEP_HEIGHT,
    Step,
    Swing,
    next_swings,
    recovery_steps,
    standing,
    swing_of,
)
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


@pytest.fixture(scope="module")
def march(built):
    return Reference(built("march"))


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


def test_soles_step_in_turn_and_stand_between():
    steps = recovery_steps([1, 0], 2.0, 0.05, 4, 5)
    assert [w.contact for w in steps] == [1, 0, 1, 0, 1]
    assert steps[0].start > 2.0
    for step in steps:
        assert step.end - step.start == pytest.approx(0.2)
    for a, b in itertools.pairwise(steps):
        assert b.start - a.end == pytest.approx(0.05)


def test_a_step_takes_one_foot_off_the_ground():
    planned = np.array([[True, True], [True, True], [False, True], [True, True]])
    on = standing(planned, np.array([0.0, 1.1, 1.2, 1.5]), [Step(1, 1.0, 1.3)])
    np.testing.assert_array_equal(on, [[1, 1], [1, 0], [0, 0], [1, 1]])
    assert planned[1, 1]


def test_the_behaviors_own_swings_are_those_of_its_schedule(march):
    table = march.table
    for c in march.soles:
        for start, end in march.swings[c]:
            middle = 0.5 * (start + end)
            assert swing_of(march, (), c, middle) == (start, end, False)
            i, _ = march.grid(np.array([middle]))
            assert not table.standing[i[0], c]
        for k in np.flatnonzero(table.standing[:, c])[::7]:
            s = table.t[k]
            inside = [a < s < b for a, b in march.swings[c]]
            assert not any(inside)


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


def test_the_next_swing_starts_where_the_foot_stands(march):
    c = march.soles[0]
    start, end = march.swings[c][0]
    phases, landing = np.linspace(start, start + 1.3, 27), np.zeros((27, 2, 2))
    soles = np.zeros((2, 2, 3))
    soles[0, 0, 2] = 0.02
    (first,) = next_swings(march, (), (), start - 0.01, 0.02, soles, landing, phases)
    assert first.rise == 0.02
    # In the air its height is no longer that of the ground.
    soles[0, 0, 2] = 0.05
    s = start + 0.1
    (second,) = next_swings(march, (), (first,), s, 0.02, soles, landing, phases)
    assert second.rise == 0.02
    assert end == second.end


def test_a_swing_is_carried_on_from_plan_to_plan(march):
    c = march.soles[0]
    start, end = march.swings[c][0]
    phases = np.linspace(start, start + 1.3, 27)
    landing = np.zeros((27, 2, 2))
    landing[:, 0] = [0.1, 0.0]
    soles = np.zeros((2, 2, 3))
    s = start + 0.2
    (first,) = next_swings(march, (), (), start, 0.02, soles, landing, phases)
    assert not first.height
    np.testing.assert_allclose(first.landing, [0.1, 0.0])
    landing[:, 0] = [0.15, 0.02]
    (second,) = next_swings(march, (), (first,), s, 0.02, soles, landing, phases)
    np.testing.assert_allclose(second.offset(s)[:2], first.offset(s)[:2], atol=EXACT)
    np.testing.assert_allclose(second.offset(end)[0, :2], [0.15, 0.02], atol=EXACT)
    # One that has caught on something goes on from where it is, as fast as it is.
    soles[0, :, :2] = [[-0.02, 0.01], [0.3, 0.0]]
    (caught,) = next_swings(march, (), (first,), s, 0.02, soles, landing, phases)
    np.testing.assert_allclose(caught.offset(s)[:2, :2], soles[0, :, :2], atol=EXACT)
    np.testing.assert_allclose(caught.offset(end)[0, :2], [0.15, 0.02], atol=EXACT)
    soles[:] = 0.0
    # Whoever has not left yet starts where it stands.
    (early,) = next_swings(
        march, (), (replace(first, end=9.0),), s, 0.02, soles, landing, phases
    )
    np.testing.assert_allclose(early.offset(s)[0, :2], 0.0, atol=EXACT)
