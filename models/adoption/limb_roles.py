"""Roles of joints within limbs, by axes at the zero pose and by what bends most.

Of the joints of a limb, the one that changes the distance of its ends most is the knee
or the elbow. With the origin of the first joint at A, that of joint i at P and the end
of the limb at E, that distance is |E - A|^2 = a + 2 b cos(q - q0) in the joint's angle,
with b = |p| |r| of p = P - A and r = E - P across the axis.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from backbeat.models.adoption.limbs import HumanoidLimbs
from backbeat.models.adoption.model_tree import ModelTree, TreeJoint
from backbeat.models.robot.roles import TURNS

# Cosine of the angle from which an axis is said to be oblique.
OBLIQUE = 0.9
# Cosine of the angle within which an axis lies along a part of a limb.
ALONG = 0.8
# Joints of a hip or shoulder at least: a collar bone is none that bends.
HIP_LEAST = 2
# Roles by name, with the joints that have them.
RoleJoints = dict[str, tuple[TreeJoint, ...]]


def turn_of(joint: TreeJoint) -> str:
    """What a joint does by its axis: roll, pitch or yaw, the nearest one."""
    return TURNS[int(np.abs(joint.axis).argmax())]


def is_oblique(joint: TreeJoint) -> bool:
    """Whether its axis is far from x, y and z."""
    return float(np.abs(joint.axis).max()) < OBLIQUE


def bending_joint(chain: Sequence[TreeJoint], end: np.ndarray) -> int:
    """Index of the joint of a limb that changes the distance of its ends most.

    Args:
        chain: joints outward.
        end: (3,) where the limb ends [m].
    """
    start, best, found = chain[0].place, -1.0, len(chain) - 1
    first = min(HIP_LEAST, len(chain) - 1)
    for i, joint in enumerate(chain[first:], first):
        p, r = joint.place - start, end - joint.place
        across = [np.cross(joint.axis, v) for v in (p, r)]
        amount = float(np.linalg.norm(across[0]) * np.linalg.norm(across[1]))
        if amount > best and joint.joint.type != "prismatic":
            best, found = amount, i
    return found


def roles_of(tree: ModelTree, limbs: HumanoidLimbs) -> RoleJoints:
    """Joints by role."""
    found: RoleJoints = {}
    for limb, joints in (("waist", limbs.waist), ("neck", limbs.neck)):
        if joints:
            found[limb] = joints
            found |= _named(limb, joints, [turn_of(j) for j in joints])
    for side, leg in zip(("left", "right"), limbs.legs, strict=True):
        found[f"{side} leg"] = leg
        found |= _leg(side, leg)
    arms = limbs.arms or ()
    for side, arm in zip(("left", "right"), arms, strict=False):
        found[f"{side} arm"] = arm
        found |= _arm(tree, side, arm)
    return found


def _leg(side: str, leg: Sequence[TreeJoint]) -> RoleJoints:
    knee = knee_of(leg)
    found: RoleJoints = {f"{side} knee": (leg[knee],)}
    for part, joints in (("hip", leg[:knee]), ("ankle", leg[knee + 1 :])):
        if joints:
            found[f"{side} {part}"] = tuple(joints)
            turns = [turn_of(j) for j in joints]
            found |= _named(f"{side} {part}", joints, turns)
    return found


def knee_of(leg: Sequence[TreeJoint]) -> int:
    """Index of the knee in a leg."""
    return bending_joint(leg, leg[-1].place)


def _arm(tree: ModelTree, side: str, arm: Sequence[TreeJoint]) -> RoleJoints:
    end = tree.center_beyond(arm[-1])
    elbow = bending_joint(arm, end)
    upper, fore = arm[:elbow], arm[elbow + 1 :]
    bend = arm[elbow]
    found: RoleJoints = {}
    along = _unit(bend.place - arm[0].place)
    twist = [i for i, j in enumerate(upper) if abs(float(j.axis @ along)) > ALONG]
    # What turns the upper arm about itself belongs to the joint that it is nearer to.
    split = len(upper)
    if twist and twist[-1] == len(upper) - 1 and len(upper) > 1:
        p = upper[-1].place
        near = np.linalg.norm(p - bend.place) < np.linalg.norm(p - upper[-2].place)
        split -= int(near)
    if split:
        found[f"{side} shoulder"] = tuple(upper[:split])
    found[f"{side} elbow"] = tuple(arm[split : elbow + 1])
    found |= _named(f"{side} shoulder", upper, list(_shoulder(upper, twist)))
    if fore:
        found[f"{side} wrist"] = tuple(fore)
        along = _unit(end - bend.place)
        turns = ["roll" if abs(float(j.axis @ along)) > ALONG else "" for j in fore]
        for turn in ("pitch", "yaw"):
            axis = np.eye(3)[TURNS.index(turn)]
            rest = [i for i, t in enumerate(turns) if not t]
            if rest:
                best = max(rest, key=lambda i: abs(float(fore[i].axis @ axis)))
                turns[best] = turn
        found |= _named(f"{side} wrist", fore, turns)
    return found


def _shoulder(upper: Sequence[TreeJoint], twist: Sequence[int]) -> Iterator[str]:
    """Turns of the joints of a shoulder: yaw about the upper arm, roll ahead."""
    for i, joint in enumerate(upper):
        if twist and i == twist[-1]:
            yield "yaw"
        else:
            yield "roll" if turn_of(joint) == "roll" else "pitch"


def _named(part: str, joints: Sequence[TreeJoint], turns: Sequence[str]) -> RoleJoints:
    """Roles of single joints; of two with one turn, the first has it."""
    found: RoleJoints = {}
    for joint, turn in zip(joints, turns, strict=True):
        if turn:
            found.setdefault(f"{part} {turn}", (joint,))
    return found


def _unit(vector: np.ndarray) -> np.ndarray:
    return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-9))


def names_by_role(roles: Mapping[str, Sequence[TreeJoint]]) -> dict[str, list[str]]:
    """Names of joints by role."""
    return {role: [j.name for j in joints] for role, joints in roles.items()}
