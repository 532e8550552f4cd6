"""Welds one description to a link of another."""

from typing import Any

from lxml import etree

from backbeat.models.common.errors import BackbeatError
from backbeat.models.urdf.overlay.file import Attachment
from backbeat.models.urdf.reading.document import Document, attributes, children, tag
from backbeat.models.urdf.reading.writing import set_pose

# Where names of links, joints and materials are used, by element and attribute.
_USES = (
    *(("parent", "link"), ("child", "link"), ("mimic", "joint"), ("frame", "link")),
    *(("drake:member", "link"), ("gazebo", "reference")),
    *(("drake:bushing_frameA", "name"), ("drake:bushing_frameC", "name")),
    *((f"drake:ball_constraint_body_{end}", "name") for end in "AB"),
    *((f"drake:linear_spring_damper_body_{end}", "name") for end in "AB"),
    ("drake:tendon_constraint_joint", "name"),
)
_NAMED = ("link", "joint", "material", "frame", "transmission", "actuator")
_GROUPS = (
    *("drake:collision_filter_group", "drake:member_group"),
    "drake:ignored_collision_filter_group",
)


def attach(root: Any, other: Document, name: str, attachment: Attachment) -> None:
    """Adds all of another description to a robot, its root welded to a link.

    Args:
        root: the robot's element, which is changed.
        other: what is attached, which is changed too.
        name: of the attachment; the joint that welds it has it.
        attachment: where, and the prefix of its names.

    Raises:
        BackbeatError: it is no single tree, or a name is in the robot already.
    """
    _prefix(other.root, attachment.prefix)
    links = [attributes(e).get("name", "") for e in children(other.root, "link")]
    carried = {
        attributes(end).get("link", "")
        for joint in children(other.root, "joint", "drake:joint")
        for end in children(joint, "child")
    }
    roots = [link for link in links if link not in carried]
    if len(roots) != 1:
        raise BackbeatError(
            f"{other.path} has {len(roots)} links that no joint carries; one is needed "
            "to attach it by"
        )
    _check_names(root, other, attachment.prefix)
    for element in list(children(other.root)):
        root.append(element)
    joint = etree.SubElement(root, "joint", name=name, type="fixed")
    set_pose(joint, attachment.position, attachment.rpy)
    etree.SubElement(joint, "parent", link=attachment.link)
    etree.SubElement(joint, "child", link=roots[0])


def _prefix(root: Any, prefix: str) -> None:
    """Puts a prefix before every name, and wherever one is used."""
    if not prefix:
        return
    for element in root.iter("*"):
        name, said = tag(element), attributes(element)
        if name in (*_NAMED, *_GROUPS) and said.get("name"):
            element.set("name", prefix + said["name"])
        for key in (k for e, k in _USES if e == name):
            if said.get(key) and said[key] != "world":
                element.set(key, prefix + said[key])


def _check_names(root: Any, other: Document, prefix: str) -> None:
    for kind in _NAMED[:-1]:
        own = {attributes(e).get("name") for e in children(root, kind)} - {None}
        new = {attributes(e).get("name") for e in children(other.root, kind)}
        if both := sorted(map(str, own & new)):
            word = "another" if prefix else "a"
            raise BackbeatError(
                f"{other.path} has a {kind} {both[0]!r}, and so has "
                f"the robot; give the attachment {word} prefix"
            )
