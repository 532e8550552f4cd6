"""Requirements of Gazebo on a URDF, and its tags that change a simulation."""

import math
from collections.abc import Iterator
from pathlib import PurePosixPath

from backbeat.models.urdf.reading.description import WORLD, Description, Tag
from backbeat.models.urdf.reading.finding import Finding, Severity

_NOTE, _WARNING, _ERROR = Severity.NOTE, Severity.WARNING, Severity.ERROR
_TRUE = ("true", "1")
# What acts of a link, and of the robot: a robot with another value is refused.
_OF_LINKS = (
    *("mu1", "mu2", "kp", "kd"),
    *("gravity", "turnGravityOff", "selfCollide"),
)
_OF_ROBOTS = ("static",)
# Tags that are numbers, and those that are yes or no.
NUMBERS = (
    *("dampingFactor", "maxVel", "minDepth", "mu1", "mu2", "kp", "kd", "maxContacts"),
    *("laserRetro", "stopCfm", "stopErp", "fudgeFactor"),
)
SWITCHES = (
    *("gravity", "turnGravityOff", "selfCollide", "static", "provideFeedback"),
    *("cfmDamping", "implicitSpringDamper"),
)


def check_gazebo_tags(description: Description) -> Iterator[Finding]:
    """Tags that refer to nothing, cannot be read, or mean another simulation."""
    known = {"", *description.links, *description.joints}
    for gazebo in description.gazebo:
        where = f"gazebo {gazebo.reference!r}" if gazebo.reference else "gazebo"
        if gazebo.reference not in known:
            says = f"{gazebo.reference!r} is neither a link nor a joint"
            yield Finding(
                "unknown-reference",
                _WARNING,
                gazebo.line,
                where,
                says,
                "correct the name",
            )
        for tag in gazebo.tags:
            acts = tag.name in (_OF_LINKS if gazebo.reference else _OF_ROBOTS)
            is_read = gazebo.reference in ("", *description.links)
            yield from _check_tag(where, tag, acts and is_read)


def _check_tag(where: str, tag: Tag, acts: bool) -> Iterator[Finding]:
    said, severity = tag.said, _ERROR if acts else _NOTE
    if tag.name in NUMBERS and not _is_number(said):
        says = f"<{tag.name}> is {said[:40]!r}; it must be a number"
        yield Finding("bad-gazebo-value", severity, tag.line, where, says)
    elif tag.name in NUMBERS and acts and not 0.0 <= float(said) < math.inf:
        says = f"<{tag.name}> is {said[:40]!r}; it must be a number of at least 0"
        yield Finding("bad-gazebo-value", severity, tag.line, where, says)
    elif tag.name in SWITCHES and said.strip().lower() not in (*_TRUE, "false", "0"):
        says = f"<{tag.name}> is {said[:40]!r}; it must be true or false"
        yield Finding("bad-gazebo-value", severity, tag.line, where, says)
    elif (tag.name, said.strip().lower() in _TRUE) in (
        ("gravity", False),
        ("turnGravityOff", True),
    ):
        says = (
            "gravity is off for it; Drake pulls at it all the same, and so does "
            "Backbeat where not all links say so (it refuses a robot of which they "
            "are over a tenth of the mass)"
        )
        yield Finding("gravity-beyond-drake", Severity.NOTE, tag.line, where, says)
    elif tag.name == "static" and said.strip().lower() in _TRUE:
        yield Finding(
            "static-beyond-drake",
            Severity.NOTE,
            tag.line,
            where,
            "the robot is meant to stay where it is; Backbeat fixes its base, and "
            "Drake alone lets it fall",
            'fix its root: <link name="world"/> and a fixed joint from there',
        )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def check_for_gazebo(description: Description) -> Iterator[Finding]:
    """What the file lacks to be used in Gazebo (classic) as well."""
    colored = {g.reference for g in description.gazebo if g.text("material")}
    for link in description.links.values():
        where = f"link {link.name!r}"
        if link.inertial is None and link.name != WORLD:
            yield Finding(
                "gazebo-inertia",
                _WARNING,
                link.line,
                where,
                "it has no <inertial>, and Gazebo drops links without one",
                "give it a mass and an inertia",
            )
        if any(s.material for s in link.visuals) and link.name not in colored:
            yield Finding(
                "gazebo-color",
                Severity.NOTE,
                link.line,
                where,
                "Gazebo passes over its color",
                f'write <gazebo reference="{link.name}"><material>Gazebo/...'
                "</material></gazebo>",
            )
        for shape in (*link.visuals, *link.collisions):
            name = shape.geometry.filename if shape.geometry else ""
            kind = PurePosixPath(name).suffix.lower()
            if kind not in ("", ".dae", ".stl", ".obj"):
                yield Finding(
                    "gazebo-mesh",
                    _WARNING,
                    shape.line,
                    where,
                    f"Gazebo cannot read {name!r}",
                    "give Gazebo a copy of the description with .dae meshes",
                )
            elif kind == ".stl" and shape in link.visuals:
                yield Finding(
                    "gazebo-mesh",
                    Severity.NOTE,
                    shape.line,
                    where,
                    f"{name!r} has no colors",
                    "convert it to .dae to keep them",
                )
    if WORLD not in description.links:
        yield Finding(
            "gazebo-free-base",
            Severity.NOTE,
            1,
            "robot",
            "its root is free to move",
            'for a robot that is bolted down write <link name="world"/> and a fixed '
            "joint from there",
        )
