"""What counts as a fall: states set by hand, before anything touches."""

import numpy as np
import pytest
from pydrake.math import RollPitchYaw

from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.disturbances.kinds import push as bounds
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.diagram import build_closed_loop
from backbeat.mpc.simulation.simulate import run_scenario
from backbeat.mpc.world.fall import RUNAWAY, has_fallen


@pytest.fixture(scope="module")
def loop(built):
    return build_closed_loop(built("stand"), Scenario.of(behavior="stand"))


@pytest.fixture
def fallen(loop):
    """`fallen(height, roll, pitch)`: whether Atlas so held has fallen."""

    def judge(height=1.0, roll=0.0, pitch=0.0, yaw=0.0):
        context = loop.make_context()
        plant = loop.world.plant
        own = plant.GetMyMutableContextFromRoot(context)
        q = plant.GetPositions(own)
        q[:4] = RollPitchYaw(*np.radians([roll, pitch, yaw])).ToQuaternion().wxyz()
        q[6] *= height
        plant.SetPositions(own, q)
        return has_fallen(loop, context, 0.0)

    return judge


@pytest.mark.parametrize(
    "held",
    [{}, {"height": 1.5}, {"height": 0.75}, {"roll": 50}, {"pitch": -50}, {"yaw": 170}],
)
def test_who_stands_leans_or_turns_has_not_fallen(fallen, held):
    assert not fallen(**held)


@pytest.mark.parametrize(
    "held", [{"height": 0.65}, {"roll": 70}, {"pitch": -70}, {"pitch": 170}]
)
def test_who_is_low_or_tilted_has_fallen(fallen, held):
    assert fallen(**held)


def test_a_state_that_is_no_number_is_a_fall(loop):
    context = loop.make_context()
    plant = loop.world.plant
    own = plant.GetMyMutableContextFromRoot(context)
    own.SetDiscreteState(np.full(plant.num_multibody_states(), np.nan))
    assert has_fallen(loop, context, 0.0)


def test_who_sits_on_a_chair_does_not_fall(built):
    """Not on its chair, but on the floor beside it."""
    loop = build_closed_loop(built("outstanding"), Scenario.of(behavior="outstanding"))
    context = loop.make_context()
    assert not has_fallen(loop, context, 0.0)
    plant = loop.world.plant
    own = plant.GetMyMutableContextFromRoot(context)
    q = plant.GetPositions(own)
    q[4], q[6] = q[4] + 1.0, 0.4
    plant.SetPositions(own, q)
    assert has_fallen(loop, context, 0.0)


def test_who_runs_away_has_fallen(built, monkeypatch):
    """Drake's solver gives up; a run is what was there before."""
    monkeypatch.setattr(bounds, "MOST_IMPULSE", np.inf)
    monkeypatch.setattr(bounds, "MOST_FORCE", np.inf)
    push = Push(0.05, 0.1, [1e8, 0.0, 0.0])
    settings = Scenario.of("stand", lead_in=0.0, duration=1.0, pushes=[push])
    run = run_scenario(settings, built("stand"))
    assert 0.05 < run.fell_at < 0.1
    assert np.abs(run.x).max() < RUNAWAY
    assert run_metrics(run)["survived"] is False
