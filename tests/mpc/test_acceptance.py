"""Every behavior that ships, from start to end, on two contact models."""

import numpy as np
import pytest

from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario

pytestmark = pytest.mark.slow

CONTACT_MODELS = ("lagged", "sap")


@pytest.fixture(scope="module")
def whole_run(built):
    """`whole_run(name, contact_model)`: a run, and its metrics, made once."""
    found = {}

    def get(name, contact_model):
        key = (name, contact_model)
        if key not in found:
            scenario = Scenario.of(behavior=name, contact_model=contact_model)
            run = run_scenario(scenario, built(name))
            found[key] = run, run_metrics(run)
        return found[key]

    return get


@pytest.fixture(params=CONTACT_MODELS)
def metrics(request, whole_run):
    """`metrics(name)` are those of the whole behavior under one contact model."""
    return lambda name: whole_run(name, request.param)[1]


DRUMMING = ("outstanding", "outstanding-standing")
STANDING = ("stand", "posture-tour", "groove", "outstanding-standing")


@pytest.mark.parametrize("name", STANDING)
def test_the_robot_stands_to_the_end_and_keeps_its_balance(metrics, built, name):
    m = metrics(name)
    assert m["fell"] is False
    assert m["duration_s"] == pytest.approx(built(name).duration)
    assert m["com_error_mm"]["rms"] <= 10.0
    assert m["com_error_at_nominal_time_mm"]["rms"] <= 10.0
    assert m["foot_slip_mm"] <= 5.0
    assert m["tick_failures"] == m["plan_failures"] == 0
    assert m["torque_peak_fraction"] < 1.0


@pytest.mark.parametrize("name", DRUMMING)
def test_every_hit_is_made_in_time_and_in_place(metrics, built, name):
    hits = metrics(name)["hits"]
    assert hits["planned"] == len(built(name).strikes()) >= 60
    assert hits["made"] == hits["planned"]
    assert hits["missed"] == hits["extra"] == 0
    assert hits["timing_mean_ms"] <= 3.0
    assert hits["timing_sd_ms"] <= 3.0
    assert hits["position_max_mm"] <= 15.0
    assert hits["speed_min_m_s"] >= 1.0
    assert metrics(name)["fell"] is False


def test_the_dance_is_danced(metrics):
    m = metrics("groove")
    achieved = m["range"]["achieved"]
    assert achieved["com_m"][1] >= 0.12
    assert achieved["com_m"][2] >= 0.115
    assert achieved["widest_joint_rad"] >= 1.0
    assert abs(m["beat_error_ms"]["mean"]) <= 5.0
    assert m["torque_peak_fraction"] >= 0.4


def test_the_tour_goes_as_deep_as_it_says(metrics):
    ranges = metrics("posture-tour")["range"]
    for planned, done in zip(
        ranges["commanded"]["com_m"], ranges["achieved"]["com_m"], strict=True
    ):
        assert done == pytest.approx(planned, abs=0.01)


@pytest.mark.parametrize("contact_model", CONTACT_MODELS)
def test_a_whole_dance_is_the_same_twice(whole_run, built, contact_model):
    first, _ = whole_run("groove", contact_model)
    second = run_scenario(first.scenario, built("groove"))
    for name in ("x", "effort", "contact"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))


@pytest.mark.parametrize("name", STANDING)
def test_contact_models_agree(whole_run, name):
    """A behavior that needs one of them is not done."""
    ends = [whole_run(name, model)[0].x[-1, :7] for model in CONTACT_MODELS]
    np.testing.assert_allclose(*ends, atol=0.005)
