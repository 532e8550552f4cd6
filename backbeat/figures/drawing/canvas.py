"""Pictures as axes that one can write on, and cameras that look at a drummer."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from backbeat.behaviors.library.behavior import Behavior
from backbeat.figures.drawing.picture import Camera

INCH = 110.0  # pixels


def picture_axes(picture: np.ndarray) -> tuple[Figure, Axes]:
    """A figure that is a picture; its axes count in the picture's pixels."""
    height, width = picture.shape[:2]
    figure = Figure((width / INCH, height / INCH), layout="constrained")
    axes = figure.subplots()
    show(axes, picture)
    return figure, axes


def show(axes: Axes, picture: np.ndarray) -> None:
    """Puts a picture into axes."""
    axes.imshow(picture, interpolation="antialiased")
    axes.set_axis_off()
    axes.set_autoscale_on(False)


def drum_camera(
    plan: Behavior,
    way: tuple[float, float, float],
    width: int = 900,
    height: int = 760,
) -> Camera:
    """A camera that has a drummer and the kit in its picture.

    Args:
        plan: a drumming behavior.
        way: direction from the kit to the camera; its length does not count.
        width, height: of the picture [pixels].
    """
    target = np.array(plan.scene.place) + [0.3, 0.0, 0.82]
    direction = np.array(way, float) / np.linalg.norm(way)
    x, y, z = target + 4.9 * direction
    return Camera((x, y, z), tuple(target), width, height)
