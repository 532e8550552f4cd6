"""Roles: functions of a robot's joints, independent of their names.

Code that needs an elbow asks for the role "left elbow"; the `roles` of a robot YAML say
which joints have it. Joints of a role stand in order from the base outward, and the
link of a role is what the last of them moves.

With arms and legs that hang, positive angles turn a limb about x ahead (roll), y to the
left (pitch) or z up (yaw), and bend elbows and knees. A joint that turns the other way
has a minus before its name.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from pydrake.multibody.plant import MultibodyPlant

from backbeat.models.common.errors import BackbeatError, unknown_name

SIDES = ("left", "right")
# Parts of an arm and of a leg, which are among its joints, and the turns that single
# joints of them do: about x, y and z, or about the upper arm and the forearm.
ARM_PARTS = ("shoulder", "elbow", "wrist")
LEG_PARTS = ("hip", "knee", "ankle")
TURNS = ("roll", "pitch", "yaw")
# Limbs, which share no joint.
LIMBS = (
    "waist",
    "neck",
    *(f"{side} {limb}" for side in SIDES for limb in ("arm", "leg")),
)
# Part: limb that it belongs to.
PARTS = {
    f"{side} {part}": f"{side} {limb}"
    for side in SIDES
    for limb, parts in (("arm", ARM_PARTS), ("leg", LEG_PARTS))
    for part in parts
}
# Roles of a single joint: the limb that it belongs to.
SINGLE = {f"{limb} {turn}": limb for limb in ("waist", "neck") for turn in TURNS} | {
    f"{part} {turn}": limb
    for part, limb in PARTS.items()
    for turn in TURNS
    if not part.endswith(("elbow", "knee"))
}
PARTS |= SINGLE
ROLES = (*LIMBS, *PARTS)
# Roles that turn about one axis; elbows and knees bend.
TURNING = (*SINGLE, *(f"{side} {part}" for side in SIDES for part in ("elbow", "knee")))
# How far soles are apart at least for one to be the left one [m].
APART = 1e-3


# What stands before the name of a joint that turns the other way than its role.
OPPOSED = "-"
# Turns whose sign changes when left and right are exchanged.
FLIPPED = ("roll", "yaw")


def opposed_joints(roles: Mapping[str, Sequence[str]]) -> frozenset[str]:
    """Joints of a robot YAML's roles that turn the other way than these."""
    return frozenset(
        name.removeprefix(OPPOSED)
        for names in roles.values()
        for name in names
        if name.startswith(OPPOSED)
    )


def joints_by_role(
    roles: Mapping[str, Sequence[str]], groups: Mapping[str, Sequence[str]]
) -> dict[str, tuple[str, ...]]:
    """Names of joints by role, groups replaced by their joints.

    Args:
        roles: joints or groups by role, as a robot YAML has them.
        groups: joints by group.
    """
    return {
        role: tuple(
            joint.removeprefix(OPPOSED)
            for name in names
            for joint in groups.get(name, (name,))
        )
        for role, names in roles.items()
        # A limb that a robot lacks takes its parts along.
        if names and roles.get(PARTS.get(role, ""), names)
    }


def check_roles(joints: Mapping[str, Sequence[str]], where: str | Path) -> None:
    """Checks roles among each other.

    Args:
        joints: names by role.
        where: the YAML, for the message.

    Raises:
        BackbeatError: a role that is none, a part that is not of its limb, limbs that
            share a joint, or several joints where there can be one.
    """
    limb_of: dict[str, str] = {}
    for role, names in joints.items():
        if role not in ROLES:
            raise unknown_name(f"role in {where}", role, ROLES)
        if role in SINGLE and len(names) != 1:
            raise BackbeatError(f"{where}: the role {role!r} is that of one joint")
        limb = PARTS.get(role)
        if limb is not None:
            beyond = [n for n in names if n not in joints.get(limb, ())]
            if beyond:
                raise BackbeatError(
                    f"{where}: the role {role!r} has {beyond[0]}, which the role "
                    f"{limb!r} lacks; write it there too"
                )
            continue
        for name in names:
            other = limb_of.setdefault(name, role)
            if other != role:
                raise BackbeatError(
                    f"{where}: {name} has the roles {other!r} and {role!r}; a joint "
                    "belongs to one limb"
                )


def left_and_right(places: Mapping[str, np.ndarray], robot: str) -> dict[str, str]:
    """Names by side: "left" is what lies farther along y.

    Args:
        places: (3,) places of soles by name, x ahead and y to the left [m].
        robot: its name, for the message.

    Raises:
        BackbeatError: there are not two, or neither is to the left of the other.
    """
    names = sorted(places, key=lambda name: -float(places[name][1]))
    if len(names) != 2:
        raise BackbeatError(
            f"{robot} has {len(names) or 'no'} soles, and this needs a left and a "
            "right one: describe two under `contacts` in its YAML"
        )
    left, right = names
    if places[left][1] - places[right][1] < APART:
        raise BackbeatError(
            f"neither of the soles {left} and {right} of {robot} is to the left of the "
            "other with all joints at zero: the base's x axis has to point ahead, and "
            "its y axis to the left"
        )
    return {"left": left, "right": right}


class RobotRoles:
    """Joints and links of a robot by role."""

    def __init__(
        self,
        joints: Mapping[str, Sequence[str]],
        index: Mapping[str, int],
        moved: Mapping[str, str],
        twins: Mapping[str, str],
        where: str | Path,
        opposed: frozenset[str] = frozenset(),
    ) -> None:
        """Takes what is known of the joints.

        Args:
            joints: names by role.
            index: indices of the moving joints by name.
            moved: link that a joint moves, by name of the joint.
            twins: the joint on the other side, by joint of a limb that has one.
            where: the robot YAML, for messages.
            opposed: joints that turn the other way than their roles.
        """
        self._joints, self._index, self._opposed = dict(joints), index, opposed
        self._moved, self._twins, self._where = moved, twins, where

    def __contains__(self, role: str) -> bool:
        """Whether the robot YAML gives a role to joints."""
        return role in self._joints

    def names(self, role: str) -> tuple[str, ...]:
        """Joints of a role from the base outward, those that are locked among them.

        Raises:
            BackbeatError: the robot YAML gives the role to none.
        """
        if role not in ROLES:
            raise unknown_name("role", role, ROLES)
        if role not in self._joints:
            raise BackbeatError(
                f"{self._where} does not say which joints are the {role}, and this "
                f"needs them; add `roles: {{{role}: [JOINT, ...]}}`"
            )
        return tuple(self._joints[role])

    def joints(self, role: str) -> np.ndarray:
        """(n,) indices of the moving joints of a role; locked ones are left out.

        Raises:
            BackbeatError: the robot YAML gives the role to none.
        """
        names = self.names(role)
        return np.array([self._index[n] for n in names if n in self._index], int)

    def turning(self, role: str) -> tuple[str, float] | None:
        """The moving joint that a turn of a role is, and the sign of its angle.

        Of an elbow with several joints it is the last one; None where the robot has no
        such joint, or has it locked.

        Raises:
            BackbeatError: there is no such role.
        """
        if role not in ROLES:
            raise unknown_name("role", role, ROLES)
        names = [n for n in self._joints.get(role, ()) if n in self._index]
        if not names:
            return None
        return names[-1], -1.0 if names[-1] in self._opposed else 1.0

    def link(self, role: str) -> str:
        """Link that the last joint of a role moves; its origin is on the joint's axis.

        Raises:
            BackbeatError: the robot YAML gives the role to no joint.
        """
        return self._moved[self.names(role)[-1]]

    def mirrored_link(self, link: str) -> str:
        """The link on the other side, by its joint; itself if its joint has no twin."""
        for joint, moved in self._moved.items():
            if moved == link:
                return self._moved[self._twins.get(joint, joint)]
        return link

    def links_beyond(self, role: str, limb: str) -> tuple[str, ...]:
        """The link of a role, and those that the rest of its limb moves after it.

        Raises:
            BackbeatError: the robot YAML lacks one of the roles.
        """
        names = self.names(limb)
        return tuple(self._moved[n] for n in names[names.index(self.names(role)[-1]) :])


def read_roles(
    joints: Mapping[str, Sequence[str]],
    twins: Mapping[str, str],
    index: Mapping[str, int],
    plant: MultibodyPlant,
    where: str | Path,
    opposed: frozenset[str] = frozenset(),
) -> RobotRoles:
    """Roles with the links that joints move.

    Args:
        joints: names of joints by role.
        twins: the joint on the other side, by joint of a limb that has one.
        index: indices of the moving joints by name.
        plant: with all joints of the URDF.
        where: path of the YAML, for errors.
        opposed: joints that turn the other way than their roles.
    """
    all_joints = (plant.get_joint(i) for i in plant.GetJointIndices())
    moved = {joint.name(): joint.child_body().name() for joint in all_joints}
    return RobotRoles(joints, index, moved, twins, where, opposed)
