"""Contact from the force under a foot: on and off at different forces, and trust."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class ContactThresholds:
    """Forces that decide about contact [N].

    Attributes:
        on: a foot in the air stands from here on.
        off: a standing foot is in the air below.
        full: a foot that carries this much is fully trusted to rest.
    """

    on: float = 60.0
    off: float = 25.0
    full: float = 200.0


def estimate_contacts(
    force: np.ndarray, stands: np.ndarray, thresholds: ContactThresholds
) -> tuple[np.ndarray, np.ndarray]:
    """Which feet stand, and how much they can be trusted to rest.

    Args:
        force: (C,) sensed normal forces [N].
        stands: (C,) bool, which feet stood at the sample before.
        thresholds: when that changes.

    Returns:
        (C,) bool which stand now, and (C,) trust from 0 in the air to 1.
    """
    now = np.where(stands, force >= thresholds.off, force > thresholds.on)
    trust = np.where(now, np.clip(force / thresholds.full, 0.0, 1.0), 0.0)
    return now, trust
