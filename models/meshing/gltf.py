"""Shapes to glTF 2.0: shading normals, materials and one self-contained file per link.

Backbeat works z-up, glTF is y-up. Drake turns every glTF that it loads by +90 degrees
about x, so that glTF's +y becomes +z; the writer turns by -90 degrees, and what is
modeled in a link's frame appears in that frame. trimesh would write the document
and its buffers; it would be one more package for all users.
"""

import base64
import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from math import cos, radians
from pathlib import Path
from typing import Any

import numpy as np

from backbeat.models.meshing.shapes import Mesh

_ARRAY_BUFFER, _ELEMENT_ARRAY_BUFFER = 34962, 34963  # figures of the glTF standard
_UNSIGNED_SHORT, _FLOAT = 5123, 5126

_Object = dict[str, Any]  # of JSON


@dataclass(frozen=True)
class Material:
    """A look, metallic-roughness model.

    Attributes:
        name: Shown by tools that list materials.
        color: sRGB color as "#rrggbb".
        roughness: 0 mirror, 1 chalk.
        metallic: 0 plastic or paint, 1 bare metal.
        glow: sRGB color of the light it gives off itself, or None.
    """

    name: str
    color: str
    roughness: float = 0.5
    metallic: float = 0.0
    glow: str | None = None


@dataclass(frozen=True)
class Part:
    """A shape in a material.

    Attributes:
        mesh: The shape, in the link frame.
        material: Its look.
        crease: Faces that meet at less than this angle, in rad, are shaded as one
            smooth surface.
    """

    mesh: Mesh
    material: Material
    crease: float = radians(62.0)


def corner_normals(mesh: Mesh, crease: float) -> tuple[np.ndarray, np.ndarray]:
    """Returns unit normals for shading, shape (m, 3, 3), and face areas, shape (m,).

    The normal at a face's corner is the mean over the faces around that point which lie
    within the crease angle, weighted by area. Weighting keeps large faces flat, so that
    one narrow bevel between two of them looks like a machined round.
    """
    corners = mesh.points[mesh.triangles]
    doubled = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(doubled, axis=1)
    faces = doubled / np.maximum(areas, 1e-15)[:, None]
    # All pairs of corners at the same point, of those in order of points.
    points = mesh.triangles.ravel()
    order = np.argsort(points, kind="stable")
    _, first, count = np.unique(points[order], return_index=True, return_counts=True)
    each = np.repeat(count, count)
    here = np.repeat(np.arange(len(order)), each)
    step = np.arange(len(here)) - np.repeat(np.cumsum(each) - each, each)
    there = np.repeat(np.repeat(first, count), each) + step
    own, other = order[here] // 3, order[there] // 3
    near = (faces[own] * faces[other]).sum(1) >= cos(crease) - 1e-9
    sums = [
        np.bincount(order[here][near], doubled[other[near], i], len(points))
        for i in range(3)
    ]
    normals: np.ndarray = np.stack(sums, axis=1).reshape(-1, 3, 3)
    normals /= np.maximum(np.linalg.norm(normals, axis=2, keepdims=True), 1e-15)
    return normals, areas / 2.0


def _vertices(part: Part) -> tuple[np.ndarray, np.ndarray]:
    """Returns y-up (position, normal) rows, shape (k, 6), and indices, shape (3 m,)."""
    normals, areas = corner_normals(part.mesh, part.crease)
    solid = areas > 1e-12  # slivers draw nothing and have no normal
    rows = np.concatenate([part.mesh.points[part.mesh.triangles], normals], axis=2)
    rows = rows[solid].reshape(-1, 6)[:, [0, 2, 1, 3, 5, 4]] * [1, 1, -1, 1, 1, -1]
    # Rounding makes the file independent of the last bit of a machine's sine.
    rows = np.column_stack([np.round(rows[:, :3], 5), np.round(rows[:, 3:], 3)]) + 0.0
    unique, index = np.unique(rows, axis=0, return_inverse=True)
    return unique, index.reshape(-1)


def gltf(parts: Iterable[Part]) -> str:
    """Returns the text of a glTF file with one mesh and an embedded buffer."""
    by_material = defaultdict(list)
    for part in parts:
        by_material[part.material].append(part)
    rows, indices, primitives = [], [], []
    accessors: list[_Object] = []
    row_count = index_count = 0
    for number, group in enumerate(by_material.values()):
        points, triangles = _joined(group)
        low, high = (f(points[:, :3].astype("f4"), axis=0) for f in (np.min, np.max))
        base = len(accessors)
        accessors += [
            _accessor(0, 24 * row_count, _FLOAT, len(points), "VEC3")
            | {"min": low.tolist(), "max": high.tolist()},
            _accessor(0, 24 * row_count + 12, _FLOAT, len(points), "VEC3"),
            _accessor(1, 2 * index_count, _UNSIGNED_SHORT, len(triangles), "SCALAR"),
        ]
        attributes = {"POSITION": base, "NORMAL": base + 1}
        primitives.append(
            {"attributes": attributes, "indices": base + 2, "material": number}
        )
        rows.append(points)
        indices.append(triangles)
        row_count, index_count = row_count + len(points), index_count + len(triangles)
    vertex_bytes = np.vstack(rows).astype("<f4").tobytes()
    index_bytes = np.concatenate(indices).astype("<u2").tobytes()
    document = {
        "asset": {"version": "2.0", "generator": "backbeat models.meshing"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": primitives}],
        "materials": [_material(material) for material in by_material],
        "accessors": accessors,
        "bufferViews": [
            _view(0, len(vertex_bytes), _ARRAY_BUFFER) | {"byteStride": 24},
            _view(len(vertex_bytes), len(index_bytes), _ELEMENT_ARRAY_BUFFER),
        ],
        "buffers": [_buffer(vertex_bytes + index_bytes)],
    }
    return json.dumps(document, separators=(",", ":")) + "\n"


def write_gltf(path: str | Path, parts: Iterable[Part]) -> None:
    """Writes parts as a glTF file."""
    path = Path(path)
    path.write_text(gltf(parts), encoding="utf-8", newline="\n")


def _joined(parts: list[Part]) -> tuple[np.ndarray, np.ndarray]:
    """Returns vertex rows and indices of parts that share a material."""
    rows, indices, count = [], [], 0
    for part in parts:
        points, triangles = _vertices(part)
        rows.append(points)
        indices.append(triangles + count)
        count += len(points)
    if count > 65535:
        raise ValueError(f"{count} vertices in a material; indices hold 65535.")
    return np.vstack(rows), np.concatenate(indices)


def _linear(color: str) -> list[float]:
    """Returns linear RGB, as glTF requires it, of an sRGB "#rrggbb"."""
    channels = [int(color[i : i + 2], 16) / 255.0 for i in (1, 3, 5)]
    return [
        round(c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4, 4)
        for c in channels
    ]


def _material(material: Material) -> _Object:
    """Returns the glTF object of a material."""
    result: _Object = {
        "name": material.name,
        "pbrMetallicRoughness": {
            "baseColorFactor": [*_linear(material.color), 1.0],
            "metallicFactor": material.metallic,
            "roughnessFactor": material.roughness,
        },
    }
    if material.glow:
        result["emissiveFactor"] = _linear(material.glow)
    return result


def _accessor(view: int, offset: int, component: int, count: int, kind: str) -> _Object:
    """Returns a glTF accessor object."""
    return {
        "bufferView": view,
        "byteOffset": offset,
        "componentType": component,
        "count": count,
        "type": kind,
    }


def _view(offset: int, length: int, target: int) -> _Object:
    """Returns a glTF buffer view object."""
    return {"buffer": 0, "byteOffset": offset, "byteLength": length, "target": target}


def _buffer(data: bytes) -> _Object:
    """Returns a glTF buffer object that holds its own bytes."""
    text = base64.b64encode(data).decode("ascii")
    uri = f"data:application/octet-stream;base64,{text}"
    return {"byteLength": len(data), "uri": uri}
