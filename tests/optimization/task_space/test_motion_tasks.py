"""Jacobians and biases of all tasks against Drake and finite differences."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from pydrake.math import RigidTransform, RollPitchYaw
from scipy.spatial.transform import Rotation

from backbeat.models.common.errors import BackbeatError
from backbeat.models.dynamics.rotations import box_plus
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.problem.tasks import (
    CenterOfMassTask,
    FrameTask,
    PostureTask,
    Task,
)
from backbeat.optimization.task_space.levels.task_space import TaskSpace
from backbeat.optimization.task_space.tasks.force_tasks import (
    JointForceTask,
    ReactionTask,
)
from backbeat.optimization.task_space.tasks.motion_tasks import (
    BaseTask,
    ContactTask,
    JointTask,
    MassCenterTask,
    MomentumTask,
    OrientationTask,
    PointTask,
    PoseTask,
)
from tests.tolerances import FINITE_DIFFERENCE, RECURSION, ROTATION

STEP = 1e-4
TASKS = {
    "point": lambda r: PointTask(r, "l_hand", (0.1, -0.2, 0.3)),
    "height": lambda r: PointTask(r, "head", axes="z"),
    "orientation": lambda r: OrientationTask(r, "utorso"),
    "pose": lambda r: PoseTask(r, "r_hand"),
    "contact": lambda r: ContactTask(r, "l_foot"),
    "center of mass": lambda r: MassCenterTask(),
    "angular momentum": lambda r: MomentumTask("rx ry rz"),
    "linear momentum": lambda r: MomentumTask("x y z"),
    "joints": lambda r: JointTask(r, ["back", "l_arm_elx"]),
    "posture": lambda r: JointTask(r),
    "base": lambda r: BaseTask(r),
}


@pytest.fixture(scope="module")
def robot() -> RobotModel:
    return RobotModel("atlas")


def random_state(robot: RobotModel, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    q = robot.posture("stand")
    q[:4] = rng.normal(size=4)
    q[:4] /= np.linalg.norm(q[:4])
    q[7:] += rng.uniform(-0.5, 0.5, robot.num_joints)
    return q, rng.normal(size=robot.num_velocities)


@pytest.mark.parametrize("name", TASKS)
def test_bias_is_what_the_velocity_changes_by_without_acceleration(robot, name):
    task, (q, v) = TASKS[name](robot), random_state(robot, 3)

    def velocity(t: float) -> np.ndarray:
        there = np.empty_like(q)
        box_plus(q, v, t, True, there)
        return task.velocity(Configuration(robot, there, v))

    difference = 8 * (velocity(STEP) - velocity(-STEP))
    difference -= velocity(2 * STEP) - velocity(-2 * STEP)
    rate = difference / (12 * STEP)
    bias = task.bias(Configuration(robot, q, v))
    assert bias.shape == (task.dimension,)
    assert_allclose(bias, rate, atol=FINITE_DIFFERENCE * max(1, np.abs(rate).max()))


@pytest.mark.parametrize("seed", range(3))
def test_momentum_is_drakes(robot, seed):
    q, v = random_state(robot, seed)
    plant = robot.plant
    context = plant.CreateDefaultContext()
    plant.SetPositions(context, q)
    plant.SetVelocities(context, v)
    com = plant.CalcCenterOfMassPositionInWorld(context)
    L = plant.CalcSpatialMomentumInWorldAboutPoint(context, com)
    state, task = Configuration(robot, q, v), MomentumTask()
    expected = np.r_[L.rotational(), L.translational()]
    room = RECURSION * np.abs(expected).max()
    assert_allclose(task.velocity(state) * robot.total_mass, expected, atol=room)
    gravity = plant.CalcGravityGeneralizedForces(context)
    assert_allclose(
        state.gravity_forces, gravity, atol=RECURSION * np.abs(gravity).max()
    )


def test_orientation_error_turns_the_frame_to_its_goal(robot):
    q, v = random_state(robot, 1)
    state, task = Configuration(robot, q, v), OrientationTask(robot, "l_hand")
    R_WF = state.pose("l_hand").rotation()
    R_WG = RollPitchYaw(0.4, -0.3, 0.8).ToRotationMatrix() @ R_WF
    turn = Rotation.from_rotvec(task.error(state, R_WG)).as_matrix()
    assert_allclose(turn @ R_WF.matrix(), R_WG.matrix(), atol=ROTATION)


def test_all_tasks_have_one_base_and_one_rule():
    still = np.zeros(1, int)
    tasks = [
        FrameTask("l_hand", still, RigidTransform()),
        CenterOfMassTask(still, np.zeros(3), np.ones(3)),
        PostureTask(still, still, np.zeros(1), 1.0),
        MassCenterTask(),
    ]
    assert all(isinstance(task, Task) for task in tasks)
    assert [task.is_hard for task in tasks] == [True, False, False, True]


def test_mistakes_are_told(robot):
    space, point = TaskSpace(robot), PointTask(robot, "l_hand")
    contact = ContactTask(robot, "l_foot")
    mistakes = {
        "takes 3 finite numbers": lambda: point.set_desired([1.0, 2.0]),
        "takes 3 finite numbers, not": lambda: point.set_desired([1, 2, np.nan]),
        "has to be positive": lambda: space.add(point, -1.0),
        "priority 1 is that of constraints": lambda: space.add(point, 1.0, 1),
        "priority of 2 or more, not 3": lambda: space.add(point, None, 3),
        "holds and takes no weight": lambda: space.add(contact, 2.0),
        "before its reaction": lambda: space.add(ReactionTask(contact, "z")),
        "no reaction along all": lambda: ReactionTask(
            ContactTask(robot, "l_foot", "z"), "x"
        ),
        "unknown frame": lambda: PointTask(robot, "l_paw"),
        "unknown axis": lambda: PointTask(robot, "l_hand", axes="w"),
        "unknown way": lambda: space.solve("best"),
        "is welded and not moved": lambda: BaseTask(RobotModel("ur10")),
    }
    for message, mistake in mistakes.items():
        with pytest.raises(BackbeatError, match=message):
            mistake()
    space.add(point, 1.0)
    with pytest.raises(BackbeatError, match="motions and joint torques"):
        space.add(JointForceTask(robot), 1.0)
