"""Linear inverted pendulum: frequency of the divergent component of motion.

Source: Englsberger, Ott, Albu-Schaeffer, "Three-Dimensional Bipedal Walking Control
Based on Divergent Component of Motion", 2015, equation 5.
"""

import numpy as np

from backbeat.models.compiled import compiled


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
