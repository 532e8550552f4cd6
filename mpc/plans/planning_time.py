"""Prediction of the state to the time at which a plan takes effect.

A plan that is made from the state at t and takes effect at t + d starts from the state
that the plan in force predicts for then. Deviations from that plan continue,

    c(t + d) = c* + (c - c*) + d (v - v*),    phi(t + d) = phi* + (phi - phi*)
                                                           + d m I^-1 (k - k*),

for the forces of both are the same until then.
"""

import numpy as np

from backbeat.models.state.configuration import Configuration
from backbeat.mpc.plans.plan import Plan


def carry(
    deviation: np.ndarray, plan: Plan, t: float, when: float, state: Configuration
) -> np.ndarray:
    """(12,) deviation when a plan takes effect.

    Args:
        deviation: (12,) as measured at t: CoM, CoM velocity, angular momentum per
            mass and body rotation, minus the behavior's.
        plan: the plan in force until then.
        t, when: time of the state, and of the effect [s].
        state: the robot at t.
    """
    now, then = plan.at(t).deviation, plan.at(when).deviation
    off, delay = deviation - now, when - t
    off[:3] += delay * off[3:6]
    turning = np.linalg.solve(state.centroidal_inertia, off[6:9])
    off[9:12] += delay * state.robot.total_mass * turning
    return np.asarray(then + off)
