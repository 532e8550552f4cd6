"""Where limbs of a joint without a stop end: where they would not yield, or nowhere."""

import numpy as np
import pytest

from backbeat.models.robot.model import RobotModel
from backbeat.mpc.whole_body.programs.limbs import LIMB_MARGIN, find_limbs

# Steps in which an endless joint is looked at [rad].
STEP = 2 * np.pi / 100


@pytest.fixture
def endless():
    """`endless(n)` is a G1 whose n-th joint of a leg has no stops."""

    def call(n):
        robot = RobotModel("g1")
        robot.position_lower = robot.position_lower.copy()
        robot.position_upper = robot.position_upper.copy()
        joint = robot.contacts["l_foot"].limb[n]
        robot.position_lower[joint], robot.position_upper[joint] = -np.inf, np.inf
        return find_limbs(robot, ["l_foot"]).ranges[:, 0]

    return call


@pytest.fixture(scope="module")
def described():
    return find_limbs(RobotModel("g1"), ["l_foot"]).ranges[:, 0]


def test_a_range_is_within_the_stops(described):
    robot = RobotModel("g1")
    limb = list(robot.contacts["l_foot"].limb)
    assert (described[0] >= robot.position_lower[limb] + LIMB_MARGIN - 1e-12).all()
    assert (described[1] <= robot.position_upper[limb] - LIMB_MARGIN + 1e-12).all()


def test_an_endless_yaw_has_no_end(endless, described):
    """A hip that turns about the leg leaves the leg as bent as it is."""
    found = endless(2)
    assert np.isinf(found[:, 2]).all()
    others = [0, 1, 3, 4, 5]
    assert np.abs(found[:, others] - described[:, others]).max() < 0.1


def test_an_endless_knee_ends_before_it_is_straight(endless, described):
    found = endless(3)
    assert abs(found[0, 3] - described[0, 3]) < 2 * STEP
    assert found[0, 3] > 0.0
    assert np.isfinite(found[1, 3])
