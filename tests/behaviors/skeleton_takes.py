"""Takes of human skeletons in BVH whose true motion is known: that of a robot.

A skeleton of human names is put onto a robot's motion: its hips, ankles, trunk and the
directions of its arms are the robot's, at the size of a person. Bones are rigid, knees
follow by the law of cosines, and every number may have noise.
"""

import json
import warnings
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from backbeat.behaviors.retargeting.robot_parts import SIDES, RobotParts, find_parts
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration

SIGN = {"left": 1.0, "right": -1.0}
# Toe from ankle, in legs.
TOE = np.array([0.17, 0.0, -0.05])
LAFAN1 = {
    "pelvis": "Hips",
    "spine": "Spine",
    "trunk": "Spine2",
    "head": "Head",
    "hip": "UpLeg",
    "knee": "Leg",
    "ankle": "Foot",
    "toe": "Toe",
    "shoulder": "Arm",
    "elbow": "ForeArm",
    "wrist": "Hand",
}
_INNER = ("Leg", "ForeArm", "Hand")
CMU = LAFAN1 | {"trunk": "Spine1", "toe": "ToeBase"}


@dataclass
class Style:
    """How a skeleton is written.

    Attributes:
        names: of joints by part.
        leg: of the person, from hip to ankle [m].
        unit: meters of a unit of length.
        up: index of the axis that points up.
        frames: seed of the axes of joints at rest; None for those of a person upright.
        noise: standard deviations of places [m] and angles [rad].
        arms: lengths of arms over the robot's at that size.
        hips: width of the hips over the robot's at that size.
        order: of Euler angles.
        lift: how far above zero the floor is [m].
    """

    names: dict[str, str] = field(default_factory=lambda: LAFAN1)
    leg: float = 0.85
    unit: float = 0.01
    up: int = 1
    frames: int | None = None
    noise: tuple[float, float] = (0.0, 0.0)
    arms: float = 1.0
    hips: float = 1.0
    order: str = "ZYX"
    lift: float = 0.0
    seed: int = 0


def _axes(down: np.ndarray, ahead: np.ndarray) -> np.ndarray:
    """(n, 3, 3) axes with -z along a bone and x nearest to ahead."""
    z = -down / np.linalg.norm(down, axis=1, keepdims=True)
    y = np.cross(z, ahead)
    y /= np.linalg.norm(y, axis=1, keepdims=True)
    return np.stack([np.cross(y, z), y, z], axis=2)


def _paths(robot: RobotModel, parts: RobotParts, q: np.ndarray) -> dict:
    """Frames of the robot's parts over time: (n, 3, 3) and (n, 3)."""
    frames = {"pelvis": parts.hips, "trunk": parts.trunk}
    if parts.head is not None:
        frames["head"] = parts.head
    for side in SIDES:
        frames[f"{side} sole"] = parts.soles[side]
        frames[f"{side} knee"] = robot.link_frame(robot.roles.link(f"{side} knee"))
        for name, limb in parts.arms[side].items():
            frames[f"{side} {name} start"], frames[f"{side} {name} end"] = (
                limb.start,
                limb.end,
            )
    state = Configuration(robot, q[0])
    R = {n: np.empty((len(q), 3, 3)) for n in frames}
    p = {n: np.empty((len(q), 3)) for n in frames}
    for i, row in enumerate(q):
        state.update(row)
        for name, frame in frames.items():
            R[name][i], p[name][i] = state.rotation(frame), state.place(frame)
    return {"R": R, "p": p}


def _tree(robot: RobotModel, q: np.ndarray, style: Style) -> list[tuple]:
    """Joints: name, parent, (3,) offset in the parent, (n, 3, 3) axes in the world.

    The root has (n, 3) places in place of its offset.
    """
    parts = find_parts(robot)
    size, names = style.leg / parts.leg, style.names
    found = _paths(robot, parts, q)
    R, p = found["R"], found["p"]
    trunk = R["trunk"]
    # Shoulders of people are where the robot's are, fixed to the trunk.
    up = trunk[0].T @ (
        0.5 * (p["left upper arm start"] + p["right upper arm start"])[0]
        - p["pelvis"][0]
    )
    spine = np.array([0.0, 0.0, 0.3 * size * up[2]])
    chest = np.array([0.0, 0.0, 0.3 * size * up[2]])
    out = [
        (names["pelvis"], "", size * p["pelvis"], R["pelvis"]),
        (names["spine"], names["pelvis"], spine, trunk),
        (names["trunk"], names["spine"], chest, trunk),
        (
            names["head"],
            names["trunk"],
            np.array([0.0, 0.0, 0.7 * size * up[2]]),
            R.get("head", trunk),
        ),
    ]
    for side in SIDES:
        word = side.capitalize()
        out += _leg(parts, R, p, side, word, size, style)
        out += _arm(parts, R, p, side, word, size, style, up)
    return out


def _leg(parts, R, p, side, word, size, style) -> list[tuple]:
    names, half = style.names, 0.5 * style.leg
    out = np.array([0.0, SIGN[side] * style.hips * size * parts.half_hip, 0.0])
    hip = size * p["pelvis"] + R["pelvis"] @ out
    sole = R[f"{side} sole"]
    ankle = size * (p[f"{side} sole"] + sole @ parts.p_SA[side])
    # Feet are apart as the hips are.
    ankle = ankle + (style.hips - 1.0) * size * parts.half_hip * SIGN[side] * np.array(
        [0.0, 1.0, 0.0]
    )
    way = ankle - hip
    length = np.linalg.norm(way, axis=1, keepdims=True)
    ahead = size * p[f"{side} knee"] - 0.5 * (hip + ankle)
    ahead -= way * (np.sum(ahead * way, axis=1, keepdims=True) / length**2)
    ahead /= np.linalg.norm(ahead, axis=1, keepdims=True)
    off = np.sqrt(np.maximum(half**2 - 0.25 * length**2, 1e-8))
    knee = 0.5 * (hip + ankle) + off * ahead
    bone = np.array([0.0, 0.0, -half])
    return [
        (word + names["hip"], names["pelvis"], out, _axes(knee - hip, ahead)),
        (word + names["knee"], word + names["hip"], bone, _axes(ankle - knee, ahead)),
        (word + names["ankle"], word + names["knee"], bone, sole),
        (word + names["toe"], word + names["ankle"], style.leg * TOE, sole),
    ]


def _arm(parts, R, p, side, word, size, style, up) -> list[tuple]:
    names, arm = style.names, parts.arms[side]
    place = np.array([0.0, SIGN[side] * 0.17, 0.4 * size * up[2]])
    rows, parent = [], names["trunk"]
    offset = place
    for joint, limb in (
        ("shoulder", "upper arm"),
        ("elbow", "forearm"),
        ("wrist", "hand"),
    ):
        known = limb if limb in arm else "forearm"
        way = p[f"{side} {known} end"] - p[f"{side} {known} start"]
        rows.append(
            (word + names[joint], parent, offset, _axes(way, R["trunk"][:, :, 0]))
        )
        parent = word + names[joint]
        offset = np.array([0.0, 0.0, -style.arms * size * arm[known].length])
    return rows


def bvh_text(
    robot: RobotModel, t: np.ndarray, q: np.ndarray, style: Style | None = None
) -> str:
    """A robot's motion as that of a person, in BVH.

    Args:
        robot: the robot.
        t: (n,) times, evenly spaced [s].
        q: (n, nq) configurations.
        style: how it is written.
    """
    style = style or Style()
    rng = np.random.default_rng(style.seed)
    joints = _tree(robot, q, style)
    turned = np.random.default_rng(style.frames)
    X = np.roll(np.eye(3), style.up - 2, axis=1)
    rest, world, columns, lines = {}, {}, {}, {}
    for name, parent, offset, R in joints:
        B = np.eye(3)
        if style.frames is not None and not name.endswith(_INNER):
            B = Rotation.random(rng=turned).as_matrix()
        elif parent:
            # A limb's joints have the same axes at rest: it is straight there.
            B = rest[parent]
        rest[name], world[name] = B, R @ B
        above = X if not parent else world[parent]
        local = np.swapaxes(np.broadcast_to(above, R.shape), 1, 2) @ world[name]
        with warnings.catch_warnings():
            # Where two of the angles do the same, any will do.
            warnings.filterwarnings("ignore", "Gimbal lock", UserWarning)
            turn = Rotation.from_matrix(local)
            angles = turn.as_euler(style.order, degrees=True)
        angles = np.unwrap(angles, period=360.0, axis=0)
        angles += np.degrees(style.noise[1]) * rng.normal(size=angles.shape)
        if not parent:
            place = (offset + [0.0, 0.0, style.lift]) @ X / style.unit
            place += style.noise[0] / style.unit * rng.normal(size=place.shape)
            angles = np.hstack([place, angles])
            offset = np.zeros(3)
        else:
            offset = rest[parent].T @ offset
        columns[name] = angles
        lines[name] = (parent, offset / style.unit)
    head = ["HIERARCHY", *_hierarchy(lines, joints[0][0], style)]
    order = [line.split()[1] for line in head if line.split()[0] in ("ROOT", "JOINT")]
    table = np.hstack([columns[name] for name in order])
    head += ["MOTION", f"Frames: {len(t)}", f"Frame Time: {t[1] - t[0]:.7f}"]
    rows = [" ".join(f"{x:.6f}" for x in row) for row in table]
    return "\n".join([*head, *rows, ""])


# From x ahead, y to the left, z up to x ahead, y up, z to the right.
_Y_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])


def deepmimic_text(robot: RobotModel, t: np.ndarray, q: np.ndarray) -> str:
    """A robot's motion as that of DeepMimic's person, whose legs have 0.831 m."""
    parts = find_parts(robot)
    leg = 0.421546 + 0.40987
    hips = 0.084887 / (leg / parts.leg * parts.half_hip)
    joints = {n: (o, R) for n, _, o, R in _tree(robot, q, Style(leg=leg, hips=hips))}
    named = {n: R for n, (_, R) in joints.items()}
    frames = [np.full((len(t), 1), t[1] - t[0]), joints["Hips"][0] @ _Y_UP.T]
    pelvis, trunk = named["Hips"], named["Spine2"]
    frames += [_turn(np.eye(3), pelvis), _turn(pelvis, trunk)]
    frames += [_turn(trunk, named["Head"])]
    for word in ("Right", "Left"):
        hip, knee, ankle = (named[word + n] for n in ("UpLeg", "Leg", "Foot"))
        frames += [_turn(pelvis, hip), _hinge(hip, knee), _turn(knee, ankle)]
        upper, lower = (named[word + n][:, :, 2] for n in ("Arm", "ForeArm"))
        # The elbow's axis is across the plane of the arm.
        x = -lower + upper * np.sum(lower * upper, axis=1, keepdims=True)
        x /= np.linalg.norm(x, axis=1, keepdims=True)
        arm = np.stack([x, np.cross(upper, x), upper], axis=2)
        bent = np.arccos(np.clip(np.sum(upper * lower, axis=1), -1.0, 1.0))
        frames += [_turn(trunk, arm), bent[:, None]]
    return json.dumps({"Loop": "none", "Frames": np.hstack(frames).tolist()})


def _turn(above: np.ndarray, R: np.ndarray) -> np.ndarray:
    """(n, 4) quaternions, w first, of axes in those above, with y up."""
    local = np.swapaxes(np.broadcast_to(above, R.shape), 1, 2) @ R
    turns = Rotation.from_matrix(_Y_UP @ local @ _Y_UP.T)
    return turns.as_quat(scalar_first=True)


def _hinge(above: np.ndarray, R: np.ndarray) -> np.ndarray:
    """(n, 1) angles about the axis to the right."""
    local = np.swapaxes(above, 1, 2) @ R
    return Rotation.from_matrix(_Y_UP @ local @ _Y_UP.T).as_rotvec()[:, 2:]


def _hierarchy(lines: dict, name: str, style: Style) -> list[str]:
    parent, offset = lines[name]
    turns = [f"{axis}rotation" for axis in style.order]
    channels = turns if parent else ["Xposition", "Yposition", "Zposition", *turns]
    out = [
        f"{'JOINT' if parent else 'ROOT'} {name}",
        "{",
        "OFFSET " + " ".join(f"{x:.6f}" for x in offset),
        f"CHANNELS {len(channels)} {' '.join(channels)}",
    ]
    inner = [n for n, (above, _) in lines.items() if above == name]
    for child in inner:
        out += _hierarchy(lines, child, style)
    if not inner:
        out += ["End Site", "{", "OFFSET 0.0 0.0 0.0", "}"]
    return [*out, "}"]


def write_take(
    path: Path, robot: RobotModel, t: np.ndarray, q: np.ndarray, style: Style
) -> Path:
    """Writes a take; its path."""
    path.write_text(bvh_text(robot, t, q, style))
    return path
