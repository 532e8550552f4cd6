"""Solutions of the interior point: feasible, optimal and repeatable."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from pydrake.math import RigidTransform
from scipy.optimize import nnls

from backbeat.models.contact.cones import wrench_cone
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.interior_point.iterate import Guess
from backbeat.optimization.interior_point.options import InteriorPointOptions
from backbeat.optimization.interior_point.solver import InteriorPoint
from backbeat.optimization.problem.trajectory_problem import Limits
from backbeat.optimization.transcription.transcribe import Transcription
from tests.optimization.points import Point, missing_forces
from tests.optimization.problems import carries, jump, squat, stroke, uneven
from tests.tolerances import (
    COMPLEMENTARY,
    COMPLEMENTARY_POLISHED,
    KNOT,
    NEARLY_ACTIVE,
    SAME_COST,
    SAME_MOTION,
    SAME_PLACE,
    STATIONARY,
    STATIONARY_POLISHED,
)

# Without the polish, which trades a little cost for speed.
THOROUGH = InteriorPointOptions(
    refine_after=1000, refine_at=1000, max_iterations=100, tolerance=1e-9,
    end_barrier=1e-7,
)  # fmt: skip
PROBLEMS = {
    "squat": squat,
    "uneven": uneven,
    "weak": lambda: squat(limits=Limits(torque=0.2)),
    "jump": lambda: jump(34),
    "stroke": lambda: stroke(13),
    "seated": lambda: stroke(13, seated=True),
}


def solve(problem, options=None):
    return InteriorPoint(Transcription(problem), options).solve()


@pytest.fixture(scope="module")
def solutions():
    return {name: solve(make()) for name, make in PROBLEMS.items()}


@pytest.fixture(params=PROBLEMS)
def solution(request, solutions):
    return solutions[request.param]


def test_it_is_solved(solution):
    assert solution.is_solved
    assert solution.violation() < KNOT


def test_knots_satisfy_drakes_dynamics_and_the_limits(solution):
    """Nothing is missing at the base, and no joint is asked for more than it has."""
    transcription = solution.transcription
    problem, limits = transcription.problem, transcription.problem.limits
    robot = problem.robot
    point = Point(transcription, 0).at(solution)
    _, values = point.evaluate()
    nf, nq = robot.base_velocities, robot.base_positions
    for k in range(1, problem.num_knots - 1):
        tau = missing_forces(point, values, k)
        assert_allclose(tau[:nf] / robot.weight, 0.0, atol=KNOT)
        share = np.abs(tau[nf:]) / robot.effort_limits
        assert share.max() <= limits.torque + KNOT
    joints = solution.q[:, nq:]
    assert (joints >= robot.position_lower - KNOT).all()
    assert (joints <= robot.position_upper + KNOT).all()
    speed = np.diff(joints, axis=0) / np.diff(problem.times)[:, None]
    assert (np.abs(speed) <= limits.velocity * robot.velocity_limits + KNOT).all()
    assert_allclose(speed[0], 0.0)
    assert_allclose(speed[-1], 0.0, atol=1e-4)
    assert_allclose(solution.q[:2], problem.q_start[None].repeat(2, 0))


MOTORS = """name: weak
like: atlas
motors:
  left knee: {stall_torque: 260, top_speed: 1.3}
  right knee: {stall_torque: 260, top_speed: 1.3}
parallel:
  left: {joints: [l_leg_aky, l_leg_akx], motor_torques: [[0.5, 0.7], [0.6, -0.8]],
         effort: 30}
  right: {joints: [r_leg_aky, r_leg_akx], motor_torques: [[0.5, 0.7], [0.6, -0.8]],
          effort: 30}
"""


def test_a_plan_heeds_what_motors_give_at_their_speed(tmp_path):
    """A squat that verification would refuse without lines and pairs in the plan."""
    (tmp_path / "weak.yaml").write_text(MOTORS)
    electric, shares = RobotModel(tmp_path / "weak.yaml"), {}
    for robot in (RobotModel(), electric):
        problem = squat(31, robot=robot)
        solution = solve(problem)
        assert solution.is_solved
        point = Point(solution.transcription, 0).at(solution)
        _, values = point.evaluate()
        h, most = np.diff(problem.times), np.zeros(robot.num_joints)
        for k in range(1, problem.num_knots - 1):
            tau = missing_forces(point, values, k)[6:]
            before, after = values.velocity[k : k + 2, 6:]
            v = (h[k] * before + h[k - 1] * after) / (h[k - 1] + h[k])
            most = np.maximum(most, electric.motors.shares(tau, v))
        shares[robot.name] = most
    limit, joints = (
        problem.limits.torque,
        electric.joint_indices(["l_leg_kny", "r_leg_kny", "l_leg_aky", "r_leg_aky"]),
    )
    assert (shares["atlas"][joints] > 1.0).all()
    # A motor at its limit, and none beyond it.
    assert shares["weak"].max() == pytest.approx(limit, abs=0.02)


def test_contacts_stand_and_carry_what_they_can(solution):
    transcription = solution.transcription
    problem, robot = transcription.problem, transcription.problem.robot
    mu = problem.limits.friction
    hits = {(i.knot, i.contact) for i in problem.impacts}
    for k in range(2, problem.num_knots - 1):
        standing = problem.schedule.standing(problem.times[k])
        state = Configuration(robot, solution.q[k])
        for c, name in enumerate(transcription.contacts):
            contact, w = robot.contacts[name], solution.w[k, c]
            cone = wrench_cone(contact.half_length, contact.half_width, mu)
            assert (cone @ w).max() < KNOT
            # A patch that arrives or leaves at this knot does not carry yet, or any
            # more.
            if carries(problem, k, name) or (k, name) in hits:
                assert w[5] > 0
            else:
                assert_allclose(w, 0.0, atol=0)
            if name in standing:
                X_CF = standing[name].inverse() @ state.pose(name)
                assert_allclose(X_CF.translation(), 0.0, atol=KNOT)
                if not contact.is_point:
                    assert X_CF.rotation().ToAngleAxis().angle() < KNOT


def stationarity(solution):
    """Gradient of the Lagrangian over that of the cost, by finite differences."""
    program, own = solution.transcription.program, solution.multipliers
    point = Point(solution.transcription, 0).at(solution)
    J = point.differences()
    gradient = J["cost"].copy()
    for name, multipliers in (
        ("equality", own.equality),
        ("frame", own.frame * program.frame_equal),
        ("rows", solution.bound_multipliers),
    ):
        gradient += multipliers.ravel() @ J[name].reshape(-1, point.size)
    gradient += program.rest_scale * own.rest @ J["velocity"][-1]
    free = np.arange(2 * point.nb, point.size)  # the first two knots are given
    return np.linalg.norm(gradient[free]) / np.linalg.norm(J["cost"][free])


def complementarity(solution):
    """Largest product of a bound's price and the room to that bound."""
    program, price = solution.transcription.program, solution.bound_multipliers
    room = np.where(price > 0, program.upper - solution.rows, np.inf)
    room = np.where(price < 0, solution.rows - program.lower, room)
    return np.abs(price * np.where(price == 0, 0.0, room)).max()


@pytest.mark.parametrize("name", ["squat", "weak", "seated"])
def test_the_gradient_of_the_lagrangian_vanishes(name, solutions):
    """Bounds push inwards, and only where they hold."""
    s = solutions[name]
    assert stationarity(s) < STATIONARY_POLISHED
    assert complementarity(s) < COMPLEMENTARY_POLISHED
    if name != "squat":
        assert np.abs(s.bound_multipliers).max() > 0.01


def test_a_feasible_point_that_is_not_optimal_is_told_apart(solutions):
    """A robot that stands still has other multipliers than one that squats."""
    still = solve(squat(tasks=[]))
    assert stationarity(still) < STATIONARY_POLISHED
    elsewhere = replace(still, transcription=solutions["squat"].transcription)
    assert stationarity(elsewhere) > 10 * STATIONARY_POLISHED


@pytest.mark.parametrize("name", ["squat", "weak"])
def test_without_the_polish_it_vanishes_further(name, solutions):
    thorough = solve(PROBLEMS[name](), THOROUGH)
    assert thorough.is_solved
    assert stationarity(thorough) < STATIONARY
    assert complementarity(thorough) < COMPLEMENTARY
    polished = solutions[name].cost
    assert thorough.cost <= polished <= (1 + SAME_COST) * thorough.cost


def test_a_squat_goes_down_and_up(solutions):
    for name in ("squat", "weak"):
        s = solutions[name]
        robot = s.transcription.problem.robot
        height = [Configuration(robot, q).center_of_mass[2] for q in s.q]
        assert 0.05 < height[0] - min(height) < 0.1
        assert 4 <= np.argmin(height) <= 8
    torque = [np.abs(solutions[n].rows[:, :30]).max() for n in ("squat", "weak")]
    assert torque[0] > 0.22
    assert torque[1] == pytest.approx(0.2, abs=NEARLY_ACTIVE)


def test_a_jump_leaves_the_ground(solutions):
    """In flight the center of mass falls as it must: half g times the time squared."""
    s = solutions["jump"]
    problem = s.transcription.problem
    robot, h = problem.robot, problem.times[1]
    air = problem.knots(0.7 + 1e-6, 0.95 - 1e-6)
    height = [Configuration(robot, q).center_of_mass[2] for q in s.q]
    fall = np.diff(height, 2)[air - 1] / h**2
    assert len(air) >= 4
    assert_allclose(fall, -robot.gravity, rtol=1e-3)


def test_a_stroke_meets_its_targets(solutions):
    for name in ("stroke", "seated"):
        s = solutions[name]
        problem = s.transcription.problem
        robot, (impact,) = problem.robot, problem.impacts
        tip = [Configuration(robot, q).pose("r_stick_tip") for q in s.q]
        head = problem.tasks[0].X_WG
        p = np.array([head.inverse().multiply(X.translation()) for X in tip])
        k, h = impact.knot, problem.times[1]
        assert_allclose(p[k], 0.0, atol=KNOT)
        for beside in (k - 1, k + 1):
            assert 0.6 * h - KNOT <= p[beside, 2] <= 1.8 * h + KNOT
        c = s.transcription.contacts.index("r_stick_tip")
        impulse = s.w[k, c, 5] * robot.weight * h
        assert 0 < impulse <= 1.5 + KNOT
        distances, _ = Configuration(robot, s.q[k - 3]).distances(
            problem.collisions.arrays()
        )
        assert distances.min() > problem.collisions.margin - KNOT


def test_equal_calls_give_equal_answers(solutions):
    """To the last bit, from a fresh solver and from one that was used before."""
    for name in ("squat", "seated"):
        solver = InteriorPoint(Transcription(PROBLEMS[name]()))
        first = solver.solve()
        solver.solve(Guess(first.q + 0.0, 2.0 * first.w))
        again = solver.solve()
        for s in (first, again):
            assert np.array_equal(s.q, solutions[name].q)
            assert np.array_equal(s.w, solutions[name].w)
            assert np.array_equal(s.rows, solutions[name].rows)
            assert s.cost == solutions[name].cost


def test_a_solution_is_a_warm_start(solutions):
    for name in ("squat", "jump", "stroke"):
        cold = solutions[name]
        warm = InteriorPoint(cold.transcription).solve(Guess(cold.q, cold.w))
        assert warm.is_solved
        assert len(warm.log) < len(cold.log) or name == "jump"
        assert warm.cost <= (1 + SAME_COST) * cold.cost


@pytest.mark.parametrize("seed", range(4))
def test_a_rough_start_leads_to_the_same_motion(seed, solutions):
    """Every joint of every knot anywhere within some 0.3 rad."""
    problem = squat()
    q = np.tile(problem.q_start, (problem.num_knots, 1))
    q[:, 7:] += 0.3 * np.random.default_rng(seed).normal(size=(len(q), 30))
    s = solve(replace(problem, guess=q))
    assert s.is_solved
    assert s.cost == pytest.approx(solutions["squat"].cost, rel=SAME_COST)
    assert_allclose(s.q, solutions["squat"].q, atol=SAME_MOTION)


def test_a_motion_does_not_depend_on_where_it_is_done(solutions):
    there, here = solutions["squat"], solve(squat(place=RigidTransform()))
    assert here.cost == pytest.approx(there.cost, rel=SAME_PLACE)
    assert_allclose(here.q[:, 7:], there.q[:, 7:], atol=SAME_PLACE)
    assert_allclose(here.w, there.w, atol=SAME_PLACE)


def test_foot_forces_are_those_of_corners(solutions):
    """Standing wrenches of the squat are sums of forces inside friction pyramids."""
    s = solutions["squat"]
    foot = s.transcription.problem.robot.contacts["l_foot"]
    mu = s.transcription.problem.limits.friction / np.sqrt(2)
    columns = [
        np.r_[np.cross(corner, f), f]
        for corner in foot.corners()
        for f in ([mu, mu, 1], [mu, -mu, 1], [-mu, mu, 1], [-mu, -mu, 1])
    ]
    for w in s.w[1:-1, 0]:
        assert nnls(np.array(columns).T, w)[1] < KNOT
