"""Problems, schedules and tasks: what they mean, and what they refuse."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from pydrake.math import RigidTransform

from backbeat.models.common.errors import BackbeatError
from backbeat.models.contact.cones import wrench_cone
from backbeat.models.dynamics.finite import UNBOUNDED
from backbeat.optimization.problem.contact_schedule import (
    ContactSchedule,
    Phase,
    constant_stance,
)
from backbeat.optimization.problem.tasks import FrameTask, PostureTask, axis_indices
from backbeat.optimization.problem.trajectory_problem import Impact, Limits
from backbeat.optimization.transcription.transcribe import Transcription
from tests.optimization.problems import carries, jump, squat, stroke

HERE, THERE = RigidTransform([0.0, 0.1, 0.0]), RigidTransform([0.0, -0.1, 0.0])
STEP = ContactSchedule(
    (
        Phase(0.5, {"l_foot": HERE, "r_foot": THERE}, "both"),
        Phase(0.3, {"l_foot": HERE}, "left"),
        Phase(0.2, {}, "none"),
        Phase(0.5, {"l_foot": HERE, "r_foot": THERE}, "both again"),
    )
)


def test_a_switch_belongs_to_the_phase_with_more_contacts():
    assert STEP.duration == pytest.approx(1.5)
    assert_allclose(STEP.switch_times, [0.0, 0.5, 0.8, 1.0, 1.5])
    assert STEP.contact_names == ("l_foot", "r_foot")
    for t, names in (
        (0.0, "lr"), (0.49, "lr"), (0.5, "lr"), (0.51, "l"), (0.8, "l"),
        (0.81, ""), (0.99, ""), (1.0, "lr"), (1.5, "lr"), (1.6, ""),
    ):  # fmt: skip
        assert set(STEP.standing(t)) == {f"{side}_foot" for side in names}, t
    assert STEP.active([0.2, 0.6, 0.9, 1.2], "r_foot").tolist() == [1, 0, 0, 1]


def test_a_schedule_needs_phases_that_last():
    with pytest.raises(BackbeatError, match="at least one phase"):
        ContactSchedule(())
    for duration in (0.0, -1.0, np.nan):
        with pytest.raises(BackbeatError, match="must be > 0"):
            constant_stance(duration, {})


def test_wrenches_exist_where_contacts_stand():
    """Not at the two ends, which nothing moves, nor in flight; at impacts they do."""
    for problem in (jump(34), stroke(13)):
        transcription = Transcription(problem)
        on = transcription.program.wrench_start >= 0
        assert not on[[0, -1]].any()
        hits = {(i.knot, i.contact) for i in problem.impacts}
        for k in range(1, problem.num_knots - 1):
            for c, name in enumerate(transcription.contacts):
                assert on[k, c] == (carries(problem, k, name) or (k, name) in hits)


def test_limits_become_bounds_of_rows():
    limits = Limits(
        torque=0.7, velocity=0.5, position_margin=0.02, contact_force=1.5,
        total_force=1.8, least_force=0.01, force_rate=7.0,
    )  # fmt: skip
    problem = squat(limits=limits)
    program, robot = Transcription(problem).program, problem.robot
    rows, lower, upper = program.rows, program.lower, program.upper
    inner, moving = slice(1, -1), slice(2, None)
    torque = slice(rows.torque, rows.torque + 30)
    assert_allclose(upper[inner, torque], 0.7)
    assert_allclose(lower[inner, torque], -0.7)
    speed = slice(rows.velocity, rows.velocity + 30)
    expected = np.tile(0.5 * robot.velocity_limits, (9, 1))
    assert_allclose(upper[moving, speed], expected)
    assert_allclose(lower[moving, speed], -expected)
    stops = slice(rows.position, rows.position + 30)
    start = problem.q_start[7:]
    expected = np.minimum(robot.position_lower + 0.02, start - 0.04)
    assert_allclose(lower[moving, stops], np.tile(expected, (9, 1)))
    normal = slice(rows.normal, rows.normal + 2)
    assert_allclose(upper[inner, normal], 1.5)
    assert_allclose(lower[inner, normal], 0.01)
    rate = slice(rows.rate, rows.rate + 2)
    assert_allclose(upper[2:-1, rate], 7.0 * problem.times[1])
    assert_allclose(lower[2:-1, rate], -7.0 * problem.times[1])
    assert_allclose(upper[2:-1, rows.total], 1.8)
    # Knots use a share of friction and patch, the rest is for what is between them.
    limits = Limits(friction=0.6, friction_share=0.7, patch_share=0.4)
    program = Transcription(squat(limits=limits)).program
    foot = robot.contacts["r_foot"]
    cone = wrench_cone(0.4 * foot.half_length, 0.4 * foot.half_width, 0.7 * 0.6)
    assert_allclose(program.cone[0, 1], cone)
    assert not program.cone_of.any()
    friction = slice(rows.cone, rows.cone + 32)
    assert_allclose(program.upper[inner, friction], 0.0)
    # The first two knots are given: nothing binds there but forces.
    for section in (speed, stops, rate):
        assert (np.abs(lower[:2, section]) >= UNBOUNDED).all()


def test_a_task_with_a_weight_is_a_cost_and_without_one_a_constraint():
    knots = np.array([4, 5])
    X = RigidTransform([0.3, 0.3, 1.0])
    tasks = {
        "cost": FrameTask("l_hand", knots, X, "x z", weight=3.0),
        "constraint": FrameTask("r_hand", knots, X, "y"),
        "bound": FrameTask("head", knots, X, "z", lower=-0.1, upper=0.2),
    }
    transcription = Transcription(squat(tasks=[*tasks.values()]))
    program, frames = transcription.program, transcription.frames
    assert frames == ("l_foot", "r_foot", "l_hand", "r_hand", "head")
    weight, equal = program.frame_weight, program.frame_equal
    assert weight[4, 2].tolist() == [0, 0, 0, 3, 0, 3]
    assert weight[3].max() == 0
    assert equal[5, 3].tolist() == [0, 0, 0, 0, 1, 0]
    assert equal[:, [2, 4]].max() == 0
    z = program.rows.frame + 6 * 4 + 5
    assert (program.lower[4, z], program.upper[4, z]) == (-0.1, 0.2)
    assert program.upper[6, z] == UNBOUNDED


def test_two_targets_of_one_frame_at_one_knot_both_count():
    knot = np.array([4])
    targets = [RigidTransform([0.3, y, 1.0]) for y in (0.3, 0.4)]
    tasks = [FrameTask("l_hand", knot, X, "x", weight=1.0) for X in targets]
    transcription = Transcription(squat(tasks=tasks))
    assert transcription.frames[2:] == ("l_hand", "l_hand")
    y = [transcription.program.p_WG[4, p, 1] for p in (2, 3)]
    assert y == [0.3, 0.4]


def test_posture_tasks_merge_into_a_weighted_mean():
    problem = squat()
    pull = problem.weights.posture
    joint = np.array([5])
    angle = problem.posture[7 + 5] + 1.0
    tasks = [PostureTask(joint, np.array([3]), np.array([angle]), 3 * pull)]
    program = Transcription(replace(problem, tasks=tasks)).program
    assert program.posture_weight[3, 5] == pytest.approx(4 * pull)
    assert program.posture[3, 5] == pytest.approx(problem.posture[7 + 5] + 0.75)
    assert program.posture[2, 5] == problem.posture[7 + 5]


def hitting(knot, contact="r_stick_tip"):
    return replace(stroke(13), impacts=[Impact(knot, contact, 1.0)])


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: squat(3), "at least 4 increasing knot times"),
        (lambda: squat(times=np.array([0, 0.1, 0.1, 0.2])), "increasing knot times"),
        (lambda: squat(times=np.array([0.1, 0.2, 0.3, 0.4])), "start at 0"),
        (
            lambda: squat(schedule=constant_stance(1.0, {"l_fot": HERE})),
            "unknown contact 'l_fot'; did you mean l_foot",
        ),
        (lambda: hitting(6, "r_stick"), "unknown contact 'r_stick'; did you mean r_st"),
        (lambda: hitting(0), "cannot hit at knot 0"),
        (lambda: hitting(12), "cannot hit at knot 12"),
    ],
)
def test_a_problem_that_does_not_fit_together(make, sentence):
    with pytest.raises(BackbeatError, match=sentence):
        make()


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (
            lambda: squat(tasks=[FrameTask("l_hnd", np.array([4]), HERE)]),
            "unknown frame 'l_hnd'; did you mean l_hand",
        ),
        (
            lambda: squat(tasks=[FrameTask("l_hand", np.array([4]), HERE, "x u")]),
            "unknown axis 'u'; known: rx ry rz x y z",
        ),
        (lambda: hitting(3), "r_stick_tip hits at 0.240 s, but no task says where"),
    ],
)
def test_a_problem_that_cannot_be_transcribed(make, sentence):
    problem = make()
    with pytest.raises(BackbeatError, match=sentence):
        Transcription(problem)


def test_axes_are_named():
    assert axis_indices("x y z") == [3, 4, 5]
    assert axis_indices("rz") == [2]
    assert axis_indices("") == []
