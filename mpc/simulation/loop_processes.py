"""Processes beside a closed loop: one that plans, or controllers elsewhere.

Plans of another process are those that the loop would make itself, to the last bit, so
that results do not depend on when it is ready.
"""

import threading
from dataclasses import dataclass

from backbeat.behaviors.library.behavior import Behavior
from backbeat.models.common.closing import Closing
from backbeat.mpc.control.controllers import MakeControllers
from backbeat.mpc.control.outside import ConnectControllers
from backbeat.mpc.control.planner_process import PlannerProcess, PlannerSettings
from backbeat.mpc.control.user_code import UserCode
from backbeat.mpc.engines.engine_setup import MakeEngine
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.weights.controller_weights import AnyWeights, ControllerWeights


@dataclass(frozen=True)
class Replacements:
    """What takes the place of parts of a loop, each None for ours.

    Attributes:
        engine: makes the engine of a scenario whose engine is `own`.
        controller: makes what takes the place of either controller.
        remote: connects to controllers that are elsewhere.
        weights: of our controllers, below those of the scenario.
    """

    engine: MakeEngine | None = None
    controller: MakeControllers | UserCode | None = None
    remote: ConnectControllers | None = None
    weights: AnyWeights = None


class LoopProcesses(Closing):
    """What a loop needs of other processes.

    Attributes:
        planner: plans in place of the predictive controller; None for none, or while
            one that was started later is not ready yet.
        outside: both controllers where they are elsewhere; None otherwise.
    """

    def __init__(
        self,
        behavior: Behavior,
        scenario: Scenario,
        weights: ControllerWeights,
        replacements: Replacements,
    ) -> None:
        """Starts what the scenario asks for.

        Raises:
            BackbeatError: a process does not start.
        """
        plan = scenario.control.plan_settings(behavior)
        self._behavior = behavior
        self._settings = PlannerSettings.of(scenario.timing, plan, weights)
        self._coming: ComingPlanner | None = None
        ours = replacements.controller is None
        self._may_start = ours and weights.own_terms() is None
        self.planner: PlannerProcess | None = None
        connect = replacements.remote
        self.outside = connect(behavior, scenario, weights) if connect else None
        if self.outside is None and scenario.control.planner == "process":
            self.planner = PlannerProcess(behavior, self._settings)

    def open(self) -> None:
        """Connects to controllers elsewhere.

        Raises:
            BackbeatError: none answers, or it refuses.
        """
        if self.outside is not None:
            self.outside.open()

    def close(self) -> None:
        """Ends the planner's process, or the link."""
        for part in (self.planner, self._coming, self.outside):
            if part is not None:
                part.close()

    def start_planner(self) -> None:
        """Starts a planner that is ready in a second or two, if there is none yet."""
        if self.planner or self._coming or self.outside or not self._may_start:
            return
        self._coming = ComingPlanner(self._behavior, self._settings)

    @property
    def waits_for_planner(self) -> bool:
        """Whether a process that shall plan is still starting."""
        return self._coming is not None

    def take_planner(self) -> PlannerProcess | None:
        """A planner that has become ready since the last call; None without one.

        Raises:
            BackbeatError: it did not start.
        """
        found = self._coming.take() if self._coming else None
        if found is not None:
            self.planner, self._coming = found, None
        return found


class ComingPlanner(Closing):
    """A planner process in the making; it takes a second or two."""

    def __init__(self, behavior: Behavior, settings: PlannerSettings) -> None:
        """Begins to start it, in a thread."""
        self._made: PlannerProcess | None = None
        self._error: Exception | None = None
        self._is_closed = False
        self._thread = threading.Thread(
            target=self._make, args=(behavior, settings), daemon=True
        )
        self._thread.start()

    def _make(self, behavior: Behavior, settings: PlannerSettings) -> None:
        try:
            self._made = PlannerProcess(behavior, settings)
        except Exception as error:
            # Raised again where the planner is taken.
            self._error = error
        if self._is_closed:
            self.close()

    def take(self) -> PlannerProcess | None:
        """The planner when it can plan; None until then.

        Raises:
            BackbeatError: it did not start.
        """
        if self._thread.is_alive():
            return None
        if self._error is not None:
            raise self._error
        return self._made

    def close(self) -> None:
        """Ends the process, or has it ended as soon as it is there."""
        self._is_closed = True
        if self._made is not None:
            self._made.close()
