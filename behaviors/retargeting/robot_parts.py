"""Parts of a robot that a human skeleton has as well, found by role.

With all joints at zero a robot stands upright with straight legs and looks ahead. There
its pelvis, trunk, head and feet have the axes of the world: x ahead, y left, z up.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from backbeat.models.dynamics.frames import Frame
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration

SIDES = ("left", "right")
# Angles of a knee or elbow that are tried for the straightest limb.
TRIED = 60


@dataclass(frozen=True)
class ArmPart:
    """A part of an arm, as a direction on a body of the robot.

    Straight arms of robots have kinks. The direction of each of their parts is that of
    the whole arm, from shoulder to wrist, where the elbow bends least.

    Attributes:
        start, end: frames on its body; it points from the one to the other.
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
    arms: Mapping[str, Mapping[str, ArmPart]]


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
        arms={side: _arm(robot, q, side) for side in SIDES},
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
    state, ankle = Configuration(robot, q), _link(robot, "left ankle")
    knee = int(robot.roles.joints("left knee")[-1])
    straight = _straightest(
        robot, q, knee, lambda bent: state.update(bent).place(ankle) - hip
    )
    return float(np.linalg.norm(state.update(straight).place(ankle) - hip))


def _straightest(
    robot: RobotModel,
    q: np.ndarray,
    joint: int,
    reach: Callable[[np.ndarray], np.ndarray],
) -> np.ndarray:
    """(nq,) a configuration with a joint where a limb reaches farthest.

    Args:
        robot: the robot.
        q: (nq,) what is otherwise the same.
        joint: index of the joint.
        reach: (3,) from one end of the limb to the other, at a configuration [m].
    """
    low, high = robot.position_lower[joint], robot.position_upper[joint]
    tried = np.repeat(q[None], TRIED, axis=0)
    tried[:, robot.base_positions + joint] = np.linspace(low, high, TRIED)
    return max(tried, key=lambda bent: float(np.linalg.norm(reach(bent))))


def _upright(state: Configuration, body: int, place: np.ndarray) -> Frame:
    """A frame on a body that has the axes of the world at zero angles."""
    same = Frame("", body, np.eye(3), np.zeros(3))
    R, p = state.rotation(same), state.place(same)
    return Frame("", body, np.ascontiguousarray(R.T), R.T @ (place - p))


def _upright_at(state: Configuration, frame: Frame) -> Frame:
    return _upright(state, frame.body, state.place(frame))


def _arm(robot: RobotModel, q: np.ndarray, side: str) -> dict[str, ArmPart]:
    """Parts of an arm; none where the robot has none."""
    roles = robot.roles
    bends = f"{side} elbow" in roles
    elbows = roles.joints(f"{side} elbow") if bends else np.zeros(0, int)
    if f"{side} shoulder" not in roles or not len(elbows):
        return {}
    shoulder, elbow = (_link(robot, f"{side} {n}") for n in ("shoulder", "elbow"))
    end = Frame("", elbow.body, elbow.R_PF, np.array(robot.tree.p_BoBcm[elbow.body]))
    bodies = {"upper arm": int(robot.tree.parent[elbows[-1]]), "forearm": elbow.body}
    for role in (f"{side} wrist pitch", f"{side} wrist"):
        if role in roles and "hand" not in bodies:
            end, last = _link(robot, role), _link(robot, f"{side} arm")
            bodies["hand"] = last.body
    state = Configuration(robot, q)

    def reach(bent: np.ndarray) -> np.ndarray:
        state.update(bent)
        return np.asarray(state.place(end) - state.place(shoulder))

    line = reach(_straightest(robot, q, int(elbows[-1]), reach))
    upper, lower = (
        float(np.linalg.norm(state.place(b) - state.place(a)))
        for a, b in ((shoulder, elbow), (elbow, end))
    )
    length = {"upper arm": upper, "forearm": lower, "hand": lower}
    return {
        name: _along(state, body, line / np.linalg.norm(line), length[name])
        for name, body in bodies.items()
    }


def _along(state: Configuration, body: int, way: np.ndarray, length: float) -> ArmPart:
    """A part of a limb on a body, along a direction in the world [m]."""
    start = Frame("", body, np.eye(3), np.zeros(3))
    end = Frame("", body, np.eye(3), length * (state.rotation(start).T @ way))
    return ArmPart(start, end, length)
