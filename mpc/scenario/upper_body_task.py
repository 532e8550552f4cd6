"""UpperBodyTask: a hand that follows a target while the legs follow the behavior."""

from dataclasses import dataclass, field, replace

import numpy as np

from backbeat.mpc.plans.hand_offset import HandOffset
from backbeat.mpc.scenario.target_motion import TargetMotion
from backbeat.mpc.task_space.law import TaskSpaceSettings

# Step of the differences that make the rates of an offset [s].
STEP = 1e-3


@dataclass
class UpperBodyTask:
    """What joints above the legs do by task space.

    See `backbeat.mpc.whole_body.programs.upper_body`.
    """

    # The hand, left hand or right hand; "" leaves the whole body to the behavior.
    hand: str = ""
    # What it follows, from where the behavior has it at its start.
    target: TargetMotion = field(default_factory=TargetMotion)
    # Gains and switches of the law. Waists are weak: truncated, hands would stray.
    control: TaskSpaceSettings = field(
        default_factory=lambda: TaskSpaceSettings(limits="program")
    )

    def check(self) -> None:
        """Raises BackbeatError where the numbers make no sense."""
        self.target.check()
        self.control.check()

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
