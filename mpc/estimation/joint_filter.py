"""Joint filter: the steady gain of the small Kalman filter that each joint has."""

import numpy as np
import scipy

from backbeat.mpc.estimation.invariant_filter import FilterNoise

# What joints are taken to do within a sample [rad/s^2].
JOINT_ACCELERATION = 20.0


def joint_gain(noise: FilterNoise, period: float) -> np.ndarray:
    """(2, 2) steady gain of the Kalman filter of one joint.

    Position and velocity, both measured, driven by white acceleration.
    """
    F = np.array([[1.0, period], [0.0, 1.0]])
    g = np.array([0.5 * period**2, period])
    Q = JOINT_ACCELERATION**2 * np.outer(g, g)
    N = np.diag([noise.position**2, noise.velocity**2])
    P = scipy.linalg.solve_discrete_are(F.T, np.eye(2), Q, N)
    return np.asarray(P @ np.linalg.inv(P + N))
