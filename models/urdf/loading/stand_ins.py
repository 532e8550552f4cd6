"""Replacement shapes for links without a visual or with a missing mesh.

Of a body without any visual its collision shapes are drawn or, where it has none, the
box that is as heavy as a link and as hard to turn. The same box touches in place of a
collision mesh that is missing. Such boxes reach over joints, so that they pass through
the links next to theirs.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from lxml import etree
from pydrake.math import RigidTransform, RollPitchYaw

from backbeat.models.urdf.loading.collision_choice import copied_shape
from backbeat.models.urdf.loading.extensions import transform
from backbeat.models.urdf.loading.inertia_box import inertia_box
from backbeat.models.urdf.reading.description import (
    WORLD,
    Description,
    Inertial,
    listed,
)
from backbeat.models.urdf.reading.document import attributes, children
from backbeat.models.urdf.reading.writing import set_pose, written

# A link without an inertia that a box could have is drawn as a ball of water [kg/m^3].
WATER = 1000.0
# Moving joints between a box and links that it passes through: as many as a hip has.
NEAR_JOINTS = 3
# How Drake's extensions are written.
_PREFIX = {"drake": "https://drake.mit.edu/"}
_DRAKE = "{{https://drake.mit.edu/}}{}"


def bodies(description: Description) -> dict[str, list[str]]:
    """Links that move as one, by the first of them."""
    carriers = {
        j.child: j.parent
        for j in description.joints.values()
        if j.type == "fixed" and j.parent in description.links
    }
    found: dict[str, list[str]] = {}
    for name in description.links:
        root, gone = name, {name}
        while root in carriers and carriers[root] not in gone:
            root = carriers[root]
            gone.add(root)
        found.setdefault(root, []).append(name)
    return found


def bare_bodies(description: Description) -> list[list[str]]:
    """Links by body that moves as one, of the bodies that weigh something unseen."""
    return [
        names
        for root, names in bodies(description).items()
        if root != WORLD
        and not any(description.links[n].visuals for n in names)
        and any(_mass(description, n) for n in names)
    ]


def _mass(description: Description, name: str) -> float:
    inertial = description.links[name].inertial
    return (inertial.mass or 0.0) if inertial is not None else 0.0


def draw_bare(root: Any, description: Description) -> tuple[str, ...]:
    """Draws bodies of which nothing is seen, in place; returns notes.

    Args:
        root: the `<robot>` element, of which links may have been taken away.
        description: what the file says.
    """
    links = {attributes(e).get("name", ""): e for e in children(root, "link")}
    bare = bare_bodies(description)
    for name in (n for names in bare for n in names if n in links):
        shapes = list(children(links[name], "collision"))
        for shape in shapes:
            links[name].append(copied_shape(shape, "visual"))
        if not shapes and _mass(description, name):
            _draw_inertia(links[name], description.links[name].inertial)
    if not bare:
        return ()
    names = [max(names, key=lambda n: _mass(description, n)) for names in bare]
    return (
        f"nothing is drawn of {listed(names)}: collision shapes are, or boxes of "
        "inertia",
    )


def _draw_inertia(link: Any, inertial: Inertial | None) -> None:
    """Gives a link that weighs something a visual of its mass."""
    visual = etree.SubElement(link, "visual")
    geometry = etree.SubElement(visual, "geometry")
    box = inertia_box(inertial)
    if box is not None:
        fill_box(visual, geometry, *box)
    elif inertial is not None and inertial.mass:
        radius = (3.0 * inertial.mass / (4.0 * np.pi * WATER)) ** (1.0 / 3.0)
        etree.SubElement(geometry, "sphere", radius=written(radius))
        set_pose(visual, transform(inertial.origin).translation(), (0.0, 0.0, 0.0))


def fill_box(shape: Any, geometry: Any, size: np.ndarray, X_LB: RigidTransform) -> None:
    """Makes a box of a visual or collision, whatever it was."""
    for part in (*children(shape, "origin"), *children(geometry)):
        part.getparent().remove(part)
    etree.SubElement(geometry, "box", size=" ".join(map(written, size)))
    set_pose(shape, X_LB.translation(), RollPitchYaw(X_LB.rotation()).vector())


def pass_through_neighbors(
    root: Any, description: Description, boxed: Collection[str]
) -> None:
    """Lets links whose box has not been chosen pass through those near them.

    Args:
        root: the `<robot>` element, in which groups of Drake's filters are added.
        description: what the file says.
        boxed: names of the links.
    """
    there = {attributes(e).get("name", "") for e in children(root, "link")}
    for name in sorted(boxed):
        near = (_near(description, name) & there) - {name}
        if not near:
            continue
        box, neighbors = f"{name} box", f"{name} neighbors"
        ignored = etree.SubElement(
            _add_group(root, box, [name]),
            _DRAKE.format("ignored_collision_filter_group"),
            nsmap=_PREFIX,
        )
        ignored.set("name", neighbors)
        _add_group(root, neighbors, sorted(near))


def _add_group(root: Any, name: str, links: Sequence[str]) -> Any:
    """Adds a group of links of Drake's collision filters."""
    group = etree.SubElement(
        root, _DRAKE.format("collision_filter_group"), nsmap=_PREFIX
    )
    group.set("name", name)
    for link in links:
        member = etree.SubElement(group, _DRAKE.format("member"), nsmap=_PREFIX)
        member.set("link", link)
    return group


def _near(description: Description, name: str) -> set[str]:
    """Links that at most `NEAR_JOINTS` moving joints part from a link."""
    distance, waiting = Counter({name: 0}), [name]
    for link in waiting:  # Grows while it is gone through.
        for joint in description.joints.values():
            if link not in (joint.parent, joint.child):
                continue
            other = joint.child if link == joint.parent else joint.parent
            far = distance[link] + (joint.type != "fixed")
            if other in description.links and other not in distance:
                distance[other] = far
                if far <= NEAR_JOINTS:
                    waiting.append(other)
    return {n for n, far in distance.items() if far <= NEAR_JOINTS}
