"""Steps: those that a behavior does not make, and when which foot stands."""

import itertools

import numpy as np
import pytest

from mpc.reference import Reference
from mpc.stepping import Step, recovery_steps, standing, swing_of


@pytest.fixture(scope="module")
def march(built):
    return Reference(built("march"))


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
