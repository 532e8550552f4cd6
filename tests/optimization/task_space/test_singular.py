"""Near singularities torques stay bounded and nothing jumps."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from backbeat.models.robot.model import RobotModel
from backbeat.optimization.task_space.levels.task_space import TaskSpace
from backbeat.optimization.task_space.limited.limits import JointLimits
from backbeat.optimization.task_space.limited.program import LimitedProgram
from backbeat.optimization.task_space.tasks.motion_tasks import JointTask, PointTask
from backbeat.optimization.task_space.tasks.rank import (
    by_eigenvalues,
    deciding,
    is_light,
    rank_adjusted,
)
from tests.tolerances import HIERARCHY, LIMITED

HEAVIEST = 300.0
# What the hand asks for along the arm [m/s^2].
WISH = 10.0
# Of share^2 / s, at t = 9/10 or so.
ENERGY = 1.06


def compliance(eigenvalues: np.ndarray, seed: int = 0) -> np.ndarray:
    """A symmetric matrix with these eigenvalues."""
    n = len(eigenvalues)
    V = np.linalg.qr(np.random.default_rng(seed).normal(size=(n, n)))[0]
    return (V * eigenvalues) @ V.T


def test_away_from_singularities_it_is_the_inverse():
    A = compliance(np.array([1.0 / HEAVIEST, 0.1, 7.0]))
    found = rank_adjusted(A, HEAVIEST)
    assert found.is_full
    assert_allclose(found.inverse @ A, np.eye(3), atol=HIERARCHY)


def test_what_cannot_be_moved_is_left_alone():
    A = compliance(np.array([0.0, 0.1, 7.0]))
    found = rank_adjusted(A, HEAVIEST)
    assert_allclose(found.inverse, np.linalg.pinv(A, 1e-9), atol=HIERARCHY)


@given(st.floats(-16, 3), st.integers(0, 100))
def test_no_wish_costs_more_than_the_heaviest_mass(exponent, seed):
    A = compliance(np.array([10.0**exponent, 0.2, 3.0]), seed)
    L = rank_adjusted(A, HEAVIEST).inverse
    # The acceleration energy of f = G' L x is x' L A L x.
    energy = np.linalg.eigvalsh(L @ A @ L).max()
    assert energy <= ENERGY * HEAVIEST


@given(st.floats(-6, 1), st.integers(0, 100))
def test_forces_change_as_little_as_the_compliance(exponent, seed):
    """No jump: root of energy for eigenvalues a thousandth apart."""
    s = 10.0**exponent
    forces = []
    for scale in (1.0, 1.001):
        A = compliance(np.array([s * scale, 0.2, 3.0]), seed)
        found = rank_adjusted(A, HEAVIEST)
        V = compliance(np.ones(3), seed)
        forces.append(np.linalg.norm(found.inverse @ A @ V - V))
    assert abs(forces[1] - forces[0]) < 3e-3


@given(st.floats(-2, 1), st.floats(-0.9, 0), st.integers(0, 100))
def test_without_eigenvalues_the_inverse_is_the_same(exponent, mobility, seed):
    """Where nothing is given up: with levels above and without."""
    rng = np.random.default_rng(seed)
    alone = compliance(np.array([10.0**exponent, 0.2, 3.0]), seed)
    root = np.linalg.cholesky(alone)
    A = root @ compliance(np.array([10.0**mobility, 0.5, 1.0]), seed + 1) @ root.T
    assume(is_light(A, HEAVIEST))
    for case in ((A, None), (A, alone)):
        quick, slow = (
            rank_adjusted(case[0], HEAVIEST, case[1]),
            by_eigenvalues(case[0], HEAVIEST, case[1]),
        )
        assert quick.D is None
        assert slow.D is not None
        assert slow.is_full
        assert_allclose(quick.inverse, slow.inverse, rtol=HIERARCHY)
        squares = [r.metric.T @ r.metric for r in (quick, slow)]
        assert_allclose(*squares, rtol=HIERARCHY)
    # Five tasks that decide all four accelerations, of which two are left.
    E, V = rng.normal(size=(5, 4)), np.linalg.qr(rng.normal(size=(4, 2)))[0]
    quick = deciding(E, V @ V.T, HEAVIEST)
    slow = by_eigenvalues(E @ V @ V.T @ E.T, HEAVIEST, E @ E.T)
    assert slow.is_partial == (quick is None)
    if quick is None:
        return
    assert quick.share.sum() == slow.share.sum().round(9) == 2.0
    scale = np.abs(slow.inverse).max()
    assert_allclose(quick.inverse, slow.inverse, atol=HIERARCHY * scale)
    squares = [r.metric.T @ r.metric for r in (quick, slow)]
    assert_allclose(*squares, atol=HIERARCHY * np.abs(squares[1]).max())


def test_tasks_that_leave_something_do_not_decide():
    rng = np.random.default_rng(0)
    E = rng.normal(size=(4, 4))
    assert deciding(E[:3], np.eye(4), HEAVIEST) is None
    E[:, 3] = E[:, 2]
    assert deciding(E, np.eye(4), HEAVIEST) is None


def stretching(heaviest: float, step: float) -> np.ndarray:
    """(n, 6) torques while the UR10 stretches out straight, [rad] by [rad]."""
    robot = RobotModel("ur10")
    space = TaskSpace(robot, heaviest)
    hand, posture = PointTask(robot, "wrist_1_link"), JointTask(robot)
    space.add(hand, 1.0, 2)
    space.add(posture, 1.0, 3)
    hand.set_desired([WISH, 0.0, 0.0])
    torques = []
    # The last one is straight but for half a step.
    for angle in np.arange(0.2, 0.0, -step):
        q = np.array([0.0, -0.5 * angle, angle, -0.5 * angle, 0.2, 0.0])
        space.update(q, np.zeros(6))
        torques.append(space.solve().tau)
    return np.array(torques)


def test_a_stretching_arm_asks_for_bounded_torques():
    """Within what the acceleration energy allows, the arm's inertia being 10 kg m^2."""
    robot = RobotModel("ur10")
    gravity, torques = np.abs(stretching(10.0, 1e-3)[-1]).max(), stretching(10.0, 1e-3)
    bound = WISH * np.sqrt(ENERGY * 10.0 * robot.total_mass * 10.0)
    assert np.abs(torques).max() < bound + gravity < 800.0


def test_and_without_a_jump():
    """Half the steps of the elbow, half the steps of torque, all the way."""
    jumps = [
        np.abs(np.diff(stretching(10.0, step), axis=0)).max() for step in (4e-4, 2e-4)
    ]
    assert jumps[0] < 20.0
    assert jumps[1] == pytest.approx(0.5 * jumps[0], rel=0.1)


def test_an_inverse_without_the_rule_would_not_be_bounded():
    assert np.abs(stretching(1e12, 1e-3)).max() > 1e4


def test_programs_ask_no_more_of_a_stretched_arm_than_the_closed_form():
    """Limits far away, the same share of a wish along the arm is kept."""
    robot = RobotModel("ur10")
    space = TaskSpace(robot)
    hand = PointTask(robot, "wrist_1_link")
    space.add(hand, 1.0, 2)
    hand.set_desired([WISH, 1.0, 2.0])
    none = np.full(6, np.inf)
    program = LimitedProgram(space, JointLimits(none, none, none))
    for angle in (0.3, 0.1, 0.05, 0.02):
        q = np.array([0.0, -0.5 * angle, angle, -0.5 * angle, 0.2, 0.0])
        space.update(q, np.zeros(6))
        free, found = space.solve(), program.solve()
        assert found.is_solved
        assert_allclose(found.vdot, free.vdot, atol=LIMITED * np.abs(free.vdot).max())


@pytest.mark.parametrize("angle", [0.05, 0.01, 0.0])
def test_the_posture_takes_what_the_hand_gives_up(angle):
    """The direction that the hand cannot have is left to what is below it."""
    robot = RobotModel("ur10")
    space = TaskSpace(robot)
    space.add(PointTask(robot, "wrist_1_link"), 1.0, 2)
    posture = JointTask(robot)
    space.add(posture, 1.0, 3)
    posture.set_desired(np.ones(6))
    q = np.array([0.0, -0.5 * angle, angle, -0.5 * angle, 0.2, 0.0])
    space.update(q, np.zeros(6))
    kept = space.levels[2].rank.share.sum()
    left = np.trace(space.levels[2].projector_below)
    assert left == pytest.approx(6.0 - kept)
    assert kept < 2.5
