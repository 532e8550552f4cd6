"""Limits of joints, and torques truncated to them."""

from dataclasses import dataclass

import numpy as np

from backbeat.models.actuation.effort_limits import EffortLimits
from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Matrix, Vector, VectorView
from backbeat.models.robot.model import RobotModel

# How fast a joint may approach a stop, per radian that is left [1/s], and how much it
# may press against one it rests at [rad/s^2].
APPROACH, PRESS = 10.0, 0.05
_NO_STOPS = np.zeros((0, 0))


@dataclass(frozen=True)
class JointLimits:
    """Limits of the joints of a robot; infinity for none.

    Attributes:
        effort: (nj,) [N m].
        velocity: (nj,) [rad/s].
        acceleration: (nj,) [rad/s^2].
        horizon: time in which a joint may come to its velocity limit at most [s].
        stops: (2, nj) least and greatest angles [rad]; None for joints without end.
        motors: what motors give at speed, if that is less; None if not.
    """

    effort: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray
    horizon: float = 0.02
    stops: np.ndarray | None = None
    motors: EffortLimits | None = None

    @classmethod
    def of(cls, robot: RobotModel, acceleration: float = np.inf) -> "JointLimits":
        """Those of a robot's description, and one for all accelerations [rad/s^2]."""
        return cls(
            robot.effort_limits,
            robot.velocity_limits,
            np.full(robot.num_joints, acceleration),
            motors=robot.motors if robot.motors.slope.any() else None,
        )

    def efforts(self, v: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """(nj,) least and most torque at joint velocities v (nj,); None for at rest."""
        if self.motors is None or v is None:
            return -self.effort, self.effort
        least, most = self.motors.at(v)
        return np.maximum(least, -self.effort), np.minimum(most, self.effort)

    def accelerations(
        self, v: np.ndarray, q: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """(nj,) least and greatest joint accelerations.

        A joint that is too fast has to slow down, as far as accelerations allow, and
        the nearer it is to a stop the slower it may approach it.

        Args:
            v: (nj,) joint velocities [rad/s].
            q: (nj,) joint angles [rad]; None where stops do not matter.
        """
        least, most = np.empty(len(v)), np.empty(len(v))
        has_stops = self.stops is not None and q is not None
        stops = self.stops if has_stops else _NO_STOPS
        _accelerations(
            *(self.velocity, self.acceleration, self.horizon, stops, v),
            *(q if has_stops else v, least, most),
        )
        return least, most

    def truncate(
        self, tau: np.ndarray, v: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """(nj,) torques moved to their nearest limits at v, and which of them were.

        Nothing makes up for what is cut off: tasks of all priorities suffer alike,
        which is what `LimitedProgram` is for.
        """
        cut = np.clip(tau, *self.efforts(v))
        return cut, cut != tau


@compiled
def _accelerations(
    velocity: Vector,
    acceleration: Vector,
    horizon: float,
    stops: Matrix,
    v: VectorView,
    q: VectorView,
    least: Vector,
    most: Vector,
) -> None:
    """Writes least and greatest accelerations; see `JointLimits.accelerations`."""
    for j in range(v.shape[0]):
        low, high, limit = -velocity[j], velocity[j], acceleration[j]
        if stops.shape[0]:
            # Rounding is no reason to act where a joint rests at its stop.
            press = PRESS * horizon
            low = max(low, APPROACH * (stops[0, j] - q[j]) - press)
            high = min(high, APPROACH * (stops[1, j] - q[j]) + press)
        least[j] = min(max(-limit, (low - v[j]) / horizon), limit)
        most[j] = max(min(limit, (high - v[j]) / horizon), -limit)
