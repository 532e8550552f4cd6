"""Transport of plans to the whole-body controller, with delays and losses.

A plan made at time t takes effect at t + delay, or never when it is lost, which is
decided for each plan by the seed alone. Until the next one arrives the one in force
goes on.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from pydrake.common.value import AbstractValue
from pydrake.systems.framework import Context, State

from backbeat.models.common.collectable_system import CollectableSystem, weak
from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.scenario.model_mismatch import Stream, random_stream
from backbeat.mpc.scenario.specification import Scenario

# Room for rounding in times of events [s].
ROUNDING = 1e-9


def is_lost(plan: Plan, scenario: Scenario) -> bool:
    """Whether a plan gets lost in a run."""
    loss = scenario.world.plan_loss
    if loss == 0:
        return False
    made = plan.time - scenario.planning_time
    number = round(made / scenario.plan_period)
    return random_stream(scenario.seed, Stream.PLAN, number).uniform() < loss


def arrivals(plans: Iterable[Plan], scenario: Scenario) -> list[tuple[float, Plan]]:
    """When plans of a run take effect [s], those that do, in their order."""
    delays = [(-np.inf, scenario.world.plan_delay)]
    for event in scenario.sorted_events():
        if event.plan_delay is not None:
            delays.append((event.time + scenario.lead_in, event.plan_delay))
    ends = [since for since, _ in delays[1:]] + [np.inf]
    found = []
    for plan in plans:
        if is_lost(plan, scenario):
            continue
        for (since, delay), end in zip(delays, ends, strict=True):
            # It arrives as soon as any delay that holds by then is over.
            when = max(plan.time + delay, since)
            if when < end:
                found.append((when, plan))
                break
    return found


def plans_in_force(
    plans: Sequence[Plan], scenario: Scenario, clock: np.ndarray
) -> tuple[list[Plan], np.ndarray]:
    """Plans that took effect, and (M,) which of them was in force at given times.

    Args:
        plans: of a run, as they were made.
        scenario: of the run.
        clock: (M,) times since the simulation began [s].
    """
    taken = arrivals(plans, scenario) or [(0.0, plans[0])]
    starts = np.array([time for time, _ in taken])
    index = np.searchsorted(starts, clock + ROUNDING) - 1
    return [plan for _, plan in taken], np.clip(index, 0, len(taken) - 1)


@dataclass(frozen=True)
class ChannelMemory:
    """All memory of the channel.

    Attributes:
        plans: the plan in force and those on their way, oldest first.
        last: when the newest of all was made [s], lost or not.
    """

    plans: tuple[Plan, ...]
    last: float

    def __deepcopy__(self, memo: object) -> "ChannelMemory":
        """Values in a Context may be shared, for nothing here ever changes."""
        return self


class PlanChannel(CollectableSystem):
    """Delays plans, and loses some.

    .. pydrake_system::

        name: PlanChannel
        input_ports:
        - sent
        - delay
        output_ports:
        - plan

    `sent` is the latest Plan of the predictive controller, `plan` the latest that
    has arrived. `delay` (1) is how long plans take now [s]; unconnected, it is the
    scenario's.
    """

    def __init__(self, scenario: Scenario, first: Plan) -> None:
        """Makes the channel.

        Args:
            scenario: says how long plans take and how many are lost.
            first: the plan in force until one arrives.
        """
        super().__init__()
        self._scenario = scenario
        self._sent = self.DeclareAbstractInputPort("sent", AbstractValue.Make(first))
        self._delay = self.DeclareVectorInputPort("delay", 1)
        memory = ChannelMemory((first,), -np.inf)
        self._memory = self.DeclareAbstractState(AbstractValue.Make(memory))
        self.DeclareAbstractOutputPort(
            "plan", lambda: AbstractValue.Make(first), weak(self._calc_plan)
        )
        # As often as plans are read, so that none is missed on its way.
        self.DeclarePeriodicUnrestrictedUpdateEvent(
            scenario.tick_period, 0.0, weak(self._update)
        )

    def _read(self, context: Context) -> ChannelMemory:
        memory: ChannelMemory = context.get_abstract_state(
            int(self._memory)
        ).get_value()
        return memory

    def _advance(self, context: Context) -> ChannelMemory:
        """The memory with what is sent now, and without plans that are superseded."""
        memory = self._read(context)
        plans, last, now = memory.plans, memory.last, context.get_time()
        # Nothing is sent before it is made, though at the start something is there.
        scenario = self._scenario
        made = math.ceil((now - ROUNDING) / scenario.plan_period) - 1
        ready = made * scenario.plan_period + scenario.planning_time
        # A planner in another process has until then, and is not read before.
        if made >= 0 and last + ROUNDING < ready <= now + ROUNDING:
            plan: Plan = self._sent.Eval(context)
            if plan.time > last + ROUNDING:
                last = plan.time
                if not is_lost(plan, scenario):
                    plans = (*plans, plan)
        if len(plans) == 1:
            same = last == memory.last and plans is memory.plans
            return memory if same else ChannelMemory(plans, last)
        delay = scenario.world.plan_delay
        if self._delay.HasValue(context):
            delay = float(self._delay.Eval(context)[0])
        due = now - delay + ROUNDING
        arrived = [i for i, p in enumerate(plans) if i and p.time <= due]
        return ChannelMemory(plans[max(arrived, default=0) :], last)

    def _calc_plan(self, context: Context, output: AbstractValue) -> None:
        output.set_value(self._advance(context).plans[0])

    def _update(self, context: Context, state: State) -> None:
        # Most ticks change nothing, and the state that was there stays.
        memory = self._advance(context)
        if memory is not self._read(context):
            state.get_mutable_abstract_state(int(self._memory)).set_value(memory)
