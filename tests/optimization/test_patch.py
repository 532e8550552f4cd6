"""Patches: what changed is found anew, and the joined motion is one of the problem."""

from dataclasses import replace

import numpy as np
import pytest

from backbeat.behaviors.posture.stance import start_configuration, support_poses
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.interior_point.iterate import Guess
from backbeat.optimization.interior_point.solver import InteriorPoint
from backbeat.optimization.problem.contact_schedule import constant_stance
from backbeat.optimization.problem.tasks import CenterOfMassTask
from backbeat.optimization.problem.trajectory_problem import Impact, TrajectoryProblem
from backbeat.optimization.transcription.transcribe import Transcription
from backbeat.optimization.windows.patch import changed_knots, make_patch, patch_problem
from backbeat.optimization.windows.pieces import Knots
from tests.tolerances import UNIT_QUATERNION

KNOTS, SPACING = 141, 0.05
ROBOT = RobotModel("atlas")


def swaying(wider: slice = slice(0), more: float = 0.0) -> TrajectoryProblem:
    """A robot that sways on the spot, somewhere by so much more [m]."""
    q = start_configuration(ROBOT, "stand")
    feet = support_poses(ROBOT, q)
    times = SPACING * np.arange(KNOTS)
    com = np.tile(Configuration(ROBOT, q).center_of_mass, (KNOTS, 1))
    com[:, 1] += 0.03 * np.sin(2 * np.pi * times)
    com[wider, 1] += more
    task = CenterOfMassTask(np.arange(KNOTS), com, np.array([400.0, 400.0, 400.0]))
    return TrajectoryProblem(
        robot=ROBOT,
        times=times,
        schedule=constant_stance(times[-1], feet),
        q_start=q,
        posture=q,
        tasks=[task],
    )


@pytest.fixture(scope="module")
def old():
    problem = swaying()
    solution = InteriorPoint(Transcription(problem)).solve()
    assert solution.is_solved
    return Transcription(problem), Knots(solution.q, solution.w)


def test_knots_that_ask_for_something_else_have_changed(old):
    before, _ = old
    assert len(changed_knots(before, Transcription(swaying()))) == 0
    after = Transcription(swaying(slice(60, 71), 0.01))
    np.testing.assert_array_equal(changed_knots(before, after), np.arange(60, 71))


@pytest.mark.parametrize(
    "changes",
    [
        {"robot": RobotModel("atlas")},
        {"times": 1.1 * swaying().times},
        {"end_at_rest": False},
        {"q_start": swaying().q_start + 1e-9},
        {"weights": replace(swaying().weights, effort=1.0)},
        {"limits": replace(swaying().limits, friction=0.4)},
        {"impacts": [Impact(40, "l_foot", 10.0)]},
        {"wrench_end": {"l_foot": np.zeros(6)}},
    ],
)
def test_two_problems_that_are_not_of_a_kind(old, changes):
    problem = replace(swaying(), **changes)
    assert changed_knots(old[0], Transcription(problem)) is None


def test_a_patched_motion_is_one_of_the_new_problem_and_else_the_old_one(old):
    problem, (_, knots) = swaying(slice(60, 71), 0.01), old
    patch = make_patch(problem, np.arange(60, 71), 0.75)
    assert 35 < patch.start < 50
    assert 80 < patch.end < 95
    part, guess = patch_problem(problem, patch, knots)
    solution = InteriorPoint(Transcription(part)).solve(guess)
    assert solution.is_solved
    a, b = patch.start, patch.end
    q, w = knots.q.copy(), knots.w.copy()
    q[a : b + 1], w[a + 1 : b] = solution.q, solution.w[1:-1]
    # The knots whose rows the neighbors share are the very same, but for the last digit
    # of a quaternion that is brought to length one.
    shared = [a, a + 1, b - 1, b]
    np.testing.assert_allclose(q[shared], knots.q[shared], rtol=0, atol=UNIT_QUATERNION)
    whole = InteriorPoint(Transcription(problem))
    assert whole.evaluate(Guess(q, w)).violation() < 1e-6
    best = whole.solve()
    assert np.abs(best.q[60:71, 5] - knots.q[60:71, 5]).max() > 5e-3
    # Within a millimeter of what the whole problem's own solution does there.
    np.testing.assert_allclose(q[60:71, 4:7], best.q[60:71, 4:7], atol=1e-3)


@pytest.mark.parametrize("changed", [np.arange(2, 8), np.arange(130, KNOTS)])
def test_a_patch_at_an_end_reaches_it(changed):
    patch = make_patch(swaying(), changed, 0.75)
    assert (patch.start == 0) == (changed[0] < 60)
    assert (patch.end == KNOTS - 1) == (changed[0] > 60)
    assert patch.first <= patch.start <= changed[0]
    assert changed[-1] <= patch.end <= patch.last
