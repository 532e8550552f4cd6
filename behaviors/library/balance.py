"""Balance: how far a point is inside the feet, seen from above."""

from collections.abc import Mapping

import numpy as np
import scipy
from pydrake.math import RigidTransform

from backbeat.models.robot.model import RobotModel

# Distance of the center of mass from the edge of the feet that is always kept [m].
LEAST_BALANCE = 0.03


def support_polygon(
    robot: RobotModel, feet: Mapping[str, RigidTransform]
) -> np.ndarray:
    """(n, 3) edges of the convex hull of the soles: normal x, y and offset [m].

    A point p is inside by -(normal . p + offset).
    """
    corners = [X @ robot.contacts[name].corners().T for name, X in feet.items()]
    return np.asarray(scipy.spatial.ConvexHull(np.hstack(corners)[:2].T).equations)


def balance_margin(edges: np.ndarray, p: np.ndarray) -> float:
    """How far a point is inside the nearest edge of a support polygon [m]."""
    return float(-(edges[:, :2] @ p + edges[:, 2]).max())


def edge_distance(edges: np.ndarray, p: np.ndarray, direction: np.ndarray) -> float:
    """How far a point may go until it is at the least margin [m]."""
    toward = edges[:, :2] @ direction
    inside = -(edges[:, :2] @ p + edges[:, 2]) - LEAST_BALANCE
    distances = inside[toward > 1e-9] / toward[toward > 1e-9]
    return float(max(0.0, distances.min()))
