"""Steps: those that a behavior does not make, and when which foot stands."""

import itertools

import numpy as np
import pytest

from backbeat.mpc.plans.stepping import (
    SHORTEST,
    UNLOADING,
    AddedStep,
    let_wait,
    recovery_steps,
    standing,
    swing_of,
    waiting,
)


def test_soles_step_in_turn_and_stand_between():
    steps = recovery_steps([1, 0], 2.0, 0.05, [4] * 5)
    assert [w.contact for w in steps] == [1, 0, 1, 0, 1]
    assert steps[0].start > 2.0
    for step in steps:
        assert step.end - step.start == pytest.approx(0.2)
    for a, b in itertools.pairwise(steps):
        assert b.start - a.end == pytest.approx(0.05)


def test_a_step_takes_one_foot_off_the_ground():
    planned = np.array([[True, True], [True, True], [False, True], [True, True]])
    on = standing(planned, np.array([0.0, 1.1, 1.2, 1.5]), [AddedStep(1, 1.0, 1.3)])
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


@pytest.fixture(scope="module")
def own(march):
    """Start, end and patch of the march's second swing."""
    swings = sorted((*map(float, w), c) for c in march.soles for w in march.swings[c])
    return swings[1]


def test_steps_that_are_over_in_time_let_nobody_wait(march, own):
    start, _, c = own
    steps = (
        AddedStep(1 - c, start - 0.3, start - 0.1),
        AddedStep(c, start - 0.2, start),
    )
    assert let_wait(march, steps, start - 0.3) == steps


@pytest.mark.parametrize("over", [0.02, 0.1])
def test_the_next_foot_waits_until_the_one_before_has_landed(march, own, over):
    start, end, c = own
    step = AddedStep(1 - c, start + over - 0.2, start + over)
    moving, wait = let_wait(march, (step,), start - 0.2)
    assert moving == step
    assert wait == AddedStep(c, start, pytest.approx(step.end + UNLOADING), stands=True)
    middle = 0.5 * (wait.start + wait.end)
    assert waiting((moving, wait), c, middle) == wait
    assert waiting((moving, wait), 1 - c, middle) is None
    assert swing_of(march, (moving, wait), c, middle) is None
    assert swing_of(march, (), c, middle) == (start, end, False)
    # What is left of its swing.
    left = swing_of(march, (moving, wait), c, 0.5 * (wait.end + end))
    assert left == (wait.end, end, False)
    planned = np.ones((2, len(march.patches)), bool)
    planned[:, c] = False
    on = standing(planned, np.array([middle, wait.end + 0.01]), (moving, wait))
    np.testing.assert_array_equal(on[:, c], [True, False])
    # A plan later, with the step under way or over, it is the same wait.
    for s in (middle, wait.end - 0.01):
        assert let_wait(march, (moving, wait), s) == (moving, wait)
    assert let_wait(march, (wait,), middle) == (wait,)


def test_nobody_waits_for_longer_than_its_swing_can_be_cut(march, own):
    start, end, c = own
    last = end - SHORTEST - UNLOADING
    assert let_wait(march, (AddedStep(1 - c, last - 0.2, last - 0.001),), start - 0.2)
    assert (
        let_wait(march, (AddedStep(1 - c, last - 0.2, last + 0.001),), start - 0.2)
        is None
    )


def test_no_foot_waits_for_itself(march, own):
    start, _, c = own
    assert (
        let_wait(march, (AddedStep(c, start - 0.1, start + 0.1),), start - 0.1) is None
    )
