"""SimulationServices: what pages ask of a simulation besides its frames.

They are answered in threads of the server, so that no frame waits for them, from values
that never change, and only while a page shows them.
"""

import threading
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from backbeat.mpc.analysis.run_explanation import PlanExplainer
from backbeat.mpc.control.own_controllers import OwnControllers
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.scenario.specification import TASK_SPACE
from backbeat.mpc.weights.files import weights_text
from backbeat.mpc.weights.in_runs import (
    changed_in_run,
    declared_in_runs,
    values_in_runs,
)
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
        return {"/costs": self.costs, "/weights": self.weights}

    def costs(self, text: bytes) -> dict[str, Any]:
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
                reference, of = Reference(live.behavior), live.weights.predictive
                self._explainers[live] = PlanExplainer(reference, of)
            explain = self._explainers[live]
            before = latest[0] if len(latest) > 1 else None
            told = explain(latest[-1], before, live.scenario)
        costs = {name: float(f"{x:.{DIGITS}g}") for name, x in told.costs.items()}
        return {"time": told.time, "costs": costs}

    def weights(self, text: bytes) -> dict[str, Any]:
        """What sliders of weights show, by section and key, and all of them as a file.

        Those of zero have no slider, which goes over decades.
        """
        live = self._live()
        if live is None or live.behavior.kind == TASK_SPACE:
            return {}
        first, changes = live.weights, live.settings()["weights"]
        now = changed_in_run(first, changes, "the simulation")
        told, values = declared_in_runs(first), values_in_runs(first)
        sections: dict[str, list[dict[str, Any]]] = {n: [] for n in _sections(live)}
        for name, usual in values.items():
            section, _, key = name.partition(".")
            if section in sections and usual:
                about = {"unit": told[name].unit, "hint": told[name].help}
                about |= {"name": name, "label": key.replace("_", " ")}
                sections[section].append({**about, "usual": usual})
        of = live.behavior.name
        file = weights_text(now, f"Of a simulation of {of}.")
        return {"sections": sections, "name": f"{of}.weights.yaml", "file": file}

    def _live(self) -> LiveSimulation | None:
        source = self._source()
        return source.live if isinstance(source, SimulationHistory) else None


def _sections(live: LiveSimulation) -> list[str]:
    """Of the weights, those that the controllers of a simulation have."""
    own = live.own or OwnControllers()
    plan = ["predictive", "recovery"] if own.plan is None else []
    return plan + (["whole_body", "stance"] if own.command is None else [])
