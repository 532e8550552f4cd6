"""Triangles and colors of glTF 2.0 files, by the part of the standard that draws them.

Drake turns every glTF by +90 degrees about x, from y-up to z-up, and so does this.
Files come from anywhere: sizes, depth and paths are bounded.

Sources
    Khronos Group, the specification of glTF 2.0, 2021.
"""

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from backbeat.models.common.bounds import TRIANGLES, check_count
from backbeat.models.common.errors import BackbeatError, gist
from backbeat.models.common.outside_file import read_bytes
from backbeat.models.meshing.surface import Surface

# Component types and element sizes of accessors, and the mode of loose triangles.
_NUMBERS = {5121: "<u1", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_SIZES = {"SCALAR": 1, "VEC3": 3}
_TRIANGLES = 4
# Deeper and more nodes than this no model of a link has.
_DEEPEST, _MOST_NODES = 64, 10_000
# From y-up to z-up.
_UPRIGHT = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])


def read_gltf(
    text: str | bytes, where: str, folder: str | Path | None
) -> list[Surface]:
    """The triangles of a glTF file, z-up, a surface for each primitive.

    Args:
        text: of the file.
        where: names it in errors.
        folder: where the files are that it names; None where it may name none.

    Raises:
        BackbeatError: it is none, or has parts that are not read, such as compressed
            ones.
    """
    try:
        tree = json.loads(text)
        if needed := tree.get("extensionsRequired"):
            raise ValueError(f"it needs {', '.join(map(str, needed))}")
        reader = _Reader(tree, None if folder is None else Path(folder))
        return list(reader.surfaces())
    except BackbeatError:
        raise
    except (ValueError, LookupError, TypeError, ArithmeticError, AttributeError) as e:
        raise BackbeatError(f"{where} is no glTF that is read: {gist(e)}") from None
    except RecursionError:
        raise BackbeatError(f"{where} is no glTF that is read: it nests") from None


class _Reader:
    """A glTF document with its buffers."""

    def __init__(self, tree: Mapping[str, Any], folder: Path | None) -> None:
        self._tree, self._folder = tree, folder
        self._buffers = [self._buffer(b) for b in tree.get("buffers", ())]
        self._triangles = self._nodes = 0

    def surfaces(self) -> Iterator[Surface]:
        """All that the scene shows."""
        scene = self._tree["scenes"][self._tree.get("scene", 0)]
        for number in scene["nodes"]:
            yield from self._node(number, np.eye(4), 0)

    def _buffer(self, buffer: Mapping[str, Any]) -> bytes:
        uri = str(buffer["uri"])
        if uri.startswith("data:"):
            return base64.b64decode(uri.partition(",")[2], validate=True)
        inside = Path(uri)
        if self._folder is None or inside.is_absolute() or ".." in inside.parts:
            raise ValueError(f"it names the file {uri:.40}")
        return read_bytes(self._folder / uri, "mesh")

    def _node(self, number: int, X: np.ndarray, depth: int) -> Iterator[Surface]:
        self._nodes += 1
        if depth > _DEEPEST or self._nodes > _MOST_NODES:
            raise ValueError("its nodes are in each other")
        node = self._tree["nodes"][number]
        X = X @ _placed(node)
        if "mesh" in node:
            for primitive in self._tree["meshes"][node["mesh"]]["primitives"]:
                yield self._primitive(primitive, X)
        for child in node.get("children", ()):
            yield from self._node(child, X, depth + 1)

    def _primitive(self, primitive: Mapping[str, Any], X: np.ndarray) -> Surface:
        if primitive.get("mode", _TRIANGLES) != _TRIANGLES:
            raise ValueError("it draws something else than triangles")
        points = self._numbers(primitive["attributes"]["POSITION"]).astype(float)
        order = np.arange(len(points))
        if "indices" in primitive:
            order = self._numbers(primitive["indices"]).ravel().astype(int)
        self._triangles += len(order) // 3
        check_count("a mesh", "triangles", self._triangles, TRIANGLES)
        if not np.isfinite(points).all() or not np.isfinite(X).all():
            raise ValueError("its points are not finite")
        points = (points @ X[:3, :3].T + X[:3, 3]) @ _UPRIGHT.T
        return Surface(points[order].reshape(-1, 3, 3), self._color(primitive))

    def _numbers(self, number: int) -> np.ndarray:
        """(n, size) numbers of an accessor."""
        accessor = self._tree["accessors"][number]
        if "sparse" in accessor:
            raise ValueError("it has sparse accessors")
        kind = np.dtype(_NUMBERS[accessor["componentType"]])
        count, size = int(accessor["count"]), _SIZES[accessor["type"]]
        view = self._tree["bufferViews"][accessor["bufferView"]]
        first = int(view.get("byteOffset", 0)) + int(accessor.get("byteOffset", 0))
        stride = int(view.get("byteStride", kind.itemsize * size))
        raw = self._buffers[view["buffer"]]
        if first < 0 or stride <= 0 or count <= 0:
            raise ValueError("its accessors make no sense")
        return np.ndarray((count, size), kind, raw, first, (stride, kind.itemsize))

    def _color(self, primitive: Mapping[str, Any]) -> tuple[float, float, float] | None:
        """Red, green and blue as screens have them; None where the file has none."""
        if "material" not in primitive:
            return None
        material = self._tree["materials"][primitive["material"]]
        look = material.get("pbrMetallicRoughness", {})
        linear = look.get("baseColorFactor", (1.0, 1.0, 1.0, 1.0))
        r, g, b = (_on_screen(float(c)) for c in linear[:3])
        return r, g, b


def _on_screen(c: float) -> float:
    """sRGB of a linear channel: IEC 61966-2-1."""
    if not np.isfinite(c):
        raise ValueError("a color is not finite")
    c = min(max(c, 0.0), 1.0)
    return 12.92 * c if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055


def _placed(node: Mapping[str, Any]) -> np.ndarray:
    """(4, 4) transform of a node."""
    if "matrix" in node:
        return np.reshape(np.array(node["matrix"], float), (4, 4)).T
    X = np.eye(4)
    turn: Sequence[float] = node.get("rotation", (0.0, 0.0, 0.0, 1.0))
    X[:3, :3] = Rotation.from_quat(turn).as_matrix() * node.get("scale", (1, 1, 1))
    X[:3, 3] = node.get("translation", (0.0, 0.0, 0.0))
    return X
