"""Flight: motion of the base without contacts.

The joints decide the shape of the body. Gravity decides the path of its center of
mass, a parabola, and the angular momentum about it stays what it was at the
take-off; base rotation and translation follow from these. Take-off and landing
pose are given: the take-off velocity and the angular momentum are those that lead
from one to the other.

Source: Greenwood, "Principles of Dynamics", 1988, chapters 4 and 8 (conservation
of linear and angular momentum of systems of particles).
"""

from dataclasses import dataclass

import numpy as np

from backbeat.models.dynamics.rotations import (
    box_plus,
    quaternion_to_matrix,
    relative_log,
)
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration

# Corrections of the angular momentum and the rotation [rad] at which they end.
_ATTEMPTS, _CLOSE = 20, 1e-12


@dataclass(frozen=True)
class FlightMotion:
    """Motion of the base at given times.

    Attributes:
        q: (M, 7) quaternion and position.
        v: (M, 6) velocity.
        vdot: (M, 6) acceleration.
    """

    q: np.ndarray
    v: np.ndarray
    vdot: np.ndarray


def free_flight(
    robot: RobotModel, t: np.ndarray, q: np.ndarray, v: np.ndarray, vdot: np.ndarray
) -> FlightMotion:
    """Motion of the base that physics gives to a motion of the joints.

    Args:
        robot: robot with a free base.
        t: (2 n + 1,) times, evenly spaced [s]; every other one is half way.
        q, v, vdot: (2 n + 1, ...) motion whose joints count, and the base pose at
            both ends.

    Returns:
        The base at the n + 1 times t[::2].
    """
    body = _Shape(robot, q, v)
    T = t[-1] - t[0]
    gravity = np.array([0.0, 0.0, -robot.gravity])
    start, end = _rotation(q[0]), _rotation(q[-1])
    p_start = q[0, 4:7] + start @ body.com[0]
    p_end = q[-1, 4:7] + end @ body.com[-1]
    rise = (p_end - p_start) / T - 0.5 * gravity * T
    turns, L = _turn(body, t, q[0, :4], end)
    times = t[::2] - t[0]
    n = len(times)
    motion = FlightMotion(np.zeros((n, 7)), np.zeros((n, 6)), np.zeros((n, 6)))
    state = Configuration(robot, q[0])
    for i, elapsed in enumerate(times):
        R, k = _rotation(turns[i]), 2 * i
        w = body.spin(k, R, L)
        arm = R @ body.com[k]
        com = p_start + rise * elapsed + 0.5 * gravity * elapsed**2
        motion.q[i] = np.r_[turns[i], com - arm]
        speed = rise + gravity * elapsed - np.cross(w, arm) - R @ body.com_rate[k]
        motion.v[i] = np.r_[w, speed]
        state.update(np.r_[motion.q[i], q[k, 7:]], np.r_[motion.v[i], v[k, 6:]])
        M = state.mass_matrix
        force = M[:6, 6:] @ vdot[k, 6:] + state.bias[:6]
        motion.vdot[i] = -np.linalg.solve(M[:6, :6], force)
    return motion


class _Shape:
    """The body's shape in axes of the base.

    Attributes:
        com: (M, 3) center of mass from the base origin [m].
        com_rate: (M, 3) its rate with the base at rest [m/s].
        inertia: (M, 3, 3) rotational inertia about the center of mass.
        momentum: (M, 3) angular momentum about it with the base at rest.
    """

    def __init__(self, robot: RobotModel, q: np.ndarray, v: np.ndarray) -> None:
        M = len(q)
        self.com, self.com_rate = np.zeros((M, 3)), np.zeros((M, 3))
        self.inertia, self.momentum = np.zeros((M, 3, 3)), np.zeros((M, 3))
        rest = np.r_[1.0, np.zeros(6)]
        state = Configuration(robot, np.r_[rest, q[0, 7:]])
        for i in range(M):
            state.update(np.r_[rest, q[i, 7:]], np.r_[np.zeros(6), v[i, 6:]])
            self.com[i] = state.center_of_mass
            self.inertia[i] = state.centroidal_inertia
            momentum = state.momentum
            self.momentum[i] = momentum[:3]
            self.com_rate[i] = momentum[3:] / robot.total_mass

    def spin(self, i: int, R_WB: np.ndarray, L: np.ndarray) -> np.ndarray:
        """(3,) angular velocity of the base for an angular momentum, in W."""
        rest = R_WB.T @ L - self.momentum[i]
        return np.asarray(R_WB @ np.linalg.solve(self.inertia[i], rest))


def _turn(
    body: _Shape, t: np.ndarray, start: np.ndarray, end: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(n + 1, 4) base quaternions that end at a rotation, and the momentum."""
    L, T, miss = np.zeros(3), t[-1] - t[0], np.zeros(3)
    for _ in range(_ATTEMPTS):
        turns = _integrate(body, t, start, L)
        relative_log(end, _rotation(turns[-1]), miss)
        R = _rotation(turns[len(turns) // 2])
        L = L + R @ body.inertia[len(t) // 2] @ R.T @ miss / T
        if np.linalg.norm(miss) < _CLOSE:
            break
    return turns, L


def _integrate(
    body: _Shape, t: np.ndarray, start: np.ndarray, L: np.ndarray
) -> np.ndarray:
    """(n + 1, 4) base quaternions, by the midpoint rule on the rotation group."""
    turns = [start]
    middle, end = np.zeros(4), np.zeros(4)
    for i in range(0, len(t) - 1, 2):
        h = t[i + 2] - t[i]
        w = body.spin(i, _rotation(turns[-1]), L)
        for _ in range(3):
            _rotate(turns[-1], 0.5 * h * w, middle)
            w = body.spin(i + 1, _rotation(middle), L)
        _rotate(turns[-1], h * w, end)
        turns.append(end.copy())
    return np.array(turns)


def _rotate(quaternion: np.ndarray, phi: np.ndarray, out: np.ndarray) -> None:
    """Turns a quaternion by a rotation vector in the world."""
    pose, turned = np.r_[quaternion, np.zeros(3)], np.zeros(7)
    box_plus(pose, np.r_[phi, np.zeros(3)], 1.0, True, turned)
    out[:] = turned[:4]


def _rotation(quaternion: np.ndarray) -> np.ndarray:
    R = np.zeros((3, 3))
    quaternion_to_matrix(np.ascontiguousarray(quaternion), R)
    return R
