"""Mimic joints: those that follow another, position = multiplier x other + offset.

A follower whose leader is held is held with it. One whose leader moves is coupled to
it by a constraint in simulations, and goes along wherever a robot is drawn or a plan is
verified. The models of control and optimization are trees of joints that move by
themselves: there a follower stays where it is while its leader is at zero. Fingers are
so light that this is a small error of the model; no robot may rest on a follower.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import ModelInstanceIndex

from backbeat.models.common.errors import BackbeatError
from backbeat.models.urdf.reading.description import SINGLE, Description, Joint


@dataclass(frozen=True)
class Follower:
    """A joint that goes along with one that moves.

    Attributes:
        name: the joint.
        leader: the moving joint at the end of the chain that it follows.
        multiplier, offset: position = multiplier x leader's + offset [rad or m].
    """

    name: str
    leader: str
    multiplier: float
    offset: float


class Following:
    """Puts followers where their leaders take them, in the arrays of a plant."""

    def __init__(self, plant: MultibodyPlant, followers: Sequence[Follower]) -> None:
        """Finds the joints of the followers in a finalized plant."""
        joints = [
            (plant.GetJointByName(f.name), plant.GetJointByName(f.leader))
            for f in followers
        ]
        self._q = np.array(
            [[f.position_start(), to.position_start()] for f, to in joints], int
        ).reshape(-1, 2)
        self._v = np.array(
            [[f.velocity_start(), to.velocity_start()] for f, to in joints], int
        ).reshape(-1, 2)
        self._multiplier = np.array([f.multiplier for f in followers])
        self._offset = np.array([f.offset for f in followers])

    def place(self, q: np.ndarray) -> None:
        """Sets the followers' positions, (..., plant's nq), in place."""
        q[..., self._q[:, 0]] = self._multiplier * q[..., self._q[:, 1]] + self._offset

    def move(self, v: np.ndarray) -> None:
        """Sets their velocities or accelerations, (..., plant's nv), in place."""
        v[..., self._v[:, 0]] = self._multiplier * v[..., self._v[:, 1]]

    def pass_on(self, tau: np.ndarray) -> None:
        """Adds what moves the followers to the efforts of leaders, in place."""
        for (follower, leader), multiplier in zip(
            self._v, self._multiplier, strict=True
        ):
            tau[..., leader] += multiplier * tau[..., follower]


def couple(
    plant: MultibodyPlant,
    instance: ModelInstanceIndex,
    followers: Sequence[Follower],
    known: int,
) -> None:
    """Couples followers to their leaders in a plant of a simulation.

    Args:
        plant: plant that is not finalized, with the robot; one without time steps
            gets no couplings.
        instance: the robot.
        followers: its followers.
        known: number of constraints that the plant had before the robot.
    """
    # Those of Drake's reader take hold of followers that are locked as well, and
    # its solver would have nothing to divide by. Constraints that are no couplings are
    # refused where the model is made, or change nothing: see
    # `backbeat.models.robot.connections`.
    for constraint in plant.GetConstraintIds()[known:]:
        plant.RemoveConstraint(constraint)
    if plant.time_step() > 0.0:
        for f in followers:
            joints = (plant.GetJointByName(n, instance) for n in (f.name, f.leader))
            plant.AddCouplerConstraint(*joints, f.multiplier, f.offset)


def find_followers(
    description: Description, locked: Mapping[str, float]
) -> tuple[dict[str, float], tuple[Follower, ...]]:
    """Angles of all joints that are held, and those that follow a moving one.

    Args:
        description: what the URDF says.
        locked: angles of joints that are held [rad or m], by name.

    Raises:
        BackbeatError: a joint follows itself, or one that there is not, or it is held
            elsewhere than where it would have to be.
    """
    held, followers = dict(locked), []
    for joint in description.joints.values():
        if joint.mimic is None or joint.type not in SINGLE:
            continue
        leader, multiplier, offset = _leader(description, joint)
        if leader.type == "fixed" or multiplier == 0.0:
            at = offset
        elif leader.name in locked:
            at = multiplier * locked[leader.name] + offset
        elif joint.name in locked:
            raise BackbeatError(
                f"{_where(description, joint)} is locked at {locked[joint.name]:g} and "
                f"mimics {leader.name!r}, which moves; lock that one"
            )
        else:
            followers.append(Follower(joint.name, leader.name, multiplier, offset))
            continue
        if abs(held.setdefault(joint.name, at) - at) > 1e-6:
            raise BackbeatError(
                f"{_where(description, joint)} is locked at {held[joint.name]:g} and "
                f"mimics {leader.name!r}, with which it would be at {at:g}"
            )
    return held, tuple(followers)


def _leader(description: Description, joint: Joint) -> tuple[Joint, float, float]:
    """The joint at the end of a chain, and the multiplier and offset of all of it."""
    multiplier, offset, at, seen = 1.0, 0.0, joint, {joint.name}
    while at.mimic is not None:
        offset += multiplier * at.mimic.offset
        multiplier *= at.mimic.multiplier
        name = at.mimic.joint
        if name not in description.joints:
            raise BackbeatError(
                f"{_where(description, joint)} mimics {name!r}, and there is no such "
                "joint"
            )
        if name in seen:
            raise BackbeatError(
                f"{_where(description, joint)} follows {name!r} in a circle"
            )
        seen.add(name)
        at = description.joints[name]
    if at.type not in (*SINGLE, "fixed"):
        raise BackbeatError(
            f"{_where(description, joint)} mimics {at.name!r}, which is {at.type} and "
            "has no single position"
        )
    return at, multiplier, offset


def _where(description: Description, joint: Joint) -> str:
    return f"{description.path} line {joint.line}: joint {joint.name!r}"
