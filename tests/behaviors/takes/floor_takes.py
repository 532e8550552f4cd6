"""Takes with more than soles on the floor: poses one after the other."""

from collections.abc import Mapping, Sequence

import numpy as np

from backbeat.behaviors.cuts.body_heights import find_heights
from backbeat.behaviors.recording.soles import find_soles
from backbeat.behaviors.takes.take import Take
from backbeat.models.robot.model import RobotModel

RATE = 50.0
# Angles of joints by role [rad], and pitch of the base [rad].
Pose = tuple[Mapping[str, float], float]
STANDS: Pose = ({}, 0.0)
KNEELS: Pose = (
    {
        f"{side} {joint}": angle
        for side in ("left", "right")
        for joint, angle in (("knee", 1.6), ("hip pitch", 0.0), ("ankle pitch", 0.5))
    },
    0.0,
)
ON_ITS_BACK: Pose = ({}, -1.57)
ON_ITS_FRONT: Pose = ({}, 1.57)


def floor_take(robot: RobotModel, keys: Sequence[tuple[float, Pose]]) -> Take:
    """A take from pose to pose, whose lowest point is on the floor.

    Args:
        robot: whose motion it is.
        keys: times [s] and poses.
    """
    rows = []
    for _, (angles, pitch) in keys:
        q = robot.posture("stand")
        q[:4] = [np.cos(0.5 * pitch), 0.0, np.sin(0.5 * pitch), 0.0]
        for role, angle in angles.items():
            q[robot.base_positions + robot.roles.joints(role)[-1]] = angle
        rows.append(q)
    times = [time for time, _ in keys]
    t = np.arange(round(times[-1] * RATE) + 1) / RATE
    q = np.stack([np.interp(t, times, x) for x in np.array(rows).T], axis=1)
    q[:, :4] /= np.linalg.norm(q[:, :4], axis=1)[:, None]
    soles = find_soles(robot, 1 / RATE, q)
    lowest = find_heights(robot, q).height.min(axis=1)
    for foot in ("left", "right"):
        lowest = np.minimum(lowest, soles.lowest(foot))
    q[:, 6] -= lowest
    return Take(t, robot.joint_names, q[:, 7:], q[:, :7])


def down_and_up(robot: RobotModel, pose: Pose) -> Take:
    """Stands for 3 s, has a pose from 4 to 6 s, and stands again from 7 to 10 s."""
    keys = [(0, STANDS), (3, STANDS), (4, pose), (6, pose), (7, STANDS), (10, STANDS)]
    return floor_take(robot, keys)
