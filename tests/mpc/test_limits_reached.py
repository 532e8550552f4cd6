"""Limits that joints reach are found, with which, how far, when and for how long."""

import numpy as np
import pytest

from backbeat.behaviors.library.behavior import make_robot
from backbeat.mpc.world.limits_reached import limits_reached, reached_in_words

T = np.linspace(0.0, 2.0, 201)


@pytest.fixture(scope="module")
def robot():
    return make_robot("atlas")


@pytest.fixture
def still(robot):
    """Positions in the middle of their ranges, and neither speed nor effort."""
    middle = 0.5 * (robot.position_lower + robot.position_upper)
    zero = np.zeros((len(T), robot.num_joints))
    return zero + middle, zero.copy(), zero.copy()


def test_nothing_is_reached_by_a_robot_that_stands_still(robot, still):
    assert limits_reached(robot, T, *still) == []


@pytest.mark.parametrize(
    ("which", "limit"), [(0, "angle"), (1, "speed"), (2, "effort")]
)
def test_a_limit_is_reached_by_one_joint_for_a_while(robot, still, which, limit):
    j = 3
    most = (robot.position_upper, robot.velocity_limits, robot.effort_limits)[which][j]
    values = still[which]
    values[50:71, j] = most * 1.02 if which else most + 0.02
    values[60, j] = most * 1.08 if which else most + 0.08
    q, v, effort = still
    (row,) = limits_reached(robot, T, q, v, robot.motors.shares(effort))
    assert (row["joint"], row["limit"]) == (robot.joint_names[j], limit)
    assert row["share"] == pytest.approx(1.08 if which else 0.08)
    assert row["at_s"] == pytest.approx(0.6)
    assert row["time_s"] == pytest.approx(0.21, abs=0.01)
    words = reached_in_words([row])
    assert words.startswith(f"{robot.joint_names[j]} ")
    assert "0.60 s" in words


def test_a_speed_just_below_its_limit_is_not_one(robot, still):
    still[1][:, 3] = 0.999 * robot.velocity_limits[3]
    assert limits_reached(robot, T, *still) == []


def test_the_longest_comes_first(robot, still):
    still[1][10:20, 2] = 1.1 * robot.velocity_limits[2]
    still[1][10:90, 5] = 1.1 * robot.velocity_limits[5]
    rows = limits_reached(robot, T, *still)
    assert [row["joint"] for row in rows] == [robot.joint_names[i] for i in (5, 2)]
