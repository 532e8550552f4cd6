"""A small modeling library: shapes and the glTF files they become."""

from backbeat.models.meshing.gltf import Material, Part, gltf, write_gltf
from backbeat.models.meshing.shapes import (
    Mesh,
    band,
    disc,
    drum,
    loft,
    merge,
    revolve,
    rounded_box,
    rounded_polygon,
    superellipse,
    sweep,
    tube,
)

__all__ = [
    "Material",
    "Mesh",
    "Part",
    "band",
    "disc",
    "drum",
    "gltf",
    "loft",
    "merge",
    "revolve",
    "rounded_box",
    "rounded_polygon",
    "superellipse",
    "sweep",
    "tube",
    "write_gltf",
]
