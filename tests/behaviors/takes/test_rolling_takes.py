"""Takes of people and of rolling walks keep their heel strikes and toe-offs."""

from dataclasses import replace

import numpy as np
import pytest

from backbeat.behaviors.building.build import build
from backbeat.behaviors.dance.recorded_move import RecordedMove
from backbeat.behaviors.dance.vocabulary.expression import Expression
from backbeat.behaviors.dance.vocabulary.move import Curve
from backbeat.behaviors.footsteps.footprints import Footprints
from backbeat.behaviors.footsteps.rest_height import rest_lowering
from backbeat.behaviors.footsteps.specification import FootstepSpecification
from backbeat.behaviors.footsteps.step import FEET, Step
from backbeat.behaviors.footsteps.step_rolls import StepRoll, lay_rolls
from backbeat.behaviors.library.behavior import Mount, make_robot
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.posture.stance import start_configuration, support_poses
from backbeat.behaviors.recording.contacts.foot_roll import KeptFeet
from backbeat.behaviors.recording.dance_offsets import dance_offsets
from backbeat.behaviors.recording.feasibility import examine
from backbeat.behaviors.recording.take_file import read_take
from backbeat.behaviors.specification.kinds import read_any
from backbeat.behaviors.takes.take import Conventions, Take
from backbeat.models.dynamics.edges import HEEL, TOE
from benchmarks.spoiled_takes import counterpart, repaired, truth_of
from tests.behaviors.drake_robot import DrakeRobot
from tests.behaviors.human_takes import take
from tests.behaviors.recordings import write
from tests.behaviors.skeleton_takes import Style, write_take

# Errors of the times at which edges land and leave [s], and slide of an edge [m].
LATE, SLIDE = 0.1, 5e-3
NAMES = ("atlas", "g1", "h1")


@pytest.fixture(scope="module")
def robots():
    return {name: make_robot(name, (), Mount()) for name in NAMES}


@pytest.fixture(scope="module")
def walk(tmp_path_factory):
    """Three steps over heel and toe."""
    folder = tmp_path_factory.mktemp("rolled")
    steps = [Step("both", time=0.6)]
    for foot, way, rest in (("right", 0.25, 0.4), ("left", 0.5, 0.4)):
        steps += [Step(foot, time=0.7, to=[way, 0.0]), Step("both", time=rest)]
    steps += [Step("right", time=0.7, to=[0.25, 0.0]), Step("both", time=0.9)]
    rolled = FootstepSpecification(name="rolled", robot="g1", steps=steps, roll=True)
    return build(rolled.save(folder), Library(folder / "library"))


@pytest.fixture(scope="module")
def again(walk, tmp_path_factory):
    """What came of a spoiled take of it: the row, the behavior, and both by time."""
    folder = tmp_path_factory.mktemp("again")
    truth = truth_of(walk)
    row, made = repaired(truth, folder, 2, "csv", "g1")
    assert made is not None, row.refused
    dance, _ = read_any(folder / "mine.yaml")
    t, q = counterpart(made, dance, folder)
    true = np.stack([np.interp(t[:, 0], truth.t, x) for x in truth.q.T], axis=1)
    return row, made, t, q, true


def pitches(robot, q):
    """(n, 2) pitch of both soles, toe down, by Drake [rad]."""
    drake, out = DrakeRobot(robot), np.zeros((len(q), 2))
    for i, row in enumerate(q):
        drake.set(row, np.zeros(robot.num_velocities))
        for k, foot in enumerate(FEET):
            R = drake.pose(robot.feet[foot]).rotation().matrix()
            out[i, k] = np.arcsin(-R[2, 0])
    return out


def edge_times(behavior):
    """Contact, edge, start and end of every time on an edge [s]."""
    motion, found = behavior.motion, []
    for c, name in enumerate(motion.contacts):
        edge = motion.edge[:, c]
        starts = np.flatnonzero(np.diff(np.r_[0, edge]) * (edge != 0))
        for i in starts:
            j = i + int(np.argmax(np.r_[edge[i:] != edge[i], True]))
            found.append((name, int(edge[i]), motion.t[i], motion.t[j - 1]))
    return found


def test_strikes_and_toe_offs_are_where_they_were(walk, again):
    row, made, t, _, _ = again
    assert made.certificate.passed
    assert row.nearer
    assert row.slide[1] < 3e-3
    true, mine = edge_times(walk), edge_times(made)
    assert len(true) == len(mine) == 6
    late = t[0, 1] - t[0, 0]
    for (name, edge, a, b), (own, same, c, d) in zip(true, mine, strict=True):
        assert (name, edge) == (own, same)
        strikes = edge == HEEL
        assert abs((a if strikes else b) - (c if strikes else d) + late) < LATE


def test_feet_pitch_as_they_did(walk, again):
    """Flat feet would be off by all of their pitch."""
    _, _, _, q, true = again
    robot = walk.robot_model
    mine, truth = pitches(robot, q), pitches(robot, true)
    assert np.sqrt(np.mean((mine - truth) ** 2)) < 0.25 * np.sqrt(np.mean(truth**2))


def test_edges_stay_where_they_land(again):
    _, made, *_ = again
    robot, motion = made.robot_model, made.motion
    drake, names = DrakeRobot(robot), list(motion.contacts)
    for name, edge, start, end in edge_times(made):
        ahead = edge * robot.contacts[name].half_length
        at = np.flatnonzero((motion.t >= start) & (motion.t <= end))
        assert (motion.edge[at, names.index(name)] == edge).all()
        places = []
        for i in at:
            drake.set(motion.q[i], motion.v[i])
            places.append(drake.pose(name) @ np.array([ahead, 0.0, 0.0]))
        assert np.ptp(places, axis=0).max() < SLIDE


def test_a_walk_over_heel_and_toe_is_feasible_as_it_is(walk):
    """A heel that turns about its edge does not slide."""
    truth = truth_of(walk)
    robot = truth.robot
    joints = truth.q[:, robot.base_positions :]
    report = examine(
        Take(truth.t, robot.joint_names, joints, truth.q[:, :7]), robot, ""
    )
    assert report.feasible, report.checks.failures()
    (slide,) = [c.value for c in report.checks.checks if c.name == "foot_slide"]
    assert slide < 5e-4


def found(robot, kind, tmp_path, seed=4, **more):
    motion = take(robot, kind, seed)
    path = write(motion.frame, tmp_path / "take.csv")
    recording = read_take(path, robot, Conventions(unit="radians"))
    start = start_configuration(robot, "stand")
    return dance_offsets(recording, robot, start, "take", **more), motion


def test_people_strike_and_leave_at_every_step(robots, tmp_path):
    made, motion = found(robots["atlas"], "walk from rest", tmp_path)
    steps = [s.roll for s in made.steps]
    assert len(steps) >= 3
    for roll in steps:
        assert roll is not None
        assert roll.toe > 0
        assert roll.leaving[-1] > 0.1
    # Its style strikes at 0.4 rad, but where it comes to rest.
    strikes = [r.landing[0] for r in steps if r.heel > 0]
    assert len(strikes) >= len(steps) - 1
    assert max(strikes) < -0.1
    assert motion.contacts
    said = [n for n in made.notes if "roll" in n]
    assert said == [
        f"take: feet roll over heel and toe: {_count(len(strikes), 'heel strike')} and "
        f"{_count(len(steps), 'toe-off')} are kept"
    ]


def _count(number, what):
    return f"{number} {what}{'s' * (number != 1)}"


@pytest.mark.parametrize("kind", ["shuffle", "crouch", "sway"])
def test_flat_feet_stay_flat(kind, robots, tmp_path):
    made, _ = found(robots["g1"], kind, tmp_path)
    assert not any(s.roll for s in made.steps)
    assert not [n for n in made.notes if "roll" in n or "flat" in n]


def test_feet_stay_flat_where_the_user_or_the_ankle_says_so(robots, tmp_path):
    made, _ = found(
        robots["atlas"], "walk from rest", tmp_path, kept=KeptFeet(roll=False)
    )
    assert not any(s.roll for s in made.steps)
    assert not [n for n in made.notes if "roll" in n]
    made, _ = found(robots["h1"], "slow walk", tmp_path)
    assert not any(s.roll for s in made.steps)
    (note,) = [n for n in made.notes if "roll" in n]
    assert note.endswith("no joint for ankle roll, and its feet stay flat")


def test_a_skeleton_keeps_its_gait(walk, robots, tmp_path):
    """A walk of the G1 as that of a person, for Atlas."""
    truth = truth_of(walk)
    path = write_take(
        tmp_path / "walk.bvh",
        truth.robot,
        truth.t,
        truth.q,
        Style(noise=(0.001, 0.002)),
    )
    robot = robots["atlas"]
    start = start_configuration(robot, "stand")
    made = dance_offsets(read_take(path, robot), robot, start, "take")
    assert len(made.steps) == 3
    for roll in (s.roll for s in made.steps):
        assert roll is not None
        assert roll.leaving[-1] > 0.08
    assert sum(s.roll.heel > 0 for s in made.steps) >= 2


GIVEN = StepRoll(0.2, 0.3, (0.0, 0.3), (0.3, -0.2), (-0.2, 0.0))


def prints_of(robot, feet, both=0.4):
    poses = support_poses(robot, start_configuration(robot, "stand"))
    steps = [Step("both", time=0.6)]
    for foot in feet:
        steps += [Step(foot, time=0.5, to=[0.2, 0.0]), Step("both", time=both)]
    times = [s.time for s in steps]
    return Footprints(steps, times, 0.05, robot.feet, poses)


def test_rolls_are_laid_on_knots_and_pitch_as_given(robots):
    prints = prints_of(robots["g1"], ["right", "left"])
    lay_rolls(prints, {1: GIVEN, 3: GIVEN})
    assert [(r.step, r.foot, r.edge, r.knots) for r in prints.rolls] == [
        (0, "left", TOE, 4),
        (2, "right", TOE, 4),
        (2, "left", HEEL, 6),
        (4, "right", HEEL, 6),
    ]
    toe, heel = prints.rolls[0], prints.rolls[2]
    np.testing.assert_allclose(toe.pitches(), [0.075, 0.15, 0.225, 0.3])
    np.testing.assert_allclose(heel.pitches(), -0.2 * np.arange(6, 0, -1) / 6)
    np.testing.assert_allclose(
        prints.pitches(1, "left", np.array([0.0, 0.5, 1.0])), [0.3, 0.05, -0.2]
    )
    prints.schedule()  # which refuses feet that change their edge


def test_a_foot_is_flat_between_its_heel_and_its_toe(robots):
    """One that lands and leaves again keeps the larger of both."""
    prints = prints_of(robots["g1"], ["right", "right"])
    lay_rolls(prints, {1: GIVEN, 3: GIVEN})
    assert [(r.step, r.edge) for r in prints.rolls] == [(0, TOE), (2, TOE), (4, HEEL)]
    assert prints.pitches(1, "left", np.array([1.0])) == pytest.approx(0.0)
    slower = replace(GIVEN, toe=0.0).slower(0.5)
    lay_rolls(prints, {3: slower})
    assert [(r.step, r.edge, r.knots) for r in prints.rolls] == [(4, HEEL, 4)]


def test_a_body_rests_lower_where_its_feet_are_apart(robots):
    """So low that the legs reach, and not before a step has been taken."""
    robot = robots["g1"]
    start = start_configuration(robot, "stand")
    lows = {}
    for ahead in (0.0, 0.3, 0.5):
        steps = [Step("both", time=0.6), Step("right", time=0.5, to=[ahead, 0.0])]
        steps += [Step("both", time=1.0)]
        poses = support_poses(robot, start)
        prints = Footprints(steps, [0.6, 0.5, 1.0], 0.05, robot.feet, poses)
        low = rest_lowering(robot, prints, start)
        assert low.min() == 0.0
        assert low[0] == 0.0
        lows[ahead] = low[-1]
    assert lows[0.0] == pytest.approx(0.0, abs=1e-9)
    assert 0.0 <= lows[0.3] < lows[0.5] < 0.15
    # A straight leg that is spread by a quarter of a meter is that much lower.
    leg = robot.leg_length
    assert lows[0.5] < 1.5 * (leg - np.sqrt(leg**2 - 0.25**2))


def test_a_walk_that_is_cut_keeps_its_speed_into_the_lead():
    """The body does not stop at once where its recording ends."""
    times = np.linspace(0.0, 1.0, 51)
    move = RecordedMove(
        name="cut",
        track="legs",
        summary="",
        parameters={},
        length=Expression(4.0),
        repeats=False,
        curves={"com.x": Curve((0.0,), (Expression(),))},
        lead=0.25,
        times=times,
        samples={"com.x": 0.5 * times},
    )
    beats = np.linspace(0.0, 4.0, 801)
    x = move.shape(beats, 4.0, {})["com.x"]
    speed = np.gradient(x, beats)
    assert x[0] == x[-1] == 0.0
    at = np.flatnonzero((beats > 1.0) & (beats < 3.0))
    np.testing.assert_allclose(speed[at[1:-1]], 0.25, rtol=1e-6)
    ends = np.abs(np.diff(speed))
    assert ends.max() < 0.02  # no step of its speed of 0.25
    assert speed[np.searchsorted(beats, 3.05)] == pytest.approx(0.25, abs=0.06)
