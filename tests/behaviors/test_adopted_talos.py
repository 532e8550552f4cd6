"""Talos as adopted from its URDF in example-robot-data, with nothing by hand.

It does what ships on sensors with noise and delay, with motors that lag by 2 ms and
masses that are off by up to a tenth.
"""

import numpy as np
import pytest

from backbeat.behaviors.adoption.adopting import adopt
from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.specification.kinds import Variant
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.disturbances.model_mismatch import model_mismatch
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario
from tests.behaviors.test_other_robots import ROBOTS

pytestmark = pytest.mark.slow

# Change of speed by a push [m/s].
SPEED = 0.4


@pytest.fixture(scope="module")
def talos(tmp_path_factory):
    """`talos(name)` is a shipped behavior on Talos."""
    folder = tmp_path_factory.mktemp("talos")
    path, library = folder / "talos.yaml", Library(folder / "library")
    model = ROBOTS / "talos_data" / "robots" / "talos_full_v2.urdf"
    path.write_text(adopt(model, path).text)
    return lambda name: build(name, library, variant=Variant(robot=str(path)))


def tracked(behavior, **more):
    scenario = Scenario.of(
        behavior.name,
        state="estimated",
        actuator_lag=0.002,
        seed=6,
        world=model_mismatch(mass_spread=0.1),
        **more,
    )
    return run_metrics(run_scenario(scenario, behavior))


@pytest.mark.parametrize(
    "name", ["stand", "bow", "deep-squat", "march", "walk-6", "groove"]
)
def test_a_shipped_behavior_is_built_and_tracked(talos, name):
    behavior = talos(name)
    assert behavior.certificate.passed
    metrics = tracked(behavior)
    assert metrics["survived"]
    assert metrics["com_error_mm"]["rms"] < 3.0


@pytest.mark.parametrize("angle", [0.0, 90.0, 180.0, 270.0])
def test_it_stands_pushes(talos, angle):
    behavior, turn = talos("stand"), np.radians(angle)
    impulse = SPEED * behavior.robot_model.total_mass
    way = [float(impulse * np.cos(turn)), float(impulse * np.sin(turn)), 0.0]
    metrics = tracked(behavior, duration=5.0, pushes=[Push(0.5, 0.1, way)])
    assert metrics["survived"]
