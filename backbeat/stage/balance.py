"""The instantaneous capture point, for the stage."""

import numpy as np

# Lower than this above the ground nothing is a pendulum [m].
LOWEST = 0.1


def capture_point(
    com: np.ndarray, velocity: np.ndarray, gravity: float, ground: float = 0.0
) -> np.ndarray:
    """Where a foot would have to be for the robot to come to rest above it.

    The center of mass is taken for the top of a linear inverted pendulum: it falls
    away from a point of support at rate sqrt(g / z). (Koolen, de Boer, Rebula, Goswami
    and Pratt, "Capturability-based analysis and control of legged locomotion, Part
    1", 2012, equation 12.)

    Args:
        com: (3,) center of mass [m].
        velocity: (3,) its velocity [m/s].
        gravity: [m/s^2].
        ground: height of the ground [m].

    Returns:
        (3,) the point on the ground [m].
    """
    height = max(float(com[2]) - ground, LOWEST)
    place = com[:2] + velocity[:2] * np.sqrt(height / gravity)
    return np.array([place[0], place[1], ground])
