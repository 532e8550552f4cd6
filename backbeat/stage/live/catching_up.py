"""Catching up: a simulation that follows the clock, or goes where one wants to be."""

from collections.abc import Callable

import numpy as np

from backbeat.stage.live.kept import KeptSimulation
from backbeat.stage.live.transport import SAME, Pace, Transport
from backbeat.stage.moments.moment import Moment

# A simulation that was late is not made up for beyond this [s].
MOST_OWED = 0.1
# Share of a frame in which a simulation may catch up with where it shall go.
CATCH_UP = 0.95


class CatchingUp:
    """Takes a simulation, frame by frame, to where it shall be.

    Attributes:
        goal: where somebody wants to be first [s]; None for where the clock is.
        pace: how fast the simulation is.
    """

    def __init__(self) -> None:
        """Wants nothing but what the clock wants."""
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
        take: KeptSimulation,
        transport: Transport,
        note: Callable[[Moment], None] | None,
    ) -> None:
        """Simulates for a frame at most, and leaves the transport where that came to.

        Args:
            take: the simulation.
            transport: where the clock is.
            note: called with moments on the way; None if nobody wants them.

        Raises:
            BackbeatError: the process that plans has ended.
        """
        target = transport.time if self.goal is None else self.goal
        if target > take.reach:
            take.go_to(target, CATCH_UP * take.frame, note)
            # A simulation that is slow throughout is not made up for; where one wants
            # to be, is reached.
            waits = self.goal is not None or not transport.is_playing
            self.goal = target if waits else None
        late = (target - take.reach) / transport.speed if self.goal is None else 0.0
        self._owed = float(np.clip(late, 0.0, MOST_OWED))
        transport.time, transport.end = min(target, take.reach), take.end
        if target <= take.reach + SAME or take.live.is_over:
            self.goal = None
        self.pace.note(take.reach)
