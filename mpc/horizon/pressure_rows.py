"""Rows of the center of pressure along soles, which stand flat or on an edge."""

from collections.abc import Sequence

import numpy as np

from backbeat.models.contact.cones import PATCH_MARGIN
from backbeat.models.dynamics.frames import LINE
from backbeat.mpc.horizon.patch_rows import PRESSURE_ROWS

# Rows of `patch_rows` of a patch, components of its wrench, and its normal force.
ROWS, COMPONENTS, NORMAL = 10, 6, 5


class PressureRows:
    """Entries of these rows in a sparse matrix, written where edges change.

    Where a foot stands on an edge the pressure is there, as far as `LINE`.
    """

    def __init__(self, entries: np.ndarray, half_lengths: Sequence[float]) -> None:
        """Finds the entries.

        Args:
            entries: (N, ROWS C, COMPONENTS C) where those of a knot's patches are in
                the data of the matrix.
            half_lengths: (C,) over which patches bear [m].
        """
        C = np.arange(len(half_lengths))[:, None]
        self._at = entries[:, ROWS * C + PRESSURE_ROWS, COMPONENTS * C + NORMAL]
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
