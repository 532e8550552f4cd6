"""Skeletons: joints with offsets from their parents, and how they move."""

from dataclasses import dataclass

import numpy as np

# How a joint's angles follow each other, at most.
AXES = "XYZ"
# Frames whose poses are computed at a time, for memory.
AT_ONCE = 10_000


@dataclass(frozen=True)
class SkeletonJoint:
    """A joint of a skeleton.

    Attributes:
        name: of the joint; an end of a limb has its joint's name and " end".
        parent: index of its parent, -1 for the root; parents come first.
        offset: (3,) from its parent with all angles at zero, in the file's unit.
        channels: in the file's order: axis "X", "Y" or "Z", and whether it turns.
    """

    name: str
    parent: int
    offset: np.ndarray
    channels: tuple[tuple[str, bool], ...] = ()


@dataclass(frozen=True)
class SkeletonMotion:
    """A motion of a skeleton, in the file's units and axes.

    Attributes:
        joints: parents first.
        dt: time between frames [s].
        values: (n, channels) of all joints in their order, angles in degrees.
    """

    joints: tuple[SkeletonJoint, ...]
    dt: float
    values: np.ndarray

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all joints, ends of limbs among them."""
        return tuple(joint.name for joint in self.joints)

    def rest(self) -> np.ndarray:
        """(joints, 3) places of joints with all angles at zero, from the root."""
        places = np.zeros((len(self.joints), 3))
        for i, joint in enumerate(self.joints):
            if joint.parent >= 0:
                places[i] = places[joint.parent] + joint.offset
        return places

    def poses(
        self, wanted: tuple[int, ...], turned: tuple[int, ...] | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Forward kinematics: where joints are.

        A joint's turns apply in the order of its channels, the last one first to what
        it carries. Its places, where it has channels for them, are in place of its
        offset.

        Args:
            wanted: indices of joints whose places are wanted.
            turned: of those whose rotations are; the same joints if it is left out.

        Returns:
            (n, wanted, 3) places and (n, turned, 3, 3) rotations in the file's axes.
        """
        turned = wanted if turned is None else turned
        places = np.empty((len(self.values), len(wanted), 3))
        turns = np.empty((len(self.values), len(turned), 3, 3))
        for first in range(0, len(self.values), AT_ONCE):
            part = slice(first, first + AT_ONCE)
            p, R = self._poses(part, self._with_parents((*wanted, *turned)))
            for k, i in enumerate(wanted):
                places[part, k] = p[i]
            for k, i in enumerate(turned):
                turns[part, k] = R[i]
        return places, turns

    def _poses(
        self, part: slice, needed: frozenset[int]
    ) -> tuple[dict[int, np.ndarray], dict[int, np.ndarray]]:
        """Places and rotations of joints and those above them, in some frames."""
        R: dict[int, np.ndarray] = {}
        p: dict[int, np.ndarray] = {}
        column = 0
        for i, joint in enumerate(self.joints):
            own = self.values[part, column : column + len(joint.channels)]
            column += len(joint.channels)
            if i not in needed:
                continue
            local, turn = _local(joint, own)
            if joint.parent < 0:
                p[i], R[i] = local, turn
                continue
            above = R[joint.parent]
            p[i] = p[joint.parent] + np.einsum("nij,nj->ni", above, local)
            R[i] = above @ turn if joint.channels else above
        return p, R

    def _with_parents(self, wanted: tuple[int, ...]) -> frozenset[int]:
        found: set[int] = set()
        for i in wanted:
            while i >= 0 and i not in found:
                found.add(i)
                i = self.joints[i].parent
        return frozenset(found)


def _local(joint: SkeletonJoint, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(n, 3) place in the parent, and (n, 3, 3) rotation."""
    place = np.tile(joint.offset, (len(values), 1))
    turn = np.tile(np.eye(3), (len(values), 1, 1))
    for (axis, turns), column in zip(joint.channels, values.T, strict=True):
        if turns:
            turn = turn @ _about(AXES.index(axis), np.radians(column))
        else:
            place[:, AXES.index(axis)] = column
    return place, turn


def _about(axis: int, angle: np.ndarray) -> np.ndarray:
    """(n, 3, 3) rotations about a coordinate axis."""
    R = np.zeros((len(angle), 3, 3))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    c, s = np.cos(angle), np.sin(angle)
    R[:, axis, axis] = 1.0
    R[:, i, i], R[:, j, j] = c, c
    R[:, i, j], R[:, j, i] = -s, s
    return R
