"""Functions in Python that are compiled to machine code.

    @compiled
    def scale(factor: float, x: Vector, out: Vector):
        for i in range(x.shape[0]):
            out[i] = factor * x[i]

`backbeat.models.compiled.statements` writes such functions in C++, a C++ compiler makes
one library of all of them, and `scale` is then the function of that library. What
Python calls has types at its arguments (`backbeat.models.compiled.arrays`, named
tuples, `Bound`); what only compiled functions call needs none, is a template in C++,
and stays a plain Python function elsewhere. Nothing is reordered or fused: numbers are
those that Python gets, but for the last bit of sines and the like, and of products and
solutions of matrices (`@`, `np.linalg.solve`).

With BACKBEAT_INTERPRETED=1 in the environment nothing is compiled, and a debugger steps
through; everything takes a thousand times as long.
"""

import os
from collections.abc import Callable
from functools import cache
from typing import Any

from backbeat.models.compiled.build import load

# The functions as they are written, by module and name.
WRITTEN: dict[str, Callable[..., Any]] = {}


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Marks a function as one to compile; see the module."""
    name = f"{function.__module__}.{function.__name__}"
    WRITTEN[name] = function
    return _library().get(name, function)


@cache
def _library() -> dict[str, Callable[..., Any]]:
    return {} if os.environ.get("BACKBEAT_INTERPRETED") else load()
