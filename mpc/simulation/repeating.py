"""The scenario that repeats a run whose settings were changed by hand."""

import numpy as np

from backbeat.behaviors.library.behavior import Behavior
from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.scenario.requested_tempo import run_length
from backbeat.mpc.scenario.specification import Scenario


def repeatable(scenario: Scenario, behavior: Behavior, plans: int | None) -> Scenario:
    """The scenario that makes a run again, as far as it has come.

    Args:
        scenario: with all that has been done by hand so far.
        behavior: what is tracked.
        plans: whole plan periods so far; None for a run that is over.

    Raises:
        BackbeatError: nothing of the behavior has been simulated yet.
    """
    timing, done = scenario.timing, scenario.disturbances
    if plans is not None:
        end = timing.plan_period * plans
        duration = end - timing.lead_in
        # The sum of the two is to reach the period's end in spite of rounding.
        while timing.lead_in + duration < end:
            duration = float(np.nextafter(duration, np.inf))
        if duration <= 0:
            raise BackbeatError(
                "nothing of the behavior has been simulated yet; let it run first"
            )
        scenario = scenario.changed(duration=duration)
    # What is to come after the last whole plan period is no part of it.
    end = run_length(scenario, behavior)
    return scenario.changed(**done.begun_before(end))
