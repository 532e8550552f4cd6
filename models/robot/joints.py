"""The moving joints of a robot: names, limits, friction, servo modes and groups."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import Joint

from backbeat.models.actuation.drives import (
    MotorDescription,
    by_joint,
    effort_limits,
)
from backbeat.models.actuation.effort_limits import EffortLimits
from backbeat.models.actuation.parallel import check_pair_joints
from backbeat.models.actuation.transmission import joint_modes
from backbeat.models.common.errors import unknown_name
from backbeat.models.robot.description import RobotDescription
from backbeat.models.robot.mimic import Follower
from backbeat.models.urdf.reading.description import Description


class Dimensions:
    """Lengths of a robot's q and v, which are read at every step.

    Attributes:
        floating: whether the base is free.
        joint_names: names of the moving joints in velocity order.
    """

    floating: bool
    joint_names: tuple[str, ...]

    @cached_property
    def num_joints(self) -> int:
        """Number of moving joints."""
        return len(self.joint_names)

    @cached_property
    def num_velocities(self) -> int:
        """Length of v: six for a floating base, and the joints."""
        return self.num_joints + self.base_velocities

    @cached_property
    def num_positions(self) -> int:
        """Length of q: seven for a floating base, and the joints."""
        return self.num_joints + self.base_positions

    @cached_property
    def base_velocities(self) -> int:
        """Velocities of the base: 6 or 0; joints start there in v."""
        return 6 if self.floating else 0

    @cached_property
    def base_positions(self) -> int:
        """Positions of the base: 7 or 0; joints start there in q."""
        return 7 if self.floating else 0


@dataclass(frozen=True)
class RobotJoints:
    """What is known of the moving joints, in velocity order.

    Attributes:
        names: their names.
        position_lower, position_upper: limits [rad or m].
        velocity_limits: speed limits [rad/s or m/s].
        effort_limits: torque or force limits [N m or N]; infinite without a motor.
        motors: what motors give at a speed.
        damping: viscous damping in the URDF [N m s/rad].
        friction: Coulomb friction in the URDF [N m or N].
        driven: names of those with a motor.
        modes: mode of the servo that hardware interfaces choose, by joint.
        groups: joint indices by group name.
        notes: what acts otherwise than the URDF says, as sentences.
    """

    names: tuple[str, ...]
    position_lower: np.ndarray
    position_upper: np.ndarray
    velocity_limits: np.ndarray
    effort_limits: np.ndarray
    motors: EffortLimits
    damping: np.ndarray
    friction: np.ndarray
    driven: frozenset[str]
    modes: dict[str, str]
    groups: dict[str, np.ndarray]
    notes: tuple[str, ...]


def read_joints(
    fused: MultibodyPlant,
    full: MultibodyPlant,
    urdf: Description,
    followers: Sequence[Follower],
    description: RobotDescription,
) -> RobotJoints:
    """Reads the moving joints.

    Args:
        fused: finalized plant of the fused model, which has these joints alone.
        full: finalized plant of the whole robot, with motors and friction.
        urdf: its description.
        followers: joints that follow moving ones.
        description: what the robot YAML says.
    """
    joints = [fused.get_joint(i) for i in fused.GetJointIndices()]
    joints = [j for j in joints if j.num_velocities() == 1]
    joints.sort(key=lambda j: j.velocity_start())
    names = tuple(j.name() for j in joints)
    order = {name: i for i, name in enumerate(names)}
    lower, upper, speed = _limits(joints, full, order, followers)
    originals = [full.GetJointByName(n) for n in names]
    friction = {n: j.dynamics.friction for n, j in urdf.joints.items()
                if j.dynamics is not None}  # fmt: skip
    modes, notes = joint_modes(urdf)
    if description.hardware_interface:
        modes, notes = dict.fromkeys(modes, "torque"), ()
    effort, driven = np.full(len(joints), np.inf), set[str]()
    for i in full.GetJointActuatorIndices():
        actuator = full.get_joint_actuator(i)
        name = actuator.joint().name()
        if name in order:
            effort[order[name]] = actuator.effort_limit()
            driven.add(name)
    lines, parallel = _lines(description, names), description.parallel
    check_pair_joints(parallel, [*sorted(driven), *description.locked])
    motors = effort_limits(effort, lines, parallel, names)
    return RobotJoints(
        names=names,
        position_lower=lower,
        position_upper=upper,
        velocity_limits=speed,
        effort_limits=motors.effort,
        motors=motors,
        damping=np.array([j.default_damping() for j in originals]),
        friction=np.array([friction.get(n, 0.0) for n in names]),
        driven=frozenset(driven),
        modes=modes,
        groups={
            group: np.array([order[n] for n in members if n in order], int)
            for group, members in description.groups.items()
        },
        notes=(*(_follower_note(f) for f in followers), *notes),
    )


def _lines(
    description: RobotDescription, names: Sequence[str]
) -> dict[str, MotorDescription]:
    """Lines from stall torque to top speed by joint."""
    groups, roles = description.groups, description.role_joints()
    known = [*names, *description.locked]
    return by_joint("motors", description.motors, groups, roles, known)


def _limits(
    joints: Sequence[Joint],
    full: MultibodyPlant,
    order: dict[str, int],
    followers: Sequence[Follower],
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Limits of position and speed that keep leaders where followers can follow."""
    lower = np.array([j.position_lower_limit() for j in joints])
    upper = np.array([j.position_upper_limit() for j in joints])
    speed = np.array([j.velocity_upper_limit() for j in joints])
    for follower in followers:
        joint, i = full.GetJointByName(follower.name), order[follower.leader]
        ends = [joint.position_lower_limit(), joint.position_upper_limit()]
        low, high = sorted((np.array(ends) - follower.offset) / follower.multiplier)
        lower[i] = max(lower[i], low)
        upper[i] = min(upper[i], high)
        most = joint.velocity_upper_limit() / abs(follower.multiplier)
        speed[i] = min(speed[i], most)
    return lower, upper, speed


def _follower_note(follower: Follower) -> str:
    return (
        f"joint {follower.name}: it follows {follower.leader} in simulations; "
        f"plans and controllers take it to stay at {follower.offset:g}"
    )


def servos_of(
    description: RobotDescription,
    groups: Mapping[str, np.ndarray],
    names: Sequence[str],
) -> dict[str, tuple[float, float]]:
    """Servo frequency [Hz] and least inertia [kg m^2] by joint name.

    Args:
        description: the robot YAML.
        groups: indices of joints by group.
        names: names of the joints.

    Raises:
        BackbeatError: an unknown group.
    """
    gains = {}
    for group, servo in description.servo.items():
        if group not in groups:
            raise unknown_name("group in servo", group, groups)
        for i in groups[group]:
            gains[names[i]] = (servo.frequency, servo.least_inertia)
    return gains
