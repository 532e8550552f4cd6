"""Kinematic trajectory: the result of the kinematic player."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from backbeat.behaviors.drumming.elbows import Elbows, find_elbows
from backbeat.behaviors.music.notation.score import HANDS
from backbeat.models.robot.model import RobotModel

# A floor counts as kept down to this share of it: corrections are damped.
KEPT = 0.999


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

    def beyond(self) -> np.ndarray:
        """(N, 17) how far joints are out of their range, 0 inside it [rad]."""
        at = self.robot.joint_indices(self.names)
        lower, upper = self.robot.position_lower[at], self.robot.position_upper[at]
        return np.maximum(0.0, np.maximum(lower - self.q, self.q - upper))

    def excess(self) -> dict[str, float]:
        """How far joints leave their range, by name; nothing here forbids it [rad]."""
        over = self.beyond().max(0)
        return {n: float(x) for n, x in zip(self.names, over, strict=True) if x > 0}

    def elbows(self) -> Elbows:
        """How far both elbows are down, measured on the angles alone."""
        q = np.zeros((len(self.times), self.robot.num_positions))
        q[:, self.robot.joint_indices(self.names)] = self.q
        return find_elbows(self.robot, self.times, q)

    def frame(self) -> pd.DataFrame:
        """Times, angles and speeds, columns named as in a run file."""
        columns = {"t": self.times}
        columns |= {f"q.{n}": self.q[:, i] for i, n in enumerate(self.names)}
        columns |= {f"v.{n}": self.qdot[:, i] for i, n in enumerate(self.names)}
        return pd.DataFrame(columns)

    def sentences(self, floor: float) -> list[str]:
        """What became of singular values and elbows.

        Args:
            floor: that the smallest singular value was to be kept above [m/rad].
        """
        smallest = self.singular[:, -1]
        k = int(smallest.argmin())
        said = (
            f"smallest singular value {smallest[k]:.3f} m/rad at {self.times[k]:.2f} s"
        )
        if smallest[k] < KEPT * floor:
            share = 100 * float((smallest < KEPT * floor).mean())
            said += f", below the floor of {floor:g} in {share:.1f} % of the time"
        elbows, found = self.elbows(), [said]
        for i, hand in enumerate(HANDS):
            found.append(
                f"{hand} elbow below its shoulder in "
                f"{100 * elbows.share_down()[i]:.1f} % of the time, by "
                f"{1e3 * elbows.least_depth()[i]:.0f} mm at least"
            )
        return found
