"""Mass properties of a body of an MJCF: those given, or those of its shapes."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from lxml import etree

from backbeat.models.common.errors import BackbeatError
from backbeat.models.urdf.mujoco.shapes import GeomShape
from backbeat.models.urdf.mujoco.values import MjcfValues
from backbeat.models.urdf.reading.description import INERTIA
from backbeat.models.urdf.reading.document import attributes, child
from backbeat.models.urdf.reading.writing import roll_pitch_yaw, set_pose, written


def write_inertial(
    reader: MjcfValues,
    body: Any,
    link: Any,
    shapes: Sequence[GeomShape],
    X_LB: np.ndarray,
) -> None:
    """Writes an <inertial> into a link; none for a body without mass.

    Args:
        reader: of the file.
        body: the body's element.
        link: the link's element.
        shapes: what is on the body.
        X_LB: (4, 4) pose of the body in the link.

    Raises:
        BackbeatError: a body has meshes alone, and no <inertial>.
    """
    given = child(body, "inertial")
    if given is not None:
        mass, X, moments = _given(reader, given)
    else:
        heavy = [s for s in shapes if s.kind != "mesh" and s.mass > 0]
        if any(s.kind == "mesh" for s in shapes) and not heavy:
            raise BackbeatError(
                f"{reader.where(body)} has no <inertial>, and its shapes are meshes "
                "alone; give it one"
            )
        if not heavy:
            return
        mass, X, moments = _summed(heavy)
    inertial = etree.SubElement(link, "inertial")
    write_pose(inertial, X_LB @ X)
    etree.SubElement(inertial, "mass", value=written(mass))
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = moments
    values = map(written, (xx, xy, xz, yy, yz, zz))
    etree.SubElement(inertial, "inertia", dict(zip(INERTIA, values, strict=True)))


def _given(reader: MjcfValues, inertial: Any) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass [kg], (4, 4) pose of its axes in the body, (3, 3) inertia [kg m^2]."""
    said = attributes(inertial)
    mass = float(reader.numbers(inertial, said.get("mass", "0"), 1)[0])
    if "fullinertia" in said:
        xx, yy, zz, xy, xz, yz = reader.numbers(inertial, said["fullinertia"], 6)
        moments = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    else:
        moments = np.diag(reader.numbers(inertial, said.get("diaginertia", "0 0 0"), 3))
    return mass, reader.pose(inertial, said), moments


def _summed(solids: Sequence[GeomShape]) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass [kg], (4, 4) pose of the center, (3, 3) inertia of solids [kg m^2]."""
    mass = sum(s.mass for s in solids)
    center = np.asarray(sum(s.mass * s.X[:3, 3] for s in solids) / mass)
    moments = np.zeros((3, 3))
    for solid in solids:
        R, r = solid.X[:3, :3], solid.X[:3, 3] - center
        moments += R @ solid.inertia() @ R.T
        moments += solid.mass * ((r @ r) * np.eye(3) - np.outer(r, r))
    X = np.eye(4)
    X[:3, 3] = center
    return mass, X, moments


def write_pose(element: Any, X: np.ndarray) -> None:
    """Writes an <origin>."""
    set_pose(element, X[:3, 3].tolist(), roll_pitch_yaw(X[:3, :3]))
