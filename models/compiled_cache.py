"""Numba's cache of compiled functions, for processes that share and outlive it.

Numba replaces every file of its cache at once, but that is not enough.

- What it knows of a function is an index from signatures to numbers, and the code
  under each number. Two processes that compile a function for different arguments at
  the same time take the same number, and a process that is killed after it has written
  the index, and before the code, leaves whatever code had that number before. Who loads
  it then runs machine code made for something else
  (https://github.com/numba/numba/issues/4807). Besides, processes that start together
  would all compile the same.
- It looks at the file that a function stands in. What the function calls from another
  file is compiled into it and stays as it was, and so is the order of the fields of a
  named tuple that is defined elsewhere.
- A damaged file, a type that has moved since, a full disk and a folder that cannot be
  written end the program.
"""

import fcntl
import functools
import hashlib
import pickle
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from numba.core import config, types
from numba.core.caching import (
    Cache,
    CacheImpl,
    IndexDataCacheFile,
    InTreeCacheLocator,
    UserProvidedCacheLocator,
)
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher
from numba.core.serialize import dumps

from models.compiled_linkage import keep_copies_private

_compile, _open, _save = Dispatcher.compile, Cache.__init__, Cache._save_overload
_index_key = Cache._index_key
_held: set[Path] = set()
_DIGEST = hashlib.sha256().digest_size


def guard_compiled_cache() -> None:
    """From now on, one process compiles a function and the others wait for it.

    What comes from the cache is whole, and belongs to the source as it is now. Where
    nothing can be kept there, one warning says so, and the program goes on.
    """
    keep_copies_private()
    Dispatcher.compile = _compile_alone
    Cache.__init__ = _open_with_callees
    Cache._save_overload = _save_if_possible
    Cache._index_key = _key_with_fields
    if _LastPlace not in CacheImpl._locator_classes:
        CacheImpl._locator_classes.append(_LastPlace)
    IndexDataCacheFile.save = _save_code_first
    IndexDataCacheFile._dump = _seal
    IndexDataCacheFile._load_index = _load_index
    IndexDataCacheFile._load_data = _load_data


# --- one at a time -------------------------------------------------------------------


def _compile_alone(function: Any, signature: Any) -> Any:
    # The lock among threads comes first. Functions call each other in one direction,
    # so that no two processes wait for each other's.
    with global_compiler_lock, _alone(function):
        return _compile(function, signature)


@contextmanager
def _alone(function: Any) -> Iterator[None]:
    """Locks a function's part of the cache, if it has one that can be written."""
    with ExitStack() as stack:
        cache = getattr(function._cache, "_cache_file", None)
        if (
            cache is not None
            and (path := Path(f"{cache._index_path}.lock")) not in _held
        ):
            with suppress(OSError):
                path.parent.mkdir(parents=True, exist_ok=True)
                fcntl.flock(stack.enter_context(path.open("w")), fcntl.LOCK_EX)
                _held.add(path)
                stack.callback(_held.discard, path)
        yield


# --- what a function is made from ----------------------------------------------------


def _open_with_callees(cache: Any, function: FunctionType) -> None:
    _open(cache, function)
    files = cache._cache_file
    files._source_stamp = _stamp(files._source_stamp, function)
    # Where numba is left alone, it takes no file of ours for its own.
    files._version += ", sealed"


def _stamp(own: object, function: FunctionType) -> str:
    """Hash of a function's file, of what it calls from elsewhere, and of constants."""
    sha, names = hashlib.sha256(repr(own).encode()), _names(function.__code__)
    spaces: list[dict[str, Any]] = [function.__globals__]
    found = (function.__globals__.get(name) for name in names)
    spaces += [vars(value) for value in found if isinstance(value, ModuleType)]
    for name in names:
        for space in spaces:
            value = space.get(name)
            if isinstance(value, Dispatcher):
                files = getattr(value._cache, "_cache_file", None)
                value = "" if files is None else files._source_stamp
            if isinstance(value, bool | int | float | str | tuple):
                sha.update(f"{name} {value!r}\n".encode())
    return sha.hexdigest()


def _names(code: CodeType) -> list[str]:
    """Every name that some code looks up, sorted."""
    inner = (c for c in code.co_consts if isinstance(c, CodeType))
    return sorted({*code.co_names, *(name for c in inner for name in _names(c))})


def _key_with_fields(cache: Any, signature: Any, codegen: Any) -> tuple[Any, ...]:
    return (*_index_key(cache, signature, codegen), tuple(_fields(signature)))


def _fields(kinds: Any) -> Iterator[tuple[str, ...]]:
    """Field names of all named tuples in types; numba tells them by class alone."""
    for kind in kinds:
        if isinstance(kind, types.BaseNamedTuple):
            yield kind.fields
        if isinstance(kind, types.BaseTuple):
            yield from _fields(kind)
        elif isinstance(kind, types.StructRef):
            yield from _fields(kind.field_dict.values())


# --- files ---------------------------------------------------------------------------


class _LastPlace(InTreeCacheLocator):
    """Where code is looked for when there is no place that can be written."""

    def __init__(self, function: FunctionType, file: str) -> None:
        super().__init__(function, file)
        if config.CACHE_DIR:
            named = UserProvidedCacheLocator(function, file)
            self._cache_path = named.get_cache_path()

    def ensure_cache_path(self) -> None:
        """Is content with any."""


def _save_if_possible(cache: Any, signature: Any, made: Any) -> None:
    try:
        _save(cache, signature, made)
    except OSError as error:
        _warn_once(cache._cache_path, str(error.strerror))


@functools.cache
def _warn_once(folder: str, why: str) -> None:
    warnings.warn(
        f"compiled code cannot be kept in {folder} ({why}); every start compiles it "
        "anew, which takes minutes",
        RuntimeWarning,
        stacklevel=3,
    )


def _save_code_first(cache: Any, key: Any, code: Any) -> None:
    names = cache._load_index()
    taken = set(names.values())
    free = (cache._data_name(n) for n in range(1, len(taken) + 2))
    name = names.get(key) or next(n for n in free if n not in taken)
    cache._save_data(name, code)
    cache._save_index({**names, key: name})


def _seal(cache: Any, content: Any) -> bytes:
    """What is written to a file: some content behind its hash."""
    data = dumps(content)
    return hashlib.sha256(data).digest() + data


def _unseal(sealed: bytes) -> Any:
    """What was sealed.

    Raises:
        OSError: it is not whole, or knows types by names that are gone. For numba
            that is as good as no file.
    """
    data = sealed[_DIGEST:]
    if hashlib.sha256(data).digest() != sealed[:_DIGEST]:
        raise OSError("a damaged file of compiled code")
    try:
        return pickle.loads(data)
    except (AttributeError, ImportError) as error:
        raise OSError(f"compiled code of another version: {error}") from None


def _load_index(cache: Any) -> dict[Any, str]:
    version = pickle.dumps(cache._version, protocol=-1)
    try:
        content = Path(cache._index_path).read_bytes()
        if not content.startswith(version):
            return {}
        stamp, names = _unseal(content[len(version) :])
    except OSError:
        return {}
    return dict(names) if stamp == cache._source_stamp else {}


def _load_data(cache: Any, name: str) -> Any:
    return _unseal(Path(cache._data_path(name)).read_bytes())
