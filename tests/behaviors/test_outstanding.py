"""What the two drummers play: from the score, and from the built motion by Drake."""

from collections import Counter

import numpy as np
import pytest
from pydrake.systems.framework import DiagramBuilder

from backbeat.behaviors.drumming.drummer import kit_members
from backbeat.behaviors.drumming.problem import TIP_RADIUS
from backbeat.behaviors.music.files.score_reader import load_score
from backbeat.behaviors.specification.kinds import (
    SHIPPED_FOLDER,
    find_specification,
    read_specification,
)
from backbeat.models.kit.drum_kit import DrumKit
from backbeat.models.world.scene import add_world
from tests.behaviors.drake_robot import DrakeRobot

SIDES = ("inner", "outer")
DRUMMERS = ("outstanding", "outstanding-standing")
MEMBERS = {"hi_hat", "crash", "snare", "high_tom", "mid_tom", "floor_tom", "ride"}


@pytest.fixture(scope="module")
def score():
    path = SHIPPED_FOLDER / "scores" / "outstanding.yaml"
    return load_score(path, kit_members(DrumKit()))


def test_the_score_is_long_enough_and_in_its_tempo(score):
    assert score.tempo.bpm == 98
    assert str(score.tempo.meter) == "4/4"
    assert score.tempo.time(score.beats) >= 25.0


def test_the_score_plays_all_members_with_both_hands(score):
    assert len(score.hits) >= 60
    members = Counter(h.member for h in score.hits)
    assert set(members) == MEMBERS
    assert min(members.values()) >= 4
    for hand in ("left", "right"):
        assert len(score.of_hand(hand)) >= 0.35 * len(score.hits)


def test_the_score_holds_three_times_and_dances(score):
    assert len(score.holds) == 3
    for hold in score.holds:
        assert set(hold.rest) == {"left", "right"}
        assert abs(hold.sway) >= 0.15


@pytest.fixture(scope="module", params=DRUMMERS)
def drummer(request, built):
    return built(request.param)


def test_the_motion_has_every_hit_of_the_score_at_its_beat(drummer, score):
    assert drummer.duration == pytest.approx(score.tempo.time(score.beats))
    assert drummer.bpm == 98.0
    strikes = drummer.strikes()
    assert len(strikes) == len(score.hits)
    for event, hit in zip(strikes, score.hits, strict=True):
        assert event.time == hit.beat * 60 / 98
        assert (event.what, event.who[0]) == (hit.member, hit.hand[0])
        assert event.velocity == hit.velocity
    grid = np.unique(drummer.motion.t)
    for event in strikes:
        assert np.abs(grid - event.time).min() < 1e-9


def test_the_motion_has_three_holds_in_which_the_torso_turns(drummer, score):
    holds = [e for e in drummer.events if e.kind == "segment"]
    assert len(holds) == 3
    robot, motion = drummer.robot_model, drummer.motion
    turn = motion.q[:, robot.base_positions + robot.joint_index("back_bkz")]
    for hold in holds:
        assert hold.duration >= 2.0
        inside = (motion.t >= hold.time) & (motion.t <= hold.time + hold.duration)
        # What the score asks for, to both sides, less what smoothness takes.
        sway = next(h.sway for h in score.holds if h.name == hold.what)
        assert np.ptp(turn[inside]) >= 0.8 * 2 * sway


class TipMotion:
    """Places and velocities of a stick tip over a motion, by Drake."""

    def __init__(self, behavior, tip):
        drake, motion = DrakeRobot(behavior.robot_model), behavior.motion
        self.t, places, velocities = motion.t, [], []
        for q, v in zip(motion.q, motion.v, strict=True):
            drake.set(q, v)
            places.append(drake.pose(tip).translation())
            velocities.append(drake.jacobian(tip)[3:] @ v)
        self.place, self.velocity = np.array(places), np.array(velocities)

    def before(self, time):
        """Index of the left limit at a time."""
        return int(np.searchsorted(self.t, time - 1e-9))


@pytest.fixture(scope="module")
def tips(drummer):
    return {tip: TipMotion(drummer, tip) for tip in ("l_stick_tip", "r_stick_tip")}


@pytest.fixture(scope="module")
def strokes(drummer, tips):
    """(event, X_WM, motion of the tip, where it was last busy, index) of strikes."""
    kit, last, found = DrumKit(drummer.scene.place), {}, []
    rests = [(e.time + e.duration, e.who) for e in drummer.events if e.kind == "rest"]
    for event in drummer.strikes():
        ended = [t for t, who in rests if who == event.who and t < event.time]
        since = max([last.get(event.who, 0.0), *ended])
        last[event.who] = event.time
        tip = tips[event.who]
        found.append((event, kit.strike_pose(event.what), tip, since))
    return found


def test_the_tip_is_at_its_drum_on_the_beat(strokes):
    for event, X_WM, tip, _ in strokes:
        p = X_WM.inverse().multiply(tip.place[tip.before(event.time)])
        np.testing.assert_allclose(p, [0, 0, TIP_RADIUS], atol=1e-5)


def test_the_tip_comes_down_at_one_meter_a_second_and_bounces_back(strokes):
    for event, X_WM, tip, _ in strokes:
        normal, i = X_WM.rotation().matrix()[:, 2], tip.before(event.time)
        assert -normal @ tip.velocity[i] >= 1.0
        assert tip.t[i + 1] == pytest.approx(event.time)
        assert normal @ tip.velocity[i + 1] > 0.3


def test_the_stick_is_raised_before_every_hit(strokes):
    """The apex since the hand was last at a drum, above the head to be struck."""
    for event, X_WM, tip, since in strokes:
        normal = X_WM.rotation().matrix()[:, 2]
        way = slice(tip.before(since) + 1, tip.before(event.time) + 1)
        height = (tip.place[way] - X_WM.translation()) @ normal
        assert height.max() >= 0.10


def test_no_tip_is_below_a_head(drummer, tips):
    """Wherever the tips go, they stay above or beside every member."""
    kit = DrumKit(drummer.scene.place)
    for name, member in kit.members.items():
        X_MW = kit.strike_pose(name).inverse()
        for tip in tips.values():
            p = X_MW.multiply(tip.place.T).T
            over = np.hypot(p[:, 0], p[:, 1]) < member.radius - 0.01
            above = p[:, 2] > TIP_RADIUS - 2e-3
            below = p[:, 2] < -member.depth - TIP_RADIUS
            assert (above | below)[over].all()


def test_a_plan_counts_on_no_more_impulse_than_a_stick_gives(built):
    """What turns the tip's speed around is its mass, of stick, hand and forearm.

    By Drake: an impulse along the head's normal n changes the tip's speed by
    n^T J M^-1 J^T n of it, and the plan may count on a few times as much, not on ten.
    """
    behavior = built("outstanding-standing")
    path = find_specification(behavior.name)
    impacts = read_specification(path)[0].plan(path.parent).problem.impacts
    kit, motion = DrumKit(behavior.scene.place), behavior.motion
    drake, shares = DrakeRobot(behavior.robot_model), []
    for event, impact in zip(behavior.strikes(), impacts, strict=True):
        k = int(np.searchsorted(motion.t, event.time - 1e-9))
        drake.set(motion.q[k], motion.v[k])
        normal = kit.strike_pose(event.what).rotation().matrix()[:, 2]
        J = normal @ drake.jacobian(event.who)[3:]
        mass = 1.0 / (J @ np.linalg.solve(drake.mass_matrix(), J))
        assert 0.02 < mass < 0.2
        shares.append(
            impact.max_impulse / (mass * (J @ (motion.v[k + 1] - motion.v[k])))
        )
    assert min(shares) > 1.0
    assert max(shares) < 8.0


def test_the_seated_drummer_is_held_by_nothing(built):
    behavior = built("outstanding")
    motion, robot = behavior.motion, behavior.robot_model
    assert robot.floating
    assert robot.num_joints == 30
    load = {}
    for name in ("l_foot", "r_foot", "seat"):
        c = motion.contacts.index(name)
        assert motion.standing[:, c].all()
        patch, w = robot.contacts[name], motion.wrench[:, c]
        load[name] = w[:, 5]
        assert load[name].min() > 0.02 * robot.weight
        assert np.abs(w[:, 1] / w[:, 5]).max() < 0.5 * patch.half_length
        assert np.abs(w[:, 0] / w[:, 5]).max() < 0.5 * patch.half_width
        assert (np.hypot(w[:, 3], w[:, 4]) / w[:, 5]).max() < 0.4
    # It sits: most of it is on the chair.
    assert load["seat"].mean() > 0.55 * robot.weight


def test_the_seated_drummer_touches_floor_and_chair_as_planned(built):
    """Corners of soles and seat touch, nothing else of the robot does."""
    behavior = built("outstanding")
    builder = DiagramBuilder()
    world = add_world(builder, behavior.robot_model, scene=behavior.scene)
    diagram = builder.Build()
    root = diagram.CreateDefaultContext()
    plant, graph = world.plant, world.scene_graph
    context = plant.GetMyMutableContextFromRoot(root)
    chosen = world.state_places[: behavior.robot_model.num_positions]
    ends = {f"{s}_{e}_{k}" for s in "lr" for e in ("heel", "toe") for k in SIDES}
    for i in range(0, len(behavior.motion.t), 500):
        q = plant.GetPositions(context)
        q[chosen] = behavior.motion.q[i]
        plant.SetPositions(context, q)
        query = graph.get_query_output_port().Eval(graph.GetMyContextFromRoot(root))
        name, touching = query.inspector().GetName, set()
        for pair in query.ComputeSignedDistancePairwiseClosestPoints(0.01):
            parts = {name(g).split("::")[-1] for g in (pair.id_A, pair.id_B)}
            if not parts & {"ground", "chair"}:
                continue
            if pair.distance < 1e-4:
                touching |= parts - {"ground", "chair"}
                assert pair.distance == pytest.approx(0.0, abs=1e-5)
            else:
                # The boxes of feet and pelvis stay above the corners.
                assert pair.distance > 2e-3, parts
        assert touching == ends | {f"seat_corner_{k}" for k in range(4)}


def test_the_standing_drummer_stands(built):
    behavior = built("outstanding-standing")
    motion = behavior.motion
    assert behavior.robot_model.num_joints == 30
    for foot in ("l_foot", "r_foot"):
        c = motion.contacts.index(foot)
        assert motion.standing[:, c].all()
        assert motion.wrench[:, c, 5].min() > 0.05 * behavior.robot_model.weight


@pytest.mark.parametrize("name", DRUMMERS)
def test_resting_tips_press_softly(built, name):
    motion = built(name).motion
    for tip in ("l_stick_tip", "r_stick_tip"):
        c = motion.contacts.index(tip)
        resting = motion.standing[:, c]
        assert resting.any()
        load = motion.wrench[resting, c, 5]
        assert load.min() > 0.0
        assert load.max() < 20.0
