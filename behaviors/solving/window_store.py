"""WindowStore: solutions of windows of long motions, by a hash of their inputs."""

import hashlib
import io
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pydrake.math import RigidTransform

from backbeat.models.common.atomic_file import replacing
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.outside_file import read_bytes

# What is kept: windows of about ten minutes of music [bytes].
MOST_BYTES = 600_000_000
_DIGEST = hashlib.sha256().digest_size

Arrays = dict[str, np.ndarray]


class WindowStore:
    """A folder of arrays by key, of which the oldest go first.

    A file that cannot be read, or is not what was written, counts as none: it is made
    again. Each ends with its hash.
    """

    def __init__(self, folder: str | Path | None) -> None:
        """Opens the folder; None keeps nothing."""
        self.folder = None if folder is None else Path(folder)

    def load(self, key: str) -> Arrays | None:
        """Arrays under a key; None when there are none."""
        if self.folder is None:
            return None
        path = self.folder / f"{key}.npz"
        try:
            sealed = read_bytes(path, "window")
        except BackbeatError:
            return None
        data = sealed[:-_DIGEST]
        if hashlib.sha256(data).digest() != sealed[-_DIGEST:]:
            return None
        # What a reader may not touch is the sooner forgotten.
        with suppress(OSError):
            os.utime(path)
        with np.load(io.BytesIO(data), allow_pickle=False) as stored:
            return {name: stored[name] for name in stored.files}

    def save(self, key: str, arrays: Mapping[str, np.ndarray]) -> None:
        """Stores arrays under a key: all of them or none.

        Raises:
            BackbeatError: the folder cannot be written, or is full.
        """
        if self.folder is None:
            return
        content = io.BytesIO()
        np.savez(content, allow_pickle=False, **arrays)
        data = content.getvalue()
        with replacing(self.folder / f"{key}.npz") as file:
            file.write(data + hashlib.sha256(data).digest())

    def forget(self) -> None:
        """Removes the oldest files beyond what is kept."""
        kept = 0
        for _, size, path in sorted(self._files(), reverse=True):
            kept += size
            if kept > MOST_BYTES:
                path.unlink(missing_ok=True)

    def _files(self) -> Iterator[tuple[float, int, Path]]:
        """Time of the last use, size and path of each."""
        for path in [] if self.folder is None else self.folder.glob("*.npz"):
            # Another process may have forgotten it just now.
            with suppress(FileNotFoundError):
                status = path.stat()
                yield status.st_mtime, status.st_size, path


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
