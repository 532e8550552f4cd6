"""Footsteps: feet land where they shall, swing clear of the ground, and jumps fly."""

import numpy as np
import pytest
from pydrake.math import RollPitchYaw

from backbeat.behaviors.footsteps.jump import JUMP_MARGIN, JUMP_TORQUE
from backbeat.behaviors.footsteps.specification import PATCH_SHARE
from backbeat.behaviors.footsteps.swings import LEAST_CLEARANCE
from backbeat.behaviors.specification.kinds import (
    SHIPPED_FOLDER,
    parse_specification,
    read_specification,
)
from backbeat.models.common.errors import BackbeatError
from backbeat.models.dynamics.edges import HEEL, TOE
from backbeat.optimization.verification.certificate import BOUNDS
from tests.behaviors.drake_robot import DrakeRobot
from tests.tolerances import BALLISTIC, CONTACT

FEET = {"left": "l_foot", "right": "r_foot"}
FOOTSTEPS = (
    *("march", "walk-2", "walk-6", "side-step", "step-touch", "quarter-turn"),
    *("one-leg-balance", "squat-jump", "forward-jump", "kick", "toe-tap"),
)
POSTURES = ("deep-squat", "bow", "floor-reach")
WALK = """\
kind: footsteps
name: mine
steps:
- {feet: both, time: 0.6}
- {feet: right, time: 0.7, to: [0.2, 0.0]}
- {feet: both, time: 0.6}
"""


@pytest.fixture(scope="module")
def path(built):
    """`path(name)`: times and (M, 4) x, y, z, yaw of both feet, by Drake."""

    def get(name):
        behavior = built(name)
        drake, motion = DrakeRobot(behavior.robot_model), behavior.motion
        found = {foot: [] for foot in FEET.values()}
        for q, v in zip(motion.q, motion.v, strict=True):
            drake.set(q, v)
            for foot, rows in found.items():
                X = drake.pose(foot)
                yaw = RollPitchYaw(X.rotation()).yaw_angle()
                rows.append([*X.translation(), yaw])
        return motion.t, {foot: np.array(rows) for foot, rows in found.items()}

    return get


def steps(behavior):
    """(step, start, end) with the times that were chosen."""
    specification, _ = read_specification(SHIPPED_FOLDER / f"{behavior.name}.yaml")
    segments = [e for e in behavior.events if e.kind == "segment"]
    return [
        (step, e.time, e.time + e.duration)
        for step, e in zip(specification.steps, segments, strict=True)
    ]


def standing(step, side):
    return step.feet in ("both", side)


def planned(behavior, side):
    """(forward, left, turn) of a foot after all steps, from the file alone."""
    heading, place, turned = {s: 0.0 for s in FEET}, np.zeros(2), 0.0
    for step, *_ in steps(behavior):
        middle = np.mean(list(heading.values()))
        c, s = np.cos(middle), np.sin(middle)
        if not standing(step, side):
            place = place + np.array([[c, -s], [s, c]]) @ step.to
            turned += step.turn
        for other in FEET:
            if not standing(step, other):
                heading[other] += step.turn
    return *place, turned


def check_feet(behavior, t, feet):
    """Feet stand still while they stand and end where the file says."""
    for side, foot in FEET.items():
        end = (feet[foot][-1] - feet[foot][0])[[0, 1, 3]]
        np.testing.assert_allclose(end, planned(behavior, side), atol=10 * CONTACT)
        for step, start, stop in steps(behavior):
            if not standing(step, side):
                continue
            during = feet[foot][(t >= start - 1e-9) & (t <= stop + 1e-9)]
            assert np.ptp(during, axis=0).max() < 2 * BOUNDS["contact_position"]


def check_swing(behavior, t, feet):
    """Feet in the air are never in the ground, and half way they are well above."""
    for side, foot in FEET.items():
        ground = feet[foot][0, 2]
        for step, start, stop in steps(behavior):
            if standing(step, side):
                continue
            during = (t >= start) & (t <= stop)
            height = feet[foot][during, 2] - ground
            assert height.min() > -BOUNDS["penetration"]
            if step.feet != "none" and not step.via:
                assert height.max() > 0.9 * LEAST_CLEARANCE * step.clearance


@pytest.mark.parametrize("name", ["walk-2", "squat-jump"])
def test_steps_are_made_as_they_are_written(built, path, name):
    behavior = built(name)
    assert behavior.certificate.passed, behavior.certificate.failures()
    t, feet = path(name)
    check_feet(behavior, t, feet)
    check_swing(behavior, t, feet)


def test_a_walk_takes_the_body_along(built):
    behavior = built("walk-2")
    moved = behavior.com[-1] - behavior.com[0]
    assert moved[0] == pytest.approx(0.2, abs=0.02)
    assert np.abs(moved[1:]).max() < 0.02


def test_a_walk_keeps_off_the_edges_of_its_soles(built):
    behavior = built("walk-2")
    motion, robot = behavior.motion, behavior.robot_model
    for i, name in enumerate(motion.contacts):
        w = motion.wrench[motion.standing[:, i], i]
        w = w[w[:, 5] > 0.03 * robot.weight]
        center = np.abs(np.stack([w[:, 1], w[:, 0]])) / w[:, 5]
        patch = robot.contacts[name]
        half = np.array([[patch.half_length], [patch.half_width]])
        # Between knots wrenches are those of the dense reconstruction.
        assert (center / half).max() < PATCH_SHARE + 0.05
        assert (center / half).max() > PATCH_SHARE - 0.1


def test_a_walk_swings_the_arms_against_the_feet(built):
    """Left foot ahead: the right arm is ahead of where it is while standing."""
    behavior = built("walk-2")
    robot, motion = behavior.robot_model, behavior.motion
    arms = robot.base_positions + np.array(
        [robot.joint_index(f"{s}_arm_shz") for s in "lr"]
    )
    both = np.flatnonzero(np.abs(motion.t - 1.45) < 1e-6)
    swung = motion.q[both][:, arms] - motion.q[0, arms]
    assert (swung > 0.05).all()


def flight(behavior):
    """Samples with both feet in the air."""
    ((start, stop),) = [(a, b) for s, a, b in steps(behavior) if s.feet == "none"]
    t = behavior.motion.t
    return (t > start + 1e-6) & (t < stop - 1e-6)


def check_flight(behavior, feet):
    """The center of mass is on a parabola, and nothing else holds the robot."""
    air, t = flight(behavior), behavior.motion.t
    gravity = behavior.robot_model.gravity
    assert not behavior.motion.wrench[air].any()
    com = behavior.com[air]
    s = t[air] - t[air][0]
    ends = (com[-1] - com[0]) / s[-1]
    ends[2] += 0.5 * gravity * s[-1]
    parabola = com[0] + np.outer(s, ends)
    parabola[:, 2] -= 0.5 * gravity * s**2
    np.testing.assert_allclose(com, parabola, atol=BALLISTIC)
    middle = slice(len(s) // 4, -len(s) // 4)
    for foot in FEET.values():
        assert (feet[foot][air][middle, 2] - feet[foot][0, 2]).min() > 0.005


def test_a_jump_flies(built, path):
    behavior = built("squat-jump")
    check_flight(behavior, path("squat-jump")[1])
    assert np.ptp(behavior.motion.t[flight(behavior)]) == pytest.approx(0.4, abs=0.02)


def test_a_jump_keeps_room_for_landing_otherwise_than_planned(built):
    behavior = built("squat-jump")
    robot, q = behavior.robot_model, behavior.motion.q
    joints = q[:, robot.base_positions :]
    room = np.minimum(joints - robot.position_lower, robot.position_upper - joints)
    assert room[:, robot.leg_joints].min() > JUMP_MARGIN - 0.01
    share = np.abs(behavior.motion.tau) / robot.effort_limits
    assert share.max() < JUMP_TORQUE + 0.02


def test_a_quarter_turn_is_one(built, path):
    t, feet = path("quarter-turn")
    check_feet(built("quarter-turn"), t, feet)
    for foot in FEET.values():
        turned = feet[foot][-1, 3] - feet[foot][0, 3]
        assert turned == pytest.approx(np.pi / 2, abs=2e-3)


def edges(text, folder):
    """Edges of the feet by phase, of a walk that rolls, and its plan."""
    plan = parse_specification(text + "roll: true\n", "mine.yaml").plan(folder)
    return [dict(p.edges) for p in plan.problem.schedule.phases], plan


def test_feet_leave_over_the_toe_and_land_on_the_heel(tmp_path):
    text = swap("time: 0.7", "time: 0.7, between: [0.5, 0.9]")
    found, plan = edges(text, tmp_path)
    phases = plan.problem.schedule.phases
    # The left foot goes first: over its toe, through the air, and onto its heel.
    assert found[:4] == [{}, {"l_foot": TOE}, {}, {"l_foot": HEEL}]
    assert [p.name for p in phases[:4]] == ["both", "both", "right", "both"]
    # The step that may choose its time is the third phase now.
    assert plan.free_phases == {2: (0.5, 0.9)}
    flat = parse_specification(text, "mine.yaml").plan(tmp_path)
    assert sum(p.duration for p in phases) == pytest.approx(
        flat.problem.schedule.duration
    )


def test_feet_that_go_sideways_or_back_stay_flat(tmp_path):
    for way in ("[0.0, 0.1]", "[-0.2, 0.0]"):
        found, _ = edges(swap("[0.2, 0.0]", way), tmp_path)
        assert not any(found)


def swap(old, new):
    assert old in WALK
    return WALK.replace(old, new, 1)


FIRST, SECOND = "{feet: both, time: 0.6}", "{feet: right, time: 0.7, to: [0.2, 0.0]}"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (WALK.split("steps:")[0], "there are no steps"),
        (swap("right", "rigth"), r"steps\[1\].feet .*'rigth'; did you mean right"),
        (
            swap("0.2, 0.0]", "0.2, 0.0], via: [[1, 2]]"),
            "each place in 'via' has three",
        ),
        (swap("time: 0.7", "time: 0.7, beats: 1"), "step 2: give it a time or a num"),
        (swap("time: 0.7, ", ""), "step 2: give it a time or a number of beats"),
        (swap(FIRST, SECOND), "the first and the last step have both feet standing"),
        (swap(FIRST, "{feet: none, time: 0.6}"), "the first and the last step"),
        (swap("time: 0.7", "time: 0.7, between: [0.8, 1]"), "step 2: 'between' has"),
        (swap("time: 0.7", "time: 0.7, between: [0.5]"), "step 2: 'between' has"),
        (
            swap("time: 0.6", "time: 0.6, between: [0.5, 0.8]") + "roll: true\n",
            "step 1: feet roll over heel and toe in it",
        ),
        (swap("time: 0.6", "time: 0.6, to: [0.1, 0]"), "step 1: both feet stand"),
        (swap("time: 0.6", "time: 0.6, turn: 0.1"), "step 1: both feet stand"),
        (WALK + "start: stnad\n", "did you mean stand"),
    ],
)
def test_a_mistake_is_one_sentence(tmp_path, text, sentence):
    with pytest.raises(BackbeatError, match=sentence) as caught:
        parse_specification(text, "mine.yaml").plan(tmp_path)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize("name", FOOTSTEPS)
def test_every_sequence_of_steps_is_made(built, path, name):
    behavior = built(name)
    assert behavior.certificate.passed, behavior.certificate.failures()
    t, feet = path(name)
    check_feet(behavior, t, feet)
    check_swing(behavior, t, feet)
    if "jump" in name:
        check_flight(behavior, feet)


@pytest.mark.slow
@pytest.mark.parametrize("name", POSTURES)
def test_every_posture_is_reached_with_both_feet_standing(built, path, name):
    behavior = built(name)
    assert behavior.certificate.passed, behavior.certificate.failures()
    for rows in path(name)[1].values():
        assert np.ptp(rows, axis=0).max() < 2 * BOUNDS["contact_position"]
