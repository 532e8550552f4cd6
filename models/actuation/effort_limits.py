"""What motors give at a speed, joint by joint and in pairs.

A motor on a constant voltage gives its stall torque at rest, and nothing at its top
speed; in between torque falls with speed in a straight line. What it gives against its
motion is not less than at rest (Hughes, Drury, "Electric Motors and Drives", 2019,
chapter 3). The effort limit of the URDF, that of gear and current, holds besides:

    -min(e, max(s + k v, 0)) <= tau <= min(e, max(s - k v, 0)),    k = s / top speed.

Of two motors that drive two joints together, each is limited so; see
`backbeat.models.actuation.parallel`.
"""

from typing import NamedTuple

import numpy as np

from backbeat.models.actuation.parallel import ParallelMotors
from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Matrix, Vector
from backbeat.models.dynamics.finite import UNBOUNDED

# Effort that is none [N m or N].
_NOTHING = 1e-9
# Torques and speeds of a row by joint, least and most, and its joints.
_Row = tuple[np.ndarray, np.ndarray, float, float, np.ndarray]


class MotorRows(NamedTuple):
    """Limits that depend on more than a torque: lower <= A tau + B v <= upper.

    Attributes:
        torque: (r, nj) A.
        speed: (r, nj) B.
        lower, upper: (r,); UNBOUNDED for none.
        joints: (r, 2) joints of each row, twice the same where there is one.
    """

    torque: Matrix
    speed: Matrix
    lower: Vector
    upper: Vector
    joints: np.ndarray


class EffortLimits(NamedTuple):
    """What motors give at a speed, see the head of this module.

    Attributes:
        effort: (nj,) most at any speed [N m or N].
        stall: (nj,) at rest; no matter where `slope` is zero [N m or N].
        slope: (nj,) what is lost with speed [N m s/rad or N s/m]; zero for motors
            without a line.
        pairs: joints that two motors drive together.
    """

    effort: Vector
    stall: Vector
    slope: Vector
    pairs: ParallelMotors

    def at(self, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(..., nj) lowest and highest effort at velocities v (..., nj), by joint."""
        return _between(self.effort, self.stall, self.slope, v)

    def shares(self, tau: np.ndarray, v: np.ndarray | None = None) -> np.ndarray:
        """(..., nj) efforts as shares of what motors give at velocities, at least 0.

        Args:
            tau: (..., nj) efforts [N m or N].
            v: (..., nj) velocities; None for at rest.

        A joint of a pair has the largest share of its own limit and of those of the two
        motors.
        """
        v = np.zeros_like(tau) if v is None else v
        shares = _share(tau, *self.at(v))
        pairs = self.pairs
        for p, joints in enumerate(pairs.joints):
            t, u = (
                tau[..., joints] @ pairs.torque[p].T,
                v[..., joints] @ pairs.speed[p].T,
            )
            limits = _between(pairs.effort[p], pairs.stall[p], pairs.slope[p], u)
            most = _share(t, *limits).max(-1, keepdims=True)
            shares[..., joints] = np.maximum(shares[..., joints], most)
        return shares

    def pair_limits(self, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows of least <= A tau <= most at velocities v (nj,), two for every pair.

        Returns:
            (2 p, nj) A, (2 p,) least, (2 p,) most.
        """
        pairs, A = self.pairs, np.zeros((2, 2 * len(self.pairs.joints), len(v)))
        for p, joints in enumerate(pairs.joints):
            A[0][2 * p : 2 * p + 2, joints] = pairs.torque[p]
            A[1][2 * p : 2 * p + 2, joints] = pairs.speed[p]
        line = (np.repeat(x, 2) for x in (pairs.effort, pairs.stall, pairs.slope))
        effort, stall, slope = line
        return A[0], *_between(effort, stall, slope, A[1] @ v)

    def rows(self, share: float = 1.0) -> MotorRows:
        """What is not a limit of one torque at any speed, as rows.

        Each is counted in what its motor gives at rest. Beyond its top speed a row asks
        for braking, which motors do not.

        Args:
            share: of all that motors give.
        """
        one, pairs = np.eye(len(self.effort)), self.pairs
        found: list[_Row] = []
        for j in np.flatnonzero(self.slope):
            top_speed = self.stall[j] / self.slope[j]
            ends = np.array([j, j])
            found += _line(one[j] / self.stall[j], one[j] / top_speed, share, ends)
        for p, joints in enumerate(pairs.joints):
            for m in range(2):
                A, B = pairs.torque[p, m] @ one[joints], pairs.speed[p, m] @ one[joints]
                found.append((A / pairs.effort[p], 0.0 * B, -share, share, joints))
                if pairs.slope[p]:
                    top_speed = pairs.stall[p] / pairs.slope[p]
                    found += _line(A / pairs.stall[p], B / top_speed, share, joints)
        nj = len(self.effort)
        return MotorRows(
            np.reshape([row[0] for row in found], (-1, nj)),
            np.reshape([row[1] for row in found], (-1, nj)),
            np.array([row[2] for row in found], float),
            np.array([row[3] for row in found], float),
            np.reshape(np.array([row[4] for row in found], np.int64), (-1, 2)),
        )


def _line(
    torque: np.ndarray, speed: np.ndarray, share: float, joints: np.ndarray
) -> list[_Row]:
    """t + c u <= c and t - c u >= -c with the share c, as shares of rest."""
    return [
        (torque, share * speed, -UNBOUNDED, share, joints),
        (torque, -share * speed, -share, UNBOUNDED, joints),
    ]


def _between(
    effort: np.ndarray, stall: np.ndarray, slope: np.ndarray, v: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Least and most effort at speeds v."""
    lost = slope * v
    most, least = (
        np.where(
            slope > 0.0,
            np.minimum(effort, np.maximum(stall - way * lost, 0.0)),
            effort,
        )
        for way in (1.0, -1.0)
    )
    return -least, most


def _share(tau: np.ndarray, least: np.ndarray, most: np.ndarray) -> np.ndarray:
    """Efforts as shares of what there is in their direction, at least 0."""
    # A motor at its top speed gives nothing more, and all is too much.
    limit = np.maximum(np.where(tau > 0.0, most, -least), _NOTHING)
    return np.asarray(np.abs(tau) / limit)


@compiled
def highest_effort(effort, stall, slope, v):
    """Most that a motor gives along the direction in which v is its speed."""
    if slope <= 0.0:
        return effort
    return min(effort, max(stall - slope * v, 0.0))


@compiled
def within_motor(effort, stall, slope, v, wanted):
    """What a motor gives at a speed of an effort that is wanted."""
    least = -highest_effort(effort, stall, slope, -v)
    return min(max(wanted, least), highest_effort(effort, stall, slope, v))


@compiled
def clip_pairs(pairs, v, tau):
    """Moves torques of joints to what the motors of their pairs give, in place.

    Each motor gives its nearest limit; torques that no motor limits stay bit for bit.

    Args:
        pairs: ParallelMotors.
        v: (nj,) speeds of joints [rad/s].
        tau: (nj,) their torques [N m].
    """
    for p in range(pairs.joints.shape[0]):
        a, b = pairs.joints[p, 0], pairs.joints[p, 1]
        A, B = pairs.torque[p], pairs.speed[p]
        effort, stall, slope = pairs.effort[p], pairs.stall[p], pairs.slope[p]
        x = A[0, 0] * tau[a] + A[0, 1] * tau[b]
        y = A[1, 0] * tau[a] + A[1, 1] * tau[b]
        u = B[0, 0] * v[a] + B[0, 1] * v[b]
        w = B[1, 0] * v[a] + B[1, 1] * v[b]
        x_given = within_motor(effort, stall, slope, u, x)
        y_given = within_motor(effort, stall, slope, w, y)
        if x_given != x or y_given != y:
            # The inverse of A is the transpose of what makes speeds.
            tau[a] = B[0, 0] * x_given + B[1, 0] * y_given
            tau[b] = B[0, 1] * x_given + B[1, 1] * y_given
