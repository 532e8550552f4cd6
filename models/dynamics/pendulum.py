"""Linear inverted pendulum: divergent component of motion and capture point.

Sources
    Englsberger, Ott, Albu-Schaeffer, "Three-Dimensional Bipedal Walking Control Based
    on Divergent Component of Motion", 2015, equation 5.
    Koolen, de Boer, Rebula, Goswami, Pratt, "Capturability-Based Analysis and Control
    of Legged Locomotion, Part 1", 2012, equation 12.
"""

import numpy as np

from backbeat.models.compiled import compiled

# Height below which nothing is taken for a pendulum, unless it is said [m].
LEAST_HEIGHT = 0.1


@compiled
def pendulum_frequency(height: float, gravity: float, least: float) -> float:
    """Frequency omega = sqrt(g / z) at which the CoM diverges from its support [1/s].

    The divergent component of motion is c + c' / omega.

    Args:
        height: of the center of mass above its support [m].
        gravity: [m/s^2].
        least: height that is taken in place of lower ones [m].
    """
    return np.sqrt(gravity / max(height, least))


@compiled
def pendulum_time(height: float, gravity: float, least: float) -> float:
    """Time constant sqrt(z / g) = 1 / omega of the same [s].

    Args:
        height, gravity, least: as of `pendulum_frequency`.
    """
    return np.sqrt(max(height, least) / gravity)


def capture_point(
    com: np.ndarray,
    velocity: np.ndarray,
    height: np.ndarray | float,
    gravity: float,
    least: float = 0.0,
) -> np.ndarray:
    """Where a robot would have to step to come to rest, seen from above.

    The center of mass falls away from a point of support at rate omega, so it comes to
    rest above c + c' / omega.

    Args:
        com: (..., 2 or 3) center of mass [m].
        velocity: (..., 2 or 3) its velocity [m/s].
        height: (...) of the center of mass above its support [m].
        gravity, least: as of `pendulum_frequency`.

    Returns:
        (..., 2) the point [m].
    """
    time = np.sqrt(np.maximum(height, least) / gravity)
    return np.asarray(com[..., :2] + velocity[..., :2] * time[..., None])
