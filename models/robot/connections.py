"""What connects links of a robot beside its tree of joints: closed loops, springs.

Plans and controllers take a robot for a tree, and so do simulations here. An element
that closes a loop, or pushes between links, is let through only where it changes
nothing: where every joint between its ends is held, or where the joints that are held
and those that follow keep a ball constraint closed over the range of their leaders.
Anything else is refused by name, for the loop would come apart in plans and in
simulations alike.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import ForceElementIndex

from backbeat.models.common.bounds import check_count
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.mimic import Follower
from backbeat.models.urdf.checks.connecting import (
    BALL,
    ends_of,
    joints_between,
    moves,
    way_to,
)
from backbeat.models.urdf.reading.description import Description, Tag, listed

# Distance of two points that are one [m], and postures in which that is looked at.
CLOSED, SAMPLES = 1e-3, 100
# Elements of a robot that are looked at, and joints in the loop of one of them.
MOST, LONGEST = 30, 60
# What a loop may be replaced by.
REMEDY = (
    "remove it; or keep it and let the robot YAML hold these joints where the loop is "
    "closed (`locked: {...}`), or let all but one of them follow by <mimic> such that "
    "it stays closed"
)


def check_connections(
    description: Description,
    held: Mapping[str, float],
    followers: Sequence[Follower],
) -> tuple[str, ...]:
    """Refuses what connects links and is no joint, where it would change anything.

    Args:
        description: what the URDF says.
        held: positions of joints that are held [rad or m], by name.
        followers: joints that follow moving ones.

    Returns:
        Notes about those that change nothing.

    Raises:
        BackbeatError: an element that models of control and simulation leave out.
    """
    what = "elements that connect links and are no joints"
    check_count(str(description.path), what, len(description.connections), MOST)
    return tuple(
        _check(description, element, held, followers)
        for element in description.connections
    )


def _check(
    description: Description,
    element: Tag,
    held: Mapping[str, float],
    followers: Sequence[Follower],
) -> str:
    """A note about an element that changes nothing; refuses any other."""
    what = f"<{element.name}>"
    where = f"{description.path} line {element.line}: {what}"
    ends = ends_of(element)
    if ends:
        where += f" between {' and '.join(map(repr, ends))}"
    between = joints_between(description, ends)
    moving = [n for n in between or () if moves(description, n, held)]
    check_count(where, "joints between its ends", len(between or ()), LONGEST)
    if between is None:
        raise BackbeatError(f"{where} is not simulated or planned with; remove it")
    if moving and element.name != BALL:
        raise BackbeatError(
            f"{where} acts over the joints {listed(moving)}, and nothing of it is in "
            f"plans or simulations; {_remedy(element)}"
        )
    if element.name == BALL:
        gap = _gap(description, element, moving, held, followers)
        if gap > CLOSED and moving:
            raise BackbeatError(
                f"{where} closes a loop over the joints {listed(moving)}, which plans "
                f"and simulations take for a tree: it would open by up to {gap:.2g} m; "
                f"{REMEDY}"
            )
        if gap > CLOSED:
            raise BackbeatError(
                f"{where} is open by {gap:.2g} m where its joints are held; hold them "
                "where it is closed, or remove it"
            )
        if moving:
            return f"{what} between {' and '.join(ends)} is kept by joints that follow"
    return f"{what} between {' and '.join(ends)} changes nothing: its joints are held"


def _remedy(element: Tag) -> str:
    if element.name == "drake:tendon_constraint":
        return (
            "remove it, or let the robot YAML hold these joints (`locked: {...}`), or "
            "write joints that move together as <mimic>"
        )
    return "remove it, or let the robot YAML hold these joints (`locked: {...}`)"


def _gap(
    description: Description,
    element: Tag,
    moving: Sequence[str],
    held: Mapping[str, float],
    followers: Sequence[Follower],
) -> float:
    """Largest distance of the points that a ball constraint keeps together [m]."""
    way_a, way_b = (way_to(description, body) for body in ends_of(element))
    ways = (
        [n for n in way_a if n not in way_b],
        [n for n in way_b if n not in way_a],
    )
    points = [_point(description, element, end) for end in ("p_AP", "p_BQ")]
    known = {f.name: f for f in followers}
    leaders = sorted({known[n].leader if n in known else n for n in moving})
    ranges = np.array([_range(description, n) for n in leaders]).reshape(-1, 2)
    draws = np.random.default_rng(0).uniform(size=(SAMPLES, len(leaders)))
    draws = np.vstack([np.zeros(len(leaders)), np.ones(len(leaders)), draws])
    largest = 0.0
    for share in draws if leaders else draws[:1]:
        q = ranges[:, 0] + share * (ranges[:, 1] - ranges[:, 0])
        at = dict(held) | dict(zip(leaders, q.tolist(), strict=True))
        at |= {
            f.name: f.multiplier * at[f.leader] + f.offset
            for f in followers
            if f.leader in at
        }
        p_P, p_Q = (
            _carried(description, way, at, p)
            for way, p in zip(ways, points, strict=True)
        )
        largest = max(largest, float(np.linalg.norm(p_P - p_Q)))
    return largest


def _carried(
    description: Description,
    way: Sequence[str],
    at: Mapping[str, float],
    point: np.ndarray,
) -> np.ndarray:
    """(3,) a point of a body in the link that a way of joints begins at [m]."""
    # For this alone SciPy's rotations are loaded, in a fifth of a second.
    from backbeat.models.urdf.reading.forward_kinematics import joint_motion, transform

    p = np.r_[point, 1.0]
    for name in way:
        joint = description.joints[name]
        p = transform(joint.origin) @ joint_motion(joint, at.get(name, 0.0)) @ p
    return p[:3]


def _point(description: Description, element: Tag, end: str) -> np.ndarray:
    """(3,) point of a ball constraint in its body [m]."""
    for tag in element.children:
        if tag.name == f"{BALL}_{end}":
            words = tag.attributes.get("value", "").split()
            try:
                point = np.array(words, float)
            except ValueError:
                break
            if point.shape == (3,) and np.isfinite(point).all():
                return point
            break
    raise BackbeatError(
        f"{description.path} line {element.line}: <{BALL}_{end}> needs value= with "
        "three numbers"
    )


def _range(description: Description, name: str) -> tuple[float, float]:
    """Limits of a joint [rad or m]; a turn, or a meter, where it has none."""
    limit = description.joints[name].limit
    lower, upper = (None, None) if limit is None else (limit.lower, limit.upper)
    most = 1.0 if description.joints[name].type == "prismatic" else np.pi
    if description.joints[name].type == "continuous":
        lower = upper = None
    return (-most if lower is None else lower, most if upper is None else upper)


def refuse_foreign_connections(path: str | Path, plant: MultibodyPlant) -> None:
    """Refuses a model in another format than URDF that has any; nothing honors them.

    Args:
        path: the model.
        plant: the model alone, read by Drake for a solver that has constraints.

    Raises:
        BackbeatError: it has a constraint or a force element.
    """
    # The first force element is gravity.
    forces = [
        type(plant.get_force_element(ForceElementIndex(i))).__name__
        for i in range(1, plant.num_force_elements())
    ]
    if plant.num_constraints():
        raise BackbeatError(
            f"{path} has {plant.num_constraints()} constraints between its joints or "
            "links, which are neither planned with nor simulated; remove them, or "
            "write the model as a URDF, of which <mimic> is honored"
        )
    if forces:
        raise BackbeatError(
            f"{path} has {listed(sorted(set(forces)))} in it, which is neither planned "
            "with nor simulated; remove it"
        )
