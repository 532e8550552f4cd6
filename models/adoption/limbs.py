"""Limbs of a humanoid, found by mirrored branches: legs, waist, arms and neck."""

from dataclasses import dataclass

from backbeat.models.adoption.model_tree import ModelTree, TreeJoint
from backbeat.models.adoption.pairs import ALIKE, Pair, difference, find_pairs, limb
from backbeat.models.common.errors import BackbeatError
from backbeat.models.urdf.reading.description import listed

# Joints of a leg and of an arm at least, and of an arm at most.
LEG_LEAST, ARM_LEAST, ARM_MOST = 3, 2, 8
# Share of a leg's length by which other legs may end higher and are legs all the same.
EQUALLY_LOW = 0.15
# Share of the robot's height by which legs end below the middle of the base.
BELOW = 0.3
# Share of the mass of the heaviest pair of arms from which another is one, too.
SECOND_ARMS = 0.4
# Share of a leg's length by which toes bend ahead of the ankle.
TOE = 0.03


@dataclass(frozen=True)
class HumanoidLimbs:
    """Joints of a humanoid by limb, each outward.

    Attributes:
        trunk: the body that carries the arms.
        legs: the two legs, left and right.
        arms: the two arms, left and right; None if it has none.
        waist: joints between base and trunk, or between base and hips.
        neck: joints of the head.
        rest: joints of none of these: fingers, grippers, toes, eyes.
    """

    trunk: int
    legs: Pair
    arms: Pair | None
    waist: tuple[TreeJoint, ...]
    neck: tuple[TreeJoint, ...]
    rest: tuple[TreeJoint, ...]


def find_limbs(tree: ModelTree, trunk: str = "") -> HumanoidLimbs:
    """Finds the limbs of a humanoid.

    Args:
        tree: its bodies and joints.
        trunk: link that is the trunk; "" finds it.

    Raises:
        BackbeatError: it has not two legs that mirror each other, or more than one
            link that could be the trunk.
    """
    pairs = find_pairs(tree)
    legs = _legs(tree, pairs)
    used = {j.name for leg in legs for first in leg[:1] for j in tree.beyond(first)}
    above = [p for p in pairs if p.left[0].name not in used]
    arms = _arms(tree, above, trunk)
    body = arms.parent if arms else _upper(tree, trunk, used)
    waist = tuple(
        dict.fromkeys(j.name for j in (*tree.way(body), *tree.way(legs.parent)))
    )
    by_name = {j.name: j for j in tree.joints}
    taken = {*waist, *(j.name for p in (legs, arms) if p for s in p for j in s)}
    neck = _neck(tree, body, taken | used) if arms else ()
    taken |= {j.name for j in neck}
    return HumanoidLimbs(
        body,
        legs,
        arms,
        tuple(by_name[n] for n in waist),
        neck,
        tuple(j for j in tree.joints if j.name not in taken),
    )


def _legs(tree: ModelTree, pairs: tuple[Pair, ...]) -> Pair:
    """The pair of branches that ends lowest.

    Raises:
        BackbeatError: there is none, or there are several.
    """
    name = tree.description.path.name
    low = [p for p in pairs if len(p.left) >= LEG_LEAST]
    low.sort(key=lambda p: tree.lowest_beyond(p.left[0]))
    lowest = min((tree.lowest_beyond(j) for j in tree.joints), default=0.0)
    # Arms of a robot without legs end about where its base is.
    lowest = min(lowest, float(tree.center[0][2]) - BELOW * tree.height)
    if not low or tree.lowest_beyond(low[0].left[0]) > lowest + 0.1 * tree.height:
        raise BackbeatError(_no_pair(tree, name))
    legs = low[0]
    ends = [tree.lowest_beyond(p.left[0]) for p in low]
    length = float(legs.left[0].place[2]) - ends[0]
    others = [
        p
        for p, end in zip(low[1:], ends[1:], strict=True)
        if end < ends[0] + EQUALLY_LOW * length
    ]
    if others:
        raise BackbeatError(
            f"{name} has more than two legs: {legs.left[0].name} and "
            f"{others[0].left[0].name} begin legs that end equally low; Backbeat "
            "adopts robots that stand on two feet"
        )
    pair = Pair(*(_without_toes(leg) for leg in legs))
    follower = next(
        (j for leg in pair for j in _all_along(tree, leg) if j.joint.mimic), None
    )
    if follower is not None:
        raise BackbeatError(
            f"{name} line {follower.joint.line}: the joint {follower.name} of a leg "
            f"follows {follower.joint.mimic.joint if follower.joint.mimic else ''} by "
            "<mimic>, and a robot cannot rest on a follower; give it a motor of its "
            "own (take the <mimic> out), or fix it by an overlay "
            f"(`joints: {{{follower.name}: {{type: fixed}}}}`)"
        )
    return pair


def _all_along(tree: ModelTree, leg: tuple[TreeJoint, ...]) -> list[TreeJoint]:
    """Joints of a leg, and those that it goes on with."""
    return [*leg, *tree.children(leg[-1].body)]


def _no_pair(tree: ModelTree, name: str) -> str:
    """What keeps the two lowest branches from being legs."""
    branches = [j for j in tree.joints if len(tree.children(j.parent)) > 1]
    branches.sort(key=tree.lowest_beyond)
    remedy = (
        "legs are two branches of at least three joints on one link that mirror each "
        "other about the base's x-z plane with all joints at zero"
    )
    if not branches:
        return (
            f"{name} has no feet that are a pair: its joints make no branches; {remedy}"
        )
    first = branches[0]
    others = [b for b in branches[1:] if b.parent == first.parent]
    if not others:
        return (
            f"{name} has no feet that are a pair: nothing beside {first.name}, which "
            f"ends lowest, is a second leg; {remedy}"
        )
    reach = len(limb(tree, first))
    other = min(others, key=lambda j: abs(len(limb(tree, j)) - reach))
    left, right = sorted((first, other), key=lambda j: -j.place[1])
    pair = Pair(limb(tree, left), limb(tree, right))
    follower = next((j for j in tree.beyond(first) if j.joint.mimic), None)
    if follower is not None and follower.joint.mimic is not None:
        return (
            f"{name} line {follower.joint.line}: the joint {follower.name} of a leg "
            f"follows {follower.joint.mimic.joint} by <mimic>, and a robot cannot rest "
            "on a follower; give it a motor of its own (take the <mimic> out), or fix "
            f"it by an overlay (`joints: {{{follower.name}: {{type: fixed}}}}`)"
        )
    why = difference(tree, pair) or "do not end below the base"
    if abs(left.place[2] + right.place[2]) < ALIKE * tree.height < abs(left.place[2]):
        why = "are apart along z, as if y were up, and a URDF has z up"
    return (
        f"{name} has no feet that are a pair: of the lowest branches, {left.name} and "
        f"{right.name}, {why}; {remedy}"
    )


def _without_toes(leg: tuple[TreeJoint, ...]) -> tuple[TreeJoint, ...]:
    """A leg without a last joint that bends the toes, ahead of the ankle."""
    if len(leg) < 6 or abs(float(leg[-1].axis[1])) < 0.9:
        return leg
    step = leg[-1].place - leg[-2].place
    length = float(leg[0].place[2] - leg[-1].place[2])
    is_ahead = abs(float(step[0])) > TOE * length
    bends = sum(abs(float(j.axis[1])) > 0.9 for j in leg)
    return leg[:-1] if is_ahead and bends > 3 else leg


def _arms(tree: ModelTree, pairs: list[Pair], trunk: str) -> Pair | None:
    """The heaviest pair of branches above the legs; None if there is none.

    Raises:
        BackbeatError: pairs on several links are as heavy.
    """
    long = [_without_gripper(tree, p) for p in pairs]
    long = [p for p in long if len(p.left) >= ARM_LEAST]
    if trunk:
        body = tree.body_of(trunk)
        if body is None:
            raise BackbeatError(
                f"{tree.description.path.name} has no link {trunk!r} to be the trunk"
            )
        long = [p for p in long if p.parent == body]
    masses = [tree.mass_beyond(p.left[0]) for p in long]
    if not long:
        return None
    arms = long[masses.index(max(masses))]
    others = [
        p
        for p, mass in zip(long, masses, strict=True)
        if p is not arms and mass > SECOND_ARMS * max(masses)
    ]
    if others:
        a, b = (tree.links[p.parent][0] for p in (arms, others[0]))
        first = listed(
            [j.name for p in (arms, others[0]) for j in (p.left[0], p.right[0])]
        )
        what = (
            f"two links could be the trunk, {a} and {b}: both carry arms"
            if a != b
            else f"the link {a} carries four arms"
        )
        name = tree.description.path.name
        raise BackbeatError(
            f"{name}: {what} ({first}); say which link is the trunk by `--trunk {a}`, "
            "or take the other arms out by `remove` of an overlay"
        )
    return arms


def _upper(tree: ModelTree, trunk: str, taken: set[str]) -> int:
    """The trunk of a robot without arms: the end of the heaviest branch beside legs."""
    if trunk:
        return tree.body_of(trunk) or 0
    free = [
        j for j in tree.children(0) if not any(b.name in taken for b in tree.beyond(j))
    ]
    if not free:
        return 0
    return limb(tree, max(free, key=tree.mass_beyond))[-1].body


def _without_gripper(tree: ModelTree, pair: Pair) -> Pair:
    """A pair of arms without what opens and closes at their ends."""
    leaders = {j.joint.mimic.joint for j in tree.joints if j.joint.mimic is not None}
    n = len(pair.left)
    while n and any(
        side[n - 1].joint.type == "prismatic" or side[n - 1].name in leaders
        for side in pair
    ):
        n -= 1
    n = min(n, ARM_MOST)
    return Pair(pair.left[:n], pair.right[:n])


def _neck(tree: ModelTree, trunk: int, taken: set[str]) -> tuple[TreeJoint, ...]:
    """The branch on the trunk that ends highest, if it is in the middle."""
    firsts = [
        j
        for j in tree.children(trunk)
        if j.name not in taken
        and j.joint.mimic is None
        and abs(float(j.place[1])) < 0.05 * tree.height
        and j.joint.type != "prismatic"
    ]
    firsts = [j for j in firsts if not any(b.name in taken for b in tree.beyond(j))]
    if not firsts:
        return ()
    first = max(firsts, key=lambda j: max(b.place[2] for b in tree.beyond(j)))
    middle = max(j.place[2] for j in tree.joints) - 0.5 * tree.height
    if first.place[2] < middle:
        return ()
    return tuple(
        j for j in limb(tree, first) if tree.mass_beyond(j) > 0.001 * tree.total_mass
    )
