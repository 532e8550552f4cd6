"""The pendulum of a behavior: omega of its divergent component of motion.

Thresholds on the present error count with the height at which the behavior starts,
that of standing; the cost at the end of a horizon with the mean height over the
behavior, nearer to that of whatever comes then.
"""

from backbeat.models.dynamics.pendulum import (
    LEAST_HEIGHT,
    pendulum_frequency,
    pendulum_time,
)
from backbeat.mpc.reference.trajectory import Reference


def start_frequency(reference: Reference) -> float:
    """Frequency omega at the height at which a behavior starts [1/s]."""
    height = float(reference.table.com[0, 0, 2])
    return float(pendulum_frequency(height, reference.robot.gravity, LEAST_HEIGHT))


def mean_time(reference: Reference) -> float:
    """Time constant 1 / omega at the mean height of a behavior [s]."""
    height = float(reference.table.com[:, 0, 2].mean())
    return float(pendulum_time(height, reference.robot.gravity, LEAST_HEIGHT))
