"""Frames of an MJCF, which only place what is in them, taken out."""

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from backbeat.models.urdf.mujoco.values import MjcfValues
from backbeat.models.urdf.reading.document import attributes, children, tag
from backbeat.models.urdf.reading.writing import written

_ORIENTATIONS = ("quat", "euler", "axisangle", "xyaxes", "zaxis")


def take_out_frames(reader: MjcfValues, root: Any) -> None:
    """Puts what is in frames where they have it, in place.

    Raises:
        BackbeatError: a pose makes no sense.
    """
    for frame in list(root.iter("frame")):  # Outer ones come first.
        said = attributes(frame)
        X = reader.pose(frame, said)
        parent = frame.getparent()
        at = parent.index(frame)
        inside = list(children(frame))
        for element in inside:
            _move(reader, element, X)
            if "childclass" in said:
                own = "childclass" if tag(element) in ("body", "frame") else "class"
                element.set(own, attributes(element).get(own, said["childclass"]))
        parent[at : at + 1] = inside


def _move(reader: MjcfValues, element: Any, X: np.ndarray) -> None:
    said = attributes(element)
    if "fromto" in said:
        ends = reader.numbers(element, said["fromto"], 6).reshape(2, 3)
        moved = ends @ X[:3, :3].T + X[:3, 3]
        element.set("fromto", " ".join(map(written, moved.ravel())))
        return
    if tag(element) == "joint":
        axis = reader.numbers(element, said.get("axis", "0 0 1"), 3)
        element.set("axis", " ".join(map(written, X[:3, :3] @ axis)))
    X_new = X @ reader.pose(element, said)
    for key in _ORIENTATIONS:
        element.attrib.pop(key, None)
    x, y, z, w = Rotation.from_matrix(X_new[:3, :3]).as_quat()
    element.set("pos", " ".join(map(written, X_new[:3, 3])))
    if tag(element) != "joint":
        element.set("quat", " ".join(map(written, (w, x, y, z))))
