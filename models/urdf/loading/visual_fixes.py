"""Fixes of optional elements that Drake would refuse: left out or corrected.

    visuals that cannot be read     are not drawn
    materials                       have their color in place; one of 0..255 is scaled,
                                    and what has none is gray
    pictures that are not there     are left out
    inertias that are rounding alone are zero
    <mimic> of or after a fixed joint, transmissions of fixed joints    are left out

`backbeat lint` reports each.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from lxml import etree

from backbeat.models.common.outside_file import is_file
from backbeat.models.urdf.checks.inertia import is_noise
from backbeat.models.urdf.reading.description import (
    INERTIA,
    Description,
    Geometry,
    Inertial,
    UrdfMaterial,
    listed,
)
from backbeat.models.urdf.reading.document import attributes, child, children
from backbeat.models.urdf.reading.geometry_reading import read_geometry, read_material
from backbeat.models.urdf.reading.meshes import resolve
from backbeat.models.urdf.reading.values import Values
from backbeat.models.urdf.reading.writing import written

_BYTE = 255.0


def needs_fixes(description: Description) -> bool:
    """Whether a description has anything of the kind, or a picture, in it."""
    shapes = [s for link in description.links.values() for s in link.visuals]
    used = [s.material for s in shapes if s.material is not None]
    materials = [*description.materials.values(), *used]
    colors: dict[str, set[Any]] = {}
    for material in materials:
        if material.rgba is not None:
            colors.setdefault(material.name, set()).add(material.rgba)
    return (
        any(s.geometry is None or _is_flat(s.geometry) for s in shapes)
        or bool(description.materials_twice)
        or any(m.texture or not _is_color(m.rgba) for m in materials)
        or any(m.rgba is None and m.name not in colors for m in materials)
        or any(name and len(found) > 1 for name, found in colors.items())
        or any(i and is_noise(i) for i in _inertials(description))
        or any(_follows_in_vain(description, n) for n in description.joints)
        or any(
            _drives_in_vain(description, t.joints) for t in description.transmissions
        )
    )


def fix_visuals(root: Any, description: Description) -> tuple[str, ...]:
    """Removes or corrects what Drake would refuse, in place; returns notes.

    Args:
        root: the `<robot>` element.
        description: what the file says.
    """
    _leave_out_joints(root, description)
    noisy = _clear_noise(root, description)
    unseen, gray = [], []
    for link in children(root, "link"):
        name = attributes(link).get("name", "")
        for visual in list(children(link, "visual")):
            if _is_unreadable(visual):
                link.remove(visual)
                unseen.append(name)
            elif not _fix_material(visual, description):
                gray.append(name)
    for material in list(children(root, "material")):
        root.remove(material)
    told = (
        (noisy, "an inertia of rounding alone is taken for zero of"),
        (unseen, "a visual that cannot be read is left out of"),
        (gray, "gray for a color or picture that is nowhere are parts of"),
    )
    return tuple(f"{what} {listed(list(dict.fromkeys(of)))}" for of, what in told if of)


def _leave_out_joints(root: Any, description: Description) -> None:
    """Takes out what is said of fixed joints and could not be done."""
    for joint in children(root, "joint"):
        mimic, name = child(joint, "mimic"), attributes(joint).get("name", "")
        if mimic is not None and _follows_in_vain(description, name):
            joint.remove(mimic)
    for transmission in list(children(root, "transmission")):
        names = [attributes(j).get("name", "") for j in children(transmission, "joint")]
        if names and all(_is_fixed(description, n) for n in names):
            root.remove(transmission)


def _inertials(description: Description) -> Iterator[Inertial | None]:
    return (link.inertial for link in description.links.values())


def _clear_noise(root: Any, description: Description) -> list[str]:
    """Writes zeros for inertias that come of rounding; names of their links."""
    noisy = [n for n, i in zip(description.links, _inertials(description), strict=True)
             if i is not None and is_noise(i)]  # fmt: skip
    for link in children(root, "link"):
        inertial = child(link, "inertial")
        if attributes(link).get("name", "") in noisy and inertial is not None:
            for element in children(inertial, "inertia"):
                for key in INERTIA:
                    element.set(key, "0")
    return noisy


def _is_unreadable(visual: Any) -> bool:
    values = Values()
    values.pose(child(visual, "origin"), "")
    geometry = read_geometry(values, visual, "")
    told = [f for f in values.findings if f.rule != "two-shapes"]
    return bool(told) or geometry is None or _is_flat(geometry)


def _is_flat(geometry: Geometry) -> bool:
    """Whether a shape has no volume; scales of meshes may mirror them."""
    if geometry.kind == "mesh":
        return 0.0 in geometry.size
    return min(geometry.size) <= 0.0


def _is_color(rgba: tuple[float, ...] | None) -> bool:
    return rgba is None or all(0.0 <= c <= 1.0 for c in rgba)


def _fix_material(visual: Any, description: Description) -> bool:
    """Writes what its material comes to into a visual; False if that is nothing."""
    element = child(visual, "material")
    if element is None:
        return True
    own = read_material(Values(), element, "")
    rgba, picture = _looks(own, description.materials)
    visual.remove(element)
    found = resolve(picture, description.path).path if picture else None
    is_there = found is not None and is_file(found)
    if rgba is None and not is_there:
        return False
    # Without a name, as one name may have several colors.
    material = etree.SubElement(visual, "material")
    if rgba is not None:
        etree.SubElement(material, "color", rgba=" ".join(map(written, rgba)))
    if found is not None and is_there:
        etree.SubElement(material, "texture", filename=found.resolve().as_uri())
    return True


def _looks(
    own: UrdfMaterial, known: Mapping[str, UrdfMaterial]
) -> tuple[tuple[float, ...] | None, str]:
    """Color in 0..1, and picture, of a material; those of its name if it has none."""
    if own.rgba is None and not own.texture:
        own = known.get(own.name, own)
    rgba = own.rgba
    if rgba is not None and not _is_color(rgba):
        alpha = rgba[3] if rgba[3] <= 1.0 else rgba[3] / _BYTE
        scaled = [c / _BYTE if max(rgba[:3]) > 1.0 else c for c in rgba[:3]]
        rgba = tuple(min(max(c, 0.0), 1.0) for c in (*scaled, alpha))
    return rgba, own.texture


def _is_fixed(description: Description, name: str) -> bool:
    joint = description.joints.get(name)
    return joint is not None and joint.type == "fixed"


def _follows_in_vain(description: Description, name: str) -> bool:
    """Whether a joint or what it follows is fixed."""
    joint = description.joints.get(name)
    if joint is None or joint.mimic is None:
        return False
    return joint.type == "fixed" or _is_fixed(description, joint.mimic.joint)


def _drives_in_vain(description: Description, ends: tuple[Any, ...]) -> bool:
    return bool(ends) and all(_is_fixed(description, end.name) for end in ends)
