"""Gravity compensation: torques that carry the weight of the limbs."""

import numpy as np
from pydrake.systems.framework import BasicVector, Context

from backbeat.models.actuation.joint_command import BLOCKS, EFFORT
from backbeat.models.common.collectable_system import CollectableSystem, weak
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration


class GravityCompensation(CollectableSystem):
    """Adds the gravity torques of the joints to a command.

    .. pydrake_system::

        name: GravityCompensation
        input_ports:
        - command
        - state
        output_ports:
        - command

    `command` is a `backbeat.models.actuation.joint_command` (9 nj); in the output,
    gravity is added to its efforts. `state` is the sensed [q, v] of the robot model (nq
    + nv), of which q counts. Of a floating base the tilt is taken as sensed, and no
    contact is
    known: right for limbs in the air, and not for legs that stand.
    """

    def __init__(self, robot: RobotModel) -> None:
        """Makes it for the joints of a robot model, with what it carries."""
        super().__init__()
        self._robot = robot
        # A workspace, written anew at every call; nothing is remembered in it.
        self._configuration = Configuration(robot, self._some_position())
        nj = robot.num_joints
        self._command = self.DeclareVectorInputPort("command", BLOCKS * nj)
        size = robot.num_positions + robot.num_velocities
        self._state = self.DeclareVectorInputPort("state", size)
        self.DeclareVectorOutputPort("command", BLOCKS * nj, weak(self._calc))

    def _some_position(self) -> np.ndarray:
        q = np.zeros(self._robot.num_positions)
        if self._robot.floating:
            q[0] = 1.0
        return q

    def _calc(self, context: Context, output: BasicVector) -> None:
        robot = self._robot
        command = self._command.Eval(context).copy()
        q = self._state.Eval(context)[: robot.num_positions]
        # At rest, nothing but gravity is left of the bias.
        bias = self._configuration.update(q).bias[robot.base_velocities :]
        nj = robot.num_joints
        command[EFFORT * nj : (EFFORT + 1) * nj] += bias
        output.SetFromVector(command)
