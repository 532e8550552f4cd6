"""A behavior as a small figure: lines between joints, in its most telling posture."""

import numpy as np
from pydrake.common.eigen_geometry import AngleAxis, Quaternion
from pydrake.math import RigidTransform, RotationMatrix

from backbeat.behaviors.library.behavior import Behavior
from backbeat.models.robot.model import RobotModel

# From where it is seen, the front being zero [rad], and the shortest line [m].
AZIMUTH, SHORTEST = np.radians(33.0), 5e-3


def figure_of(behavior: Behavior) -> list[list[float]]:
    """Lines of a behavior's robot in the posture that is farthest from the first one.

    Returns:
        For each line x and y of both ends, to the right and up [m].
    """
    robot, q = behavior.robot_model, behavior.motion.q
    joints = q[:, robot.base_positions :]
    farthest = int(np.linalg.norm(joints - joints[0], axis=1).argmax())
    bodies = _body_poses(robot, q[farthest])
    tree, to_right = robot.tree, np.array([-np.sin(AZIMUTH), np.cos(AZIMUTH), 0.0])
    places = [X.translation() for X in bodies]
    ends = [(int(p), places[i + 1]) for i, p in enumerate(tree.parent)]
    # Hands, feet and head go on from their joints, to where their mass is.
    leaves = set(range(len(bodies))) - {int(p) for p in tree.parent}
    ends += [(i, bodies[i] @ tree.p_BoBcm[i]) for i in sorted(leaves)]
    lines = []
    for start, end in ends:
        if np.linalg.norm(end - places[start]) > SHORTEST:
            both = [(to_right @ p, p[2]) for p in (places[start], end)]
            lines.append([round(float(x), 3) for place in both for x in place])
    return lines


def _body_poses(robot: RobotModel, q: np.ndarray) -> list[RigidTransform]:
    """X_WB of all bodies of the tree, the base first."""
    tree, base = robot.tree, robot.base_positions
    X = RigidTransform(RotationMatrix(tree.R_WB), tree.p_WB)
    if robot.floating:
        unit = Quaternion(q[:4] / np.linalg.norm(q[:4]))
        X = RigidTransform(RotationMatrix(unit), q[4:7])
    found = [X]
    for i, parent in enumerate(tree.parent):
        value, axis = q[base + i], tree.axis[i]
        moved = RigidTransform(value * axis)
        if tree.revolute[i]:
            moved = RigidTransform(RotationMatrix(AngleAxis(value, axis)), np.zeros(3))
        fixed = RigidTransform(RotationMatrix(tree.R_PJ[i]), tree.p_PJ[i])
        found.append(found[int(parent)] @ fixed @ moved)
    return found
