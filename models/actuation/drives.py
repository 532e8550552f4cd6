"""What a robot YAML says of its motors: rotors, and torques that shrink with speed.

    armature:
      left leg: 0.01
      left_knee: 0.0251
    motors:
      left leg: {stall_torque: 120, top_speed: 20}

Names are joints, groups or roles. A joint's own entry goes before that of its group,
and a group's before that of its role.

`backbeat.models.actuation.effort_limits` has what they give at a speed, and
`backbeat.models.actuation.parallel` joints that two motors drive together.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import ModelInstanceIndex

from backbeat.models.actuation.effort_limits import EffortLimits
from backbeat.models.actuation.parallel import (
    ParallelDescription,
    check_parallel,
    parallel_motors,
)
from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.common.schema import key

_T = TypeVar("_T")


@dataclass
class MotorDescription:
    """The line from stall torque to top speed of a motor, behind its gear."""

    stall_torque: float = key(0.0, "N m or N", ge=0)
    """Torque or force at rest."""
    top_speed: float = key(0.0, "rad/s or m/s", ge=0)
    """Speed at which no torque is left."""


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


def effort_limits(
    effort: np.ndarray,
    motors: Mapping[str, MotorDescription],
    parallel: Mapping[str, ParallelDescription],
    names: Sequence[str],
) -> EffortLimits:
    """Limits of joints.

    Args:
        effort: (nj,) effort limits [N m or N]; what has none gets its stall torque.
        motors: lines by joint.
        parallel: pairs of joints that two motors drive together.
        names: of the joints.
    """
    effort, stall, slope = np.array(effort, float), *np.zeros((2, len(names)))
    for i, name in enumerate(names):
        if name in motors:
            stall[i] = motors[name].stall_torque
            slope[i] = motors[name].stall_torque / motors[name].top_speed
            if np.isinf(effort[i]):
                effort[i] = stall[i]
    pairs = parallel_motors(parallel, names)
    for p, joints in enumerate(pairs.joints):
        # Most that both motors come to together.
        most = np.abs(pairs.speed[p]).sum(axis=0) * pairs.effort[p]
        effort[joints] = np.minimum(effort[joints], most)
    return EffortLimits(effort, stall, slope, pairs)


def check_armature(armature: Mapping[str, float], where: str | Path) -> None:
    """Checks the numbers of rotors.

    Raises:
        BackbeatError: one is below zero.
    """
    for name, value in armature.items():
        if value < 0.0:
            raise BackbeatError(
                f"{where}: armature of {name} is {value:g}; it is an inertia behind "
                "the gear, at least 0 kg m^2"
            )


def check_motors(motors: Mapping[str, MotorDescription], where: str | Path) -> None:
    """Checks the numbers of lines from stall torque to top speed.

    Raises:
        BackbeatError: one is zero.
    """
    for name, motor in motors.items():
        pair = motor.stall_torque, motor.top_speed
        if not all(pair):
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


def check_efforts(
    efforts: Mapping[str, float], interface: str, where: str | Path
) -> None:
    """Checks effort limits of a robot YAML, and what its joints take.

    Raises:
        BackbeatError: a limit that is none, or an interface that there is not.
    """
    for name, effort in efforts.items():
        if effort <= 0:
            raise BackbeatError(
                f"{where}: efforts has {name} at {effort:g}; an effort limit is above "
                "zero, in N m or N"
            )
    if interface not in ("", "effort"):
        raise BackbeatError(
            f"{where}: hardware_interface is {interface!r}; it is 'effort', or left "
            "out for what the URDF says"
        )


class Driven(Protocol):
    """What a robot YAML says of drives."""

    armature: dict[str, float]
    motors: dict[str, MotorDescription]
    parallel: dict[str, ParallelDescription]
    efforts: dict[str, float]
    hardware_interface: str


def check_drives(description: Driven, where: str | Path) -> None:
    """Checks all that a robot YAML says of drives; see the single checks.

    Raises:
        BackbeatError: a number makes no sense.
    """
    check_armature(description.armature, where)
    check_motors(description.motors, where)
    check_parallel(description.parallel, where)
    check_efforts(description.efforts, description.hardware_interface, where)
