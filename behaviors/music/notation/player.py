"""Model of two hands at a kit, for sticking."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Hints:
    """Hints for another attempt, from motions that were not found.

    Attributes:
        prices: what a hit costs in a hand, by beat, member and hand.
        dropped: why no hand plays a hit, by beat and member.
        finer: beats about which knots are closer together, in sets: the closer, the
            more sets a beat is in.
        firmer: how often friction at knots was kept farther from its bound, for what
            is between them.
        eased: beats of hits that may be moved by some milliseconds.
        fallback: hints for the attempt after the next; None when there is
            none.
    """

    prices: Mapping[tuple[float, str, str], float] = field(default_factory=dict)
    dropped: Mapping[tuple[float, str], str] = field(default_factory=dict)
    finer: tuple[frozenset[float], ...] = ()
    firmer: int = 0
    eased: frozenset[float] = frozenset()
    fallback: "Hints | None" = None


NO_HINTS = Hints()


@dataclass(frozen=True)
class HandModel:
    """Kinematic model of two hands at a kit.

    Attributes:
        places: (3,) strike point of each member [m], x forward, y to the left.
        can_reach: whether a hand reaches a member; called only for candidates.
        repeat: least time between strokes of a hand on one drum, in a row [s].
        pair: the same of a pair of them, with what it lacks before the next [s].
        acceleration: most of a tip on its way between drums [m/s^2].
        hints: what choices to avoid.

    The fastest travel is a model, and meant to be hardly ever too slow: a way of length
    d takes 2 sqrt(d / a) from rest to rest when acceleration is all that limits it, and
    a stroke goes on meanwhile. Whether joints can do it, the optimizer finds out.
    """

    places: Mapping[str, np.ndarray]
    can_reach: Callable[[str, str], bool] = lambda hand, member: True
    repeat: float = 0.08
    pair: float = 0.06
    acceleration: float = 60.0
    hints: Hints = NO_HINTS

    def travel(self, a: str, b: str) -> float:
        """Least time between a stroke on one member and on another [s]."""
        way = float(np.linalg.norm(self.places[a] - self.places[b]))
        return math.sqrt(self.repeat**2 + 4.0 * way / self.acceleration)
