"""StateEstimation: the present state from delayed and noisy sensors.

The base comes from the invariant filter, the joints from one small Kalman filter
each. Both refer to the time of the sample; the output is predicted over the known
delay. No diagram, context or simulator is needed; `StateEstimator` is the
same as a Drake system.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Flags, Matrix, Vector
from backbeat.models.compiled.bound import Bound, bind
from backbeat.models.dynamics.finite import all_finite
from backbeat.models.dynamics.kinematic_tree import (
    KinematicTree,
    Workspace,
    make_workspace,
)
from backbeat.models.dynamics.rotations import quaternion_to_matrix
from backbeat.models.robot.model import RobotModel
from backbeat.models.sensing.sensors import SensorReading
from backbeat.mpc.estimation.carrying_on import carry_on
from backbeat.mpc.estimation.contact_estimator import (
    ContactThresholds,
    estimate_contacts,
)
from backbeat.mpc.estimation.contact_kinematics import Limbs, read_limbs, see_contacts
from backbeat.mpc.estimation.estimator_start import StartUncertainty, start_estimate
from backbeat.mpc.estimation.filter_correction import correct
from backbeat.mpc.estimation.invariant_filter import (
    BaseEstimate,
    ContactKinematics,
    FilterNoise,
    propagate,
)
from backbeat.mpc.estimation.joint_filter import joint_gain

# Time over which accelerations of the base are averaged that carry it on [s]: shocks of
# a foot that slides or lands are over before.
SHOCK = 2e-3
# How long the ground is not taken for level after a foot that grips was seen to stand
# askew, or above or below it [s]; longer than a step, for the next may be no better.
ROUGH = 1.0


@dataclass(frozen=True)
class EstimatorMemory:
    """All memory of the estimator, at the time of the sample it has seen last.

    Attributes:
        index: number of that sample; -1 before the first.
        base: estimate of the base; its arrays are never written again.
        joints: (3, nj) positions, velocities, and the accelerations that the
            motors are taken to give them.
        rate: (3,) angular velocity of the base, world axes [rad/s].
        acceleration: (3,) of the base origin, world axes, without shocks [m/s^2].
        stands: (C,) which feet stand.
        trust: (C,) how much they are trusted to rest.
        rough: for how long the ground is not yet taken for level again [s].
        reading: the last that every sensor gave; None before the first.
    """

    index: int
    base: BaseEstimate
    joints: np.ndarray
    rate: np.ndarray
    acceleration: np.ndarray
    stands: np.ndarray
    trust: np.ndarray
    rough: float = 0.0
    reading: SensorReading | None = None

    def __deepcopy__(self, memo: object) -> "EstimatorMemory":
        """Values in a Context may be shared, for nothing here ever changes."""
        return self


class StateEstimation:
    """The estimator of one robot, as a pure function of samples and memory.

        memory = estimation.start()
        memory = estimation(reading, memory)    # estimation.state(memory) is [q, v]

    Attributes:
        robot: the robot.
        period: time between samples [s].
    """

    def __init__(
        self,
        robot: RobotModel,
        start: np.ndarray,
        horizon: float = 0.002,
        period: float = 1e-3,
        lag: float = 0.0,
        noise: FilterNoise | None = None,
        thresholds: ContactThresholds | None = None,
        uncertainty: StartUncertainty | None = None,
    ) -> None:
        """Makes the function.

        Args:
            robot: the robot; its soles are the contacts, for they feel force.
            start: (nq,) configuration at the start; it defines heading and place.
            horizon: from a sample to the time of the estimate [s].
            period: time between samples [s].
            lag: time constant with which the motors follow [s].
            noise: what the filter assumes.
            thresholds: forces that decide about contact.
            uncertainty: of the start.
        """
        self.robot, self.period, self._horizon = robot, period, horizon
        self._noise = noise or FilterNoise()
        self._thresholds = thresholds or ContactThresholds()
        gain, ws = joint_gain(self._noise, period), make_workspace(robot.tree)
        self._bound = bind(
            (robot.tree, ws, read_limbs(robot), gain, self._noise, robot.gravity)
        )
        self._blend = 1.0 - np.exp(-period / SHOCK)
        self._follow = 1.0 - np.exp(-period / lag) if lag > 0 else 1.0
        self._start, self._uncertainty = start, uncertainty or StartUncertainty()

    def start(self) -> EstimatorMemory:
        """Memory before the first sample."""
        robot, C = self.robot, len(self.robot.soles)
        joints = np.zeros((3, robot.num_joints))
        joints[0] = self._start[robot.base_positions :]
        return EstimatorMemory(
            index=-1,
            base=start_estimate(robot, self._start, self._uncertainty),
            joints=joints,
            rate=np.zeros(3),
            acceleration=np.zeros(3),
            stands=np.zeros(C, bool),
            trust=np.zeros(C),
        )

    def __call__(
        self,
        reading: SensorReading,
        memory: EstimatorMemory,
        acceleration: np.ndarray | None = None,
        edge: np.ndarray | None = None,
    ) -> EstimatorMemory:
        """The estimate at a new sample.

        Args:
            reading: the sample.
            memory: the estimate at the sample before.
            acceleration: (nj,) commanded of the joints [rad/s^2], if available.
            edge: (C,) how far ahead the edge is on which a foot is to stand [m], 0 of
                flat ones; None for all flat.
        """
        old = memory.base
        reading = whole(reading, memory.reading)
        stands, trust = estimate_contacts(
            reading.force, memory.stands, self._thresholds
        )
        base = BaseEstimate(*(a.copy() for a in old))
        joints, motion = memory.joints.copy(), np.zeros((2, 3))
        if acceleration is not None:
            joints[2] += self._follow * (acceleration - joints[2])
        sensed = Sensed(
            reading.position,
            reading.velocity,
            reading.gyro,
            reading.accelerometer,
            stands,
            stands & ~memory.stands,
            trust,
            np.zeros(len(stands)) if edge is None else edge,
        )
        is_level = _advance(
            self._bound,
            memory.rough > 0.0,
            self.period if memory.index >= 0 else 0.0,
            sensed,
            Filtered(base, joints, motion),
        )
        smooth = memory.acceleration + self._blend * (motion[1] - memory.acceleration)
        rough = max(0.0, memory.rough - self.period) if is_level else ROUGH
        return EstimatorMemory(
            reading.index,
            base,
            joints,
            motion[0],
            smooth,
            stands,
            trust,
            rough,
            reading,
        )

    def specific_force(self, memory: EstimatorMemory) -> np.ndarray:
        """(3,) acceleration of the base less gravity at the sample, world axes [m/s^2].

        What the accelerometer felt, less its bias as estimated, turned by the estimated
        attitude; before the first sample that of rest.
        """
        if memory.reading is None:
            return np.array([0.0, 0.0, self.robot.gravity])
        R, base = np.empty((3, 3)), memory.base
        quaternion_to_matrix(base.q, R)
        return np.asarray(R @ (memory.reading.accelerometer - base.b[1]))

    def sampled_state(self, memory: EstimatorMemory) -> np.ndarray:
        """(nq + nv,) state at the sample, joints where their encoders saw them.

        Filtered angles follow the blow of a landing foot, or a start beside the plan,
        after a tenth of a second; an ankle that is off by 30 mrad turns the force on
        its foot by 50 N.
        """
        x = self.state(memory, 0.0)
        if memory.reading is not None:
            first = self.robot.base_positions
            x[first : self.robot.num_positions] = memory.reading.position
        return x

    def state(
        self, memory: EstimatorMemory, horizon: float | None = None
    ) -> np.ndarray:
        """(nq + nv,) state, `horizon` later than the sample [s]; None for usual."""
        robot, nq = self.robot, self.robot.num_positions
        x, motion = np.empty(nq + robot.num_velocities), np.empty((2, 3))
        motion[0], motion[1] = memory.rate, memory.acceleration
        carry_on(
            robot.floating,
            memory.base,
            memory.joints,
            motion,
            self._horizon if horizon is None else horizon,
            x[:nq],
            x[nq:],
        )
        return x


def whole(reading: SensorReading, before: SensorReading | None) -> SensorReading:
    """A sample in which values that a sensor did not give are those it gave last.

    One that is not a number would never leave the estimate again. Before the first
    sample a sensor that is silent counts as zero.
    """
    mended = {}
    for name in ("position", "velocity", "gyro", "accelerometer", "force"):
        values = getattr(reading, name)
        if not all_finite(values):
            bad = ~np.isfinite(values)
            last = np.zeros_like(values) if before is None else getattr(before, name)
            mended[name] = np.where(bad, last, values)
    return replace(reading, **mended) if mended else reading


class Sensed(NamedTuple):
    """What sensors say, and what is known of the contacts then."""

    position: Vector  # (nj,) [rad]
    velocity: Vector  # (nj,) [rad/s]
    gyro: Vector  # (3,) base axes [rad/s]
    accelerometer: Vector  # (3,) base axes [m/s^2]
    stands: Flags  # (C,) whether a contact carries load
    landed: Flags  # (C,) whether it does so for the first time
    trust: Vector  # (C,) how much it is trusted to rest, 0 to 1
    edge: Vector  # (C,) how far ahead the edge is on which it stands [m], or 0


class Filtered(NamedTuple):
    """What is estimated at a sample."""

    base: BaseEstimate
    joints: Matrix  # (3, nj) positions, velocities and accelerations
    motion: Matrix  # (2, 3) rate and acceleration of the base, world axes


@compiled
def _advance(
    bound: Bound[tuple[KinematicTree, Workspace, Limbs, Matrix, FilterNoise, float]],
    rough: bool,
    dt: float,
    sensed: Sensed,
    out: Filtered,
) -> bool:
    """One sample: filters in place, base rate and acceleration added to `motion`.

    On `rough` ground feet are not taken to stand level. Returns whether those that
    grip were seen to.
    """
    position, velocity, gyro, accelerometer, stands, landed, trust, edge = sensed
    base, joints, motion = out
    tree, ws, limbs, gain, noise, gravity = bound.content
    for j in range(position.shape[0]):
        v = joints[1, j] + dt * joints[2, j]
        q = joints[0, j] + 0.5 * dt * (joints[1, j] + v)
        a, b = position[j] - q, velocity[j] - v
        joints[0, j] = q + gain[0, 0] * a + gain[0, 1] * b
        joints[1, j] = v + gain[1, 0] * a + gain[1, 1] * b
    if not tree.floating:
        return True
    C, K = limbs.joints.shape
    kinematics = ContactKinematics(
        np.empty((C, 3)),
        np.empty((C, 3)),
        np.empty((C, 3)),
        np.empty((C, 3, K)),
        np.empty((C, 3)),
        np.empty(C),
        np.empty((C, 3)),
    )
    R, up = np.empty((3, 3)), np.empty(3)
    quaternion_to_matrix(base.q, R)
    for i in range(3):
        up[i] = R[2, i]
    see_contacts(tree, ws, limbs, position, velocity, up, edge, kinematics)
    slip, grips = np.empty(C), np.empty(C, np.bool_)
    for c in range(C):
        # A foot that carries little may as well slide or tip.
        doubt = 100.0 * (1.0 / max(trust[c], 0.02) - 1.0)
        slip[c] = noise.slip * np.sqrt(1.0 + doubt * doubt)
        grips[c] = trust[c] > 0.5
    if dt > 0.0:
        propagate(base, gyro, accelerometer, gravity, dt, noise, slip)
    level = correct(base, kinematics, gyro, stands, landed, grips, rough, noise)
    quaternion_to_matrix(base.q, R)
    for i in range(3):
        for k in range(3):
            motion[0, i] += R[i, k] * (gyro[k] - base.b[0, k])
            motion[1, i] += R[i, k] * (accelerometer[k] - base.b[1, k])
    motion[1, 2] -= gravity
    return level
