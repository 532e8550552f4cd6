"""Layers of what a plan expects: mass, feet and forces over its horizon."""

import numpy as np
from pydrake.geometry import Box, Cylinder, Meshcat, Rgba, Sphere
from pydrake.math import RigidTransform, RotationMatrix

from backbeat.models.robot.model import RobotModel
from backbeat.mpc.horizon.prediction import INSTANTS, POINTS
from backbeat.stage.drawing.arrows import arrow_scales, draw_arrow, put_arrow
from backbeat.stage.drawing.canvas import Canvas, see_through_bodies
from backbeat.stage.frames.frame import ContactForce, StageFrame

PREDICTED = Rgba(0.97, 0.86, 0.28, 1.0)
FOOTHOLD = Rgba(0.98, 0.66, 0.10, 1.0)
EXPECTED = Rgba(1.0, 0.94, 0.62, 1.0)
# Landings of one foot that are shown, and how solid each is.
SOLID = (0.75, 0.45, 0.28)
# Width of outlines and ways, and their height above the floor [m].
EDGE, ABOVE = 0.012, 0.004
# Shortest piece of the path that is drawn [m].
SHORTEST = 1e-3
# Width of the arrows, and how solid they are, by instant.
WIDTHS, CLEAR = (0.62, 0.50, 0.40, 0.30), (0.95, 0.75, 0.55, 0.40)


class PredictedPath:
    """The way that the center of mass is expected to take, with a bead at each time."""

    path = "/predicted path"

    def __init__(self, meshcat: Meshcat) -> None:
        """Makes the beads and the bars before them, the later the smaller."""
        self._beads = [f"{self.path}/beads/{k + 1}" for k in range(POINTS)]
        self._ways = [f"{self.path}/beads/way {k + 1}" for k in range(POINTS)]
        for k, (bead, way) in enumerate(zip(self._beads, self._ways, strict=True)):
            radius = 0.014 - 0.007 * k / POINTS
            meshcat.SetObject(bead, Sphere(radius), PREDICTED)
            see_through_bodies(meshcat, bead, 6)
            bar = f"{way}/stretch/bar"
            meshcat.SetObject(bar, Cylinder(0.6 * radius, 1.0), PREDICTED)
            meshcat.SetTransform(bar, RigidTransform([0.0, 0.0, 0.5]))
            see_through_bodies(meshcat, bar, 6)

    def draw(self, canvas: Canvas, frame: StageFrame) -> None:
        """See `Layer`."""
        com, before = frame.prediction.com, frame.state.center_of_mass
        for bead, way, place in zip(self._beads, self._ways, com, strict=False):
            canvas.place(bead, RigidTransform(place))
            _draw_way(canvas, way, before, place, SHORTEST)
            before = place
        canvas.show(f"{self.path}/beads", len(com) > 0)


class PredictedFootholds:
    """The outline of each sole where it is expected to land, and the way there."""

    path = "/predicted footholds"

    def __init__(self, meshcat: Meshcat, robot: RobotModel) -> None:
        """Makes the next landings of each patch, the later the clearer."""
        self._patches = robot.patches
        for name in self._patches:
            contact = robot.contacts[name]
            for k, solid in enumerate(SOLID):
                color = Rgba(FOOTHOLD.r(), FOOTHOLD.g(), FOOTHOLD.b(), solid)
                sole = f"{self._of(name, k)}/sole"
                _put_outline(
                    meshcat, sole, contact.half_length, contact.half_width, color
                )
                way = f"{self._of(name, k)}/way/stretch/bar"
                meshcat.SetObject(way, Box(EDGE, 0.002, 1.0), color)
                meshcat.SetTransform(way, RigidTransform([0.0, 0.0, 0.5]))
                see_through_bodies(meshcat, way, 3)

    def _of(self, name: str, k: int) -> str:
        return f"{self.path}/{name}/landing {k + 1}"

    def draw(self, canvas: Canvas, frame: StageFrame) -> None:
        """See `Layer`."""
        for name in self._patches:
            landings = [f for f in frame.prediction.footholds if f.contact == name]
            before = frame.state.pose(name).translation()
            for k in range(len(SOLID)):
                path = self._of(name, k)
                canvas.show(path, k < len(landings))
                if k >= len(landings):
                    continue
                there = landings[k]
                above = there.p_WC + [0.0, 0.0, ABOVE]
                R_WC = RotationMatrix.ProjectToRotationMatrix(there.R_WC)
                canvas.place(f"{path}/sole", RigidTransform(R_WC, above))
                _draw_way(canvas, f"{path}/way", before, above)
                before = above


def _put_outline(
    meshcat: Meshcat, path: str, half_length: float, half_width: float, color: Rgba
) -> None:
    """A plate as large as a patch with a frame around it."""
    pale = Rgba(color.r(), color.g(), color.b(), 0.35 * color.a())
    meshcat.SetObject(f"{path}/plate", Box(2 * half_length, 2 * half_width, 2e-3), pale)
    long, wide = Box(2 * half_length, EDGE, 3e-3), Box(EDGE, 2 * half_width, 3e-3)
    edges = {
        "left": (long, [0.0, half_width, 0.0]),
        "right": (long, [0.0, -half_width, 0.0]),
        "front": (wide, [half_length, 0.0, 0.0]),
        "back": (wide, [-half_length, 0.0, 0.0]),
    }
    for name, (shape, place) in edges.items():
        meshcat.SetObject(f"{path}/{name}", shape, color)
        meshcat.SetTransform(f"{path}/{name}", RigidTransform(place))
    for part in ("plate", *edges):
        see_through_bodies(meshcat, f"{path}/{part}", 3)


def _draw_way(
    canvas: Canvas, path: str, start: np.ndarray, end: np.ndarray, least: float = EDGE
) -> None:
    """Stretches a bar between two places that are farther apart than `least` [m]."""
    length = float(np.linalg.norm(end - start))
    canvas.show(path, length > least)
    if length > least:
        along = RotationMatrix.MakeFromOneVector(end - start, 2)
        canvas.place(path, RigidTransform(along, start))
        canvas.scale(f"{path}/stretch", (1.0, 1.0, length))


class PredictedForces:
    """Arrows for the forces that are expected at some instants, where they will act."""

    path = "/predicted forces"

    def __init__(self, meshcat: Meshcat, robot: RobotModel) -> None:
        """Makes an arrow for each patch and instant, the later the slimmer."""
        self._patches, self._scales = robot.patches, arrow_scales(robot)
        for k, (width, clear) in enumerate(zip(WIDTHS, CLEAR, strict=True)):
            color = Rgba(EXPECTED.r(), EXPECTED.g(), EXPECTED.b(), clear)
            for name in self._patches:
                put_arrow(meshcat, self._of(k, name), color, width, 4)

    def _of(self, k: int, name: str) -> str:
        return f"{self.path}/in {INSTANTS[k]:g} s/{name}"

    def draw(self, canvas: Canvas, frame: StageFrame) -> None:
        """See `Layer`."""
        expected = frame.prediction
        for k in range(len(INSTANTS)):
            found: dict[str, ContactForce] = {}
            if len(expected.forces):
                for name, force in zip(
                    expected.patches, expected.forces[k], strict=True
                ):
                    if np.isfinite(force).all():
                        found[name] = ContactForce(force[:3], force[3:])
            for name in self._patches:
                draw_arrow(
                    canvas, self._of(k, name), found.get(name), self._scales[name]
                )
