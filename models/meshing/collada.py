"""COLLADA meshes (.dae), by the library pycollada.

Lengths are turned into meters by the file's unit, and every part is put where the
file's scene has it. The up axis is passed over, as RViz does: exporters of robots write
it carelessly, and a URDF turns meshes itself.
"""

import warnings
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import numpy as np

from models.bounds import TRIANGLES
from models.errors import BackbeatError
from models.meshing.collada_survey import survey, unpacked
from models.meshing.surface import Surface


def read_collada(raw: bytes, where: str) -> list[Surface]:
    """The triangles of a COLLADA file, by material.

    Raises:
        BackbeatError: it is no COLLADA file, has no triangles, or pycollada is missing.
    """
    try:
        import collada
    except ImportError:
        raise BackbeatError(
            f"{where} is a COLLADA mesh, which `pip install pycollada` makes readable"
        ) from None
    # Cameras, lights and what is rare; pictures that are not there.
    rest = [collada.common.DaeUnsupportedError, collada.common.DaeBrokenRefError]
    try:
        with warnings.catch_warnings():
            # Of numpy, about the matrices of the library.
            warnings.simplefilter("ignore", PendingDeprecationWarning)
            content = unpacked(raw)
            survey(content)
            file = collada.Collada(BytesIO(content), ignore=rest)
            found = list(_surfaces(file))
    # The library lets out whatever the parsing of numbers and references raises.
    except Exception as error:
        said = str(error).strip().splitlines() or [type(error).__name__]
        raise BackbeatError(
            f"{where} is no COLLADA file that can be read: {said[0][:200]}"
        ) from None
    if not found:
        raise BackbeatError(f"{where} has no triangles in its scene")
    return found


def _surfaces(file: Any) -> Iterator[Surface]:
    unit, triangles = float(file.assetInfo.unitmeter or 1.0), 0
    for part in [] if file.scene is None else file.scene.objects("geometry"):
        for primitive in part.primitives():
            for surface in _surface(primitive, unit):
                triangles += len(surface.corners)
                if triangles > TRIANGLES:
                    raise ValueError(f"it draws more than {TRIANGLES} triangles")
                yield surface


def _surface(primitive: Any, unit: float) -> list[Surface]:
    """The triangles of a part of a mesh; [] of lines, and of what has no corners."""
    if not hasattr(primitive, "triangleset") and primitive.vertex_index is None:
        return []
    if hasattr(primitive, "triangleset"):
        primitive = primitive.triangleset()
    index = np.asarray(primitive.vertex_index)
    if index.ndim != 2 or index.shape[1] != 3 or not len(index):
        return []
    corners = unit * np.asarray(primitive.vertex, float)[index]
    if not np.isfinite(corners).all():
        raise ValueError("a corner is no number")
    return [Surface(corners, _color(primitive.material))]


def _color(material: Any) -> tuple[float, float, float] | None:
    diffuse = getattr(getattr(material, "effect", None), "diffuse", None)
    if not isinstance(diffuse, tuple):
        return None  # None at all, or a picture.
    r, g, b = (min(max(float(c), 0.0), 1.0) for c in diffuse[:3])
    return r, g, b
