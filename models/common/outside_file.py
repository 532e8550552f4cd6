"""Files from outside, which are opened in this one way.

Only regular files are: a pipe may never end, a device never says how much it holds.
Each kind of file has its size, and is read once. Text is UTF-8, with or without a
byte-order mark.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from backbeat.models.common.bounds import BYTES
from backbeat.models.common.errors import BackbeatError, shown

_MARK = "\ufeff"
# Letters of a path in a message; no system takes so many.
_LONGEST = 300
# What a name that is no regular file names.
_OTHERS = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)


@contextmanager
def opened(path: str | Path, kind: str) -> Iterator[BinaryIO]:
    """A file to read that is regular and no larger than its kind may be.

    Args:
        path: the file; links are followed.
        kind: one of `backbeat.models.common.bounds.BYTES`.

    Raises:
        BackbeatError: it cannot be opened, is no regular file, or too large.
    """
    path = Path(path)
    with os.fdopen(_descriptor(path, kind), "rb") as file:
        yield file


def _descriptor(path: Path, kind: str) -> int:
    try:
        # Opening some devices does something, so none is. Whatever took the file's
        # place since then is looked at again, and waits for no writer.
        _check(path, kind, os.stat(path))
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise cannot_read(path, error) from None
    except ValueError as error:  # A null byte, or a surrogate, in the name.
        raise BackbeatError(f"cannot read {shown(path)}: {error}") from None
    try:
        _check(path, kind, os.fstat(descriptor))
    except BackbeatError:
        os.close(descriptor)
        raise
    return descriptor


def read_bytes(path: str | Path, kind: str) -> bytes:
    """All of a file.

    Args:
        path: the file.
        kind: one of `backbeat.models.common.bounds.BYTES`.

    Raises:
        BackbeatError: as `opened`.
    """
    with opened(path, kind) as file:
        try:
            # Not more than was looked at, should it grow just now.
            return file.read(os.fstat(file.fileno()).st_size)
        except OSError as error:
            raise cannot_read(path, error) from None


def read_text(path: str | Path, kind: str = "YAML") -> str:
    """The text of a file, with its own line endings.

    Raises:
        BackbeatError: as `opened`, or it is no text in UTF-8.
    """
    return decoded(read_bytes(path, kind), path)


def decoded(raw: bytes, path: str | Path) -> str:
    """The text in some bytes.

    Raises:
        BackbeatError: they are no text in UTF-8.
    """
    try:
        return raw.decode().removeprefix(_MARK)
    except UnicodeDecodeError:
        raise BackbeatError(f"{path} is not text in UTF-8; save it as such") from None


def is_file(path: str | Path) -> bool:
    """Whether there is a regular file, also for names that no file can have."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def is_folder(path: str | Path) -> bool:
    """Whether there is a folder, also for names that no folder can have."""
    try:
        return stat.S_ISDIR(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def is_there(path: str | Path) -> bool:
    """Whether there is anything of that name."""
    try:
        os.stat(path)
    except (OSError, ValueError):
        return False
    return True


def leaves(folder: str | Path, path: str | Path) -> bool:
    """Whether a path leads out of a folder, once all links are followed."""
    folder = Path(folder)
    path = Path(path)
    try:
        return not path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):
        return True  # No file is there.


def beside(folder: str | Path, name: str, where: str) -> Path:
    """Path of a file that another one names, beside or below that.

    Args:
        folder: of the file that names it.
        name: what it says.
        where: the file that names it, for the message.

    Raises:
        BackbeatError: it leads elsewhere.
    """
    folder = Path(folder)
    if leaves(folder, folder / name):
        raise BackbeatError(
            f"{where} refers to {shown(name)}, which lies neither beside nor below it; "
            "put it there"
        )
    return folder / name


def cannot_read(path: str | Path, error: OSError) -> BackbeatError:
    """Why a file cannot be read."""
    text = str(path)
    text = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
    return BackbeatError(f"cannot read {text}: {error.strerror or error}")


def _check(path: Path, kind: str, status: os.stat_result) -> None:
    """Refuses what is no regular file of the size of its kind."""
    mode = status.st_mode
    if stat.S_ISDIR(mode):
        raise BackbeatError(f"cannot read {path}: Is a directory")
    for is_that, what in _OTHERS:
        if is_that(mode):
            raise BackbeatError(f"cannot read {path}: it is {what}, not a file")
    if status.st_size > BYTES[kind]:
        raise BackbeatError(f"{path} is larger than {_megabytes(BYTES[kind])}")


def _megabytes(size: int) -> str:
    return f"{size / 1e6:g} MB"
