"""A description with such meshes only as Drake reads, and with something to see.

STL and COLLADA are made into OBJ. In place of a mesh that is missing, or that cannot be
read, stands the box that is as heavy as its link and as hard to turn, drawn or touched;
where other shapes of the link touch, these have to do.
"""

import os
from collections import Counter
from collections.abc import Collection, Hashable
from pathlib import Path
from typing import Any

from lxml import etree

from backbeat.models.urdf.loading.contact_sets import choose_contact_set
from backbeat.models.urdf.loading.inertia_box import inertia_box
from backbeat.models.urdf.loading.link_merging import merge_links
from backbeat.models.urdf.loading.stand_ins import (
    bare_bodies,
    draw_bare,
    fill_box,
    pass_through_neighbors,
)
from backbeat.models.urdf.loading.visual_fixes import fix_visuals, needs_fixes
from backbeat.models.urdf.reading.description import Description
from backbeat.models.urdf.reading.document import (
    attributes,
    child,
    children,
    read_document,
)
from backbeat.models.urdf.reading.meshes import DRAWN, TOUCHED, check_meshes, mesh_file

# Files with their last changes [ns] and sizes.
_Files = tuple[tuple[str, int, int], ...]
# Robots that ship are read again and again, and looked through once for all.
_SHIPPED = Path(__file__).resolve().parents[2]
_Made = tuple[Description, _Files, tuple[str, tuple[str, ...]]]
_known: dict[tuple[Hashable, ...], _Made] = {}
_OF_MESHES = ("missing-mesh", "unreadable-mesh", "converted-mesh")
_USES = (("visual", DRAWN), ("collision", TOUCHED))


def readable(
    description: Description,
    kept: Collection[str] | None = None,
    contact_set: str = "",
    with_points: Collection[str] = (),
) -> tuple[str, tuple[str, ...]]:
    """The text of a URDF with readable meshes, and notes about the others.

    The text is empty when the file can be read as it stands.

    Args:
        description: what the URDF says.
        kept: where links that only weigh something become frames, those that stay.
        contact_set: what touches, see `backbeat.models.urdf.loading.contact_sets`.
        with_points: links that touch with points.
    """
    path = description.path.resolve()
    if not path.is_relative_to(_SHIPPED):
        return _make_readable(description, kept, contact_set, with_points)
    links = None if kept is None else frozenset(kept)
    key, files = (path, links, contact_set, frozenset(with_points)), _files(description)
    known = _known.get(key)
    if known is not None and known[0] is description and known[1] == files:
        return known[2]
    made = _make_readable(description, kept, contact_set, with_points)
    _known[key] = description, files, made
    return made


def _files(description: Description) -> _Files:
    """Files beside a URDF that it names, and itself, with their last changes."""
    shapes = [
        s for n in description.links.values() for s in (*n.visuals, *n.collisions)
    ]
    names = {s.geometry.filename for s in shapes if s.geometry}
    folder, found = description.path.parent, []
    for path in (str(description.path), *(str(folder / n) for n in sorted(names) if n)):
        try:
            status = os.stat(path)
        except OSError:
            found.append((path, 0, 0))
        else:
            found.append((path, status.st_mtime_ns, status.st_size))
    return tuple(found)


def _make_readable(
    description: Description,
    kept: Collection[str] | None,
    contact_set: str,
    with_points: Collection[str],
) -> tuple[str, tuple[str, ...]]:
    if (
        kept is None
        and not contact_set
        and not any(f.rule in _OF_MESHES for f in check_meshes(description))
        and not needs_fixes(description)
        and not bare_bodies(description)
    ):
        return "", ()
    root = read_document(description.path).root
    fixed = fix_visuals(root, description)
    if kept is not None:
        merge_links(root, description, kept)
    notes = fixed + _fix_meshes(root, description)
    choose_contact_set(root, description, contact_set, with_points)
    notes += draw_bare(root, description)
    return etree.tostring(root, encoding="unicode"), notes


def _fix_meshes(root: Any, description: Description) -> tuple[str, ...]:
    """Gives every mesh a path that can be read, or takes it out; returns notes."""
    left_out = Counter[tuple[str, str]]()
    boxed: dict[str, set[str]] = {use: set() for use, _ in _USES}
    for link in children(root, "link"):
        name = attributes(link).get("name", "")
        box = inertia_box(description.links[name].inertial)
        for use, known in _USES:
            lost = [
                shape
                for shape in list(children(link, use))
                if not _fix(description, shape, known)
            ]
            others = len(list(children(link, use))) - len(lost)
            for shape in lost:
                left_out[use, _kind(shape)] += 1
                has_box = name in boxed[use] or (use == "collision" and others > 0)
                if box is None or has_box:
                    link.remove(shape)
                else:
                    boxed[use].add(name)
                    fill_box(shape, child(shape, "geometry"), *box)
    pass_through_neighbors(root, description, boxed["collision"])
    notes = [
        f"{count} {use} meshes are left out: missing, or .{kind}, which cannot be read"
        for (use, kind), count in sorted(left_out.items())
    ]
    for use, does in (("visual", "are drawn for"), ("collision", "touch in place of")):
        if boxed[use]:
            names = ", ".join(sorted(boxed[use]))
            notes.append(f"boxes of their inertia {does} {names}")
    return tuple(notes)


def _mesh(shape: Any) -> Any:
    geometry = child(shape, "geometry")
    return None if geometry is None else child(geometry, "mesh")


def _kind(shape: Any) -> str:
    """The ending of a mesh's name."""
    name = attributes(_mesh(shape)).get("filename", "")
    return name.rpartition(".")[2] if "." in name else "?"


def _fix(description: Description, shape: Any, known: tuple[str, ...]) -> bool:
    """Gives the mesh of a shape a path that Drake can read; False if there is none."""
    mesh = _mesh(shape)
    if mesh is None:
        return True
    name = attributes(mesh).get("filename", "")
    found = mesh_file(name, description.path, known).path
    if found is None:
        return False
    mesh.set("filename", found.resolve().as_uri())
    return True
