"""WindowStore: what was found in windows of long motions, by all that decides it."""

import hashlib
import os
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pydrake.math import RigidTransform

# What is kept: windows of about ten minutes of music [bytes].
MOST_BYTES = 600_000_000

Arrays = dict[str, np.ndarray]


class WindowStore:
    """A folder of arrays by key, of which the oldest go first.

    A file that cannot be read counts as none: it is made again.
    """

    def __init__(self, folder: Path | None) -> None:
        """Opens the folder; None keeps nothing."""
        self.folder = folder

    def load(self, key: str) -> Arrays | None:
        """Arrays under a key; None when there are none."""
        if self.folder is None:
            return None
        path = self.folder / f"{key}.npz"
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
                found = {name: stored[name] for name in stored.files}
        except (OSError, ValueError, EOFError, zipfile.BadZipFile):
            return None
        os.utime(path)
        return found

    def save(self, key: str, arrays: Mapping[str, np.ndarray]) -> None:
        """Stores arrays under a key: all of them or none."""
        if self.folder is None:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=self.folder, delete=False) as file:
            np.savez(file, allow_pickle=False, **arrays)
        os.replace(file.name, self.folder / f"{key}.npz")

    def forget(self) -> None:
        """Removes the oldest files beyond what is kept."""
        found = [(p.stat().st_mtime, p.stat().st_size, p) for p in self._files()]
        kept = 0
        for _, size, path in sorted(found, reverse=True):
            kept += size
            if kept > MOST_BYTES:
                path.unlink(missing_ok=True)

    def _files(self) -> list[Path]:
        return [] if self.folder is None else list(self.folder.glob("*.npz"))


def fingerprint(*things: Any) -> str:
    """Hash of plain data, arrays and dataclasses of them.

    Raises:
        TypeError: something else.
    """
    sha = hashlib.sha256()
    for thing in things:
        _add(sha, thing)
    return sha.hexdigest()


def _add(sha: Any, thing: Any) -> None:
    sha.update(type(thing).__name__.encode())
    if thing is None:
        return
    if isinstance(thing, RigidTransform):
        sha.update(thing.GetAsMatrix34().tobytes())
    elif isinstance(thing, np.ndarray):
        sha.update(repr((thing.shape, thing.dtype.str)).encode())
        sha.update(np.ascontiguousarray(thing).tobytes())
    elif isinstance(thing, str | bool | int | float | np.number | range):
        sha.update(repr(thing).encode() + b";")
    elif isinstance(thing, Mapping):
        for key, value in thing.items():
            _add(sha, key)
            _add(sha, value)
    elif isinstance(thing, Sequence):
        sha.update(str(len(thing)).encode())
        for item in thing:
            _add(sha, item)
    elif is_dataclass(thing):
        for field in fields(thing):
            _add(sha, getattr(thing, field.name))
    else:
        raise TypeError(f"cannot fingerprint {type(thing).__name__}")
