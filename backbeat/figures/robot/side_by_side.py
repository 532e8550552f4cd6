"""Robots beside each other, at one scale."""

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from backbeat.behaviors.library.behavior import Mount, make_robot
from backbeat.figures.drawing.canvas import INCH, show
from backbeat.figures.drawing.picture import Camera, OffscreenScene
from backbeat.figures.drawing.sources import Sources
from backbeat.models.robot.model import RobotModel
from backbeat.report.plots.style import STYLE

# One camera for all, so that sizes compare; the tallest has room in its picture.
VIEW = Camera((4.6, 2.0, 1.3), (0.0, 0.0, 0.9), 460, 660)
PAIR = ("atlas", "g1")
# Posture that each of them has in its file.
POSTURE = "ready"


def caption(robot: RobotModel) -> str:
    """Name, mass, joints and legs of a robot."""
    return (
        f"{robot.name.capitalize()}: {robot.total_mass:.0f} kg, "
        f"{robot.num_joints} joints,\nlegs of {robot.leg_length:.2f} m"
    )


def two_robots(sources: Sources) -> Figure:
    """Atlas and the G1 in their ready postures, by one camera."""
    robots = [make_robot(name, (), Mount()) for name in PAIR]
    with mpl.rc_context(STYLE):
        size = len(robots) * VIEW.width / INCH, VIEW.height / INCH
        figure = Figure(size, layout="constrained")
        for axes, robot in zip(np.ravel(figure.subplots(1, 2)), robots, strict=True):
            q = robot.posture(POSTURE)
            show(axes, OffscreenScene(robot).photograph(q, VIEW))
            axes.set_title(caption(robot))
        return figure
