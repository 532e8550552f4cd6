"""Nearness: how far two motions of a robot are from each other.

Where on the floor a motion takes place, and which way it faces, is no part of it: one
is moved and turned over the floor so that its base is nearest to that of the other
(Kabsch, "A Solution for the Best Rotation to Relate Two Sets of Vectors", 1976, in the
plane; the headings count as arms of one meter).
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from backbeat.models.robot.model import RobotModel


@dataclass(frozen=True)
class Nearness:
    """Root mean squares of what is between two motions.

    Attributes:
        place: of the base [m].
        turn: of the base's orientation [rad].
        joints: of all joint angles [rad].
    """

    place: float
    turn: float
    joints: float

    def nearer_than(self, other: "Nearness") -> bool:
        """Whether base and joints all are."""
        return (
            self.place < other.place
            and self.turn < other.turn
            and self.joints < other.joints
        )


def nearness(robot: RobotModel, q: np.ndarray, other: np.ndarray) -> Nearness:
    """How far a motion is from another one.

    Args:
        robot: whose motions they are.
        q, other: (n, nq) configurations at the same times.
    """
    moved = on_the_floor_of(q, other)
    way = np.linalg.norm(moved[:, 4:7] - other[:, 4:7], axis=1)
    turns = (_turns(moved).inv() * _turns(other)).magnitude()
    joints = (q - other)[:, robot.base_positions :]
    return Nearness(_rms(way), _rms(turns), _rms(joints))


def on_the_floor_of(q: np.ndarray, other: np.ndarray) -> np.ndarray:
    """(n, nq) a motion moved and turned over the floor, nearest to another one.

    Args:
        q, other: (n, nq) configurations at the same times.
    """
    a, b = q[:, 4] + 1j * q[:, 5], other[:, 4] + 1j * other[:, 5]
    mean, goal = a.mean(), b.mean()
    faces = np.vdot(_heading(q), _heading(other))
    angle = np.angle(np.vdot(a - mean, b - goal) + faces)
    out = q.copy()
    place = goal + np.exp(1j * angle) * (a - mean)
    out[:, 4], out[:, 5] = place.real, place.imag
    turned = Rotation.from_euler("z", angle) * _turns(q)
    out[:, :4] = turned.as_quat(scalar_first=True)
    return out


def _heading(q: np.ndarray) -> np.ndarray:
    """(n,) where a base faces, as complex numbers of length one."""
    ahead = _turns(q).as_matrix()[:, :2, 0]
    flat = ahead[:, 0] + 1j * ahead[:, 1]
    return flat / np.maximum(np.abs(flat), 1e-9)


def _turns(q: np.ndarray) -> Rotation:
    return Rotation.from_quat(q[:, :4], scalar_first=True)


def _rms(values: np.ndarray) -> float:
    return float(np.sqrt(np.mean(values**2)))
