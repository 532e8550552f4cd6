"""Which shapes of a description touch.

Descriptions come with collisions that are as fine as what is drawn, with several sets
of them side by side, told apart by name, or with none. An overlay chooses.
"""

from collections.abc import Mapping
from copy import deepcopy
from fnmatch import fnmatchcase
from typing import Any

from lxml import etree
from pydrake.math import RollPitchYaw

from backbeat.models.common.errors import BackbeatError
from backbeat.models.urdf.loading.inertia_box import inertia_box
from backbeat.models.urdf.reading.description import Description, Inertial
from backbeat.models.urdf.reading.document import attributes, child, children
from backbeat.models.urdf.reading.writing import set_pose, written

# Nothing; what is drawn; the box that has the inertia of its link. Anything else is a
# pattern that names of collisions match, as names of files do.
WORDS = NONE, VISUALS, BOX = "none", "visuals", "box"


def choose_all(
    root: Any, choice: str, by_link: Mapping[str, str], source: Description
) -> None:
    """Leaves every link of a robot with the collisions that are chosen, in place.

    Args:
        root: the robot.
        choice: NONE, VISUALS, BOX or a pattern; "" for all as they are.
        by_link: choices for single links, by name.
        source: what the file says, for the inertia of boxes.

    Raises:
        BackbeatError: a pattern that no name matches, or a box of nothing.
    """
    links = list(children(root, "link"))
    names = {
        attributes(c).get("name", "") for k in links for c in children(k, "collision")
    }
    for pattern in sorted({choice, *by_link.values()} - {"", *WORDS}):
        if not any(fnmatchcase(name, pattern) for name in names):
            known = ", ".join(sorted(names - {""})) or "none has a name"
            raise BackbeatError(
                f"no collision is called {pattern!r}; known: {known}; or one of "
                f"{', '.join(WORDS)}"
            )
    for link in links:
        name = attributes(link).get("name", "")
        if wanted := by_link.get(name, choice):
            choose_collisions(link, wanted, source.links[name].inertial)


def choose_collisions(link: Any, choice: str, inertial: Inertial | None) -> None:
    """Leaves a link with the collisions that are chosen, in place.

    Args:
        link: the element.
        choice: NONE, VISUALS, BOX or a pattern.
        inertial: mass properties of the link.

    Raises:
        BackbeatError: a box is asked for of a link without mass and inertia.
    """
    old = list(children(link, "collision"))
    kept = [c for c in old if fnmatchcase(attributes(c).get("name", ""), choice)]
    if choice in WORDS:
        kept = []
    for collision in old:
        if collision not in kept:
            link.remove(collision)
    if choice == VISUALS:
        for visual in list(children(link, "visual")):
            link.append(copied_shape(visual, "collision"))
    elif choice == BOX and (old or child(link, "visual") is not None):
        link.append(_box(attributes(link)["name"], inertial))


def copied_shape(shape: Any, use: str) -> Any:
    """A visual or collision as another ("visual" or "collision") of the same shape."""
    copy = etree.Element(use)
    for name in ("origin", "geometry"):
        part = child(shape, name)
        if part is not None:
            copy.append(deepcopy(part))
    return copy


def _box(name: str, inertial: Inertial | None) -> Any:
    found = inertia_box(inertial)
    if found is None:
        raise BackbeatError(
            f"link {name!r} has no mass and inertia that a box could be made of"
        )
    size, X_LB = found
    collision = etree.Element("collision")
    rpy = RollPitchYaw(X_LB.rotation()).vector()
    set_pose(collision, list(X_LB.translation()), list(rpy))
    geometry = etree.SubElement(collision, "geometry")
    etree.SubElement(geometry, "box", size=" ".join(map(written, size)))
    return collision
