"""The target of a tick: the behavior, retimed, plus what the plan adds."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from backbeat.models.dynamics.rotations import rotation_exp
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.predictive.program import PredictiveProgram
from backbeat.mpc.safety.servo_gains import servo_gains
from backbeat.mpc.whole_body.core import WholeBodyCore
from backbeat.mpc.whole_body.programs.momentum import WholeBodyProgram
from backbeat.mpc.whole_body.target import TargetWriter
from tests.tolerances import EXACT

RATE, PHASE, STEP = 0.8, 9.31, 0.004


@pytest.fixture(scope="module")
def targets(groove):
    """`targets(t, deviation)`: the target at time t of a dance at RATE."""
    program = WholeBodyProgram(groove.robot, groove.patches, groove.points)

    def at(t, deviation=None):
        target, phase = program.make_target(), PHASE + RATE * t
        sample, h = groove.sample(phase), np.full(3, 0.5)
        deviation = np.zeros(12) if deviation is None else deviation
        plan = Plan(
            time=0.0,
            phase=phase,
            rate=RATE,
            durations=h,
            phases=phase + RATE * np.r_[0.0, np.cumsum(h)],
            deviation=np.tile(deviation, (4, 1)),
            wrench=np.tile(sample.wrench, (3, 1, 1)),
            com=np.zeros((4, 3)),
            shift=np.zeros((4, len(groove.soles), 2)),
        )
        TargetWriter(target, sample, groove).write(plan, 0.0, plan.rate)
        return target

    return at


def slope(targets, read):
    """Rate of what `read` takes from the target, by central differences."""
    return (read(targets(STEP)) - read(targets(-STEP))) / (2 * STEP)


@pytest.mark.parametrize(
    ("value", "rate"),
    [
        (lambda t: t.joints[0], lambda t: t.joints[1]),
        (lambda t: t.joints[1], lambda t: t.joints[2]),
        (lambda t: t.com[0], lambda t: t.com[1]),
        (lambda t: t.base[0], lambda t: t.base[1]),
        (lambda t: t.trunk[0], lambda t: t.trunk[1]),
    ],
    ids=["joints", "joint speeds", "CoM", "base turning", "trunk turning"],
)
def test_rates_are_those_of_the_slower_dance(targets, value, rate):
    wanted, found = rate(targets(0.0)), slope(targets, value)
    # Differences over 8 ms of samples 5 ms apart.
    assert np.abs(found - wanted).max() < 0.03 * np.abs(wanted).max()


def test_orientations_turn_at_the_target_speed(targets):
    for name, speed in (("R_base", "base"), ("R_trunk", "trunk")):
        before, after = (getattr(targets(s * STEP), name) for s in (-1, 1))
        turned = Rotation.from_matrix(after @ before.T).as_rotvec()
        wanted = getattr(targets(0.0), speed)[0]
        error = np.abs(turned / (2 * STEP) - wanted).max()
        assert error < 0.05 * np.abs(wanted).max()


def test_accelerations_of_the_body_are_those_of_the_planned_wrenches(groove, targets):
    """Newton and Euler of the wrenches, wherever the tempo is."""
    target, sample = targets(0.0), groove.sample(PHASE)
    np.testing.assert_allclose(target.com[2], sample.com[2], atol=1e-2)
    size = np.abs(sample.momentum[1]).max()
    np.testing.assert_allclose(target.momentum[1], sample.momentum[1], atol=0.01 * size)


def test_the_deviation_of_the_plan_is_added(groove, targets):
    deviation = np.linspace(0.01, 0.12, 12)
    plain, target = targets(0.0), targets(0.0, deviation)
    m = groove.robot.total_mass
    np.testing.assert_allclose(target.com[0] - plain.com[0], deviation[:3])
    np.testing.assert_allclose(target.com[1] - plain.com[1], deviation[3:6])
    gained = (target.momentum[0] - plain.momentum[0]) / m
    np.testing.assert_allclose(gained, deviation[6:9])
    turn = np.zeros((3, 3))
    rotation_exp(deviation[9:], turn)
    np.testing.assert_allclose(target.R_base, turn @ plain.R_base, atol=1e-12)
    np.testing.assert_allclose(target.R_trunk, turn @ plain.R_trunk, atol=1e-12)
    np.testing.assert_array_equal(target.joints, plain.joints)


def test_points_that_rest_are_loaded_and_the_others_follow_their_path(drummer):
    program = WholeBodyProgram(drummer.robot, drummer.patches, drummer.points)
    target, planner = program.make_target(), PredictiveProgram(drummer)
    rest = next(e for e in drummer.behavior.events if e.kind == "rest")
    stroke = drummer.behavior.strikes()[0]
    for time, resting in ((rest.time + 1.0, True), (stroke.time - 0.1, False)):
        sample = drummer.sample(time)
        TargetWriter(target, sample, drummer).write(planner.rest(time, time), time, 1.0)
        p = drummer.points.index(rest.who)
        assert (target.point_on[p] == 0.0) == resting
        assert (target.point_force[p, 2] > 0.5) == resting


def test_the_servo_leaves_standing_legs_to_the_contact_forces(groove):
    stiffness, damping = servo_gains(groove.robot, groove)
    robot = groove.robot
    legs = robot.joint_indices(["l_leg", "r_leg"])
    others = np.setdiff1d(np.arange(robot.num_joints), legs)
    assert not stiffness[legs].any()
    assert not damping[legs].any()
    assert (stiffness[others] > 0).all()


def test_servo_gains_are_critical_for_the_inertia_that_a_joint_feels(groove):
    robot = groove.robot
    stiffness, damping = servo_gains(robot, groove)
    M = Configuration(robot, groove.table.q[0]).mass_matrix
    for name, (frequency, least) in robot.servo_gains().items():
        j = robot.joint_index(name)
        if stiffness[j] == 0.0:
            continue
        unit = np.eye(len(M))[6 + j]
        felt = max(1.0 / np.linalg.solve(M, unit)[6 + j], least)
        omega = np.sqrt(stiffness[j] / felt)
        assert omega == pytest.approx(2 * np.pi * frequency)
        assert damping[j] == pytest.approx(2 * felt * omega)


def test_after_the_first_interval_a_tick_keeps_the_tempo_of_the_next(groove):
    """Plans are in force for longer than a first interval that ends with a switch."""
    program = WholeBodyProgram(groove.robot, groove.patches, groove.points)
    tick = WholeBodyCore(program, groove)
    rest = PredictiveProgram(groove).rest(PHASE, PHASE)
    plan = replace(rest, durations=rest.durations * np.r_[1.0, np.full(25, 2.0)])
    first, free = plan.durations[0], groove.robot.base_velocities
    for since, rate in ((0.5 * first, 1.0), (1.5 * first, 0.5)):
        sample = tick.aim(plan.time + since, plan)
        wanted = rate * sample.v[free:]
        assert np.abs(wanted).max() > 0.1
        np.testing.assert_allclose(tick.target.joints[1], wanted, atol=EXACT)
