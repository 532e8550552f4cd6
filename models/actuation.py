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

import numpy as np
from pydrake.common.value import AbstractValue
from pydrake.systems.framework import (
    BasicVector,
    Context,
    DiscreteValues,
    LeafSystem,
    ValueProducer,
)

from models.motors import move_motors
from models.robot import RobotModel
from models.rotations import compiled
from models.safety_law import SafetyLaws

# Blocks of a command vector, each num_joints long and in joint order.
EFFORT, POSITION, VELOCITY, STIFFNESS, DAMPING, COMING = range(6)
INTEGRAL, FEEDFORWARD, EFFORT_FEEDBACK = range(6, 9)
BLOCKS = 9
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


@compiled
def _follow(command, q, v, limits, friction, held, measured, u):
    """Writes the clipped effort u of each joint; see the head of this module.

    `held` (nj,) is the effort that the integral has come to, `measured` (nj,) friction.
    """
    nj = u.shape[0]
    nq, nv = q.shape[0] - nj, v.shape[0] - nj
    for j in range(nj):
        error = command[POSITION * nj + j] - q[nq + j]
        velocity, stiffness = command[VELOCITY * nj + j], command[STIFFNESS * nj + j]
        effort = command[FEEDFORWARD * nj + j] * command[EFFORT * nj + j]
        effort += stiffness * error
        effort += command[DAMPING * nj + j] * (velocity - v[nv + j])
        if command[INTEGRAL * nj + j] > 0.0:
            effort += held[j]
        share = command[EFFORT_FEEDBACK * nj + j]
        effort += share * measured[j]
        if friction[j] > 0.0:
            wanted = command[COMING * nj + j]
            wanted += FRICTION_RATE * error if stiffness > 0.0 else 0.0
            known = friction[j] * min(max(wanted / FRICTION_SPEED, -1.0), 1.0)
            effort += (1.0 - share) * known
        u[j] = min(max(effort, -limits[j]), limits[j])


@compiled
def _remember(command, q, limits, period, told, gave, felt, held, measured):
    """Moves integral and measured friction on by one period, in place.

    `told` (nj,) is the clipped effort, `gave` (nj,) the mean that motors gave over the
    last period, `felt` (nj,) what came through to the joints.
    """
    nj = told.shape[0]
    nq = q.shape[0] - nj
    blend = 1.0 - np.exp(-OBSERVER_RATE * period)
    for j in range(nj):
        most, gain = MOST_SHARE * limits[j], command[INTEGRAL * nj + j]
        if gain > 0.0:
            error = command[POSITION * nj + j] - q[nq + j]
            # Nothing is added where the motor is at its limit already.
            if np.abs(told[j]) < limits[j] or told[j] * error < 0.0:
                held[j] += gain * error * period
            held[j] = min(max(held[j], -most), most)
        else:
            held[j] = 0.0
        measured[j] += blend * (gave[j] - felt[j] - measured[j])
        measured[j] = min(max(measured[j], -most), most)


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
    Discrete state are the effort of the motors now (nj), the effort of the integral
    (nj), measured friction (nj), and the last `joint_effort` (nj).
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
        self._robot, self._nj, self._safety = robot, nj, safety
        self._period, self._lag = period, lag
        limits = robot.effort_limits if effort_limits is None else effort_limits
        self._limits: np.ndarray = limits
        self._slew = limits / rise if rise > 0 else np.zeros(nj)
        self._has_motors = lag > 0 or rise > 0
        self._friction = np.zeros(nj) if friction is None else friction
        order = {name: i for i, name in enumerate(robot.joint_names)}
        self._selection = np.zeros((len(actuator_joints), nj))
        for row, name in enumerate(actuator_joints):
            if name in order:
                self._selection[row, order[name]] = 1.0
        self._command = self.DeclareVectorInputPort("command", BLOCKS * nj)
        size = robot.num_positions + robot.num_velocities
        self._state = self.DeclareVectorInputPort("state", size)
        self._measured = self.DeclareVectorInputPort("measured_effort", nj)
        self.DeclareVectorOutputPort(
            "actuation", len(actuator_joints), self._calc_actuation
        )
        self._effort_port = self.DeclareVectorOutputPort(
            "joint_effort", nj, self._calc_effort
        )
        names = ("motors", "held", "friction", "last")
        self._memory = {name: self.DeclareDiscreteState(nj) for name in names}
        # What a step comes to: (3, nj) told, mean and after. It is asked for twice.
        self._step = self.DeclareCacheEntry(
            "step",
            ValueProducer(lambda: AbstractValue.Make(None), self._calc_step),
            {self._command.ticket(), self._state.ticket(), self.all_state_ticket()},
        )
        self.DeclarePeriodicDiscreteUpdateEvent(period, 0.0, self._update)

    def set_effort(self, context: Context, effort: np.ndarray) -> None:
        """Sets the effort of the motors now, (nj,) [N m]; no matter without a lag."""
        for name in ("motors", "last"):
            context.SetDiscreteState(self._memory[name], effort)

    def measured_friction(self, context: Context) -> np.ndarray:
        """(nj,) friction as measured, from its own context [N m]."""
        return self._read(context, "friction").copy()

    def _read(self, context: Context, name: str) -> np.ndarray:
        value: np.ndarray = context.get_discrete_state(self._memory[name]).value()
        return value

    def _update(self, context: Context, state: DiscreteValues) -> None:
        told, mean, after = self._step.Eval(context)
        if self._has_motors:
            state.set_value(self._memory["motors"], after)
        command = self._command.Eval(context)
        nj = self._nj
        gains = command[INTEGRAL * nj :][:nj], command[EFFORT_FEEDBACK * nj :][:nj]
        if gains[0].any() or gains[1].any():
            self._remember(context, state, command, told)
        elif any(self._read(context, name).any() for name in ("held", "friction")):
            for name in ("held", "friction"):
                state.set_value(self._memory[name], np.zeros(self._nj))
        state.set_value(self._memory["last"], mean)

    def _remember(
        self,
        context: Context,
        state: DiscreteValues,
        command: np.ndarray,
        told: np.ndarray,
    ) -> None:
        """Moves integral and measured friction on, where a gain asks for them."""
        gave, held = self._read(context, "last"), self._read(context, "held").copy()
        friction, felt = self._read(context, "friction").copy(), gave
        if self._measured.HasValue(context):
            felt = self._measured.Eval(context)
        _, q, _ = self._inputs(context)
        limits, period = self._limits, self._period
        _remember(command, q, limits, period, told, gave, felt, held, friction)
        state.set_value(self._memory["held"], held)
        state.set_value(self._memory["friction"], friction)

    def _inputs(self, context: Context) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Command, q and v; errors that nobody knows are not corrected."""
        command, state = self._command.Eval(context), self._state.Eval(context)
        nq = self._robot.num_positions
        q, v = state[:nq], state[nq:]
        if not np.isfinite(state).all():
            nj = self._nj
            q, v = command[POSITION * nj :][:nj], command[VELOCITY * nj :][:nj]
        return command, q, v

    def _calc_step(self, context: Context, output: AbstractValue) -> None:
        """What motors are told, their mean over the step, and effort after it."""
        command, q, v = self._inputs(context)
        step, limits = np.empty((3, self._nj)), self._limits
        held, friction = self._read(context, "held"), self._read(context, "friction")
        _follow(command, q, v, limits, self._friction, held, friction, step[0])
        if self._safety is not None:
            step[0] = self._safety.clip(step[0], q, v)
        if self._has_motors:
            before, slew = self._read(context, "motors"), self._slew
            period, lag = self._period, self._lag
            move_motors(before, step[0], period, lag, slew, step[2], step[1])
        else:
            step[1:] = step[0]
        output.set_value(step)

    def _calc_actuation(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector(self._selection @ self._effort_port.Eval(context))

    def _calc_effort(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector(self._step.Eval(context)[1])
