"""Body heights: how far parts of the body are above the floor in a motion.

A part is a link with collision shapes, in words by the joints that move it. Feet are
left out: what their soles do is known.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from backbeat.models.collision.making import links_with_shapes, make_collision_model
from backbeat.models.collision.shapes import BOX, CAPSULE, Solid
from backbeat.models.dynamics.frames import Frame
from backbeat.models.robot.model import RobotModel
from backbeat.models.robot.roles import SIDES
from backbeat.models.state.configuration import Configuration

# Words for what a part of a limb moves, from the base outward: each joint of the limb
# has the last that it is named under.
WORDS = (
    ("waist", "trunk"),
    ("neck", "head"),
    *(
        (f"{side} {role}", f"{side} {word}")
        for side in SIDES
        for role, word in (
            ("leg", "leg"),
            ("hip", "thigh"),
            ("knee", "knee"),
            ("arm", "arm"),
            ("shoulder", "upper arm"),
            ("elbow", "elbow"),
            ("wrist", "hand"),
        )
    ),
)
HANDS = tuple(f"{side} hand" for side in SIDES)
# How far x of a trunk points up or down where it lies on its back or front.
LIES = 0.5


@dataclass(frozen=True)
class BodyHeights:
    """Heights of parts of the body that are no feet.

    Attributes:
        words: name of each part, such as "left hand".
        height: (n, parts) its lowest point above height zero [m].
        lies: (n,) 1 where the trunk is on its back, -1 on its front, else 0.
    """

    words: tuple[str, ...]
    height: np.ndarray
    lies: np.ndarray


def find_heights(robot: RobotModel, q: np.ndarray) -> BodyHeights:
    """Heights of a robot's body at (n, nq) configurations."""
    named = [n for n, body in links_with_shapes(robot) if body not in _feet(robot)]
    solids = [s for s in make_collision_model(robot, (), ()).solids if s.name in named]
    words = _words(robot)
    parts = list(dict.fromkeys(words.get(s.body, s.name) for s in solids))
    heights = np.full((len(q), len(parts)), np.inf)
    bodies = sorted({s.body for s in solids})
    frames = {b: Frame("", b, np.eye(3), np.zeros(3)) for b in bodies}
    R, p = (np.zeros((len(bodies), len(q), *size)) for size in ((3,), (1,)))
    up, state = np.zeros(len(q)), Configuration(robot, q[0])
    for i, row in enumerate(q):
        state.update(row)
        for k, frame in enumerate(frames.values()):
            X = state.pose(frame)
            R[k, i], p[k, i] = X.rotation().matrix()[2], X.translation()[2]
        up[i] = state.rotation(robot.trunk)[2, 0]
    for solid in solids:
        k, part = bodies.index(solid.body), words.get(solid.body, solid.name)
        low = p[k][:, 0] + _lowest(solid, R[k])
        j = parts.index(part)
        heights[:, j] = np.minimum(heights[:, j], low)
    lies = np.where(up > LIES, 1, np.where(up < -LIES, -1, 0))
    return BodyHeights(tuple(parts), heights, lies)


def _lowest(solid: Solid, z: np.ndarray) -> np.ndarray:
    """(n,) how far a solid's lowest point is above its body's origin [m].

    Args:
        solid: on a body.
        z: (n, 3) the world's vertical in axes of the body.
    """
    axes = z @ solid.X_PS.rotation().matrix()
    middle = z @ solid.X_PS.translation()
    if solid.kind == BOX:
        return np.asarray(middle - np.abs(axes) @ solid.size)
    radius, half = solid.size[:2]
    round_ = radius if solid.kind == CAPSULE else radius * np.hypot(*axes[:, :2].T)
    return np.asarray(middle - half * np.abs(axes[:, 2]) - round_)


def _feet(robot: RobotModel) -> set[int]:
    """Bodies that soles are on, and those between them and the shins."""
    found = set[int]()
    for side, name in robot.feet.items():
        body = robot.contacts[name].frame.body
        found.add(body)
        ankle = f"{side} ankle"
        if ankle in robot.roles:
            found |= {j + 1 for j in robot.roles.joints(ankle).tolist()}
    return found


def _words(robot: RobotModel) -> dict[int, str]:
    """Words by body."""
    found = {0: "pelvis"}
    for role, word in WORDS:
        if role in robot.roles:
            found |= {j + 1: word for j in robot.roles.joints(role).tolist()}
    for hand in HANDS:
        if hand in robot.parts:
            found[robot.link_frame(robot.parts[hand].frame).body] = hand
    if robot.trunk.body == 0:
        found[0] = "trunk"
    return found


def both(words: list[str]) -> Iterator[str]:
    """Words with those of either side in one: "both knees"."""
    rest = list(words)
    for word in words:
        side, _, part = word.partition(" ")
        other = f"right {part}"
        if side == "left" and other in words:
            yield f"both {part}s"
            rest.remove(word)
            rest.remove(other)
    yield from rest
