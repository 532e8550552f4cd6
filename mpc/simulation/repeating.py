"""The scenario that repeats a run whose settings were changed by hand."""

from dataclasses import replace

import numpy as np

from backbeat.behaviors.library.behavior import Behavior
from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.scenario.requested_tempo import play_length
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
    scenario = replace(
        scenario, pushes=list(scenario.pushes), events=list(scenario.events)
    )
    if plans is not None:
        end = scenario.plan_period * plans
        duration = end - scenario.lead_in
        # The sum of the two is to reach the period's end in spite of rounding.
        while scenario.lead_in + duration < end:
            duration = float(np.nextafter(duration, np.inf))
        if duration <= 0:
            raise BackbeatError(
                "nothing of the behavior has been simulated yet; let it run first"
            )
        scenario.duration = duration
    # What is to come after the last whole plan period is no part of it.
    end = play_length(scenario, behavior)
    scenario.pushes = [push for push in scenario.pushes if push.time < end]
    return scenario
