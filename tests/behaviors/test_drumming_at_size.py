"""Drumming of another robot: sticks in its hands, and the kit at its size."""

import numpy as np
import pytest

from backbeat.behaviors.drumming.drummer import shoulder, stick_tip
from backbeat.behaviors.drumming.kit_at_size import (
    USUAL_DRUMMER,
    reach,
    stick_length,
)
from backbeat.behaviors.drumming.problem import TIP_RADIUS, DrummingProblem
from backbeat.behaviors.drumming.strike_postures import SLACK
from backbeat.behaviors.drumming.strokes import Stroke
from backbeat.behaviors.music.notation.score import HANDS
from backbeat.behaviors.specification.kinds import (
    Variant,
    find_specification,
    read_any,
)
from backbeat.models.kit.drum_kit import DrumKit
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration

NAME = "outstanding-standing"


@pytest.fixture(scope="module")
def drummed():
    """The problem of a G1 at its kit."""
    path = find_specification(NAME)
    specification, _ = read_any(path, Variant(robot="g1"))
    return DrummingProblem(specification, path.parent)


def test_sticks_weigh_what_they_do_and_their_tips_are_ahead_of_both_hands():
    bare, with_sticks = RobotModel("g1"), RobotModel("g1", ("sticks",))
    assert with_sticks.total_mass - bare.total_mass == pytest.approx(0.052)
    state = Configuration(with_sticks, with_sticks.posture("drum-ready"))
    for hand in HANDS:
        tip, grip = state.place(stick_tip(hand)), state.place(f"{hand[0]}_stick")
        assert np.linalg.norm(tip - grip) == pytest.approx(0.22, abs=1e-9)
        assert stick_length(with_sticks, hand) == 0.22
        # The hand is round the grip, and the tip ahead of it.
        assert np.linalg.norm(grip - state.place(f"{hand}_rubber_hand")) < 0.09
        assert tip[0] > grip[0] + 0.1
    left, right = (state.place(stick_tip(h)) for h in HANDS)
    np.testing.assert_allclose(left * [1, -1, 1], right, atol=2e-5)


def test_the_usual_drummer_is_the_robot_that_kits_are_written_for():
    robot = RobotModel("atlas", ("sticks", "seat"))
    seated = robot.posture("drum-ready-seated")
    assert Configuration(robot, seated).place("seat")[2] == pytest.approx(
        USUAL_DRUMMER.seat
    )
    assert seated[6] == USUAL_DRUMMER.pelvis
    # Arms hang.
    q = robot.posture("stand")
    state = Configuration(robot, q)
    middle = np.mean([state.place(shoulder(robot, h)) for h in HANDS], axis=0)
    at = middle - q[4:7] + [0.0, 0.0, USUAL_DRUMMER.pelvis]
    np.testing.assert_allclose(at, USUAL_DRUMMER.shoulders, atol=1e-3)


def test_drums_are_as_far_from_shoulders_in_units_of_the_reach(drummed):
    ratio = reach("g1") / reach("atlas")
    assert drummed.specification.scale == pytest.approx(ratio, abs=1e-4)
    state = Configuration(drummed.robot, drummed.at_kit.posture)
    links = [shoulder(drummed.robot, hand) for hand in HANDS]
    middle = np.mean([state.place(name) for name in links], axis=0)
    usual = DrumKit()
    for name, member in usual.members.items():
        before = np.array(member.place) - USUAL_DRUMMER.shoulders
        after = drummed.kit.strike_pose(name).translation() - middle
        np.testing.assert_allclose(after, ratio * before, atol=2e-4)
        assert drummed.kit.member(name).stiffness == member.stiffness


def test_every_head_of_the_score_is_reached_by_the_hand_that_plays_it(drummed):
    robot, q = drummed.robot, drummed.at_kit.posture.copy()
    for hand in HANDS:
        for member in {h.member for h in drummed.score.of_hand(hand)}:
            arm = robot.base_positions + drummed.postures.arm(hand)
            aimed = drummed.touch(member, hand)
            q[arm] = drummed.postures.reach(hand, member, aimed)
            tip = Configuration(robot, q).place(stick_tip(hand))
            head = drummed.kit.strike_pose(member).inverse().multiply(tip)
            assert head[2] == pytest.approx(TIP_RADIUS, abs=SLACK), (hand, member)
            assert np.hypot(*head[:2]) < drummed.kit.member(member).radius


def test_ends_of_sticks_do_not_cross_between_the_hands_over_the_toms(drummed):
    # One tip rises while the other falls: crossed sticks would have to go through each
    # other.
    robot, q = drummed.robot, drummed.at_kit.posture.copy()
    for hand, member in zip(HANDS, ("high_tom", "mid_tom"), strict=True):
        arm = robot.base_positions + drummed.postures.arm(hand)
        q[arm] = drummed.postures.reach(hand, member, drummed.touch(member, hand))
    state, whole = Configuration(robot, q), 0.28
    lines = []
    for hand in HANDS:
        tip, grip = state.place(stick_tip(hand)), state.place(f"{hand[0]}_stick")
        along = (tip - grip) / np.linalg.norm(tip - grip)
        lines.append((tip[:2], (whole * along)[:2]))
    (left, a), (right, b) = lines
    # From the tips back, where the lines meet seen from above, in lengths of a stick.
    shares = np.linalg.solve(np.column_stack([-a, b]), right - left)
    assert not np.all((shares >= 0) & (shares <= 1))


def test_a_small_robot_sits_on_a_chair_of_its_height_with_its_feet_on_the_floor():
    path = find_specification("full-kit")
    specification, _ = read_any(path, Variant(robot="g1"))
    at_kit = DrummingProblem(specification, path.parent).at_kit
    state = Configuration(at_kit.robot, at_kit.posture)
    assert at_kit.kit.seat_height == pytest.approx(state.place("seat")[2], abs=1e-4)
    for side in HANDS:
        sole = state.pose(at_kit.robot.feet[side])
        assert abs(sole.translation()[2]) < 1e-3
        assert sole.rotation().matrix()[2, 2] == pytest.approx(1.0, abs=1e-6)
        # Thighs level, shins upright, the heel on its pedal's hinge.
        heel = at_kit.feet[f"{side} foot"].pedal.X_WH.translation()
        at = state.place(f"{side[0]}_heel")
        np.testing.assert_allclose(heel, at, atol=2e-3)


def test_strokes_keep_their_time():
    own, small = Stroke(), Stroke().at_size(0.65)
    assert small.fall_time == pytest.approx(own.fall_time)
    assert small.apex == pytest.approx(0.65 * own.apex)
    assert own.at_size(1.0) == own
