"""Both controllers as systems: memory in the Context, no unsolved answer applied."""

from dataclasses import replace

import numpy as np
import pytest
from pydrake.common.value import AbstractValue
from pydrake.systems.analysis import Simulator

from backbeat.models.actuation.joint_command import (
    BLOCKS,
    DAMPING,
    EFFORT,
    POSITION,
    STIFFNESS,
)
from backbeat.mpc.predictive.controller import PredictiveController
from backbeat.mpc.predictive.settings import PlanSettings
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.diagram import build_closed_loop

SCENARIO = Scenario.of(behavior="posture-tour", lead_in=0.1)


@pytest.fixture(scope="module")
def loop(built):
    return build_closed_loop(built("posture-tour"), SCENARIO)


@pytest.fixture(scope="module")
def other_loop(built):
    """The same diagram, built once more."""
    return build_closed_loop(built("posture-tour"), SCENARIO)


def start(loop, speed=0.0):
    """A simulator of a robot whose pelvis starts with a speed sideways."""
    context = loop.make_context()
    plant = loop.world.plant
    own = plant.GetMyMutableContextFromRoot(context)
    v = plant.GetVelocities(own)
    v[4] = speed
    plant.SetVelocities(own, v)
    return Simulator(loop.diagram, context)


def memories(loop, context):
    """What the controllers remember in a context."""
    systems = (loop.predictive, loop.whole_body)
    return [
        s.GetOutputPort("memory").Eval(s.GetMyContextFromRoot(context)) for s in systems
    ]


def facts(loop, context):
    """State of the plant and all that the controllers remember, as numbers."""
    plant = loop.world.plant
    x = plant.GetPositionsAndVelocities(plant.GetMyContextFromRoot(context))
    slow, fast = memories(loop, context)
    return [
        x,
        fast.command,
        fast.wrench,
        fast.dual,
        [fast.ticks, fast.failures, slow.plans, slow.failures],
        [slow.plan.time, slow.plan.phase, slow.plan.rate],
        slow.plan.durations,
        slow.plan.deviation,
        slow.plan.wrench,
    ]


def assert_same(a, b):
    for x, y in zip(a, b, strict=True):
        np.testing.assert_array_equal(x, y)


def test_two_contexts_of_one_diagram_do_not_disturb_each_other(loop, other_loop):
    mixed = [start(loop), start(loop, speed=0.15)]
    for t in (0.05, 0.1, 0.15, 0.2):
        for simulator in mixed:
            simulator.AdvanceTo(t)
    for simulator, speed in zip(mixed, (0.0, 0.15), strict=True):
        alone = start(other_loop, speed)
        alone.AdvanceTo(0.2)
        assert_same(
            facts(loop, simulator.get_context()), facts(other_loop, alone.get_context())
        )
    q, q_pushed = (facts(loop, s.get_context())[0] for s in mixed)
    assert np.abs(q - q_pushed).max() > 1e-3


def test_a_cloned_context_goes_on_as_the_first(loop):
    first = start(loop, speed=0.1)
    first.AdvanceTo(0.11)
    clone = first.get_context().Clone()
    first.AdvanceTo(0.2)
    second = Simulator(loop.diagram, clone)
    second.AdvanceTo(0.2)
    assert_same(
        facts(loop, first.get_context()), facts(loop, second.get_mutable_context())
    )


def test_live_controllers_explain_themselves_and_go_on_as_before(loop):
    told, silent = start(loop, speed=0.3), start(loop, speed=0.3)
    for simulator in (told, silent):
        simulator.AdvanceTo(0.051)
    systems = (loop.whole_body, loop.predictive)
    fast, slow = (
        s.explain(s.GetMyContextFromRoot(told.get_context())) for s in systems
    )
    assert fast.standing == loop.reference.patches
    # Thrown to the left, it pushes itself back from the left edges of its feet.
    edges = [x.name for x in slow.active if "center of pressure" in x.name]
    assert any("left edge" in name for name in edges), str(slow)
    assert fast.active
    for simulator in (told, silent):
        simulator.AdvanceTo(0.1)
    assert_same(*(facts(loop, s.get_context()) for s in (told, silent)))


def test_a_plan_is_explained_with_the_settings_it_was_made_with(loop):
    controller = PredictiveController(loop.predictive.core.program)
    context, sample = controller.CreateDefaultContext(), loop.reference.sample(0.0)
    controller.GetInputPort("state").FixValue(context, np.r_[sample.q, sample.v])
    asked = controller.GetInputPort("settings")
    asked.FixValue(context, AbstractValue.Make(PlanSettings(beat_priority=1.0)))
    Simulator(controller, context).AdvanceTo(0.01)
    then = str(controller.explain(context))
    asked.FixValue(context, AbstractValue.Make(PlanSettings(forces=False)))
    assert str(controller.explain(context)) == then
    Simulator(controller, context).AdvanceTo(0.03)
    assert str(controller.explain(context)) != then


def test_the_rates_of_the_loops_are_those_of_the_scenario(loop):
    simulator = start(loop)
    simulator.AdvanceTo(0.1 + 1e-6)
    slow, fast = memories(loop, simulator.get_context())
    assert slow.plans == 1 + round(0.1 / SCENARIO.timing.plan_period)
    assert fast.ticks == 1 + round(0.1 / SCENARIO.timing.tick_period)
    assert fast.failures == slow.failures == 0


class Tick:
    """A tick of the whole-body controller on the reference, at one phase."""

    def __init__(self, loop, phase):
        self.controller, self.robot = loop.whole_body, loop.reference.robot
        self.t = phase + SCENARIO.timing.lead_in
        sample = loop.reference.sample(phase + 0.5 * SCENARIO.timing.tick_period)
        self.q, self.v = sample.q, sample.v
        program = loop.predictive.core.program
        self.plan = replace(program.rest(0.0, phase), time=self.t)
        self.memory = self.controller.core.start()

    def run(self, memory=None, q=None, v=None):
        return self.controller.core(
            self.t,
            self.q if q is None else q,
            self.v if v is None else v,
            self.plan,
            memory or self.memory,
        )

    def with_impossible_knee(self):
        v = self.v.copy()
        v[6 + self.robot.joint_index("l_leg_kny")] = 60.0
        return v


@pytest.fixture
def tick(loop):
    return Tick(loop, 1.9)


@pytest.mark.parametrize("phase", [0.2, 1.7, 3.9, 7.1, 9.0])
def test_on_the_plan_the_torques_are_the_planned_ones(loop, phase):
    tick = Tick(loop, phase)
    motion = loop.reference.behavior.motion
    i, u = loop.reference.grid(np.array([phase + 0.5 * SCENARIO.timing.tick_period]))
    planned = (1 - u) @ motion.tau[i] + u @ motion.tau[i + 1]
    torque = tick.run().command[: tick.robot.num_joints]
    # Two feet can share a load in many ways, so legs may differ by a little.
    assert np.abs(torque - planned).max() < 0.02 * np.abs(motion.tau).max()


def test_an_unsolved_tick_keeps_the_command_and_is_counted(tick):
    good = tick.run()
    bad = tick.run(good, v=tick.with_impossible_knee())
    np.testing.assert_array_equal(bad.command, good.command)
    np.testing.assert_array_equal(bad.wrench, good.wrench)
    assert (bad.ticks, bad.failures) == (2, 1)
    after = tick.run(bad)
    assert (after.ticks, after.failures) == (3, 1)
    # The velocities that friction is told go on with the accelerations.
    again, before = (m.command.reshape(BLOCKS, -1) for m in (after, good))
    others = [EFFORT, POSITION, STIFFNESS, DAMPING]
    assert np.abs(again[others] - before[others]).max() < 1e-6


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_state_that_is_no_number_keeps_the_command(tick, value):
    good = tick.run()
    q, v = tick.q.copy(), tick.v.copy()
    q[12] = v[7] = value
    for bad in (tick.run(good, q=q), tick.run(good, v=v)):
        np.testing.assert_array_equal(bad.command, good.command)
        assert bad.failures == 1


def test_a_tick_is_a_function_of_its_arguments(tick):
    first = tick.run()
    tick.run(first, v=tick.v + 0.1)
    second = tick.run()
    np.testing.assert_array_equal(first.command, second.command)
    np.testing.assert_array_equal(first.dual, second.dual)


def test_without_a_new_plan_the_last_one_goes_on(loop, monkeypatch):
    step = loop.predictive.core
    first, x = step.start(), loop.reference.sample(1.0)
    assert first.plan.phase == -0.1
    good = step(1.1, x.q, x.v, first)
    assert good.plan.is_fresh
    assert good.plan.time == 1.1
    with monkeypatch.context() as patch:
        patch.setattr(step.program, "solve", lambda *_, **__: None)
        carried = step(1.12, x.q, x.v, good)
    blind = step(1.12, x.q, np.full_like(x.v, np.nan), good)
    for bad in (carried, blind):
        assert (bad.plans, bad.failures) == (2, 1)
        assert not bad.plan.is_fresh
        assert "carried on" in bad.plan.status
        assert bad.plan.time == good.plan.time
        np.testing.assert_array_equal(bad.plan.wrench, good.plan.wrench)
    x = loop.reference.sample(1.04)
    after = step(1.14, x.q, x.v, carried)
    assert after.plan.is_fresh
    assert (after.plans, after.failures) == (3, 1)
    # The phase went on meanwhile.
    assert after.plan.phase == pytest.approx(good.plan.phase_at(1.14))
