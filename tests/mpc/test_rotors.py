"""Rotors of a G1 wherever its dynamics are computed, against Drake's.

Planners, the whole-body program and the simulated plant have tests of their own, with
rotors: `test_linearization.py`, `test_whole_body_program.py`, `test_drives.py`.
"""

import numpy as np
import pytest

from backbeat.models.robot.model import RobotModel
from backbeat.mpc.monitoring.momentum_observer import MomentumObserver
from backbeat.optimization.task_space.levels.task_space import TaskSpace
from backbeat.optimization.task_space.tasks.motion_tasks import JointTask, PointTask
from tests.behaviors.drake_robot import DrakeRobot
from tests.tolerances import RECURSION

GROUPS = ("waist", "l_arm", "r_arm", "l_leg", "r_leg")


@pytest.fixture(scope="module")
def robot():
    return RobotModel("g1")


@pytest.fixture(scope="module")
def bare(tmp_path_factory, robot):
    """The same without rotors."""
    path = tmp_path_factory.mktemp("bare") / "bare.yaml"
    lines = [f"  {name}: 0.0\n" for name in robot.joint_names]
    # Gains that a millisecond holds without rotors.
    soft = [f"  {g}: {{frequency: 3.0, least_inertia: 1.0e-4}}\n" for g in GROUPS]
    text = ["name: bare\nlike: g1\narmature:\n", *lines, "servo:\n", *soft]
    path.write_text("".join(text))
    return RobotModel(path)


@pytest.fixture(params=range(3))
def state(request, robot):
    rng = np.random.default_rng(request.param)
    q = robot.posture("ready")
    q[7:] += 0.1 * rng.normal(size=robot.num_joints)
    return q, rng.normal(size=robot.num_velocities)


def mass_matrix(robot, q):
    """(nv, nv) by Drake."""
    drake = DrakeRobot(robot)
    drake.set(q, np.zeros(robot.num_velocities))
    still = drake.inverse_dynamics(np.zeros(robot.num_velocities))
    eye = np.eye(robot.num_velocities)
    return np.array([drake.inverse_dynamics(e) - still for e in eye]).T


def test_torques_of_task_space_make_its_accelerations(robot, bare, state):
    q, v = state
    left = {}
    for model in (robot, bare):
        space = TaskSpace(model)
        hand, posture = PointTask(model, "left_wrist_yaw_link"), JointTask(model)
        space.add(hand, 1.0, 2)
        space.add(posture, 1.0, 3)
        hand.set_desired([3.0, -2.0, 4.0])
        space.update(q, v)
        found = space.solve()
        drake = DrakeRobot(robot)
        drake.set(q, v)
        wanted = drake.inverse_dynamics(found.vdot)
        error = np.abs(np.r_[np.zeros(6), found.tau] - wanted)
        left[model.name] = error.max() / np.abs(wanted).max()
    assert left["g1"] < RECURSION
    assert left["bare"] > 1e-3


def test_momentum_that_is_observed_has_rotors(robot, state):
    """Rows of the mass matrix, of which changes of momentum are made."""
    q, v = state
    observer, nothing = MomentumObserver(robot), np.zeros(robot.num_joints)
    seen = observer(observer.start(0.0, q, v, nothing), 1e-3, q, v, nothing)
    M = mass_matrix(robot, q)[observer.rows]
    assert np.abs(seen.terms.M - M).max() < RECURSION * np.abs(M).max()


def test_a_mass_matrix_differs_by_its_rotors_alone(robot, bare, state):
    q, _ = state
    change = mass_matrix(robot, q) - mass_matrix(bare, q)
    added = np.diag(np.r_[np.zeros(6), robot.tree.rotor])
    assert np.abs(change - added).max() < RECURSION * 100
    assert (robot.tree.rotor > 0.003).all()
