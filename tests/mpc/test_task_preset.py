"""The preset of QPControl's tasks: its numbers, its laws by hand, and what it does."""

from dataclasses import replace

import numpy as np
import pytest
from pydrake.common.eigen_geometry import AngleAxis
from pydrake.math import RollPitchYaw, RotationMatrix

from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.store import Library
from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.predictive.program import PredictiveProgram
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.runs.table import run_frame
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.diagram import build_closed_loop
from backbeat.mpc.simulation.simulate import run_scenario
from backbeat.mpc.weights.controller_weights import ControllerWeights
from backbeat.mpc.weights.files import load_weights
from backbeat.mpc.whole_body.core import WholeBodyCore
from backbeat.mpc.whole_body.programs.momentum import (
    WholeBodyProgram,
    make_whole_body_program,
)
from backbeat.mpc.whole_body.programs.own_tasks import AccelerationTask
from backbeat.mpc.whole_body.programs.tasks import (
    FORCE,
    ORIENTATION,
    POSTURE,
    WholeBodyGains,
)
from backbeat.mpc.whole_body.tick_explanation import explain_tick
from tests.mpc.whole_body_cases import FEET, Stance
from tests.tolerances import EXACT, HARD_TASK, QP_RESIDUAL, RECURSION, STANDING_STILL

NAME = "momentum"
CRITICAL = 2 * np.sqrt(10)


def preset_weights():
    return ControllerWeights().changed(load_weights(NAME), NAME)


class Standing(Stance):
    """Atlas near a posture, and the program of the preset."""

    def __init__(self, seed=0, spread=0.02, speed=0.1, posture="stand", **gains):
        super().__init__(seed, spread, speed, posture=posture)
        weights = preset_weights()
        own = replace(weights.whole_body, **gains)
        self.program = make_whole_body_program(
            self.robot, FEET, (), (own, weights.stance)
        )
        target, found = self.target, self.program.make_target()
        for name in ("com", "R_base", "joints", "contact", "R_contact", "wrench"):
            getattr(found, name)[:] = getattr(target, name)
        self.target = found

    def solve(self):
        return self.program.solve(self.q, self.v, self.target)

    def wanted(self, task):
        """Desired values of the rows of a task, after a solve."""
        rows = self.program.workspace.rows
        of = rows.task[: rows.used[0], 0] == task
        return rows.wanted[: rows.used[0]][of]


def stepping(**gains):
    stance = Standing(1, **gains)
    stance.target.standing[:] = [False, True]
    stance.target.com[0, :2] = stance.drake.pose("r_foot").translation()[:2]
    stance.target.contact[0] += [0.05, 0.0, 0.08]
    tilt = RollPitchYaw(-0.01, 0.02, 0.0).ToRotationMatrix().matrix()
    stance.target.R_contact[0] = tilt
    stance.target.contact_motion[0, 0] = [0.0, 0.2, 0.0, 0.3, 0.0, 0.4]
    stance.target.contact_motion[1, 0] = [1.0, 0.0, 0.0, 2.0, 0.0, -3.0]
    return stance


def lifted():
    """More than the knees can do."""
    stance = Standing(0, posture="crouch")
    stance.target.com[2] = [0.0, 0.0, 45.0]
    return stance


# --- the numbers ---------------------------------------------------------------------


def test_the_weights_and_gains_are_those_of_the_table():
    """Feet 10; standing 0 / 15 in rotation, 0 / 0 in place; the rest critical."""
    g = preset_weights().whole_body
    assert (g.contact_weight, g.swing_weight) == (10, 10)
    assert g.contact_flatness == 0
    assert [x * g.contact_damping for x in g.contact_axes] == [15, 0]
    assert (g.swing_stiffness, g.swing_damping) == (100, 2 * np.sqrt(100))
    assert (g.force_weight, g.com_stiffness, g.com_damping) == (1, 10, CRITICAL)
    stiffness = g.orientation_stiffness * np.array(g.orientation_axes)
    damping = g.orientation_damping * np.sqrt(g.orientation_axes)
    assert (g.orientation_weight, g.trunk_share) == (10, 0)
    np.testing.assert_array_equal(stiffness, [100, 100, 50])
    np.testing.assert_allclose(damping, 2 * np.sqrt([100, 100, 50]), rtol=EXACT)
    assert g.posture_weight == 10
    assert (g.posture_stiffness, g.posture_damping) == (100, 2 * np.sqrt(100))
    assert g.posture_feedforward == 0
    assert not g.eliminate_limbs
    assert (g.linear_weight, g.momentum_weight) == (0, 0)


def test_an_explanation_lists_them(built):
    reference = Reference(built("stand"))
    weights = preset_weights()
    program = make_whole_body_program(
        reference.robot,
        reference.patches,
        reference.points,
        (weights.whole_body, weights.stance),
    )
    tick = WholeBodyCore(program, reference)
    plan = PredictiveProgram(reference).rest(0.0, 0.0)
    found = explain_tick(tick, 0.0, reference.table.q[0], reference.table.v[0], plan)
    weights = {task.name: task.weight for task in found.tasks}
    assert weights == {
        "rest of l_foot": 10,
        "rest of r_foot": 10,
        "rate of linear momentum": 1,
        "orientation of pelvis": 10,
        "posture": 10,
        "wrenches as planned": 1,
    }
    assert "rate of linear momentum (weight 1): off by" in str(found)
    assert any(limit.name.startswith("torque of") for limit in found.limits)


# --- the laws ------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [3, 4])
def test_the_law_of_the_center_of_mass_by_hand(seed):
    """Momentum is asked for as mass times that."""
    stance = Standing(seed)
    stance.target.com[1:] = [[0.0, 0.2, -0.1], [0.3, 0.0, 0.5]]
    m = stance.robot.total_mass
    stance.solve()
    velocity = stance.drake.momentum()[3:] / m
    error = stance.target.com[0] - stance.drake.center_of_mass()
    by_hand = stance.target.com[2] + 10 * error
    by_hand = m * (by_hand + CRITICAL * (stance.target.com[1] - velocity))
    np.testing.assert_allclose(stance.wanted(FORCE), by_hand, rtol=1e-9, atol=1e-9 * m)


def test_what_is_wanted_of_momentum_is_its_rate_but_for_other_tasks():
    """With by far the largest weight it is what the robot does."""
    stance = Standing(3)
    solution = stance.solve()
    got = stance.drake.center_of_mass_acceleration(solution.vdot)
    wanted = stance.wanted(FORCE) / stance.robot.total_mass
    assert np.linalg.norm(got - wanted) < 0.02 * np.linalg.norm(wanted)


def test_errors_of_the_center_of_mass_decay_with_its_poles():
    """Both at -sqrt(10): e(t) = e0 (1 + w t) exp(-w t)."""
    gains, w, dt = preset_weights().whole_body, np.sqrt(10), 1e-4
    x, u = np.array([0.1, -0.2, 0.05]), np.zeros(3)
    start = x.copy()
    for _ in range(10_000):
        u += dt * (-gains.com_stiffness * x - gains.com_damping * u)
        x += dt * u
    expected = start * (1 + w) * np.exp(-w)
    assert np.abs(x - expected).max() < 5 * dt * np.abs(start).max()


def turned(stance, R, omega, R_d):
    """(3,) what the pelvis shall do about its own axes at R, to get to R_d."""
    quaternion = RotationMatrix(R).ToQuaternion()
    stance.q[:4] = quaternion.wxyz()
    stance.v[:3] = omega
    stance.target.R_base[:] = R_d
    stance.solve()
    return R.T @ stance.wanted(ORIENTATION)[:3]


def test_the_law_of_the_pelvis_by_hand():
    """A quarter turn about its own z, which is softer, whatever it leans like."""
    stance = Standing()
    R_d = RollPitchYaw(0.3, -0.2, 1.0).ToRotationMatrix().matrix()
    quarter = RotationMatrix.MakeZRotation(np.pi / 2).matrix()
    found = turned(stance, R_d @ quarter.T, np.zeros(3), R_d)
    assert found == pytest.approx([0, 0, 50 * np.pi / 2], abs=1e-9)
    omega_B = np.array([0.1, 0.2, 0.3])
    found = turned(stance, R_d, R_d @ omega_B, R_d)
    assert found == pytest.approx(-2 * np.sqrt([100, 100, 50]) * omega_B)
    stance.target.base[:] = [[0.0, 0.2, 0.0], [1.0, 2.0, 3.0]]
    found = turned(stance, R_d, np.zeros(3), R_d)
    damped = 2 * np.sqrt([100, 100, 50]) * (R_d.T @ [0.0, 0.2, 0.0])
    assert found == pytest.approx(R_d.T @ [1.0, 2.0, 3.0] + damped)


@pytest.mark.parametrize("degrees", [90, 170, 190, 350])
def test_a_rotation_goes_the_short_way_and_decays(degrees):
    stance, dt = Standing(), 4e-3
    axis = np.array([1.0, 2.0, -1.0]) / np.sqrt(6)
    R = RotationMatrix(AngleAxis(np.radians(degrees), axis)).matrix()
    omega = np.zeros(3)
    first = min(degrees, 360 - degrees)
    angles = []
    for _ in range(750):
        alpha = turned(stance, R, omega, np.eye(3))
        omega = omega + dt * (R @ alpha)
        turn = np.linalg.norm(omega) * dt
        step = AngleAxis(turn, omega / max(np.linalg.norm(omega), 1e-12))
        R = RotationMatrix(step).matrix() @ R
        R = RotationMatrix.ProjectToRotationMatrix(R).matrix()
        angles.append(np.degrees(np.arccos(np.clip((np.trace(R) - 1) / 2, -1, 1))))
    assert max(angles) <= first + 1e-6
    assert np.diff(angles).max() < 0.01
    assert angles[-1] < 1e-3 * first


def test_joints_have_no_velocity_to_follow():
    stance, moving = Standing(2), Standing(2)
    moving.target.joints[1:] = 3.0
    np.testing.assert_array_equal(stance.solve().tau, moving.solve().tau)
    error = stance.target.joints[0] - stance.q[7:]
    by_hand = 100 * error - 20 * stance.v[6:]
    legs = stance.robot.leg_joints
    rest = np.setdiff1d(np.arange(stance.robot.num_joints), legs)
    np.testing.assert_allclose(stance.wanted(POSTURE), by_hand[rest])


# --- the program ---------------------------------------------------------------------


@pytest.mark.parametrize("make", [Standing, stepping, lifted])
def test_torques_make_the_accelerations_within_their_limits(make):
    stance = make()
    solution = stance.solve()
    assert solution.is_solved
    total = stance.drake.inverse_dynamics(solution.vdot)
    for name, w in zip(FEET, solution.wrench, strict=True):
        total -= stance.drake.jacobian(name).T @ stance.wrench(name, w)
    assert np.abs(total[:6]).max() < RECURSION * stance.robot.weight
    size = np.abs(solution.tau).max()
    assert np.abs(total[6:] - solution.tau).max() < RECURSION * size
    excess = np.abs(solution.tau) - stance.robot.effort_limits
    assert excess.max() < QP_RESIDUAL
    assert (make is lifted) == (excess.max() > -QP_RESIDUAL)


def test_a_swinging_foot_follows_its_path_the_closer_the_more_it_weighs():
    errors = []
    for factor in (1.0, 100.0, 1e4):
        stance = stepping(swing_weight=factor * 10)
        solution = stance.solve()
        got = stance.drake.jacobian("l_foot") @ solution.vdot
        got += stance.drake.bias_acceleration("l_foot")
        wanted = stance.wanted_motion(0, got[:3])
        errors.append(np.linalg.norm(got[3:] - wanted) / np.linalg.norm(wanted))
        assert np.abs(solution.wrench[0]).max() < EXACT
        assert np.abs(solution.swing_slack).max() < EXACT
    assert errors[0] > 2 * errors[1] > 4 * errors[2]
    assert errors[2] < 0.01


def test_a_task_without_a_weight_holds_exactly():
    stance = Standing(4)
    elbow = stance.robot.joint_index("l_arm_elx")
    row = np.zeros((1, 36))
    row[0, 6 + elbow] = 1.0
    task = AccelerationTask("elbow", lambda now: (row, np.zeros(1)))
    before = stance.solve().vdot[6 + elbow]
    stance.program.add(task)
    for wanted in (before + 5.0, before - 5.0):
        task.set_desired(np.array([wanted]))
        assert abs(stance.solve().vdot[6 + elbow] - wanted) < HARD_TASK
    task.set_desired(None)
    assert stance.solve().vdot[6 + elbow] == pytest.approx(before, abs=1e-6)


def test_tasks_that_disagree_get_their_weighted_mean():
    """Nothing else wants anything of the neck, whose inertia is its own affair."""
    weights = [name for name in vars(WholeBodyGains()) if name.endswith("_weight")]
    stance = Standing(5, **dict.fromkeys(weights, 0.0) | {"wrench_weight": 1.0})
    neck, program = stance.robot.joint_index("neck_ay"), stance.program
    rows = np.eye(36)
    _want(program, rows, np.zeros(36), 1e-9)
    for wanted, weight in ((3.0, 1.0), (-1.0, 3.0)):
        _want(program, rows[6 + neck : 7 + neck], np.array([wanted]), weight)
    found = stance.solve()
    # Their sum weighs 4, and what holds the rest together weighs 1e-9 beside it.
    assert found.vdot[6 + neck] == pytest.approx((3.0 - 3.0) / 4.0, abs=1e-5)


def _want(program, J, desired, weight):
    zero = np.zeros(len(J))
    program.add(AccelerationTask("", lambda now: (J, zero), desired=desired), weight)


@pytest.mark.parametrize("weight", [0.0, -1.0])
def test_a_weight_is_more_than_nothing(weight):
    program = Standing().program
    with pytest.raises(BackbeatError, match="a weight is > 0"):
        program.add(AccelerationTask("idle", lambda now: (None, None)), weight)


def test_presets_are_looked_up_and_lie_beneath_what_is_given():
    with pytest.raises(BackbeatError, match="did you mean momentum"):
        Scenario.of(behavior="stand", preset="momentm").check()
    told = {"whole_body": {"swing": 3.0}}
    scenario = Scenario.of(behavior="stand", preset=NAME).with_weights(told).check()
    weights = scenario.control.on_weights(None)
    preset = preset_weights()
    assert weights.whole_body == replace(preset.whole_body, swing_weight=3.0)
    assert scenario.to_dict()["preset"] == NAME
    usual = Scenario.of(behavior="stand").check().control.on_weights(None)
    assert usual == ControllerWeights()


# --- in closed loop ------------------------------------------------------------------


def test_it_stands_in_closed_loop(built):
    scenario = Scenario.of(behavior="stand", lead_in=0.1, duration=0.3, preset=NAME)
    loop = build_closed_loop(built("stand"), scenario)
    program = loop.whole_body.core.program
    assert type(program) is WholeBodyProgram
    assert program.gains_for(program.make_target()) == preset_weights().whole_body
    run = run_scenario(scenario, built("stand"))
    assert not run.fell
    assert run.tick_safety.count == 0


@pytest.mark.slow
def test_ten_seconds_of_standing_end_at_rest(built):
    """On SAP; where friction is regularized, soles creep."""
    scenario = Scenario.of(
        behavior="stand", lead_in=1.0, duration=9.0, lead_out=0.0, preset=NAME
    )
    run = run_scenario(scenario.changed(contact_model="sap"), built("stand"))
    assert run.tick_safety.count == 0
    assert np.linalg.norm(run.x[-1, 37:]) <= STANDING_STILL


WALK = """\
kind: footsteps
name: long-walk
summary: Nine steps.
arm_swing: 1.0
steps:
  - {feet: both, time: 1.0}
  - {feet: right, time: 0.8, to: [0.2, 0.0], clearance: 0.07}
  - {feet: both, time: 0.6}
STRIDES  - {feet: right, time: 0.8, to: [0.2, 0.0], clearance: 0.07}
  - {feet: both, time: 5.0}
"""
STRIDES = """\
  - {feet: left, time: 0.8, to: [0.4, 0.0], clearance: 0.07}
  - {feet: both, time: 0.6}
  - {feet: right, time: 0.8, to: [0.4, 0.0], clearance: 0.07}
  - {feet: both, time: 0.6}
"""


@pytest.mark.slow
@pytest.mark.parametrize("contact_model", ["lagged", "sap"])
def test_eighteen_seconds_of_walking(tmp_path, contact_model):
    strides = 3 * STRIDES + "".join(STRIDES.splitlines(keepends=True)[:2])
    path = tmp_path / "long-walk.yaml"
    path.write_text(WALK.replace("STRIDES", strides))
    behavior = build(str(path), Library(tmp_path / "library"))
    scenario = Scenario.of(
        behavior="long-walk", lead_out=0.0, contact_model=contact_model, preset=NAME
    )
    run = run_scenario(scenario, behavior)
    assert not run.fell
    assert run.t[-1] == pytest.approx(18.0, abs=0.01)
    table = run_frame(run)
    assert table["com.x"].iloc[-1] > 1.5
    assert table["com.z"].min() > 0.7
    # The divergent component of motion leaves a foot and comes to rest with it.
    ahead = (table["capture.x"] - table["com.x"]).to_numpy()
    assert ahead.max() > 0.05
    assert abs(ahead[-1]) < 1e-3
