"""A description with such meshes only as Drake reads.

STL and COLLADA are made into OBJ. In place of a mesh that is missing, or that cannot be
read, the box is drawn that is as heavy as its link and as hard to turn; it touches
nothing, for nobody has chosen that shape. Contacts of the robot's YAML touch all the
same.
"""

from collections import Counter
from collections.abc import Collection
from importlib.util import find_spec
from typing import Any

import numpy as np
from lxml import etree
from pydrake.math import RigidTransform, RollPitchYaw

from models.description.attaching import set_pose, written
from models.description.description import Description
from models.description.document import attributes, child, children, read_document
from models.description.inertia_box import inertia_box
from models.description.meshes import DRAWN, TOUCHED, check_meshes, resolve
from models.description.slimming import slim
from models.errors import BackbeatError
from models.meshing.obj import READERS, converted
from models.meshing.references import problem
from models.outside_file import is_file

COLLADA_HINT = " without `pip install pycollada`"
_LEFT_OUT = ("missing-mesh", "unreadable-mesh")


def readable(
    description: Description, kept: Collection[str] | None = None
) -> tuple[str, tuple[str, ...]]:
    """The text of a URDF with readable meshes, and notes about the others.

    The text is empty when the file can be read as it stands.

    Args:
        description: what the URDF says.
        kept: where links that only weigh something become frames, those that stay.
    """
    if kept is None and not any(f.rule in _LEFT_OUT for f in check_meshes(description)):
        return "", ()
    root = read_document(description.path).root
    if kept is not None:
        slim(root, description, kept)
    left_out, boxed = Counter[tuple[str, str]](), set[str]()
    for link in children(root, "link"):
        for use, known in (("visual", DRAWN), ("collision", TOUCHED)):
            for shape in children(link, use):
                geometry = child(shape, "geometry")
                mesh = None if geometry is None else child(geometry, "mesh")
                if mesh is not None and not _mend(description, mesh, known):
                    name = attributes(mesh).get("filename", "")
                    kind = name.rpartition(".")[2] if "." in name else "?"
                    left_out[use, kind] += 1
                    name = attributes(link).get("name", "")
                    box = inertia_box(description.links[name].inertial)
                    if use == "visual" and box and name not in boxed:
                        boxed.add(name)
                        _draw(shape, geometry, *box)
                    else:
                        link.remove(shape)
    notes = tuple(
        f"{count} {use} meshes are left out: missing, or .{kind}, which cannot be read"
        + (COLLADA_HINT if kind == "dae" and find_spec("collada") is None else "")
        for (use, kind), count in sorted(left_out.items())
    )
    if boxed:
        notes += (f"boxes of their inertia are drawn for {', '.join(sorted(boxed))}",)
    return etree.tostring(root, encoding="unicode"), notes


def _draw(shape: Any, geometry: Any, size: np.ndarray, X_LB: RigidTransform) -> None:
    """Makes a box of a visual."""
    for part in (*children(shape, "origin"), *children(geometry, "mesh")):
        part.getparent().remove(part)
    etree.SubElement(geometry, "box", size=" ".join(map(written, size)))
    set_pose(shape, X_LB.translation(), RollPitchYaw(X_LB.rotation()).vector())


def _mend(description: Description, mesh: Any, known: tuple[str, ...]) -> bool:
    """Gives a mesh a path that Drake can read; False if there is none."""
    found = resolve(attributes(mesh).get("filename", ""), description.path).path
    try:
        if found is None or not is_file(found):
            return False
        if found.suffix.lower() in READERS:
            found = converted(found)
        elif problem(found):
            return False
    except (BackbeatError, OSError, ValueError):
        return False
    mesh.set("filename", found.resolve().as_uri())
    return found.suffix.lower() in known
