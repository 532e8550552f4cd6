"""Lost ticks: as many as was said, the seed says which, and the command goes on."""

import itertools

import numpy as np
import pytest

from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.disturbances.model_mismatch import model_mismatch
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.running_loop import RunningLoop
from backbeat.mpc.simulation.simulate import run_scenario


def lost(count, seed=0, **world):
    error = model_mismatch(**world)
    return np.array([error.loses_tick(k, seed) for k in range(count)])


def test_as_many_are_lost_as_was_said_and_the_seed_says_which():
    one, two = (lost(3000, seed, tick_loss=0.3) for seed in (0, 1))
    assert one.mean() == pytest.approx(0.3, abs=0.03)
    assert (one & two).mean() == pytest.approx(0.09, abs=0.02)
    assert (one == lost(3000, 0, tick_loss=0.3)).all()
    assert not lost(100).any()
    assert not lost(1, tick_loss=1.0).any()
    assert lost(100, tick_loss=1.0)[1:].all()


def test_ticks_of_a_burst_are_lost_together():
    found = lost(30_000, tick_loss=0.3, tick_burst=10)
    groups = found[10:].reshape(-1, 10)
    assert (groups == groups[:, :1]).all()
    assert found.mean() == pytest.approx(0.3, abs=0.03)


@pytest.mark.parametrize(
    ("world", "told"),
    [({"tick_loss": 1.5}, "tick_loss is 1.5"), ({"tick_burst": 0}, "tick_burst is 0")],
)
def test_a_loss_that_makes_no_sense_is_refused(world, told):
    with pytest.raises(BackbeatError, match=told):
        Scenario.of(behavior="stand", world=model_mismatch(**world)).check()


def test_in_a_lost_tick_the_command_in_force_goes_on(built):
    world = model_mismatch(tick_loss=0.5, tick_burst=3)
    scenario = Scenario.of(behavior="stand", lead_in=0.1, duration=0.1, world=world)
    with RunningLoop(built("stand"), scenario) as running:
        system = running.loop.whole_body
        port, seen = system.GetOutputPort("memory"), []
        for _ in range(80):
            running.advance(scenario.timing.tick_period)
            seen.append(port.Eval(system.GetMyContextFromRoot(running.context)))
    pairs = list(itertools.pairwise(seen))
    # Around a plan a step of the simulation may have two ticks, or none.
    single = [(a, b) for a, b in pairs if b.ticks + b.lost == a.ticks + a.lost + 1]
    assert len(single) > 50
    for before, after in single:
        number = after.ticks + after.lost - 1
        is_lost = world.loses_tick(number, scenario.seed)
        assert after.lost - before.lost == is_lost
        assert (after.command == before.command).all() == is_lost


def test_a_run_counts_the_ticks_that_were_lost(built):
    world = model_mismatch(tick_loss=0.4)
    scenario = Scenario.of(behavior="stand", lead_in=0.1, duration=0.3, world=world)
    run = run_scenario(scenario, built("stand"))
    metrics, made = run_metrics(run), len(run.tick_ms)
    due = made + metrics["ticks_lost"]
    assert due == pytest.approx(
        (run.t[-1] - run.t[0]) / scenario.timing.tick_period, abs=2
    )
    assert metrics["ticks_lost"] == sum(world.loses_tick(k, 0) for k in range(due))
    assert 0.2 < metrics["ticks_lost"] / due < 0.6
    assert not run.fell
