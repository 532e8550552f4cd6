"""Numba's cache of compiled functions, for processes that fill it side by side.

Numba replaces every file of its cache at once, but that is not enough. What it knows
of a function is an index from signatures to numbers, and the code under each number.
Two processes that compile a function for different arguments at the same time take
the same number, and a process that is killed after it has written the index, and
before the code, leaves whatever code had that number before. Who loads it then runs
machine code made for something else (https://github.com/numba/numba/issues/4807).
Besides, processes that start together would all compile the same.
"""

import fcntl
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from numba.core.caching import IndexDataCacheFile
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher

_compile = Dispatcher.compile
_held: set[Path] = set()


def guard_compiled_cache() -> None:
    """From now on, one process compiles a function and the others wait for it."""
    Dispatcher.compile = _compile_alone
    IndexDataCacheFile.save = _save_code_first


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


def _save_code_first(cache: Any, key: Any, code: Any) -> None:
    names = cache._load_index()
    taken = set(names.values())
    free = (cache._data_name(n) for n in range(1, len(taken) + 2))
    name = names.get(key) or next(n for n in free if n not in taken)
    cache._save_data(name, code)
    cache._save_index({**names, key: name})
