"""Link merging: fewer links for the simulator, with the same dynamics.

Drake moves every link by itself, those that are welded on as well. One that is not seen
and touches nothing, such as the optical frame of a camera, becomes a frame of the link
that carries it, which takes over its mass. A plant of Atlas and a drum kit has 42
bodies instead of 80, and a step without contact takes 0.6 of the time.
"""

from collections.abc import Collection
from typing import Any

import numpy as np
from lxml import etree
from pydrake.math import RigidTransform, RollPitchYaw
from pydrake.multibody.tree import SpatialInertia, UnitInertia

from backbeat.models.urdf.checks.inertia import inertia_matrix
from backbeat.models.urdf.loading.extensions import transform
from backbeat.models.urdf.reading.description import (
    INERTIA,
    WORLD,
    Description,
    Inertial,
    Joint,
)
from backbeat.models.urdf.reading.document import attributes, child, children, tag
from backbeat.models.urdf.reading.writing import set_pose, written


def merge_links(
    root: Any, description: Description, kept: Collection[str] = ()
) -> None:
    """Replaces links that only have mass by frames, in place.

    Links to which anything but their joints refers stay as they are.

    Args:
        root: the `<robot>` element of the description.
        description: what it says.
        kept: links that stay, because contacts are on them.
    """
    links = {attributes(e).get("name", ""): e for e in children(root, "link")}
    welds = {j.child: j for j in description.joints.values()}
    carriers = [j.parent for j in welds.values()]
    known, mentioned = description.links, _mentioned(root).union(kept)
    inertias = {n: _inertia(link.inertial) for n, link in known.items()}
    places: dict[str, tuple[str, RigidTransform]] = {}
    heavier: set[str] = set()
    pending = sorted(known.keys() - set(carriers))
    while pending:
        name = pending.pop()
        weld, link = welds.get(name), known[name]
        if weld is None or not _is_fixed(weld, known) or name in mentioned:
            continue
        if link.visuals or link.collisions:
            continue
        places[name] = weld.parent, transform(weld.origin)
        moved = _carried(inertias.pop(name), places[name][1])
        if moved is not None:
            inertias[weld.parent] = _sum(inertias[weld.parent], moved)
            heavier.add(weld.parent)
        carriers.remove(weld.parent)
        if weld.parent not in carriers:
            pending.append(weld.parent)
    for joint in list(children(root, "joint")):
        if attributes(joint).get("name") in {welds[n].name for n in places}:
            root.remove(joint)
    for name in places:
        root.remove(links[name])
        _add_frame(root, name, places)
    for name in sorted(heavier - places.keys()):
        _weigh(links[name], inertias[name])


def _is_fixed(joint: Joint, links: dict[str, Any]) -> bool:
    return joint.type == "fixed" and joint.parent != WORLD and joint.parent in links


def _mentioned(root: Any) -> set[str]:
    """What is said anywhere but in the names of links and joints and their ends."""
    found = set()
    for element in root.iter(etree.Element):
        name = tag(element)
        if name in ("parent", "child", "link", "joint"):
            continue
        found |= {*attributes(element).values(), (element.text or "").strip()}
    return found


def _inertia(inertial: Inertial | None) -> SpatialInertia | None:
    """Of a link about its origin; None for one without mass."""
    if inertial is None or not inertial.mass:
        return None
    mass, X_LI = inertial.mass, transform(inertial.origin)
    p, R = X_LI.translation(), X_LI.rotation().matrix()
    about = R @ inertia_matrix(inertial) @ R.T
    moments, products = np.diag(about) / mass, about[[0, 0, 1], [1, 2, 2]] / mass
    G = UnitInertia(*moments, *products).ShiftFromCenterOfMass(p)
    return SpatialInertia(mass, p, G, skip_validity_check=True)


def _carried(
    inertia: SpatialInertia | None, X_PL: RigidTransform
) -> SpatialInertia | None:
    """An inertia about the origin of the link that carries it, in its axes."""
    if inertia is None:
        return None
    return inertia.ReExpress(X_PL.rotation()).Shift(-X_PL.translation())


def _sum(own: SpatialInertia | None, more: SpatialInertia) -> SpatialInertia:
    if own is None:
        return more
    total = SpatialInertia(own.get_mass(), own.get_com(), own.get_unit_inertia())
    total += more
    return total


def _add_frame(root: Any, name: str, places: dict[str, Any]) -> None:
    """Adds the frame of a link that is none any more."""
    link, X_PL = places[name]
    while link in places:
        link, X_GP = places[link]
        X_PL = X_GP @ X_PL
    xyz, rpy = X_PL.translation(), RollPitchYaw(X_PL.rotation()).vector()
    pose = {k: " ".join(map(written, v)) for k, v in (("xyz", xyz), ("rpy", rpy))}
    etree.SubElement(root, "frame", name=name, link=link, **pose)


def _weigh(link: Any, inertia: SpatialInertia) -> None:
    """Gives a link's element another mass and inertia."""
    old = child(link, "inertial")
    if old is not None:
        link.remove(old)
    m, p = inertia.get_mass(), inertia.get_com()
    about = m * inertia.get_unit_inertia().ShiftToCenterOfMass(p).CopyToFullMatrix3()
    inertial = etree.SubElement(link, "inertial")
    set_pose(inertial, p.tolist(), (0.0, 0.0, 0.0))
    etree.SubElement(inertial, "mass", value=written(m))
    moments = map(written, about[np.triu_indices(3)])
    etree.SubElement(inertial, "inertia", dict(zip(INERTIA, moments, strict=True)))
