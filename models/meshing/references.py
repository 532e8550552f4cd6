"""Other files that mesh files refer to: only files beside or below are accepted.

A mesh from elsewhere could name any file of this machine as its picture,
and a recording of the stage, which holds pictures, would carry it on.
"""

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from backbeat.models.common.bounds import TRIANGLES
from backbeat.models.common.errors import BackbeatError, shown
from backbeat.models.common.outside_file import is_there, leaves, read_bytes

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
# What names a picture in the materials of an OBJ file; options stand before the name.
_PICTURE = re.compile(rb"(?im)^\s*(?:map_\w+|bump|disp|decal|norm|refl)\s+(.+?)\s*$")
_MATERIALS = re.compile(rb"(?m)^[ \t]*mtllib[ \t]+(.+?)[ \t\r]*$")
_FILE = re.compile(rb"""(?i)\b(?:file|source|uri)\s*=\s*["']([^"']*)["']""")
_JSON_CHUNK = b"JSON"
_GLB_HEAD = 20


def problem(path: str | Path) -> str:
    """Why a mesh is not served, in half a sentence; "" if it may be.

    Args:
        path: the file, of any format.
    """
    path = Path(path)
    try:
        status = path.stat()
    except (OSError, ValueError) as error:
        return f"it cannot be read: {getattr(error, 'strerror', None) or error}"
    return _problem(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=512)
def _problem(path: Path, _changed: int, _size: int) -> str:
    try:
        raw, kind = read_bytes(path, "mesh"), path.suffix.lower()
        if kind in (".gltf", ".glb"):
            return _problem_of_gltf(path, raw, kind)
        if kind == ".obj":
            if raw.count(b"\nf ") > TRIANGLES:
                return f"it has more than {TRIANGLES} faces"
            return _first(path, _of_obj(path, raw))
        if kind == ".vtm":
            return _first(path, map(_text, _FILE.findall(raw)))
    except BackbeatError as error:
        return str(error)
    return ""


def _problem_of_gltf(path: Path, raw: bytes, kind: str) -> str:
    if kind == ".glb":
        if raw[:4] != b"glTF":
            return "it does not begin with glTF"
        length = int.from_bytes(raw[12:16], "little")
        if raw[16:_GLB_HEAD] != _JSON_CHUNK:
            return "it does not begin with JSON"
        raw = raw[_GLB_HEAD : _GLB_HEAD + length]
    try:
        data = json.loads(raw)
    except (ValueError, RecursionError):
        return "it is not JSON"
    if not isinstance(data, dict) or "asset" not in data:
        return "it has no 'asset'"
    sizes = [a.get("count") for a in _objects(data, "accessors")]
    if any(isinstance(n, int) and n > 3 * TRIANGLES for n in sizes):
        return f"it has more than {TRIANGLES} triangles"
    return _first(path, _of_gltf(data))


def _of_gltf(data: dict[str, Any]) -> Iterator[str]:
    for key in ("buffers", "images"):
        for item in _objects(data, key):
            if isinstance(item.get("uri"), str):
                yield item["uri"]


def _objects(data: dict[str, Any], key: str) -> Iterator[dict[str, Any]]:
    """Objects in a list of a document, whatever else is there."""
    items = data.get(key, [])
    yield from (
        x for x in (items if isinstance(items, list) else ()) if type(x) is dict
    )


def _of_obj(path: Path, raw: bytes) -> Iterator[str]:
    """Files of materials, and the pictures that they name."""
    for name in map(_text, _MATERIALS.findall(raw)):
        yield name
        materials = path.parent / name
        if not leaves(path.parent, materials) and is_there(materials):
            for picture in _PICTURE.findall(read_bytes(materials, "mesh")):
                # Options, as "-s 1 1 1", have no dots or slashes of a path.
                yield _text(picture).split()[-1]


def _text(raw: bytes) -> str:
    return raw.decode(errors="surrogateescape")


def _first(path: Path, names: Iterator[str]) -> str:
    """The first of some names that lies elsewhere, as half a sentence."""
    for name in names:
        if name.startswith("data:"):
            continue
        if _SCHEME.match(name) or leaves(path.parent, path.parent / unquote(name)):
            return f"it refers to {shown(name)}, which lies neither beside nor below it"
    return ""
