"""Retargeting of a skeleton: joint angles of a robot, sample by sample.

Every sample starts at the one before, and may differ from it by no more than joints
move in the time between. Joints keep away from their stops.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from backbeat.behaviors.retargeting.bvh import read_bvh
from backbeat.behaviors.retargeting.human import HumanMotion, read_human
from backbeat.behaviors.retargeting.robot_parts import SIDES, RobotParts, find_parts
from backbeat.behaviors.retargeting.skeleton_map import SkeletonMap
from backbeat.behaviors.retargeting.targets import (
    CHANGE,
    REST,
    ScaledTargets,
    scaled_targets,
)
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.kinematics.frame_fit import FrameFit

# Distance from joint stops, and the least bend of a knee [rad].
STOP, BENT = 0.05, 0.1
# Share of the joints' speed limits that is used.
SPEED = 0.95
# Steps of the first sample and of all others, and their largest entries [rad or m].
FIRST, NEXT = 100, 4
LARGE, SMALL = 0.2, 0.5
# The posture in which joints rest.
RESTING = "stand"
# How much nearer to the sample before than to the posture at rest joints are to be.
CHANGED = CHANGE**-2 / (CHANGE**-2 + REST**-2)
# What is worth a word: a foot so far from where it should be [m], and a joint so long
# at its stop, as a share of the time.
AWAY, HELD = 0.01, 0.02


@dataclass(frozen=True)
class SkeletonTake:
    """What a robot does as the person did.

    Attributes:
        t: (n,) times [s].
        q: (n, nq) configurations.
        on: (n,) whether the person's foot is on the floor, by side.
        scale: the robot's legs over the person's.
        notes: sentences on what was read and found.
    """

    t: np.ndarray
    q: np.ndarray
    on: dict[str, np.ndarray]
    scale: float
    notes: tuple[str, ...]


def retarget_file(
    path: str | Path, robot: RobotModel, own: SkeletonMap | None = None
) -> SkeletonTake:
    """The motion of a BVH file as a robot's.

    Args:
        path: the file.
        robot: the robot.
        own: a user's map of the skeleton; None for those that ship.

    Raises:
        BackbeatError: what is wrong with the file, its skeleton or the robot.
    """
    return retarget_skeleton(read_human(read_bvh(path), str(path), own), robot)


def retarget_skeleton(human: HumanMotion, robot: RobotModel) -> SkeletonTake:
    """A person's motion as a robot's.

    Args:
        human: what the person does.
        robot: the robot, which has two legs and a floating base.

    Raises:
        BackbeatError: the robot has no legs to do it with.
    """
    if not robot.floating:
        raise BackbeatError(
            f"{robot.name} is fixed to the ground, and a person walks; take a robot "
            "with legs"
        )
    parts = find_parts(robot)
    targets = scaled_targets(human, robot, parts)
    q = follow(robot, targets, float(human.t[1] - human.t[0]))
    return SkeletonTake(
        human.t,
        q,
        {side: human.feet[side].on for side in SIDES},
        targets.scale,
        (*human.notes, *_notes(robot, parts, targets, human.t, q)),
    )


def follow(robot: RobotModel, targets: ScaledTargets, dt: float) -> np.ndarray:
    """(n, nq) configurations that follow targets, within the joints' limits.

    Args:
        robot: the robot.
        targets: what is followed.
        dt: time between samples [s].
    """
    q = robot.posture(RESTING)
    fit, rest = FrameFit(robot, targets.terms), q.copy()
    lower, upper = joint_bounds(robot)
    nq = robot.base_positions
    q[nq:] = np.clip(q[nq:], lower, upper)
    _face(q, targets)
    q = fit.fit(q, rest, targets.at(0), (lower, upper), FIRST, LARGE)
    out, reach = np.empty((len(targets.places), len(q))), SPEED * dt
    for i in range(len(out)):
        bounds = (
            np.maximum(lower, q[nq:] - reach * robot.velocity_limits),
            np.minimum(upper, q[nq:] + reach * robot.velocity_limits),
        )
        near = rest + CHANGED * (q - rest)
        q = fit.fit(q, near, targets.at(i), bounds, NEXT, SMALL)
        # A step may end the breadth of rounding beyond a bound.
        q[nq:] = np.clip(q[nq:], *bounds)
        out[i] = q
    return out


def _face(q: np.ndarray, targets: ScaledTargets) -> None:
    """Puts an upright robot where the first sample has it."""
    q[4:6] += targets.places[0, 0, :2]


def joint_bounds(robot: RobotModel) -> tuple[np.ndarray, np.ndarray]:
    """(nj,) least and largest positions of joints [rad or m]."""
    lower, upper = robot.position_lower.copy(), robot.position_upper.copy()
    room = np.minimum(STOP, 0.25 * (upper - lower))
    lower, upper = lower + room, upper - room
    for side in SIDES:
        found = robot.roles.turning(f"{side} knee")
        if found is None:
            continue
        name, sign = found
        j = robot.joint_index(name)
        # A straight leg can neither rise nor say where its knee goes next.
        if sign > 0:
            lower[j] = max(lower[j], BENT)
        else:
            upper[j] = min(upper[j], -BENT)
    return lower, upper


def _notes(
    robot: RobotModel,
    parts: RobotParts,
    targets: ScaledTargets,
    t: np.ndarray,
    q: np.ndarray,
) -> list[str]:
    """What is not as the person did it."""
    notes = [f"lengths are {targets.scale:.3f} of the person's, as those of the legs"]
    state = Configuration(robot, q[0])
    place = {side: np.empty((len(q), 3)) for side in SIDES}
    for i, row in enumerate(q):
        state.update(row)
        for side in SIDES:
            place[side][i] = state.place(parts.soles[side])
    for k, side in enumerate(SIDES, 1):
        away = np.linalg.norm(place[side] - targets.places[:, k], axis=1)
        i = int(away.argmax())
        if away[i] > AWAY:
            notes.append(
                f"the {side} foot is up to {1000 * away[i]:.0f} mm away from where the "
                f"person's was, at {t[i]:.2f} s"
            )
    lower, upper = joint_bounds(robot)
    joints = q[:, robot.base_positions :]
    held = ((joints < lower + 1e-6) | (joints > upper - 1e-6)).mean(axis=0)
    knees = {robot.roles.turning(f"{side} knee") for side in SIDES}
    straight = {found[0] for found in knees if found is not None}
    names = [
        f"{robot.joint_names[j]} {100 * held[j]:.0f} %"
        for j in np.argsort(-held)
        if held[j] > HELD and robot.joint_names[j] not in straight
    ]
    if names:
        notes.append(f"joints at their stops, by share of time: {', '.join(names[:6])}")
    return notes
