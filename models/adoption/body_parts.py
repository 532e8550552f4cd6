"""Words for postures: parts of the body, and places beside it for the hands.

Places are where hands rest on a person, in shares of the length of a leg, from hips,
knees and shoulders with joints at zero.
"""

from collections.abc import Iterator

import numpy as np

from backbeat.models.adoption.model_tree import ModelTree, TreeJoint
from backbeat.models.adoption.proposal import Proposal
from backbeat.models.adoption.structure import GROUPS, SIDES, Anatomy

# Places of a left hand: ahead, to the left and up, in lengths of a leg, from the left
# shoulder or hip, or the left knee.
FROM_SHOULDER = {"head": (0.15, 0.05, 0.2), "shoulder": (0.22, 0.05, 0.0)}
FROM_MIDDLE = {"chest": (0.32, 0.1, -0.15)}
FROM_HIP = {"belly": (0.32, 0.02, 0.2), "hip": (0.12, 0.2, 0.12)}
FROM_KNEE = {"knee": (0.18, 0.04, 0.06)}


def propose_parts(found: Anatomy, proposal: Proposal) -> None:
    """Writes parts of the body and places on it into a proposal."""
    parts = dict(_parts(found))
    proposal.keys["parts"] = parts
    proposal.guessed(
        "parts",
        ", ".join(f"{name} {part['frame']}" for name, part in parts.items()),
        "words of postures: of the links at the ends of limbs, those that are nearest "
        "to the middle of what is there",
    )
    if found.limbs.arms is not None:
        proposal.keys["places"] = {
            name: {"link": link, "position": [round(float(x), 3) + 0.0 for x in p]}
            for name, link, p in _places(found)
        }
        proposal.guessed(
            "places",
            ", ".join(proposal.keys["places"]),
            "where hands rest on a person of this size",
        )


def _parts(found: Anatomy) -> Iterator[tuple[str, dict[str, str]]]:
    """Frame and limb of each part, by name."""
    tree, limbs = found.tree, found.limbs
    for side, arm in zip(SIDES, limbs.arms or (), strict=False):
        frame = _end(tree, arm[-1])
        yield f"{side} hand", {"frame": frame, "limb": GROUPS[f"{side} arm"]}
    waist = {"limb": GROUPS["waist"]} if limbs.waist else {}
    if limbs.neck:
        frame = _end(tree, limbs.neck[-1])
        yield "head", {"frame": frame, "limb": GROUPS["neck"]}
    yield "chest", {"frame": tree.links[limbs.trunk][0], **waist}
    yield "pelvis", {"frame": tree.base}
    for side, sole in zip(SIDES, found.soles, strict=True):
        yield f"{side} foot", {"frame": sole.link, "limb": GROUPS[f"{side} leg"]}


def _end(tree: ModelTree, joint: TreeJoint) -> str:
    """The link at the end of a limb: nearest to the middle of what its joint moves."""
    middle = tree.center_beyond(joint)
    return min(
        tree.links[joint.body],
        key=lambda link: float(np.linalg.norm(tree.poses[link][:3, 3] - middle)),
    )


def _places(found: Anatomy) -> Iterator[tuple[str, str, np.ndarray]]:
    """Name, link, and place in the link [m]."""
    tree, limbs = found.tree, found.limbs
    assert limbs.arms is not None
    leg, knee = limbs.legs.left, found.roles["left knee"][0]
    trunk = tree.links[limbs.trunk][0]
    shoulder, hip = limbs.arms.left[0].place, leg[0].place
    length = float(hip[2] - leg[-1].place[2])
    middle = shoulder * [1.0, 0.0, 1.0]
    for places, start, link in (
        (FROM_SHOULDER, shoulder, trunk),
        (FROM_MIDDLE, middle, trunk),
        (FROM_HIP, hip, tree.base),
        (FROM_KNEE, knee.place, tree.moved_link(knee)),
    ):
        for name, away in places.items():
            X = tree.poses[link]
            p = start + length * np.array(away)
            yield name, link, X[:3, :3].T @ (p - X[:3, 3])
