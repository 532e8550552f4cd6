"""STL meshes, which many robots come with, as OBJ meshes, which Drake reads."""

import hashlib
import os
import re
from io import StringIO
from pathlib import Path

import numpy as np

from models.atomic_file import replacing
from models.errors import BackbeatError

_HEADER, _RECORD = 84, 50
_VERTEX = re.compile(rb"vertex\s+(\S+)\s+(\S+)\s+(\S+)")


def read_stl(raw: bytes, where: str) -> np.ndarray:
    """(N, 3, 3) corners of the triangles of an STL file, binary or text.

    Raises:
        BackbeatError: it is no STL file, or has no triangles.
    """
    count = int.from_bytes(raw[_HEADER - 4 : _HEADER], "little")
    if len(raw) >= _HEADER and len(raw) == _HEADER + _RECORD * count:
        records = np.frombuffer(raw, np.uint8, offset=_HEADER).reshape(count, _RECORD)
        corners = np.ascontiguousarray(records[:, 12:48]).view("<f4")
        corners = corners.reshape(count, 3, 3).astype(float)
    else:
        try:
            corners = np.array(_VERTEX.findall(raw)).astype(float).reshape(-1, 3, 3)
        except ValueError:
            corners = np.zeros((0, 3, 3))
    if not len(corners) or not np.isfinite(corners).all():
        raise BackbeatError(f"{where} is no STL file with triangles in it")
    return corners


def obj_text(corners: np.ndarray) -> str:
    """Triangles, (N, 3, 3), as an OBJ file in which every corner is written once."""
    points, indices = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
    text = StringIO()
    np.savetxt(text, points, fmt="v %.9g %.9g %.9g")
    np.savetxt(text, indices.reshape(-1, 3) + 1, fmt="f %d %d %d")
    return text.getvalue()


def converted(path: Path) -> Path:
    """The OBJ file of an STL file, made when it is first asked for.

    It is kept in the user's cache by what is in it, so that nothing is written beside
    a robot that belongs to somebody else.

    Raises:
        BackbeatError: the file cannot be read, is no STL file, or nothing can be kept.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise BackbeatError(f"cannot read {path}: {error.strerror}") from None
    name = f"{hashlib.sha256(raw).hexdigest()[:32]}.obj"
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    kept = Path(home) / "backbeat" / "meshes" / name
    if not kept.is_file():
        text = obj_text(read_stl(raw, str(path)))
        with replacing(kept) as file:
            file.write(text.encode())
    return kept
