"""Arrays of an NPZ file, read without trust: numbers and text, never objects.

The headers say how large an array would be, before anything is unpacked.
"""

import io
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import numpy as np

from backbeat.models.common.bounds import ARRAY_NUMBERS, ARRAYS, check_count
from backbeat.models.common.errors import BackbeatError, gist, shown

# Bytes of the longest header of an array, by its format.
_HEADER = 10_000
# Kinds of numbers and text in NumPy's words; all else is refused.
_KINDS = "biufUS"


def array_names(raw: bytes, path: object) -> tuple[str, ...]:
    """Names of the arrays in an NPZ file.

    Raises:
        BackbeatError: it is no such file, or has too many.
    """
    with _opened(raw, path) as archive:
        return tuple(n.removesuffix(".npy") for n in archive.namelist())


def read_arrays(
    raw: bytes, wanted: Iterable[str], path: object
) -> dict[str, np.ndarray]:
    """Arrays of an NPZ file, those of the wanted names that are there.

    Args:
        raw: the file.
        wanted: names.
        path: names the file in errors.

    Raises:
        BackbeatError: it is no such file, or an array is damaged, too large, or made of
            objects.
    """
    with _opened(raw, path) as archive:
        there = archive.namelist()
        return {
            n: _array(archive, f"{n}.npy", path) for n in wanted if f"{n}.npy" in there
        }


def array_shapes(
    raw: bytes, wanted: Iterable[str], path: object
) -> dict[str, tuple[int, ...]]:
    """Shapes of arrays of an NPZ file, those of the wanted names that are there.

    Raises:
        BackbeatError: as `read_arrays`.
    """
    shapes = {}
    with _opened(raw, path) as archive:
        there = archive.namelist()
        for name in wanted:
            if f"{name}.npy" in there:
                with _unpacking(name, path), archive.open(f"{name}.npy") as file:
                    shapes[name] = _header(io.BytesIO(file.read(_HEADER)))[0]
    return shapes


@contextmanager
def _unpacking(name: str, path: object) -> Iterator[None]:
    """Errors of unpacking, as those of the user.

    Raises:
        BackbeatError: in place of them.
    """
    try:
        yield
    except (
        zipfile.BadZipFile,
        zlib.error,
        ValueError,
        OSError,
        EOFError,
        RuntimeError,  # A password, or a method of packing that is not there.
        MemoryError,
    ) as error:
        raise BackbeatError(f"{path}: {name} cannot be read: {gist(error)}") from None


def _opened(raw: bytes, path: object) -> zipfile.ZipFile:
    try:
        archive = zipfile.ZipFile(io.BytesIO(raw))
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise BackbeatError(f"{path} is no NPZ file: {gist(error)}") from None
    names = archive.namelist()
    check_count(str(path), "arrays", len(names), ARRAYS)
    twice = {n for n in names if names.count(n) > 1}
    if twice:
        raise BackbeatError(f"{path}: the array {shown(min(twice))} is there twice")
    return archive


def _array(archive: zipfile.ZipFile, member: str, path: object) -> np.ndarray:
    name = member.removesuffix(".npy")
    with _unpacking(name, path), archive.open(member) as file:
        head = io.BytesIO(file.read(_HEADER))
        shape, fortran, dtype = _header(head)
        if dtype.kind not in _KINDS:
            raise BackbeatError(
                f"{path}: the array {name} is made of {_kind(dtype)}, which only "
                "code could read; write numbers"
            )
        count = int(np.prod(shape, dtype=object))
        check_count(f"{path}: {name}", "numbers", count, ARRAY_NUMBERS)
        size = count * dtype.itemsize
        if size > 8 * ARRAY_NUMBERS:
            raise BackbeatError(f"{path}: the array {name} is too large")
        rest = head.read()
        data = rest[:size] + file.read(max(0, size - len(rest)))
    if len(data) != size:
        raise BackbeatError(f"{path}: {name} is cut short")
    flat = np.frombuffer(data, dtype)
    return flat.reshape(shape, order="F" if fortran else "C")


def _header(head: io.BytesIO) -> tuple[tuple[int, ...], bool, np.dtype]:
    """Shape, order and type of an array, by its file's header."""
    version = np.lib.format.read_magic(head)
    read = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }
    if version not in read:
        raise ValueError(f"version {version} of NPY")
    shape, fortran, dtype = read[version](head)
    if any(n < 0 for n in shape):
        raise ValueError("a negative length")
    return shape, fortran, dtype


def _kind(dtype: np.dtype) -> str:
    return "objects" if dtype.kind == "O" else f"{dtype}"


def numbers(array: np.ndarray, dimensions: int, name: str, path: object) -> np.ndarray:
    """An array of finite numbers, as float64.

    Args:
        array: what was read.
        dimensions: how many it has to have.
        name: of the array.
        path: names the file in errors.

    Raises:
        BackbeatError: it has other dimensions, is text, or a number is not finite.
    """
    if array.dtype.kind not in "biuf" or array.ndim != dimensions:
        raise BackbeatError(
            f"{path}: {name} is of {array.dtype} with shape {array.shape}; numbers "
            f"with {dimensions} dimensions are needed"
        )
    values = np.ascontiguousarray(array, float)
    if not np.isfinite(values).all():
        row = int(np.argmin(np.isfinite(values).reshape(len(values), -1).all(axis=1)))
        raise BackbeatError(
            f"{path}: {name} has no finite number at sample {row}; every sample needs "
            "one"
        )
    return values
