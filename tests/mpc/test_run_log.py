"""What a long run notes is moved to files, and is the same as if it were not."""

import resource

import numpy as np
import pytest
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder
from pydrake.systems.primitives import LogVectorOutput, Sine

from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.predictive.plan_message import pack
from backbeat.mpc.predictive.program import PredictiveProgram
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation import run_log
from backbeat.mpc.simulation.run_log import RunLog
from backbeat.mpc.simulation.running_loop import RunningLoop

PERIOD = 0.02


@pytest.fixture(scope="module")
def plan(groove):
    return PredictiveProgram(groove).rest(0.0, 0.0)


def simulated():
    """A simulator, and what it logs at 200 and at 1000 samples a second."""
    builder = DiagramBuilder()
    port = builder.AddSystem(Sine(1.0, 3.0, 0.1, 2)).get_output_port(0)
    sinks = {f"{p}": LogVectorOutput(port, builder, p) for p in (0.005, 0.001)}
    return Simulator(builder.Build()), sinks


@pytest.mark.parametrize("in_memory", [run_log.IN_MEMORY, 100])
def test_samples_are_those_of_the_sinks(plan, monkeypatch, in_memory):
    monkeypatch.setattr(run_log, "IN_MEMORY", in_memory)
    (moved, sinks), (left, others) = simulated(), simulated()
    log = RunLog(sinks)
    for k in range(1, 131):
        moved.AdvanceTo(k * PERIOD)
        log.add(plan, moved.get_context())
        if k == 70:
            # A look in between takes nothing away.
            log.samples("0.005", moved.get_context())
    left.AdvanceTo(130 * PERIOD)
    for name, sink in others.items():
        whole = sink.FindLog(left.get_context())
        t, rows = log.samples(name, moved.get_context())
        np.testing.assert_array_equal(t, whole.sample_times())
        np.testing.assert_array_equal(rows, whole.data().T)
    found = log.plans()
    assert len(found) == log.num_plans == 130
    assert {pack(p) for p in found} == {pack(plan)}
    log.close()


def test_a_run_that_finds_no_room_says_so(groove, monkeypatch):
    monkeypatch.setattr(run_log, "IN_MEMORY", 100)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with RunningLoop(groove.behavior, Scenario.of(behavior="groove")) as running:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
        try:
            with pytest.raises(BackbeatError, match=r"TMPDIR"):
                running.advance(0.1)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
