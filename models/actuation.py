"""The joint servo: below every controller, as on the real robot.

    u = clip(effort + kp (q_d - q) + kd (v_d - v), +- effort limit)

joint by joint, with all gains in every command, so that new gains act at the
next step and zero gains make it a pure torque interface. The motors follow u with a
first-order lag T,

    T du_m/dt = u - u_m,

of which every step gets the mean, so that no impulse is lost to sampling.
"""

import numpy as np
from pydrake.systems.framework import (
    BasicVector,
    Context,
    DiscreteValues,
    LeafSystem,
)

from models.robot import RobotModel
from models.rotations import compiled

# Blocks of a command vector, each num_joints long and in joint order.
EFFORT, POSITION, VELOCITY, STIFFNESS, DAMPING, COMING = range(6)
BLOCKS = 6
# Wanted speed from which on all of the friction is made up for [rad/s or m/s], and
# how fast a servo wants its errors gone [1/s].
FRICTION_SPEED, FRICTION_RATE = 0.05, 20.0


def joint_command(
    effort: np.ndarray,
    position: np.ndarray,
    velocity: np.ndarray,
    stiffness: np.ndarray,
    damping: np.ndarray,
    coming: np.ndarray | None = None,
) -> np.ndarray:
    """(6 nj,) command: effort [N m], set points [rad, rad/s], gains, what comes.

    Args:
        effort, position, velocity, stiffness, damping: (nj,) of the servo's law.
        coming: (nj,) velocity that is wanted when the motors have followed, which
            says which way friction will have to be overcome [rad/s]; None for
            `velocity`. They differ where a stick bounces.
    """
    coming = velocity if coming is None else coming
    return np.concatenate([effort, position, velocity, stiffness, damping, coming])


@compiled
def _follow(command, q, v, limits, friction, u):
    """Writes the clipped effort u of each joint; see the head of this module."""
    nj = u.shape[0]
    nq, nv = q.shape[0] - nj, v.shape[0] - nj
    for j in range(nj):
        error = command[POSITION * nj + j] - q[nq + j]
        velocity, stiffness = command[VELOCITY * nj + j], command[STIFFNESS * nj + j]
        effort = command[EFFORT * nj + j] + stiffness * error
        effort += command[DAMPING * nj + j] * (velocity - v[nv + j])
        if friction[j] > 0.0:
            wanted = command[COMING * nj + j]
            wanted += FRICTION_RATE * error if stiffness > 0.0 else 0.0
            effort += friction[j] * min(max(wanted / FRICTION_SPEED, -1.0), 1.0)
        u[j] = min(max(effort, -limits[j]), limits[j])


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

    `command` is a `joint_command` (6 nj). `state` is the sensed [q, v] of the
    robot model (nq + nv). `actuation` (nu) is in the plant's actuator order,
    `joint_effort` (nj) the same in joint order, after clipping and lag [N m]: the
    mean over the step that begins. With a lag, the effort of the motors now (nj) is
    discrete state.
    """

    def __init__(
        self,
        robot: RobotModel,
        actuator_joints: tuple[str, ...],
        effort_limits: np.ndarray | None = None,
        lag: float = 0.0,
        period: float = 1e-3,
        friction: np.ndarray | None = None,
    ) -> None:
        """Makes the servo.

        Args:
            robot: the robot model; its joints are those commanded.
            actuator_joints: joint of every actuator in the plant's order; those
                the model holds locked get zero.
            effort_limits: (nj,) what the joints really give [N m]; None for what
                the model says.
            lag: time constant of the motors [s].
            period: step of the plant, when there is a lag [s].
            friction: (nj,) Coulomb friction that the servo makes up for [N m], in
                the direction of the velocity to come and, where there is
                stiffness, of the error: never more than there is, so that it can
                move nothing by itself. None for none.
        """
        super().__init__()
        self._decay, self._mean = 0.0, 1.0
        if lag > 0:
            self._decay = np.exp(-period / lag)
            self._mean = 1.0 - (1.0 - self._decay) * lag / period
        nj = robot.num_joints
        self._robot, self._nj = robot, nj
        limits = robot.effort_limits if effort_limits is None else effort_limits
        self._limits: np.ndarray = limits
        self._friction = np.zeros(nj) if friction is None else friction
        order = {name: i for i, name in enumerate(robot.joint_names)}
        self._selection = np.zeros((len(actuator_joints), nj))
        for row, name in enumerate(actuator_joints):
            if name in order:
                self._selection[row, order[name]] = 1.0
        self._command = self.DeclareVectorInputPort("command", BLOCKS * nj)
        size = robot.num_positions + robot.num_velocities
        self._state = self.DeclareVectorInputPort("state", size)
        self.DeclareVectorOutputPort(
            "actuation", len(actuator_joints), self._calc_actuation
        )
        self._effort_port = self.DeclareVectorOutputPort(
            "joint_effort", nj, self._calc_effort
        )
        self._motors = None
        if lag > 0:
            self._motors = self.DeclareDiscreteState(nj)
            self.DeclarePeriodicDiscreteUpdateEvent(period, 0.0, self._update)

    def set_effort(self, context: Context, effort: np.ndarray) -> None:
        """Sets the effort of the motors now, (nj,) [N m]; nothing without a lag."""
        if self._motors is not None:
            context.SetDiscreteState(self._motors, effort)

    def _update(self, context: Context, state: DiscreteValues) -> None:
        before = context.get_discrete_state(self._motors).value()
        mean = self._effort_port.Eval(context)
        target = before + (mean - before) / self._mean
        state.set_value(self._motors, target + self._decay * (before - target))

    def _target(self, context: Context) -> np.ndarray:
        """(nj,) effort that the motors are told [N m]."""
        robot, u = self._robot, np.empty(self._nj)
        command, state = self._command.Eval(context), self._state.Eval(context)
        q, v = state[: robot.num_positions], state[robot.num_positions :]
        if not np.isfinite(state).all():
            # Errors that nobody knows are not corrected.
            nj = self._nj
            q, v = command[POSITION * nj :][:nj], command[VELOCITY * nj :][:nj]
        _follow(command, q, v, self._limits, self._friction, u)
        return u

    def _calc_actuation(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector(self._selection @ self._effort_port.Eval(context))

    def _calc_effort(self, context: Context, output: BasicVector) -> None:
        effort = self._target(context)
        if self._motors is not None:
            before = context.get_discrete_state(self._motors).value()
            effort = before + self._mean * (effort - before)
        output.SetFromVector(effort)
