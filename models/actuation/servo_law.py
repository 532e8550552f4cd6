"""The law of the joint servo and its memory, compiled.

    w = f effort + kp (q_d - q) + kd (v_d - v) + ki integral of (q_d - q) + ke friction
    u = clip(w, what the motor gives at its speed)

joint by joint, with all gains in every command, so that new gains act at the next
step, and no gain but that of the feedforward, f = 1, makes it a pure torque interface.
`backbeat.models.actuation.servo_modes` has the commands of the usual modes.

`friction` is what stands between a motor and its joint: what the motor gave, less what
a sensor of effort behind it measured, through a low pass. It is seen at standstill too,
where friction has no sign of its own, so that a soft joint gives way to a light push
(Le Tien, Albu-Schaeffer, De Luca, Hirzinger, "Friction observer and compensation for
control of robots with joint torque measurement", 2008).

The motors follow u late, see `backbeat.models.actuation.motors`; every step gets the
mean of what they do, so that no impulse is lost to sampling.
"""

from typing import NamedTuple

import numpy as np

from backbeat.models.actuation.effort_limits import clip_pairs, within_motor
from backbeat.models.actuation.joint_command import (
    COMING,
    DAMPING,
    EFFORT,
    EFFORT_FEEDBACK,
    FEEDFORWARD,
    INTEGRAL,
    POSITION,
    STIFFNESS,
    VELOCITY,
)
from backbeat.models.actuation.motors import move_motors
from backbeat.models.actuation.parallel import ParallelMotors
from backbeat.models.actuation.safety_law import SafetyBounds, clip_efforts
from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Indices, Matrix, Vector
from backbeat.models.compiled.bound import Bound
from backbeat.models.dynamics.finite import all_finite

# Blocks of the servo's memory, each num_joints long: the effort of the motors now, that
# of the integral, measured friction, and the mean effort of the last step [N m].
MOTORS, HELD, MEASURED, LAST = range(4)
# Wanted speed from which on all of the friction is made up for [rad/s or m/s], and
# how fast the errors of a servo decay [1/s].
FRICTION_SPEED, FRICTION_RATE = 0.05, 20.0
# Corner of the low pass through which friction is measured [rad/s], and the most of the
# effort limit that measured friction and integral may each come to.
OBSERVER_RATE, MOST_SHARE = 200.0, 0.25


class ServoTraits(NamedTuple):
    """What a servo and its motors are like.

    Attributes:
        limits, friction, slew: (nj,) of the motors.
        stall, slope: (nj,) what they give at rest and lose with speed, see
            `backbeat.models.actuation.effort_limits`.
        pairs: joints that two motors drive together.
        period, lag: [s].
        has_motors: whether motors follow late.
        joint_of: (nu,) joint of each actuator of the plant, -1 for one held locked.
        bounds: safety laws of the joints.
        num_positions: of the robot.
    """

    limits: Vector
    friction: Vector
    slew: Vector
    stall: Vector
    slope: Vector
    pairs: ParallelMotors
    period: float
    lag: float
    has_motors: bool
    joint_of: Indices
    bounds: SafetyBounds
    num_positions: int


@compiled
def take_step(
    bound: Bound[ServoTraits],
    command: Vector,
    state: Vector,
    memory: Vector,
    step: Matrix,
    actuation: Vector,
) -> bool:
    """Writes what motors do in a step; whether the command asks for memory.

    Args:
        bound: the servo.
        command: (9 nj,) joint command.
        state: (nq + nv,) as sensed; where it is no number, errors are not corrected.
        memory: (4 nj,) of the servo.
        step: (3, nj) written: the motors' command, its mean, the effort after it [N m].
        actuation: (nu,) written: the mean by actuator of the plant [N m].
    """
    traits, nq = bound.content, bound.content.num_positions
    nj, known = step.shape[1], all_finite(state)
    told = step[0]
    _tell_motors(traits, nq, command, state, known, memory, told)
    if traits.bounds.joints.shape[0] > 0:
        if known:
            q, v = state[nq - nj : nq], state[state.shape[0] - nj :]
            clip_efforts(traits.bounds, q, v, told)
        else:
            q = command[POSITION * nj : (POSITION + 1) * nj]
            v = command[VELOCITY * nj : (VELOCITY + 1) * nj]
            clip_efforts(traits.bounds, q, v, told)
    if traits.has_motors:
        before = memory[MOTORS * nj : (MOTORS + 1) * nj]
        period, lag = traits.period, traits.lag
        move_motors(before, told, period, lag, traits.slew, step[2], step[1])
    else:
        for j in range(nj):
            step[1, j] = step[2, j] = told[j]
    for i in range(actuation.shape[0]):
        joint = traits.joint_of[i]
        actuation[i] = step[1, joint] if joint >= 0 else 0.0
    return _asks_memory(command, nj)


@compiled
def _tell_motors(traits, nq, command, state, known, memory, told):
    """Writes the clipped effort told to each motor; see the head of this module.

    Where the state is not `known`, errors are not corrected.
    """
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
        share = command[EFFORT_FEEDBACK * nj + j]
        # The commands of a servo without memory have neither integral nor friction.
        if memory.shape[0] > 0:
            if command[INTEGRAL * nj + j] > 0.0:
                effort += memory[HELD * nj + j]
            effort += share * memory[MEASURED * nj + j]
        if traits.friction[j] > 0.0:
            wanted = command[COMING * nj + j]
            wanted += FRICTION_RATE * error if stiffness > 0.0 else 0.0
            way = min(max(wanted / FRICTION_SPEED, -1.0), 1.0)
            effort += (1.0 - share) * (traits.friction[j] * way)
        limit, stall, slope = traits.limits[j], traits.stall[j], traits.slope[j]
        speed = command[VELOCITY * nj + j]
        if known:
            speed = state[first_rate + j]
        told[j] = within_motor(limit, stall, slope, speed, effort)
    if traits.pairs.joints.shape[0] > 0:
        if known:
            clip_pairs(traits.pairs, state[first_rate : state.shape[0]], told)
        else:
            clip_pairs(traits.pairs, command[VELOCITY * nj : (VELOCITY + 1) * nj], told)


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
def keep_efforts(
    step: Matrix, remembers: bool, has_motors: bool, memory: Vector
) -> None:
    """Keeps what motors give in a step; unless it remembers them, the rest is zero."""
    nj = step.shape[1]
    for j in range(nj):
        if not remembers:
            memory[HELD * nj + j] = memory[MEASURED * nj + j] = 0.0
        if has_motors:
            memory[MOTORS * nj + j] = step[2, j]
        memory[LAST * nj + j] = step[1, j]


@compiled
def move_memory(
    bound: Bound[ServoTraits],
    command: Vector,
    state: Vector,
    known: bool,
    told: Vector,
    felt: Vector,
    memory: Vector,
) -> None:
    """Moves integral and measured friction on by one period, in place.

    `told` (nj,) is the clipped effort, `felt` (nj,) what came through to the joints
    over the last period.
    """
    traits, nq = bound.content, bound.content.num_positions
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
