"""Lines of disturbances: what holds the robot to a place, such as a rope."""

import numpy as np
from pydrake.geometry import Cylinder, Meshcat, Rgba
from pydrake.math import RigidTransform

from backbeat.stage.drawing.canvas import Canvas, pose_on
from backbeat.stage.frames.frame import StageFrame

LINE = Rgba(0.98, 0.80, 0.35, 1.0)
# Lines that are drawn at most, and radius of one, and of one that is slack [m].
MOST_LINES, TAUT, SLACK = 8, 0.008, 0.003


class DisturbanceLines:
    """A line for each, thin where it is slack."""

    path = "/lines of disturbances"

    def __init__(self, meshcat: Meshcat) -> None:
        """Makes as many as there may be."""
        self._lines = [f"{self.path}/{k + 1}" for k in range(MOST_LINES)]
        half = RigidTransform([0.0, 0.0, 0.5])
        for line in self._lines:
            meshcat.SetObject(f"{line}/stretch/bar", Cylinder(1.0, 1.0), LINE)
            meshcat.SetTransform(f"{line}/stretch/bar", half)

    def draw(self, canvas: Canvas, frame: StageFrame) -> None:
        """See `Layer`."""
        for k, line in enumerate(self._lines):
            shown = k < len(frame.lines)
            canvas.show(line, shown)
            if not shown:
                continue
            start, end, is_taut = vars(frame.lines[k]).values()
            length = float(np.linalg.norm(end - start))
            radius = TAUT if is_taut else SLACK
            if length > 0:
                canvas.place(line, pose_on(start, end - start))
            canvas.scale(f"{line}/stretch", (radius, radius, max(length, 1e-3)))
