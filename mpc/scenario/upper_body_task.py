"""UpperBodyTask: a hand that follows a target while the legs follow the behavior."""

from dataclasses import dataclass, replace

import numpy as np

from backbeat.models.common.schema import key
from backbeat.mpc.plans.hand_offset import HandOffset
from backbeat.mpc.scenario.target_motion import TargetMotion
from backbeat.mpc.task_space.law import TaskSpaceSettings

# Step of the differences that make the rates of an offset [s].
STEP = 1e-3


@dataclass
class UpperBodySettings(TaskSpaceSettings):
    """The law's settings. Waists are weak: truncated, hands would stray."""

    limits: str = "program"


@dataclass
class UpperBodyTask:
    """What joints above the legs do by task space.

    See `backbeat.mpc.whole_body.programs.upper_body`.
    """

    hand: str = key("")
    """Hand, `left hand` or `right hand`; empty leaves the whole body to the
    behavior."""
    target: TargetMotion = key(TargetMotion)
    """Target that it follows, see below."""
    control: UpperBodySettings = key(UpperBodySettings)
    """Gains and switches of its control law, as in
    [`law.py`](../mpc/task_space/law.py)."""

    def told(
        self, t: float, start: np.ndarray, offset: HandOffset | None = None
    ) -> np.ndarray:
        """(3, 3) place, velocity and acceleration of the target at time t [s].

        It goes to where it begins within `hand_offset.REACH_TIME`, from time 0 on.

        Args:
            t: time of the behavior; before 0 the target rests.
            start: (3,) where the behavior has the hand at its start [m].
            offset: how far the target is moved besides, as settings say.
        """
        out = replace(self.target, offset=[0.0, 0.0, 0.0]).told(t, start)
        nowhere = (0.0, 0.0, 0.0)
        first = HandOffset(self.hand, 0.0, nowhere, tuple(self.target.offset))
        for moved in (first, offset):
            if moved is not None:
                before, now, after = (moved.at(t + k * STEP) for k in (-1, 0, 1))
                out[0] += now
                out[1] += (after - before) / (2.0 * STEP)
                out[2] += (after - 2.0 * now + before) / STEP**2
        return out
