"""Kits at the size of the robot that plays them.

Kit files have the places of drums for a drummer of one size. For another one, what
hands play keeps its place from the shoulders, in units of the reach, what a foot plays
its place from the heel, in lengths of the foot, and the chair is as high as the robot
sits.
"""

from dataclasses import dataclass

import numpy as np
from pydrake.math import RigidTransform

from backbeat.behaviors.drumming.drummer import (
    elbow,
    shoulder,
    stick,
    stick_tip,
    wrist,
)
from backbeat.behaviors.music.notation.score import HANDS
from backbeat.models.common.errors import BackbeatError
from backbeat.models.kit.description import resized_text
from backbeat.models.kit.resizing import AS_WRITTEN, Resizing
from backbeat.models.robot.description import find_description, load_description
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration

# The contact to sit with, and the equipment that it comes with.
SEAT = "seat"
# What a drummer carries, and the postures to start from, standing and seated.
STICKS, READY, READY_SEATED = "sticks", "drum-ready", "drum-ready-seated"
# Digits of a stick's length that are kept: it is the same in both hands [m].
DIGITS = 6


@dataclass(frozen=True)
class Drummer:
    """Where the body of a drummer is, from the floor under the pelvis.

    Attributes:
        pelvis: height of its origin, seated [m].
        shoulders: (3,) middle of both; of the usual drummer, with arms that hang [m].
        seat: height of what it sits on [m].
        heel: (3,) of the left foot on the floor, seated [m].
        foot: length of a sole [m].
    """

    pelvis: float
    shoulders: tuple[float, float, float]
    seat: float
    heel: tuple[float, float, float]
    foot: float


# The drummer that kits are written for.
USUAL_DRUMMER = Drummer(0.65, (0.15, 0.0, 1.0946), 0.50, (0.324, 0.14, 0.0), 0.2604)


def stick_length(robot: RobotModel, hand: str) -> float:
    """From the grip of a hand's stick to its tip [m]."""
    grip, tip = (robot.frame(name).p_PF for name in (stick(hand), stick_tip(hand)))
    return round(float(np.linalg.norm(tip - grip)), DIGITS)


def reach(robot: str) -> float:
    """From shoulder to elbow to wrist to the tip of the stick, the shorter arm's [m].

    Args:
        robot: name of the robot, or path of its YAML.

    Raises:
        BackbeatError: it has no sticks, or no arms by role.
    """
    description = load_description(find_description(robot))
    if STICKS not in description.equipment or READY not in description.postures:
        raise BackbeatError(
            f"{description.name} has no sticks to drum with: its YAML needs the "
            f"equipment {STICKS} and the posture {READY}"
        )
    model = RobotModel(robot, (STICKS,))
    state = Configuration(model, model.posture(READY))

    def length(hand: str) -> float:
        links = [part(model, hand) for part in (shoulder, elbow, wrist)]
        places = [state.place(name) for name in (*links, stick_tip(hand))]
        return float(np.linalg.norm(np.diff(places, axis=0), axis=1).sum())

    return min(map(length, HANDS))


def drummer_of(
    robot: RobotModel, posture: np.ndarray, scale: float, seated: bool
) -> Drummer:
    """Where a robot's body is.

    Args:
        robot: the robot.
        posture: (nq,) in which it drums.
        scale: of its reach to that of the usual drummer.
        seated: whether it sits; on its feet, seat and heels are of no account.
    """
    usual = USUAL_DRUMMER
    state = Configuration(robot, posture)
    pelvis = float(posture[6]) if seated else scale * usual.pelvis
    places = [state.place(shoulder(robot, hand)) for hand in HANDS]
    middle = np.mean(places, axis=0) - posture[4:7]
    shoulders = (float(middle[0]), float(middle[1]), pelvis + float(middle[2]))
    if not seated:
        return Drummer(pelvis, shoulders, scale * usual.seat, usual.heel, usual.foot)
    sole = robot.contacts[robot.feet["left"]]
    back = RigidTransform([-sole.half_length, 0.0, 0.0])
    heel = (state.pose(robot.feet["left"]) @ back).translation() - posture[4:7]
    seat = float(state.place(SEAT)[2])
    place = (float(heel[0]), float(heel[1]), 0.0)
    return Drummer(pelvis, shoulders, seat, place, 2.0 * sole.half_length)


def kit_at_size(text: str, scale: float, drummer: Drummer) -> str:
    """A kit for a drummer, as text.

    Args:
        text: of the kit as it is written, see `kit_text`.
        scale: of the reach to that of the usual drummer.
        drummer: the one that plays it.

    Raises:
        BackbeatError: a member or the chair gets a size that none has.
    """
    feet = {}
    for side, sign in (("left", 1.0), ("right", -1.0)):
        ends = [(x, sign * y, z) for x, y, z in (USUAL_DRUMMER.heel, drummer.heel)]
        feet[side] = Resizing(drummer.foot / USUAL_DRUMMER.foot, *ends)
    chair = Resizing(drummer.seat / USUAL_DRUMMER.seat)
    return resized_text(text, hands_at_size(scale, drummer), feet, chair)


def hands_at_size(scale: float, drummer: Drummer) -> Resizing:
    """What becomes of places that hands get to."""
    if scale == 1.0:
        return AS_WRITTEN
    return Resizing(scale, USUAL_DRUMMER.shoulders, drummer.shoulders)
