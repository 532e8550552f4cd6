"""Space for the legs: hips low enough for bent knees, feet that pass each other.

A straight leg has no speed left along itself, and knees that reach it jump. Where a
person's legs are straight, the hips of the robot are lower.
"""

from collections.abc import Mapping

import numpy as np
import scipy

from backbeat.behaviors.retargeting.robot_parts import SIDES, RobotParts

# Length of a leg that is used, of one with a straight knee.
USED = 0.97
# Time over which hips go down before a leg is straight, and up after it [s].
GENTLY = 0.4
# Most that hips are lowered, in legs.
MOST = 0.25
# How far left of the middle each foot belongs.
SIGN = {"left": 1.0, "right": -1.0}


def lowering(
    hips: np.ndarray,
    pelvis: np.ndarray,
    ankles: Mapping[str, np.ndarray],
    parts: RobotParts,
    dt: float,
) -> np.ndarray:
    """(n,) how much lower hips are to be for no leg to be straight [m].

    Args:
        hips: (n, 3) middle of the hips [m].
        pelvis: (n, 3, 3) axes of the pelvis.
        ankles: (n, 3) places of the ankles, by side [m].
        parts: parts of the robot.
        dt: time between samples [s].
    """
    most, longest = np.zeros(len(hips)), USED * parts.leg
    for side in SIDES:
        out = np.array([0.0, SIGN[side] * parts.half_hip, 0.0])
        way = hips + pelvis @ out - ankles[side]
        level = np.linalg.norm(way[:, :2], axis=1)
        high = np.sqrt(np.maximum(longest**2 - level**2, 0.0))
        most = np.maximum(most, way[:, 2] - high)
    most = np.minimum(most, MOST * parts.leg)
    width = 2 * round(0.5 * GENTLY / dt) + 1
    # The means of maxima are nowhere less than what they are of.
    smooth = scipy.ndimage.maximum_filter1d(most, 2 * width - 1, mode="nearest")
    for _ in range(2):
        smooth = scipy.ndimage.uniform_filter1d(smooth, width, mode="nearest")
    return np.asarray(smooth)


def room_between(
    ankles: Mapping[str, np.ndarray], yaw: np.ndarray, half_length: float, half: float
) -> float:
    """How much farther from the middle each foot is to be to pass the other one [m].

    Args:
        ankles: (n, 3) places of the ankles, by side [m].
        yaw: (n,) where the pelvis faces [rad].
        half_length, half: half sizes of a sole, with the distance that is kept [m].
    """
    way = ankles["left"] - ankles["right"]
    ahead = np.cos(yaw) * way[:, 0] + np.sin(yaw) * way[:, 1]
    left = np.cos(yaw) * way[:, 1] - np.sin(yaw) * way[:, 0]
    # Feet that cross, or are above each other, do so on purpose.
    beside = (np.abs(ahead) < 2 * half_length) & (left > 0)
    beside &= np.abs(way[:, 2]) < 2 * half_length
    if not beside.any():
        return 0.0
    return max(0.0, half - 0.5 * float(left[beside].min()))
