"""Whether the servos of a run hold: gains, felt inertia, step, delay and lag."""

from collections.abc import Mapping

import numpy as np

from backbeat.models.actuation.servo_margin import (
    SERVO_STEP,
    SampledServo,
    Sampling,
    rounded_down,
)
from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.safety.servo_gains import HOLD_SPACING, felt_along, servo_gains


def check_servos(reference: Reference, latency: float, sampling: Sampling) -> None:
    """Refuses a run whose servos would shake by themselves.

    Args:
        reference: the behavior, along which joints feel different inertias.
        latency: from a motion to the motors' answer [s].
        sampling: step, delay of the sensors and lag of the motors.

    Raises:
        BackbeatError: a servo is not stable; see
            `backbeat.models.actuation.servo_margin`.
    """
    robot = reference.robot
    step, late, lag = sampling
    delay = late * step
    phases = np.arange(0.0, reference.duration + HOLD_SPACING, HOLD_SPACING)
    felt = felt_along(robot, reference, phases)
    least = felt.argmin(axis=0)
    for k in sorted(set(least.tolist())):
        s = float(phases[k])
        gains = servo_gains(robot, reference, latency, s, sampling)
        for j in np.flatnonzero((least == k) & (gains[1] > 0)):
            told = float(gains[0][j]), float(gains[1][j])
            own = float(robot.damping[j])
            servo = SampledServo(float(felt[k, j]), *told, own, step, late, lag)
            if not servo.holds():
                share = servo.largest_share()
                raise BackbeatError(
                    f"the servo of {robot.joint_names[j]} has a stiffness of "
                    f"{told[0]:.3g} and a damping of {told[1]:.3g} at {phases[k]:g} s "
                    f"of {reference.behavior.name}, where the joint feels an inertia "
                    f"of {servo.inertia:.2g} kg m^2: it shakes by itself at a step of "
                    f"{1e3 * step:g} ms with sensors {1e3 * delay:g} ms late and "
                    f"motors that lag by {1e3 * lag:g} ms. Less than "
                    f"{rounded_down(share * told[0])} and "
                    f"{rounded_down(share * told[1])} hold: lower `least_inertia` or "
                    "`frequency` in `servo` of the robot YAML, or time_step, "
                    "sensing_delay or actuator_lag"
                )


def softened_servos(
    reference: Reference, latency: float, sampling: Sampling
) -> dict[str, float]:
    """Least share of its gains that a joint's servo has in a run, where it is below 1.

    Gains are smaller where the step, the delay and the lag of a run do not bear those
    of the robot YAML; see `backbeat.mpc.safety.servo_gains.servo_gains`.

    Args:
        reference: the behavior, along which joints feel different inertias.
        latency: from a motion to the motors' answer [s].
        sampling: step, delay of the sensors and lag of the motors.
    """
    if sampling.step <= SERVO_STEP:
        return {}
    robot, least = reference.robot, np.ones(reference.robot.num_joints)
    phases = np.arange(0.0, reference.duration + HOLD_SPACING, HOLD_SPACING)
    for s in phases.tolist():
        _, usual = servo_gains(robot, reference, latency, s)
        _, held = servo_gains(robot, reference, latency, s, sampling)
        share = held / np.where(usual > 0, usual, 1.0)
        least = np.where(usual > 0, np.minimum(least, share), least)
    return {robot.joint_names[j]: float(least[j]) for j in np.flatnonzero(least < 1.0)}


def softened_in_words(
    name: str, time_step: float, softened: Mapping[str, float]
) -> str:
    """One sentence about servos that are softer than their robot has them, or ""."""
    if not softened:
        return ""
    share, joint = min((share, joint) for joint, share in softened.items())
    which = f"the servo of {joint} is"
    if len(softened) > 1:
        which = f"the servos of {len(softened)} joints ({joint} most) are"
    return (
        f"{name}: in steps of {1e3 * time_step:g} ms {which} softer than the robot "
        f"YAML has them, down to {share:.2f} of their gains."
    )
