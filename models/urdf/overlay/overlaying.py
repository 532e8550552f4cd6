"""Makes a URDF of another and an overlay: comments and order stay, values change."""

import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lxml import etree

from backbeat.models.common.atomic_file import refuse_to_replace
from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.urdf.loading.collision_choice import choose_all
from backbeat.models.urdf.overlay.attaching import attach
from backbeat.models.urdf.overlay.file import (
    AddedBody,
    JointChange,
    LinkChange,
    is_overlay,
    load_overlay,
    made_from,
)
from backbeat.models.urdf.reading.description import INERTIA
from backbeat.models.urdf.reading.document import (
    Document,
    attributes,
    child,
    children,
    read_document,
    tag,
)
from backbeat.models.urdf.reading.meshes import resolve
from backbeat.models.urdf.reading.parsing import read_leniently
from backbeat.models.urdf.reading.writing import set_pose, written


def apply_overlay(path: str | Path, output: str | Path) -> bytes:
    """The description that an overlay makes.

    Args:
        path: the overlay, a YAML file; see `backbeat.models.urdf.overlay.file`.
        output: where the description will be, to which names of meshes are relative.

    Raises:
        BackbeatError: a file cannot be read, a name in the overlay is unknown, or the
            output would take the place of what it is made from.
    """
    path = Path(path)
    output = Path(output)
    overlay = load_overlay(path)
    source = path.parent / overlay.urdf
    refuse_to_replace(output, *made_from(path))
    document = _source(source, output)
    root = document.root
    if overlay.name:
        root.set("name", overlay.name)
    for name in overlay.remove:
        _remove(root, _named(root, "link", name))
    for name, change in overlay.links.items():
        _change_link(_named(root, "link", name), change)
    for name, joint in overlay.joints.items():
        _change_joint(root, _named(root, "joint", name), joint)
    if overlay.mass_factor != 1.0:
        for link in children(root, "link"):
            _scale(child(link, "inertial"), overlay.mass_factor)
    by_link = {n: c.collisions for n, c in overlay.links.items() if c.collisions}
    if overlay.collisions or by_link:
        described, _ = read_leniently(document)
        choose_all(root, overlay.collisions, by_link, described)
    for name, body in overlay.bodies.items():
        _named(root, "link", body.link)
        _add_body(root, name, body)
    for name, attachment in overlay.attachments.items():
        _named(root, "link", attachment.link)
        other = read_document(path.parent / attachment.file)
        _move_meshes(other, output)
        attach(root, other, name, attachment)
    etree.indent(root)
    return bytes(etree.tostring(document.tree, encoding="utf-8", xml_declaration=True))


def _source(source: Path, output: Path) -> Document:
    """What is changed: a description, or what another overlay makes of one."""
    if not is_overlay(source):
        document = read_document(source)
        _move_meshes(document, output)
        return document
    return Document(output, apply_overlay(source, output))


def _named(root: Any, kind: str, name: str) -> Any:
    """A link or joint by name."""
    found = {attributes(e).get("name", ""): e for e in children(root, kind)}
    if name not in found:
        raise unknown_name(kind, name, found)
    return found[name]


def _move_meshes(document: Document, output: Path) -> None:
    """Makes names of files that are relative to a description so to the new one."""
    here = document.path.resolve().parent
    there = output.resolve().parent
    for element in document.root.iter("*"):
        name = attributes(element).get("filename", "")
        if tag(element) not in ("mesh", "texture") or not name:
            continue
        if "://" not in name:
            element.set("filename", os.path.relpath(here / name, there))
        elif resolve(name, output).path is None:
            # Its package is not above the new place, and may be above the old one.
            found = resolve(name, document.path).path
            if found is not None:
                element.set("filename", os.path.relpath(found.resolve(), there))


def _remove(root: Any, link: Any) -> None:
    """Takes away a link, all that hangs on it, and all that names them."""
    gone = {attributes(link)["name"]}
    joints: set[str] = set()
    waiting = True
    while waiting:
        waiting = False
        for joint in children(root, "joint", "drake:joint"):
            if _end(joint, "child") in gone or _end(joint, "parent") in gone:
                joints.add(attributes(joint).get("name", ""))
                gone.add(_end(joint, "child"))
                root.remove(joint)
                waiting = True
    for element in list(children(root)):
        said = attributes(element)
        if (
            (tag(element) == "link" and said.get("name") in gone)
            or (tag(element) == "frame" and said.get("link") in gone)
            or (tag(element) == "gazebo" and said.get("reference") in gone | joints)
            or (tag(element) == "transmission" and _drives(element) & joints)
        ):
            root.remove(element)
    for member in list(root.iter("*")):
        if tag(member) == "drake:member" and attributes(member).get("link") in gone:
            member.getparent().remove(member)


def _end(joint: Any, end: str) -> str:
    found = child(joint, end)
    return "" if found is None else attributes(found).get("link", "")


def _drives(transmission: Any) -> set[str]:
    return {attributes(j).get("name", "") for j in children(transmission, "joint")}


def _change_link(link: Any, change: LinkChange) -> None:
    if change == LinkChange(collisions=change.collisions):
        return
    inertial = child(link, "inertial")
    name = attributes(link)["name"]
    if inertial is None or child(inertial, "mass") is None:
        raise BackbeatError(
            f"link {name!r} has no mass to change; add a body to it instead"
        )
    mass = _number(child(inertial, "mass"), "value", name)
    factor = change.mass_factor
    if change.mass is not None:
        if mass == 0:
            raise BackbeatError(f"link {name!r} has no mass to start from")
        factor = change.mass / mass
    if factor != 1.0:
        _scale(inertial, factor)
    if change.center_of_mass or change.center_of_mass_shift:
        origin = _made(inertial, "origin")
        shift = change.center_of_mass_shift or [0.0, 0.0, 0.0]
        old = attributes(origin).get("xyz", "0 0 0").split()
        center = change.center_of_mass or [float(o) for o in old]
        moved = (c + s for c, s in zip(center, shift, strict=True))
        origin.set("xyz", " ".join(written(m) for m in moved))
    if change.inertia:
        inertia = _made(inertial, "inertia")
        for key, value in zip(INERTIA, change.inertia, strict=True):
            inertia.set(key, written(value))


def _scale(inertial: Any, factor: float) -> None:
    """Multiplies mass and inertia, as of a body of another density."""
    if inertial is None:
        return
    for element, keys in (
        (child(inertial, "mass"), ("value",)),
        (child(inertial, "inertia"), INERTIA),
    ):
        for key in keys:
            if element is not None and key in attributes(element):
                element.set(key, written(factor * _number(element, key, "inertial")))


def _change_joint(root: Any, joint: Any, change: JointChange) -> None:
    name = attributes(joint)["name"]
    if change.type:
        joint.set("type", change.type)
        if change.type == "fixed":
            for key in ("axis", "limit", "dynamics", "safety_controller", "mimic"):
                for element in list(children(joint, key)):
                    joint.remove(element)
            for element in list(children(root, "transmission")):
                if name in _drives(element):
                    root.remove(element)
    for key in ("lower", "upper", "effort", "velocity"):
        _set(joint, "limit", key, getattr(change, key))
    for key in ("damping", "friction"):
        _set(joint, "dynamics", key, getattr(change, key))
    safety = asdict(change.safety_controller)
    for key, value in safety.items():
        attribute = f"{key}_limit" if key.startswith("soft") else key
        _set(joint, "safety_controller", attribute, value)
    law = child(joint, "safety_controller")
    if law is not None and "k_velocity" not in attributes(law):
        raise BackbeatError(
            f"joint {name!r}: a safety_controller needs a k_velocity [N m s/rad]"
        )
    limit = child(joint, "limit")
    if change.effort_factor != 1.0 and limit is not None:
        effort = _number(limit, "effort", name) * change.effort_factor
        limit.set("effort", written(effort))


def _set(joint: Any, element: str, key: str, value: float | None) -> None:
    if value is not None:
        _made(joint, element).set(key, written(value))


def _add_body(root: Any, name: str, body: AddedBody) -> None:
    """A solid box on a link, welded by a joint of its name."""
    assert body.mass is not None
    assert body.size is not None
    x, y, z = body.size
    link = etree.SubElement(root, "link", name=name)
    inertial = etree.SubElement(link, "inertial")
    etree.SubElement(inertial, "mass", value=written(body.mass))
    moments = {"ixx": (y, z), "iyy": (x, z), "izz": (x, y)}
    inertia = etree.SubElement(inertial, "inertia")
    for key in INERTIA:
        edges = moments.get(key, (0.0, 0.0))
        moment = body.mass * sum(e * e for e in edges) / 12
        inertia.set(key, written(moment))
    for part in ("visual", "collision") if body.collision else ("visual",):
        geometry = etree.SubElement(etree.SubElement(link, part), "geometry")
        etree.SubElement(geometry, "box", size=" ".join(map(written, body.size)))
    joint = etree.SubElement(root, "joint", name=f"{name}_joint", type="fixed")
    set_pose(joint, body.position, body.rpy)
    etree.SubElement(joint, "parent", link=body.link)
    etree.SubElement(joint, "child", link=name)


def _made(element: Any, name: str) -> Any:
    """A child element, made if there is none."""
    found = child(element, name)
    return etree.SubElement(element, name) if found is None else found


def _number(element: Any, key: str, where: str) -> float:
    said = attributes(element).get(key, "0")
    try:
        return float(said)
    except ValueError:
        raise BackbeatError(f"{where}: {key}={said!r} is no number") from None
