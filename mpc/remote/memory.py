"""RemoteMemory: what a simulation remembers of controllers in another process."""

from dataclasses import dataclass, field

import numpy as np

from backbeat.mpc.safety.fail_safe import Safety


@dataclass(frozen=True)
class RemoteMemory:
    """All memory of this side.

    Attributes:
        command: (9 nj,) the joint command in force.
        acceleration: (nj,) what it makes the joints do [rad/s^2].
        posture: (nj,) of the joints when the controller last answered; the behavior's
            first before that [rad].
        fallen: whether it has declared a fall.
        link: what is done about answers that do not come, and the counts.
        ticks: ticks done.
        session: which of the link's sessions this is; 0 before the first answer.
        lost: ticks that were due and not requested.
    """

    command: np.ndarray
    acceleration: np.ndarray
    posture: np.ndarray
    fallen: bool = False
    link: Safety = field(default_factory=Safety)
    ticks: int = 0
    session: int = 0
    lost: int = 0

    def __deepcopy__(self, memo: object) -> "RemoteMemory":
        """Values in a Context may be shared, for nothing here ever changes."""
        return self
