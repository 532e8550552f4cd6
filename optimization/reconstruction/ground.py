"""Ground: properties of the ground, from a motion, under its patches in the air.

A patch that swings has two planes: that of the support it left and that of the one
it will stand on; z = 0 takes the place of one that is missing. Over the rectangle of
a support the ground is its plane. Elsewhere it is the lower of the two: exact on
flat ground and on a slope, and never a false alarm before a block, a pit or a chair.
The edge of a block is a solid of the scene and not a matter of contacts.
"""

import numpy as np

from backbeat.models.dynamics.frames import ContactFrame
from backbeat.optimization.problem.dense_trajectory import DenseTrajectory

# A corner this far outside of a rectangle is over it still: contacts drift [m].
_RIM = 1e-3


class GroundProfile:
    """The ground under the contacts of one motion."""

    def __init__(self, motion: DenseTrajectory) -> None:
        """Notes when each contact stands."""
        self._motion = motion
        self._standing = [np.flatnonzero(column) for column in motion.standing.T]

    def depth(
        self, i: int, c: int, contact: ContactFrame, corners: np.ndarray
    ) -> float:
        """How deep the lowest corner of a contact in the air is in the ground [m].

        Args:
            i: sample at which the contact does not stand.
            c: index of the contact in the motion.
            contact: its size.
            corners: (n, 3) its corners in the world [m].
        """
        stands, motion = self._standing[c], self._motion
        after = int(np.searchsorted(stands, i))
        beside = [int(stands[n]) for n in (after - 1, after) if 0 <= n < len(stands)]
        local = [(corners - motion.p_WC[k, c]) @ motion.R_WC[k, c] for k in beside]
        planes = [-x[:, 2] for x in local]
        if len(planes) < 2:
            planes.append(-corners[:, 2])
        depth = np.min(planes, axis=0)
        half = np.array([contact.half_length, contact.half_width]) + _RIM
        for x in local:
            over = (np.abs(x[:, :2]) < half).all(axis=1)
            depth = np.where(over, np.maximum(depth, -x[:, 2]), depth)
        return float(depth.max())
