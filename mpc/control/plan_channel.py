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
from backbeat.mpc.disturbances.kinds.setting_event import SettingEvent
from backbeat.mpc.disturbances.model_mismatch import ModelMismatch
from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.scenario.parts.timing import TimingSettings
from backbeat.mpc.scenario.specification import Scenario

# Room for rounding in times of events [s].
ROUNDING = 1e-9


@dataclass(frozen=True)
class PlanDelivery:
    """How plans of a run get to the whole-body controller.

    Attributes:
        timing: when they are made, and when ticks read them.
        error: how long they take, and how many get lost.
        seed: decides which.
        events: settings that change, in order of time; plans may take longer then.
    """

    timing: TimingSettings
    error: ModelMismatch
    seed: int
    events: Sequence[SettingEvent] = ()

    @classmethod
    def of(cls, scenario: Scenario) -> "PlanDelivery":
        """That of a scenario."""
        events = scenario.disturbances.sorted_events()
        return cls(scenario.timing, scenario.world.mismatch, scenario.seed, events)

    def is_lost(self, plan: Plan) -> bool:
        """Whether a plan gets lost."""
        made = plan.time - self.timing.planning_time
        number = round(made / self.timing.plan_period)
        return self.error.loses_plan(number, self.seed)


def arrivals(plans: Iterable[Plan], delivery: PlanDelivery) -> list[tuple[float, Plan]]:
    """When plans of a run take effect [s], those that do, in their order."""
    delays = [(-np.inf, delivery.error.delay_of_plans)]
    for event in delivery.events:
        if event.plan_delay is not None:
            delays.append((event.time + delivery.timing.lead_in, event.plan_delay))
    ends = [since for since, _ in delays[1:]] + [np.inf]
    found = []
    for plan in plans:
        if delivery.is_lost(plan):
            continue
        for (since, delay), end in zip(delays, ends, strict=True):
            # It arrives as soon as any delay that holds by then is over.
            when = max(plan.time + delay, since)
            if when < end:
                found.append((when, plan))
                break
    return found


def plans_in_force(
    plans: Sequence[Plan], delivery: PlanDelivery, clock: np.ndarray
) -> tuple[list[Plan], np.ndarray]:
    """Plans that took effect, and (M,) which of them was in force at given times.

    Args:
        plans: of a run, as they were made.
        delivery: how they got there.
        clock: (M,) times since the simulation began [s].
    """
    taken = arrivals(plans, delivery) or [(0.0, plans[0])]
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
    has arrived. `delay` (1) is how long plans take now [s]; unconnected, it is
    the delivery's.
    """

    def __init__(
        self, delivery: PlanDelivery, first: Plan, is_steady: bool = False
    ) -> None:
        """Makes the channel.

        Args:
            delivery: says how long plans take and how many are lost.
            first: the plan in force until one arrives.
            is_steady: whether the delay never changes. Then what has arrived follows
                from the time, and plans are noted only before the next is made.
        """
        super().__init__()
        self._delivery = delivery
        self._sent = self.DeclareAbstractInputPort("sent", AbstractValue.Make(first))
        self._delay = self.DeclareVectorInputPort("delay", 1)
        memory = ChannelMemory((first,), -np.inf)
        self._memory = int(self.DeclareAbstractState(AbstractValue.Make(memory)))
        self.DeclareAbstractOutputPort(
            "plan", lambda: AbstractValue.Make(first), weak(self._calc_plan)
        )
        # Else as often as plans are read: one that has arrived stays in force, also
        # where those that come later take longer.
        timing = delivery.timing
        period = timing.plan_period if is_steady else timing.tick_period
        self.DeclarePeriodicUnrestrictedUpdateEvent(period, 0.0, weak(self._update))

    def _read(self, context: Context) -> ChannelMemory:
        memory: ChannelMemory = context.get_abstract_state(self._memory).get_value()
        return memory

    def _advance(self, context: Context, memory: ChannelMemory) -> ChannelMemory:
        """The memory with what is sent now, and without plans that are superseded."""
        plans, last, now = memory.plans, memory.last, context.get_time()
        # Nothing is sent before it is made, though at the start something is there.
        timing = self._delivery.timing
        made = math.ceil((now - ROUNDING) / timing.plan_period) - 1
        ready = made * timing.plan_period + timing.planning_time
        # Whoever plans elsewhere has until then, and is not asked before.
        if made >= 0 and last + ROUNDING < ready <= now + ROUNDING:
            plan: Plan = self._sent.Eval(context)
            if plan.time > last + ROUNDING:
                last = plan.time
                if not self._delivery.is_lost(plan):
                    plans = (*plans, plan)
        if len(plans) == 1:
            same = last == memory.last and plans is memory.plans
            return memory if same else ChannelMemory(plans, last)
        delay = self._delivery.error.delay_of_plans
        if self._delay.HasValue(context):
            delay = float(self._delay.Eval(context)[0])
        due = now - delay + ROUNDING
        arrived = [i for i, p in enumerate(plans) if i and p.time <= due]
        return ChannelMemory(plans[max(arrived, default=0) :], last)

    def _calc_plan(self, context: Context, output: AbstractValue) -> None:
        output.set_value(self._advance(context, self._read(context)).plans[0])

    def _update(self, context: Context, state: State) -> None:
        # Most ticks change nothing, and the state that was there stays.
        before = self._read(context)
        memory = self._advance(context, before)
        if memory is not before:
            state.get_mutable_abstract_state(self._memory).set_value(memory)
