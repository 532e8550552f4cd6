"""Task spaces of both robots at random states."""

import numpy as np

from backbeat.models.robot.model import RobotModel
from backbeat.optimization.task_space.levels.task_space import TaskSpace
from backbeat.optimization.task_space.tasks.motion_tasks import (
    ContactTask,
    JointTask,
    MassCenterTask,
    MotionTask,
    PointTask,
)

FEET = ("l_foot", "r_foot")


def arm(seed: int) -> TaskSpace:
    """The UR10: hand, then posture, at a random state away from singularities."""
    robot, rng = RobotModel("ur10"), np.random.default_rng(seed)
    space = TaskSpace(robot)
    space.add(PointTask(robot, "tool0"), 1.0, 2)
    space.add(JointTask(robot), 1.0, 3)
    q = robot.posture("ready") + rng.uniform(-0.3, 0.3, 6)
    space.update(q, rng.normal(size=6))
    return space


def standing(seed: int) -> TaskSpace:
    """Atlas on two feet: center of mass, then a hand, then posture."""
    robot, rng = RobotModel("atlas"), np.random.default_rng(seed)
    space = TaskSpace(robot)
    for foot in FEET:
        space.add(ContactTask(robot, foot))
    space.add(MassCenterTask(), 1.0, 2)
    space.add(PointTask(robot, "l_hand"), 1.0, 3)
    space.add(JointTask(robot), 1.0, 4)
    q = robot.posture("stand")
    q[7:] += rng.uniform(-0.1, 0.1, robot.num_joints)
    space.update(q, rng.normal(size=robot.num_velocities))
    return space


def ask(space: TaskSpace, seed: int) -> None:
    """Gives every motion task a random wish."""
    rng = np.random.default_rng(seed)
    for priority in space.priorities:
        for task in space.tasks(priority):
            assert isinstance(task, MotionTask)
            task.set_desired(3.0 * rng.normal(size=task.dimension))


def contact_rows(space: TaskSpace) -> tuple[np.ndarray, np.ndarray]:
    """(m, nv) stacked Jacobian of the contacts and (m,) Jdot v."""
    state, nv = space.state, space.robot.num_velocities
    G = [c.jacobian(state) for c in space.contacts]
    bias = [c.bias(state) for c in space.contacts]
    return np.vstack([np.zeros((0, nv)), *G]), np.concatenate([np.zeros(0), *bias])
