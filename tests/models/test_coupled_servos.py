"""Servos that act on one motion: the recursion of all joints says whether they hold."""

import numpy as np
import pytest
from scipy.linalg import expm

from backbeat.models.actuation.coupled_servos import coupled_shares
from backbeat.models.actuation.servo_margin import SampledServo, Sampling
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration

# Sensors 2 ms late, and motors at once or with a lag of 2 ms.
LATE = [Sampling(1e-3, 2, 0.0), Sampling(1e-3, 2, 2e-3)]


def shaken(inertia, gains, sampling, share=1.0):
    """Largest angle of joints after two seconds from a start of 1 rad.

    Inertia is that of all joints; the motors' answer within a step is a matrix
    exponential, so that nothing here is shared with what is tested.
    """
    step, late, lag = sampling
    n = len(inertia)
    q, v, u = np.linspace(0.5, 1.0, n), np.zeros(n), np.zeros(n)
    seen = [(q, v)] * (late + 1)
    for _ in range(round(2.0 / step)):
        seen = [(q, v), *seen[:late]]
        w = -share * (gains[0] * seen[late][0] + gains[1] * seen[late][1])
        mean = w
        if lag > 0:
            A = np.array([[-1 / lag, 0.0], [1.0, 0.0]])
            E = expm(A * step)
            mean = w + E[1, 0] / step * (u - w)
            u = w + E[0, 0] * (u - w)
        v = v + step * np.linalg.solve(inertia, mean)
        q = q + step * v
        if not np.abs(q).max() < 1e6:
            return np.inf
    return np.abs(q).max()


def arm(between):
    """A shoulder and an elbow about one line: what is between and beyond them."""
    beyond = 0.02
    return np.array([[between + beyond, beyond], [beyond, beyond]])


def alone(inertia, tau):
    """Gains that each joint takes at a latency, with all else free."""
    felt = 1 / np.diag(np.linalg.inv(inertia))
    damping = 0.5 * felt / tau
    return 0.25 * damping / tau, damping


@pytest.mark.parametrize("sampling", LATE)
def test_two_servos_on_one_link_hold_together(sampling):
    """Each alone has half of what it bears, and together they shake a light link."""
    inertia, tau = arm(0.002), 1e-3 * sampling.late + sampling.lag
    inverse = np.linalg.inv(inertia)
    gains = tuple(1.6 * g for g in alone(inertia, tau))
    for j in range(2):
        felt = 1 / inverse[j, j]
        assert SampledServo(felt, gains[0][j], gains[1][j], 0.0, *sampling).holds()
    assert shaken(inertia, gains, sampling) > 1e3
    shares = coupled_shares(inverse, gains, np.zeros(2), sampling)
    assert (shares > 0.3).all()
    held = tuple(shares * g for g in gains)
    assert shaken(inertia, held, sampling) < 0.05
    # With the room that was asked for, and not much more.
    assert shaken(inertia, held, sampling, share=1.45) < 2.0
    assert shaken(inertia, held, sampling, share=1.7) > 1e3


def test_servos_that_share_nothing_keep_their_gains():
    inertia = np.diag([0.002, 0.02, 0.3])
    gains = alone(inertia, 2e-3)
    inverse = np.linalg.inv(inertia)
    shares = coupled_shares(inverse, gains, np.zeros(3), LATE[0])
    assert (shares == 1.0).all()


def test_only_what_moves_with_the_link_gets_softer():
    """A wrist that goes on as it did keeps its gains, and a joint without a servo."""
    inertia = np.zeros((4, 4))
    inertia[:2, :2], inertia[2, 2], inertia[3, 3] = arm(0.002), 0.05, 1.0
    stiffness, damping = (1.6 * g for g in alone(inertia, 2e-3))
    stiffness[2:] /= 1.6
    damping[2:] /= 1.6
    stiffness[3] = damping[3] = 0.0
    shares = coupled_shares(
        np.linalg.inv(inertia), (stiffness, damping), np.zeros(4), LATE[0]
    )
    assert shares.max() == 1.0
    assert (shares[:2] < 0.95).all()
    assert (shares[2:] == 1.0).all()


def test_arms_raised_to_the_sides_are_held():
    """The T1's shoulder and elbow then turn about one line, with a shell between."""
    robot = RobotModel("t1")
    q = robot.posture("stand")
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        joint = robot.joint_index(f"{side}_Shoulder_Roll")
        q[robot.base_positions + joint] = sign * 1.3
    M = Configuration(robot, q).mass_matrix
    first = robot.base_velocities
    inverse = np.linalg.inv(M)[first:, first:]
    arms = np.zeros(robot.num_joints)
    arms[robot.joint_indices(["l_arm", "r_arm"])] = 1.0
    stiffness, damping = alone(np.linalg.inv(inverse), 2e-3)
    gains = arms * stiffness, arms * damping
    wide = tuple(np.r_[np.zeros(first), g] for g in gains)
    assert shaken(M, wide, LATE[0]) > 1e3
    shares = coupled_shares(inverse, gains, robot.damping, LATE[0])
    held = tuple(np.r_[np.zeros(first), shares * g] for g in gains)
    q = shaken(M, held, LATE[0])
    assert q < 10.0
    softer = {robot.joint_names[j] for j in np.flatnonzero(shares < 0.95)}
    assert {"Left_Shoulder_Pitch", "Left_Elbow_Pitch"} <= softer
