"""Fall detection: from the state that a controller measures.

Heights are above the lowest sole, as a controller measures its legs better than the
ground. The divergent component of motion, c + cdot / omega, is where the robot would
have to step to stop. Source
    Pratt, Carff, Drakunov, Goswami, "Capture Point: A Step toward Humanoid Push
    Recovery", 2006.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Matrix, Vector
from backbeat.models.compiled.bound import Bound, bind
from backbeat.models.dynamics.pendulum import pendulum_frequency
from backbeat.models.dynamics.rotations import quaternion_to_matrix
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.reference.sampling import ReferenceSample
from backbeat.mpc.reference.trajectory import Reference

# Planned heights of the base below this do not make shares of them [m].
LEAST_HEIGHT = 0.01
# Height of the center of mass that its pendulum has at least [m].
LEAST_PENDULUM = 0.3


@dataclass(frozen=True)
class FallLimits:
    """From where on a robot has fallen.

    Attributes:
        tilt: angle of pelvis or trunk against the behavior [rad].
        height: of the pelvis above the lowest sole, as a share of the behavior's.
        reach: distance of the divergent component from the nearest sole [m]. Steps
            reach 0.55 m, and a push of 180 N s that was survived took it to 0.35 m.
    """

    tilt: float = np.radians(60.0)
    height: float = 0.7
    reach: float = 1.0


class FallSigns(NamedTuple):
    """What `FallLimits` bounds."""

    tilt: float
    height: float
    reach: float

    def judge(self, limits: FallLimits) -> str:
        """The sign of a fall in words, empty without one."""
        if self.tilt > limits.tilt:
            return f"tilted by {np.degrees(self.tilt):.0f} degrees"
        if self.height < limits.height:
            return f"pelvis at {100 * self.height:.0f} % of its height"
        if self.reach > limits.reach:
            return f"divergent component {self.reach:.2f} m from the feet"
        return ""


UPRIGHT = FallSigns(0.0, 1.0, 0.0)


@compiled
def _angle(R, T):
    """Angle between the third columns of two rotations [rad]."""
    c = R[0, 2] * T[0, 2] + R[1, 2] * T[1, 2] + R[2, 2] * T[2, 2]
    return np.arccos(min(max(c, -1.0), 1.0))


class BalanceSigns(NamedTuple):
    """What is measured of a robot's balance, and what the behavior has.

    Attributes:
        R_trunk: (3, 3) rotation of the trunk.
        com: (3,) center of mass [m].
        momentum: (6,) momentum about it [N m s, N s].
        mass: of the robot [kg].
        soles: (C, 3) places of the soles from the base's origin [m].
        gravity: [m/s^2].
        planned_q, planned_R, planned_p: configuration, trunk and (C, 3) places of the
            soles in the behavior.
    """

    R_trunk: Matrix
    com: Vector
    momentum: Vector
    mass: float
    soles: Matrix
    gravity: float
    planned_q: Vector
    planned_R: Matrix
    planned_p: Matrix


@compiled
def find_signs(bound: Bound[BalanceSigns], q: Vector, out: Vector) -> None:
    """Writes the signs of a fall.

    Args:
        bound: what is measured and planned.
        q: (nq,) configuration of a floating robot.
        out: (3,) written: tilt [rad], share of height, reach [m].
    """
    of = bound.content
    com, soles, p = of.com, of.soles, of.planned_p
    velocity = of.momentum[3:] / of.mass
    R_base, R = np.empty((3, 3)), np.empty((3, 3))
    quaternion_to_matrix(q, R_base)
    quaternion_to_matrix(of.planned_q, R)
    out[0] = max(_angle(R_base, R), _angle(of.R_trunk, of.planned_R))
    low, planned = soles[0, 2], p[0, 2]
    for c in range(1, soles.shape[0]):
        low = min(low, soles[c, 2])
        planned = min(planned, p[c, 2])
    out[1] = -low / max(of.planned_q[6] - planned, LEAST_HEIGHT)
    omega = pendulum_frequency(com[2] - q[6] - low, of.gravity, LEAST_PENDULUM)
    x = com[0] - q[4] + velocity[0] / omega
    y = com[1] - q[5] + velocity[1] / omega
    least = 1e9
    for c in range(soles.shape[0]):
        d = np.sqrt((x - soles[c, 0]) ** 2 + (y - soles[c, 1]) ** 2)
        least = min(least, d)
    out[2] = least


def fall_signs(
    state: Configuration, reference: Reference, sample: ReferenceSample
) -> FallSigns:
    """Signs of a fall of a robot that is held by nothing; none without soles.

    Args:
        state: the robot.
        reference: the behavior.
        sample: the behavior at this phase.
    """
    robot = state.robot
    if not (robot.floating and reference.patches):
        return UPRIGHT
    origin, out = state.q[4:7], np.zeros(3)
    soles = [state.place(n) - origin for n in reference.patches]
    balance = BalanceSigns(
        state.rotation(robot.trunk),
        state.center_of_mass,
        state.momentum,
        robot.total_mass,
        np.array(soles),
        robot.gravity,
        sample.q,
        sample.R_trunk,
        sample.p_contact,
    )
    find_signs(bind(balance), state.q, out)
    return FallSigns(*out.tolist())
