"""Rows of what a patch can carry, as the predictive program has them."""

import numpy as np

from backbeat.models.contact.cones import PATCH_MARGIN
from backbeat.mpc.plans.weights import PredictiveWeights

# What each of the rows limits, of a patch {}.
PATCH = (
    "friction of {} forward",
    "friction of {} to the left",
    "center of pressure of {} at its left edge",
    "center of pressure of {} at its back edge",
    "yaw moment of {} to the left",
    "friction of {} backward",
    "friction of {} to the right",
    "center of pressure of {} at its right edge",
    "center of pressure of {} at its front edge",
    "yaw moment of {} to the right",
)
# Those of the center of pressure along the length.
PRESSURE_ROWS = np.flatnonzero(
    [row.endswith(("back edge", "front edge")) for row in PATCH]
)


def patch_rows(
    half_length: float,
    half_width: float,
    w: PredictiveWeights,
    friction_scale: float = 1.0,
) -> np.ndarray:
    """(10, 6) rows A with A w <= 0: friction, center of pressure, yaw moment.

    Args:
        half_length, half_width: of the patch [m].
        w: the friction and yaw moment that are assumed.
        friction_scale: share of the assumed friction that the floor provides.
    """
    X, Y = PATCH_MARGIN * half_length, PATCH_MARGIN * half_width
    mu = friction_scale * w.friction / np.sqrt(2)
    rows = []
    for s in (1, -1):
        rows += [
            [0, 0, 0, s, 0, -mu],
            [0, 0, 0, 0, s, -mu],
            [s, 0, 0, 0, 0, -Y],
            [0, s, 0, 0, 0, -X],
            [0, 0, s, 0, 0, -w.yaw_moment],
        ]
    return np.array(rows, float)
