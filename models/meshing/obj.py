"""Meshes of other formats, which many robots come with, as OBJ, which Drake reads."""

import hashlib
import os
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

import numpy as np

from backbeat.models.common.atomic_file import replacing
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.outside_file import read_bytes
from backbeat.models.meshing.collada import read_collada
from backbeat.models.meshing.stl import read_stl
from backbeat.models.meshing.surface import Surface

_AT_ONCE = 10_000
READERS = {".stl": read_stl, ".dae": read_collada}


def obj_text(surfaces: Sequence[Surface], colors: str = "") -> str:
    """Triangles as an OBJ file in which every corner is written once.

    Args:
        surfaces: the triangles by color.
        colors: file of the colors, see `mtl_text`; "" leaves them out.
    """
    corners = np.concatenate([s.corners for s in surfaces]).reshape(-1, 3)
    points, indices = np.unique(corners, axis=0, return_inverse=True)
    faces = indices.reshape(-1, 3) + 1
    text = StringIO()
    if colors:
        text.write(f"mtllib {colors}\n")
    _write(text, "v %.9g %.9g %.9g\n", points)
    ends = np.cumsum([len(s.corners) for s in surfaces])
    for i, part in enumerate(np.split(faces, ends[:-1])):
        if colors:
            text.write(f"usemtl color_{i}\n")
        _write(text, "f %d %d %d\n", part)
    return text.getvalue()


def _write(text: StringIO, line: str, rows: np.ndarray) -> None:
    """Writes a line for each row of three numbers, many at once: so it is fast."""
    for first in range(0, len(rows), _AT_ONCE):
        some = rows[first : first + _AT_ONCE]
        text.write(line * len(some) % tuple(some.ravel().tolist()))


def mtl_text(surfaces: Sequence[Surface]) -> str:
    """The colors of surfaces; those that have none are gray."""
    return "".join(
        f"newmtl color_{i}\nKd {r:.4g} {g:.4g} {b:.4g}\n"
        for i, (r, g, b) in enumerate(s.color or (0.75, 0.75, 0.75) for s in surfaces)
    )


def converted(path: str | Path) -> Path:
    """The OBJ file of a mesh, made when it is first asked for.

    It is kept in the user's cache by what is in it, so that nothing is written beside
    a robot from elsewhere.

    Raises:
        BackbeatError: the file cannot be read, is not of its format, its format wants a
            library that is not there, or nothing can be kept.
    """
    path = Path(path)
    if path.suffix.lower() not in READERS:
        raise BackbeatError(
            f"{path} is no mesh that is read: {', '.join(sorted(READERS))} are"
        )
    raw = read_bytes(path, "mesh")
    name = hashlib.sha256(raw).hexdigest()[:32]
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    kept = Path(home) / "backbeat" / "meshes" / f"{name}.obj"
    if not kept.is_file():
        surfaces, colors = READERS[path.suffix.lower()](raw, str(path)), ""
        if any(s.color for s in surfaces):
            colors = f"{name}.mtl"
            with replacing(kept.with_name(colors)) as file:
                file.write(mtl_text(surfaces).encode())
        with replacing(kept) as file:
            file.write(obj_text(surfaces, colors).encode())
    return kept
