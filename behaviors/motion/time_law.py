"""The minimum-jerk time law from rest to rest."""

import numpy as np


def minimum_jerk(u: np.ndarray) -> np.ndarray:
    """Share of the way at share u of the time, 0 to 1, at rest at both ends.

    Source: Flash, Hogan, "The Coordination of Arm Movements", 1985.
    """
    return np.asarray(u**3 * (10 - 15 * u + 6 * u**2))
