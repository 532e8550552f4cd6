"""The preset of tasks: its numbers, its laws by hand, its torques, and what it does."""

from dataclasses import replace

import numpy as np
import pytest
from pydrake.common.eigen_geometry import AngleAxis
from pydrake.math import RollPitchYaw, RotationMatrix

from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.behavior import Mount, make_robot
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.posture.stance import start_configuration
from backbeat.models.common.errors import BackbeatError
from backbeat.models.dynamics.rotations import box_plus
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.predictive.program import PredictiveProgram
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.runs.table import run_frame
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.diagram import build_closed_loop
from backbeat.mpc.simulation.simulate import run_scenario
from backbeat.mpc.whole_body.core import WholeBodyCore
from backbeat.mpc.whole_body.programs.acceleration import (
    AccelerationProgram,
    AccelerationTask,
)
from backbeat.mpc.whole_body.programs.momentum import WholeBodyProgram
from backbeat.mpc.whole_body.programs.preset import (
    PresetProgram,
    angular_acceleration,
    com_acceleration,
    make_whole_body_program,
)
from backbeat.mpc.whole_body.programs.task_preset import load_preset, preset_names
from backbeat.mpc.whole_body.tick_explanation import explain_tick
from tests.behaviors.drake_robot import DrakeRobot
from tests.tolerances import EXACT, HARD_TASK, QP_RESIDUAL, RECURSION, STANDING_STILL

FEET = ("l_foot", "r_foot")
NAME = "momentum"


class Standing:
    """Atlas near a posture, its preset program, and Drake's plant of it."""

    def __init__(self, seed=0, spread=0.02, speed=0.1, posture="stand"):
        self.robot = make_robot("atlas", (), Mount())
        self.program = PresetProgram(self.robot, FEET, load_preset(NAME))
        self.drake = DrakeRobot(self.robot)
        rest = start_configuration(self.robot, posture)
        rng, nv = np.random.default_rng(seed), self.robot.num_velocities
        self.q = np.zeros_like(rest)
        box_plus(rest, spread * rng.normal(size=nv), 1.0, True, self.q)
        self.v = speed * rng.normal(size=nv)
        self.drake.set(self.q, self.v)
        state, target = Configuration(self.robot, rest), self.program.make_target()
        target.com[0] = state.center_of_mass
        target.R_base[:] = state.pose(self.robot.base_name).rotation().matrix()
        target.joints[0] = rest[7:]
        for c, name in enumerate(FEET):
            target.contact[c] = state.pose(name).translation()
            target.R_contact[c] = state.pose(name).rotation().matrix()
            target.wrench[c, 5] = 0.5
        self.target = target

    def solve(self):
        return self.program.solve(self.q, self.v, self.target)

    def wrench(self, name, local):
        """(6,) wrench in world axes of one in patch axes [weights]."""
        R = self.drake.pose(name).rotation().matrix()
        return self.robot.weight * np.r_[R @ local[:3], R @ local[3:]]


def stepping():
    stance = Standing(1)
    stance.target.standing[:] = [False, True]
    stance.target.com[0, :2] = stance.drake.pose("r_foot").translation()[:2]
    stance.target.contact[0] += [0.05, 0.0, 0.08]
    stance.target.contact_motion[0, 0] = [0.0, 0.2, 0.0, 0.3, 0.0, 0.4]
    stance.target.contact_motion[1, 0] = [1.0, 0.0, 0.0, 2.0, 0.0, -3.0]
    return stance


def lifted():
    """More than the knees can do."""
    stance = Standing(0, posture="crouch")
    stance.target.com[2] = [0.0, 0.0, 45.0]
    return stance


# --- the numbers ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("task", "weight", "kind", "stiffness", "damping"),
    [
        ("stance", 10, "rotation", 0, 15),
        ("stance", 10, "translation", 0, 0),
        ("swing", 10, "rotation", 100, 2 * np.sqrt(100)),
        ("swing", 10, "translation", 100, 2 * np.sqrt(100)),
        ("momentum", 1, "translation", 10, 2 * np.sqrt(10)),
        ("pelvis", 10, "rotation", (100, 100, 50), 2 * np.sqrt((100, 100, 50))),
        ("joints", 10, "translation", 100, 2 * np.sqrt(100)),
    ],
)
def test_the_weights_and_gains_are_those_of_the_table(
    task, weight, kind, stiffness, damping
):
    gains = getattr(load_preset(NAME), task)
    assert gains.weight == weight
    kp, kd = getattr(gains, kind)()
    np.testing.assert_array_equal(kp, np.broadcast_to(stiffness, 3))
    np.testing.assert_array_equal(kd, np.broadcast_to(damping, 3))


def test_an_explanation_lists_them(built):
    reference = Reference(built("stand"))
    program = make_whole_body_program(
        reference.robot, reference.patches, reference.points, NAME
    )
    tick = WholeBodyCore(program, reference)
    plan = _rest_plan(reference)
    found = explain_tick(tick, 0.0, reference.table.q[0], reference.table.v[0], plan)
    weights = {task.name: task.weight for task in found.tasks}
    assert weights == {
        "foot l_foot": 10,
        "foot r_foot": 10,
        "linear momentum": 1,
        "pelvis": 10,
        "joints": 10,
    }
    assert "linear momentum (weight 1): off by" in str(found)


def _rest_plan(reference):
    return PredictiveProgram(reference).rest(0.0, 0.0)


# --- the laws ------------------------------------------------------------------------


def test_the_law_of_the_center_of_mass_by_hand():
    gains = load_preset(NAME).momentum
    target = np.array([[0.1, 0.0, 1.0], [0.0, 0.2, 0.0], [0.0, 0.0, 0.5]])
    com, velocity = np.array([0.0, 0.3, 1.1]), np.array([0.1, 0.0, 0.2])
    kd = 2 * np.sqrt(10)
    by_hand = [10 * 0.1 - kd * 0.1, -10 * 0.3 + kd * 0.2, 0.5 - 10 * 0.1 - kd * 0.2]
    assert com_acceleration(target, com, velocity, gains) == pytest.approx(by_hand)


def test_momentum_is_asked_for_as_mass_times_that():
    stance = Standing(3)
    m = stance.robot.total_mass
    stance.solve()
    found = {t.name: t for t in stance.program.program.tasks}["linear momentum"]
    velocity = stance.drake.momentum()[3:] / m
    error = stance.target.com[0] - stance.drake.center_of_mass()
    wanted = m * (10 * error - 2 * np.sqrt(10) * velocity)
    np.testing.assert_allclose(found.desired, wanted, rtol=1e-9, atol=1e-9 * m)


def test_errors_of_the_center_of_mass_decay_with_its_poles():
    """Both at -sqrt(10): e(t) = e0 (1 + w t) exp(-w t)."""
    gains, w, dt = load_preset(NAME).momentum, np.sqrt(10), 1e-4
    x, u = np.array([0.1, -0.2, 0.05]), np.zeros(3)
    start = x.copy()
    for _ in range(10_000):
        u += dt * com_acceleration(np.zeros((3, 3)), x, u, gains)
        x += dt * u
    expected = start * (1 + w) * np.exp(-w)
    assert np.abs(x - expected).max() < 5 * dt * np.abs(start).max()


def test_the_law_of_the_pelvis_by_hand():
    """A quarter turn about its own z, which is softer, whatever it leans like."""
    gains = load_preset(NAME).pelvis
    R_d = RollPitchYaw(0.3, -0.2, 1.0).ToRotationMatrix().matrix()
    quarter = RotationMatrix.MakeZRotation(np.pi / 2).matrix()
    still, zero = np.zeros((2, 3)), np.zeros(3)
    found = angular_acceleration(R_d, still, R_d @ quarter.T, zero, gains)
    assert found == pytest.approx([0, 0, 50 * np.pi / 2], abs=1e-9)
    omega_B = np.array([0.1, 0.2, 0.3])
    found = angular_acceleration(R_d, still, R_d, R_d @ omega_B, gains)
    assert found == pytest.approx(-2 * np.sqrt([100, 100, 50]) * omega_B)


@pytest.mark.parametrize("degrees", [90, 170, 190, 350])
def test_a_rotation_goes_the_short_way_and_decays(degrees):
    gains, dt = load_preset(NAME).pelvis, 2e-3
    axis = np.array([1.0, 2.0, -1.0]) / np.sqrt(6)
    R = RotationMatrix(AngleAxis(np.radians(degrees), axis)).matrix()
    omega = np.zeros(3)
    first = min(degrees, 360 - degrees)
    angles = []
    for _ in range(1500):
        alpha = angular_acceleration(np.eye(3), np.zeros((2, 3)), R, omega, gains)
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
    joints = {t.name: t for t in stance.program.program.tasks}["joints"]
    free = stance.program.model.free
    error = stance.target.joints[0] - stance.q[7:]
    by_hand = 100 * error - 20 * stance.v[6:]
    np.testing.assert_allclose(joints.desired, by_hand[free])


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
    stance = stepping()
    drake, target, swing = stance.drake, stance.target, stance.program.preset.swing
    J = drake.jacobian("l_foot")
    wanted = 100 * (target.contact[0] - drake.pose("l_foot").translation())
    wanted += target.contact_motion[1, 0, 3:]
    wanted += 20 * (target.contact_motion[0, 0, 3:] - (J @ stance.v)[3:])
    errors = []
    for factor in (1.0, 100.0, 1e4):
        stance.program.preset.swing = replace(swing, weight=factor * swing.weight)
        solution = stance.solve()
        got = J @ solution.vdot + drake.bias_acceleration("l_foot")
        errors.append(np.linalg.norm(got[3:] - wanted) / np.linalg.norm(wanted))
        assert np.abs(solution.wrench[0]).max() < EXACT
    assert errors[0] > 2 * errors[1] > 4 * errors[2]
    assert errors[2] < 0.01


def test_a_task_without_a_weight_holds_exactly():
    stance = Standing(4)
    elbow = stance.robot.joint_index("l_arm_elx")
    row = np.zeros((1, 36))
    row[0, 6 + elbow] = 1.0
    task = AccelerationTask("elbow", lambda: (row, np.zeros(1)))
    before = stance.solve().vdot[6 + elbow]
    stance.program.program.add(task)
    for wanted in (before + 5.0, before - 5.0):
        task.set_desired(np.array([wanted]))
        assert abs(stance.solve().vdot[6 + elbow] - wanted) < HARD_TASK
    task.set_desired(None)
    assert stance.solve().vdot[6 + elbow] == pytest.approx(before, abs=1e-6)


def test_tasks_that_disagree_get_their_weighted_mean():
    """Nothing else wants anything of the neck, whose inertia is its own affair."""
    stance = Standing(5)
    neck = stance.robot.joint_index("neck_ay")
    program = AccelerationProgram(stance.robot, FEET, 0.6, 1.0)
    rows = np.eye(36)
    program.add(_wanting("rest", rows, np.zeros(36)), 1e-9)
    for wanted, weight in ((3.0, 1.0), (-1.0, 3.0)):
        row = rows[6 + neck : 7 + neck]
        program.add(_wanting("neck", row, np.array([wanted])), weight)
    state = stance.program.measure(stance.q, stance.v)
    found = program.solve(
        state, stance.q, stance.v, np.ones(2, bool), stance.target.wrench
    )
    # Their sum weighs 4, and what holds the rest together weighs 1e-9 beside it.
    assert found.x[6 + neck] == pytest.approx((3.0 - 3.0) / 4.0, abs=1e-5)


def _wanting(name, J, desired):
    return AccelerationTask(name, lambda: (J, np.zeros(len(J))), desired=desired)


@pytest.mark.parametrize("weight", [0.0, -1.0])
def test_a_weight_is_more_than_nothing(weight):
    program = Standing().program.program
    with pytest.raises(BackbeatError, match="a weight is > 0"):
        program.add(AccelerationTask("idle", lambda: (None, None)), weight)


def test_presets_are_looked_up_and_checked():
    assert preset_names() == [NAME]
    with pytest.raises(BackbeatError, match="did you mean momentum"):
        load_preset("momentm")
    with pytest.raises(BackbeatError, match="did you mean momentum"):
        Scenario.of(behavior="stand", preset="momentm").check()
    robot = make_robot("atlas", ("sticks",), Mount())
    with pytest.raises(BackbeatError, match="has no task for l_stick_tip"):
        make_whole_body_program(robot, FEET, ("l_stick_tip",), NAME)
    welded = make_robot("atlas", (), Mount(p_WB=(0.0, 0.0, 1.0)))
    with pytest.raises(BackbeatError, match="robots that stand on their feet"):
        make_whole_body_program(welded, (), (), NAME)
    assert type(make_whole_body_program(robot, FEET, ())) is WholeBodyProgram


# --- in closed loop ------------------------------------------------------------------


def test_it_stands_in_closed_loop(built):
    scenario = Scenario.of(behavior="stand", lead_in=0.1, duration=0.3, preset=NAME)
    loop = build_closed_loop(built("stand"), scenario)
    assert isinstance(loop.whole_body.core.program, PresetProgram)
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
