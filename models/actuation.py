"""The joint servo: below every controller, as on the real robot.

    u = clip(effort + kp (q_d - q) + kd (v_d - v), +- effort limit)

joint by joint, with all gains in every command, so that new gains act at the
next step and zero gains make it a pure torque interface.
"""

import numpy as np
from pydrake.systems.framework import BasicVector, Context, LeafSystem

from models.robot import RobotModel

# Blocks of a command vector, each num_joints long and in joint order.
EFFORT, POSITION, VELOCITY, STIFFNESS, DAMPING = range(5)


def joint_command(
    effort: np.ndarray,
    position: np.ndarray,
    velocity: np.ndarray,
    stiffness: np.ndarray,
    damping: np.ndarray,
) -> np.ndarray:
    """(5 nj,) command: effort [N m], set points [rad, rad/s], gains."""
    return np.concatenate([effort, position, velocity, stiffness, damping])


class JointServo(LeafSystem):
    """Joint-by-joint servo of a robot.

    .. pydrake_system::

        name: JointServo
        input_ports:
        - command
        - state
        output_ports:
        - actuation
        - joint_effort

    `command` is a `joint_command` (5 nj). `state` is the sensed [q, v] of the
    robot model (nq + nv). `actuation` (nu) is in the plant's actuator order,
    `joint_effort` (nj) the same in joint order, after clipping [N m].
    """

    def __init__(
        self,
        robot: RobotModel,
        actuator_joints: tuple[str, ...],
        effort_limits: np.ndarray | None = None,
    ) -> None:
        """Makes the servo.

        Args:
            robot: the robot model; its joints are those commanded.
            actuator_joints: joint of every actuator in the plant's order; those
                the model holds locked get zero.
            effort_limits: (nj,) what the joints really give [N m]; None for what
                the model says.
        """
        super().__init__()
        nj = robot.num_joints
        self._robot, self._nj = robot, nj
        limits = robot.effort_limits if effort_limits is None else effort_limits
        self._limits: np.ndarray = limits
        order = {name: i for i, name in enumerate(robot.joint_names)}
        self._selection = np.zeros((len(actuator_joints), nj))
        for row, name in enumerate(actuator_joints):
            if name in order:
                self._selection[row, order[name]] = 1.0
        self._command = self.DeclareVectorInputPort("command", 5 * nj)
        size = robot.num_positions + robot.num_velocities
        self._state = self.DeclareVectorInputPort("state", size)
        self.DeclareVectorOutputPort(
            "actuation", len(actuator_joints), self._calc_actuation
        )
        self.DeclareVectorOutputPort("joint_effort", nj, self._calc_effort)

    def _effort(self, context: Context) -> np.ndarray:
        robot, nj = self._robot, self._nj
        command = self._command.Eval(context).reshape(5, nj)
        state = self._state.Eval(context)
        q = state[robot.base_positions : robot.num_positions]
        v = state[robot.num_positions + robot.base_velocities :]
        u = command[EFFORT] + command[STIFFNESS] * (command[POSITION] - q)
        u += command[DAMPING] * (command[VELOCITY] - v)
        return np.clip(u, -self._limits, self._limits)

    def _calc_actuation(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector(self._selection @ self._effort(context))

    def _calc_effort(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector(self._effort(context))
