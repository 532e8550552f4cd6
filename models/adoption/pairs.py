"""Pairs of branches that mirror each other about the plane of the base's x and z."""

from typing import NamedTuple

import numpy as np

from backbeat.models.adoption.model_tree import ModelTree, TreeJoint

# Reflection about the plane of x and z.
MIRROR = np.array([1.0, -1.0, 1.0])
# Share of the robot's height by which mirrored joints may be apart, and by which the
# two of a pair are apart at least.
ALIKE, APART = 0.03, 0.01
# Cosine of the angle by which mirrored axes may differ.
PARALLEL = 0.95
# Share of the mass at a fork that one branch has for a limb to go on there, and share
# of the robot's mass that this is at least: less is a hand.
MAIN, LIGHT = 0.8, 0.005


class Pair(NamedTuple):
    """Two branches on one body that mirror each other.

    Attributes:
        left, right: their joints, outward, as far as they are a limb.
    """

    left: tuple[TreeJoint, ...]
    right: tuple[TreeJoint, ...]

    @property
    def parent(self) -> int:
        """The body that carries both."""
        return self.left[0].parent


def limb(tree: ModelTree, joint: TreeJoint) -> tuple[TreeJoint, ...]:
    """The joint and those outward, up to where it forks into fingers or ends.

    Joints that follow others are none of a limb.
    """
    found = [joint]
    while True:
        children = [c for c in tree.children(found[-1].body) if c.joint.mimic is None]
        if len(children) > 1:
            masses = [tree.mass_beyond(c) for c in children]
            most = max(masses)
            if most < MAIN * sum(masses) or most < LIGHT * tree.total_mass:
                break
            children = [children[masses.index(most)]]
        if not children:
            break
        found.append(children[0])
    return tuple(found)


def find_pairs(tree: ModelTree) -> tuple[Pair, ...]:
    """Pairs of branches that mirror each other, those nearest to the base first."""
    found: list[Pair] = []
    for body in range(len(tree.links)):
        free = [j for j in tree.children(body) if j.joint.mimic is None]
        while free:
            first = free.pop(0)
            for other in free:
                left, right = sorted((first, other), key=lambda j: -j.place[1])
                pair = Pair(limb(tree, left), limb(tree, right))
                if not difference(tree, pair):
                    found.append(pair)
                    free.remove(other)
                    break
    return tuple(found)


def difference(tree: ModelTree, pair: Pair) -> str:
    """What keeps two branches from being a pair; "" if nothing does."""
    left, right = pair
    if len(left) != len(right):
        return (
            f"{left[0].name} begins {len(left)} joints and {right[0].name} {len(right)}"
        )
    size = tree.height
    if left[0].place[1] - right[0].place[1] < APART * size and not _spread(pair, size):
        return f"{left[0].name} and {right[0].name} are on one side"
    for a, b in zip(left, right, strict=True):
        apart = a.place - MIRROR * b.place
        if a.joint.type != "prismatic":
            # The origin of a hinge may be anywhere on its axis.
            apart = apart - (apart @ a.axis) * a.axis
        off = float(np.linalg.norm(apart))
        if off > ALIKE * size:
            return (
                f"{a.name} and the mirror image of {b.name} are {1e3 * off:.0f} mm "
                "apart"
            )
        if abs(float(a.axis @ (MIRROR * b.axis))) < PARALLEL:
            return f"the axes of {a.name} and {b.name} do not mirror each other"
    return ""


def _spread(pair: Pair, size: float) -> bool:
    """Whether branches that begin together end apart."""
    return bool(pair.left[-1].place[1] - pair.right[-1].place[1] > 2 * APART * size)


def flips(joint: TreeJoint, twin: TreeJoint) -> bool | None:
    """Whether a joint's position changes its sign when left and right are exchanged.

    A turn about the axis a is, seen in the mirror, one about -M a, for axes are
    pseudovectors; a slide along a is one along M a.

    Args:
        joint: a joint.
        twin: the one on the other side, or itself.

    Returns:
        None if the axes do not mirror each other at all.
    """
    image = MIRROR * joint.axis
    if joint.joint.type != "prismatic":
        image = -image
    same = float(image @ twin.axis)
    return None if abs(same) < PARALLEL else same < 0
