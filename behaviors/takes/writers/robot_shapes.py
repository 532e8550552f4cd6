"""Shapes of a robot as primitives of a Foxglove scene, one entity for each body."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from pydrake.geometry import (
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Mesh,
    Rgba,
    Role,
    SceneGraphInspector,
    Shape,
    Sphere,
)
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
from pydrake.systems.framework import DiagramBuilder

from backbeat.behaviors.takes.joint_orders import body_names
from backbeat.models.common.outside_file import read_bytes
from backbeat.models.meshing.gltf_reader import read_gltf
from backbeat.models.robot.model import RobotModel

GRAY = Rgba(0.6, 0.6, 0.62, 1.0)
Primitives = dict[str, list[dict[str, Any]]]
KINDS = ("cubes", "spheres", "cylinders", "triangles")


def robot_shapes(robot: RobotModel) -> dict[str, Primitives]:
    """Primitives by body; meshes that are not glTF are shown by their solids."""
    builder = DiagramBuilder()
    plant, graph = AddMultibodyPlantSceneGraph(builder, 0.0)
    robot.add_to(plant, graph)
    plant.Finalize()
    inspector, names = graph.model_inspector(), body_names(robot)
    found: dict[str, Primitives] = defaultdict(lambda: {kind: [] for kind in KINDS})
    for role in (Role.kIllustration, Role.kProximity):
        seen = set(found)
        for geometry in inspector.GetAllGeometryIds(role):
            body = plant.GetBodyFromFrameId(inspector.GetFrameId(geometry))
            frame = robot.link_frame(body.name())
            owner = names[frame.body]
            if owner in seen:
                continue
            X_PF = RigidTransform(RotationMatrix(frame.R_PF), frame.p_PF)
            X_PG = X_PF @ inspector.GetPoseInFrame(geometry)
            shape = inspector.GetShape(geometry)
            for kind, primitive in _primitives(
                shape, X_PG, _color(inspector, geometry)
            ):
                found[owner][kind].append(primitive)
    return dict(found)


def _color(inspector: SceneGraphInspector, geometry: Any) -> Rgba:
    properties = inspector.GetIllustrationProperties(geometry)
    if properties is None:
        return GRAY
    color: Rgba = properties.GetPropertyOrDefault("phong", "diffuse", GRAY)
    return color


def _primitives(
    shape: Shape, X: RigidTransform, rgba: Rgba
) -> list[tuple[str, dict[str, Any]]]:
    """Kind and primitive of each part of a shape; none of a mesh that is not glTF."""
    color = color_of(rgba.r(), rgba.g(), rgba.b(), rgba.a())
    placed = {"pose": pose_of(X), "color": color}
    if isinstance(shape, Box):
        size = vector(shape.size())
        return [("cubes", {**placed, "size": size})]
    if isinstance(shape, Sphere):
        return [("spheres", {**placed, "size": vector(np.full(3, 2 * shape.radius()))})]
    if isinstance(shape, Ellipsoid):
        size = vector(2 * np.array([shape.a(), shape.b(), shape.c()]))
        return [("spheres", {**placed, "size": size})]
    if isinstance(shape, Cylinder | Capsule):
        r, length = shape.radius(), shape.length()
        size = vector([2 * r, 2 * r, length])
        whole = {**placed, "size": size, "bottom_scale": 1.0, "top_scale": 1.0}
        parts: list[tuple[str, dict[str, Any]]] = [("cylinders", whole)]
        if isinstance(shape, Capsule):
            for z in (-0.5 * length, 0.5 * length):
                end = pose_of(X @ RigidTransform([0.0, 0.0, z]))
                ball = {"pose": end, "size": vector(np.full(3, 2 * r)), "color": color}
                parts.append(("spheres", ball))
        return parts
    if isinstance(shape, Mesh):
        return _mesh(shape, X)
    return []


def _mesh(shape: Mesh, X: RigidTransform) -> list[tuple[str, dict[str, Any]]]:
    """Triangles of a glTF file in the order of its surfaces."""
    path = Path(shape.source().path())
    if path.suffix.lower() != ".gltf":
        return []
    parts = []
    for surface in read_gltf(read_bytes(path, "mesh"), str(path), path.parent):
        points = surface.corners.reshape(-1, 3) * np.asarray(shape.scale3())
        flat, at = np.unique(np.round(points, 5), axis=0, return_inverse=True)
        red, green, blue = surface.color or (GRAY.r(), GRAY.g(), GRAY.b())
        parts.append(
            (
                "triangles",
                {
                    "pose": pose_of(X),
                    "points": [vector(p) for p in flat],
                    "color": color_of(red, green, blue, 1.0),
                    "colors": [],
                    "indices": at.reshape(-1).tolist(),
                },
            )
        )
    return parts


def pose_of(X: RigidTransform) -> dict[str, Any]:
    """A pose in Foxglove's words."""
    w, x, y, z = X.rotation().ToQuaternion().wxyz()
    return {
        "position": vector(X.translation()),
        "orientation": {"x": float(x), "y": float(y), "z": float(z), "w": float(w)},
    }


def vector(p: Any) -> dict[str, float]:
    """A vector in Foxglove's words."""
    x, y, z = (round(float(a), 6) for a in p)
    return {"x": x, "y": y, "z": z}


def color_of(red: float, green: float, blue: float, alpha: float) -> dict[str, float]:
    """A color in Foxglove's words."""
    return {"r": red, "g": green, "b": blue, "a": alpha}
