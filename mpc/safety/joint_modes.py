"""JointModes: modes of joints that take more of a command than efforts.

Whole-body controllers command efforts, with positions and velocities beside them. A
joint whose hardware interface takes positions, or velocities, has a drive of its own
and gets these alone; a joint that is made compliant is a soft spring about the
positions, carries its own weight, and makes up for its own friction.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from pydrake.systems.framework import BasicVector, Context

from backbeat.models.actuation.joint_command import (
    BLOCKS,
    DAMPING,
    EFFORT,
    INTEGRAL,
    POSITION,
    STIFFNESS,
    VELOCITY,
)
from backbeat.models.actuation.servo_margin import SERVO_STEP, Sampling
from backbeat.models.actuation.servo_modes import compliant_command
from backbeat.models.common.collectable_system import CollectableSystem, weak
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.safety.servo_gains import drive_gains, felt_inertia, hold_gains

# Time in which the drive of a position interface gets rid of an error that stays, and
# a controller of velocities of an error in position [s].
SETTLING = 0.5
FOLLOWING = 0.1


@dataclass(frozen=True)
class SoftPeriod:
    """Joints that are soft for a while.

    Attributes:
        start, end: in time of the diagram [s].
        joints: indices of the joints.
        stiffness, damping: (len(joints),) of the springs [N m/rad, N m s/rad].
        compensation: share of measured friction that motors make up for.
    """

    start: float
    end: float
    joints: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray
    compensation: float


def soft_damping(
    reference: Reference,
    joints: np.ndarray,
    stiffness: float,
    latency: float,
    step: float = SERVO_STEP,
) -> np.ndarray:
    """(len(joints),) critical damping, as far as motors can that are late [N m s/rad].

    See `backbeat.mpc.safety.servo_gains.servo_gains` for what a latency allows.
    """
    robot = reference.robot
    felt = felt_inertia(robot, reference, 0.0)[joints]
    most = 0.5 * (felt / max(latency, step, SERVO_STEP) + robot.damping[joints])
    return np.asarray(np.minimum(2.0 * np.sqrt(stiffness * felt), most))


class JointModes(CollectableSystem):
    """Passes each joint the part of the command that its mode takes.

    .. pydrake_system::

        name: JointModes
        input_ports:
        - command
        - state
        output_ports:
        - command

    `command` is a `backbeat.models.actuation.joint_command` (9 nj), in and out; `state`
    is the sensed [q, v] of the robot model (nq + nv).
    """

    def __init__(
        self,
        reference: Reference,
        latency: float = 0.0,
        periods: Sequence[SoftPeriod] = (),
        sampling: Sampling | None = None,
    ) -> None:
        """Makes it for the joints of a robot.

        Args:
            reference: the behavior, for the inertia that joints feel.
            latency: from a motion to the motors' answer [s].
            periods: when which joints are soft.
            sampling: when samples of the servo are taken, and when they act.
        """
        super().__init__()
        robot = self._robot = reference.robot
        self.periods = tuple(periods)
        modes = np.array([robot.modes.get(n, "torque") for n in robot.joint_names])
        self._position, self._velocity = modes == "position", modes == "velocity"
        sampling = sampling or Sampling()
        places = drive_gains(robot, reference, self._position, latency, sampling)
        speeds = hold_gains(robot, reference, latency, sampling.step)
        self._stiffness = places[0]
        self._damping = np.where(self._position, places[1], speeds[1])
        start = reference.sample(0.0).q
        self._start = start[robot.base_positions :].copy()
        # A workspace, written anew at every call; nothing is remembered in it.
        self._configuration = Configuration(robot, start)
        nj = robot.num_joints
        self._command = self.DeclareVectorInputPort("command", BLOCKS * nj)
        size = robot.num_positions + robot.num_velocities
        self._state = self.DeclareVectorInputPort("state", size)
        self.DeclareVectorOutputPort("command", BLOCKS * nj, weak(self._calc))

    def _calc(self, context: Context, output: BasicVector) -> None:
        robot = self._robot
        blocks = self._command.Eval(context).reshape(BLOCKS, -1).copy()
        state, time = self._state.Eval(context), context.get_time()
        q = state[: robot.num_positions]
        if np.isfinite(state).all():
            self._drive(blocks, q)
            for period in self.periods:
                if period.start <= time < period.end:
                    self._soften(blocks, q, period)
        output.SetFromVector(blocks.ravel())

    def _drive(self, blocks: np.ndarray, q: np.ndarray) -> None:
        """Leaves positions, or velocities, to joints that take nothing else."""
        stiffness, damping = self._stiffness, self._damping
        own = self._position | self._velocity
        if not blocks.any():
            # Nothing has been commanded yet, and zero is no place to go to.
            blocks[POSITION, own] = self._start[own]
        blocks[EFFORT, own] = 0.0
        error = blocks[POSITION] - q[self._robot.base_positions :]
        faster = blocks[VELOCITY] + error / FOLLOWING
        blocks[VELOCITY, self._velocity] = faster[self._velocity]
        blocks[STIFFNESS, self._velocity] = 0.0
        blocks[STIFFNESS, self._position] = stiffness[self._position]
        blocks[INTEGRAL, self._position] = stiffness[self._position] / SETTLING
        blocks[DAMPING, own] = damping[own]

    def _soften(self, blocks: np.ndarray, q: np.ndarray, period: SoftPeriod) -> None:
        """Makes springs of joints; at rest, nothing but gravity is left of the bias."""
        robot, joints = self._robot, period.joints
        weight = self._configuration.update(q).bias[robot.base_velocities :]
        soft = compliant_command(
            blocks[POSITION, joints],
            period.stiffness,
            period.damping,
            weight[joints],
            period.compensation,
        )
        blocks[:, joints] = soft.reshape(BLOCKS, -1)


def takes_efforts_alone(robot: RobotModel) -> bool:
    """Whether every joint of a robot takes efforts."""
    return all(robot.modes.get(n, "torque") == "torque" for n in robot.joint_names)
