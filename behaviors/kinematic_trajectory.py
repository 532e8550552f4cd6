"""Kinematic trajectory: what the kinematic player did."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from models.robot import RobotModel


@dataclass(frozen=True)
class KinematicTrajectory:
    """What the player did.

    Attributes:
        times: (N,) [s].
        q, qdot: (N, 17) joint angles and the speeds that lead to the next [rad, rad/s].
        names: joints, torso first, then left and right arm.
        kinds: (N,) "Hold" or "Goto": what the score was in.
        tip_error: (N, 2) distance of each tip from its segment [m].
        leakage: (N,) speed of the tips from secondary tasks [m/s].
        singular: (N, 6) singular values of the places' Jacobian, falling [m/rad].
        robot: the seated robot with fixed legs.
    """

    times: np.ndarray
    q: np.ndarray
    qdot: np.ndarray
    names: tuple[str, ...]
    kinds: np.ndarray
    tip_error: np.ndarray
    leakage: np.ndarray
    singular: np.ndarray
    robot: RobotModel = field(repr=False)

    def excess(self) -> dict[str, float]:
        """How far joints leave their range, by name; nothing here forbids it [rad]."""
        at = self.robot.joint_indices(self.names)
        lower, upper = self.robot.position_lower[at], self.robot.position_upper[at]
        over = np.maximum(lower - self.q, self.q - upper).max(0)
        return {n: float(x) for n, x in zip(self.names, over, strict=True) if x > 0}

    def frame(self) -> pd.DataFrame:
        """Times, angles and speeds, columns named as in a run file."""
        columns = {"t": self.times}
        columns |= {f"q.{n}": self.q[:, i] for i, n in enumerate(self.names)}
        columns |= {f"v.{n}": self.qdot[:, i] for i, n in enumerate(self.names)}
        return pd.DataFrame(columns)
