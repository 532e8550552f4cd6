"""Late and lost plans, counted in ticks."""

from dataclasses import replace

import numpy as np
import pytest
from pydrake.common.value import AbstractValue
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder, LeafSystem

from backbeat.mpc.control.plan_channel import PlanChannel, PlanDelivery, arrivals
from backbeat.mpc.disturbances.model_mismatch import model_mismatch
from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.scenario.parts.timing import TimingSettings
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.diagram import build_closed_loop

PERIOD, TICK = 0.02, 0.002


def plan_of(time):
    z = np.zeros
    return Plan(
        time, time, 1, z(1), z(2), z((2, 12)), z((1, 0, 6)), z((2, 3)), z((2, 0, 2))
    )


class Planner(LeafSystem):
    """Makes a plan every period, as the predictive controller does."""

    def __init__(self, period):
        super().__init__()
        self.DeclareAbstractState(AbstractValue.Make(plan_of(0.0)))
        self.DeclareAbstractOutputPort(
            "plan",
            lambda: AbstractValue.Make(plan_of(0.0)),
            lambda context, out: out.set_value(self.read(context)),
            {self.all_state_ticket()},
        )
        self.DeclarePeriodicUnrestrictedUpdateEvent(period, 0.0, self.update)

    def read(self, context):
        return context.get_abstract_state(0).get_value()

    def update(self, context, state):
        # A plan that differs from the one at the start although its time is the same.
        plan = replace(plan_of(context.get_time()), iterations=1)
        state.get_mutable_abstract_state(0).set_value(plan)


class Reader(LeafSystem):
    """Reads the plan at every tick, as the whole-body controller does."""

    def __init__(self, tick):
        super().__init__()
        self.read = []
        self._plan = self.DeclareAbstractInputPort(
            "plan", AbstractValue.Make(plan_of(0.0))
        )
        self.DeclarePeriodicUnrestrictedUpdateEvent(tick, 0.0, self.update)

    def update(self, context, state):
        self.read.append((context.get_time(), self._plan.Eval(context)))


def read_plans(seed=0, end=0.5, **error):
    """(time, plan) at every tick."""
    delivery = PlanDelivery(TimingSettings(), model_mismatch(**error), seed)
    builder = DiagramBuilder()
    planner = builder.AddSystem(Planner(PERIOD))
    channel = builder.AddSystem(PlanChannel(delivery, plan_of(0.0)))
    reader = builder.AddSystem(Reader(TICK))
    builder.Connect(planner.GetOutputPort("plan"), channel.GetInputPort("sent"))
    builder.Connect(channel.GetOutputPort("plan"), reader.GetInputPort("plan"))
    Simulator(builder.Build()).AdvanceTo(end)
    return delivery, reader.read


def test_between_plans_the_state_stays_what_it_is():
    delivery = PlanDelivery(TimingSettings(), model_mismatch(), 0)
    builder = DiagramBuilder()
    planner = builder.AddSystem(Planner(PERIOD))
    channel = builder.AddSystem(PlanChannel(delivery, plan_of(0.0)))
    builder.Connect(planner.GetOutputPort("plan"), channel.GetInputPort("sent"))
    simulator, seen = Simulator(builder.Build()), []
    own = channel.GetMyContextFromRoot(simulator.get_context())
    for k in range(100):
        simulator.AdvanceTo(k * TICK + 0.5 * TICK)
        seen.append(own.get_abstract_state(0).get_value())
    # The one at the start, and one for each plan.
    assert len({id(memory) for memory in seen}) == 1 + round(100 * TICK / PERIOD)


@pytest.mark.parametrize("ticks", [0, 1, 2, 5, 9, 10, 13, 25])
def test_a_plan_takes_effect_after_its_delay_to_the_tick(ticks):
    _, read = read_plans(plan_delay=ticks * TICK)
    # Without delay a plan is there at the next tick, for those of one instant see
    # what was before it.
    late = max(ticks, 1)
    for k, (time, plan) in enumerate(read):
        assert time == pytest.approx(k * TICK)
        latest = (k - late) // 10
        if latest < 0:
            assert plan.iterations == 0
        else:
            assert plan.time == pytest.approx(latest * PERIOD)
            assert plan.iterations == 1


def test_a_delay_between_ticks_ends_at_the_next_one():
    _, read = read_plans(plan_delay=0.005)
    made = [t for (t, a), (_, b) in zip(read[1:], read, strict=False) if a is not b]
    np.testing.assert_allclose(np.array(made[1:]) % PERIOD, 0.006, atol=1e-9)


def test_lost_plans_never_arrive_and_the_last_one_goes_on():
    delivery, read = read_plans(plan_loss=0.4, end=2.0)
    lost = {k for k in range(100) if delivery.is_lost(plan_of(k * PERIOD))}
    seen = {round(p.time / PERIOD) for _, p in read if p.iterations}
    assert seen == set(range(100)) - lost
    for time, plan in read:
        newest = [k for k in range(100) if k * PERIOD < time - 1e-9 and k not in lost]
        if newest:
            assert round(plan.time / PERIOD) == newest[-1]


def test_as_many_are_lost_as_was_said_and_the_seed_says_which():
    plans = [plan_of(k * PERIOD) for k in range(2000)]

    def lost(seed):
        delivery = PlanDelivery(TimingSettings(), model_mismatch(plan_loss=0.3), seed)
        return [delivery.is_lost(p) for p in plans]

    assert np.mean(lost(0)) == pytest.approx(0.3, abs=0.03)
    assert lost(0) == lost(0)
    assert np.mean(np.array(lost(0)) & np.array(lost(1))) == pytest.approx(
        0.09, abs=0.02
    )


def test_arrivals_say_what_the_channel_does():
    delivery, read = read_plans(plan_loss=0.3, plan_delay=0.03, end=1.0)
    plans = [plan_of(k * PERIOD) for k in range(51)]
    taken = arrivals(plans, delivery)
    for time, plan in read:
        due = [p.time for when, p in taken if when <= time + 1e-9]
        if due:
            assert plan.time == pytest.approx(due[-1])
        else:
            assert plan.iterations == 0


def test_the_closed_loop_gets_its_plans_late(built):
    stand = built("stand")
    setting = Scenario.of(behavior="stand", world=model_mismatch(plan_delay=0.014))
    loop = build_closed_loop(stand, setting)
    simulator = Simulator(loop.diagram, loop.make_context())
    context = simulator.get_context()
    channel = loop.diagram.GetSubsystemByName("plan_channel")
    port, own = channel.GetOutputPort("plan"), channel.GetMyContextFromRoot(context)
    simulator.AdvanceTo(0.013)
    assert port.Eval(own).iterations == 0
    simulator.AdvanceTo(0.014)
    assert port.Eval(own).time == 0.0
    assert port.Eval(own).iterations > 0
    simulator.AdvanceTo(0.033)
    assert port.Eval(own).time == 0.0
    simulator.AdvanceTo(0.034)
    assert port.Eval(own).time == pytest.approx(0.02)


def test_each_plan_is_lost_by_itself_also_when_it_is_made_between_periods():
    world = model_mismatch(plan_loss=0.5)
    timing = TimingSettings(plan_period=PERIOD)
    at_once = PlanDelivery(timing, world, 0)
    late = PlanDelivery(replace(timing, planning_time=PERIOD / 2), world, 0)
    for k in range(100):
        when = k * PERIOD
        lost = at_once.is_lost(plan_of(when))
        assert late.is_lost(plan_of(when + PERIOD / 2)) == lost
