"""Catching up: a simulation that follows the clock, or goes to a requested time."""

from collections.abc import Callable

import numpy as np

from backbeat.stage.frames.frame import StageFrame
from backbeat.stage.live.history import SimulationHistory
from backbeat.stage.live.transport import SAME, Pace, Transport

# A simulation that was late is not made up for beyond this [s].
MOST_OWED = 0.1
# Share of a frame in which a simulation may catch up with where it shall go.
CATCH_UP = 0.95


class CatchingUp:
    """Takes a simulation, frame by frame, to where it shall be.

    Attributes:
        goal: requested time to reach first [s]; None for where the clock is.
        pace: how fast the simulation is.
    """

    def __init__(self) -> None:
        """Begins without a goal of its own."""
        self.goal: float | None = None
        self.pace, self._owed = Pace(), 0.0

    def forget(self) -> None:
        """Lets go of the goal, and of what was late."""
        self.goal, self._owed = None, 0.0

    def begins_again(self, transport: Transport, elapsed: float) -> bool:
        """Lets time pass by the clock [s], without a goal; whether it began again."""
        return self.goal is None and transport.go_on(elapsed + self._owed)

    def go_on(
        self,
        source: SimulationHistory,
        transport: Transport,
        note: Callable[[StageFrame], None] | None,
    ) -> None:
        """Simulates for a frame at most, and leaves the transport where that came to.

        Args:
            source: the simulation.
            transport: where the clock is.
            note: called with frames on the way; None if they are not needed.

        Raises:
            BackbeatError: the process that plans has ended.
        """
        target = transport.time if self.goal is None else self.goal
        if target > source.reach:
            source.go_to(target, CATCH_UP * source.frame, note)
            # A simulation that is slow throughout is not made up for; where one wants
            # to be, is reached.
            waits = self.goal is not None or not transport.is_playing
            self.goal = target if waits else None
        late = (target - source.reach) / transport.speed if self.goal is None else 0.0
        self._owed = float(np.clip(late, 0.0, MOST_OWED))
        transport.time, transport.end = min(target, source.reach), source.end
        if target <= source.reach + SAME or source.live.is_over:
            self.goal = None
        self.pace.note(source.reach)
