"""The safety law of a URDF joint: bounds on commands near the joint's limits.

`<safety_controller>` bounds the velocity by the distance from soft limits of the
position, and the effort by the distance from those bounds of the velocity, as in the
page "Safety limits" of pr2_controller_manager, ROS documentation:

    v_min = clip(-k_position (q - q_soft_lower), -v_limit, v_limit)
    v_max = clip(-k_position (q - q_soft_upper), -v_limit, v_limit)
    tau_min = clip(-k_velocity (v - v_min), -tau_limit, tau_limit)
    tau_max = clip(-k_velocity (v - v_max), -tau_limit, tau_limit)
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Indices, Matrix, Vector, VectorView
from backbeat.models.urdf.reading.description import Description, Joint
from backbeat.models.urdf.reading.parsing import read_description


@dataclass(frozen=True)
class SafetyLaw:
    """Limits of a revolute joint, and the gains at which they begin to act.

    Attributes:
        joint: its name.
        lower, upper: hard limits of the position [rad].
        velocity: limit of the speed [rad/s].
        effort: limit of the torque [N m].
        soft_lower, soft_upper: where the velocity bounds are zero [rad].
        k_position: velocity per distance [1/s].
        k_velocity: torque per velocity [N m s/rad].
    """

    joint: str
    lower: float
    upper: float
    velocity: float
    effort: float
    soft_lower: float
    soft_upper: float
    k_position: float
    k_velocity: float

    def velocity_bounds(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Lowest and highest velocity at positions, of their shape [rad/s]."""
        bounds = (self.soft_lower, self.soft_upper)
        low, high = (-self.k_position * (np.asarray(q) - soft) for soft in bounds)
        return self._clipped(low, self.velocity), self._clipped(high, self.velocity)

    def effort_bounds(
        self, q: np.ndarray, v: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Lowest and highest torque at positions and velocities [N m]."""
        low, high = (
            -self.k_velocity * (np.asarray(v) - bound)
            for bound in self.velocity_bounds(q)
        )
        return self._clipped(low, self.effort), self._clipped(high, self.effort)

    @staticmethod
    def _clipped(values: np.ndarray, most: float) -> np.ndarray:
        return np.clip(values, -most, most)


class SafetyBounds(NamedTuple):
    """The laws of n joints as arrays; see `SafetyLaw` for their meaning."""

    joints: Indices  # (n,) numbers of the joints
    soft: Matrix  # (2, n) lower and upper
    k_position: Vector
    k_velocity: Vector
    fastest: Vector
    strongest: Vector


def no_bounds() -> SafetyBounds:
    """The bounds of no joint."""
    z = np.zeros
    return SafetyBounds(z(0, np.int64), z((2, 0)), z(0), z(0), z(0), z(0))


@compiled
def clip_efforts(
    bounds: SafetyBounds, q: VectorView, v: VectorView, effort: VectorView
) -> None:
    """Brings efforts (nj,) within the laws at positions and velocities (nj,)."""
    for i in range(bounds.joints.shape[0]):
        j = bounds.joints[i]
        fastest, strongest = bounds.fastest[i], bounds.strongest[i]
        low = -bounds.k_position[i] * (q[j] - bounds.soft[0, i])
        low = -bounds.k_velocity[i] * (v[j] - min(max(low, -fastest), fastest))
        high = -bounds.k_position[i] * (q[j] - bounds.soft[1, i])
        high = -bounds.k_velocity[i] * (v[j] - min(max(high, -fastest), fastest))
        effort[j] = max(effort[j], min(max(low, -strongest), strongest))
        effort[j] = min(effort[j], min(max(high, -strongest), strongest))


class SafetyLaws:
    """The safety laws of a robot's joints, as a bound on the commands of motors.

    Attributes:
        laws: those of the joints that have one.
        bounds: the same as arrays.
    """

    def __init__(self, laws: Sequence[SafetyLaw], joint_names: Sequence[str]) -> None:
        """Takes the laws of the joints that have one.

        Args:
            laws: of single joints; those that the robot does not move are passed over.
            joint_names: joints of the robot in their order.

        Raises:
            BackbeatError: no joint has a law.
        """
        found = [law for law in laws if law.joint in joint_names]
        if not found:
            raise BackbeatError(
                "no moving joint of this robot has a <safety_controller>; write them "
                "into its URDF, or leave the safety law off"
            )
        self.laws = tuple(found)

        def column(name: str) -> np.ndarray:
            return np.array([getattr(law, name) for law in found], float)

        self.bounds = SafetyBounds(
            np.array([list(joint_names).index(law.joint) for law in found]),
            np.array([column("soft_lower"), column("soft_upper")]),
            column("k_position"),
            column("k_velocity"),
            column("velocity"),
            column("effort"),
        )

    def clip(self, effort: np.ndarray, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """(nj,) efforts within the laws at positions and velocities [N m].

        Args:
            effort: (nj,) what is asked for [N m].
            q, v: configuration and velocity that end with those of the joints.
        """
        nj, out = len(effort), np.array(effort, float)
        clip_efforts(self.bounds, q[len(q) - nj :], v[len(v) - nj :], out)
        return out


def read_safety_law(urdf: str | Path, joint: str) -> SafetyLaw:
    """Reads the law of a joint; what the file leaves out is zero, as the format says.

    Raises:
        BackbeatError: no such file or joint, or the joint has no limits or no
            `<safety_controller>` with a k_velocity.
    """
    description = read_description(urdf)
    if joint not in description.joints:
        raise unknown_name("joint", joint, description.joints)
    return _law(description, description.joints[joint])


def described_laws(
    description: Description, margin: float = 0.0
) -> tuple[SafetyLaw, ...]:
    """The laws of all joints that have one.

    Args:
        description: what the URDF says.
        margin: how far inside the hard limits soft ones lie at least [rad or m]; with 0
            they lie where the URDF has them.

    Raises:
        BackbeatError: a joint has a `<safety_controller>` and no limits, or one without
            a k_velocity.
    """
    joints = description.joints.values()
    laws = (_law(description, j) for j in joints if j.safety is not None)
    return tuple(_drawn_in(law, margin) if margin > 0 else law for law in laws)


def _drawn_in(law: SafetyLaw, margin: float) -> SafetyLaw:
    """A law whose soft limits lie inside the hard ones; in the middle if these meet."""
    middle = 0.5 * (law.lower + law.upper)
    return replace(
        law,
        soft_lower=min(max(law.soft_lower, law.lower + margin), middle),
        soft_upper=max(min(law.soft_upper, law.upper - margin), middle),
    )


def _law(description: Description, joint: Joint) -> SafetyLaw:
    limit, safety, urdf = joint.limit, joint.safety, description.path
    if limit is None or safety is None:
        lacking = "limit" if limit is None else "safety_controller"
        raise BackbeatError(f"{urdf}: joint {joint.name!r} has no <{lacking}>")
    if safety.k_velocity is None:
        raise BackbeatError(f"{urdf}: joint {joint.name!r} needs a k_velocity")
    return SafetyLaw(
        joint.name,
        lower=limit.lower or 0.0,
        upper=limit.upper or 0.0,
        velocity=limit.velocity or 0.0,
        effort=limit.effort or 0.0,
        soft_lower=safety.soft_lower,
        soft_upper=safety.soft_upper,
        k_position=safety.k_position,
        k_velocity=safety.k_velocity,
    )
