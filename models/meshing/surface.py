"""Surface: triangles of one color, as mesh files have them."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Surface:
    """Triangles of one color.

    Attributes:
        corners: (N, 3, 3) corners of the triangles [m].
        color: red, green and blue in 0..1; None where the file gives none.
    """

    corners: np.ndarray
    color: tuple[float, float, float] | None = None
