"""Parts of a robot that a human skeleton has as well, found by role.

With all joints at zero a robot stands upright with straight legs and looks ahead. There
its pelvis, trunk, head and feet have the axes of the world: x ahead, y left, z up.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from backbeat.models.dynamics.frames import Frame
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration

SIDES = ("left", "right")
# Distance of a center of mass from a joint that tells where a limb points [m].
TELLING = 0.02
# Angles of a knee that are tried for the longest leg.
TRIED = 40


@dataclass(frozen=True)
class Limb:
    """A part of an arm: from one point to another.

    Attributes:
        start, end: frames at its ends.
        length: between them [m].
    """

    start: Frame
    end: Frame
    length: float


@dataclass(frozen=True)
class RobotParts:
    """Points and axes of a robot.

    Attributes:
        hips: frame between the hips, with the axes of the pelvis.
        trunk: frame with the axes of the trunk.
        head: the same of the head, None without a neck.
        soles: frames of the soles, by side.
        p_SA: (3,) place of the ankle's axis over each sole, by side [m].
        half_hip: from the middle of the hips to one side [m].
        leg: from hip to ankle with straight legs [m].
        ankle: height of the ankle over the sole [m].
        arms: parts of each arm, by side: "upper arm", "forearm" and maybe "hand".
    """

    hips: Frame
    trunk: Frame
    head: Frame | None
    soles: Mapping[str, Frame]
    p_SA: Mapping[str, np.ndarray]
    half_hip: float
    leg: float
    ankle: float
    arms: Mapping[str, Mapping[str, Limb]]


def find_parts(robot: RobotModel) -> RobotParts:
    """Parts of a robot with two legs.

    Raises:
        BackbeatError: it has not two soles, or its YAML does not say which joints are
            its hips, knees and ankles.
    """
    q = _zeros(robot)
    state = Configuration(robot, q)
    soles = {side: robot.frame(robot.feet[side]) for side in SIDES}
    ankles = {side: state.place(_link(robot, f"{side} ankle")) for side in SIDES}
    hips = {side: _hip(robot, state, side) for side in SIDES}
    pelvis = int(robot.tree.parent[robot.roles.joints("left hip")[0]])
    middle = 0.5 * (hips["left"] + hips["right"])
    # Legs may lean at zero angles; straight ones are as long as they get.
    p_SA = {
        side: state.rotation(soles[side]).T @ (ankles[side] - state.place(soles[side]))
        for side in SIDES
    }
    neck = "neck" in robot.roles and len(robot.roles.joints("neck")) > 0
    return RobotParts(
        hips=_upright(state, pelvis, middle),
        trunk=_upright_at(state, robot.trunk),
        head=_upright_at(state, _link(robot, "neck")) if neck else None,
        soles=soles,
        p_SA=p_SA,
        half_hip=0.5 * float(hips["left"][1] - hips["right"][1]),
        leg=_longest_leg(robot, q, hips["left"]),
        ankle=float(p_SA["left"][2]),
        arms={side: _arm(robot, state, side) for side in SIDES},
    )


def _link(robot: RobotModel, role: str) -> Frame:
    """Frame of the link that a role moves; its origin is on the joint's axis."""
    return robot.link_frame(robot.roles.link(role))


def _zeros(robot: RobotModel) -> np.ndarray:
    q = np.zeros(robot.num_positions)
    if robot.floating:
        q[0] = 1.0
    return q


def _hip(robot: RobotModel, state: Configuration, side: str) -> np.ndarray:
    """(3,) where a leg begins: over its ankle, at the height of the hip's pitch."""
    role = f"{side} hip pitch"
    link = _link(robot, role if role in robot.roles else f"{side} hip")
    place = state.place(_link(robot, f"{side} ankle"))
    return np.array([place[0], place[1], state.place(link)[2]])


def _longest_leg(robot: RobotModel, q: np.ndarray, hip: np.ndarray) -> float:
    """From hip to ankle with the knee where this is longest [m]."""
    state, knee = Configuration(robot, q), robot.roles.joints("left knee")[-1]
    lower, upper = robot.position_lower[knee], robot.position_upper[knee]
    ankle, found = _link(robot, "left ankle"), []
    for angle in np.linspace(lower, upper, TRIED):
        bent = q.copy()
        bent[robot.base_positions + knee] = angle
        place = state.update(bent).place(ankle)
        found.append(float(np.linalg.norm(place - hip)))
    return max(found)


def _upright(state: Configuration, body: int, place: np.ndarray) -> Frame:
    """A frame on a body that has the axes of the world at zero angles."""
    same = Frame("", body, np.eye(3), np.zeros(3))
    R, p = state.rotation(same), state.place(same)
    return Frame("", body, np.ascontiguousarray(R.T), R.T @ (place - p))


def _upright_at(state: Configuration, frame: Frame) -> Frame:
    return _upright(state, frame.body, state.place(frame))


def _arm(robot: RobotModel, state: Configuration, side: str) -> dict[str, Limb]:
    """Parts of an arm; none where the robot has none."""
    roles = robot.roles
    if f"{side} shoulder" not in roles or f"{side} elbow" not in roles:
        return {}
    shoulder = _link(robot, f"{side} shoulder")
    elbow = _link(robot, f"{side} elbow")
    arm = {"upper arm": _limb(state, shoulder, elbow)}
    wrist, last = elbow, _link(robot, f"{side} arm")
    for role in (f"{side} wrist pitch", f"{side} wrist"):
        if role in roles and wrist is elbow:
            wrist = _link(robot, role)
    if wrist is elbow:
        return arm | _toward_mass(robot, state, elbow, "forearm")
    arm["forearm"] = _limb(state, elbow, wrist)
    return arm | _toward_mass(robot, state, last, "hand")


def _limb(state: Configuration, start: Frame, end: Frame) -> Limb:
    length = np.linalg.norm(state.place(end) - state.place(start))
    return Limb(start, end, float(length))


def _toward_mass(
    robot: RobotModel, state: Configuration, start: Frame, name: str
) -> dict[str, Limb]:
    """The last part of a limb: from its joint to the center of what that moves."""
    center = np.asarray(robot.tree.p_BoBcm[start.body])
    end = Frame("", start.body, start.R_PF, center)
    limb = _limb(state, start, end)
    return {name: limb} if limb.length > TELLING else {}
