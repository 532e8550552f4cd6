"""The part of a robot YAML that follows from the shape of the model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from backbeat.models.adoption.arm_postures import nearest_zero
from backbeat.models.adoption.limb_roles import (
    is_oblique,
    knee_of,
    names_by_role,
    roles_of,
    turn_of,
)
from backbeat.models.adoption.limbs import HumanoidLimbs
from backbeat.models.adoption.model_tree import ModelTree, TreeJoint
from backbeat.models.adoption.pairs import flips
from backbeat.models.adoption.proposal import Proposal
from backbeat.models.adoption.soles import Sole, find_sole
from backbeat.models.common.errors import BackbeatError
from backbeat.models.urdf.reading.description import listed

# Names of groups by role, in the order of the file.
GROUPS = {
    "waist": "waist",
    "neck": "neck",
    "left arm": "l_arm",
    "right arm": "r_arm",
    "left leg": "l_leg",
    "right leg": "r_leg",
}
SIDES = ("left", "right")
# Share of a leg's length by which feet that point ahead may reach back.
BACK = 0.05


@dataclass(frozen=True)
class Anatomy:
    """A humanoid's limbs and soles.

    Attributes:
        tree, limbs: the model.
        soles: of the left and the right foot.
        roles: joints by role.
        locked: where joints that do not move are held [rad or m], by name.
    """

    tree: ModelTree
    limbs: HumanoidLimbs
    soles: tuple[Sole, Sole]
    roles: dict[str, tuple[TreeJoint, ...]]
    locked: dict[str, float]


def find_structure(tree: ModelTree, limbs: HumanoidLimbs) -> Anatomy:
    """Soles, roles and what is locked.

    Raises:
        BackbeatError: a foot cannot be stood on.
    """
    left, right = (find_sole(tree, leg) for leg in limbs.legs)
    _check_ahead(tree, limbs, (left, right))
    followers = {j.name for j in tree.joints if j.joint.mimic is not None}
    locked = {j.name: nearest_zero(j) for j in limbs.rest if j.name not in followers}
    return Anatomy(tree, limbs, (left, right), roles_of(tree, limbs), locked)


def _check_ahead(tree: ModelTree, limbs: HumanoidLimbs, soles: Sequence[Sole]) -> None:
    """Refuses a robot whose feet reach back, for x is ahead.

    Raises:
        BackbeatError: they do.
    """
    ahead = []
    for leg, sole in zip(limbs.legs, soles, strict=True):
        X = tree.poses[sole.link]
        middle = X[:3, :3] @ sole.position + X[:3, 3]
        length = float(leg[0].place[2] - middle[2])
        ahead.append(float(middle[0] - leg[-1].place[0]) / length)
    if max(ahead) < -BACK:
        raise BackbeatError(
            f"{tree.description.path.name}: both feet reach {-100 * max(ahead):.0f} % "
            f"of a leg's length back from their ankles, as if x of {tree.base} pointed "
            "back; x is ahead and y to the left: add a link that carries "
            f'{tree.base} by a fixed joint with rpy="0 0 3.14159265"'
        )


def propose_structure(found: Anatomy, proposal: Proposal) -> None:
    """Writes limbs, roles, soles and pairs into a proposal.

    Raises:
        BackbeatError: joints of two sides do not mirror each other.
    """
    tree, limbs = found.tree, found.limbs
    trunk = tree.links[limbs.trunk][0]
    proposal.keys["base"] = tree.base
    proposal.found("base", tree.base, "no joint carries it: it floats")
    proposal.keys["trunk"] = trunk
    if limbs.arms:
        proposal.found("trunk", trunk, "it carries both arms")
    else:
        proposal.guessed("trunk", trunk, "there are no arms, and it is the upper end")
    _propose_contacts(found, proposal)
    _propose_groups(found, proposal)
    _propose_mirror(found, proposal)
    _propose_locked(found, proposal)


def _propose_contacts(found: Anatomy, proposal: Proposal) -> None:
    contacts: dict[str, Any] = {}
    for side, leg, sole in zip(SIDES, found.limbs.legs, found.soles, strict=True):
        contacts[f"{side}_sole"] = {
            "link": sole.link,
            "position": [round(float(x), 5) + 0.0 for x in sole.position],
            **(
                {"rpy": [round(float(x), 6) for x in sole.rpy]} if any(sole.rpy) else {}
            ),
            "half_length": round(sole.half_length, 4),
            "half_width": round(sole.half_width, 4),
            "limb": [j.name for j in leg],
        }
        size = f"{2e3 * sole.half_length:.0f} x {2e3 * sole.half_width:.0f} mm"
        tell = proposal.guessed if sole.is_guess else proposal.found
        tell(f"{side} sole", f"{size} on {sole.link}", f"the lowest of {sole.shapes}")
    proposal.keys["contacts"] = contacts
    if not any(turn_of(j) == "roll" for j in _ankle(found.limbs.legs[0])):
        proposal.found(
            "feet",
            "cannot roll by themselves",
            "no joint below the knee turns about x; a narrow sole rolls with its leg, "
            "a wide one lies flat and bears a roll moment of half its width times load",
        )


def _ankle(leg: Sequence[TreeJoint]) -> Sequence[TreeJoint]:
    return leg[knee_of(leg) + 1 :]


def _propose_groups(found: Anatomy, proposal: Proposal) -> None:
    roles, limbs = names_by_role(found.roles), found.limbs
    proposal.keys["groups"] = {
        group: roles[role] for role, group in GROUPS.items() if role in roles
    }
    proposal.keys["roles"] = {
        role: [GROUPS[role]] if role in GROUPS else names
        for role, names in roles.items()
    }
    for side, leg in zip(SIDES, limbs.legs, strict=True):
        turns = ", ".join(f"{j.name} {turn_of(j)}" for j in leg)
        proposal.found(
            f"{side} leg",
            f"{len(leg)} joints, knee {roles[f'{side} knee'][0]}",
            f"the lower of the mirrored branches; axes at zero: {turns}",
        )
    for side, arm in zip(SIDES, limbs.arms or (), strict=False):
        proposal.found(
            f"{side} arm",
            f"{len(arm)} joints, elbow {roles[f'{side} elbow'][-1]}",
            "a mirrored branch of the trunk; the elbow changes its length most",
        )
    for limb in ("waist", "neck"):
        if limb in roles:
            turns = ", ".join(f"{j.name} {turn_of(j)}" for j in found.roles[limb])
            proposal.found(limb, f"{len(roles[limb])} joints", f"axes at zero: {turns}")
        else:
            proposal.found(limb, "none", "no joint is in its place")
    if limbs.arms is None:
        proposal.found("arms", "none", "no mirrored branches above the legs")
    for joint in found.tree.joints:
        if joint.name not in found.locked and is_oblique(joint):
            proposal.guessed(
                f"axis of {joint.name}",
                turn_of(joint),
                "it is oblique; this is nearest",
            )


def _propose_mirror(found: Anatomy, proposal: Proposal) -> None:
    limbs = found.limbs
    pairs = [(limbs.legs, "leg"), *([(limbs.arms, "arm")] if limbs.arms else [])]
    proposal.keys["mirror_groups"] = {f"l_{name}": f"r_{name}" for _, name in pairs}
    flipped: list[str] = []
    for pair, _ in pairs:
        for left, right in zip(*pair, strict=True):
            if _flip(left, right):
                flipped += [left.name, right.name]
    for joint in (*limbs.waist, *limbs.neck):
        sign = flips(joint, joint)
        if sign is None:
            proposal.guessed(
                f"mirror of {joint.name}", "keeps its sign", "its axis is oblique"
            )
        elif sign:
            flipped.append(joint.name)
    proposal.keys["mirror_flips"] = flipped
    proposal.found(
        "mirrored pairs",
        ", ".join(f"l_{name} and r_{name}" for _, name in pairs),
        f"{len(flipped)} joints change their sign: their axes mirror so",
    )


def _flip(left: TreeJoint, right: TreeJoint) -> bool:
    sign = flips(left, right)
    if sign is None:
        raise BackbeatError(
            f"the axes of {left.name} and {right.name} do not mirror each other"
        )
    return sign


def _propose_locked(found: Anatomy, proposal: Proposal) -> None:
    if not found.locked:
        return
    proposal.keys["locked"] = {n: round(q, 4) + 0.0 for n, q in found.locked.items()}
    proposal.guessed(
        "locked",
        f"{len(found.locked)} joints where they are nearest to zero: "
        f"{listed(list(found.locked))}",
        "they are no joints of a limb: fingers, grippers, toes or eyes",
    )


def described_limits(tree: ModelTree, locked: Mapping[str, float]) -> list[str]:
    """Names of moving joints that have no limits of position."""
    return [
        j.name
        for j in tree.joints
        if j.name not in locked
        and (
            j.joint.type == "continuous"
            or j.joint.limit is None
            or j.joint.limit.lower is None
            or j.joint.limit.upper is None
        )
    ]
