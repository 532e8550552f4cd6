"""Canvas: where layers draw, live or into a file."""

from typing import Protocol

import numpy as np
from pydrake.geometry import Meshcat
from pydrake.math import RigidTransform, RotationMatrix


class Canvas(Protocol):
    """What a layer may do to an object that it has put into Meshcat's tree.

    A path is either placed or scaled, never both: Meshcat keeps place and scale
    of a path in one matrix.
    """

    def place(self, path: str, X: RigidTransform) -> None:
        """Moves a path to a pose in its parent."""

    def scale(self, path: str, factors: tuple[float, float, float]) -> None:
        """Stretches a path along its axes."""

    def show(self, path: str, visible: bool) -> None:
        """Shows a path or hides it."""

    def fade(self, path: str, opacity: float) -> None:
        """Makes the object at a path see-through, 0, or solid, 1."""


class LiveCanvas:
    """Draws on an open Meshcat; says nothing twice."""

    def __init__(self, meshcat: Meshcat) -> None:
        """Draws on `meshcat`."""
        self._meshcat = meshcat
        self._said: dict[tuple[str, str], object] = {}

    def place(self, path: str, X: RigidTransform) -> None:
        """See `Canvas`."""
        if self._is_news(path, "pose", X.GetAsMatrix34().tobytes()):
            self._meshcat.SetTransform(path, X)

    def scale(self, path: str, factors: tuple[float, float, float]) -> None:
        """See `Canvas`."""
        if self._is_news(path, "scale", factors):
            self._meshcat.SetProperty(path, "scale", list(factors))

    def show(self, path: str, visible: bool) -> None:
        """See `Canvas`."""
        if self._is_news(path, "visible", visible):
            self._meshcat.SetProperty(path, "visible", visible)

    def fade(self, path: str, opacity: float) -> None:
        """See `Canvas`."""
        if self._is_news(path, "opacity", opacity):
            self._meshcat.SetProperty(f"{path}/<object>", "opacity", opacity)

    def _is_news(self, path: str, key: str, value: object) -> bool:
        if self._said.get((path, key)) == value:
            return False
        self._said[path, key] = value
        return True


def pose_on(point: np.ndarray, direction: np.ndarray) -> RigidTransform:
    """Pose at a point with z along a direction, turned as little as possible."""
    return RigidTransform(RotationMatrix.MakeFromOneVector(direction, 2), point)


def see_through_bodies(meshcat: Meshcat, path: str, order: int) -> None:
    """Lets an object be seen through whatever is in front of it.

    Args:
        meshcat: the stage.
        path: path of the object.
        order: place in the order of drawing; higher ones come out on top.
    """
    meshcat.SetProperty(f"{path}/<object>", "material.depthTest", False)
    meshcat.SetProperty(f"{path}/<object>", "material.transparent", True)
    meshcat.SetProperty(f"{path}/<object>", "renderOrder", float(order))
    meshcat.SetProperty(f"{path}/<object>", "castShadow", False)
    meshcat.SetProperty(f"{path}/<object>", "receiveShadow", False)
