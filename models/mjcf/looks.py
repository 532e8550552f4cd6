"""What bodies of a world look like, in MuJoCo's model-editing interface."""

import re
from pathlib import Path
from typing import Any

import numpy as np
from pydrake.geometry import (
    GeometryId,
    Mesh,
    ReadObjToTriangleSurfaceMesh,
    Rgba,
    Role,
    SceneGraphInspector,
    TriangleSurfaceMesh,
)

from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.outside_file import read_bytes
from backbeat.models.meshing.gltf_reader import read_gltf
from backbeat.models.meshing.obj import obj_text
from backbeat.models.meshing.surface import Surface
from backbeat.models.mjcf.model import MujocoModel
from backbeat.models.mjcf.shapes import shape_size
from backbeat.models.mjcf.tree import pose

# Groups of geoms, as is usual: what is seen, and what only collides, which viewers
# hide at first.
SEEN, HIDDEN = 2, 3
GRAY = Rgba(0.75, 0.75, 0.75, 1.0)
# Hundredths of a millimeter cannot be seen.
_DIGITS = 5


class Looks:
    """Adds what is seen of a world, which touches nothing and weighs nothing.

    Attributes:
        files: text of the meshes, by their name in the folder of meshes.
        hulls: meshes that cannot be read, whose hull is shown instead.
        bodies: numbers of the bodies that are seen.
    """

    def __init__(self, spec: Any, made: MujocoModel) -> None:
        """Adds all of it.

        Args:
            spec: a copy of that of the model.
            made: the model, whose world has the looks.
        """
        self.files: dict[str, str] = {}
        self.hulls: list[str] = []
        self.bodies: set[int] = set()
        self._spec, self._made = spec, made
        self._meshes: dict[str, list[tuple[str, Rgba]]] = {}
        plant, inspector = made.world.plant, made.world.scene_graph.model_inspector()
        for identifier in inspector.GetAllGeometryIds(Role.kIllustration):
            body = plant.GetBodyFromFrameId(inspector.GetFrameId(identifier))
            number = int(body.index())
            self.bodies.add(number)
            name = "" if number == 0 else made.model.body(made.bodies[number]).name
            carrier = spec.body(name) if name else spec.worldbody
            self._add(carrier, identifier, inspector)

    def _add(
        self, carrier: Any, identifier: GeometryId, inspector: SceneGraphInspector
    ) -> None:
        """Adds a visible shape to what carries it."""
        shape = inspector.GetShape(identifier)
        properties = inspector.GetIllustrationProperties(identifier)
        color = properties.GetPropertyOrDefault("phong", "diffuse", GRAY)
        own = {
            "contype": 0,
            "conaffinity": 0,
            "group": SEEN,
            "mass": 0.0,
            **pose(inspector.GetPoseInFrame(identifier)),
        }
        kinds = self._made.mujoco.mjtGeom
        if not isinstance(shape, Mesh):
            kind, size = shape_size(kinds, shape)
            carrier.add_geom(type=kind, size=size, rgba=_numbers(color), **own)
            return
        for mesh, its in self._mesh(shape, color):
            carrier.add_geom(
                type=kinds.mjGEOM_MESH, meshname=mesh, rgba=_numbers(its), **own
            )

    def _mesh(self, shape: Mesh, color: Rgba) -> list[tuple[str, Rgba]]:
        """Names and colors of the meshes of a shape, each with one color."""
        source, scale = shape.source(), tuple(float(s) for s in shape.scale3())
        name = source.path().stem if source.is_path() else str(source.description())
        key = f"{source.description()} {scale}"
        if key not in self._meshes:
            stem = re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_")[:40] or "mesh"
            taken = {file.rpartition("-")[0] for file in self.files}
            stem = stem if stem not in taken else f"{stem}_{len(self._meshes)}"
            found = []
            for number, surface in enumerate(self._surfaces(shape, name)):
                file = f"{stem}-{number}.obj"
                its = color if surface.color is None else Rgba(*surface.color, 1.0)
                self._file(file, surface, scale)
                found.append((file, its))
            self._meshes[key] = found
        return self._meshes[key]

    def _file(self, file: str, surface: Surface, scale: tuple[float, ...]) -> None:
        """Adds a mesh of one color as a file."""
        corners = np.round(surface.corners * scale, _DIGITS) + 0.0
        edges = corners[:, 1:] - corners[:, :1]
        # MuJoCo refuses triangles that are lines.
        area = np.linalg.norm(np.cross(edges[:, 0], edges[:, 1]), axis=1)
        self.files[file] = obj_text([Surface(corners[area > 1e-12])])
        made = self._spec.add_mesh(name=file, file=file)
        # What is open has no volume, and needs none.
        made.inertia = self._made.mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL

    def _surfaces(self, shape: Mesh, name: str) -> list[Surface]:
        """Triangles of a mesh without its scale, or of its hull."""
        source = shape.source()
        try:
            if shape.extension().lower() == ".gltf":
                if source.is_path():
                    path = Path(source.path())
                    return read_gltf(read_bytes(path, "mesh"), str(path), path.parent)
                raw = source.in_memory().mesh_file.contents()
                return read_gltf(raw, name, None)
            if shape.extension().lower() == ".obj":
                return [_surface(ReadObjToTriangleSurfaceMesh(Mesh(source, 1.0)))]
            raise BackbeatError(f"{name} is of a kind that is not read")
        except (BackbeatError, RuntimeError):
            self.hulls.append(name)
            hull = Mesh(source, 1.0).GetConvexHull()
            return [_hull(hull)]


def _surface(mesh: TriangleSurfaceMesh) -> Surface:
    points = np.array([v for v in mesh.vertices()])
    order = [[t.vertex(k) for k in range(3)] for t in mesh.triangles()]
    return Surface(points[np.array(order, int)])


def _hull(mesh: Any) -> Surface:
    """Triangles of a polygonal mesh, whose faces are convex."""
    points = np.array([mesh.vertex(i) for i in range(mesh.num_vertices())])
    data, order, at = mesh.face_data(), [], 0
    while at < len(data):
        count = data[at]
        face = data[at + 1 : at + 1 + count]
        order += [[face[0], face[k], face[k + 1]] for k in range(1, count - 1)]
        at += count + 1
    return Surface(points[np.array(order, int)])


def _numbers(color: Rgba) -> list[float]:
    return [color.r(), color.g(), color.b(), color.a()]
