"""Motors that follow a commanded effort with a lag and a bounded rate.

    T du/dt = w - u,    |du/dt| <= s

with the lag T and the slew s: the traits of electro-hydraulic actuators, whose valves
let only so much oil through. For a wanted effort w that is constant over a step, both
the effort after the step and its mean over it have a closed form: first a straight line
as long as |w - u| > s T, then an exponential.
"""

from dataclasses import dataclass

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Vector

# Electro-hydraulic motors as this project simulates them: time constant [s], time
# from nothing to full effort [s], and Coulomb friction as a share of the full effort.
HYDRAULIC_LAG, HYDRAULIC_RISE, HYDRAULIC_FRICTION = 0.005, 0.02, 0.03
# A lag of less than this share of a step is none, or exponentials leave all bounds.
NO_LAG = 1e-9


@dataclass(frozen=True)
class Motors:
    """Motors of a robot's joints, as they are.

    Attributes:
        effort_limits: (nj,) what the joints give [N m]; None for what the robot model
            says.
        lag: time constant [s].
        rise: least time in which they go from nothing to their limit [s].
    """

    effort_limits: np.ndarray | None = None
    lag: float = 0.0
    rise: float = 0.0


@compiled
def move_motors(
    u: Vector,
    wanted: Vector,
    period: float,
    lag: float,
    slew: Vector,
    after: Vector,
    mean: Vector,
) -> None:
    """Moves motors through one step.

    Args:
        u: (nj,) effort at its start [N m].
        wanted: (nj,) commanded effort, for all of the step [N m].
        period: length of the step [s].
        lag: time constant T [s], or zero.
        slew: (nj,) highest rate of the effort [N m/s]; zero for none.
        after: (nj,) is written: the effort at the end [N m].
        mean: (nj,) is written: the mean over the step [N m].
    """
    for j in range(u.shape[0]):
        now, left, area = u[j], period, 0.0
        error = wanted[j] - now
        if slew[j] > 0.0 and np.abs(error) > slew[j] * lag:
            rate = slew[j] if error > 0 else -slew[j]
            t = min(left, np.abs(error) / slew[j] - lag)
            area += (now + 0.5 * rate * t) * t
            now, left = now + rate * t, left - t
        if lag > NO_LAG * period:
            decay = np.exp(-left / lag)
            area += wanted[j] * left + (now - wanted[j]) * lag * (1.0 - decay)
            now = wanted[j] + decay * (now - wanted[j])
        elif left > 0.0:
            area += wanted[j] * left
            now = wanted[j]
        after[j], mean[j] = now, area / period
