"""What joints allow, and what is left of torques that ask for more."""

from dataclasses import dataclass

import numpy as np

from models.robot import RobotModel


@dataclass(frozen=True)
class JointLimits:
    """Limits of the joints of a robot; infinity for none.

    Attributes:
        effort: (nj,) [N m].
        velocity: (nj,) [rad/s].
        acceleration: (nj,) [rad/s^2].
        horizon: time in which a joint may come to its velocity limit at most [s].
    """

    effort: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray
    horizon: float = 0.02

    @classmethod
    def of(cls, robot: RobotModel, acceleration: float = np.inf) -> "JointLimits":
        """Those of a robot's description, and one for all accelerations [rad/s^2]."""
        return cls(
            robot.effort_limits,
            robot.velocity_limits,
            np.full(robot.num_joints, acceleration),
        )

    def accelerations(self, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(nj,) least and greatest joint accelerations at joint velocities v (nj,).

        A joint that is too fast has to slow down, as far as accelerations allow.
        """
        lower = np.maximum(-self.acceleration, (-self.velocity - v) / self.horizon)
        upper = np.minimum(self.acceleration, (self.velocity - v) / self.horizon)
        return np.minimum(lower, self.acceleration), np.maximum(
            upper, -self.acceleration
        )

    def truncate(self, tau: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(nj,) torques moved to their nearest limits, and which of them were.

        Nothing makes up for what is cut off: tasks of all priorities suffer alike,
        which is what `LimitedProgram` is for.
        """
        cut = np.clip(tau, -self.effort, self.effort)
        return cut, cut != tau
