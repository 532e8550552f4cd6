"""Targets: where the parts of a robot are to be for it to move as a person does.

Feet come first. Paths of feet and hips are scaled by the length of the legs, so that a
foot that stands still does so, and steps are as long for the legs as they were. Feet
are farther apart, or nearer, by as much as the robot's hips are, each by the same
amount while it stands. Arms keep the directions of their parts, whatever their lengths.
"""

from dataclasses import dataclass

import numpy as np

from backbeat.behaviors.library.runs import runs
from backbeat.behaviors.retargeting.human import HumanMotion, heading
from backbeat.behaviors.retargeting.human_feet import FootMotion, between
from backbeat.behaviors.retargeting.leg_room import SIGN, lowering, room_between
from backbeat.behaviors.retargeting.robot_parts import SIDES, RobotParts
from backbeat.behaviors.retargeting.skeleton_map import HEAD, PELVIS, TRUNK
from backbeat.models.collision.making import make_self_collision_model
from backbeat.models.robot.model import RobotModel
from backbeat.optimization.kinematics.frame_fit import FitTargets, FitTerms

# Usual deviations from targets: of feet and hips [m], of feet in tilt and yaw, pelvis,
# trunk and head [rad], of the directions of parts of arms [rad], and of joints from
# rest and from the sample before [rad].
FOOT, HIPS = 0.001, 0.02
FOOT_TILT, FOOT_YAW, PELVIS_TURN, TRUNK_TURN, HEAD_TURN = 0.01, 0.1, 0.05, 0.05, 0.2
ARM = {"upper arm": 0.1, "forearm": 0.1, "hand": 0.3}
REST, CHANGE, DAMPING = 3.0, 0.3, 1.0
# Distance of limbs from each other and the body, and usual deviation from that [m].
APART, TOUCHING = 0.01, 0.02
# Weights about the axes of a sole: where hips turn no further, feet do not drag them
# along. Those of a sole that rolls leave its roll out.
LEVEL = 1 / np.array([FOOT_TILT, FOOT_TILT, FOOT_YAW])
ROLLING = np.array([0.0, 1.0, 1.0])


@dataclass(frozen=True)
class ScaledTargets:
    """Targets of all samples.

    Attributes:
        terms: what has targets, and how closely it is to meet them.
        places: (n, a, 3) [m].
        turns: (n, b, 3, 3).
        segments: (n, c, 3) [m].
        scale: the robot's legs over the person's.
    """

    terms: FitTerms
    places: np.ndarray
    turns: np.ndarray
    segments: np.ndarray
    scale: float

    def at(self, i: int) -> FitTargets:
        """Those of one sample."""
        return FitTargets(self.places[i], self.turns[i], self.segments[i])


def scaled_targets(
    human: HumanMotion, robot: RobotModel, parts: RobotParts
) -> ScaledTargets:
    """What a robot of another size is to do.

    Args:
        human: what the person does.
        robot: the robot.
        parts: its parts.
    """
    scale = parts.leg / human.leg
    n, ones = len(human.t), np.ones(3)
    hips, ankles = _legs(human, robot, parts, scale)
    places, at = [(parts.hips, ones / HIPS)], [hips]
    turns, R = [(parts.hips, ones / PELVIS_TURN)], [human.turns[PELVIS]]
    for frame, part, deviation in (
        (parts.trunk, TRUNK, TRUNK_TURN),
        (parts.head, HEAD, HEAD_TURN),
    ):
        if frame is not None:
            turns.append((frame, ones / deviation))
            R.append(human.turns[part])
    for side in SIDES:
        contact = robot.contacts[robot.feet[side]]
        foot, sole = human.feet[side], parts.soles[side]
        places.append((sole, ones / FOOT))
        place = ankles[side] - foot.R @ parts.p_SA[side]
        at.append(_on_floor(place, foot, scale, contact.corners()))
        turns.append((sole, ROLLING * LEVEL if contact.rolls else LEVEL))
        R.append(foot.R)
    collisions = make_self_collision_model(robot, APART)
    segments, d = [], []
    for side in SIDES:
        for name, limb in parts.arms[side].items():
            segments.append((limb.start, limb.end, 1 / (ARM[name] * limb.length)))
            d.append(limb.length * human.arms[side][name])
    near = np.full(robot.num_velocities, np.hypot(1 / REST, 1 / CHANGE))
    near[: robot.base_velocities] = 0.0
    return ScaledTargets(
        FitTerms(places, turns, segments, near, DAMPING, collisions, 1 / TOUCHING),
        np.stack(at, axis=1),
        np.stack(R, axis=1),
        np.stack(d, axis=1) if d else np.zeros((n, 0, 3)),
        scale,
    )


def _legs(
    human: HumanMotion, robot: RobotModel, parts: RobotParts, scale: float
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """(n, 3) middle of the hips, and places of the ankles by side [m]."""
    yaw = heading(human)
    sole = robot.contacts[robot.feet[SIDES[0]]]
    wider = parts.half_hip - scale * human.half_hip
    for _ in range(2):
        ankles = {
            side: scale * human.feet[side].ankle
            + [0.0, 0.0, parts.ankle]
            + _aside(human.feet[side], yaw, SIGN[side] * wider)
            for side in SIDES
        }
        wider += room_between(
            ankles, yaw, sole.half_length, sole.half_width + 0.5 * APART
        )
    hips = scale * human.hips + [0.0, 0.0, parts.ankle]
    dt = float(human.t[1] - human.t[0])
    hips[:, 2] -= lowering(hips, human.turns[PELVIS], ankles, parts, dt)
    return hips, ankles


def _on_floor(
    place: np.ndarray, foot: FootMotion, scale: float, corners: np.ndarray
) -> np.ndarray:
    """(n, 3) a sole with its lowest corner as high as the person's [m]."""
    lowest = (foot.R @ corners.T)[:, 2].min(axis=1)
    return np.column_stack([place[:, :2], scale * foot.height - lowest])


def _aside(foot: FootMotion, yaw: np.ndarray, wider: float) -> np.ndarray:
    """(n, 3) what a foot is moved to its side, which stays while it stands [m]."""
    contacts = runs(foot.on)
    if contacts:
        middle = np.array([np.median(yaw[a:b]) for a, b in contacts])
        yaw = between(contacts, middle[:, None], len(yaw))[:, 0]
    return wider * np.stack([-np.sin(yaw), np.cos(yaw), np.zeros(len(yaw))], axis=1)
