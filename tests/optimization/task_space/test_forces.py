"""Tasks for reactions and joint torques, on bolted and on free robots."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from backbeat.models.robot.model import RobotModel
from backbeat.optimization.task_space.levels.task_space import TaskSpace
from backbeat.optimization.task_space.tasks.force_tasks import (
    JointForceTask,
    ReactionTask,
)
from backbeat.optimization.task_space.tasks.motion_tasks import (
    ContactTask,
    JointTask,
    MomentumTask,
    PointTask,
)
from tests.optimization.task_space.robots import ask, standing
from tests.tolerances import HIERARCHY


def test_a_hand_presses_as_asked_and_slides_as_asked():
    """One reaction, and what moves along the wall does not feel it."""
    robot, rng = RobotModel("ur10"), np.random.default_rng(2)
    space = TaskSpace(robot)
    wall = ContactTask(robot, "tool0", "x")
    along, posture = PointTask(robot, "tool0", axes="y z"), JointTask(robot)
    press = ReactionTask(wall, "x")
    space.add(wall)
    space.add(along, 1.0, 2)
    space.add(posture, 1.0, 3)
    space.add(press, 1.0)
    along.set_desired([0.4, -0.7])
    space.update(robot.posture("ready"), 0.2 * rng.normal(size=6))
    motions = []
    for force in (-50.0, 0.0, 20.0):
        press.set_desired([force])
        found = space.solve()
        assert found.reaction["tool0"] == pytest.approx(force, abs=HIERARCHY * 1e3)
        assert np.abs(found.error[2]).max() < HIERARCHY
        motions.append(found.vdot)
    assert_allclose(motions[1:], [motions[0]] * 2, atol=HIERARCHY)


def test_atlas_shifts_its_weight_without_moving():
    space = standing(1)
    ask(space, 1)
    left = space.contacts[0]
    free = space.solve()
    load = ReactionTask(left, "z")
    space.add(load, 1.0)
    load.set_desired([1.1 * free.reaction["l_foot"][5]])
    found = space.solve()
    assert found.reaction["l_foot"][5] == pytest.approx(load.desired[0], rel=1e-6)
    assert_allclose(found.vdot, free.vdot, atol=1e-8)
    weight = sum(f[5] for f in free.reaction.values())
    assert sum(f[5] for f in found.reaction.values()) == pytest.approx(weight)


def test_joint_torques_are_projected_below_what_is_above():
    robot, rng = RobotModel("ur10"), np.random.default_rng(3)
    space = TaskSpace(robot)
    hand, torques = PointTask(robot, "tool0"), JointForceTask(robot)
    space.add(hand, 1.0, 2)
    space.add(torques, 1.0, 3)
    hand.set_desired([1.0, 2.0, -1.0])
    torques.set_desired(30.0 * rng.normal(size=6))
    space.update(robot.posture("ready"), rng.normal(size=6))
    found = space.solve()
    N = space.levels[2].null_space
    assert_allclose(found.level_force[3], N.T @ torques.desired, atol=1e-9)
    assert np.abs(found.error[2]).max() < HIERARCHY
    assert_allclose(found.tau, found.level_force[2] + found.level_force[3], atol=1e-9)


def test_in_the_air_momentum_is_nobodys_to_choose():
    """A free robot can do what moves none of its momentum, and asks for no more."""
    robot, rng = RobotModel("atlas"), np.random.default_rng(4)
    space = TaskSpace(robot)
    hand, posture = PointTask(robot, "l_hand"), JointTask(robot)
    space.add(hand, 1.0, 2)
    space.add(posture, 1.0, 3)
    hand.set_desired([3.0, -2.0, 4.0])
    q = robot.posture("stand")
    space.update(q, 0.3 * rng.normal(size=36))
    found, momentum = space.solve(), MomentumTask()
    state = space.state
    rate = momentum.jacobian(state) @ found.vdot + momentum.bias(state)
    damping = np.r_[np.zeros(6), robot.damping * state.v[6:]]
    assert_allclose(rate, [0, 0, 0, 0, 0, -robot.gravity], atol=HIERARCHY)
    assert np.abs(found.error[2]).max() < HIERARCHY
    tau = np.r_[np.zeros(6), found.tau]
    residual = state.mass_matrix @ found.vdot + state.bias + damping - tau
    assert np.abs(residual).max() < 1e-8


def test_on_one_foot_the_other_may_go_where_it_likes():
    robot = RobotModel("atlas")
    space = TaskSpace(robot)
    space.add(ContactTask(robot, "l_foot"))
    foot = PointTask(robot, "r_foot")
    space.add(foot, 1.0, 2)
    space.add(JointTask(robot), 1.0, 3)
    foot.set_desired([0.5, -1.0, 2.0])
    space.update(robot.posture("stand"), np.zeros(36))
    found = space.solve()
    assert np.abs(found.error[2]).max() < HIERARCHY
    stands = space.contacts[0].jacobian(space.state) @ found.vdot
    assert np.abs(stands).max() < HIERARCHY


def test_known_forces_are_made_up_for():
    """A load that the model is told of changes torques, and no acceleration."""
    robot, rng = RobotModel("ur10"), np.random.default_rng(5)
    space = TaskSpace(robot)
    posture = JointTask(robot)
    space.add(posture, 1.0, 2)
    posture.set_desired(rng.normal(size=6))
    q, v, load = robot.posture("ready"), rng.normal(size=6), rng.normal(size=6)
    space.update(q, v)
    without = space.solve()
    space.update(q, v, load)
    with_load = space.solve()
    assert_allclose(with_load.vdot, without.vdot, atol=HIERARCHY)
    assert_allclose(without.tau - with_load.tau, load, atol=HIERARCHY)
