"""Triangles of glTF files that hold their own bytes, as those of our robots do."""

import base64
import json
from typing import Any

import numpy as np

from backbeat.models.common.bounds import TRIANGLES, check_count
from backbeat.models.common.errors import BackbeatError, gist
from backbeat.models.meshing.surface import Surface

_EMBEDDED = "data:application/octet-stream;base64,"
_TYPES = {5121: "<u1", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC3": 3}


def read_gltf(raw: bytes, where: str) -> list[Surface]:
    """Surfaces of a glTF file, z up as Drake has them; nodes have no places.

    Args:
        raw: the file.
        where: names it in errors.

    Raises:
        BackbeatError: it is no such file, or refers to others.
    """
    try:
        data = json.loads(raw)
        buffers = [_bytes(b["uri"], where) for b in data["buffers"]]
        found = []
        for mesh in data["meshes"]:
            for part in mesh["primitives"]:
                points = _array(data, buffers, part["attributes"]["POSITION"])
                corners = _array(data, buffers, part["indices"])[:, 0].astype(int)
                check_count(where, "triangles", len(corners) // 3, TRIANGLES)
                # y is up in glTF.
                points = points[:, [0, 2, 1]] * [1.0, -1.0, 1.0]
                triangles = points[corners[: len(corners) // 3 * 3]].reshape(-1, 3, 3)
                found.append(Surface(triangles, _color(data, part)))
        return found
    except (ValueError, KeyError, IndexError, TypeError, RecursionError) as error:
        raise BackbeatError(f"{where} is no glTF of triangles: {gist(error)}") from None


def _bytes(uri: str, where: str) -> bytes:
    if not uri.startswith(_EMBEDDED):
        raise BackbeatError(f"{where} does not hold its own bytes")
    return base64.b64decode(uri.removeprefix(_EMBEDDED), validate=True)


def _array(data: Any, buffers: list[bytes], index: int) -> np.ndarray:
    """(n, width) numbers of an accessor."""
    accessor = data["accessors"][index]
    view = data["bufferViews"][accessor["bufferView"]]
    dtype = np.dtype(_TYPES[accessor["componentType"]])
    width, count = _WIDTHS[accessor["type"]], int(accessor["count"])
    stride = int(view.get("byteStride", 0)) or dtype.itemsize * width
    start = int(view.get("byteOffset", 0)) + int(accessor.get("byteOffset", 0))
    raw = buffers[view["buffer"]]
    if min(start, count, stride) < 0 or start + (count - 1) * stride > len(raw):
        raise ValueError("an accessor beyond its buffer")
    rows = np.ndarray((count, width), dtype, raw, start, (stride, dtype.itemsize))
    return np.array(rows, float)


def _color(data: Any, part: Any) -> tuple[float, float, float] | None:
    """The color of a part, as screens have it; None without a material."""
    if "material" not in part:
        return None
    material = data["materials"][part["material"]]
    linear = material["pbrMetallicRoughness"].get("baseColorFactor", [1.0, 1.0, 1.0, 1])
    red, green, blue = (float(np.clip(x, 0, 1)) ** (1 / 2.2) for x in linear[:3])
    return red, green, blue
