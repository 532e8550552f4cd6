"""What a robot YAML says of its motors: rotors, and torques that shrink with speed.

    armature:
      left leg: 0.01
      left_knee: 0.0251
    motors:
      left leg: {stall_torque: 120, top_speed: 20}

Names are joints, groups or roles. A joint's own entry goes before that of its group,
and a group's before that of its role.

A motor on a constant voltage gives its stall torque at rest, and nothing at its top
speed; in between torque falls with speed in a straight line. What it gives against its
motion is not less than at rest (Hughes, Drury, "Electric Motors and Drives", 2019,
chapter 3). The effort limit of the URDF, that of gear and current, holds besides:

    -min(e, max(s + k v, 0)) <= tau <= min(e, max(s - k v, 0)),    k = s / top speed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import ModelInstanceIndex

from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Vector

_T = TypeVar("_T")
# Effort that is none [N m or N].
_NOTHING = 1e-9


@dataclass
class MotorDescription:
    """The line from stall torque to top speed of a motor, behind its gear."""

    # Torque or force at rest [N m or N].
    stall_torque: float = 0.0
    # Speed at which no torque is left [rad/s or m/s].
    top_speed: float = 0.0


class EffortLimits(NamedTuple):
    """What motors give at a speed, see the head of this module.

    Attributes:
        effort: (nj,) most at any speed [N m or N].
        stall: (nj,) at rest; no matter where `slope` is zero [N m or N].
        slope: (nj,) what is lost with speed [N m s/rad or N s/m]; zero for motors
            without a line.
    """

    effort: Vector
    stall: Vector
    slope: Vector

    def at(self, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(..., nj) lowest and highest effort at velocities v (..., nj)."""
        lost = self.slope * v
        most, least = (
            np.where(
                self.slope > 0.0,
                np.minimum(self.effort, np.maximum(self.stall - way * lost, 0.0)),
                self.effort,
            )
            for way in (1.0, -1.0)
        )
        return -least, most

    def shares(self, tau: np.ndarray, v: np.ndarray) -> np.ndarray:
        """(..., nj) efforts as shares of what motors give at velocities, at least 0."""
        least, most = self.at(v)
        # A motor at its top speed gives nothing more, and all is too much.
        limit = np.maximum(np.where(tau > 0.0, most, -least), _NOTHING)
        return np.asarray(np.abs(tau) / limit)


@compiled
def highest_effort(effort, stall, slope, v):
    """Most that a motor gives along the direction in which v is its speed."""
    if slope <= 0.0:
        return effort
    return min(effort, max(stall - slope * v, 0.0))


def limits_at_speed(
    effort: np.ndarray, motors: Mapping[str, MotorDescription], names: Sequence[str]
) -> EffortLimits:
    """Limits of joints.

    Args:
        effort: (nj,) effort limits [N m or N].
        motors: lines by joint.
        names: of the joints.
    """
    stall, slope = np.zeros(len(names)), np.zeros(len(names))
    for i, name in enumerate(names):
        if name in motors:
            stall[i] = motors[name].stall_torque
            slope[i] = motors[name].stall_torque / motors[name].top_speed
    return EffortLimits(np.array(effort, float), stall, slope)


def by_joint(
    key: str,
    values: Mapping[str, _T],
    groups: Mapping[str, Sequence[str]],
    roles: Mapping[str, Sequence[str]],
    joints: Sequence[str],
) -> dict[str, _T]:
    """Values of single joints.

    Args:
        key: of the robot YAML, for messages.
        values: by joint, group or role.
        groups, roles: joints by their names.
        joints: all joints that there may be.

    Raises:
        BackbeatError: a name is none of these, or two groups or two roles give a joint
            different values.
    """
    for name in values:
        if name not in groups and name not in roles and name not in joints:
            known = [*joints, *groups, *roles]
            raise unknown_name(f"joint, group or role in {key}", name, known)
    found: dict[str, _T] = {}
    for members in (roles, groups, {name: [name] for name in joints}):
        level: dict[str, tuple[_T, str]] = {}
        for name in (n for n in values if n in members):
            # A group that has a role's name is the group.
            if members is roles and (name in groups or name in joints):
                continue
            for joint in members[name]:
                value, other = level.setdefault(joint, (values[name], name))
                if value != values[name]:
                    raise BackbeatError(
                        f"{key} gives {joint} two values, by {other} and by {name}; "
                        f"write what {joint} has by its own name"
                    )
        found |= {joint: value for joint, (value, _) in level.items()}
    return found


def check_armature(armature: Mapping[str, float], where: str | Path) -> None:
    """Checks the numbers of rotors.

    Raises:
        BackbeatError: one is below zero, or no number.
    """
    for name, value in armature.items():
        if not (isfinite(value) and value >= 0.0):
            raise BackbeatError(
                f"{where}: armature of {name} is {value:g}; it is an inertia behind "
                "the gear, at least 0 kg m^2"
            )


def check_motors(motors: Mapping[str, MotorDescription], where: str | Path) -> None:
    """Checks the numbers of lines from stall torque to top speed.

    Raises:
        BackbeatError: one is not above zero.
    """
    for name, motor in motors.items():
        pair = motor.stall_torque, motor.top_speed
        if not all(isfinite(x) and x > 0.0 for x in pair):
            raise BackbeatError(
                f"{where}: the motor of {name} needs a stall_torque and a top_speed "
                f"above zero, not {pair[0]:g} and {pair[1]:g}"
            )


def set_rotors(
    plant: MultibodyPlant,
    instance: ModelInstanceIndex,
    armature: Mapping[str, float],
    where: str | Path,
) -> None:
    """Gives motors of a plant the rotors of a robot YAML, in place of its own.

    Args:
        plant: plant that is not finalized.
        instance: the robot in it.
        armature: inertia behind the gear by joint [kg m^2 or kg].
        where: the YAML, for the message.

    Raises:
        BackbeatError: no motor drives such a joint.
    """
    left = dict(armature)
    # Drake tells those of an instance only once a plant is final.
    for index in plant.GetJointActuatorIndices():
        motor = plant.get_joint_actuator(index)
        name = motor.joint().name()
        if name in armature and motor.model_instance() == instance:
            # Of several motors of a joint, the first has it all.
            motor.set_default_rotor_inertia(left.pop(name, 0.0))
            motor.set_default_gear_ratio(1.0)
    if left:
        raise BackbeatError(
            f"{where}: armature is given to {next(iter(left))}, which no motor drives; "
            "leave it out, or give the joint an effort in the URDF"
        )
