"""Preparation: a closed loop that is made in a thread while the show goes on."""

import threading

from backbeat.stage.live_simulation import LiveSimulation
from behaviors.behavior import Behavior
from mpc.simulation.scenario import Scenario


class Preparation:
    """A simulation to be; making one takes seconds, the first time a minute.

    Attributes:
        behavior: what it will track.
        simulation: what was made; None before, or if it could not be.
        error: why it could not be.
    """

    def __init__(self, behavior: Behavior, scenario: Scenario) -> None:
        """Begins at once."""
        self.behavior = behavior
        self.simulation: LiveSimulation | None = None
        self.error: Exception | None = None
        self._scenario = scenario
        self._thread = threading.Thread(target=self._make, daemon=True)
        self._thread.start()

    @property
    def is_ready(self) -> bool:
        """Whether it has ended, well or not."""
        return not self._thread.is_alive()

    def _make(self) -> None:
        try:
            self.simulation = LiveSimulation(self.behavior, self._scenario)
        except Exception as error:
            # Raised again, or told, by whoever waits.
            self.error = error
