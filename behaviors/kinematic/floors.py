"""Lower bounds of the kinematic player: on heights and singular values.

A secondary task with a gain gives way to others of its kind. What shall always hold
comes after them, in the same null space of the tips: the least correction with which
x' >= gain (floor - x) for every kept x. It is the velocity damper of Faverjon,
Tournassoud, "A local based approach for path planning of manipulators with a high
number of degrees of freedom", 1987, solved by adding violated rows to a least-norm
problem until none is left.
"""

import numpy as np

from backbeat.behaviors.drumming.drummer import elbow, shoulder
from backbeat.behaviors.kinematic.two_branches import (
    damped_inverse,
    seventeen,
    smallest_value_gradient,
)
from backbeat.behaviors.music.notation.score import HANDS
from backbeat.models.state.configuration import Configuration

# Floors are looked at from this much above them on [m, m/rad].
ELBOW_BAND, VALUE_BAND = 0.10, 0.05
# Damping of the correction, in units of its rows [m/rad], and the most of it [rad/s]:
# where tips leave next to nothing of a row, they decide.
DAMPING, MOST = 0.01, 2.0


def elbow_rows(
    state: Configuration, floor: float, gain: float
) -> list[tuple[np.ndarray, float]]:
    """Row and least rate of each elbow's depth below its shoulder, where it matters.

    Args:
        state: of the robot with two sticks.
        floor: least depth [m].
        gain: how fast a depth goes back above it [1/s].
    """
    columns = state.robot.base_velocities + seventeen(state.robot)
    rows = []
    for hand in HANDS:
        high, low = shoulder(state.robot, hand), elbow(state.robot, hand)
        places = [state.pose(link).translation()[2] for link in (high, low)]
        depth = float(places[0] - places[1])
        if depth < floor + ELBOW_BAND:
            row = state.jacobian(high)[5] - state.jacobian(low)[5]
            rows.append((row[columns], gain * (floor - depth)))
    return rows


def value_row(
    J_p: np.ndarray, J_R: np.ndarray, smallest: float, floor: float, gain: float
) -> list[tuple[np.ndarray, float]]:
    """Row and least rate of the smallest singular value, where it matters.

    Args:
        J_p, J_R: (6, 17) Jacobians of places and rotations.
        smallest: singular value of the first [m/rad].
        floor: that it shall not fall below [m/rad].
        gain: how fast it goes back above it [1/s].
    """
    if smallest >= floor + VALUE_BAND:
        return []
    return [(smallest_value_gradient(J_p, J_R), gain * (floor - smallest))]


def kept(
    qdot: np.ndarray, N: np.ndarray, rows: list[tuple[np.ndarray, float]]
) -> np.ndarray:
    """(n,) least change N y of joint speeds with which every row has its least rate.

    Args:
        qdot: (n,) joint speeds without it [rad/s].
        N: (n, n) projector into the null space of the tips.
        rows: rows over joints with least rates.
    """
    change, active = np.zeros(len(qdot)), list[int]()
    for _ in rows:
        missing = [
            i
            for i, (row, rate) in enumerate(rows)
            if i not in active and row @ (qdot + change) < rate
        ]
        if not missing:
            break
        active += missing
        A = np.array([rows[i][0] @ N for i in active])
        need = np.array([rows[i][1] - rows[i][0] @ qdot for i in active])
        change = N @ (damped_inverse(A, DAMPING) @ need)
    return change * min(1.0, MOST / max(float(np.abs(change).max()), MOST))
