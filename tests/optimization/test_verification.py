"""Verification: a good motion passes, and each way to spoil it has a name."""

from copy import copy
from dataclasses import replace

import numpy as np
import pytest
from pydrake.math import RigidTransform

from backbeat.models.collision.making import make_collision_model
from backbeat.models.collision.shapes import BOX, WORLD, Solid
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.interior_point.solver import InteriorPoint
from backbeat.optimization.reconstruction.reconstruct import reconstruct
from backbeat.optimization.transcription.transcribe import Transcription
from backbeat.optimization.verification.certificate import BOUNDS, Certificate, Check
from backbeat.optimization.verification.verify import verify
from tests.optimization.problems import jump, squat, stroke, uneven


@pytest.fixture(scope="module")
def solution():
    return InteriorPoint(Transcription(squat())).solve()


@pytest.fixture(scope="module")
def motion(solution):
    return reconstruct(solution)


@pytest.fixture(scope="module")
def joint(solution):
    """`joint(name)` is its index in joint order."""
    return solution.transcription.problem.robot.joint_index


def of(solution, **changes):
    """The solution as if its problem had been another."""
    transcription = copy(solution.transcription)
    transcription.problem = replace(transcription.problem, **changes)
    return replace(solution, transcription=transcription)


@pytest.fixture
def spoiled(solution, motion):
    """`spoiled(**arrays)` are the failures of a motion with other arrays, by name."""

    def check(**arrays):
        certificate = verify(solution, replace(motion, **arrays))
        assert not certificate.passed
        return {c.name: c for c in certificate.failures()}

    return check


def test_a_good_motion_passes(solution, motion):
    certificate = verify(solution, motion)
    assert certificate.passed
    assert certificate.failures() == []
    assert [c.name for c in certificate.checks] == list(BOUNDS)
    values = {c.name: c.value for c in certificate.checks}
    # It was looked at: the motion has speed, needs torque, and is not perfect.
    assert values["joint_torque"] > 0.1
    assert values["joint_velocity"] > 0.05
    for name in ("velocity_consistency", "force_balance", "moment_balance"):
        assert 0.0 < values[name] < 0.5 * BOUNDS[name]


@pytest.mark.parametrize("make", [uneven, lambda: jump(34), lambda: stroke(25)])
def test_other_motions_pass_too(make):
    """Uneven knots, a flight, and a stroke with a resting hand."""
    found = InteriorPoint(Transcription(make())).solve()
    certificate = verify(found, reconstruct(found))
    assert certificate.failures() == []


def test_every_place_that_fails_is_named(solution, motion, joint):
    """Also what is not the worst of its kind, for all of it has to be mended."""
    assert verify(solution, motion).places == ()
    q, back = motion.q.copy(), solution.transcription.problem.robot.base_positions
    stop = solution.transcription.problem.robot.position_upper[joint("r_arm_elx")]
    for sample, beyond in ((20, 0.2), (60, 0.1)):
        q[sample, back + joint("r_arm_elx")] = stop + beyond
    places = verify(solution, replace(motion, q=q)).places
    found = [(p.time, p.where, p.value) for p in places if p.name == "joint_position"]
    assert found == [
        (motion.t[20], "r_arm_elx", pytest.approx(0.2)),
        (motion.t[60], "r_arm_elx", pytest.approx(0.1)),
    ]
    assert all(not place.passed for place in places)


def test_a_certificate_survives_a_file(solution, motion):
    certificate = verify(solution, motion, stride=10)
    assert Certificate.from_dict(certificate.to_dict()) == certificate


def test_every_sample_is_looked_at(spoiled, motion, joint):
    """One joint off for one sample is found, with its name and its time."""
    for i in (1, 77, len(motion.t) - 3):
        q = motion.q.copy()
        q[i, 7 + joint("l_arm_elx")] += 0.01
        found = spoiled(q=q)["velocity_consistency"]
        assert found.where == "l_arm_elx"
        assert found.time == pytest.approx(motion.t[i], abs=0.01)


def test_a_joint_speed_that_is_another(spoiled, motion, joint):
    v = motion.v.copy()
    v[50, 6 + joint("l_arm_elx")] += 0.1
    found = spoiled(v=v)
    assert found["velocity_consistency"].where == "l_arm_elx"
    assert "acceleration_consistency" in found


def test_speeds_are_looked_at_where_contacts_change():
    """Also there one that is another is found."""
    solution = InteriorPoint(Transcription(jump(34))).solve()
    motion = reconstruct(solution)
    assert verify(solution, motion).passed
    standing = motion.standing.any(axis=1)
    lifts = int(np.flatnonzero(standing[:-1] & ~standing[1:])[0])
    for i in (lifts, lifts + 1):
        v = motion.v.copy()
        v[i, 6:] += 0.1
        found = {c.name: c for c in verify(solution, replace(motion, v=v)).failures()}
        assert found["velocity_consistency"].time == pytest.approx(
            motion.t[i], abs=0.01
        )


def test_an_acceleration_that_is_another(spoiled, motion, joint):
    vdot = motion.vdot.copy()
    vdot[50, 6 + joint("r_arm_elx")] += 2.0
    found = spoiled(vdot=vdot)
    assert found["acceleration_consistency"].where == "r_arm_elx"
    assert "torque_consistency" in found


def test_a_joint_beyond_its_stop(spoiled, solution, motion, joint):
    q, j = motion.q.copy(), joint("r_arm_elx")
    q[:, 7 + j] = solution.transcription.problem.robot.position_upper[j] + 0.01
    found = spoiled(q=q)["joint_position"]
    assert found.where == "r_arm_elx"
    assert found.value == pytest.approx(0.01)


def test_a_motion_that_is_too_fast(spoiled, motion):
    """Ten times as fast: over the speed and torque limits, and off its feet."""
    found = spoiled(t=motion.t / 10, v=10 * motion.v, vdot=100 * motion.vdot)
    assert "joint_torque" in found
    assert "velocity_consistency" not in found
    assert {"force_balance", "torque_consistency"} <= set(found)
    found = spoiled(t=motion.t / 20, v=20 * motion.v, vdot=400 * motion.vdot)
    assert found["joint_velocity"].value > 1.0


def test_torques_that_are_others(spoiled, motion):
    found = spoiled(tau=1.01 * motion.tau)
    assert set(found) == {"torque_consistency"}
    assert found["torque_consistency"].where.endswith(("kny", "hpy", "aky"))


def test_a_foot_that_is_elsewhere(spoiled, motion):
    """Its support moved by a millimeter: two feet tell which of them it is."""
    p = motion.p_WC.copy()
    p[:, 1, 0] += 1e-3
    found = spoiled(p_WC=p)["contact_position"]
    assert found.where == "r_foot"
    assert found.value == pytest.approx(1e-3, rel=1e-3)


def test_a_foot_that_turns_on_its_heel(spoiled, motion, joint):
    q = motion.q.copy()
    q[:, 7 + joint("l_leg_aky")] += 0.01
    found = spoiled(q=q)["contact_position"]
    assert found.where == "l_foot"
    assert found.value > 1e-3


def test_a_foot_that_slips(spoiled, motion, joint):
    v = motion.v.copy()
    v[60, 6 + joint("r_leg_hpx")] += 0.02
    found = spoiled(v=v)["contact_slip"]
    assert found.where == "r_foot"
    assert found.time == pytest.approx(motion.t[60])


def test_a_foot_in_the_ground(spoiled, motion):
    """Lowered while nobody says that it stands."""
    q, standing = motion.q.copy(), motion.standing.copy()
    q[:, 6] -= 2e-3
    standing[:] = False
    found = spoiled(q=q, standing=standing)["penetration"]
    assert found.value == pytest.approx(2e-3, rel=0.01)
    assert found.where in ("l_foot", "r_foot")


def test_a_weight_that_nobody_carries(spoiled, motion):
    found = spoiled(wrench=0.97 * motion.wrench)
    assert found["force_balance"].value == pytest.approx(0.03, abs=0.01)
    assert "friction" not in found


def test_a_moment_from_nowhere(spoiled, solution, motion):
    wrench = motion.wrench.copy()
    wrench[:, 0, 1] += 0.03 * solution.transcription.program.weight
    found = spoiled(wrench=wrench)
    assert found["moment_balance"].value == pytest.approx(0.03, abs=0.005)
    assert "force_balance" not in found


def test_feet_that_push_each_other_apart(spoiled, motion):
    """Balanced within the robot, but more than the ground's friction holds."""
    wrench = motion.wrench.copy()
    side = 0.6 * wrench[:, :, 5].min()
    wrench[:, 0, 4] += side
    wrench[:, 1, 4] -= side
    found = spoiled(wrench=wrench)
    assert "friction" in found
    assert "force_balance" not in found


def test_a_foot_that_pulls(spoiled, solution, motion):
    wrench, weight = motion.wrench.copy(), solution.transcription.program.weight
    wrench[30, 0, 5] -= weight
    wrench[30, 1, 5] += weight
    assert spoiled(wrench=wrench)["friction"].value > 0.3


def test_a_ground_that_is_more_slippery_than_planned(solution, motion):
    limits = replace(solution.transcription.problem.limits, friction=0.002)
    certificate = verify(of(solution, limits=limits), motion)
    assert [c.name for c in certificate.failures()] == ["friction"]


@pytest.mark.parametrize("name", ["q", "v", "vdot", "wrench", "tau"])
def test_a_number_that_is_missing(spoiled, motion, name):
    values = getattr(motion, name).copy()
    values[40].flat[2] = np.nan
    found = spoiled(**{name: values})
    assert set(found) == {"not_finite"}
    assert found["not_finite"].where == name
    assert found["not_finite"].time == motion.t[40]


def test_a_thing_in_the_way(solution, motion):
    """A box at the left hand, while the optimizer looks after the right one.

    It counts as it is: where only planners see one, there is none.
    """
    robot = solution.transcription.problem.robot
    hand = Configuration(robot, motion.q[0]).pose("l_hand")
    box = Solid("box", BOX, WORLD, hand, np.full(3, 0.05))
    elsewhere = replace(box, X_PS=RigidTransform([2.0, 0.0, 0.0]))
    failures = []
    for solid in (box, replace(box, inner=elsewhere)):
        scene = make_collision_model(robot, ["r_hand"], [solid])
        found = InteriorPoint(Transcription(squat(collisions=scene))).solve()
        assert found.is_solved
        failures.append(verify(found, reconstruct(found)).failures())
    (failure,), none = failures
    assert none == []
    assert failure.name == "collision"
    assert failure.value > 0.01
    assert "box" in failure.where.split()


def test_a_hand_in_the_chest(spoiled, solution, motion, joint):
    """Nobody asked the optimizer to keep it out."""
    assert not solution.transcription.problem.collisions.spheres
    q = motion.q.copy()
    for name, angle in (("shz", -1.57), ("shx", -0.39), ("elx", 2.36)):
        q[:, 7 + joint(f"l_arm_{name}")] = angle
    found = spoiled(q=q)["collision"]
    assert found.value == pytest.approx(0.088, abs=0.005)
    assert {"utorso", "l_hand"} <= set(found.where.split())


def test_knots_that_are_not_solved(spoiled, solution, motion):
    rows = solution.rows.copy()
    rows[4, 3] = 1.0
    certificate = verify(replace(solution, rows=rows), motion)
    (failure,) = certificate.failures()
    assert failure.name == "knot_violation"
    assert failure.where.startswith("torque of ")
    assert failure.time == pytest.approx(0.4)


def test_a_check_passes_at_its_bound_and_not_beyond():
    for value, passed in ((1.0, True), (1.0 + 1e-12, False), (np.nan, False)):
        assert Check("x", value, 1.0, 0.0, "").passed == passed
    assert not Check("x", -np.inf, 1.0, 0.0, "").passed
