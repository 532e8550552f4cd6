"""Ways of an arm: plain where that is clear, around what is there where it is not."""

import itertools

import numpy as np

from backbeat.behaviors.drumming.arm_paths import ArmPathSearch

START, END = np.zeros(2), np.array([1.0, 0.0])
LIFT = (np.array([0.2, 0.0]), np.array([0.8, 0.0]))


def around(center, radius):
    """Clearance of a disc in a plane of two joints."""
    return lambda joints, with_tip: float(np.linalg.norm(joints - center)) - radius


def test_a_clear_way_is_plain():
    way = ArmPathSearch(around([0.5, 2.0], 0.3), 0.0).find(START, END, [LIFT])
    assert [s for s, _ in way] == [1 / 3, 2 / 3]
    np.testing.assert_array_equal([q for _, q in way], LIFT)


def test_what_is_in_the_way_is_passed_on_a_clear_way():
    clearance = around(np.array([0.5, 0.05]), 0.15)
    way = ArmPathSearch(clearance, 0.0).find(START, END, [LIFT])
    assert len(way) == 3
    points = [START, *[q for _, q in way], END]
    for a, b in itertools.pairwise(points):
        for s in np.linspace(0, 1, 50):
            assert clearance(a + s * (b - a), True) > -2e-3
    shares = [s for s, _ in way]
    assert shares == sorted(shares)


def test_the_plain_way_is_what_is_left_when_all_are_blocked():
    way = ArmPathSearch(lambda joints, with_tip: -1.0, 0.0).find(START, END, [LIFT])
    np.testing.assert_array_equal([q for _, q in way], LIFT)


def test_the_same_way_is_found_every_time():
    clearance = around(np.array([0.5, 0.05]), 0.15)
    ways = [ArmPathSearch(clearance, 0.0).find(START, END, [LIFT]) for _ in range(2)]
    np.testing.assert_array_equal([q for _, q in ways[0]], [q for _, q in ways[1]])
