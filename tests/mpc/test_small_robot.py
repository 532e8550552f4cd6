"""The T1, of a fifth of Atlas's weight, on sensors and with motors that lag by 2 ms."""

import numpy as np
import pytest

from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.specification.kinds import Variant
from backbeat.mpc.analysis.kinematics import RunAnalysis
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.disturbances.model_mismatch import model_mismatch
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario
from tests.mpc.recovered import SOON, recovered

# Change of speed by a push [m/s].
SPEED = 0.4


def scenario(behavior, **more):
    return Scenario.of(
        behavior.name,
        state="estimated",
        actuator_lag=0.002,
        seed=6,
        world=model_mismatch(mass_spread=0.1),
        **more,
    )


@pytest.fixture(scope="module")
def t1(tmp_path_factory):
    library = Library(tmp_path_factory.mktemp("t1"))
    return lambda name: build(name, library, variant=Variant(robot="t1"))


def motion_under_load(run):
    """Farthest that a corner of a sole gets, in any direction, while it carries [m].

    A sole carries with a tenth of the weight. Steps begin and end without any.
    """
    reference = Reference(run.behavior)
    analysis = RunAnalysis(run, reference)
    rows = np.searchsorted(run.t, analysis.t)
    weight, farthest = 9.81 * reference.robot.total_mass, 0.0
    for c in reference.soles:
        carries = run.contact[rows, c, 5] > 0.1 * weight
        corners = analysis.corners[:, 4 * c : 4 * c + 4]
        starts = np.flatnonzero(carries & ~np.r_[False, carries[:-1]])
        for start in starts:
            still = np.argmin(np.r_[carries[start:], False])
            way = corners[start : start + still] - corners[start]
            farthest = max(farthest, float(np.linalg.norm(way, axis=2).max()))
    return farthest


@pytest.mark.parametrize(
    "angle",
    [90.0, *(pytest.param(a, marks=pytest.mark.slow) for a in (0.0, 180.0, 270.0))],
)
def test_feet_do_not_tip_under_a_push(t1, angle):
    """A push to a side puts the weight near the outer edge of a narrow sole.

    It may step, and after a push forward it does so from one place to another.
    """
    behavior, turn = t1("stand"), np.radians(angle)
    impulse = SPEED * behavior.robot_model.total_mass
    way = [float(impulse * np.cos(turn)), float(impulse * np.sin(turn)), 0.0]
    asked = scenario(
        behavior, lead_in=0.3, duration=0.65 + SOON, pushes=[Push(0.5, 0.1, way)]
    )
    run = run_scenario(asked, behavior)
    assert recovered(run)
    assert motion_under_load(run) < 0.01


@pytest.mark.slow
def test_raised_arms_hold_still_in_a_dance(t1):
    """It waves from 6 s on, and shoulder and elbow turn about one line."""
    behavior = t1("groove")
    metrics = run_metrics(run_scenario(scenario(behavior, duration=12.0), behavior))
    assert metrics["survived"]
    assert metrics["com_error_mm"]["rms"] < 2.0
    assert metrics["joint_error_deg"]["max"] < 5.0
