"""Posture margins: how far a posture is from tipping, joint stops and full reach."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy
from pydrake.math import RigidTransform

from backbeat.behaviors.library.balance import balance_margin, support_polygon
from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.posture.limits import static_load
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration

# Farther than any hand gets [m], and where a search starts from a stop [rad].
BEYOND, INSIDE = 2.0, 1e-3
# Relative change of the cost at which the search ends: half a millimeter of what is
# told to the centimeter. The last one, into a stretched arm, takes five times as long.
CLOSE = 1e-6


@dataclass(frozen=True)
class PostureMargins:
    """What is left of a posture.

    Attributes:
        balance: distance of the center of mass from the edge of the standing feet,
            seen from above [m]; negative outside, NaN if none stands.
        reach: how much farther each hand could go, straight away from its shoulder
            with the rest of the body as it is [m], by part.
        joint: the joint that is nearest to a stop.
        stop: how near [rad].
        strained: the joint above the hips that holding still takes most torque of.
        load: how much of it [-].
    """

    balance: float
    reach: dict[str, float]
    joint: str
    stop: float
    strained: str
    load: float

    def sentence(self) -> str:
        """The margins in words."""
        hands = ", ".join(
            f"{part} {100 * shift:.0f} cm from as far as it goes"
            for part, shift in self.reach.items()
        )
        return (
            f"center of mass {1000 * self.balance:.0f} mm inside the feet, "
            f"{hands + ', ' if hands else ''}{self.joint} {self.stop:.2f} rad from its "
            f"stop, {self.strained} at {100 * self.load:.0f} % of its torque"
        )


def posture_margins(
    robot: RobotModel, q: np.ndarray, standing: dict[str, RigidTransform]
) -> PostureMargins:
    """The margins of a configuration on soles with given poses."""
    state = Configuration(robot, q)
    edges = support_polygon(robot, standing) if standing else None
    center = state.center_of_mass[:2]
    joints = q[robot.base_positions :]
    room = np.minimum(joints - robot.position_lower, robot.position_upper - joints)
    j = int(room.argmin())
    reach = {
        name: _reach(robot, state, part.frame, robot.groups[part.limb])
        for name, part in robot.parts.items()
        if name.endswith("hand") and len(robot.groups.get(part.limb, ()))
    }
    load, strained = static_load(robot, state)
    return PostureMargins(
        np.nan if edges is None else balance_margin(edges, center),
        reach,
        robot.joint_names[j],
        float(room[j]),
        strained,
        load,
    )


def _reach(
    robot: RobotModel, state: Configuration, frame: str, limb: np.ndarray
) -> float:
    """How much farther a frame could go from where its limb begins [m]."""
    joint = robot.plant.GetJointByName(robot.joint_names[int(limb[0])])
    shoulder = state.pose(joint.child_body().name()).translation()
    p = state.pose(frame).translation()
    direction = (p - shoulder) / np.linalg.norm(p - shoulder)
    nq, nv = robot.base_positions + limb, robot.base_velocities + limb
    moved, q = Configuration(robot, state.q), state.q.copy()

    def away(angles: np.ndarray) -> np.ndarray:
        q[nq] = angles
        return moved.update(q).pose(frame).translation() - p - BEYOND * direction

    def rates(angles: np.ndarray) -> np.ndarray:
        q[nq] = angles
        return moved.update(q).jacobian(frame)[3:, nv]

    low, high = robot.position_lower[limb], robot.position_upper[limb]
    start = np.clip(state.q[nq], low + INSIDE, high - INSIDE)
    found = scipy.optimize.least_squares(
        away, start, rates, bounds=(low, high), ftol=CLOSE
    )
    return float(max(0.0, (found.fun + BEYOND * direction) @ direction))


def station_margins(behavior: Behavior) -> Iterator[tuple[str, float, PostureMargins]]:
    """Name, time [s] and margins of every station of a tour, at its end."""
    robot, motion = behavior.robot_model, behavior.motion
    for event in behavior.events:
        if event.kind != "segment":
            continue
        time = event.time + event.duration
        i = int(np.clip(np.searchsorted(motion.t, time), 0, len(motion.t) - 1))
        state = Configuration(robot, motion.q[i])
        on = {
            n: state.pose(n)
            for n, s in zip(motion.contacts, motion.standing[i], strict=True)
            if s and n in robot.soles
        }
        yield event.what, time, posture_margins(robot, motion.q[i], on)
