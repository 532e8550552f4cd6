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
    assert with_sticks.total_mass - bare.total_mass == pytest.approx(0.06)
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
            assert head[2] == pytest.approx(TIP_RADIUS, abs=1e-3), (hand, member)
            assert np.hypot(*head[:2]) < drummed.kit.member(member).radius


def test_strokes_keep_their_time():
    own, small = Stroke(), Stroke().at_size(0.65)
    assert small.fall_time == pytest.approx(own.fall_time)
    assert small.apex == pytest.approx(0.65 * own.apex)
    assert own.at_size(1.0) == own
