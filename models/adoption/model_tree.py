"""The tree of moving bodies that a description makes, at its zero pose.

Links that fixed joints connect are one body. Places and axes are those of the root's
frame, x ahead, y to the left, z up.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from backbeat.models.urdf.reading.description import WORLD, Description, Joint
from backbeat.models.urdf.reading.forward_kinematics import link_poses


class TreeJoint(NamedTuple):
    """A joint that moves, and the body beyond it.

    Attributes:
        joint: as the description has it.
        parent, body: indices of the bodies on either side of it.
        place: (3,) its origin [m].
        axis: (3,) its axis, of length one.
    """

    joint: Joint
    parent: int
    body: int
    place: np.ndarray
    axis: np.ndarray

    @property
    def name(self) -> str:
        """Its name."""
        return self.joint.name


@dataclass(frozen=True)
class ModelTree:
    """Bodies and moving joints of a description.

    Attributes:
        description: what it was made of.
        base: name of the root.
        poses: (4, 4) pose of every link, by name.
        joints: moving joints; the one at i moves the body i + 1, and the base is 0.
        links: names of the links of each body, the one at the joint first.
        mass: mass of each body [kg].
        center: (3,) center of mass of each body [m].
    """

    description: Description
    base: str
    poses: dict[str, np.ndarray]
    joints: tuple[TreeJoint, ...]
    links: tuple[tuple[str, ...], ...]
    mass: tuple[float, ...]
    center: tuple[np.ndarray, ...]

    @property
    def total_mass(self) -> float:
        """Mass of the robot [kg]."""
        return sum(self.mass)

    @property
    def height(self) -> float:
        """Height from the lowest joint to the highest [m]; the scale of tolerances."""
        z = [float(j.place[2]) for j in self.joints]
        return max(z) - min(z) if z else 0.0

    def children(self, body: int) -> tuple[TreeJoint, ...]:
        """Moving joints that a body carries."""
        return tuple(j for j in self.joints if j.parent == body)

    def beyond(self, joint: TreeJoint) -> Iterator[TreeJoint]:
        """Joints that a joint moves, itself first."""
        yield joint
        for child in self.children(joint.body):
            yield from self.beyond(child)

    def mass_beyond(self, joint: TreeJoint) -> float:
        """Mass of all that a joint moves [kg]."""
        return sum(self.mass[j.body] for j in self.beyond(joint))

    def center_beyond(self, joint: TreeJoint) -> np.ndarray:
        """(3,) center of mass of all that a joint moves; its origin if it has none."""
        bodies = [j.body for j in self.beyond(joint)]
        total = sum(self.mass[b] for b in bodies)
        if total <= 0.0:
            return joint.place
        return np.asarray(sum(self.mass[b] * self.center[b] for b in bodies) / total)

    def lowest_beyond(self, joint: TreeJoint) -> float:
        """Height of the lowest joint or center of mass that a joint moves [m]."""
        return min(
            min(float(j.place[2]), float(self.center[j.body][2]))
            for j in self.beyond(joint)
        )

    def way(self, body: int) -> tuple[TreeJoint, ...]:
        """Joints from the base to a body."""
        found: list[TreeJoint] = []
        while body > 0:
            joint = self.joints[body - 1]
            found.append(joint)
            body = joint.parent
        return tuple(reversed(found))

    def body_of(self, link: str) -> int | None:
        """The body that a link is part of; None if there is no such link."""
        return next((i for i, names in enumerate(self.links) if link in names), None)

    def moved_link(self, joint: TreeJoint) -> str:
        """The link at the far side of a joint."""
        return joint.joint.child


def read_tree(description: Description, base: str) -> ModelTree:
    """The tree of a description.

    Args:
        description: one tree of links, of joints with one position.
        base: its root.
    """
    below: dict[str, list[Joint]] = {}
    for joint in description.joints.values():
        below.setdefault(joint.parent, []).append(joint)
    poses = link_poses(description)
    X_RB = np.linalg.inv(poses[base])
    poses = {name: X_RB @ X for name, X in poses.items() if name != WORLD}
    links: list[list[str]] = [[base]]
    joints: list[TreeJoint] = []
    waiting = [(base, 0)]
    for link, body in waiting:  # Grows while it is gone through.
        for joint in below.get(link, ()):
            at = body
            if joint.type != "fixed":
                at = len(links)
                links.append([])
                joints.append(_moving(joint, body, at, poses[joint.child]))
            links[at].append(joint.child)
            waiting.append((joint.child, at))
    masses = [_mass(description, names, poses) for names in links]
    return ModelTree(
        description,
        base,
        poses,
        tuple(joints),
        tuple(map(tuple, links)),
        tuple(m for m, _ in masses),
        tuple(c for _, c in masses),
    )


def _moving(joint: Joint, parent: int, body: int, X: np.ndarray) -> TreeJoint:
    # At zero the joint's own frame is that of its child.
    axis = X[:3, :3] @ np.array(joint.axis)
    length = float(np.linalg.norm(axis))
    return TreeJoint(joint, parent, body, X[:3, 3], axis / length if length else axis)


def _mass(
    description: Description, names: Sequence[str], poses: dict[str, np.ndarray]
) -> tuple[float, np.ndarray]:
    """Mass [kg] and (3,) center of mass [m] of links; an origin if they have none."""
    mass, moment = 0.0, np.zeros(3)
    for name in names:
        inertial = description.links[name].inertial
        if inertial is None or not inertial.mass:
            continue
        X = poses[name]
        mass += inertial.mass
        moment += inertial.mass * (X[:3, :3] @ inertial.origin.xyz + X[:3, 3])
    return mass, moment / mass if mass else poses[names[0]][:3, 3]
