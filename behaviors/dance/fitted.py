"""Moves fitted to a robot: joints of Atlas that they name, taken by role.

The moves that ship turn joints of Atlas. On a robot that has no joints of these names
the joints of the same role turn in their place, by the same angles and the same way
about an axis of the body: `l_arm_elx` bends the left elbow. What has no such joint is
left out, and said.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from backbeat.behaviors.dance.vocabulary.expression import Expression
from backbeat.behaviors.dance.vocabulary.move import (
    BOTH,
    TASK_CHANNELS,
    Curve,
    Move,
)
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration

# By joint of Atlas: the role of its like, and the axis of the base about which the part
# beyond it turns while the arms hang.
CHANNELS: dict[str, tuple[str, tuple[float, float, float]]] = {
    "back_bkz": ("waist yaw", (0.0, 0.0, 1.0)),
    "back_bky": ("waist pitch", (0.0, 1.0, 0.0)),
    "back_bkx": ("waist roll", (1.0, 0.0, 0.0)),
    "neck_ay": ("neck pitch", (0.0, 1.0, 0.0)),
    "l_arm_shz": ("left shoulder pitch", (0.0, 1.0, 0.0)),
    "r_arm_shz": ("right shoulder pitch", (0.0, -1.0, 0.0)),
    "l_arm_shx": ("left shoulder roll", (1.0, 0.0, 0.0)),
    "r_arm_shx": ("right shoulder roll", (1.0, 0.0, 0.0)),
    "l_arm_elx": ("left elbow", (0.0, -1.0, 0.0)),
    "r_arm_elx": ("right elbow", (0.0, 1.0, 0.0)),
}
# Cosine of the angle between that axis and the joint's, up to which it is no like.
LIKE = 0.4
# What changes its sign on Atlas when left and right are exchanged.
_FLIPPED = ("shz", "shx", "elx", "mwx")
_OTHER = {"most": "least", "least": "most"}


class Turned(NamedTuple):
    """The joint that turns in place of one of Atlas.

    Attributes:
        joint: its name.
        sign: 1 where it turns the same way, else -1.
    """

    joint: str
    sign: float


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
    known = {*robot.joint_names, *TASK_CHANNELS, *robot.aliases}
    state = Configuration(robot, q_start)
    found, notes = {}, []
    for name, move in moves.items():
        if all(_is_known(channel, known) for channel in move.curves):
            found[name] = move
            continue
        found[name], lost = _fitted(move, state, known)
        if lost:
            notes.append(f"{name} goes without {', '.join(lost)}")
    return found, tuple(notes)


def _is_known(channel: str, known: set[str]) -> bool:
    if channel.startswith(BOTH):
        channel = f"l_{channel.removeprefix(BOTH)}"
    return channel in known


def _fitted(
    move: Move, state: Configuration, known: set[str]
) -> tuple[Move, list[str]]:
    """A move with other joints, and the channels that have none."""
    curves: dict[str, Curve] = {}
    lost, marker = [], move.marker
    for channel, curve in _one_sided(move.curves, known).items():
        if channel in known:
            curves[channel] = curve
            continue
        like = like_of(channel, state)
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


def _one_sided(curves: Mapping[str, Curve], known: set[str]) -> dict[str, Curve]:
    """Curves with those of both sides taken apart, as Atlas mirrors them."""
    found: dict[str, Curve] = {}
    for channel, curve in curves.items():
        if not channel.startswith(BOTH) or _is_known(channel, known):
            found[channel] = curve
            continue
        part = channel.removeprefix(BOTH)
        found[f"l_{part}"] = curve
        found[f"r_{part}"] = _negated(curve) if part.endswith(_FLIPPED) else curve
    return found


def _negated(curve: Curve) -> Curve:
    values = (
        Expression(-v.constant, tuple((n, -f) for n, f in v.factors))
        for v in curve.values
    )
    return replace(curve, values=tuple(values))


def like_of(channel: str, state: Configuration) -> Turned | None:
    """The joint that turns in place of one of Atlas; None if there is none.

    Args:
        channel: joint of Atlas.
        state: the robot in the posture that its turn is added to.
    """
    if channel not in CHANNELS:
        return None
    role, axis = CHANNELS[channel]
    robot = state.robot
    if role not in robot.roles:
        return None
    joint = robot.roles.names(role)[-1]
    if joint not in robot.joint_names:
        return None  # It is locked.
    # Of a frame beyond it, the column of a hinge is its axis.
    frame = robot.link_frame(robot.roles.link(role))
    column = robot.base_velocities + robot.joint_index(joint)
    along = float(state.jacobian(frame)[:3, column] @ np.array(axis))
    return None if abs(along) < LIKE else Turned(joint, float(np.sign(along)))
