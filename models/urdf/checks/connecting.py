"""Elements of a URDF that connect links and are no joints, and what is between."""

from collections.abc import Collection, Iterator, Sequence

from backbeat.models.urdf.reading.description import WORLD, Description, Tag, listed
from backbeat.models.urdf.reading.finding import Finding, Severity

BALL = "drake:ball_constraint"


def check_connecting(description: Description) -> Iterator[Finding]:
    """Elements with which no robot is made of a description."""
    for element in description.connections:
        ends = ends_of(element)
        between = joints_between(description, ends)
        moving = [n for n in between or () if moves(description, n)]
        if between is not None and not moving:
            continue
        follow = any(description.joints[n].mimic is not None for n in moving)
        over = f" over the joints {listed(moving)}" if moving else ""
        yield Finding(
            "connects-links",
            Severity.WARNING if element.name == BALL and follow else Severity.ERROR,
            element.line,
            f"<{element.name}>",
            f"it acts{over}, which nothing plans with or simulates; a robot with it is "
            "refused" + (" unless joints that follow keep it closed" if follow else ""),
            "take it out, or lock these joints in the robot YAML, or let all but one "
            "of them follow by <mimic> such that it stays closed",
        )


def ends_of(element: Tag) -> list[str]:
    """Links, frames or joints that an element connects, as it names them."""
    return [
        tag.attributes["name"]
        for tag in element.children
        if tag.attributes.get("name") and "_p_" not in tag.name
    ]


def joints_between(description: Description, ends: Sequence[str]) -> list[str] | None:
    """Joints between the ends of an element; None where they are no two of a tree."""
    if ends and all(name in description.joints for name in ends):
        return list(ends)
    frames = description.frames
    links = [frames[n].link if n in frames else n for n in ends]
    if len(links) != 2 or any(n not in description.links and n != WORLD for n in links):
        return None
    ways = [way_to(description, n) for n in links]
    return [n for a, b in (ways, ways[::-1]) for n in a if n not in b]


def way_to(description: Description, link: str) -> list[str]:
    """Names of the joints that carry a link, itself first, up to a tree's root."""
    above = {j.child: j for j in description.joints.values()}
    found: list[str] = []
    while link in above and above[link].name not in found:
        found.append(above[link].name)
        link = above[link].parent
    return found


def moves(description: Description, joint: str, held: Collection[str] = ()) -> bool:
    """Whether a joint is neither fixed nor held."""
    return description.joints[joint].type != "fixed" and joint not in held
