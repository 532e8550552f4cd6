"""Looks of a kit's members: a mesh that ships, one of the user's, or a drawn shape."""

from functools import lru_cache
from pathlib import Path

import numpy as np
from pydrake.common import MemoryFile
from pydrake.geometry import InMemoryMesh, Mesh

from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.outside_file import is_file
from backbeat.models.kit.description import parse_kit
from backbeat.models.kit.schema import MemberDescription
from backbeat.models.kit.shell import drawn_cymbal, drawn_drum, drawn_pad
from backbeat.models.meshing import gltf

MESHES = Path(__file__).parent / "meshes"


def shipped_look(name: str, scale: tuple[float, float, float] = (1, 1, 1)) -> Mesh:
    """The mesh that ships under a name, its axes times factors."""
    return Mesh(str(MESHES / f"{name}.gltf"), np.array(scale, float))


def look_of(name: str, member: MemberDescription) -> Mesh:
    """How a member looks.

    One with the kind and size of its namesake in the usual kit looks like that.

    Raises:
        BackbeatError: its mesh is gone.
    """
    if member.mesh:
        if not is_file(Path(member.mesh)):
            raise BackbeatError(
                f"the mesh of {name} is gone: {member.mesh}; put it back, or build the "
                "behavior again with a kit that has another one"
            )
        return Mesh(member.mesh)
    usual = parse_kit("").members.get(name)
    if usual is not None and _shape(usual) == _shape(member):
        return shipped_look(name)
    return Mesh(
        InMemoryMesh(mesh_file=MemoryFile(_drawn(*_shape(member)), ".gltf", name))
    )


def _shape(member: MemberDescription) -> tuple[str, float, float]:
    return member.kind, member.radius, member.depth


@lru_cache(maxsize=64)
def _drawn(kind: str, radius: float, depth: float) -> str:
    """glTF of a member of some kind and size [m]."""
    if kind == "cymbal":
        return gltf(drawn_cymbal(radius))
    return gltf((drawn_drum if kind == "drum" else drawn_pad)(radius, depth))
