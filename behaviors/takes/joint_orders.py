"""Orders of joints: depth first as MuJoCo has them, breadth first as PhysX does.

A file of one order that is read in the other has every limb's angles on other limbs.
The places of bodies show which one it is, or else the ranges of joints.
"""

from collections import deque

import numpy as np

from backbeat.models.dynamics.frames import Frame
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration

# Samples at which bodies are looked at.
LOOKED_AT = 40
# Angles beyond a range by this much are no rounding [rad].
BEYOND = 0.15


def depth_first(robot: RobotModel) -> list[int]:
    """Joints along each limb to its end, then the next limb."""
    order, waiting = [], deque(_children(robot)[0])
    children = _children(robot)
    while waiting:
        joint = waiting.popleft()
        order.append(joint)
        waiting.extendleft(reversed(children[joint + 1]))
    return order


def breadth_first(robot: RobotModel) -> list[int]:
    """Joints next to the base first, then those next to these."""
    children = _children(robot)
    order, waiting = [], deque(children[0])
    while waiting:
        joint = waiting.popleft()
        order.append(joint)
        waiting.extend(children[joint + 1])
    return order


def _children(robot: RobotModel) -> list[list[int]]:
    """Joints on each body, in the order of the robot's description."""
    children: list[list[int]] = [[] for _ in range(robot.num_joints + 1)]
    for joint, body in enumerate(robot.tree.parent):
        children[int(body)].append(joint)
    return children


def body_names(robot: RobotModel) -> tuple[str, ...]:
    """Names of the base and of the body that each joint moves, in joint order."""
    moved = (
        robot.plant.GetJointByName(n).child_body().name() for n in robot.joint_names
    )
    return (robot.base_name, *moved)


def body_frames(robot: RobotModel) -> list[Frame]:
    """Frames of the base and of the body that each joint moves, in joint order."""
    return [
        Frame(name, b, np.eye(3), np.zeros(3))
        for b, name in enumerate(body_names(robot))
    ]


def misplacement(robot: RobotModel, q: np.ndarray, places: np.ndarray) -> float:
    """How far bodies are from where a reading of angles has them [m].

    Args:
        robot: the robot.
        q: (n, nq) configurations as read.
        places: (n, bodies, 3) of the base and of the body of each joint [m].

    Returns:
        The median over samples of the farthest body's distance.
    """
    rows = np.unique(np.linspace(0, len(q) - 1, LOOKED_AT).astype(int))
    state, frames = Configuration(robot, q[0]), body_frames(robot)
    away = []
    for row in rows:
        state.update(q[row])
        found = np.array([state.place(frame) for frame in frames])
        away.append(np.linalg.norm(found - places[row], axis=1).max())
    return float(np.median(away))


def excess(robot: RobotModel, q: np.ndarray) -> float:
    """How far angles (n, joints) in the robot's order are beyond their ranges [rad]."""
    beyond = np.maximum(robot.position_lower - q, q - robot.position_upper)
    return float(beyond.max())
