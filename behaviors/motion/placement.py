"""Placement: where on the ground a motion happens, and the same motion elsewhere.

Gravity and flat ground look the same from every place and heading. A motion moved in
the plane and turned about the vertical is therefore as good as it was: its joints,
torques and contact wrenches in contact axes do not change at all.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from pydrake.math import RigidTransform, RollPitchYaw, RotationMatrix

from backbeat.optimization.problem.dense_trajectory import DenseTrajectory


@dataclass(frozen=True)
class Placement:
    """A place on the ground and a heading.

    Attributes:
        x, y: place [m].
        yaw: heading, left of x [rad].
    """

    x: float = 0.0
    y: float = 0.0
    yaw: float = 0.0

    @staticmethod
    def between(feet: Iterable[RigidTransform]) -> "Placement":
        """The middle of some feet, and their mean heading."""
        feet = list(feet)
        x, y = np.mean([X.translation()[:2] for X in feet], axis=0)
        ahead = np.mean([X.rotation().matrix()[:2, 0] for X in feet], axis=0)
        return Placement(float(x), float(y), float(np.arctan2(ahead[1], ahead[0])))

    @property
    def rotation(self) -> RotationMatrix:
        """Rotation about the vertical."""
        return RotationMatrix(RollPitchYaw(0.0, 0.0, self.yaw))

    def pose(self) -> RigidTransform:
        """The same as a pose on the ground."""
        return RigidTransform(self.rotation, np.array([self.x, self.y, 0.0]))

    def inverse(self) -> "Placement":
        """The way back."""
        return _placement(self.pose().inverse())

    def __matmul__(self, other: "Placement") -> "Placement":
        """What is at `other`, seen from here, in the world."""
        return _placement(self.pose() @ other.pose())

    def configuration(self, q: np.ndarray) -> np.ndarray:
        """Configurations (..., nq) of a free base, moved there."""
        q, turn = q.copy(), self.rotation
        w = turn.ToQuaternion().wxyz()
        q[..., :4] = _quaternion_product(w, q[..., :4])
        q[..., 4:7] = q[..., 4:7] @ turn.matrix().T + [self.x, self.y, 0.0]
        return q

    def rates(self, v: np.ndarray) -> np.ndarray:
        """Velocities or accelerations (..., nv) of a free base, turned."""
        v, R = v.copy(), self.rotation.matrix()
        v[..., :3] = v[..., :3] @ R.T
        v[..., 3:6] = v[..., 3:6] @ R.T
        return v

    def motion(self, motion: DenseTrajectory) -> DenseTrajectory:
        """A motion of a free base, moved there."""
        R = self.rotation.matrix()
        return replace(
            motion,
            q=self.configuration(motion.q),
            v=self.rates(motion.v),
            vdot=self.rates(motion.vdot),
            R_WC=R @ motion.R_WC,
            p_WC=motion.p_WC @ R.T + [self.x, self.y, 0.0],
        )


def _placement(X: RigidTransform) -> Placement:
    x, y, _ = X.translation()
    return Placement(x, y, RollPitchYaw(X.rotation()).yaw_angle())


def _quaternion_product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Products a * b_i of a quaternion with (..., 4) others."""
    s, x = b[..., :1], b[..., 1:]
    w, y = a[0], a[1:]
    return np.concatenate(
        [w * s - x @ y[:, None], w * x + s * y + np.cross(y, x)], axis=-1
    )
