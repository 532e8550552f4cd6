"""SimulationServices: what pages ask of a simulation besides its frames.

They are answered in threads of the server, so that no frame waits for them, from values
that never change, and only while a page shows them.
"""

import threading
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from backbeat.mpc.analysis.run_explanation import PlanExplainer
from backbeat.stage.frames.frame import PlaybackSource
from backbeat.stage.live.history import SimulationHistory
from backbeat.stage.live.server import Service
from backbeat.stage.live.simulation import LiveSimulation

# Digits of costs, which go over decades.
DIGITS = 4


class SimulationServices:
    """Answers about the simulation that is shown, if there is one."""

    def __init__(self, source: Callable[[], PlaybackSource]) -> None:
        """Answers about what a function gives."""
        self._source, self._lock = source, threading.Lock()
        self._explainers: WeakKeyDictionary[LiveSimulation, PlanExplainer]
        self._explainers = WeakKeyDictionary()

    def by_path(self) -> dict[str, Service]:
        """What there is to ask for, as `LiveServer` takes it."""
        return {"/costs": self.costs}

    def costs(self, _: bytes) -> dict[str, Any]:
        """What each term of the predictive program costs in the latest plan, by name.

        The program is solved again by one of its own: results of the simulation do not
        depend on who looks.
        """
        live = self._live()
        # The scenario may get events afterwards: they are of later plans.
        latest = live.latest_plans() if live is not None else ()
        if live is None or not latest:
            return {}
        with self._lock:
            if live not in self._explainers:
                self._explainers[live] = live.explainer()
            explain = self._explainers[live]
            before = latest[0] if len(latest) > 1 else None
            told = explain(latest[-1], before, live.scenario)
        costs = {name: float(f"{x:.{DIGITS}g}") for name, x in told.costs.items()}
        return {"time": told.time, "costs": costs}

    def _live(self) -> LiveSimulation | None:
        source = self._source()
        return source.live if isinstance(source, SimulationHistory) else None
