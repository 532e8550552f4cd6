"""A controller that dies, stalls or talks nonsense: the robot holds, and says so."""

import time
from dataclasses import replace
from types import SimpleNamespace

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
from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.analysis.safety_metrics import in_words, safety_metrics
from backbeat.mpc.predictive.settings import PlanSettings
from backbeat.mpc.remote.controller import RemoteController, RemotePlans
from backbeat.mpc.remote.link import RemoteLink
from backbeat.mpc.remote.schema import make_schema
from backbeat.mpc.safety.fail_safe import Cause, Mode
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.whole_body.core import CARRY
from tests.mpc.remote.peer import FAULTS, Peer

SCENARIO = Scenario.of(behavior="stand")
PERIOD = SCENARIO.timing.tick_period
# Answers that are waited for so long are late [s].
LIMIT = 0.25


@pytest.fixture
def controlled(reference):
    """`controlled(peer)` is a RemoteController of a robot that stands as it starts."""
    links = []

    def make(peer):
        link = RemoteLink(peer.address, reference.behavior, SCENARIO, answer=LIMIT)
        links.append(link)
        link.open()
        timing = SCENARIO.timing
        system = RemoteController(link, reference, timing, 0.0, lambda t: False)
        table = reference.table
        values = {
            "state": np.r_[table.q[0], table.v[0]],
            "normal_forces": np.full(2, 800.0),
            "plan_delay": np.zeros(1),
            "settings": AbstractValue.Make(PlanSettings()),
            "hands": AbstractValue.Make(()),
        }

        def begin():
            simulator = Simulator(system)
            for name, value in values.items():
                port = system.GetInputPort(name)
                port.FixValue(simulator.get_mutable_context(), value)
            return simulator

        simulator = begin()

        def after(ticks):
            simulator.AdvanceTo((ticks - 1) * PERIOD + 1e-6)
            return system.GetOutputPort("memory").Eval(simulator.get_context())

        return SimpleNamespace(after=after, begin=begin, link=link, system=system)

    yield make
    for link in links:
        link.close()


def blocks(memory):
    return memory.command.reshape(BLOCKS, -1)


def test_answers_come_through(reference, controlled):
    with Peer(make_schema(reference.robot)) as peer:
        memory = controlled(peer).after(8)
        assert (blocks(memory)[EFFORT] == 7).all()
        assert (memory.ticks, memory.link.count) == (8, 0)
        assert peer.greetings == 1


CAUSES = {
    "die": Cause.LOST,
    "hang_up": Cause.LOST,
    "half": Cause.LOST,
    "stall": Cause.SILENT,
    "trickle": Cause.SILENT,
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_leaves_a_hold_with_damping(reference, controlled, fault):
    """The last command, then joints held; after a fault that passes, back again."""
    with Peer(make_schema(reference.robot), {5: fault}) as peer:
        loop = controlled(peer)
        carried = loop.after(6)
        assert (blocks(carried)[EFFORT] == 4).all()
        assert carried.link.mode is Mode.CARRYING
        cause = CAUSES.get(fault, Cause.GARBLED)
        assert carried.link.failures[cause].count == 1

        held = loop.after(6 + round(CARRY / PERIOD))
        nq, nj = reference.robot.num_positions, reference.robot.num_joints
        assert held.link.mode is Mode.HOLDING
        assert not blocks(held)[EFFORT].any()
        posture = reference.table.q[0, nq - nj :]
        np.testing.assert_array_equal(blocks(held)[POSITION], posture)
        assert (blocks(held)[STIFFNESS] > 0).all()
        assert (blocks(held)[DAMPING] > 0).all()

        # There is an attempt to connect every 0.1 s, and a peer that stalls comes back.
        until, ticks = time.monotonic() + 5.0, 6 + round(CARRY / PERIOD)
        while fault != "die" and loop.after(ticks).link.mode is not Mode.TRACKING:
            assert time.monotonic() < until, loop.after(ticks).link
            time.sleep(0.005)
            ticks += 10
        told = in_words("remote", safety_metrics(loop.after(ticks).link, 1.0))
        assert f"x {cause} from 0.01 s" in told
        assert "holding for" in told
        assert peer.greetings == (1 if fault == "die" else 2)
        assert loop.link.sessions == peer.greetings


def test_a_robot_that_fell_is_not_stiffened(reference, controlled):
    """What damped it goes on, when the controller is lost and when another comes."""
    with Peer(make_schema(reference.robot), {5: "hang_up"}, falls=3) as peer:
        loop = controlled(peer)
        for ticks in (5, 6, 6 + round(CARRY / PERIOD), 12 + round(CARRY / PERIOD)):
            memory = loop.after(ticks)
            assert memory.fallen
            assert (blocks(memory)[EFFORT] == min(ticks - 1, 4)).all()
        peer.falls = np.inf
        until = time.monotonic() + 5.0
        while loop.after(ticks).link.mode is not Mode.TRACKING:
            assert time.monotonic() < until
            time.sleep(0.005)
            ticks += 10
        memory = loop.after(ticks + 10)
        assert memory.fallen
        assert (blocks(memory)[EFFORT] == 4).all()


def test_a_controller_that_never_answers_leaves_the_posture_at_the_start(
    reference, controlled
):
    with Peer(make_schema(reference.robot), {0: "die"}) as peer:
        held = controlled(peer).after(1 + round(CARRY / PERIOD))
        nj = reference.robot.num_joints
        assert held.link.mode is Mode.HOLDING
        posture = reference.table.q[0, -nj:]
        np.testing.assert_array_equal(blocks(held)[POSITION], posture)


def test_a_silent_controller_costs_its_time_once(reference, controlled):
    """While it is away nobody waits for it."""
    with Peer(make_schema(reference.robot), {5: "stall"}) as peer:
        loop = controlled(peer)
        loop.after(5)
        began = time.monotonic()
        loop.after(40)
        assert LIMIT < time.monotonic() - began < 3 * LIMIT + 0.5
        assert max(loop.system.tick_times) < LIMIT + 0.5


def test_plans_are_the_last_ones_heard_of(reference, controlled):
    with Peer(make_schema(reference.robot), {3: "die"}) as peer:
        loop = controlled(peer)
        loop.after(6)
        plans = RemotePlans(loop.link)
        context = plans.CreateDefaultContext()
        memory = AbstractValue.Make(loop.after(6))
        plans.GetInputPort("memory").FixValue(context, memory)
        assert plans.GetOutputPort("plan").Eval(context).durations.size == 2


def test_a_second_simulation_on_one_link_is_refused(reference, controlled):
    with Peer(make_schema(reference.robot)) as peer:
        loop = controlled(peer)
        loop.after(4)
        loop.begin().AdvanceTo(PERIOD / 2)
        with pytest.raises(BackbeatError, match="one simulation at a time"):
            loop.after(8)


@pytest.mark.parametrize("change", ["joints", "version"])
def test_a_controller_of_something_else_is_refused(reference, change):
    schema = make_schema(reference.robot)
    other = {
        "joints": replace(schema, joints=("other", *schema.joints[1:])),
        "version": replace(schema, version=9),
    }[change]
    with Peer(other) as peer:
        link = RemoteLink(peer.address, reference.behavior, SCENARIO)
        with pytest.raises(BackbeatError, match="is no controller of this Backbeat"):
            link.open()


def test_nobody_there_is_said(reference):
    with Peer(make_schema(reference.robot)) as peer:
        address = peer.address
    link = RemoteLink(address, reference.behavior, SCENARIO)
    with pytest.raises(
        BackbeatError, match=r"no controller answers at .* start `backbeat"
    ):
        link.open()
