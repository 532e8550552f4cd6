"""Arrows: a force as it is drawn, from where it acts."""

import numpy as np
from pydrake.geometry import Cylinder, Meshcat, MeshcatCone, Rgba
from pydrake.math import RigidTransform, RotationMatrix

from backbeat.models.robot.model import RobotModel
from backbeat.stage.drawing.canvas import Canvas, pose_on, see_through_bodies
from backbeat.stage.frames.frame import ContactForce

# An arrow of this length is the robot's weight [m].
WEIGHT_LENGTH = 0.85
# Length of a force on a point contact [m/N], and of an arrow's head [m].
POINT_SCALE, HEAD = 3e-3, 0.075
PARTS = ("shaft", "head")


def arrow_scales(robot: RobotModel) -> dict[str, float]:
    """Length of a force on each contact of a robot [m/N]."""
    # Points, such as stick tips, bear a hundredth of what a sole bears.
    return {
        name: POINT_SCALE if contact.is_point else WEIGHT_LENGTH / robot.weight
        for name, contact in robot.contacts.items()
    }


def put_arrow(
    meshcat: Meshcat, path: str, color: Rgba, thickness: float = 1.0, order: int = 5
) -> None:
    """Puts an arrow into Meshcat's tree.

    Args:
        meshcat: the stage.
        path: folder of the arrow.
        color: of shaft and head.
        thickness: factor on its width.
        order: see `see_through_bodies`.
    """
    shaft, head = (f"{path}/{part}/size" for part in PARTS)
    meshcat.SetObject(f"{shaft}/bar", Cylinder(0.013 * thickness, 1.0), color)
    meshcat.SetTransform(f"{shaft}/bar", RigidTransform([0.0, 0.0, 0.5]))
    # Meshcat's cone stands on its tip.
    cone = MeshcatCone(HEAD, 0.034 * thickness, 0.034 * thickness)
    upright = RigidTransform(RotationMatrix.MakeXRotation(np.pi), [0, 0, HEAD])
    meshcat.SetObject(f"{head}/cone", cone, color)
    meshcat.SetTransform(f"{head}/cone", upright)
    for solid in (f"{shaft}/bar", f"{head}/cone"):
        see_through_bodies(meshcat, solid, order)


def draw_arrow(
    canvas: Canvas, path: str, contact: ContactForce | None, scale: float
) -> None:
    """Shows a force [N] as an arrow of `scale` [m/N]; None hides it."""
    canvas.show(path, contact is not None)
    if contact is None:
        return
    length = max(scale * float(np.linalg.norm(contact.force)), 0.01)
    # A short arrow is a small one, not a head without a shaft.
    size = min(1.0, length / (2.0 * HEAD))
    bar = length - size * HEAD
    canvas.place(path, pose_on(contact.point, contact.force))
    canvas.scale(f"{path}/shaft/size", (size, size, bar))
    canvas.place(f"{path}/head", RigidTransform([0.0, 0.0, bar]))
    canvas.scale(f"{path}/head/size", (size, size, size))
