"""Elbows: measured against Drake, kept down in plans, and told where they cannot be."""

import itertools

import numpy as np
import pytest
from pydrake.math import RigidTransform

from backbeat.behaviors.drumming.drum_tasks import DrumTasks
from backbeat.behaviors.drumming.drummer import elbow, shoulder
from backbeat.behaviors.drumming.elbows import Elbows, find_elbows, raised_at_hits
from backbeat.behaviors.drumming.robot_at_kit import ELBOW_MARGIN, RobotAtKit
from backbeat.behaviors.drumming.strokes import Stroke
from backbeat.behaviors.kinematic.singular_values import singular_values
from backbeat.behaviors.library.behavior import Event
from backbeat.behaviors.motion.knot_grid import KnotGrid
from backbeat.behaviors.music.notation.score import HANDS, Hit, Hold, Score
from backbeat.behaviors.music.notation.tempo import Tempo
from backbeat.models.robot.loading import find_frame
from backbeat.models.state.configuration import Configuration
from tests.behaviors.drake_robot import DrakeRobot

# Of both tips' Jacobian in the plans that ship [m/rad].
FLOOR = 0.2
REST = {"left": "snare", "right": "floor_tom"}


@pytest.fixture(scope="module", params=[True, False], ids=["seated", "standing"])
def at_kit(request):
    return RobotAtKit("atlas", ("sticks",), request.param)


@pytest.mark.parametrize("name", ["outstanding", "outstanding-standing"])
def test_shipped_drummers_have_their_elbows_down(built, name):
    """In every sample of the plan; Drake's kinematics agree."""
    behavior = built(name)
    motion, robot = behavior.motion, behavior.robot_model
    drake = DrakeRobot(robot)
    elbows = find_elbows(robot, motion.t, motion.q)
    assert (elbows.share_down() == 1.0).all()
    assert (elbows.share_sagging() == 1.0).all()
    assert (elbows.least_depth() > 0.0).all()
    assert not [r for r in behavior.provenance["remarks"] if "elbow" in r]
    for k in range(0, len(motion.t), 40):
        drake.set(motion.q[k], motion.v[k])
        for i, hand in enumerate(HANDS):
            high, low = (
                find_frame(drake.plant, link).CalcPoseInWorld(drake.context)
                for link in (shoulder(robot, hand), elbow(robot, hand))
            )
            depth = high.translation()[2] - low.translation()[2]
            assert elbows.depth[k, i] == pytest.approx(depth, abs=1e-9)


@pytest.mark.parametrize("name", ["outstanding", "outstanding-standing"])
def test_shipped_drummers_stay_above_a_floor_of_singular_values(built, name):
    behavior = built(name)
    motion = behavior.motion
    at = slice(0, None, 8)
    table = singular_values(behavior.robot_model, motion.t[at], motion.q[at])
    assert table["s6"].min() > FLOOR


def test_the_measure_tells_up_from_down(at_kit):
    """An arm held out at shoulder height, raised and lowered by its second joint."""
    robot = at_kit.robot
    q = np.tile(robot.posture("cruciform"), (3, 1))
    joints = robot.base_positions + robot.joint_indices(["l_arm_shx", "r_arm_shx"])
    q[0, joints], q[1, joints] = (0.5, -0.5), (-0.5, 0.5)
    q[2] = robot.posture("drum-ready")
    elbows = find_elbows(robot, np.arange(3.0), q)
    assert (elbows.depth[0] < -0.1).all()
    assert (elbows.depth[1] > 0.1).all()
    np.testing.assert_allclose(elbows.depth[:, 0], elbows.depth[:, 1], atol=1e-9)
    assert (elbows.depth[2] > 0.2).all()
    assert (elbows.sag[2] > 0.1).all()
    np.testing.assert_allclose(elbows.share_down(), 2 / 3)


def test_every_member_is_reached_with_the_elbow_down(at_kit):
    """By both hands; the ride is too far around for the left one, as it always was."""
    postures, kit = at_kit.strike_postures(0.25), at_kit.kit
    state = Configuration(at_kit.robot, at_kit.posture)
    for hand, member in itertools.product(HANDS, kit.members):
        if (hand, member) == ("left", "ride"):
            continue
        touch = kit.strike_pose(member) @ RigidTransform([0.0, 0.0, 0.007])
        q = at_kit.posture.copy()
        arm = at_kit.robot.base_positions + postures.arm(hand)
        q[arm] = postures.reach(hand, member, touch)
        assert not postures.elbow_is_free(hand, member), (hand, member)
        state.update(q)
        high, low = (
            state.pose(link(at_kit.robot, hand)).translation()[2]
            for link in (shoulder, elbow)
        )
        assert high - low >= ELBOW_MARGIN - 2e-3, (hand, member)


@pytest.mark.slow
def test_a_place_that_no_low_elbow_reaches_is_reached_by_a_high_one():
    """Half a meter above the shoulders, close ahead: some seconds of vain search."""
    at_kit = RobotAtKit("atlas", ("sticks",), True)
    postures = at_kit.strike_postures(0.0)
    ride = at_kit.kit.strike_pose("ride").translation()
    high = RigidTransform(np.array([ride[0] - 0.3, ride[1], 1.65]))
    postures.reach("right", "ride", high)
    assert postures.elbow_is_free("right", "ride")


def test_where_reach_forbids_it_the_elbow_is_free_on_the_ways_there():
    at_kit = RobotAtKit("atlas", ("sticks",), True)
    hits = tuple(
        Hit(beat, member, "right", 90)
        for beat, member in ((4.0, "mid_tom"), (6.0, "ride"), (8.0, "mid_tom"))
    )
    hold = Hold(0.0, 3.0, "ready", REST, 0.2, 2.0)
    score = Score(Tempo(120.0), hits, (hold,), 10.0)
    grid = KnotGrid(score.tempo, 10.0, [h.beat for h in hits], [], ())
    tasks = DrumTasks(
        at_kit.robot, at_kit.kit, score, grid, at_kit.kit.strike_pose, Stroke()
    )
    heights = {hand: at_kit.elbow_height(hand) for hand in HANDS}
    left, right = tasks.elbows(heights, lambda h, m: (h, m) == ("right", "ride"))
    assert (left.frame, right.frame) == ("l_larm", "r_larm")
    assert len(left.knots) == len(grid.times)
    freed = np.setdiff1d(left.knots, right.knots)
    times = grid.times[freed]
    # From the stop before the ride to the one after it, at two beats a second.
    assert (times.min(), times.max()) == pytest.approx((2.0, 4.0), abs=0.05)
    assert grid.knot(6.0) in freed


def test_a_raised_elbow_is_told_per_hit():
    depth = np.array([[0.1, 0.1], [0.1, -0.04], [0.1, 0.1]])
    elbows = Elbows(np.array([0.0, 1.0, 2.0]), depth, depth)
    strikes = [
        Event(time, "strike", "ride", "r_stick_tip", 90, aim=(0.0, 0.0))
        for time in (0.0, 1.0, 2.0)
    ]
    strikes.append(Event(1.0, "strike", "hi_hat", "l_stick_tip", 90, aim=(0.0, 0.0)))
    (sentence,) = raised_at_hits(elbows, strikes)
    assert "right elbow is 40 mm above its shoulder" in sentence
    assert "hits the ride at 1.00 s" in sentence
    np.testing.assert_allclose(elbows.share_down(), [1.0, 2 / 3])
