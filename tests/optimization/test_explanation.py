"""Explanations: problems spoiled in known ways, and what is said of each."""

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from pydrake.math import RigidTransform, RollPitchYaw, RotationMatrix

from backbeat.models.collision.making import make_self_collision_model
from backbeat.models.robot.model import RobotModel
from backbeat.optimization.diagnosis.explanation import explain
from backbeat.optimization.diagnosis.limit_use import active_limits
from backbeat.optimization.interior_point.solver import InteriorPoint
from backbeat.optimization.problem.contact_schedule import constant_stance
from backbeat.optimization.problem.tasks import FrameTask
from backbeat.optimization.problem.trajectory_problem import Limits
from backbeat.optimization.transcription.transcribe import Transcription
from tests.optimization.contact_problems import posed
from tests.optimization.problems import PLACE, jump, squat
from tests.tolerances import CLOSE_NEED, SAME_COST

# Knots of a squat of 13, and the time of the one in the middle [s].
MIDDLE, AT = np.arange(6, 8), 0.6
# Slope that ice does not hold on [rad].
SLOPE = np.radians(12.0)


def reaching(frame, p, axes="x y z", duration=1.2, **changes):
    """A squat that has to be somewhere in the middle, by a hard target."""
    problem = squat(13, duration, **changes)
    task = FrameTask(frame, MIDDLE, PLACE @ RigidTransform(np.array(p)), axes)
    return replace(problem, tasks=[*problem.tasks, task])


def on_a_slope(friction):
    """Standing on a slope that falls to the front, too slow to flail on its own."""
    R, robot = RotationMatrix(RollPitchYaw(0.0, SLOPE, 0.0)), RobotModel()
    feet = {
        foot: RigidTransform(R, [0.0, y, 0.0])
        for foot, y in (("l_foot", 0.12), ("r_foot", -0.12))
    }
    q = posed(robot, feet)
    return replace(
        squat(13, 2.0),
        q_start=q,
        posture=q,
        tasks=[],
        schedule=constant_stance(2.0, feet),
        limits=Limits(friction=friction, velocity=0.02),
    )


def pushed_at_the_end():
    """The pelvis is asked to move from the last knot but one to the last."""
    problem = squat(13, 1.2)
    places = [PLACE @ RigidTransform([x, 0.0, 0.8]) for x in (0.0, 0.01)]
    task = FrameTask("pelvis", np.array([11, 12]), places, "x")
    return replace(problem, tasks=[*problem.tasks, task])


PROBLEMS = {
    "weak": lambda: squat(limits=Limits(torque=0.1)),
    "slow": lambda: reaching(
        "l_hand_face", [0.6, 0.5, 1.4], limits=Limits(velocity=0.05)
    ),
    "low": lambda: reaching("pelvis", [0.0, 0.0, 0.25], "z"),
    "icy": lambda: on_a_slope(0.1),
    "soft floor": lambda: jump(25, limits=Limits(contact_force=1.2, total_force=1.2)),
    "through the trunk": lambda: reaching(
        "l_hand_face",
        [0.02, 0.0, 1.15],
        collisions=make_self_collision_model(RobotModel()),
    ),
    "far": lambda: reaching("l_hand_face", [2.5, 0.3, 1.2]),
    "in a hurry": lambda: reaching("l_hand_face", [0.6, 0.5, 1.4], duration=0.2),
    "pushed": pushed_at_the_end,
}
# Remedies that have to be among those found: kind, what, and when, if that is sure.
CAUSES = [
    ("weak", "torque", "[lr]_leg_kny", None),
    ("slow", "velocity", "l_arm_.*", None),
    ("slow", "time", "the motion", None),
    ("low", "position", "[lr]_leg_kny", AT),
    ("low", "target", "pelvis", AT),
    ("icy", "friction", "[lr]_foot", None),
    ("soft floor", "force", "all contacts", None),
    ("through the trunk", "collision", "l_hand", AT),
    ("through the trunk", "target", "l_hand_face", AT),
    ("far", "target", "l_hand_face", AT),
    ("in a hurry", "time", "the motion", None),
    ("pushed", "rest", "", 1.2),
]


@cache
def unsolved(name):
    return InteriorPoint(Transcription(PROBLEMS[name]())).solve()


@cache
def explained(name):
    return explain(unsolved(name), patience=60.0)


def relaxation(name, kind):
    found = [r for r in explained(name).relaxations if r.kind == kind]
    assert len(found) == 1, (kind, [str(r) for r in explained(name).relaxations])
    return found[0]


def is_solved(problem):
    return InteriorPoint(Transcription(problem)).solve().is_solved


@pytest.mark.parametrize("name", PROBLEMS)
def test_none_of_them_has_a_solution(name):
    assert not unsolved(name).is_solved


@pytest.mark.parametrize(("name", "kind", "what", "time"), CAUSES)
def test_the_cause_is_named(name, kind, what, time):
    found = relaxation(name, kind)
    assert re.fullmatch(what, found.what)
    if time is not None:
        spacing = unsolved(name).transcription.problem.times[1]
        assert found.time == pytest.approx(time, abs=1.5 * spacing)


@pytest.mark.parametrize(
    ("name", "kind"),
    [("weak", "torque"), ("icy", "friction"), ("soft floor", "force")],
)
def test_what_was_spoiled_comes_first(name, kind):
    assert explained(name).relaxations[0].kind == kind


@pytest.mark.parametrize("name", ["far", "pushed"])
def test_what_cannot_help_is_not_said_to(name):
    kinds = {r.kind for r in explained(name).relaxations}
    assert kinds <= {"target", "rest"}


@pytest.mark.parametrize(
    ("name", "kind", "limit"),
    [
        ("weak", "torque", "torque"),
        ("slow", "velocity", "velocity"),
        ("icy", "friction", "friction"),
    ],
)
def test_what_is_said_to_be_needed_is_enough_and_hardly_more(name, kind, limit):
    problem, found = unsolved(name).transcription.problem, relaxation(name, kind)
    assert found.allowed == getattr(problem.limits, limit)

    def limited(x):
        return replace(problem, limits=replace(problem.limits, **{limit: x}))

    assert is_solved(limited(1.01 * found.needed))
    # The last halving left a gap of a thirty-second of the way at most.
    assert not is_solved(limited(found.allowed + 0.5 * (found.needed - found.allowed)))


def test_a_slope_needs_the_friction_of_its_angle():
    """Forces along a slope are its tangent times those across, by a square cone."""
    needed = np.sqrt(2) * np.tan(SLOPE)
    assert relaxation("icy", "friction").needed == pytest.approx(needed, rel=CLOSE_NEED)


def test_a_target_out_of_reach_is_missed_by_what_an_arm_is_too_short():
    """A meter and a half ahead is too far for any standing Atlas, a meter is not."""
    assert 0.5 < relaxation("far", "target").needed < 1.5
    assert is_solved(reaching("l_hand_face", [1.0, 0.3, 1.2]))


@pytest.mark.parametrize("name", ["weak", "low", "icy"])
def test_an_explanation_is_one_sentence_with_its_smallest_remedy(name):
    explanation = explained(name)
    text = explanation.sentence()
    assert text == str(explanation)
    assert "\n" not in text
    assert str(explanation.relaxations[0]) in text
    time = explanation.worst[0][0]
    told = explanation.sentence(lambda t: f"bar 1, beat {2 * t:.1f}")
    assert f"{time:.2f} s (bar 1, beat {2 * time:.1f})" in told
    efforts = [r.effort for r in explanation.relaxations]
    assert efforts == sorted(efforts)


def test_who_has_no_patience_gets_the_worst_violation():
    explanation = explain(unsolved("weak"), patience=0.0)
    assert explanation.relaxations == ()
    assert "torque of" in explanation.worst[0][1]
    assert explanation.worst[0][1] in str(explanation)


def test_progress_says_what_is_tried():
    tried = []
    explain(unsolved("weak"), tried.append)
    assert tried[0] == "torque"
    assert tried[-1] == "time"
    # Where there are no shapes and no hard targets, they cannot be the cause.
    assert not {"collision", "target"} & set(tried)


def test_who_is_in_a_hurry_hears_of_a_relaxation_that_is_enough():
    least = {r.kind: r for r in explain(unsolved("weak")).relaxations}["torque"]
    (first,) = explain(unsolved("weak"), patience=1e-3).relaxations
    assert first.kind == "torque"
    assert least.needed < first.needed


@cache
def barely_strong_enough():
    return InteriorPoint(Transcription(squat(limits=Limits(torque=0.12)))).solve()


def test_limits_used_to_the_full_are_named():
    solution = barely_strong_enough()
    assert solution.is_solved
    table = active_limits(solution)
    torques = table[table["kind"] == "torque"]
    assert {"l_leg_kny", "r_leg_kny"} <= set(torques["what"])
    assert list(table["knots"]) == sorted(table["knots"], reverse=True)
    assert not set(table["kind"]) & {"velocity", "position", "total force"}
    knee = torques[torques["what"] == "l_leg_kny"].iloc[0]
    assert 0.0 < knee["from_s"] < 0.5 < knee["to_s"] < 1.0


def test_a_limit_with_a_price_is_in_the_table():
    """What the cost would gain by more room is what is used to the full."""
    solution = barely_strong_enough()
    table = active_limits(solution)
    listed = set(zip(table["kind"], table["what"], strict=True))
    # Price times room is the barrier, at most 1e-3: a price of one leaves none.
    worth = np.abs(solution.bound_multipliers).max(0)
    names = solution.transcription.row_names()
    costly = {(names[i].kind, names[i].what) for i in np.where(worth > 1.0)[0]}
    assert ("torque", "l_leg_kny") in costly
    assert costly <= listed


def test_more_room_in_another_limit_changes_nothing():
    solution = barely_strong_enough()
    costs = [
        InteriorPoint(Transcription(squat(limits=limits))).solve().cost
        for limits in (Limits(torque=0.12, velocity=1.0), Limits(torque=0.9))
    ]
    assert costs[0] == pytest.approx(solution.cost, rel=SAME_COST)
    assert costs[1] < 0.9 * solution.cost
