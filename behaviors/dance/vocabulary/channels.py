"""Channels: what a move adds to, as joints of a robot."""

from collections.abc import Iterable

import numpy as np

from backbeat.behaviors.dance.vocabulary.move import (
    BOTH,
    BOTH_TURNS,
    TASK_CHANNELS,
    Move,
    Offsets,
)
from backbeat.models.common.errors import unknown_name
from backbeat.models.robot.model import RobotModel
from backbeat.models.robot.roles import FLIPPED, TURNING


def mirror_map(robot: RobotModel) -> tuple[np.ndarray, np.ndarray]:
    """(nj,) joint that each joint takes its angle from, and (nj,) its sign.

    Raises:
        BackbeatError: the robot YAML does not say how its sides mirror.
    """
    n = robot.num_joints
    q = np.zeros(robot.num_positions)
    q[0] = 1.0 if robot.floating else 0.0
    q[robot.base_positions :] = np.arange(1, n + 1)
    out = robot.mirrored(q)[robot.base_positions :]
    return np.abs(out).astype(int) - 1, np.sign(out)


def mirrored(offsets: Offsets, robot: RobotModel) -> Offsets:
    """Offsets with left and right exchanged; twice is once none at all."""
    source, sign = mirror_map(robot)
    out: Offsets = {}
    for channel, offset in offsets.items():
        if channel in TASK_CHANNELS:
            flips = channel in ("com.y", "pelvis.rx", "pelvis.rz")
            out[channel] = -offset if flips else offset
            continue
        j = robot.joint_index(channel)
        # The joint that takes its angle from this one.
        i = int(np.flatnonzero(source == j)[0])
        out[robot.joint_names[i]] = sign[i] * offset
    return out


def joint_offsets(offsets: Offsets, robot: RobotModel) -> Offsets:
    """Offsets by joint, turns and channels of both sides taken apart.

    Turns that the robot has no joint for are left out, see `missing_turns`.

    Raises:
        BackbeatError: there is no such joint, or no such turn.
    """
    out: Offsets = {}
    for channel, offset in offsets.items():
        if channel in TASK_CHANNELS:
            parts = {channel: offset}
        elif " " in channel:
            parts = {}
            for role, side in turns(channel):
                found = robot.roles.turning(role)
                if found is not None:
                    parts[found[0]] = found[1] * side * offset
        elif channel.startswith(BOTH):
            left = {f"l_{channel.removeprefix(BOTH)}": offset}
            parts = left | mirrored(left, robot)
        else:
            parts = {channel: offset}
        for name, part in parts.items():
            if name not in TASK_CHANNELS:
                robot.joint_index(name)
            out[name] = out.get(name, 0.0) + part
    return out


def turns(channel: str) -> list[tuple[str, float]]:
    """Roles of joints that a channel turns, each with a sign.

    Raises:
        BackbeatError: it is no turn of a joint.
    """
    if channel.startswith(BOTH_TURNS):
        turn = channel.removeprefix(BOTH_TURNS)
        right = -1.0 if turn.endswith(FLIPPED) else 1.0
        found = [(f"left {turn}", 1.0), (f"right {turn}", right)]
    else:
        found = [(channel, 1.0)]
    if found[0][0] not in TURNING:
        both = [f"{BOTH_TURNS}{t[5:]}" for t in TURNING if t.startswith("left ")]
        raise unknown_name("turn of a joint", channel, (*TURNING, *both))
    return found


def missing_turns(moves: Iterable[Move], robot: RobotModel) -> list[str]:
    """Sentences on turns of moves that a robot has no joint for."""
    lacking: dict[str, list[str]] = {}
    for move in {move.name: move for move in moves}.values():
        for channel in move.curves:
            if channel in TASK_CHANNELS or " " not in channel:
                continue
            for role, _ in turns(channel):
                if robot.roles.turning(role) is None:
                    lacking.setdefault(role, []).append(move.name)
    return [
        f"{robot.name} has no joint for {role}, and leaves it out of "
        f"{', '.join(dict.fromkeys(moves))}"
        for role, moves in lacking.items()
    ]
