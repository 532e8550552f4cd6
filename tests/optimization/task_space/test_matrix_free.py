"""Without matrices as with them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from backbeat.models.robot.model import RobotModel
from backbeat.optimization.task_space.levels.matrix_free import MatrixFreePoint
from backbeat.optimization.task_space.levels.task_space import TaskSpace
from backbeat.optimization.task_space.tasks.force_tasks import JointForceTask
from backbeat.optimization.task_space.tasks.motion_tasks import PointTask
from tests.tolerances import HIERARCHY


@pytest.mark.parametrize("seed", range(4))
def test_forces_are_those_of_the_task_space(seed):
    robot, rng = RobotModel("ur10"), np.random.default_rng(seed)
    q, v = robot.posture("ready") + rng.uniform(-0.3, 0.3, 6), rng.normal(size=6)
    wish, below = rng.normal(size=3), 20.0 * rng.normal(size=6)
    task, torques = PointTask(robot, "tool0"), JointForceTask(robot)
    space = TaskSpace(robot)
    space.add(task, 1.0, 2)
    space.add(torques, 1.0, 3)
    task.set_desired(wish)
    torques.set_desired(below)
    space.update(q, v)
    found, level = space.solve(), space.levels[2]
    change = wish - level.acceleration_before(space.dynamics.phi_0)
    free = MatrixFreePoint(robot, task).forces(q, change, below)
    assert free is not None
    size = np.abs(found.tau).max()
    assert_allclose(free, found.tau, atol=HIERARCHY * size)
