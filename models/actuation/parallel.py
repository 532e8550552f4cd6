"""Pairs of joints that two motors drive together, as ankles and waists often are.

    parallel:
      left ankle:
        joints: [ankle_pitch, ankle_roll]
        motor_torques: [[0.5, 0.5], [0.5, -0.5]]
        effort: 25

The torques t of the motors follow from those of the joints, tau, by a constant matrix
A, and since power is the same on both sides, so do their speeds u from those of joints:

    t = A tau,    u = A^-T v.

So each motor limits both joints: |t| <= effort, and less at speed on the line of
`backbeat.models.actuation.effort_limits`. Torques within all limits of a pair make a
parallelogram, within the limits of the two joints. A differential gear has such a
matrix (Chitta et al., "ros_control: A generic and simple control framework for ROS",
2017), and a linkage of rods about the middle of its range.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.common.schema import key
from backbeat.models.compiled.arrays import Array3, IndexMatrix, Vector

# Least ratio of the singular values of a matrix whose motors move both joints.
_SINGULAR = 1e-6


@dataclass
class ParallelDescription:
    """Two joints that two motors drive together."""

    joints: list[str] = key(list)
    """The two joints, by name."""
    motor_torques: list[list[float]] = key(list)
    """Torque of each motor, a row, per torque of each joint."""
    effort: float = key(0.0, "N m or N", ge=0)
    """Largest torque or force of either motor, behind its gear."""
    stall_torque: float = key(0.0, "N m or N", ge=0)
    """Torque or force at rest where it falls with speed; 0 if it does not."""
    top_speed: float = key(0.0, "rad/s or m/s", ge=0)
    """Speed at which no torque is left."""


class ParallelMotors(NamedTuple):
    """Pairs of joints that two motors each drive; p pairs.

    Attributes:
        joints: (p, 2) the joints.
        torque: (p, 2, 2) torques of motors per torques of joints, A.
        speed: (p, 2, 2) speeds of motors per speeds of joints, A^-T.
        effort, stall, slope: (p,) of either motor, as those of `EffortLimits`.
    """

    joints: IndexMatrix
    torque: Array3
    speed: Array3
    effort: Vector
    stall: Vector
    slope: Vector


def parallel_motors(
    described: Mapping[str, ParallelDescription], names: Sequence[str]
) -> ParallelMotors:
    """Pairs of a robot.

    Args:
        described: by name.
        names: its moving joints; a pair of which one is locked is left out.

    Raises:
        BackbeatError: a joint drives nothing, or is in two pairs.
    """
    pairs = [d for d in described.values() if all(j in names for j in d.joints)]
    torque = np.array([d.motor_torques for d in pairs], float).reshape(-1, 2, 2)
    z = np.array([[d.effort, d.stall_torque] for d in pairs]).reshape(-1, 2)
    slope = [d.stall_torque / d.top_speed if d.top_speed else 0.0 for d in pairs]
    joints = [[names.index(j) for j in d.joints] for d in pairs]
    return ParallelMotors(
        np.array(joints, np.int64).reshape(-1, 2),
        torque,
        np.ascontiguousarray(np.linalg.inv(torque).transpose(0, 2, 1)),
        z[:, 0].copy(),
        z[:, 1].copy(),
        np.array(slope, float),
    )


def check_parallel(
    described: Mapping[str, ParallelDescription], where: str | Path
) -> None:
    """Checks the pairs of a robot YAML.

    Raises:
        BackbeatError: one is no pair, its motors cannot move both joints, or a number
            makes no sense.
    """
    taken: dict[str, str] = {}
    for name, pair in described.items():
        says = f"{where}: parallel {name!r}"
        if len(pair.joints) != 2 or pair.joints[0] == pair.joints[1]:
            raise BackbeatError(
                f"{says} has the joints {pair.joints}; write the two that its motors "
                "drive together"
            )
        for joint in pair.joints:
            if joint in taken:
                raise BackbeatError(
                    f"{says} has the joint {joint} that {taken[joint]!r} has, too; a "
                    "joint is in one pair"
                )
            taken[joint] = name
        rows = pair.motor_torques
        if [len(row) for row in rows] != [2, 2]:
            raise BackbeatError(
                f"{says} needs motor_torques of two rows, the torque of each motor per "
                "torque of each joint: [[0.5, 0.5], [0.5, -0.5]] for two rods alike"
            )
        sizes = np.linalg.svd(np.array(rows, float), compute_uv=False)
        if not sizes[1] > _SINGULAR * sizes[0]:
            raise BackbeatError(
                f"{says}: motors with the torques {rows} do not move both joints on "
                "their own; see whether a sign is wrong"
            )
        if pair.effort == 0:
            raise BackbeatError(
                f"{says}: effort is {pair.effort:g}; it is the most that either motor "
                "gives, above zero, in N m or N"
            )
        line = pair.stall_torque, pair.top_speed
        if any(line) and not all(line):
            raise BackbeatError(
                f"{says} has a stall_torque of {line[0]:g} and a top_speed of "
                f"{line[1]:g}; give both, above zero, or neither"
            )


def check_pair_joints(
    described: Mapping[str, ParallelDescription], driven: Sequence[str]
) -> None:
    """Checks that there are motors.

    Args:
        described: pairs by name.
        driven: joints with motors, locked ones included.

    Raises:
        BackbeatError: a joint of a pair is none of these.
    """
    for name, pair in described.items():
        for joint in pair.joints:
            if joint not in driven:
                raise unknown_name(f"driven joint in parallel {name!r}", joint, driven)
