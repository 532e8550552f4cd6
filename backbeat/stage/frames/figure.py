"""A behavior as a small figure: lines between joints, in its most telling posture."""

import numpy as np

from backbeat.behaviors.library.behavior import Behavior
from backbeat.models.dynamics.frames import Frame
from backbeat.models.state.configuration import Configuration

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
    tree, to_right = robot.tree, np.array([-np.sin(AZIMUTH), np.cos(AZIMUTH), 0.0])
    state = Configuration(robot, q[farthest])
    centers = [state.place(Frame.on(body, p)) for body, p in enumerate(tree.p_BoBcm)]
    places = [state.place(Frame.on(body, np.zeros(3))) for body in range(len(centers))]
    ends = [(int(p), places[i + 1]) for i, p in enumerate(tree.parent)]
    # Hands, feet and head go on from their joints, to where their mass is.
    leaves = set(range(len(places))) - {int(p) for p in tree.parent}
    ends += [(i, centers[i]) for i in sorted(leaves)]
    lines = []
    for start, end in ends:
        if np.linalg.norm(end - places[start]) > SHORTEST:
            both = [(to_right @ p, p[2]) for p in (places[start], end)]
            lines.append([round(float(x), 3) for place in both for x in place])
    return lines
