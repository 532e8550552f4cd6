"""Joints that turn the other way than their roles, found where the robot stands."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from backbeat.models.dynamics.frames import Frame
from backbeat.models.robot.model import RobotModel
from backbeat.models.robot.roles import OPPOSED, TURNING, TURNS
from backbeat.models.state.configuration import Configuration

# Axes that turns are about, while arms and legs hang.
AXES = dict(zip(TURNS, np.eye(3), strict=True))
# What a positive turn does to the end of a limb that hangs, for shoulders may have
# tilted axes: the end, and the way that it goes.
AHEAD, LEFT, _ = np.eye(3)
BACK = -AHEAD
ARM, LEG = ("wrist", "elbow", "shoulder"), ("ankle", "knee", "hip")
MOVES = {
    "elbow": (ARM, AHEAD),
    "knee": (LEG, BACK),
    "shoulder pitch": (ARM, BACK),
    "shoulder roll": (ARM, LEFT),
    "hip pitch": (LEG, BACK),
    "hip roll": (LEG, LEFT),
}


def opposed_joints(robot: RobotModel, q: np.ndarray) -> frozenset[str]:
    """Joints whose positive angle turns the other way than their role.

    Args:
        robot: the robot, whose YAML says which joints have which roles.
        q: (nq,) a configuration in which it stands, arms hanging, and looks along x.
    """
    state = Configuration(robot, q)
    return frozenset(
        turning[0]
        for role in TURNING
        if (turning := robot.roles.turning(role)) is not None
        and _way(state, role, turning[0]) < 0.0
    )


def with_signs(
    roles: Mapping[str, Sequence[str]], opposed: Collection[str]
) -> dict[str, list[str]]:
    """Roles of a robot YAML with a minus before joints that turn the other way.

    Limbs are lists of joints, whose signs mean nothing, and stay as they are.
    """
    return {
        role: [
            f"{OPPOSED}{name}" if role in TURNING and name in opposed else name
            for name in names
        ]
        for role, names in roles.items()
    }


def _way(state: Configuration, role: str, joint: str) -> float:
    """How much a joint turns as its role says, or moves the end of its limb."""
    robot = state.robot
    side, _, part = role.partition(" ")
    column = robot.base_velocities + robot.joint_index(joint)
    if part in MOVES:
        ends, way = MOVES[part]
        there = next(r for e in ends if (r := f"{side} {e}") in robot.roles)
        J = _center_jacobian(state, robot.frame(robot.roles.link(there)))
    else:
        way = AXES[role.rpartition(" ")[2]]
        J = state.jacobian(robot.frame(robot.roles.link(role)))[:3]
    return float(J[:, column] @ way)


def _center_jacobian(state: Configuration, frame: Frame) -> np.ndarray:
    """(3, nv) Jacobian of where the mass of a link is, world axes."""
    J, R = state.jacobian(frame), state.pose(frame).rotation().matrix()
    center = frame.R_PF.T @ (state.robot.tree.p_BoBcm[frame.body] - frame.p_PF)
    x, y, z = R @ center
    cross = np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])
    return np.asarray(J[3:] + cross @ J[:3])
