"""Capture point: where a robot would have to step to come to rest."""

import numpy as np


def capture_point(
    com: np.ndarray, velocity: np.ndarray, height: np.ndarray | float, gravity: float
) -> np.ndarray:
    """Instantaneous capture point of a linear inverted pendulum, seen from above.

    The center of mass falls away from a point of support at rate sqrt(g / z), so it
    comes to rest above c + c' sqrt(z / g). (Koolen, de Boer, Rebula, Goswami and Pratt,
    "Capturability-based analysis and control of legged locomotion, Part 1", 2012,
    equation 12.)

    Args:
        com: (..., 2 or 3) center of mass [m].
        velocity: (..., 2 or 3) its velocity [m/s].
        height: (...) of the center of mass over what carries it [m], not negative.
        gravity: [m/s^2].

    Returns:
        (..., 2) the point [m].
    """
    time = np.sqrt(np.asarray(height) / gravity)
    return np.asarray(com[..., :2] + velocity[..., :2] * time[..., None])
