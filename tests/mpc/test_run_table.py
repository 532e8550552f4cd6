"""The columns of a run that are worked out: physics and definitions."""

from dataclasses import replace

import numpy as np
import pytest

from backbeat.models.state.configuration import Configuration
from backbeat.mpc.disturbances.model_mismatch import model_mismatch
from backbeat.mpc.runs.balance import find_balance
from backbeat.mpc.runs.file import load_run, run_frame, save_run
from backbeat.mpc.runs.record import record_of
from backbeat.mpc.runs.table import AHEAD, WALL_TIMES
from backbeat.mpc.scenario.specification import Scenario
from tests.backbeat.performances import drumming, run_of, swaying
from tests.behaviors.drake_robot import DrakeRobot

# Columns that are worked out are stored in single precision.
SINGLE = 1e-6


@pytest.fixture(scope="module")
def run():
    return run_of(swaying(2.0))


def test_the_capture_point_leads_by_speed_over_frequency(run):
    """A body at 0.4 m/s comes to rest over c + v sqrt(z / g)."""
    robot = run.behavior.robot_model
    x = run.x.copy()
    x[:, robot.num_positions + 3] = 0.4  # pelvis forward, and all that hangs on it
    table = run_frame(replace(run, x=x))
    state = Configuration(robot, x[50, : robot.num_positions])
    height = state.center_of_mass[2] - state.pose("l_foot").translation()[2]
    lead = 0.4 * np.sqrt(height / robot.gravity)
    assert table["com.x"][50] == pytest.approx(state.center_of_mass[0], abs=SINGLE)
    assert table["com.vx"][50] == pytest.approx(0.4, abs=SINGLE)
    ahead = table["capture.x"][50] - table["com.x"][50]
    assert ahead == pytest.approx(lead, abs=1e-5)
    assert table["capture.y"][50] == pytest.approx(table["com.y"][50], abs=SINGLE)


def test_planned_wrenches_are_those_of_the_plan_in_the_world(run):
    """Half the weight under each sole, pressing 50 mm before its middle."""
    robot = run.behavior.robot_model
    wrench = np.zeros((12, 2, 6))
    wrench[:, :, 5], wrench[:, :, 1] = 0.5, -0.05 * 0.5
    plans = tuple(replace(plan, wrench=wrench) for plan in run.plans)
    table = run_frame(replace(run, plans=plans))
    state = Configuration(robot, run.behavior.motion.q[0])
    for name in ("l_foot", "r_foot"):
        row = {a: table[f"planned.{name}.{a}"][30] for a in ("fz", "tx", "ty", "fx")}
        assert row["fz"] == pytest.approx(0.5 * robot.weight, rel=1e-5)
        assert row["fx"] == pytest.approx(0.0, abs=1e-3)
        x, y, _ = state.pose(name).translation()
        assert -row["ty"] / row["fz"] == pytest.approx(x + 0.05, abs=1e-5)
        assert row["tx"] / row["fz"] == pytest.approx(y, abs=1e-5)


@pytest.mark.parametrize("delay", [0.0, 0.04])
def test_a_prediction_is_that_of_the_plan_in_force_before(run, delay):
    """Plans whose predicted place is their own number times a millimeter."""
    plans = tuple(
        replace(plan, com=np.full_like(plan.com, 1e-3 * k))
        for k, plan in enumerate(run.plans)
    )
    scenario = run.scenario.changed(world=model_mismatch(plan_delay=delay))
    table = run_frame(replace(run, plans=plans, scenario=scenario))
    made = np.array([plan.time for plan in plans]) + delay - run.scenario.timing.lead_in
    for k in (60, 120, 180):
        t = table["t"][k]
        in_force = np.searchsorted(made, t - AHEAD + 1e-9) - 1
        expected = pytest.approx(1e-3 * in_force, abs=SINGLE)
        assert table["predicted.com.x"][k] == expected
    # Nobody had planned so early.
    early = table["t"] + run.scenario.timing.lead_in < AHEAD - 1e-9
    assert table["predicted.com.x"][early].isna().all()
    assert early.sum() > 10


def test_an_estimated_state_is_kept_where_there_is_one(run):
    assert not any(n.startswith("sensed.") for n in run_frame(run))
    scenario = Scenario.of(behavior="sway", lead_in=0.2, state="estimated")
    table = run_frame(replace(run, scenario=scenario, sensed=run.x + 0.01))
    off = table["sensed.q.l_arm_elx"] - table["q.l_arm_elx"]
    assert off.to_numpy() == pytest.approx(0.01, abs=SINGLE)


def test_gravity_and_inertia_are_those_of_drake_where_they_are_asked_for(run):
    assert not any(n.startswith(("gravity.", "inertia.")) for n in run_frame(run))
    table = run_frame(replace(run, scenario=run.scenario.changed(log_dynamics=True)))
    robot = run.behavior.robot_model
    drake, nq = DrakeRobot(robot), robot.num_positions
    for k in (0, len(run.t) // 2, len(run.t) - 1):
        drake.set(run.x[k, :nq], run.x[k, nq:])
        tau = drake.gravity_forces()[robot.base_velocities :]
        M = drake.mass_matrix()[robot.base_velocities :, robot.base_velocities :]
        logged = [
            table[[f"{name}.{j}" for j in robot.joint_names]].iloc[k].to_numpy()
            for name in ("gravity", "inertia")
        ]
        assert logged[0] == pytest.approx(tau, rel=1e-5, abs=1e-4)
        assert logged[1] == pytest.approx(np.diag(M), rel=1e-5)
        assert np.abs(tau).max() > 10.0


def test_measured_columns_are_stored_to_the_last_bit(run, tmp_path):
    table, _ = load_run(save_run(run, tmp_path / "s.run.parquet", {}))
    assert np.array_equal(table["q.l_arm_elx"], run_frame(run)["q.l_arm_elx"])
    assert table["q.l_arm_elx"].dtype == np.float64
    assert set(WALL_TIMES) <= set(table.columns)


def test_margins_are_distances_to_the_edge_of_the_support(run):
    """Both feet, then the left one alone, then none."""
    contact = run.contact.copy()
    contact[50:, 1] = 0.0
    contact[100:, 0] = 0.0
    balance = find_balance(record_of(replace(run, contact=contact)))
    robot = run.behavior.robot_model
    state = Configuration(robot, run.x[0, : robot.num_positions])
    left, right = (state.pose(f"{s}_foot").translation() for s in "lr")
    patch = robot.contacts["l_foot"]
    x, y, _ = state.center_of_mass
    front = patch.half_length - abs(x - left[0])
    inner = y - (left[1] - patch.half_width)
    assert left[1] > right[1]
    assert inner < 0 < front
    # Arms that swing move the center of mass by millimeters.
    assert balance.com_margin[4] == pytest.approx(front, abs=0.01)
    assert balance.com_margin[20] == pytest.approx(inner, abs=0.01)
    assert np.isnan(balance.com_margin[30])
    assert [name for name, _ in balance.footprints] == ["l_foot", "r_foot"]


def test_a_robot_on_a_stand_has_no_balance():
    run = run_of(drumming(True, 0.5))
    assert "capture.x" not in run_frame(run)
    assert find_balance(record_of(run)) is None
