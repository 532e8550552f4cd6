"""The same motion elsewhere: Drake says that it is as good there."""

import numpy as np
import pytest
from pydrake.math import RigidTransform, RollPitchYaw

from backbeat.behaviors.library.behavior import centroidal_quantities
from backbeat.behaviors.motion.placement import Placement
from backbeat.optimization.interior_point.solver import InteriorPoint
from backbeat.optimization.reconstruction.reconstruct import reconstruct
from backbeat.optimization.transcription.transcribe import Transcription
from tests.behaviors.drake_robot import DrakeRobot
from tests.optimization.problems import squat
from tests.tolerances import EXACT, RECURSION

HERE = Placement(1.3, -0.7, 2.2)


@pytest.fixture(scope="module")
def motion():
    return reconstruct(InteriorPoint(Transcription(squat())).solve())


def test_places_are_poses_of_the_plane():
    other = Placement(-0.2, 0.4, 1.7)
    both = (HERE @ other).pose()
    assert both.IsNearlyEqualTo(HERE.pose() @ other.pose(), EXACT)
    assert (HERE @ HERE.inverse()).pose().IsNearlyEqualTo(RigidTransform(), EXACT)


def test_the_place_between_two_feet():
    feet = [
        RigidTransform(RollPitchYaw(0.0, 0.0, 3.0), [1.0, 0.0, 0.0]),
        RigidTransform(RollPitchYaw(0.0, 0.0, -3.0), [1.0, 0.4, 0.0]),
    ]
    middle = Placement.between(feet)
    assert (middle.x, middle.y) == pytest.approx((1.0, 0.2))
    assert abs(middle.yaw) == pytest.approx(np.pi)


def test_a_moved_motion_needs_the_same_torques(motion):
    """Inverse dynamics of the whole robot, less the turned wrenches of contacts."""
    robot = squat().robot
    drake, moved = DrakeRobot(robot), HERE.motion(motion)
    assert np.array_equal(moved.tau, motion.tau)
    assert np.array_equal(moved.wrench, motion.wrench)
    for i in range(0, len(moved.t), 17):
        drake.set(moved.q[i], moved.v[i])
        tau = drake.inverse_dynamics(moved.vdot[i])
        for c, name in enumerate(moved.contacts):
            X_WC = drake.pose(name)
            np.testing.assert_allclose(
                X_WC.translation(), moved.p_WC[i, c], atol=RECURSION
            )
            R = moved.R_WC[i, c]
            np.testing.assert_allclose(X_WC.rotation().matrix(), R, atol=RECURSION)
            w = moved.wrench[i, c]
            tau -= drake.jacobian(name).T @ np.r_[R @ w[:3], R @ w[3:]]
        scale = np.abs(tau).max()
        np.testing.assert_allclose(tau[6:], moved.tau[i], atol=RECURSION * scale)
        np.testing.assert_allclose(tau[:6], 0.0, atol=RECURSION * robot.weight)


def test_center_of_mass_and_momentum_turn_with_it(motion):
    robot, R = squat().robot, HERE.rotation.matrix()
    com, momentum, inertia = centroidal_quantities(robot, motion)
    moved = centroidal_quantities(robot, HERE.motion(motion))
    np.testing.assert_allclose(
        moved[0], com @ R.T + [HERE.x, HERE.y, 0.0], atol=RECURSION
    )
    turned = np.c_[momentum[:, :3] @ R.T, momentum[:, 3:] @ R.T]
    np.testing.assert_allclose(moved[1], turned, atol=RECURSION * np.abs(turned).max())
    np.testing.assert_allclose(
        moved[2], R @ inertia @ R.T, atol=RECURSION * np.abs(inertia).max()
    )


def test_and_back_again_it_is_where_it_was(motion):
    back = HERE.inverse().motion(HERE.motion(motion))
    for name in ("q", "v", "vdot", "R_WC", "p_WC"):
        np.testing.assert_allclose(
            getattr(back, name), getattr(motion, name), atol=RECURSION
        )
