"""WholeBodyMemory: the state of the whole-body controller between ticks."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from backbeat.mpc.safety.fail_safe import Safety


@dataclass(frozen=True)
class WholeBodyMemory:
    """The state of the whole-body controller.

    Attributes:
        command: (9 nj,) the joint command in force.
        dual: dual solution, the warm start of the next tick.
        wrench: (C, 6) wrenches of the last solution [weights].
        ticks: ticks done.
        acceleration: (nj,) of the joints in the last solution [rad/s^2].
        velocity: (nj,) of the joints as those accelerations make it [rad/s].
        posture: (nj,) of the joints when a program was last solved [rad].
        safety: fail-safe mode and its counts.
        reach: what joints add to the behavior's posture for hands that are held
            elsewhere [rad], by hand.
        base_acceleration: (6,) of a free base in the last solution, [angular, linear].
        lost: ticks that were due and not done.
        edge: (C,) how far ahead the edge is on which a contact is to stand [m], 0 of
            flat ones; None where all are flat.
    """

    command: np.ndarray
    dual: np.ndarray | None
    wrench: np.ndarray
    ticks: int = 0
    acceleration: np.ndarray | None = None
    velocity: np.ndarray | None = None
    posture: np.ndarray | None = None
    safety: Safety = field(default_factory=Safety)
    reach: Mapping[str, np.ndarray] = field(default_factory=dict)
    base_acceleration: np.ndarray | None = None
    lost: int = 0
    edge: np.ndarray | None = None

    @property
    def failures(self) -> int:
        """Ticks whose program was not solved."""
        return self.safety.count

    def __deepcopy__(self, memo: object) -> "WholeBodyMemory":
        """Values in a Context may be shared: this is immutable."""
        return self
