"""When two behaviors are the same."""

import dataclasses

import numpy as np


def same(a, b):
    """Whether two values are equal to the last bit, at any depth."""
    if dataclasses.is_dataclass(a):
        fields = [f.name for f in dataclasses.fields(a)]
        return type(a) is type(b) and all(
            same(getattr(a, n), getattr(b, n)) for n in fields
        )
    if isinstance(a, np.ndarray):
        return np.array_equal(a, b) and a.dtype == b.dtype and a.shape == b.shape
    return a == b
