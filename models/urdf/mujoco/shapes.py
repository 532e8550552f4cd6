"""Shapes of an MJCF as those of a URDF, and the mass that they give a body."""

from typing import Any, NamedTuple

import numpy as np
from lxml import etree

from backbeat.models.common.errors import BackbeatError, shown
from backbeat.models.urdf.mujoco.values import MjcfValues, turned_up
from backbeat.models.urdf.reading.document import children
from backbeat.models.urdf.reading.writing import written

# Density of shapes that say none [kg/m^3].
WATER = 1000.0
# Shapes that no robot is made of.
GROUND = ("plane", "hfield", "sdf")


class MeshAsset(NamedTuple):
    """A mesh of a file.

    Attributes:
        file: its path, relative to the file.
        scale: along x, y and z.
    """

    file: str
    scale: tuple[float, ...]


class GeomShape(NamedTuple):
    """A shape on a body.

    Attributes:
        kind: of URDF: box, sphere, cylinder, capsule, ellipsoid or mesh.
        size: as of `backbeat.models.urdf.reading.description.Geometry`.
        mesh: file of a mesh; "" else.
        X: (4, 4) pose in the body.
        touches: whether anything touches it.
        rgba: its color.
        mass: what it adds to a body without <inertial> [kg]; nan of a mesh.
    """

    kind: str
    size: tuple[float, ...]
    mesh: str
    X: np.ndarray
    touches: bool
    rgba: str
    mass: float

    def inertia(self) -> np.ndarray:
        """(3, 3) inertia about its center, in its own axes [kg m^2]."""
        m, s = self.mass, self.size
        if self.kind == "box":
            x, y, z = s
            return np.diag([y * y + z * z, x * x + z * z, x * x + y * y]) * m / 12.0
        if self.kind == "sphere":
            return np.eye(3) * 0.4 * m * s[0] ** 2
        if self.kind == "ellipsoid":
            x, y, z = s
            return np.diag([y * y + z * z, x * x + z * z, x * x + y * y]) * m / 5.0
        # A capsule is taken for the cylinder that is as long and as heavy.
        r, length = s[0], s[1] + (1.2 * s[0] if self.kind == "capsule" else 0.0)
        across = m * (3.0 * r * r + length * length) / 12.0
        return np.diag([across, across, 0.5 * m * r * r])


def mesh_files(reader: MjcfValues, root: Any) -> dict[str, MeshAsset]:
    """Meshes by name."""
    found = {}
    for mesh in (e for a in children(root, "asset") for e in children(a, "mesh")):
        said = reader.all(mesh)
        file = said.get("file", "")
        name = said.get("name") or file.rpartition("/")[2].rpartition(".")[0]
        scale = tuple(reader.numbers(mesh, said.get("scale", "1 1 1"), 3).tolist())
        folder = reader.meshes.rstrip("/")
        found[name] = MeshAsset(f"{folder}/{file}" if folder else file, scale)
    return found


def read_shape(
    reader: MjcfValues, geom: Any, childclass: str, meshes: dict[str, MeshAsset]
) -> GeomShape | None:
    """A shape; None for one that no robot is made of.

    Raises:
        BackbeatError: it has no size, or an unknown mesh.
    """
    said = reader.all(geom, childclass)
    kind = said.get("type", "mesh" if "mesh" in said else "sphere")
    if kind in GROUND:
        return None
    X, size = reader.pose(geom, said), reader.numbers(geom, said.get("size", "0"))
    touches = said.get("contype", "1") != "0" or said.get("conaffinity", "1") != "0"
    rgba = said.get("rgba", "0.7 0.7 0.7 1")
    if kind == "mesh":
        name = said.get("mesh", "")
        if name not in meshes:
            raise BackbeatError(
                f"{reader.where(geom)} names the mesh {shown(name)}, which no asset is"
            )
        file, scale = meshes[name]
        return GeomShape(kind, scale, file, X, touches, rgba, np.nan)
    if "fromto" in said:
        ends = reader.numbers(geom, said["fromto"], 6)
        along = ends[3:] - ends[:3]
        X = np.eye(4)
        X[:3, :3], X[:3, 3] = turned_up(along), 0.5 * (ends[:3] + ends[3:])
        size = np.array([size[0], *([] if kind != "box" else [size[0]]),
                         0.5 * np.linalg.norm(along)])  # fmt: skip
    needed = {"box": 3, "ellipsoid": 3, "capsule": 2, "cylinder": 2}.get(kind, 1)
    if len(size) < needed or min(size[:needed]) <= 0:
        raise BackbeatError(f"{reader.where(geom)} needs {needed} sizes above zero")
    sizes, volume = _sized(kind, size)
    density = float(reader.numbers(geom, said.get("density", str(WATER)), 1)[0])
    mass = density * volume
    if "mass" in said:
        mass = float(reader.numbers(geom, said["mass"], 1)[0])
    return GeomShape(kind, sizes, "", X, touches, rgba, mass)


def _sized(kind: str, size: np.ndarray) -> tuple[tuple[float, ...], float]:
    """Size of a shape as URDF has it, and its volume [m^3]."""
    r = float(size[0])
    if kind == "box":
        x, y, z = (2.0 * float(s) for s in size[:3])
        return (x, y, z), x * y * z
    if kind == "ellipsoid":
        x, y, z = map(float, size[:3])
        return (x, y, z), 4.0 / 3.0 * np.pi * x * y * z
    if kind == "sphere":
        return (r,), 4.0 / 3.0 * np.pi * r**3
    length = 2.0 * float(size[1])
    caps = 4.0 / 3.0 * np.pi * r**3 if kind == "capsule" else 0.0
    return (r, length), np.pi * r * r * length + caps


def write_geometry(parent: Any, solid: GeomShape) -> None:
    """Writes a <geometry>."""
    geometry = etree.SubElement(parent, "geometry")
    size = [written(s) for s in solid.size]
    if solid.kind == "mesh":
        etree.SubElement(geometry, "mesh", filename=solid.mesh, scale=" ".join(size))
    elif solid.kind == "box":
        etree.SubElement(geometry, "box", size=" ".join(size))
    elif solid.kind == "sphere":
        etree.SubElement(geometry, "sphere", radius=size[0])
    elif solid.kind == "cylinder":
        etree.SubElement(geometry, "cylinder", radius=size[0], length=size[1])
    else:
        uri = "https://drake.mit.edu/"
        keys = ("radius", "length") if solid.kind == "capsule" else ("a", "b", "c")
        etree.SubElement(
            geometry,
            f"{{{uri}}}{solid.kind}",
            dict(zip(keys, size, strict=True)),
            nsmap={"drake": uri},
        )
