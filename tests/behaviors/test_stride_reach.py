"""Strides that no leg reaches are refused before anything is solved, others are not."""

import re

import numpy as np
import pytest

from backbeat.behaviors.footsteps.footprints import Footprints
from backbeat.behaviors.footsteps.step import Step
from backbeat.behaviors.footsteps.stride_reach import check_strides
from backbeat.behaviors.library.behavior import Mount, make_robot
from backbeat.behaviors.posture.stance import start_configuration, support_poses
from backbeat.behaviors.specification.kinds import parse_specification
from backbeat.models.common.errors import BackbeatError
from tests.behaviors.short_legs import APART, LEG, write

# Lengths of thigh and shank [m], and what hip and ankle let a straight leg lean [rad].
THIGH, SHANK = (-drop for name, _, drop, *_ in LEG if name in ("kny", "aky"))
LEAN = min(
    abs(limit)
    for name, *_, low, high, _, _, _ in LEG
    for limit in (low, high)
    if name in ("hpy", "aky")
)
STEPS = """kind: footsteps
name: stride
summary: A stride.
steps:
- {feet: both, time: 0.6}
- {feet: right, time: 0.7, to: [1.6, 0]}
- {feet: both, time: 0.6}
"""
MOVE = """name: stride
track: legs
summary: A stride.
length: 4
steps:
- {at: 0.25, until: 0.625, feet: left, to: [-1.6, 0]}
"""
DANCE = """kind: dance
name: long
summary: A stride.
bpm: 60
beats: 8
tracks: {legs: [{move: stride, at: 2}]}
"""


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    return make_robot(str(write(tmp_path_factory.mktemp("short"), 0.15)), (), Mount())


def refusal(robot, to, turn=0.0, feet="right", before=()):
    """What is said of a step; "" if nothing is."""
    steps = [Step("both", 1.0), *before, Step(feet, 0.6, to=to, turn=turn)]
    steps.append(Step("both", 1.0))
    q, times = start_configuration(robot, "stand"), [s.time for s in steps]
    prints = Footprints(steps, times, 0.05, robot.feet, support_poses(robot, q))
    try:
        check_strides(robot, q, prints, [f"step {i}" for i in range(len(steps))])
    except BackbeatError as error:
        return str(error)
    return ""


def test_what_straight_legs_reach_is_not_refused(robot):
    """Legs that lean as far as hips and ankles let them are as long a stride."""
    reached = 2 * (THIGH + SHANK) * np.sin(LEAN)
    assert reached > 0.4
    assert refusal(robot, [reached - 0.005, 0.0]) == ""
    assert refusal(robot, [0.005 - reached, 0.0]) == ""


def test_longer_than_two_legs_is_refused_with_its_time_and_its_foot(robot):
    """Legs that lie on the ground, and hips that are turned to be in line with them."""
    longest = 2 * (THIGH + SHANK + APART)
    said = refusal(robot, [longest + 0.01, 0.0])
    assert said.startswith(
        "step 1 is too long for short: at 1.60 s the left foot lands"
    )
    share = float(re.search(r"reach (\d+)% of that", said)[1]) / 100
    assert 2 * (THIGH + SHANK) * np.sin(LEAN) < share * longest < longest
    assert "_leg_" in said
    assert " rad" in said


def test_a_step_counts_from_where_the_other_foot_stands(robot):
    """Twice as far as legs reach, for a foot that is as far behind, is no stride."""
    first = Step("right", 0.6, to=[-0.35, 0.0])
    assert refusal(robot, [0.7, 0.0]) != ""
    assert refusal(robot, [0.7, 0.0], before=[first]) == ""


def test_turns_that_hips_do_not_have_are_refused(robot):
    """Hips of Atlas turn in by 0.17 rad, and the small ones by a whole radian."""
    atlas = make_robot("atlas", (), Mount())
    assert refusal(robot, [0.0, 0.0], -1.5) == ""
    assert "turned by -1.50 rad" in refusal(atlas, [0.3, 0.0], -1.5)


def test_footsteps_are_refused_before_they_are_solved(tmp_path):
    with pytest.raises(
        BackbeatError, match=r"stride, step 2, is too long for atlas: at 1\.30 s the l"
    ) as error:
        parse_specification(STEPS, "stride.yaml").plan(tmp_path)
    assert "l_leg_aky at its limit of 0.70 rad" in str(error.value)


def test_a_dance_is_refused_before_it_is_solved(tmp_path):
    (tmp_path / "moves").mkdir()
    (tmp_path / "moves" / "stride.yaml").write_text(MOVE)
    with pytest.raises(
        BackbeatError, match=r"long, beat 3: a step of stride is too long for atlas: at"
    ):
        parse_specification(DANCE, "long.yaml").plan(tmp_path)
