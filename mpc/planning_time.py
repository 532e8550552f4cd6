"""Where the robot will be when a plan takes effect: solving takes time.

A plan that is made from the state at t and takes effect at t + d starts from the state
that the plan in force leads to by then. What is off from that plan goes on as it is,

    c(t + d) = c* + (c - c*) + d (v - v*),    phi(t + d) = phi* + (phi - phi*)
                                                           + d m I^-1 (k - k*),

for the forces of both are the same until then.
"""

import numpy as np

from mpc.plan import Plan


def carry(
    deviation: np.ndarray,
    plan: Plan,
    t: float,
    delay: float,
    spin: np.ndarray,
) -> np.ndarray:
    """(12,) deviation at t + delay.

    Args:
        deviation: (12,) as measured at t: CoM, CoM velocity, angular momentum per
            mass and body rotation, minus the behavior's.
        plan: the plan in force from t to t + delay.
        t: time [s].
        delay: how much later [s].
        spin: (3, 3) from angular momentum per mass to angular velocity, m I^-1.
    """
    now, then = plan.at(t)[0], plan.at(t + delay)[0]
    off = deviation - now
    off[:3] += delay * off[3:6]
    off[9:12] += delay * (spin @ off[6:9])
    return np.asarray(then + off)
