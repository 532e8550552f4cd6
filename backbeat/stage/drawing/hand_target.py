"""The target of a hand in task space, and the hand: a ball and a cross."""

import numpy as np
from pydrake.geometry import Box, Meshcat, Rgba, Sphere
from pydrake.math import RigidTransform

from backbeat.stage.drawing.canvas import Canvas, see_through_bodies
from backbeat.stage.frames.frame import StageFrame
from backbeat.stage.web.task_panel import TARGET

BALL = Rgba(0.90, 0.16, 0.12, 1.0)
BALL_RADIUS, CROSS_LENGTH, CROSS_WIDTH = 0.025, 0.16, 0.008


class TargetBall:
    """A ball where the hand should be, seen through whatever is in front of it."""

    path = TARGET

    def __init__(self, meshcat: Meshcat) -> None:
        """Makes the ball."""
        meshcat.SetObject(self.path, Sphere(BALL_RADIUS), BALL)
        see_through_bodies(meshcat, self.path, 4)

    def draw(self, canvas: Canvas, frame: StageFrame) -> None:
        """See `Layer`."""
        if frame.target is not None:
            canvas.place(self.path, RigidTransform(frame.target))


class HandCross:
    """Three bars where the hand is."""

    path = "/hand"

    def __init__(self, meshcat: Meshcat, color: Rgba) -> None:
        """Makes the cross in a color."""
        for k, name in enumerate("xyz"):
            size = np.full(3, CROSS_WIDTH)
            size[k] = CROSS_LENGTH
            meshcat.SetObject(f"{self.path}/{name}", Box(*size), color)
            see_through_bodies(meshcat, f"{self.path}/{name}", 5)

    def draw(self, canvas: Canvas, frame: StageFrame) -> None:
        """See `Layer`."""
        if frame.hand is not None:
            canvas.place(self.path, RigidTransform(frame.hand))
