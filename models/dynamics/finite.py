"""Finite numbers: a test of arrays, and the value of a bound that is none."""

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Vector

# Value of a bound that is none, for solvers and for compiled code, which may assume
# that every number is finite.
UNBOUNDED = 1e30


# Without the fast arithmetic of its neighbors, which takes all numbers for finite.
@compiled
def all_finite(x: Vector) -> bool:
    """Whether no entry of a flat array is infinite or no number."""
    finite = True
    for i in range(x.shape[0]):
        finite &= np.isfinite(x[i])
    return finite
