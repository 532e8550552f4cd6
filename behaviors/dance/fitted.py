"""Moves fitted to a robot: joints that they name and it lacks, taken by role.

The moves that ship turn joints of the robot that they were written for. On a robot that
has none of these names the joints of the same roles turn in their place, by the same
angles, and the same way: a joint of an arm such that the hand goes where it would go,
any other about the same axis. What has no such joint is left out, and said.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from backbeat.behaviors.dance.arrangement import mirrored
from backbeat.behaviors.dance.vocabulary.expression import Expression
from backbeat.behaviors.dance.vocabulary.move import (
    BOTH,
    TASK_CHANNELS,
    Curve,
    Move,
)
from backbeat.behaviors.library.behavior import Mount, make_robot
from backbeat.behaviors.motion.authored import Authored
from backbeat.models.dynamics.frames import Frame
from backbeat.models.robot.description import load_description
from backbeat.models.robot.model import RobotModel
from backbeat.models.robot.roles import SINGLE
from backbeat.models.state.configuration import Configuration

# Cosine of the angle between two ways, up to which a joint is no like of another.
LIKE = 0.3
# Posture in which the moves that ship were written.
POSTURE = "stand"
_OTHER = {"most": "least", "least": "most"}


class Turned(NamedTuple):
    """The joint that turns in place of another robot's.

    Attributes:
        joint: its name.
        sign: 1 where it turns the same way, else -1.
    """

    joint: str
    sign: float


class Likes:
    """Joints of a robot by those of the robot that moves were written for."""

    def __init__(self, robot: RobotModel, q: np.ndarray, writer: str = "") -> None:
        """Prepares.

        Args:
            robot: the robot.
            q: (nq,) posture that turns are added to.
            writer: robot that moves were written for; "" for the usual one.
        """
        self.writer = make_robot(writer or Authored.robot, (), Mount())
        self._state = Configuration(robot, q)
        posture = POSTURE if POSTURE in self.writer.posture_names else ""
        q_there = self.writer.posture(posture or self.writer.posture_names[0])
        self._there = Configuration(self.writer, q_there)
        yaml = load_description(robot.description)
        self._known = {*robot.joint_names, *TASK_CHANNELS, *yaml.aliases}
        single = [r for r in self.writer.roles if r in SINGLE or r.endswith("elbow")]
        self._roles = {self.writer.roles.names(role)[-1]: role for role in single}

    def has(self, channel: str) -> bool:
        """Whether the robot has a channel of a move itself."""
        if channel.startswith(BOTH):
            channel = f"l_{channel.removeprefix(BOTH)}"
        return channel in self._known

    def of(self, channel: str) -> Turned | None:
        """The joint that turns in place of another; None if there is none."""
        role, robot = self._roles.get(channel), self._state.robot
        if role is None or role not in robot.roles:
            return None
        joint = robot.roles.names(role)[-1]
        if joint not in robot.joint_names:
            return None  # It is locked.
        along = float(_way(self._there, channel, role) @ _way(self._state, joint, role))
        return None if abs(along) < LIKE else Turned(joint, float(np.sign(along)))

    def sides(self, channel: str) -> dict[str, float]:
        """Channels of one side by one of both, and their signs."""
        left = {f"l_{channel.removeprefix(BOTH)}": np.ones(1)}
        if not set(left) <= {*self.writer.joint_names}:
            return {}
        parts = left | mirrored(left, self.writer)
        return {name: float(value[0]) for name, value in parts.items()}


def _way(state: Configuration, joint: str, role: str) -> np.ndarray:
    """(3,) way of a joint, of length one: that of its limb's end, or its axis."""
    robot = state.robot
    column = robot.base_velocities + robot.joint_index(joint)
    side, _, part = role.partition(" ")
    arm = f"{side} arm"
    if arm in robot.roles and part.partition(" ")[0] in ("shoulder", "elbow"):
        body = robot.link_frame(robot.roles.link(arm)).body
        center = np.array(robot.tree.p_BoBcm[body])
        way = state.jacobian(Frame("hand", body, np.eye(3), center))[3:, column]
    else:
        frame = robot.link_frame(robot.roles.link(role))
        way = state.jacobian(frame)[:3, column]
    return np.asarray(way / max(float(np.linalg.norm(way)), 1e-9))


def fitted_moves(
    moves: Mapping[str, Move], robot: RobotModel, q_start: np.ndarray
) -> tuple[dict[str, Move], tuple[str, ...]]:
    """Moves with the joints of a robot, and what was left out of each.

    Args:
        moves: moves that a dance has, by name.
        robot: the robot.
        q_start: (nq,) posture that they are added to.

    Returns:
        The moves; those of which a robot has all joints are the same objects.
    """
    yaml = load_description(robot.description)
    known = {*robot.joint_names, *TASK_CHANNELS, *yaml.aliases}
    if all(_plain(c) in known for move in moves.values() for c in move.curves):
        return dict(moves), ()
    likes, found, notes = Likes(robot, q_start), {}, []
    for name, move in moves.items():
        found[name], lost = _fitted(move, likes)
        if lost:
            notes.append(f"{name} goes without {', '.join(lost)}")
    return found, tuple(notes)


def _plain(channel: str) -> str:
    """A channel, or the left one of both sides."""
    return f"l_{channel.removeprefix(BOTH)}" if channel.startswith(BOTH) else channel


def _fitted(move: Move, likes: Likes) -> tuple[Move, list[str]]:
    """A move with other joints, and the channels that have none."""
    if all(likes.has(channel) for channel in move.curves):
        return move, []
    curves: dict[str, Curve] = {}
    lost, marker = [], move.marker
    for channel, curve in _one_sided(move.curves, likes).items():
        if likes.has(channel):
            curves[channel] = curve
            continue
        like = likes.of(channel)
        if like is None or like.joint in curves:
            lost.append(channel)
            continue
        curves[like.joint] = curve if like.sign > 0 else _negated(curve)
        if marker is not None and marker.channel == channel:
            extreme = marker.extreme if like.sign > 0 else _OTHER[marker.extreme]
            marker = replace(marker, channel=like.joint, extreme=extreme)
    if marker is not None and marker.channel in lost:
        marker = None
    return replace(move, curves=curves, marker=marker, apart={}), lost


def _one_sided(curves: Mapping[str, Curve], likes: Likes) -> dict[str, Curve]:
    """Curves with those of both sides taken apart, as they mirror each other."""
    found: dict[str, Curve] = {}
    for channel, curve in curves.items():
        parts = {} if likes.has(channel) else likes.sides(channel)
        if not channel.startswith(BOTH) or not parts:
            found[channel] = curve
            continue
        for name, sign in parts.items():
            found[name] = curve if sign > 0 else _negated(curve)
    return found


def _negated(curve: Curve) -> Curve:
    values = (
        Expression(-v.constant, tuple((n, -f) for n, f in v.factors))
        for v in curve.values
    )
    return replace(curve, values=tuple(values))
