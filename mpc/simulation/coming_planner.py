"""A planner process that starts while a closed loop is already under way.

Its plans are those that the loop would make itself, to the last bit, so that results
do not depend on when it is ready.
"""

import threading

from backbeat.behaviors.library.behavior import Behavior
from backbeat.models.common.closing import Closing
from backbeat.mpc.control.planner_process import PlannerProcess, PlannerSettings
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.weights.controller_weights import ControllerWeights


def planner_settings(
    scenario: Scenario, behavior: Behavior, weights: ControllerWeights
) -> PlannerSettings:
    """What a planner in another process is told of a run."""
    plan = scenario.control.plan_settings(behavior)
    return PlannerSettings.of(scenario.timing, plan, weights)


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
