"""Jumps in takes of known truth: kept, lowered or refused, as physics has them."""

from dataclasses import replace

import numpy as np
import pytest

from backbeat.behaviors.dance.choreography import DanceSpecification
from backbeat.behaviors.dance.recordings.description import RecordingDescription
from backbeat.behaviors.recording.feasibility import examine
from backbeat.behaviors.recording.flights.ballistic import ballistic
from backbeat.behaviors.recording.flights.flown import LOWERED
from backbeat.behaviors.recording.flights.jumps import Flight
from backbeat.behaviors.recording.flights.lowering import lowered
from backbeat.behaviors.takes.take import Take
from backbeat.behaviors.takes.writers.formats import WRITTEN
from backbeat.models.common.errors import BackbeatError
from benchmarks.spoiled_takes import repaired, truth_of
from benchmarks.spoiling import Spoiling, spoiled
from tests.behaviors.drake_robot import DrakeRobot

# How exactly times of flights are found, clean and spoiled [s].
EXACT, SPOILED = 0.015, 0.03
# Change of momentum in the air: shares of what the body has, of samples of it.
CONSERVED = 0.02


@pytest.fixture(scope="module")
def behavior(built):
    return built("squat-jump")


@pytest.fixture(scope="module")
def truth(behavior):
    return truth_of(behavior)


@pytest.fixture(scope="module")
def flight(behavior):
    """When the behavior is in the air."""
    air = np.flatnonzero(~behavior.motion.standing.any(axis=1))
    return behavior.motion.t[air[0]], behavior.motion.t[air[-1]]


def move_of(states, folder, **keys):
    """The recorded move of some states."""
    (folder / "take.csv").write_bytes(WRITTEN["csv"].write(states))
    told = RecordingDescription(file="take.csv", **keys)
    dance = DanceSpecification(name="mine", recordings={"take": told})
    return dance.recorded(folder, ["take"])["take"]


def jump_of(move):
    (gap,) = {(rows[0][1], rows[1][0]) for rows in move.planted.values()}
    return gap


@pytest.mark.parametrize("seed", [None, 1, 2])
def test_a_jump_is_found_in_its_time(truth, flight, seed, tmp_path):
    """With feet that skate, 3 cm of float, 3 degrees of tilt and noise as well."""
    states = truth if seed is None else spoiled(truth, seed, has_times=True)
    move = move_of(states, tmp_path)
    tolerance = EXACT if seed is None else SPOILED
    np.testing.assert_allclose(jump_of(move), flight, atol=tolerance)
    assert [step.feet for step in move.steps] == ["none"]
    (said,) = (note for note in move.notes if "kept" in note)
    assert "1 flight kept (0.4" in said


def test_what_is_built_flies_as_the_truth_does(truth, behavior, flight, tmp_path):
    row, made = repaired(truth, tmp_path, 3, "csv", "atlas")
    assert not row.refused
    assert made.certificate.passed
    assert row.nearer
    assert row.slide[1] < 1e-3
    assert row.below[1] < 1e-3
    motion, robot = made.motion, made.robot_model
    air = np.flatnonzero(~motion.standing.any(axis=1))
    T = motion.t[air[-1]] - motion.t[air[0]]
    assert abs(T - (flight[1] - flight[0])) < SPOILED
    rise = made.com[air, 2].max() - made.com[air[[0, -1]], 2].mean()
    assert rise == pytest.approx(robot.gravity * T**2 / 8, rel=0.02)
    assert made.com[:, 2].max() == pytest.approx(behavior.com[:, 2].max(), abs=0.02)
    momenta = np.array([momentum(robot, motion.q[k], motion.v[k]) for k in air[1:-1:4]])
    t = motion.t[air[1:-1:4]]
    momenta[:, 5] += robot.weight * (t - t[0])
    away = np.abs(momenta - momenta[0])
    assert away[:, 3:].max() < 1e-3 * robot.weight * T
    assert away[:, :3].max() < CONSERVED * robot.total_mass


def momentum(robot, q, v):
    """(6,) angular about the center of mass, and linear, by Drake."""
    drake = DrakeRobot(robot)
    drake.set(q, v)
    context, plant = drake.context, drake.plant
    com = plant.CalcCenterOfMassPositionInWorld(context)
    L = plant.CalcSpatialMomentumInWorldAboutPoint(context, com)
    return np.r_[L.rotational(), L.translational()]


def test_a_base_in_the_air_conserves_its_momentum(truth, flight):
    """Of a take whose base is bent out of shape in the air."""
    q = truth.q.copy()
    air = (truth.t > flight[0]) & (truth.t < flight[1])
    q[air, 4:7] += 0.05 * np.sin(40 * truth.t[air])[:, None]
    jump = Flight(*flight, ("left", "right"), ("left", "right"))
    made = ballistic(truth.robot, truth.t, q, [jump])
    np.testing.assert_array_equal(made[~air, 4:], q[~air, 4:])
    z = np.array([com_of(truth.robot, row) for row in made[air]])[:, 2]
    fall = np.diff(z, 2) / np.diff(truth.t)[0] ** 2
    np.testing.assert_allclose(fall, -truth.robot.gravity, atol=0.2)
    np.testing.assert_allclose(made[air], truth.q[air], atol=0.02)


def com_of(robot, q):
    drake = DrakeRobot(robot)
    drake.set(q, np.zeros(robot.num_velocities))
    return drake.plant.CalcCenterOfMassPositionInWorld(drake.context)


def slower(states, share):
    """The same at another speed."""
    return replace(states, t=states.t / share, rate=None)


def test_a_jump_that_is_too_high_is_refused_or_lowered(truth, tmp_path):
    """Played at 0.83 of its speed, it would last 0.48 s."""
    slow = slower(truth, 0.83)
    sentence = r"flies for 0\.4\d s, which takes 2\.\d m/s .* at most 0\.45 s"
    with pytest.raises(BackbeatError, match=sentence):
        move_of(slow, tmp_path)
    move = move_of(slow, tmp_path, jumps="lower")
    start, end = jump_of(move)
    assert end - start > LOWERED  # In the file it is what it was.
    (step,) = move.steps
    length = (step.end - step.start) * move.length({}) * 60 / 98
    assert length == pytest.approx(LOWERED, abs=1e-6)
    assert any("0.40 s instead of 0.4" in note for note in move.notes)
    with pytest.raises(BackbeatError, match="jumps is 'lower', not 'higher'"):
        move_of(slow, tmp_path, jumps="higher")


def test_a_lower_jump_has_the_same_middle_and_keeps_what_is_far():
    t = np.linspace(0.0, 4.0, 201)
    jump = Flight(1.8, 2.4, (), ())
    change, (lower,) = lowered(t, [jump], 0.45, 0.4, 0.2)
    assert (lower.start, lower.end) == pytest.approx((1.9, 2.3))
    source = change.source(t)
    assert (np.diff(source) > 0).all()
    far = (t < 1.29) | (t > 2.91)
    np.testing.assert_allclose(source[far], t[far])
    assert change.moved(1.8) == pytest.approx(1.9)


def test_declared_feet_say_when_it_flies(truth, flight, tmp_path):
    """As an import writes them; the times are taken at their word."""
    begin, end = (round(float(x), 3) for x in flight)
    rows = [[0.0, begin], [end, 2.6]]
    move = move_of(truth, tmp_path, planted={"left": rows, "right": rows})
    assert jump_of(move) == pytest.approx((begin, end))


def test_lost_feet_and_a_long_float_are_no_flights(truth, tmp_path):
    """Feet 5 cm above the floor for 40 ms, and the body 3 cm for half a second."""
    stands = truth.t < 0.45
    for length, lift in ((0.04, 0.05), (0.3, 0.03)):
        q = np.repeat(truth.q[stands][:1], 150, axis=0)
        t = np.arange(150) / 50
        q[(t > 1.0) & (t <= 1.0 + length), 6] += lift
        still = replace(truth, t=t, q=q, v=np.zeros((150, truth.v.shape[1])))
        move = move_of(still, tmp_path)
        assert not move.steps
        assert not any("flight" in note for note in move.notes)


def test_a_leap_onto_one_foot_is_refused(truth, flight, tmp_path):
    """The right leg stays bent for half a second after the other one has landed."""
    q = truth.q.copy()
    late = (truth.t > flight[0]) & (truth.t < flight[1] + 0.5)
    grow = np.minimum(truth.t - flight[0], flight[1] + 0.5 - truth.t)[late] / 0.2
    share = np.clip(grow, 0.0, 1.0)
    for joint, angle in (("r_leg_hpy", -0.5), ("r_leg_kny", 1.0), ("r_leg_aky", -0.5)):
        q[late, 7 + truth.robot.joint_index(joint)] += angle * share
    with pytest.raises(BackbeatError, match="leap from both feet to the left foot"):
        move_of(replace(truth, q=q), tmp_path)


def test_a_jump_is_no_float_and_is_feasible(truth):
    take = Take(truth.t, truth.robot.joint_names, truth.q[:, 7:], truth.q[:, :7])
    report = examine(take, truth.robot, "take")
    checks = {c.name: c for c in report.checks.checks}
    assert checks["force_balance"].passed
    assert checks["floating"].passed


@pytest.mark.slow
@pytest.mark.parametrize("name", ["squat-jump", "forward-jump", "arms-and-jumps"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_jumps_of_atlas_are_kept(name, seed, built, tmp_path):
    row, made = repaired(truth_of(built(name), 60.0), tmp_path, seed, "csv", "atlas")
    assert not row.refused
    assert made.certificate.passed
    assert row.nearer
    assert row.slide[1] < 3e-3


def test_a_clean_take_of_a_jump_stays_what_it_is(truth, tmp_path):
    how = Spoiling(skate=0.0, lift=0.0, tilt=0.0, noise=0.0, dropped=0.0)
    row, _ = repaired(truth, tmp_path, 0, "csv", "atlas", how)
    assert not row.refused
    assert row.after.place < 3e-3
