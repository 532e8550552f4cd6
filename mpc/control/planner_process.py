"""A second process that plans while the first one simulates.

The process gets the behavior as a library file and all else as messages of plain
numbers; nothing is unpickled. It keeps no memory between plans: a request holds the
state and the plan before, so that its results are those of planning inside.
"""

import tempfile
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.store import Library
from backbeat.models.common.closing import Closing
from backbeat.models.common.processes.child import ChildProcess, Parent
from backbeat.mpc.plans.weights import PredictiveWeights
from backbeat.mpc.predictive.core import PredictiveCore
from backbeat.mpc.predictive.memory import PredictiveMemory
from backbeat.mpc.predictive.plan_message import pack, unpack
from backbeat.mpc.predictive.program import PredictiveProgram
from backbeat.mpc.predictive.recovery import STEPPING, Recovery
from backbeat.mpc.predictive.settings import PlanSettings
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.scenario.parts.timing import TimingSettings
from backbeat.mpc.weights.controller_weights import ControllerWeights, check_elsewhere

# Longest that the process may take to start, and to answer [s].
START, ANSWER = 300.0, 30.0


@dataclass(frozen=True)
class PlannerSettings:
    """What a planner needs besides the behavior.

    Attributes:
        weights: of the predictive program, before settings adapt them.
        settings: of plans at the start.
        period, start_time, planning_time: as of PredictiveCore [s].
        recovery: when and how to step.
    """

    weights: PredictiveWeights
    settings: PlanSettings
    period: float
    start_time: float
    planning_time: float
    recovery: Recovery = STEPPING

    @classmethod
    def of(
        cls, timing: TimingSettings, plan: PlanSettings, weights: ControllerWeights
    ) -> "PlannerSettings":
        """What a planner is told of a run with these periods."""
        times = timing.plan_period, timing.lead_in, timing.planning_time
        return cls(weights.predictive, plan, *times, weights.recovery)

    def make_core(self, behavior: Behavior) -> PredictiveCore:
        """What plans with these settings."""
        return PredictiveCore(
            PredictiveProgram(Reference(behavior), self.settings.adapt(self.weights)),
            self.period,
            self.start_time,
            self.recovery,
            planning_time=self.planning_time,
            weights=self.weights,
        )


class PendingMemory:
    """The memory that a planner is working on."""

    def __init__(self, planner: "PlannerProcess") -> None:
        self._planner = planner
        self._memory: PredictiveMemory | None = None

    def __deepcopy__(self, memo: object) -> "PendingMemory":
        """Copies share the one pending result."""
        return self

    def result(self) -> PredictiveMemory:
        """Waits for the planner.

        Raises:
            BackbeatError: it ended or does not answer.
        """
        if self._memory is None:
            self._memory = self._planner.receive()
        return self._memory


class PlannerProcess(Closing):
    """A running planner; one question at a time."""

    def __init__(self, behavior: Behavior, settings: PlannerSettings) -> None:
        """Starts the process and waits until it can plan.

        Raises:
            BackbeatError: it does not start, or lacks the code of a term.
        """
        check_elsewhere(settings.weights, "a planner in a process")
        self._open: PendingMemory | None = None
        self._child = ChildProcess(
            __name__, "planner", instead="plan inside to go without it"
        )
        try:
            self._introduce(behavior, settings)
        except BaseException:
            self.close()
            raise

    def _introduce(self, behavior: Behavior, settings: PlannerSettings) -> None:
        """Hands over what the process needs, and waits until it can plan."""
        with tempfile.TemporaryDirectory() as folder:
            Library(folder).save(behavior)
            head: dict[str, Any] = asdict(settings) | {"settings": settings.settings}
            head |= {"folder": folder, "behavior": behavior.name}
            self._child.send(pack(head))
            self._child.receive(START)

    @property
    def process_id(self) -> int:
        """Of the second process."""
        return self._child.process_id

    def close(self) -> None:
        """Ends the process."""
        self._child.close()

    def start(
        self,
        t: float,
        q: np.ndarray,
        v: np.ndarray,
        memory: PredictiveMemory,
        force: np.ndarray | None = None,
        settings: PlanSettings | None = None,
    ) -> PendingMemory:
        """Requests the result that `PredictiveCore` would return."""
        if self._open is not None:
            self._open.result()
        self._child.send(pack((t, q, v, memory, force, settings)))
        self._open = PendingMemory(self)
        return self._open

    def receive(self) -> PredictiveMemory:
        """The answer to the last question.

        Raises:
            BackbeatError: the process ended or does not answer.
        """
        memory: PredictiveMemory = unpack(self._child.receive(ANSWER))
        self._open = None
        return memory


def main() -> None:
    """Answers requests until the parent ends."""
    parent = Parent()
    requests = parent.requests()
    first = next(requests, None)
    if first is None:
        return
    head = unpack(first)
    behavior = Library(head.pop("folder")).load(head.pop("behavior"))
    weights = PredictiveWeights(**head.pop("weights"))
    recovery = Recovery(**head.pop("recovery"))
    step = PlannerSettings(weights, recovery=recovery, **head).make_core(behavior)
    parent.answer(pack("ready"))
    for request in requests:
        parent.answer(pack(step(*unpack(request))))


if __name__ == "__main__":
    main()
