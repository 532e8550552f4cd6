"""JointServo: `models.servo_law` as a Drake system, below every controller."""

from dataclasses import dataclass

import numpy as np
from pydrake.common.value import AbstractValue
from pydrake.systems.framework import (
    BasicVector,
    Context,
    State,
    ValueProducer,
)

from models.arrays import Indices, Vector
from models.bound_arguments import bind
from models.collectable_system import CollectableSystem, weak
from models.compiled import compiled
from models.finite import all_finite
from models.joint_command import BLOCKS, POSITION, VELOCITY
from models.robot import RobotModel
from models.safety_law import SafetyLaws
from models.servo_law import (
    LAST,
    MEASURED,
    MOTORS,
    ServoTraits,
    asks_memory,
    keep_efforts,
    let_motors_follow,
    move_memory,
    tell_motors,
)


@dataclass
class _Step:
    """What a step comes to.

    Attributes:
        efforts: (3, nj) what motors are told, its mean, and after it [N m].
        remembers: whether the command asks for integral or friction.
    """

    efforts: np.ndarray
    remembers: bool = False


@compiled
def _arrange(effort: Vector, joints: Indices, out: Vector) -> None:
    """Writes the effort of the joint of each actuator; zero where that is -1."""
    for i in range(joints.shape[0]):
        out[i] = effort[joints[i]] if joints[i] >= 0 else 0.0


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
    measured friction, and the last `joint_effort`.
    """

    def __init__(
        self,
        robot: RobotModel,
        actuator_joints: tuple[str, ...],
        effort_limits: np.ndarray | None = None,
        lag: float = 0.0,
        period: float = 1e-3,
        friction: np.ndarray | None = None,
        rise: float = 0.0,
        safety: SafetyLaws | None = None,
    ) -> None:
        """Makes the servo.

        Args:
            robot: the robot model; its joints are those commanded.
            actuator_joints: joint of every actuator in the plant's order; those
                the model holds locked get zero.
            effort_limits: (nj,) what the joints really give [N m]; None for what
                the model says.
            lag: time constant of the motors [s].
            period: of the servo's memory and motors, and step of the plant [s].
            friction: (nj,) Coulomb friction that the servo makes up for [N m], in
                the direction of the velocity to come and, where there is
                stiffness, of the error: never more than there is, so that it can
                move nothing by itself. None for none.
            rise: least time in which motors go from nothing to their limit [s].
            safety: safety laws of the joints that bound what is told to the motors;
                None for none.
        """
        super().__init__()
        nj = robot.num_joints
        self._nj, self._nq, self._safety = nj, robot.num_positions, safety
        limits = robot.effort_limits if effort_limits is None else effort_limits
        slew = limits / rise if rise > 0 else np.zeros(nj)
        self._has_motors = lag > 0 or rise > 0
        friction = np.zeros(nj) if friction is None else friction
        traits = ServoTraits(limits, friction, slew, float(period), float(lag))
        self._bound = bind((traits, self._nq))
        order = {name: i for i, name in enumerate(robot.joint_names)}
        self._joint_of = np.array([order.get(n, -1) for n in actuator_joints], int)
        self._command = self.DeclareVectorInputPort("command", BLOCKS * nj)
        size = robot.num_positions + robot.num_velocities
        self._state = self.DeclareVectorInputPort("state", size)
        self._measured = self.DeclareVectorInputPort("measured_effort", nj)
        self._memory = self.DeclareDiscreteState(4 * nj)
        # For plant and memory alike.
        step = self.DeclareCacheEntry(
            "step",
            ValueProducer(
                lambda: AbstractValue.Make(_Step(np.zeros((3, nj)))),
                weak(self._calc_step),
            ),
            {self._command.ticket(), self._state.ticket(), self.all_state_ticket()},
        )
        # What was measured acts on the memory alone.
        self._step, made = step.cache_index(), {step.ticket()}
        self.DeclareVectorOutputPort(
            "actuation", len(actuator_joints), weak(self._calc_actuation), made
        )
        self.DeclareVectorOutputPort("joint_effort", nj, weak(self._calc_effort), made)
        # The plant's step is such an event too: both see what is before the step, and
        # motors go on from what they gave.
        self.DeclarePeriodicUnrestrictedUpdateEvent(period, 0.0, weak(self._update))

    def set_effort(self, context: Context, effort: np.ndarray) -> None:
        """Sets the effort of the motors now, (nj,) [N m]; no matter without a lag."""
        memory = self._read(context).copy()
        for block in (MOTORS, LAST):
            memory[block * self._nj :][: self._nj] = effort
        context.SetDiscreteState(self._memory, memory)

    def measured_friction(self, context: Context) -> np.ndarray:
        """(nj,) friction as measured, from its own context [N m]."""
        return self._read(context)[MEASURED * self._nj :][: self._nj].copy()

    def _read(self, context: Context) -> np.ndarray:
        value: np.ndarray = context.get_discrete_state(self._memory).value()
        return value

    def _update(self, context: Context, state: State) -> None:
        step: _Step = self.get_cache_entry(self._step).Eval(context)
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

    def _calc_step(self, context: Context, output: AbstractValue) -> None:
        """What motors are told, their mean over the step, and effort after it."""
        command, state = self._command.Eval(context), self._state.Eval(context)
        value: _Step = output.get_mutable_value()
        value.remembers = asks_memory(command, self._nj)
        step, memory = value.efforts, self._read(context)
        # Compiled code takes numbers for finite.
        known = all_finite(state)
        tell_motors(self._bound, command, state, known, memory, step[0])
        if self._safety is not None:
            q, v = state[: self._nq], state[self._nq :]
            if not known:
                nj = self._nj
                q, v = command[POSITION * nj :][:nj], command[VELOCITY * nj :][:nj]
            step[0] = self._safety.clip(step[0], q, v)
        if self._has_motors:
            let_motors_follow(self._bound, memory, step)
        else:
            step[1:] = step[0]

    def _calc_actuation(self, context: Context, output: BasicVector) -> None:
        mean = self.get_cache_entry(self._step).Eval(context).efforts[1]
        _arrange(mean, self._joint_of, output.get_mutable_value())

    def _calc_effort(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector(self.get_cache_entry(self._step).Eval(context).efforts[1])
