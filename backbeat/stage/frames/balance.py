"""Balance on the stage: the capture point, and the polygon that it should be in."""

import numpy as np
import scipy

from backbeat.models.dynamics import pendulum
from backbeat.stage.frames.frame import StageFrame

# Corners of a support polygon, at most.
MAX_EDGES = 8


def capture_point(
    com: np.ndarray, velocity: np.ndarray, gravity: float, ground: float = 0.0
) -> np.ndarray:
    """Where a foot would have to be for the robot to come to rest above it.

    Near the ground the pendulum gets no shorter.

    Args:
        com: (3,) center of mass [m].
        velocity: (3,) its velocity [m/s].
        gravity: [m/s^2].
        ground: height of the ground [m].

    Returns:
        (3,) the point on the ground [m].
    """
    height, least = float(com[2]) - ground, pendulum.LEAST_HEIGHT
    return np.r_[pendulum.capture_point(com, velocity, height, gravity, least), ground]


def support_corners(frame: StageFrame) -> np.ndarray:
    """(n, 3) corners of the support polygon on the floor, in order; may be none."""
    robot, state = frame.state.robot, frame.state
    corners = [
        state.pose(name).multiply(robot.contacts[name].corners().T).T
        for name in frame.standing
        if not robot.contacts[name].is_point
    ]
    if not corners:
        return np.zeros((0, 3))
    points = np.vstack(corners)
    try:
        hull = scipy.spatial.ConvexHull(points[:, :2]).vertices
    except scipy.spatial.QhullError:
        return np.zeros((0, 3))
    # Always from the same corner on, so that an edge stays the same edge.
    hull = np.roll(hull, -int(hull.argmin()))
    return _without_flat_corners(points[hull])[:MAX_EDGES]


def _without_flat_corners(corners: np.ndarray) -> np.ndarray:
    """A polygon without corners within 2 mm of the line between their neighbors.

    Two feet side by side have four corners on a line, of which rounding would make
    other edges in every frame.
    """
    k = 0
    while k < len(corners) and len(corners) > 3:
        before, after = corners[k - 1, :2], corners[(k + 1) % len(corners), :2]
        along, across = after - before, corners[k, :2] - before
        area = abs(along[0] * across[1] - along[1] * across[0])
        if area < 0.002 * np.linalg.norm(along):
            corners = np.delete(corners, k, axis=0)
        else:
            k += 1
    return corners
