"""Files that are written whole or not at all."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from backbeat.models.common.errors import BackbeatError

# What a new file of this user may be read and written by.
_READABLE = 0o644


def check_place(path: str | Path) -> None:
    """Finds out before the work whether a file can be written; makes nothing.

    Raises:
        BackbeatError: it cannot.
    """
    path = Path(path)
    _refuse_no_file(path)
    try:
        if not _is_stream(path):
            # Parent folders are made by the caller.
            folder = next(p for p in path.absolute().parents if p.exists())
            with tempfile.TemporaryFile(dir=folder):
                pass
    except OSError as error:
        raise BackbeatError(f"cannot write {path}: {error.strerror}") from None


def check_places(*paths: str | Path | None) -> None:
    """Finds out before the work whether all of these files can be written.

    Raises:
        BackbeatError: one cannot, or is what another needs as its folder.
    """
    files = [Path(path) for path in paths if path is not None]
    for path in files:
        check_place(path)
        for other in files:
            if path.resolve() in other.resolve().parents:
                raise BackbeatError(
                    f"{path} cannot be a file and the folder of {other}; name another"
                )


def _refuse_no_file(path: Path) -> None:
    """Refuses what is no name of a file."""
    if path.is_dir():
        raise BackbeatError(f"cannot write {path}: it is a folder; name a file in it")
    if str(path) == "-":
        raise BackbeatError("cannot write -: that is no name of a file; name one")


def refuse_to_replace(path: str | Path | None, *sources: str | Path) -> None:
    """Finds out before the work that a file would not take the place of its source.

    Raises:
        BackbeatError: it would.
    """
    if path is not None and any(
        Path(path).resolve() == Path(source).resolve() for source in sources
    ):
        raise BackbeatError(
            f"{path} is named for two things; name another file to write"
        )


def renamed(path: str | Path, new: str | Path) -> Path:
    """Gives a file another name beside it; returns its new path.

    Raises:
        BackbeatError: it cannot.
    """
    try:
        return Path(path).rename(new)
    except OSError as error:
        raise BackbeatError(
            f"cannot rename {path} to {new}: {error.strerror}"
        ) from None


def _is_stream(path: Path) -> bool:
    """Whether this is a pipe or a device, whose place no file may take."""
    return path.exists() and not path.is_file() and not path.is_dir()


@contextmanager
def replacing(path: str | Path) -> Iterator[BinaryIO]:
    """A file to write that takes its place under `path` when the block ends well.

    A reader sees the old file or the new one, never a part; when the block fails
    or is interrupted, the old file stays and nothing else is left behind. Pipes and
    devices are written into.

    Raises:
        BackbeatError: the file cannot be written.
    """
    path = Path(path)
    _refuse_no_file(path)
    temporary = None
    try:
        if _is_stream(path):
            with path.open("wb") as file:
                yield file
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        # Hidden: readers of a folder as one table skip what a dead process left.
        descriptor, temporary = tempfile.mkstemp(".part", f".{path.stem}", path.parent)
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(_READABLE)
        Path(temporary).replace(path)
    except OSError as error:
        raise BackbeatError(f"cannot write {path}: {error.strerror}") from None
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
