"""JointServo: the servo law as a Drake system, below every controller.

See `backbeat.models.actuation.servo_law`.
"""

from typing import NamedTuple

import numpy as np
from pydrake.systems.framework import BasicVector, Context, State

from backbeat.models.actuation.joint_command import BLOCKS
from backbeat.models.actuation.motors import Motors
from backbeat.models.actuation.safety_law import SafetyLaws, no_bounds
from backbeat.models.actuation.servo_law import (
    HELD,
    LAST,
    MOST_SHARE,
    MOTORS,
    ServoTraits,
    keep_efforts,
    move_memory,
    take_step,
)
from backbeat.models.common.collectable_system import CollectableSystem, weak
from backbeat.models.common.errors import BackbeatError
from backbeat.models.compiled.bound import bind
from backbeat.models.dynamics.finite import all_finite
from backbeat.models.robot.model import RobotModel

_NOTHING = np.zeros(0)


class _Step(NamedTuple):
    """What a step comes to.

    Attributes:
        efforts: (3, nj) the motors' command, its mean, the effort after it [N m].
        actuation: (nu,) the mean by actuator of the plant [N m].
        remembers: whether the command asks for integral or friction.
    """

    efforts: np.ndarray
    actuation: np.ndarray
    remembers: bool


class JointServo(CollectableSystem):
    """Joint-by-joint servo of a robot.

    .. pydrake_system::

        name: JointServo
        input_ports:
        - command
        - state
        - measured_effort
        output_ports:
        - actuation
        - joint_effort

    `command` is a `joint_command` (9 nj). `state` is the sensed [q, v] of the
    robot model (nq + nv). `measured_effort` (nj) is what came through to the joints
    over the last step [N m]; it may be left unconnected, and no friction is measured.
    `actuation` (nu) is in the plant's actuator order, `joint_effort` (nj) the same in
    joint order, after clipping and lag [N m]: the mean over the step that begins.
    Discrete state (4 nj) are the effort of the motors now, the effort of the integral,
    measured friction, and the last `joint_effort`; a servo without memory has
    none.
    """

    def __init__(
        self,
        robot: RobotModel,
        actuator_joints: tuple[str, ...],
        motors: Motors | None = None,
        period: float = 1e-3,
        friction: np.ndarray | None = None,
        safety: SafetyLaws | None = None,
        remembers: bool = True,
    ) -> None:
        """Makes the servo.

        Args:
            robot: the robot model; its joints are those commanded.
            actuator_joints: joint of every actuator in the plant's order; those
                the model holds locked get zero.
            motors: of the joints; None for those that follow at once.
            period: of the servo's memory and motors, and step of the plant [s].
            friction: (nj,) Coulomb friction that the servo makes up for [N m], in
                the direction of the velocity to come and, where there is
                stiffness, of the error: never more than there is, so that it can
                move nothing by itself. None for none.
            safety: safety laws of the joints that bound the motors' commands;
                None for none.
            remembers: whether commands may ask for integrals and measured friction.
                If not, and motors follow at once, there is nothing to be kept from
                step to step.

        A command that asks for what is not remembered is a BackbeatError.
        """
        super().__init__()
        nj, nu = robot.num_joints, len(actuator_joints)
        self._nj, self._nu, motors = nj, nu, motors or Motors()
        self._has_motors = motors.lag > 0 or motors.rise > 0
        self._remembers = remembers
        order = {name: i for i, name in enumerate(robot.joint_names)}
        limits = motors.effort_limits
        limits = robot.effort_limits if limits is None else limits
        traits = ServoTraits(
            limits=limits,
            friction=np.zeros(nj) if friction is None else friction,
            slew=limits / motors.rise if motors.rise > 0 else np.zeros(nj),
            stall=robot.motors.stall,
            slope=robot.motors.slope,
            pairs=robot.motors.pairs,
            period=float(period),
            lag=float(motors.lag),
            has_motors=self._has_motors,
            joint_of=np.array([order.get(n, -1) for n in actuator_joints], int),
            bounds=no_bounds() if safety is None else safety.bounds,
            num_positions=robot.num_positions,
        )
        self._bound, self._limits = bind(traits), limits
        self._has_memory = remembers or self._has_motors
        self._declare_ports(robot, nu, period)

    def _declare_ports(self, robot: RobotModel, nu: int, period: float) -> None:
        """Declares ports and memory for nu actuators, and a step every period [s]."""
        nj = self._nj
        self._command = self.DeclareVectorInputPort("command", BLOCKS * nj)
        size = robot.num_positions + robot.num_velocities
        self._state = self.DeclareVectorInputPort("state", size)
        self._measured = self.DeclareVectorInputPort("measured_effort", nj)
        if self._has_memory:
            self._memory = self.DeclareDiscreteState(4 * nj)
        # What was measured acts on the memory alone.
        made = {self._command.ticket(), self._state.ticket(), self.all_state_ticket()}
        self.DeclareVectorOutputPort("actuation", nu, weak(self._calc_actuation), made)
        self.DeclareVectorOutputPort("joint_effort", nj, weak(self._calc_effort), made)
        # The plant's step is such an event too: both see what is before the step, and
        # motors go on from what they gave.
        if self._has_memory:
            self.DeclarePeriodicUnrestrictedUpdateEvent(period, 0.0, weak(self._update))

    @property
    def effort_limits(self) -> np.ndarray:
        """(nj,) the most that the motors give [N m]."""
        return self._limits.copy()

    def set_effort(self, context: Context, effort: np.ndarray) -> None:
        """Sets the effort of the motors now, (nj,) [N m]; no matter without a lag."""
        if not self._has_memory:
            return
        memory = self._read(context).copy()
        for block in (MOTORS, LAST):
            memory[block * self._nj :][: self._nj] = effort
        context.SetDiscreteState(self._memory, memory)

    def set_held(self, context: Context, effort: np.ndarray) -> None:
        """Sets the effort of the integral, (nj,) [N m], where the servo has a memory.

        It is what a joint bears with no error, and lost where no integral is asked for.
        """
        if not self._has_memory:
            return
        memory, most = self._read(context).copy(), MOST_SHARE * self._limits
        memory[HELD * self._nj :][: self._nj] = np.clip(effort, -most, most)
        context.SetDiscreteState(self._memory, memory)

    def _read(self, context: Context) -> np.ndarray:
        value: np.ndarray = context.get_discrete_state(self._memory).value()
        return value

    def _update(self, context: Context, state: State) -> None:
        step = self._step(context)
        memory = state.get_mutable_discrete_state().get_mutable_value(self._memory)
        if step.remembers:
            command, felt = self._command.Eval(context), memory[LAST * self._nj :]
            if self._measured.HasValue(context):
                felt = self._measured.Eval(context)
            sensed = self._state.Eval(context)
            known = all_finite(sensed)
            told = step.efforts[0]
            move_memory(self._bound, command, sensed, known, told, felt, memory)
        keep_efforts(step.efforts, step.remembers, self._has_motors, memory)

    def _step(self, context: Context) -> _Step:
        """Commands of motors, their mean over the step, and effort after it.

        To compute them takes less time than to read them from Drake's cache.
        """
        efforts, actuation = np.empty((3, self._nj)), np.empty(self._nu)
        command, state = self._command.Eval(context), self._state.Eval(context)
        memory = self._read(context) if self._has_memory else _NOTHING
        remembers = take_step(self._bound, command, state, memory, efforts, actuation)
        if remembers and not self._remembers:
            raise BackbeatError(
                "a joint command asks this servo for an integral or for measured "
                "friction, and it remembers nothing; make it with remembers=True"
            )
        return _Step(efforts, actuation, remembers)

    def _calc_actuation(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector(self._step(context).actuation)

    def _calc_effort(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector(self._step(context).efforts[1])
