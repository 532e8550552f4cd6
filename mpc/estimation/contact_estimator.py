"""Contact from the force under a foot: with hysteresis, and its reliability."""

from dataclasses import dataclass

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Flags, Vector


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
    now, trust = np.empty(len(force), bool), np.empty(len(force))
    _decide(force, stands, thresholds.on, thresholds.off, thresholds.full, now, trust)
    return now, trust


@compiled
def _decide(
    force: Vector,
    stands: Flags,
    on: float,
    off: float,
    full: float,
    now: Flags,
    trust: Vector,
) -> None:
    """Writes which feet stand, and their trust; see `estimate_contacts`."""
    for c in range(force.shape[0]):
        now[c] = force[c] >= off if stands[c] else force[c] > on
        trust[c] = min(max(force[c] / full, 0.0), 1.0) if now[c] else 0.0
