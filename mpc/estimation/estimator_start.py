"""Start of the state estimator: the first estimate, and its covariance."""

from dataclasses import dataclass

import numpy as np

from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.estimation.invariant_filter import BaseEstimate, add_rotation_noise


@dataclass(frozen=True)
class StartUncertainty:
    """What is not known at the start; heading and place are right by definition."""

    # Tilt [rad] and heading [rad].
    tilt: float = 1e-2
    heading: float = 1e-4
    # Velocity [m/s] and place [m].
    velocity: float = 1e-2
    place: float = 1e-3
    # Biases of gyro [rad/s] and accelerometer [m/s^2].
    gyro_bias: float = 5e-3
    accelerometer_bias: float = 5e-2


def start_estimate(
    robot: RobotModel, q: np.ndarray, uncertainty: StartUncertainty
) -> BaseEstimate:
    """The estimate of a robot that rests at q, no contact felt so far."""
    C = len(robot.soles)
    state = Configuration(robot, q)
    base = np.r_[1.0, np.zeros(6)]
    if robot.floating:
        base = np.array(q[:7], float)
    places = [state.pose(n).translation() for n in robot.rests]
    x = np.array([np.zeros(3), base[4:], *places])
    u, n = uncertainty, 15 + 3 * C
    P = np.zeros((n, n))
    heading = np.zeros((n, n))
    # Contacts rotate with the base relative to which they are measured, like its
    # places.
    at_base = np.array([np.zeros(3), *[base[4:]] * (1 + C)])
    add_rotation_noise(P, at_base, u.tilt**2)
    # Around the vertical through the base less is unknown.
    add_rotation_noise(heading, at_base, 1.0)
    column = heading[:, 2:3]
    P += (u.heading**2 - u.tilt**2) * column @ column.T
    for i in range(3):
        P[3 + i, 3 + i] += u.velocity**2
        for a in range(6, n - 6, 3):
            for b in range(6, n - 6, 3):
                P[a + i, b + i] += u.place**2
        P[n - 6 + i, n - 6 + i] = u.gyro_bias**2
        P[n - 3 + i, n - 3 + i] = u.accelerometer_bias**2
    return BaseEstimate(base, x, np.zeros((2, 3)), P)
