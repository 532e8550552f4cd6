"""URDFs that overlays make, kept in the user's cache by what is in them."""

import hashlib
import os
from functools import lru_cache
from pathlib import Path

from backbeat.models.common.atomic_file import replacing
from backbeat.models.common.errors import BackbeatError
from backbeat.models.urdf.overlay.file import is_overlay, made_from
from backbeat.models.urdf.overlay.overlaying import apply_overlay


def made_description(path: str | Path) -> Path:
    """The URDF that an overlay makes; any other file is its own.

    Raises:
        BackbeatError: the overlay makes none, or nothing can be kept.
    """
    path = Path(path)
    if not is_overlay(path):
        return path
    stamps = tuple((str(p), *_stamp(p)) for p in made_from(path))
    return _made(path, stamps)


def _stamp(path: Path) -> tuple[int, int]:
    try:
        status = path.stat()
    except OSError as error:
        raise BackbeatError(f"cannot read {path}: {error.strerror}") from None
    return status.st_mtime_ns, status.st_size


@lru_cache(maxsize=8)
def _made(path: Path, _stamps: tuple[tuple[str, int, int], ...]) -> Path:
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = home / "backbeat" / "descriptions"
    name = path.name.partition(".")[0]
    raw = apply_overlay(path, folder / f"{name}.urdf")
    made = folder / f"{name}-{hashlib.sha256(raw).hexdigest()[:16]}.urdf"
    if not made.is_file():
        with replacing(made) as file:
            file.write(raw)
    return made
