"""Layers: what explains the motion, each under a readable name in Meshcat's tree."""

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
from pydrake.common import MemoryFile
from pydrake.geometry import (
    Box,
    Cylinder,
    InMemoryMesh,
    Mesh,
    Meshcat,
    MeshcatCone,
    Rgba,
    Shape,
    Sphere,
)
from pydrake.math import RigidTransform, RotationMatrix

from backbeat.models.kit.drum_kit import DrumKit
from backbeat.models.kit.schema import MemberDescription
from backbeat.models.meshing import Material, Part, gltf, revolve
from backbeat.models.robot.model import RobotModel
from backbeat.stage.drawing.arrows import arrow_scales, draw_arrow, put_arrow
from backbeat.stage.drawing.canvas import Canvas, pose_on, see_through_bodies
from backbeat.stage.frames.balance import MAX_EDGES, support_corners
from backbeat.stage.frames.frame import ContactForce, StageFrame

# Colors that people with any color vision tell apart (Okabe, Ito 2008).
FORCE = Rgba(0.10, 0.78, 0.55, 1.0)
MASS = Rgba(0.88, 0.42, 0.70, 1.0)
SUPPORT = Rgba(0.96, 0.94, 0.88, 1.0)
PLANNED = Rgba(0.30, 0.66, 0.95, 1.0)
PUSH = Rgba(0.98, 0.98, 0.98, 1.0)
# Length of a push [m/(N s)], and of its arrow's head [m].
PUSH_SCALE, PUSH_HEAD = 5e-3, 0.13
CAPTURE = Rgba(0.90, 0.30, 0.05, 1.0)
CAPTURE_RING = Material("capture point", "#e64d0d", roughness=0.6, glow="#a03008")
FLASH = Rgba(1.0, 0.68, 0.22, 0.5)


class Layer(Protocol):
    """Something drawn for each frame.

    Attributes:
        path: its folder in Meshcat's tree, whose name says what it is.
    """

    path: str

    def draw(self, canvas: Canvas, frame: StageFrame) -> None:
        """Shows a frame."""


class ForceArrows:
    """An arrow for every contact force, from where it acts."""

    path = "/contact forces"
    color, thickness = FORCE, 1.0

    def __init__(self, meshcat: Meshcat, robot: RobotModel) -> None:
        """Makes an arrow for each contact of the robot."""
        self._scales = arrow_scales(robot)
        for name in self._scales:
            put_arrow(meshcat, f"{self.path}/{name}", self.color, self.thickness)

    def forces(self, frame: StageFrame) -> Mapping[str, ContactForce]:
        """What the arrows show."""
        return frame.forces

    def draw(self, canvas: Canvas, frame: StageFrame) -> None:
        """See `Layer`."""
        forces = self.forces(frame)
        for name, scale in self._scales.items():
            draw_arrow(canvas, f"{self.path}/{name}", forces.get(name), scale)


class PlannedForceArrows(ForceArrows):
    """The same for forces of the plan of a simulation: slimmer, another color."""

    path = "/planned forces"
    color, thickness = PLANNED, 0.6

    def forces(self, frame: StageFrame) -> Mapping[str, ContactForce]:
        """What the arrows show."""
        return frame.planned_forces


class PushArrows:
    """An arrow that ends at what is pushed, as long as the impulse is great."""

    path = "/pushes"

    def __init__(self, meshcat: Meshcat, links: Sequence[str]) -> None:
        """Makes an arrow for every link."""
        self._links = tuple(links)
        upright = RigidTransform(RotationMatrix.MakeXRotation(np.pi))
        for name in self._links:
            path = f"{self.path}/{name}"
            cone = MeshcatCone(PUSH_HEAD, 0.06, 0.06)
            meshcat.SetObject(f"{path}/cone", cone, PUSH)
            # Meshcat's cone stands on its tip, which is at the link.
            meshcat.SetTransform(f"{path}/cone", upright)
            meshcat.SetObject(f"{path}/bar/stretch/rod", Cylinder(0.022, 1.0), PUSH)
            half = RigidTransform([0.0, 0.0, -0.5])
            meshcat.SetTransform(f"{path}/bar/stretch/rod", half)
            meshcat.SetTransform(f"{path}/bar", RigidTransform([0, 0, -PUSH_HEAD]))
            for solid in (f"{path}/cone", f"{path}/bar/stretch/rod"):
                see_through_bodies(meshcat, solid, 8)

    def draw(self, canvas: Canvas, frame: StageFrame) -> None:
        """See `Layer`."""
        for name in self._links:
            path, push = f"{self.path}/{name}", frame.pushes.get(name)
            canvas.show(path, push is not None)
            if push is not None:
                length = PUSH_SCALE * float(np.linalg.norm(push.force))
                canvas.place(path, pose_on(push.point, push.force))
                canvas.scale(f"{path}/bar/stretch", (1.0, 1.0, max(length, 0.01)))


class CapturePoint:
    """A ring about the point on the ground over which the robot would come to rest."""

    path = "/capture point"

    def __init__(self, meshcat: Meshcat) -> None:
        """Makes ring and dot."""
        self._mark = f"{self.path}/mark"
        corners = [(0.0, 0.028), (0.003, 0.028), (0.003, 0.038), (0.0, 0.038)]
        ring = Part(revolve([*corners, corners[0]], count=40), CAPTURE_RING)
        file = MemoryFile(gltf([ring]), ".gltf", "capture point.gltf")
        meshcat.SetObject(f"{self._mark}/ring", Mesh(InMemoryMesh(mesh_file=file)))
        meshcat.SetObject(f"{self._mark}/dot", Cylinder(0.009, 0.004), CAPTURE)

    def draw(self, canvas: Canvas, frame: StageFrame) -> None:
        """See `Layer`."""
        place = frame.capture_point
        canvas.show(self._mark, place is not None)
        if place is not None:
            canvas.place(self._mark, RigidTransform(place + [0.0, 0.0, 0.002]))


class CenterOfMass:
    """The center of mass, and where it is above the floor."""

    path = "/center of mass"

    def __init__(self, meshcat: Meshcat) -> None:
        """Makes ball, plumb line and foot point."""
        self._ball, self._foot = f"{self.path}/ball", f"{self.path}/on the floor"
        self._line = f"{self.path}/plumb line"
        meshcat.SetObject(self._ball, Sphere(0.034), MASS)
        meshcat.SetObject(f"{self._foot}/disc", Cylinder(0.03, 0.002), MASS)
        meshcat.SetObject(f"{self._line}/stretch/bar", Cylinder(0.003, 1.0), MASS)
        half = RigidTransform([0.0, 0.0, 0.5])
        meshcat.SetTransform(f"{self._line}/stretch/bar", half)
        see_through_bodies(meshcat, self._ball, 7)
        see_through_bodies(meshcat, f"{self._line}/stretch/bar", 4)

    def draw(self, canvas: Canvas, frame: StageFrame) -> None:
        """See `Layer`."""
        com = frame.state.center_of_mass
        floor = RigidTransform([com[0], com[1], 0.002])
        canvas.place(self._ball, RigidTransform(com))
        canvas.place(self._foot, floor)
        canvas.place(self._line, floor)
        canvas.scale(f"{self._line}/stretch", (1.0, 1.0, max(float(com[2]), 1e-3)))


class SupportPolygon:
    """The hull of the contacts that carry weight, on the floor."""

    path = "/support polygon"

    def __init__(self, meshcat: Meshcat) -> None:
        """Makes as many edges as a hull may have."""
        self._edges = [f"{self.path}/edge {k + 1}" for k in range(MAX_EDGES)]
        for edge in self._edges:
            meshcat.SetObject(f"{edge}/stretch/bar", Box(0.008, 0.002, 1.0), SUPPORT)
            half = RigidTransform([0.0, 0.0, 0.5])
            meshcat.SetTransform(f"{edge}/stretch/bar", half)

    def draw(self, canvas: Canvas, frame: StageFrame) -> None:
        """See `Layer`."""
        corners = support_corners(frame)
        for k, edge in enumerate(self._edges):
            canvas.show(edge, k < len(corners))
            if k >= len(corners):
                continue
            start, end = corners[k], corners[(k + 1) % len(corners)]
            along = end - start
            length = float(np.linalg.norm(along))
            side = np.array([-along[1], along[0], 0.0]) / length
            R = np.column_stack([side, [0.0, 0.0, 1.0], along / length])
            canvas.place(
                edge, RigidTransform(RotationMatrix(R), start + [0.0, 0.0, 0.0015])
            )
            canvas.scale(f"{edge}/stretch", (1.0, 1.0, length))


class HitFlashes:
    """A glow on a drum or cymbal that was just hit."""

    path = "/hits"

    def __init__(self, meshcat: Meshcat, kit: DrumKit) -> None:
        """Lays a disc over every member of the kit."""
        self._members = tuple(kit.members)
        for name, member in kit.members.items():
            path = f"{self.path}/{name}"
            glow, X_MG = _glow_of(member)
            meshcat.SetObject(path, glow, FLASH)
            meshcat.SetTransform(path, kit.strike_pose(name) @ X_MG)

    def draw(self, canvas: Canvas, frame: StageFrame) -> None:
        """See `Layer`."""
        for name in self._members:
            glow = frame.flashes.get(name, 0.0)
            canvas.show(f"{self.path}/{name}", glow > 0.02)
            canvas.fade(f"{self.path}/{name}", 0.85 * glow)


def _glow_of(member: MemberDescription) -> tuple[Shape, RigidTransform]:
    """A shape that covers what is struck, and its pose in the member's frame."""
    if member.kind != "cymbal":
        head = Cylinder(0.97 * member.radius, 0.002)
        return head, RigidTransform([0.0, 0.0, 0.003])
    # A cymbal falls by 3 cm from its bell to its edge; Meshcat's cone stands on its
    # tip.
    fall = RigidTransform(RotationMatrix.MakeXRotation(np.pi), [0.0, 0.0, 0.006])
    return MeshcatCone(0.03, 1.01 * member.radius, 1.01 * member.radius), fall
