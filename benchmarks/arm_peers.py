"""An arm that follows, under our task-space control and under Drake's controllers.

All are called from Python at 1 kHz and have the same model, gains and torque limits;
they drive plants of their own, a block of calls each in turns, so that a slow minute of
the machine hits them alike.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from pydrake.multibody.inverse_kinematics import (
    DifferentialInverseKinematicsParameters,
    DoDifferentialInverseKinematics,
)
from pydrake.multibody.math import SpatialVelocity
from pydrake.multibody.plant import MultibodyPlant
from pydrake.systems.analysis import Simulator
from pydrake.systems.controllers import InverseDynamicsController
from pydrake.systems.framework import DiagramBuilder

from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.models.world.scene import ContactSettings, add_world
from backbeat.mpc.scenario.target_motion import TargetMotion
from backbeat.mpc.task_space.law import TaskSpaceLaw, TaskSpaceSettings
from backbeat.optimization.task_space.levels.task_space import TaskSpace
from backbeat.optimization.task_space.tasks.motion_tasks import JointTask

ROBOT, HAND, START = "ur10", "tool0", "ready"
PERIOD = 1e-3
# Calls in a row: with one each in turns, nobody finds the caches warm, and what is fast
# loses most.
BLOCK = 250
STIFFNESS, DAMPING = 225.0, 30.0  # [1/s^2], [1/s]
# Pull toward the posture, of Drake's hand as of ours: about damping over stiffness.
CENTERING = 5.0  # [1/s]
CIRCLE = TargetMotion(radius=0.2, frequency=0.5)
# Joint trajectory: each joint sways in a phase of its own [rad, Hz].
SWAY, FREQUENCY = 0.2, 0.5


class Control(Protocol):
    """Torques (nj,) [N m] for a time [s] and a state (nq,), (nv,)."""

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray: ...


def joint_target(t: float, middle: np.ndarray) -> np.ndarray:
    """(3, nj) angles [rad], rates and accelerations of the joint trajectory."""
    w = 2.0 * np.pi * FREQUENCY
    phase = np.arange(len(middle)) + w * t
    s, c = SWAY * np.sin(phase), SWAY * np.cos(phase)
    return np.array([middle + s, w * c, -w * w * s])


class OurHand:
    """Backbeat: a hand by priorities, straight to torques."""

    def __init__(
        self, robot: RobotModel, limits: str = "truncate", differences: bool = False
    ) -> None:
        self._differences = differences
        q = robot.posture(START)
        gains = TaskSpaceSettings(stiffness=STIFFNESS, damping=DAMPING, limits=limits)
        self.law = TaskSpaceLaw(robot, HAND, gains, q)
        self.start = np.array(Configuration(robot, q).pose(HAND).translation())

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        target = CIRCLE.at(t, self.start)
        if self._differences:
            # As Drake's joints are told: the change to come, and the last one.
            before, after = (
                CIRCLE.at(s, self.start)[0] for s in (t - PERIOD, t + PERIOD)
            )
            target[1] = (target[0] - before) / PERIOD
            target[2] = (after - 2.0 * target[0] + before) / PERIOD**2
        return self.law(q, v, target).tau


class OurJoints:
    """Backbeat: joint accelerations as the one task there is."""

    def __init__(self, robot: RobotModel) -> None:
        self.middle, self.space = robot.posture(START), TaskSpace(robot)
        self.task = self.space.add(JointTask(robot))

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        qd, vd, ad = joint_target(t, self.middle)
        self.space.update(q, v)
        self.task.set_desired(ad - STIFFNESS * (q - qd) - DAMPING * (v - vd))
        return self.space.solve().tau


def drake_plant(robot: RobotModel) -> MultibodyPlant:
    """The robot alone, as Drake's controllers want it."""
    plant = MultibodyPlant(0.0)
    robot.add_to(plant)
    plant.Finalize()
    return plant


class DrakeJoints:
    """Drake's InverseDynamicsController, without integral term."""

    def __init__(self, robot: RobotModel) -> None:
        self.middle, self._plant = robot.posture(START), drake_plant(robot)
        one = np.ones(robot.num_joints)
        self._system = InverseDynamicsController(
            self._plant, STIFFNESS * one, 0.0 * one, DAMPING * one, True
        )
        self._context = self._system.CreateDefaultContext()
        blank = {
            "estimated_state": np.r_[one, one],
            "desired_state": np.r_[one, one],
            "desired_acceleration": one,
        }
        # Values are written in place: a new one would cost more than the controller.
        self._values = {
            name: self._system.GetInputPort(name).FixValue(self._context, value)
            for name, value in blank.items()
        }
        self._output = self._system.GetOutputPort("generalized_force")

    def torques(
        self, q: np.ndarray, v: np.ndarray, desired: Iterable[np.ndarray]
    ) -> np.ndarray:
        """(nj,) torques for desired angles, rates and accelerations."""
        qd, vd, ad = desired
        for name, value in (
            ("estimated_state", np.concatenate([q, v])),
            ("desired_state", np.concatenate([qd, vd])),
            ("desired_acceleration", ad),
        ):
            self._values[name].GetMutableData().get_mutable_value().SetFromVector(value)
        return np.asarray(self._output.Eval(self._context))

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return self.torques(q, v, joint_target(t, self.middle))


class DrakeHand:
    """Drake's differential inverse kinematics above its InverseDynamicsController.

    Joint speeds bring the commanded hand to where the target is a period later, and
    are integrated, as Drake's DifferentialInverseKinematicsIntegrator does. What joints
    are told besides, for their servo, is the speed and its change.

    Attributes:
        seconds: times of the inverse kinematics alone [s].
        commanded: places of the commanded hand [m].
    """

    def __init__(self, robot: RobotModel) -> None:
        self._servo, self._plant = DrakeJoints(robot), drake_plant(robot)
        self._context = self._plant.CreateDefaultContext()
        self._frame = self._plant.GetFrameByName(HAND)
        self.q, self.v = robot.posture(START), np.zeros(robot.num_joints)
        self.start = self._place(self.q)
        found = DifferentialInverseKinematicsParameters(len(self.q), len(self.v))
        found.set_time_step(PERIOD)
        found.set_nominal_joint_position(self.q)
        found.set_joint_centering_gain(CENTERING * np.eye(len(self.q)))
        found.set_joint_velocity_limits((-robot.velocity_limits, robot.velocity_limits))
        # A place and no orientation.
        found.set_end_effector_velocity_flag([False] * 3 + [True] * 3)
        self._parameters = found
        self.seconds, self.commanded = list[float](), list[np.ndarray]()

    def _place(self, q: np.ndarray) -> np.ndarray:
        self._plant.SetPositions(self._context, q)
        return np.array(self._frame.CalcPoseInWorld(self._context).translation())

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        started = time.process_time()
        here, before = self._place(self.q), (self.q, self.v)
        self._plant.SetVelocities(self._context, self.v)
        speed = (CIRCLE.at(t + PERIOD, self.start)[0] - here) / PERIOD
        result = DoDifferentialInverseKinematics(
            self._plant,
            self._context,
            SpatialVelocity(np.zeros(3), speed).get_coeffs(),
            self._frame,
            self._parameters,
        )
        if result.joint_velocities is None:
            raise BackbeatError("Drake's inverse kinematics found no joint speeds")
        self.v = np.asarray(result.joint_velocities)
        self.q = self.q + PERIOD * self.v
        self.seconds.append(time.process_time() - started)
        self.commanded.append(here)
        change = (self.v - before[1]) / PERIOD
        return self._servo.torques(q, v, (before[0], before[1], change))


class Arm:
    """A simulated arm under a control, a period at a time.

    Attributes:
        seconds: times of the control's calls [s].
        t, q: times [s] and configurations (nq,).
    """

    def __init__(
        self, robot: RobotModel, control: Control, q: np.ndarray, plant_model: str
    ) -> None:
        self.control, self.robot = control, robot
        builder = DiagramBuilder()
        self._world = add_world(builder, robot, PERIOD, ContactSettings(plant_model))
        self._simulator = Simulator(builder.Build())
        plant, root = self._world.plant, self._simulator.get_mutable_context()
        self._context = plant.GetMyMutableContextFromRoot(root)
        self._port = plant.get_actuation_input_port(self._world.instance)
        plant.SetPositions(self._context, q)
        self.seconds, self.t, self.q = list[float](), list[float](), list[np.ndarray]()

    def step(self) -> None:
        """One call of the control, and one period under its torques."""
        plant, t = self._world.plant, self._simulator.get_context().get_time()
        q = np.array(plant.GetPositions(self._context))
        v = np.array(plant.GetVelocities(self._context))
        started = time.process_time()
        tau = self.control(t, q, v)
        self.seconds.append(time.process_time() - started)
        limits = self.robot.effort_limits
        self._port.FixValue(self._context, np.clip(tau, -limits, limits))
        self.t.append(t)
        self.q.append(q)
        self._simulator.AdvanceTo(PERIOD * round(t / PERIOD + 1))


@dataclass(frozen=True)
class FollowRow:
    """One line of the table.

    Attributes:
        task, way: what was followed, and by whom.
        error: RMS error, in millimeters or milliradians by its unit.
        unit: of the error.
        seconds: times of calls [s].
    """

    task: str
    way: str
    error: float
    unit: str
    seconds: np.ndarray

    @property
    def median(self) -> float:
        """Of the times [s]."""
        return float(np.median(self.seconds))

    @property
    def late(self) -> float:
        """99th percentile of the times [s]."""
        return float(np.percentile(self.seconds, 99))


def _rms(errors: np.ndarray) -> float:
    return 1e3 * float(np.sqrt(np.mean(np.sum(errors**2, axis=1))))


def follow(plant: str, duration: float = 3.0, settled: float = 1.5) -> list[FollowRow]:
    """Runs all of them in turns; errors count once things have settled [s]."""
    robot = RobotModel(ROBOT)
    rest, drake = robot.posture(START), DrakeHand(robot)
    swaying = joint_target(0.0, rest)[0]
    hands: dict[str, Callable[..., np.ndarray]] = {
        "Backbeat": OurHand(robot),
        "Backbeat, told differences of places": OurHand(robot, differences=True),
        "Backbeat, limits by programs": OurHand(robot, "program"),
        "Drake, DiffIK + InverseDynamicsController": drake,
    }
    joints: dict[str, Callable[..., np.ndarray]] = {
        "Backbeat": OurJoints(robot),
        "Drake, InverseDynamicsController": DrakeJoints(robot),
    }
    on_circle = {n: Arm(robot, c, rest, plant) for n, c in hands.items()}
    swayed = {n: Arm(robot, c, swaying, plant) for n, c in joints.items()}
    for _ in range(round(duration / PERIOD / BLOCK)):
        for arm in (*on_circle.values(), *swayed.values()):
            for _ in range(BLOCK):
                arm.step()
    first, state = round(settled / PERIOD), Configuration(robot, rest)
    rows = []
    for name, arm in on_circle.items():
        places = [state.update(q).pose(HAND).translation() for q in arm.q[first:]]
        wanted = [CIRCLE.at(t, drake.start)[0] for t in arm.t[first:]]
        error, times = _rms(np.array(places) - wanted), np.array(arm.seconds[1:])
        rows.append(FollowRow("hand on a circle", name, error, "mm", times))
    off = np.array(drake.commanded[first:]) - wanted
    times = np.array(drake.seconds[1:])
    name = "Drake, DiffIK alone, no robot"
    rows.append(FollowRow("hand on a circle", name, _rms(off), "mm", times))
    for name, arm in swayed.items():
        wanted = [joint_target(t, rest)[0] for t in arm.t[first:]]
        error, times = _rms(np.array(arm.q[first:]) - wanted), np.array(arm.seconds[1:])
        rows.append(FollowRow("joint trajectory", name, error, "mrad", times))
    return rows
