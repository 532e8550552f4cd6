"""Fall detection: what a controller can tell from the state that it reads.

Heights are above the lowest sole, for a controller knows its legs better than the
ground. The divergent component of motion, c + cdot / omega, is where the robot would
have to step to stop. Source
    Pratt, Carff, Drakunov, Goswami, "Capture Point: A Step toward Humanoid Push
    Recovery", 2006.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from models.configuration import Configuration
from models.kinematics import frame_pose
from models.rotations import compiled, quaternion_to_matrix
from mpc.reference import Reference, ReferenceSample


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


@compiled
def _signs(R_base, R_trunk, com, velocity, soles, gravity, sample, out):
    """Tilt, height and reach; `com` and `soles` are from the base's origin."""
    R = np.empty((3, 3))
    quaternion_to_matrix(sample.q, R)
    out[0] = max(_angle(R_base, R), _angle(R_trunk, sample.R_trunk))
    low, planned = soles[0, 2], sample.p_contact[0, 2]
    for c in range(1, soles.shape[0]):
        low = min(low, soles[c, 2])
        planned = min(planned, sample.p_contact[c, 2])
    out[1] = -low / max(sample.q[6] - planned, 0.1)
    omega = np.sqrt(gravity / max(com[2] - low, 0.3))
    x, y = com[0] + velocity[0] / omega, com[1] + velocity[1] / omega
    least = 1e9
    for c in range(soles.shape[0]):
        d = np.sqrt((x - soles[c, 0]) ** 2 + (y - soles[c, 1]) ** 2)
        least = min(least, d)
    out[2] = least


@compiled
def tick_signs(structure, q, tick, sample, out):
    """Signs of a fall from the memory of a whole-body tick after `update_state`.

    Args:
        structure, q, tick: as of `mpc.whole_body_assembly`.
        sample: the behavior at the tick.
        out: (3,) written: tilt [rad], share of height, reach [m].
    """
    R_base, R_trunk = np.empty((3, 3)), np.empty((3, 3))
    com, velocity, p = np.empty(3), np.empty(3), np.empty(3)
    quaternion_to_matrix(q, R_base)
    frame_pose(
        structure.tree,
        tick.ws,
        q,
        structure.trunk_body,
        structure.trunk_R,
        structure.trunk_p,
        R_trunk,
        p,
    )
    for i in range(3):
        com[i] = tick.ws.h[0, i] / tick.ws.m[0]
        velocity[i] = tick.momentum[3 + i] / structure.mass
    _signs(R_base, R_trunk, com, velocity, tick.r, structure.gravity, sample, out)


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
    R_base, origin, out = np.zeros((3, 3)), state.q[4:7], np.zeros(3)
    quaternion_to_matrix(state.q, R_base)
    soles = [state.pose(n).translation() - origin for n in reference.patches]
    _signs(
        R_base,
        state.pose(robot.trunk).rotation().matrix(),
        state.center_of_mass - origin,
        state.momentum[3:] / robot.total_mass,
        np.array(soles),
        robot.gravity,
        sample,
        out,
    )
    return FallSigns(*out.tolist())
