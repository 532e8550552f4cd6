"""Motions that start moving, or end in a given configuration."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from pydrake.math import RigidTransform

from backbeat.models.common.errors import BackbeatError
from backbeat.models.dynamics.rotations import box_minus
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.interior_point.solver import InteriorPoint
from backbeat.optimization.kinematics.inverse_kinematics import (
    IKTarget,
    InverseKinematics,
)
from backbeat.optimization.reconstruction.reconstruct import reconstruct
from backbeat.optimization.transcription.transcribe import Transcription
from backbeat.optimization.verification.verify import verify
from backbeat.optimization.windows.subproblem import subproblem
from tests.optimization.problems import squat
from tests.tolerances import EXACT, ON_THE_BEAT, RECURSION, SAME_PLACE


def solved(problem):
    solution = InteriorPoint(Transcription(problem)).solve()
    assert solution.is_solved
    return solution, reconstruct(solution)


@pytest.fixture(scope="module")
def lower():
    """The squat's stance, five centimeters lower and to the left."""
    problem = squat()
    robot, q = problem.robot, problem.q_start
    feet = problem.schedule.phases[0].contacts
    place = Configuration(robot, q).pose("pelvis").translation()
    down = RigidTransform(place + [0.0, 0.03, -0.05])
    targets = {n: IKTarget(X) for n, X in feet.items()}
    found = InverseKinematics(robot).solve(
        q, targets | {"pelvis": IKTarget(down, "x y z")}
    )
    assert found.is_reached
    return found.q


def test_a_motion_ends_where_it_shall(lower):
    problem = squat()
    N = problem.num_knots
    share = np.linspace(0.0, 1.0, N)[:, None]
    guess = (1 - share) * problem.q_start + share * lower
    solution, motion = solved(replace(problem, q_end=lower, guess=guess))
    np.testing.assert_array_equal(solution.q[-2:], [lower, lower])
    np.testing.assert_allclose(motion.q[-1], lower, atol=ON_THE_BEAT)
    assert not motion.v[-1].any()
    assert verify(solution, motion).passed
    # The free end of the same problem is elsewhere, or this test would say nothing.
    free, _ = solved(problem)
    assert np.abs(free.q[-1] - lower).max() > 0.02


@pytest.fixture(scope="module")
def middle():
    """A squat on its way down: motion and index of the sample."""
    _, motion = solved(squat(21, 1.0))
    i = int(np.searchsorted(motion.t, 0.35))
    assert np.abs(motion.v[i]).max() > 0.1
    return motion, i


def test_a_motion_goes_on_from_one_that_moves(middle):
    before, i = middle
    problem = squat(21, 1.0)
    end = problem.q_start
    problem = replace(
        problem,
        tasks=(),
        q_start=before.q[i],
        v_start=before.v[i],
        vdot_start=before.vdot[i],
        wrench_start=dict(zip(before.contacts, before.wrench[i], strict=True)),
        q_end=end,
        guess=np.tile(before.q[i], (21, 1)),
    )
    solution, motion = solved(problem)
    assert verify(solution, motion).passed
    d = np.zeros(problem.robot.num_velocities)
    box_minus(motion.q[0], before.q[i], True, d)
    np.testing.assert_allclose(d, 0.0, atol=SAME_PLACE)
    np.testing.assert_allclose(motion.v[0], before.v[i], atol=10 * SAME_PLACE)
    a = motion.vdot[0] - before.vdot[i]
    np.testing.assert_allclose(a, 0.0, atol=100 * SAME_PLACE)
    # The same accelerations from the same wrenches, shared as they were.
    weight = problem.robot.weight
    np.testing.assert_allclose(
        motion.wrench[0], before.wrench[i], atol=10 * SAME_PLACE * weight
    )
    # Nothing is at rest there: a state that is on the grid once.
    assert motion.t[1] > motion.t[0]


def test_start_knots_are_the_first_control_points_of_a_cubic_spline():
    """Value, slope and curvature of the uniform cubic B-spline at its first knot."""
    problem = squat()
    rng = np.random.default_rng(1)
    nv = problem.robot.num_velocities
    v, a = rng.normal(size=nv), rng.normal(size=nv)
    moving = replace(problem, v_start=v, vdot_start=a)
    before, at, after = moving.start_knots[:, 7:]
    h = problem.times[1]
    q = problem.q_start[7:]
    np.testing.assert_allclose((before + 4 * at + after) / 6, q, atol=EXACT)
    np.testing.assert_allclose((after - before) / (2 * h), v[6:], atol=RECURSION)
    np.testing.assert_allclose((after - 2 * at + before) / h**2, a[6:], atol=RECURSION)
    assert np.array_equal(problem.start_knots, np.tile(problem.q_start, (3, 1)))


def test_ends_that_contradict_themselves():
    problem = squat()
    with pytest.raises(BackbeatError, match="rests"):
        replace(problem, q_end=problem.q_start, end_at_rest=False)
    arm = RobotModel(X_WB=RigidTransform())
    with pytest.raises(BackbeatError, match="free base"):
        replace(problem, robot=arm, v_start=np.zeros(arm.num_velocities))


def test_a_part_that_begins_near_a_stop_has_the_bounds_of_the_whole():
    problem = squat()
    q, robot = problem.q_start.copy(), problem.robot
    part = subproblem(problem, 2, problem.num_knots - 1)
    q[robot.base_positions] = robot.position_lower[0]
    begun = replace(part, q_start=q, knots_start=np.tile(q, (3, 1)))

    def lowest(one):
        program = Transcription(one).program
        first = program.rows.position
        return program.lower[-3, first : first + robot.num_joints]

    assert_array_equal(lowest(begun), lowest(problem))
    # By itself a motion may begin there, and bounds give way to it.
    assert lowest(replace(begun, ends=()))[0] < lowest(problem)[0]
