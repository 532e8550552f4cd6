"""What of a robot touches, chosen for all of it: few points, primitives, or hulls.

    minimal     corners of its soles and patches, and links with a point to touch with
    primitives  shapes of the description, with boxes around its meshes; of links that
                have none, boxes around what is drawn
    hull        convex hulls of what is drawn; of links that show nothing, their shapes

Shapes that a set makes reach over joints, so that they pass through links near theirs.
"""

from collections.abc import Collection
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import numpy as np
from lxml import etree
from pydrake.geometry import Mesh
from pydrake.math import RigidTransform, RollPitchYaw, RotationMatrix

from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.urdf.loading.collision_choice import copied_shape
from backbeat.models.urdf.loading.stand_ins import (
    bodies,
    fill_box,
    pass_through_neighbors,
)
from backbeat.models.urdf.reading.description import Description
from backbeat.models.urdf.reading.document import attributes, child, children

CONTACT_SETS = MINIMAL, PRIMITIVES, HULL = "minimal", "primitives", "hull"


def check_contact_set(name: str) -> None:
    """Refuses a set that there is not; "" is what the description says.

    Raises:
        BackbeatError: no such set.
    """
    if name and name not in CONTACT_SETS:
        raise unknown_name("contact set", name, CONTACT_SETS)


def choose_contact_set(
    root: Any, description: Description, name: str, with_points: Collection[str]
) -> None:
    """Leaves links with what a set has of them, in place.

    Args:
        root: the `<robot>` element, its meshes readable.
        description: what the file says.
        name: one of CONTACT_SETS, or "" for what the description says.
        with_points: links that touch with points, which keep their shapes.
    """
    made = set()
    touching = _with_welded(description, with_points)
    for link in children(root, "link") if name else ():
        own = attributes(link).get("name", "")
        shapes = list(children(link, "collision"))
        if name == MINIMAL:
            for shape in [] if own in touching else shapes:
                link.remove(shape)
            continue
        drawn = list(children(link, "visual"))
        if drawn and (name == HULL or not shapes):
            for shape in shapes:
                link.remove(shape)
            shapes = [copied_shape(visual, "collision") for visual in drawn]
            link.extend(shapes)
            made.add(own)
        for shape in shapes:
            geometry = child(shape, "geometry")
            mesh = None if geometry is None else child(geometry, "mesh")
            if mesh is None:
                continue
            made.add(own)
            if name == PRIMITIVES:
                fill_box(shape, geometry, *_box_around(shape, mesh))
            elif child(mesh, "drake:declare_convex") is None:
                uri = "https://drake.mit.edu/"
                etree.SubElement(mesh, f"{{{uri}}}declare_convex", nsmap={"drake": uri})
    pass_through_neighbors(root, description, made)


def _with_welded(description: Description, names: Collection[str]) -> set[str]:
    """Links and frames, and all links that move with them."""
    frames = description.frames
    links = {frames[n].link if n in frames else n for n in names}
    groups = bodies(description).values()
    return {n for group in groups if links & set(group) for n in group}


def _box_around(shape: Any, mesh: Any) -> tuple[np.ndarray, RigidTransform]:
    """(3,) edges [m] and pose in the link of a box around a mesh.

    Its edges lie along the axes of the mesh, or along its principal ones if that box is
    the smaller.
    """
    points = _corners(mesh)
    spread = points - points.mean(axis=0)
    axes = np.linalg.svd(spread, full_matrices=False)[2].T
    if np.linalg.det(axes) < 0:
        axes[:, 0] *= -1.0
    boxes = []
    for R in (np.eye(3), axes):
        low, high = (points @ R).min(0), (points @ R).max(0)
        size = np.maximum(high - low, 1e-4)
        boxes.append((float(size.prod()), size, R, R @ (0.5 * (low + high))))
    _, size, R, middle = min(boxes, key=lambda box: box[0])
    origin = child(shape, "origin")
    said = {} if origin is None else attributes(origin)
    xyz, rpy = (
        [float(x) for x in said.get(key, "0 0 0").split()] for key in ("xyz", "rpy")
    )
    X_LM = RigidTransform(RollPitchYaw(rpy), xyz)
    return size, X_LM @ RigidTransform(RotationMatrix(R), middle)


def _corners(mesh: Any) -> np.ndarray:
    """(n, 3) corners of a mesh's convex hull, scaled [m].

    Raises:
        BackbeatError: Drake finds none.
    """
    said = attributes(mesh)
    path = Path(unquote(urlparse(said["filename"]).path))
    scale = [float(s) for s in said.get("scale", "1").split()]
    try:
        hull = Mesh(str(path)).GetConvexHull()
    except RuntimeError as error:
        said_first = str(error).strip().splitlines()[0]
        raise BackbeatError(f"no box fits around {path}: {said_first}") from None
    return np.array([hull.vertex(i) for i in range(hull.num_vertices())]) * scale
