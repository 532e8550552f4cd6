"""STL meshes, binary or text."""

import re

import numpy as np

from backbeat.models.common.bounds import TRIANGLES, check_count
from backbeat.models.common.errors import BackbeatError
from backbeat.models.meshing.surface import Surface

_HEADER, _RECORD = 84, 50
_VERTEX = re.compile(rb"vertex\s+(\S+)\s+(\S+)\s+(\S+)")


def read_stl(raw: bytes, where: str) -> list[Surface]:
    """The triangles of an STL file, which has no color that programs agree on.

    Raises:
        BackbeatError: it is no STL file, or has no triangles.
    """
    count = int.from_bytes(raw[_HEADER - 4 : _HEADER], "little")
    if len(raw) >= _HEADER and len(raw) == _HEADER + _RECORD * count:
        check_count(where, "triangles", count, TRIANGLES)
        records = np.frombuffer(raw, np.uint8, offset=_HEADER).reshape(count, _RECORD)
        corners = np.ascontiguousarray(records[:, 12:48]).view("<f4")
        corners = corners.reshape(count, 3, 3).astype(float)
    else:
        check_count(where, "triangles", raw.count(b"vertex") // 3, TRIANGLES)
        try:
            corners = np.array(_VERTEX.findall(raw)).astype(float).reshape(-1, 3, 3)
        except ValueError:
            corners = np.zeros((0, 3, 3))
    check_count(where, "triangles", len(corners), TRIANGLES)
    if not len(corners) or not np.isfinite(corners).all():
        raise BackbeatError(f"{where} is no STL file with triangles in it")
    return [Surface(corners)]
