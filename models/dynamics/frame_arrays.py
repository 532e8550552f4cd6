"""Frames as arrays, for compiled functions."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from backbeat.models.compiled.arrays import Array3, Indices, Matrix
from backbeat.models.dynamics.frames import Frame


class FrameArrays(NamedTuple):
    """Bodies of frames, and rotations and places in these."""

    body: Indices  # (n,)
    R_PF: Array3  # (n, 3, 3)
    p_PF: Matrix  # (n, 3) [m]


def frame_arrays(frames: Sequence[Frame]) -> FrameArrays:
    """Stacks frames; there may be none."""
    n = len(frames)
    return FrameArrays(
        np.array([f.body for f in frames], np.int64),
        np.array([f.R_PF for f in frames]).reshape(n, 3, 3),
        np.array([f.p_PF for f in frames]).reshape(n, 3),
    )
