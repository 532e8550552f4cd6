"""Sensors: measurements of a robot's state, with delay and noise.

    encoders       position and velocity of every joint
    gyro           angular velocity of the base, in its axes, plus a bias
    accelerometer  acceleration of the base origin against free fall, in its axes,
                   mean over the time since the sample before, plus a bias
    foot force     normal force on every patch, and the whole wrench on it

All errors are normal and drawn anew for each sample; biases start from a normal
draw and then walk. A sample's errors depend on seed and number of the sample only.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from pydrake.common.value import AbstractValue
from pydrake.systems.framework import Context, State

from backbeat.models.common.collectable_system import CollectableSystem, weak
from backbeat.models.common.numbered_draws import NumberedDraws
from backbeat.models.common.schema import key
from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Matrix, Vector, VectorView
from backbeat.models.dynamics.rotations import quaternion_to_matrix
from backbeat.models.robot.model import RobotModel


@dataclass
class SensorNoise:
    """Standard deviations of the errors of one sample, and biases."""

    position: float = key(1e-3, "rad", ge=0)
    """Joint angles."""
    velocity: float = key(20e-3, "rad/s", ge=0)
    """Joint velocities."""
    hand: float = key(0.0, "m", ge=0)
    """Position of a hand that is sensed in task space."""
    gyro: float = key(5e-3, "rad/s", ge=0)
    """Gyro."""
    accelerometer: float = key(0.05, "m/s²", ge=0)
    """Accelerometer."""
    force: float = key(5.0, "N", ge=0)
    """Force on a foot."""
    gyro_bias: float = key(3e-3, "rad/s", ge=0)
    """Bias of the gyro at the start."""
    accelerometer_bias: float = key(0.03, "m/s²", ge=0)
    """Bias of the accelerometer."""
    gyro_walk: float = key(1e-4, "rad/s/√s", ge=0)
    """Random walk of the gyro's bias."""
    accelerometer_walk: float = key(1e-3, "m/s²/√s", ge=0)
    """Random walk of the accelerometer's bias."""
    moment: float = key(0.5, "N m", ge=0)
    """Moment on a foot."""


@dataclass(frozen=True)
class SensorReading:
    """One sample of all sensors.

    Attributes:
        index: number of the sample, from 0 at time 0.
        position, velocity: (nj,) joints [rad, rad/s].
        gyro: (3,) angular velocity in base axes [rad/s].
        accelerometer: (3,) acceleration in base axes, 9.8 upwards at rest [m/s^2].
        force: (C,) normal forces on the patches [N].
        wrenches: (C, 6) on the patches, moment and force in their axes about their
            origins, mean over the time since the sample before [N m, N]; (0, 6) where
            there is no sensor for them.
    """

    index: int
    position: np.ndarray
    velocity: np.ndarray
    gyro: np.ndarray
    accelerometer: np.ndarray
    force: np.ndarray
    wrenches: np.ndarray = field(default_factory=lambda: np.zeros((0, 6)))


@dataclass(frozen=True)
class SensorMemory:
    """All memory of the sensors.

    Attributes:
        readings: the latest samples, newest last, as far back as the delay asks.
        count: samples taken.
        base_velocity: (3,) of the base at the newest sample [m/s].
        bias: (2, 3) of gyro and accelerometer, for the next sample.
    """

    readings: tuple[SensorReading, ...]
    count: int
    base_velocity: np.ndarray
    bias: np.ndarray

    def __deepcopy__(self, memo: object) -> "SensorMemory":
        """Values in a Context may be shared, for nothing here ever changes."""
        return self


# The reading that sensors give in place of one that was taken at a time [s].
ReadingFault = Callable[[float, SensorReading], SensorReading]


class Sensors(CollectableSystem):
    """Samples a robot and hands the samples on after a delay.

    .. pydrake_system::

        name: Sensors
        input_ports:
        - state
        - force
        - wrenches
        - noise_scale
        output_ports:
        - reading

    `state` is the true [q, v] of the robot model (nq + nv), `force` (C) the true
    normal forces on its patches [N], `wrenches` (6 C) the true wrenches on them, as of
    SensorReading; without, they are not sensed. `noise_scale` (1) multiplies all errors
    but the biases at the start; it may be left unconnected. `reading` is the
    SensorReading taken `delay` ago; in the first moments, the very first one.
    """

    def __init__(
        self,
        robot: RobotModel,
        num_patches: int,
        noise: SensorNoise | None = None,
        delay: float = 0.002,
        period: float = 1e-3,
        seed: int = 0,
        faults: Sequence[ReadingFault] = (),
    ) -> None:
        """Makes the sensors.

        Args:
            robot: whose joints have encoders and whose base carries the IMU.
            num_patches: patches whose force is sensed.
            noise: errors.
            delay: from the sample to the output [s]; whole periods.
            period: time between samples [s].
            seed: of all errors.
            faults: each changes a reading that was taken at a time [s], in turn.
        """
        super().__init__()
        self._robot, self._noise = robot, noise or SensorNoise()
        self._period, self._draws = period, NumberedDraws(seed)
        self._faults, self._upwards = faults, np.array([0.0, 0.0, robot.gravity])
        self._delay = round(delay / period)
        self._state = self.DeclareVectorInputPort(
            "state", robot.num_positions + robot.num_velocities
        )
        self._force = self.DeclareVectorInputPort("force", num_patches)
        self._wrenches = self.DeclareVectorInputPort("wrenches", 6 * num_patches)
        self._scale = self.DeclareVectorInputPort("noise_scale", 1)
        n, nj = self._noise, robot.num_joints
        self._deviations = _deviations(n, nj, num_patches, period)
        start = np.array([[n.gyro_bias] * 3, [n.accelerometer_bias] * 3])
        bias = start * NumberedDraws(seed, stream=1).normal(0, 6).reshape(2, 3)
        first = SensorMemory((), 0, np.zeros(3), bias)
        self._memory = int(self.DeclareAbstractState(AbstractValue.Make(first)))
        empty = SensorReading(0, *map(np.zeros, (nj, nj, 3, 3, num_patches)))
        sources = {self.all_sources_ticket()}
        if self._delay:
            # What is late was stored before. In continuous time forces of the ground
            # hang on motors, and motors on what is sensed: the very first sample alone
            # is taken when it is asked for, and changes with the true state.
            sources = {
                self.all_state_ticket(),
                self.time_ticket(),
                self._state.ticket(),
                self._scale.ticket(),
            }
        self.DeclareAbstractOutputPort(
            "reading",
            lambda: AbstractValue.Make(empty),
            weak(self._calc_reading),
            sources,
        )
        self.DeclarePeriodicUnrestrictedUpdateEvent(period, 0.0, weak(self._update))

    def _read(self, context: Context) -> SensorMemory:
        memory: SensorMemory = context.get_abstract_state(self._memory).get_value()
        return memory

    def _calc_reading(self, context: Context, output: AbstractValue) -> None:
        memory = self._read(context)
        now = int(np.floor(context.get_time() / self._period + 1e-6))
        index = max(0, now - self._delay)
        if index >= memory.count:
            # Asked at the moment of a sample, before it has been stored.
            memory = self._sample(context, memory)
        output.set_value(memory.readings[index - memory.count])

    def _update(self, context: Context, state: State) -> None:
        memory = self._sample(context, self._read(context))
        state.get_mutable_abstract_state(self._memory).set_value(memory)

    def _sample(self, context: Context, memory: SensorMemory) -> SensorMemory:
        x, force, scale = self._state.Eval(context), self._force.Eval(context), 1.0
        wrenches = None
        if self._wrenches.HasValue(context):
            wrenches = self._wrenches.Eval(context).reshape(-1, 6)
        if self._scale.HasValue(context):
            scale = float(self._scale.Eval(context)[0])
        return self.sample(x, force, memory, scale, wrenches)

    def sample(
        self,
        x: np.ndarray,
        force: np.ndarray,
        memory: SensorMemory,
        scale: float = 1.0,
        wrenches: np.ndarray | None = None,
    ) -> SensorMemory:
        """The next sample, as a function of true state, forces, memory and noise."""
        robot, nj, nq = self._robot, self._robot.num_joints, self._robot.num_positions
        q, v, rates, velocity = x[:nq], x[nq:], np.zeros((2, 3)), np.zeros(3)
        if robot.floating:
            R, velocity = np.empty((3, 3)), v[3:6].copy()
            quaternion_to_matrix(q, R)
            before = memory.base_velocity if memory.count else velocity
            acceleration = (velocity - before) / self._period
            rates[0] = R.T @ v[:3]
            rates[1] = R.T @ (acceleration + self._upwards)
        draw = self._draws.normal(memory.count, len(self._deviations))
        c, k = len(force), 2 * nj
        felt = np.empty((0 if wrenches is None else c, 6))
        given = felt if wrenches is None else wrenches
        values, bias = np.empty(k + 6 + c), np.empty((2, 3))
        _sense(
            scale,
            self._deviations,
            draw,
            (q, v, rates, memory.bias, force, given),
            (values, bias, felt),
        )
        reading = SensorReading(
            index=memory.count,
            position=values[:nj],
            velocity=values[nj:k],
            gyro=values[k : k + 3],
            accelerometer=values[k + 3 : k + 6],
            force=values[k + 6 :],
            wrenches=felt,
        )
        for fault in self._faults:
            reading = fault(memory.count * self._period, reading)
        kept = memory.readings[-self._delay :] if self._delay else ()
        return SensorMemory((*kept, reading), memory.count + 1, velocity, bias)


def _deviations(
    noise: SensorNoise, joints: int, patches: int, period: float
) -> np.ndarray:
    """(2 nj + 12 + 6 C,) standard deviations in the order in which errors are drawn."""
    n, walk = noise, np.sqrt(period)
    return np.r_[
        np.full(joints, n.position),
        np.full(joints, n.velocity),
        np.full(3, n.gyro),
        np.full(3, n.accelerometer),
        np.full(patches, n.force),
        np.full(3, n.gyro_walk * walk),
        np.full(3, n.accelerometer_walk * walk),
        np.tile(np.r_[np.full(3, n.moment), np.full(2, n.force)], patches),
    ]


# Without fast arithmetic: what a seed gives depends on no compiler.
@compiled
def _sense(
    scale: float,
    deviations: Vector,
    draw: Vector,
    true: tuple[Vector, Vector, Matrix, Matrix, VectorView, Matrix],
    out: tuple[Vector, Matrix, Matrix],
) -> None:
    """Writes what sensors say: what is true, biases and errors, and the next biases.

    Args:
        scale, deviations, draw: every error is their product; of encoders, IMU, forces,
            walk of the biases, and for each foot moment and the two forces across.
        true: configuration, velocity, (2, 3) of the IMU and its biases, (C,) normal
            forces and (C, 6) wrenches, or (0, 6) where there is no sensor for them.
        out: values of encoders, IMU and normal forces in a row, (2, 3) next biases, and
            wrenches; all are written.
    """
    q, v, rates, bias, force, wrenches = true
    values, after, felt = out
    c = force.shape[0]
    nj = (values.shape[0] - 6 - c) // 2
    k = 2 * nj
    walk = k + 6 + c
    error = np.empty(draw.shape[0])
    for i in range(draw.shape[0]):
        error[i] = scale * deviations[i] * draw[i]
    for j in range(nj):
        values[j] = q[q.shape[0] - nj + j] + error[j]
        values[nj + j] = v[v.shape[0] - nj + j] + error[nj + j]
    for s in range(2):
        for i in range(3):
            values[k + 3 * s + i] = rates[s, i] + bias[s, i] + error[k + 3 * s + i]
            after[s, i] = bias[s, i] + error[walk + 3 * s + i]
    for i in range(c):
        values[k + 6 + i] = force[i] + error[k + 6 + i]
    for i in range(felt.shape[0]):
        for d in range(5):
            felt[i, d] = wrenches[i, d] + error[walk + 6 + 5 * i + d]
        # Both outputs of a foot are of one sensor, with one normal force.
        felt[i, 5] = wrenches[i, 5] + error[k + 6 + i]
