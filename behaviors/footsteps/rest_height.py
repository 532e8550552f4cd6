"""Rest height: how much lower a body is at rest where its feet are far apart.

A body that comes to rest in the middle of a stride, as one does where a recording ends,
has its feet ahead of each other. At the height at which it stands with its feet side by
side its legs would be straight, or too short.
"""

import numpy as np

from backbeat.behaviors.footsteps.footprints import Footprints
from backbeat.behaviors.motion.time_law import minimum_jerk
from backbeat.behaviors.retargeting.leg_room import lowering
from backbeat.behaviors.retargeting.robot_parts import SIDES, find_parts
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration

# What a leg consists of.
ROLES = ("hip", "knee", "ankle")


def rest_lowering(
    robot: RobotModel, prints: Footprints, q_start: np.ndarray
) -> np.ndarray:
    """(N,) how much lower than at the start it rests at every knot [m].

    It is zero for robots whose description does not say which joints their legs have.

    Args:
        robot: the robot.
        prints: where its feet are.
        q_start: (nq,) where it starts.
    """
    times = prints.times
    if not all(f"{side} {role}" in robot.roles for side in SIDES for role in ROLES):
        return np.zeros(len(times))
    parts, state = find_parts(robot), Configuration(robot, q_start)
    middle, yaw, _ = prints.body()
    c, s, o = np.cos(yaw), np.sin(yaw), np.zeros(len(yaw))
    turn = np.stack([c, -s, o, s, c, o, o, o, o + 1.0], axis=1).reshape(-1, 3, 3)
    hips = middle * [1.0, 1.0, 0.0] + turn @ (
        turn[0].T @ (state.place(parts.hips) - middle[0] * [1.0, 1.0, 0.0])
    )
    ankles = {side: _path(prints, side) + turn @ parts.p_SA[side] for side in SIDES}
    low = lowering(hips, turn, ankles, parts, float(times[1] - times[0]))
    return np.maximum(low - low[0], 0.0)


def _path(prints: Footprints, foot: str) -> np.ndarray:
    """(N, 3) where a foot counts as being at every knot [m]."""
    places, out = prints.places[foot], np.empty((len(prints.times), 3))
    for i, (a, b) in enumerate(zip(prints.starts, prints.starts[1:], strict=False)):
        share = minimum_jerk(np.linspace(0.0, 1.0, b - a + 1))[:, None]
        out[a : b + 1] = places[i].p + share * (places[i + 1].p - places[i].p)
    return out
