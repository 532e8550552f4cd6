"""JointSample: state and torques of a robot at one time of a loop that is simulated."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class JointSample:
    """A robot at one time.

    Attributes:
        t: time of the behavior [s].
        q, v: (nq,) and (nv,) of the robot model.
        tau: (nj,) torques of its joints [N m or N]; None where there are none.
    """

    t: float
    q: np.ndarray
    v: np.ndarray
    tau: np.ndarray | None


@dataclass(frozen=True)
class Listener:
    """A listener to samples while a loop is simulated.

    Attributes:
        is_due: whether it takes a sample at a time of the behavior [s]; called at every
            step of the plant.
        take: called with the sample.
    """

    is_due: Callable[[float], bool]
    take: Callable[[JointSample], None]
