"""Arms at rest: upper arms beside the trunk, forearms a little ahead.

The joints of an arm are found such that its elbow and hand are in the directions asked
for, as well as its joints allow: bounded least squares (Branch, Coleman, Li, "A
subspace, interior, and conjugate gradient method for large-scale bound-constrained
minimization problems", 1999), which scipy has.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import scipy

from backbeat.models.adoption.limb_roles import bending_joint
from backbeat.models.adoption.model_tree import ModelTree, TreeJoint
from backbeat.models.adoption.pairs import flips
from backbeat.models.urdf.reading.forward_kinematics import joint_motion

# Distance from the limits [rad], and the limits of joints that have none.
MARGIN, ENDLESS = 0.05, np.pi
# Pull to where a joint is nearest to zero, per radian, against a length of the arm: of
# shoulder and elbow, and of the wrist.
PULL, WRIST = 0.02, 0.2
# How far forearms point ahead of straight down [rad].
AHEAD = 0.7


def limits_of(joint: TreeJoint) -> tuple[float, float]:
    """Least and most position of a joint [rad or m]; a turn where it has no limits."""
    limit = joint.joint.limit
    if joint.joint.type == "continuous" or limit is None:
        return -ENDLESS, ENDLESS
    lower = -ENDLESS if limit.lower is None else limit.lower
    upper = ENDLESS if limit.upper is None else limit.upper
    return max(lower, -2 * ENDLESS), min(upper, 2 * ENDLESS)


def nearest_zero(joint: TreeJoint) -> float:
    """The position nearest to zero that a joint may have, off its limits."""
    low, high = limits_of(joint)
    margin = min(MARGIN, 0.25 * (high - low))
    if low <= 0.0 <= high:
        return 0.0
    return float(np.clip(0.0, low + margin, high - margin))


def arm_at_rest(
    tree: ModelTree, arm: Sequence[TreeJoint], out: float
) -> dict[str, float]:
    """Positions of the joints of a left arm that hangs [rad], by name.

    Args:
        tree: the robot.
        arm: its joints.
        out: how far the upper arm points to the left of straight down [rad].
    """
    end = tree.center_beyond(arm[-1])
    elbow = bending_joint(arm, end)
    upper = arm[elbow].place - arm[0].place
    lengths = (
        float(np.linalg.norm(upper)),
        float(np.linalg.norm(end - arm[elbow].place)),
    )
    side = 1.0 if arm[-1].place[1] >= 0 else -1.0
    down = np.array([0.0, side * np.sin(out), -np.cos(out)])
    fore = np.array([np.sin(AHEAD), 0.2 * side * np.sin(out), -np.cos(AHEAD)])
    fore = fore / np.linalg.norm(fore)
    bounds = np.array([limits_of(j) for j in arm])
    middle = np.array([nearest_zero(j) for j in arm])
    margin = np.minimum(MARGIN, 0.25 * (bounds[:, 1] - bounds[:, 0]))
    low, high = bounds[:, 0] + margin, bounds[:, 1] - margin
    start = np.clip(middle, low + 1e-6, high - 1e-6)
    size = sum(lengths)
    pull = np.where(np.arange(len(arm)) > elbow, WRIST, PULL)

    def residuals(q: np.ndarray) -> np.ndarray:
        shoulder, bend, hand = _places(arm, q, end, elbow)
        reach = np.linalg.norm(bend - shoulder)
        return np.concatenate(
            [
                (bend - shoulder - reach * down) / size,
                (hand - bend - lengths[1] * fore) / size,
                pull * (q - middle),
            ]
        )

    best = min(
        (
            scipy.optimize.least_squares(
                residuals, np.clip(s, low, high), bounds=(low, high)
            )
            for s in _starts(start, low, high)
        ),
        key=lambda found: float(found.cost),
    )
    return {j.name: float(q) for j, q in zip(arm, best.x, strict=True)}


def _starts(start: np.ndarray, low: np.ndarray, high: np.ndarray) -> list[np.ndarray]:
    """Where to start: near zero, and with the first joints a quarter of a turn on."""
    found = [start]
    for i in range(min(2, len(start))):
        for step in (-1.2, 1.2):
            other = start.copy()
            other[i] = np.clip(other[i] + step, low[i] + 1e-6, high[i] - 1e-6)
            found.append(other)
    return found


def _places(
    arm: Sequence[TreeJoint], q: np.ndarray, end: np.ndarray, elbow: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(3,) places of the first joint, the elbow and the end of an arm [m]."""
    X = np.eye(4)
    bend = arm[elbow].place
    for i, (joint, angle) in enumerate(zip(arm, q, strict=True)):
        if i == elbow:
            bend = (X @ np.r_[joint.place, 1.0])[:3]
        X = X @ _turn(joint, float(angle))
    return arm[0].place, bend, (X @ np.r_[end, 1.0])[:3]


def _turn(joint: TreeJoint, q: float) -> np.ndarray:
    """(4, 4) motion of all beyond a joint, from where it is at zero, in the root."""
    shift, back = np.eye(4), np.eye(4)
    shift[:3, 3], back[:3, 3] = joint.place, -joint.place
    along = replace(joint.joint, axis=tuple(joint.axis.tolist()))
    return shift @ joint_motion(along, q) @ back


def mirrored(
    angles: Mapping[str, float],
    limb: Sequence[TreeJoint],
    other: Sequence[TreeJoint],
) -> dict[str, float]:
    """Positions of the joints of a limb on the other side, by name."""
    found = {}
    for joint, twin in zip(limb, other, strict=True):
        sign = -1.0 if flips(joint, twin) else 1.0
        low, high = limits_of(twin)
        found[twin.name] = float(np.clip(sign * angles[joint.name], low, high))
    return found


def turned_places(
    tree: ModelTree, angles: Mapping[str, float]
) -> dict[str, np.ndarray]:
    """(3,) places of all moving joints at other angles [m], by name."""
    poses: dict[int, np.ndarray] = {0: np.eye(4)}
    found = {}
    for joint in tree.joints:  # A joint comes after what carries it.
        X = poses[joint.parent]
        found[joint.name] = (X @ np.r_[joint.place, 1.0])[:3]
        poses[joint.body] = X @ _turn(joint, angles.get(joint.name, 0.0))
    return found
