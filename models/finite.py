"""Whether all of an array is finite, for those who ask at every step."""

import numba as nb
import numpy as np

from models.compiled_cache import guard_compiled_cache

guard_compiled_cache()


# Without the fast arithmetic of its neighbors, which takes all numbers for finite.
@nb.njit(cache=True, nogil=True)
def all_finite(x):
    """Whether no entry of a flat array is infinite or no number."""
    finite = True
    for i in range(x.shape[0]):
        finite &= np.isfinite(x[i])
    return finite
