"""A description with such meshes only as Drake reads.

STL is made into OBJ. A mesh that is missing, or in another format, is left out with its
visual or collision: a robot with a link that is not drawn is more than no robot, and
contacts of its YAML touch all the same.
"""

from collections import Counter
from typing import Any

from lxml import etree

from models.description.description import Description
from models.description.document import attributes, child, children, read_document
from models.description.meshes import DRAWN, TOUCHED, check_meshes, resolve
from models.errors import BackbeatError
from models.meshing.stl import converted

_LEFT_OUT = ("missing-mesh", "unreadable-mesh")


def readable(description: Description) -> tuple[str, tuple[str, ...]]:
    """The text of a URDF with readable meshes, and notes about the others.

    The text is empty when the file can be read as it stands.
    """
    if not any(f.rule in _LEFT_OUT for f in check_meshes(description)):
        return "", ()
    root, left_out = read_document(description.path).root, Counter[tuple[str, str]]()
    for link in children(root, "link"):
        for use, known in (("visual", DRAWN), ("collision", TOUCHED)):
            for shape in children(link, use):
                geometry = child(shape, "geometry")
                mesh = None if geometry is None else child(geometry, "mesh")
                if mesh is not None and not _mend(description, mesh, known):
                    name = attributes(mesh).get("filename", "")
                    kind = name.rpartition(".")[2] if "." in name else "?"
                    left_out[use, kind] += 1
                    link.remove(shape)
    notes = tuple(
        f"{count} {use} meshes are left out: missing, or .{kind}, which cannot be read"
        for (use, kind), count in sorted(left_out.items())
    )
    return etree.tostring(root, encoding="unicode"), notes


def _mend(description: Description, mesh: Any, known: tuple[str, ...]) -> bool:
    """Gives a mesh a path that Drake can read; False if there is none."""
    found = resolve(attributes(mesh).get("filename", ""), description.path).path
    try:
        if found is None or not found.is_file():
            return False
        if found.suffix.lower() == ".stl":
            found = converted(found)
    except (BackbeatError, OSError, ValueError):
        return False
    mesh.set("filename", found.resolve().as_uri())
    return found.suffix.lower() in known
