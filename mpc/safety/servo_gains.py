"""Gains of the joint servo: beside the whole-body program, and in its place."""

from collections.abc import Hashable
from weakref import WeakKeyDictionary

import numpy as np

from backbeat.models.actuation.coupled_servos import coupled_shares
from backbeat.models.actuation.servo_margin import (
    SERVO_STEP,
    SampledServo,
    Sampling,
    servo_of,
)
from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Array3, Matrix
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.reference.trajectory import Reference

# A hold gives all the torque of a joint at this angle from where it should be [rad],
# and loses its speed within so long [s].
HOLD_ANGLE, HOLD_TIME = 0.2, 0.1
# Error at which a drive of its own gives all the torque of its joint [rad or m]: it has
# no feedforward of weight and inertia, and is much stiffer than a hold of legs.
DRIVE_ANGLE = 0.01
# Latency that it is made for at least [s]: its set points come in steps of 2 ms, which
# faster drives would follow, joints of little inertia with a tenth of their speed.
DRIVE_TIME = 4e-3
# What is taken off a servo's frequency where a joint is as soft as can be [-].
SOFT = 0.7
# Phase between two postures whose gains are found [s].
SPACING = 0.1
# The same where gains are for all postures [s].
HOLD_SPACING = 0.5


# Tables of gains, which every loop with the same robot and behavior needs.
_tables: WeakKeyDictionary[RobotModel, dict[tuple[Hashable, ...], np.ndarray]] = (
    WeakKeyDictionary()
)


def felt_inertia(robot: RobotModel, reference: Reference, s: float) -> np.ndarray:
    """(nj,) inertia that joints feel at phase s of a behavior, see `felt_along`."""
    inertia: np.ndarray = felt_along(robot, reference, np.array([s]))[0]
    return inertia


def felt_along(
    robot: RobotModel, reference: Reference, phases: np.ndarray
) -> np.ndarray:
    """(K, nj) inertia that joints feel at phases (K,) of a behavior, 1 / (M^-1)_jj.

    The diagonal of M would take the base for fixed, and gains made for it shake a waist
    above a light pelvis.
    """
    return _felt(_inverses_at(robot, _postures(reference, phases)))


def _postures(reference: Reference, phases: np.ndarray) -> np.ndarray:
    """(K, nq) of a behavior."""
    sample = reference.sampler()
    return np.array([sample(s).q.copy() for s in phases.tolist()])


def _inverses_at(robot: RobotModel, postures: np.ndarray) -> np.ndarray:
    """(K, nj, nj) rows of the joints of M^-1 in postures (K, nq)."""
    state, first = Configuration(robot, postures[0]), robot.base_velocities
    M = np.array([state.update(q).mass_matrix for q in postures])
    return np.asarray(np.linalg.inv(M)[:, first:, first:])


def _felt(inverse: np.ndarray) -> np.ndarray:
    """(..., nj) inertia that joints feel, of the joints' rows of M^-1."""
    return np.asarray(1 / np.diagonal(inverse, axis1=-2, axis2=-1))


def servo_gains(
    robot: RobotModel,
    reference: Reference,
    latency: float = 0.0,
    s: float = 0.0,
    sampling: Sampling | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Joint stiffness and damping [N m/rad, N m s/rad] from the robot YAML.

    kp = I omega^2, kd = 2 I omega with the inertia I that the joint feels at phase s
    of the behavior. Joints of standing limbs get none, for there the contact forces
    decide. Joints that a behavior makes soft have a lower frequency.

    A torque that comes late by tau can damp no more than about a radian per tau:
    kd <= (I / tau + d) / 2 with the joint's own damping d, and kp <= (kd + d) / 4 tau.
    Gains of a robot YAML are for a servo of 1 kHz. Longer steps hold less, and where
    they do not hold a servo with room to spare both gains are smaller by one factor,
    see `backbeat.models.actuation.servo_margin`. Torques that come late may shake what
    two servos act on together, see `backbeat.models.actuation.coupled_servos`.
    """
    inverse = _inverses_at(robot, _postures(reference, np.array([s])))[0]
    return _gains_for(inverse, robot, reference, latency, sampling or Sampling())


def _gains_for(
    inverse: np.ndarray,
    robot: RobotModel,
    reference: Reference,
    latency: float,
    sampling: Sampling,
) -> tuple[np.ndarray, np.ndarray]:
    """Gains of `servo_gains` where the joints' rows of M^-1 are (nj, nj) `inverse`."""
    felt = _felt(inverse)
    stiffness, damping = np.zeros(robot.num_joints), np.zeros(robot.num_joints)
    limbs = standing_joints(robot, reference)
    for name, (frequency, least) in robot.servo_gains().items():
        j = robot.joint_index(name)
        if j in limbs:
            continue
        soft = reference.behavior.compliance.get(name, 0.0)
        softened = frequency * (1 - SOFT * soft)
        stiffness[j], damping[j] = servo_of(float(felt[j]), softened, least)
        if latency > 0:
            own = robot.damping[j]
            damping[j] = min(damping[j], 0.5 * (felt[j] / latency + own))
            stiffness[j] = min(stiffness[j], 0.25 * (damping[j] + own) / latency)
        if sampling.step > SERVO_STEP and damping[j] > 0:
            told = float(stiffness[j]), float(damping[j]), float(robot.damping[j])
            share = SampledServo(float(felt[j]), *told, *sampling).bearable_share()
            stiffness[j] *= share
            damping[j] *= share
    if latency > 0 and (sampling.late > 0 or sampling.lag > 0):
        gains = stiffness, damping
        shares = coupled_shares(inverse, gains, robot.damping, sampling)
        return shares * stiffness, shares * damping
    return stiffness, damping


def standing_joints(robot: RobotModel, reference: Reference) -> set[int]:
    """Joints of the limbs that a behavior stands on."""
    return {int(j) for name in reference.patches for j in robot.contacts[name].limb}


class ServoSchedule:
    """Servo gains along a behavior.

    The inertia that an elbow feels is twenty times smaller when the arm is bent another
    way: gains for the one posture shake it in the other, where torques come late.
    """

    def __init__(
        self,
        robot: RobotModel,
        reference: Reference,
        latency: float = 0.0,
        sampling: Sampling | None = None,
    ) -> None:
        """Finds the gains every `SPACING` of a behavior; see `servo_gains`."""
        count = int(np.ceil(reference.duration / SPACING)) + 1
        postures = _postures(reference, SPACING * np.arange(count))
        sampling = sampling or Sampling()
        known = _tables.setdefault(robot, {})
        soft = tuple(sorted(reference.behavior.compliance.items()))
        key = latency, sampling, soft, reference.patches, postures.tobytes()
        if key not in known:
            known[key] = np.array(
                [
                    _gains_for(inverse, robot, reference, latency, sampling)
                    for inverse in _inverses_at(robot, postures)
                ]
            )
        self.table = known[key].copy()

    def at(self, s: float) -> np.ndarray:
        """(2, nj) stiffness and damping at phase s, [N m/rad, N m s/rad]."""
        gains = np.empty(self.table.shape[1:])
        blend(self.table, s / SPACING, gains)
        return gains


@compiled
def blend(table: Array3, u: float, out: Matrix) -> None:
    """Writes a row of a table (K, 2, nj) at an index u between rows; ends go on."""
    last = table.shape[0] - 1
    u = min(max(u, 0.0), float(last))
    i = min(int(u), max(last - 1, 0))
    share, j = u - i, min(i + 1, last)
    for row in range(out.shape[0]):
        for k in range(out.shape[1]):
            out[row, k] = (1 - share) * table[i, row, k] + share * table[j, row, k]


def hold_gains(
    robot: RobotModel,
    reference: Reference,
    latency: float = 0.0,
    step: float = SERVO_STEP,
    angle: float = HOLD_ANGLE,
) -> tuple[np.ndarray, np.ndarray]:
    """Joint stiffness and damping [N m/rad, N m s/rad] of a hold without a program.

    Stiff enough for legs to stand on, as far as latency and the inertia that a joint
    feels with its limb in the air allow; see `servo_gains` for both bounds. Arms may be
    held in any posture of the behavior, and the least inertia that they feel counts.
    All the torque of a joint is given at `angle` from where it should be [rad or m].
    """
    phases = np.arange(0.0, reference.duration + HOLD_SPACING, HOLD_SPACING)
    all_felt = felt_along(robot, reference, phases)
    felt, limbs = all_felt.min(axis=0), sorted(standing_joints(robot, reference))
    felt[limbs] = all_felt[0, limbs]
    return bounded_gains(robot, felt, latency, step, angle)


def drive_gains(
    robot: RobotModel,
    reference: Reference,
    joints: np.ndarray,
    latency: float = 0.0,
    sampling: Sampling | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Joint stiffness and damping [N m/rad, N m s/rad] of drives that take positions.

    Stiff, as far as latency and the inertia that a joint feels allow, see `hold_gains`;
    then lowered to what drives bear that act on one motion in any posture of the
    behavior, see `backbeat.models.actuation.coupled_servos`. Other joints get zero.

    Args:
        robot: the robot.
        reference: the behavior.
        joints: (nj,) whether a joint has a drive.
        latency: from a motion to the torque against it [s].
        sampling: when samples of the drives are taken, and when they act.
    """
    sampling = sampling or Sampling()
    late = max(latency, DRIVE_TIME)
    told = hold_gains(robot, reference, late, sampling.step, DRIVE_ANGLE)
    gains = np.where(joints, told[0], 0.0), np.where(joints, told[1], 0.0)
    phases = np.arange(0.0, reference.duration + HOLD_SPACING, HOLD_SPACING)
    shares = np.ones(robot.num_joints)
    for inverse in _inverses_at(robot, _postures(reference, phases)):
        together = coupled_shares(inverse, gains, robot.damping, sampling)
        shares = np.minimum(shares, together)
    return shares * gains[0], shares * gains[1]


def bounded_gains(
    robot: RobotModel,
    felt: np.ndarray,
    latency: float = 0.0,
    step: float = SERVO_STEP,
    angle: float = HOLD_ANGLE,
) -> tuple[np.ndarray, np.ndarray]:
    """Joint stiffness and damping of a hold that inertias allow; see `hold_gains`.

    Args:
        robot: the robot.
        felt: (nj,) least inertia that joints feel [kg m^2].
        latency: from a motion to the torque against it [s].
        step: time between samples of the servo [s].
        angle: error at which a joint gives all its torque [rad or m].
    """
    late = max(latency, step, SERVO_STEP)
    stiffness = robot.effort_limits / angle
    damping = np.minimum(HOLD_TIME * stiffness, 0.5 * (felt / late + robot.damping))
    return np.minimum(stiffness, 0.25 * (damping + robot.damping) / late), damping
