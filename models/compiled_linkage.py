"""Compiled functions that keep to their own copies of what they call.

Numba links a copy of every called function into the caller, optimizes it there once
more, and leaves it visible as a weak symbol. Of all copies of a function in a process
the first one loaded then serves everybody. Which one that is hangs on what the process
compiled, loaded or called before, and the copies are optimized in different company:
with fast mathematics they round differently, at some 1e-16 a call. A closed loop grows
that to 1e-9 within a second.

Here copies are private to the caller. A caller's machine code is then all that decides
its numbers, whether it was compiled just now or loaded from the cache.
"""

from typing import Any

from llvmlite.binding import Linkage
from numba.core.codegen import CPUCodeLibrary

_finish = CPUCodeLibrary._finalize_final_module


def keep_copies_private() -> None:
    """From now on, compiled code does not lend what it calls to other code."""
    CPUCodeLibrary._finalize_final_module = _finish_with_private_copies


def _finish_with_private_copies(library: Any) -> None:
    # What was loaded from the cache comes with the module that others link.
    if library._shared_module is None:
        library._shared_module = _linkable(library._final_module)
        for function in library._final_module.functions:
            if function.linkage is Linkage.linkonce_odr and not function.is_declaration:
                function.linkage = Linkage.internal
    _finish(library)


def _linkable(module: Any) -> Any:
    """A copy of an optimized module for linking: callers may drop what they inline."""
    copy = module.clone()
    for function in copy.functions:
        if function.linkage is Linkage.external and not function.is_declaration:
            function.linkage = Linkage.linkonce_odr
    return copy
