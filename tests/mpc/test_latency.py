"""What the whole-body controller does about late sensors and lagging motors."""

import numpy as np
import pytest

from backbeat.models.actuation.joint_command import BLOCKS, STIFFNESS, VELOCITY
from backbeat.models.actuation.servo_margin import SampledServo, Sampling
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.predictive.program import PredictiveProgram
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.safety.servo_gains import (
    ServoSchedule,
    felt_inertia,
    hold_gains,
    servo_gains,
)
from backbeat.mpc.whole_body.core import WholeBodyCore
from backbeat.mpc.whole_body.programs.momentum import WholeBodyProgram
from backbeat.mpc.whole_body.timing import TickTiming
from backbeat.mpc.world.servo_check import softened_in_words, softened_servos

DELAY, LAG = 0.002, 0.005


def phase_margins(reference, stiffness, damping, s=0.0):
    """Phase margin of every servoed joint at phase s [rad], each for itself."""
    robot = reference.robot
    M = Configuration(robot, reference.sample(s).q).mass_matrix
    inertia = 1 / np.diag(np.linalg.inv(M))[robot.base_velocities :]
    w = np.geomspace(1.0, 3000.0, 20000)
    margins = {}
    # A step of the plant holds its torque, half a millisecond on average.
    late = np.exp(-1j * w * (DELAY + 0.0005)) / (1 + 1j * w * LAG)
    for name, kp, kd, own, I in zip(
        robot.joint_names, stiffness, damping, robot.damping, inertia, strict=True
    ):
        if kp > 0:
            loop = (kp + 1j * w * kd) * late / (-(w**2) * I + 1j * w * own)
            last = np.where(np.abs(loop) >= 1)[0][-1]
            margins[name] = np.pi + np.unwrap(np.angle(loop))[last]
    return margins


def test_servo_gains_respect_the_latency(drummer):
    safe = phase_margins(drummer, *servo_gains(drummer.robot, drummer, DELAY + LAG))
    assert len(safe) == 18
    assert min(safe.values()) > np.radians(30)


def test_gains_that_know_of_no_latency_shake_the_wrists(drummer):
    """Must fail: the margin of the bound above is not there without it."""
    bold = phase_margins(drummer, *servo_gains(drummer.robot, drummer))
    assert bold["l_arm_lwy"] < 0


def test_gains_go_with_the_posture(groove):
    """Those of the start leave less room for an elbow whose arm is bent otherwise."""
    schedule = ServoSchedule(groove.robot, groove, DELAY + LAG)
    first, phases = schedule.at(0.0), np.arange(0.0, groove.duration, 0.37)
    own = [phase_margins(groove, *schedule.at(s), s) for s in phases]
    fixed = [phase_margins(groove, *first, s) for s in phases]
    assert min(min(margins.values()) for margins in own) > np.radians(25)
    assert min(margins["l_arm_ely"] for margins in fixed) < np.radians(22)
    wanted = servo_gains(groove.robot, groove, DELAY + LAG, 1.2)
    np.testing.assert_allclose(schedule.at(1.2), wanted)
    np.testing.assert_array_equal(schedule.at(-1.0), first)
    np.testing.assert_array_equal(schedule.at(1e3), schedule.at(2e3))


def test_arms_are_held_in_any_posture(groove):
    held = hold_gains(groove.robot, groove, DELAY + LAG)
    for s in np.arange(0.0, groove.duration, 0.5):
        margins = phase_margins(groove, *held, s)
        arms = [margin for name, margin in margins.items() if "_arm_" in name]
        assert len(arms) == 14
        assert min(arms) > np.radians(15)


def test_latency_only_ever_lowers_gains(groove):
    free = np.array(servo_gains(groove.robot, groove))
    assert (np.array(servo_gains(groove.robot, groove, 1e-9)) == free).all()
    late = np.array(servo_gains(groove.robot, groove, 0.02))
    assert (late <= free).all()
    assert (late < free).any()
    assert ((late > 0) == (free > 0)).all()


@pytest.fixture(scope="module")
def controllers(groove):
    """One controller without, and one with a lead."""

    def make(lead):
        program = WholeBodyProgram(groove.robot, groove.patches, groove.points)
        return WholeBodyCore(program, groove, TickTiming(lead=lead))

    return make(0.0), make(LAG)


def test_accelerations_lead_and_the_motion_does_not(groove, controllers):

    plain, leading = controllers
    t = 6.0
    plan = PredictiveProgram(groove).rest(t, t)
    sample = groove.sample(t + 0.001)
    ahead = groove.sample(t + 0.001 + LAG)
    for tick, expected in ((plain, sample), (leading, ahead)):
        tick(t, sample.q, sample.v, plan, tick.start())
        target = tick.target
        np.testing.assert_array_equal(target.joints[0], sample.q[7:])
        np.testing.assert_array_equal(target.joints[1], sample.v[6:])
        np.testing.assert_array_equal(target.joints[2], expected.vdot[6:])
    assert np.abs(ahead.vdot - sample.vdot).max() > 1e-2


def test_the_velocity_that_friction_is_told_is_that_of_the_solutions(
    groove, controllers
):
    """It adds up accelerations and forgets errors of the sensors, not their noise."""
    tick, _ = controllers
    plan = PredictiveProgram(groove).rest(0.0, 0.0)
    q, robot = groove.table.q[0], groove.robot
    rng = np.random.default_rng(0)
    nj, memory = robot.num_joints, tick.start()
    found = []
    for _ in range(400):
        v = np.r_[np.zeros(6), 20e-3 * rng.normal(size=nj)]
        memory = tick(0.0, q, v, plan, memory)
        found.append(memory.command.reshape(BLOCKS, nj)[VELOCITY])
    stiff = memory.command.reshape(BLOCKS, nj)[STIFFNESS] > 0
    assert stiff.sum() == 18
    assert (np.ptp(found, axis=0)[stiff] == 0).all()
    spread = np.std(found[100:], axis=0)
    # A third of the noise at most, and far below the speed at which friction turns.
    assert spread[~stiff].max() < 7e-3


@pytest.mark.parametrize(("late", "lag"), [(0, 0.0), (1, 0.0), (1, 0.005)])
def test_longer_steps_have_servos_that_hold_them(groove, late, lag):
    """Atlas's wrists are too stiff for 2 ms; its servos of 1 ms stay as they are."""
    sampling, robot = Sampling(0.002, late, lag), groove.robot
    latency = 0.002 * late + lag
    usual = servo_gains(robot, groove, latency, 1.2)
    held = servo_gains(robot, groove, latency, 1.2, sampling)
    same = servo_gains(robot, groove, latency, 1.2, Sampling(0.001, late, lag))
    np.testing.assert_array_equal(usual, same)
    felt = felt_inertia(robot, groove, 1.2)

    def holds(gains, j, share=1.0):
        told = share * gains[0][j], share * gains[1][j], robot.damping[j]
        return SampledServo(felt[j], *map(float, told), *sampling).holds()

    driven = np.flatnonzero(usual[1] > 0)
    for j in driven:
        assert holds(held, j, 1.9)
        if held[1][j] < usual[1][j]:
            assert held[0][j] / usual[0][j] == pytest.approx(held[1][j] / usual[1][j])
            assert not holds(held, j, 2.1)
    if late == 0:
        softer = {robot.joint_names[j] for j in driven if held[1][j] < usual[1][j]}
        assert softer
        assert all("arm" in name for name in softer)


@pytest.mark.parametrize("sampling", [(0.001, 2, 0.0), (0.001, 2, 0.005)])
def test_servos_of_atlas_hold_together_as_they_are(groove, monkeypatch, sampling):
    """Each of its joints has damping of its own, and more between them than a shell."""
    sampling = Sampling(*sampling)
    latency, fresh = 1e-3 * sampling.late + sampling.lag, Reference(groove.behavior)
    table = ServoSchedule(fresh.robot, fresh, latency, sampling).table
    asked = []

    def alone(inverse, gains, own, sampling):
        asked.append(sampling)
        return np.ones(len(own))

    monkeypatch.setattr("backbeat.mpc.safety.servo_gains.coupled_shares", alone)
    monkeypatch.setattr("backbeat.mpc.safety.servo_gains._tables", {})
    again = ServoSchedule(fresh.robot, fresh, latency, sampling).table
    assert len(asked) == len(table) > 100
    np.testing.assert_array_equal(table, again)


def test_a_run_in_longer_steps_says_which_servos_are_softer(groove):
    assert softened_servos(groove, 0.0, Sampling()) == {}
    softened = softened_servos(groove, 0.0, Sampling(step=0.002))
    said = softened_in_words("groove", 0.002, softened)
    assert "in steps of 2 ms" in said
    assert min(softened, key=softened.__getitem__) in said
    assert softened_in_words("groove", 0.001, {}) == ""
