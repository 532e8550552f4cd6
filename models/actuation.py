"""The joint servo: below every controller, as on the real robot.

    w = f effort + kp (q_d - q) + kd (v_d - v) + ki integral of (q_d - q) + ke friction
    u = clip(w, +- effort limit)

joint by joint, with all gains in every command, so that new gains act at the next
step, and no gain but that of the feedforward, f = 1, makes it a pure torque interface.
`models.servo_modes` has the commands of the usual modes.

`friction` is what stands between a motor and its joint: what the motor gave, less what
a sensor of effort behind it measured, through a low pass. It is seen at standstill too,
where friction has no sign of its own, so that a soft joint gives way to a light push
(Le Tien, Albu-Schaeffer, De Luca, Hirzinger, "Friction observer and compensation for
control of robots with joint torque measurement", 2008).

The motors follow u late, see `models.motors`; every step gets the mean of what they do,
so that no impulse is lost to sampling.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from pydrake.common.value import AbstractValue
from pydrake.systems.framework import (
    BasicVector,
    Context,
    LeafSystem,
    State,
    ValueProducer,
)

from models.bound_arguments import bind
from models.finite import all_finite
from models.motors import move_motors
from models.robot import RobotModel
from models.rotations import compiled
from models.safety_law import SafetyLaws

# Blocks of a command vector, each num_joints long and in joint order.
EFFORT, POSITION, VELOCITY, STIFFNESS, DAMPING, COMING = range(6)
INTEGRAL, FEEDFORWARD, EFFORT_FEEDBACK = range(6, 9)
BLOCKS = 9
# Blocks of the servo's memory, each num_joints long: the effort of the motors now, that
# of the integral, measured friction, and the mean effort of the last step [N m].
MOTORS, HELD, MEASURED, LAST = range(4)
# Wanted speed from which on all of the friction is made up for [rad/s or m/s], and
# how fast a servo wants its errors gone [1/s].
FRICTION_SPEED, FRICTION_RATE = 0.05, 20.0
# Corner of the low pass through which friction is measured [rad/s], and the most of the
# effort limit that measured friction and integral may each come to.
OBSERVER_RATE, MOST_SHARE = 200.0, 0.25


def joint_command(
    effort: np.ndarray,
    position: np.ndarray,
    velocity: np.ndarray,
    stiffness: np.ndarray,
    damping: np.ndarray,
    coming: np.ndarray | None = None,
    integral: np.ndarray | None = None,
    feedforward: np.ndarray | None = None,
    effort_feedback: np.ndarray | None = None,
) -> np.ndarray:
    """(9 nj,) command: effort [N m], set points [rad, rad/s], gains, what comes.

    Args:
        effort, position, velocity, stiffness, damping: (nj,) of the servo's law.
        coming: (nj,) velocity that is wanted when the motors have followed, which
            says which way friction will have to be overcome [rad/s]; None for
            `velocity`. They differ where a stick bounces.
        integral: (nj,) gain on the integral of the error [N m/rad/s]; None for zero.
        feedforward: (nj,) share of `effort` that counts; None for one.
        effort_feedback: (nj,) share of measured friction to make up for; None for
            zero.
    """
    coming = velocity if coming is None else coming
    integral = np.zeros(len(effort)) if integral is None else integral
    feedforward = np.ones(len(effort)) if feedforward is None else feedforward
    if effort_feedback is None:
        effort_feedback = np.zeros(len(effort))
    return np.concatenate(
        [
            *(effort, position, velocity, stiffness, damping, coming),
            *(integral, feedforward, effort_feedback),
        ]
    )


class _Traits(NamedTuple):
    """What a servo and its motors are like: all (nj,), period and lag apart."""

    limits: np.ndarray
    friction: np.ndarray
    slew: np.ndarray
    period: float
    lag: float


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
def _tell(bound, command, state, known, memory, told):
    """Writes the clipped effort told to each motor; see the head of this module.

    Where the state is not `known`, errors are not corrected.
    """
    traits, nq = bound.content
    nj = told.shape[0]
    first, first_rate = nq - nj, state.shape[0] - nj
    for j in range(nj):
        error, slip = 0.0, 0.0
        if known:
            error = command[POSITION * nj + j] - state[first + j]
            slip = command[VELOCITY * nj + j] - state[first_rate + j]
        stiffness = command[STIFFNESS * nj + j]
        effort = command[FEEDFORWARD * nj + j] * command[EFFORT * nj + j]
        effort += stiffness * error
        effort += command[DAMPING * nj + j] * slip
        if command[INTEGRAL * nj + j] > 0.0:
            effort += memory[HELD * nj + j]
        share = command[EFFORT_FEEDBACK * nj + j]
        effort += share * memory[MEASURED * nj + j]
        if traits.friction[j] > 0.0:
            wanted = command[COMING * nj + j]
            wanted += FRICTION_RATE * error if stiffness > 0.0 else 0.0
            way = min(max(wanted / FRICTION_SPEED, -1.0), 1.0)
            effort += (1.0 - share) * (traits.friction[j] * way)
        told[j] = min(max(effort, -traits.limits[j]), traits.limits[j])


@compiled
def _move(bound, memory, step):
    """Lets motors follow what they are told, step[0]: mean step[1], after step[2]."""
    traits, _ = bound.content
    nj = step.shape[1]
    before = memory[MOTORS * nj : (MOTORS + 1) * nj]
    move_motors(
        before, step[0], traits.period, traits.lag, traits.slew, step[2], step[1]
    )


@compiled
def _asks_memory(command, nj):
    """Whether a gain of a command asks for integral or friction."""
    for j in range(nj):
        if (
            command[INTEGRAL * nj + j] != 0.0
            or command[EFFORT_FEEDBACK * nj + j] != 0.0
        ):
            return True
    return False


@compiled
def _keep(step, remembers, has_motors, memory):
    """Keeps what motors give in a step; unless it remembers them, the rest is zero."""
    nj = step.shape[1]
    for j in range(nj):
        if not remembers:
            memory[HELD * nj + j] = memory[MEASURED * nj + j] = 0.0
        if has_motors:
            memory[MOTORS * nj + j] = step[2, j]
        memory[LAST * nj + j] = step[1, j]


@compiled
def _remember(bound, command, state, known, told, felt, memory):
    """Moves integral and measured friction on by one period, in place.

    `told` (nj,) is the clipped effort, `felt` (nj,) what came through to the joints
    over the last period.
    """
    traits, nq = bound.content
    nj, period = told.shape[0], traits.period
    blend = 1.0 - np.exp(-OBSERVER_RATE * period)
    for j in range(nj):
        limit, gain = traits.limits[j], command[INTEGRAL * nj + j]
        most, held, measured = MOST_SHARE * limit, 0.0, memory[MEASURED * nj + j]
        if gain > 0.0:
            error = command[POSITION * nj + j] - state[nq - nj + j] if known else 0.0
            held = memory[HELD * nj + j]
            # Nothing is added where the motor is at its limit already.
            if np.abs(told[j]) < limit or told[j] * error < 0.0:
                held += gain * error * period
            held = min(max(held, -most), most)
        memory[HELD * nj + j] = held
        measured += blend * (memory[LAST * nj + j] - felt[j] - measured)
        memory[MEASURED * nj + j] = min(max(measured, -most), most)


@compiled
def _arrange(effort, joints, out):
    """Writes the effort of the joint of each actuator; zero where that is -1."""
    for i in range(joints.shape[0]):
        out[i] = effort[joints[i]] if joints[i] >= 0 else 0.0


class JointServo(LeafSystem):
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
        traits = _Traits(limits, friction, slew, float(period), float(lag))
        self._bound = bind((traits, self._nq))
        order = {name: i for i, name in enumerate(robot.joint_names)}
        self._joint_of = np.array([order.get(n, -1) for n in actuator_joints], int)
        self._command = self.DeclareVectorInputPort("command", BLOCKS * nj)
        size = robot.num_positions + robot.num_velocities
        self._state = self.DeclareVectorInputPort("state", size)
        self._measured = self.DeclareVectorInputPort("measured_effort", nj)
        self._memory = self.DeclareDiscreteState(4 * nj)
        # For plant and memory alike.
        self._step = self.DeclareCacheEntry(
            "step",
            ValueProducer(
                lambda: AbstractValue.Make(_Step(np.zeros((3, nj)))), self._calc_step
            ),
            {self._command.ticket(), self._state.ticket(), self.all_state_ticket()},
        )
        # What was measured acts on the memory alone.
        made = {self._step.ticket()}
        self.DeclareVectorOutputPort(
            "actuation", len(actuator_joints), self._calc_actuation, made
        )
        self.DeclareVectorOutputPort("joint_effort", nj, self._calc_effort, made)
        # The plant's step is such an event too: both see what is before the step, and
        # motors go on from what they gave.
        self.DeclarePeriodicUnrestrictedUpdateEvent(period, 0.0, self._update)

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
        step: _Step = self._step.Eval(context)
        memory = state.get_mutable_discrete_state().get_mutable_value(self._memory)
        if step.remembers:
            command, felt = self._command.Eval(context), memory[LAST * self._nj :]
            if self._measured.HasValue(context):
                felt = self._measured.Eval(context)
            sensed = self._state.Eval(context)
            known = all_finite(sensed)
            told = step.efforts[0]
            _remember(self._bound, command, sensed, known, told, felt, memory)
        _keep(step.efforts, step.remembers, self._has_motors, memory)

    def _calc_step(self, context: Context, output: AbstractValue) -> None:
        """What motors are told, their mean over the step, and effort after it."""
        command, state = self._command.Eval(context), self._state.Eval(context)
        value: _Step = output.get_mutable_value()
        value.remembers = _asks_memory(command, self._nj)
        step, memory = value.efforts, self._read(context)
        # Compiled code takes numbers for finite.
        known = all_finite(state)
        _tell(self._bound, command, state, known, memory, step[0])
        if self._safety is not None:
            q, v = state[: self._nq], state[self._nq :]
            if not known:
                nj = self._nj
                q, v = command[POSITION * nj :][:nj], command[VELOCITY * nj :][:nj]
            step[0] = self._safety.clip(step[0], q, v)
        if self._has_motors:
            _move(self._bound, memory, step)
        else:
            step[1:] = step[0]

    def _calc_actuation(self, context: Context, output: BasicVector) -> None:
        mean = self._step.Eval(context).efforts[1]
        _arrange(mean, self._joint_of, output.get_mutable_value())

    def _calc_effort(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector(self._step.Eval(context).efforts[1])
