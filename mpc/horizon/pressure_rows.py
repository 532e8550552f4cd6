"""Rows of the center of pressure along soles, which stand flat or on an edge."""

from collections.abc import Sequence

import numpy as np

from backbeat.models.contact.cones import PATCH_MARGIN
from backbeat.models.dynamics.frames import LINE
from backbeat.mpc.horizon.patch_rows import PATCH, PRESSURE_ROWS

# Components of the wrench of a patch, and its normal force.
COMPONENTS, NORMAL = 6, 5


class PressureRows:
    """Entries of these rows in a sparse matrix, written where edges change.

    Where a foot stands on an edge the pressure is there, as far as `LINE`.
    """

    def __init__(self, entries: np.ndarray, half_lengths: Sequence[float]) -> None:
        """Finds the entries.

        Args:
            entries: (N, 10 C, COMPONENTS C) where those of a knot's patches are in
                the data of the matrix.
            half_lengths: (C,) over which patches bear [m].
        """
        C = np.arange(len(half_lengths))[:, None]
        self._at = entries[:, len(PATCH) * C + PRESSURE_ROWS, COMPONENTS * C + NORMAL]
        self._edge = np.zeros(self._at.shape[:2])
        self._lengths = PATCH_MARGIN * np.array(half_lengths, float)

    def write(self, edge: np.ndarray, data: np.ndarray) -> bool:
        """Writes them; whether any patch is on an edge.

        Args:
            edge: (N, C) how far ahead the edge is on which a patch stands [m], or 0.
            data: of the matrix.
        """
        if not np.array_equal(edge, self._edge):
            self._edge = edge
            reach = np.where(edge == 0.0, self._lengths, PATCH_MARGIN * LINE)
            data[self._at] = np.stack([edge - reach, -edge - reach], axis=-1)
        return bool(edge.any())
