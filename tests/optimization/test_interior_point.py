"""Solutions of the interior point: right, repeatable, and honest when there is none."""

import re
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from pydrake.math import RigidTransform
from scipy.optimize import lsq_linear, nnls

from models.configuration import Configuration
from models.contact import wrench_cone
from optimization.interior_point import Guess, InteriorPoint, InteriorPointOptions
from optimization.program import FREE
from optimization.tasks import FrameTask
from optimization.trajectory_problem import Limits
from optimization.transcription import Transcription
from tests.optimization.points import Point, missing_forces
from tests.optimization.problems import jump, squat, stroke
from tests.tolerances import (
    KNOT,
    NEARLY_ACTIVE,
    SAME_COST,
    SAME_MOTION,
    STATIONARY,
    STATIONARY_POLISHED,
)

# Without the polish, which trades a little cost for speed.
THOROUGH = InteriorPointOptions(
    polish_after=1000, polish_at=1000, max_iterations=100, tolerance=1e-9,
    end_barrier=1e-7,
)  # fmt: skip
PROBLEMS = {
    "squat": squat,
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
            if name not in standing and (k, name) not in hits:
                assert_allclose(w, 0.0, atol=0)
                continue
            cone = wrench_cone(contact.half_length, contact.half_width, mu)
            assert (cone @ w).max() < KNOT
            assert w[5] > 0
            if name in standing:
                X_CF = standing[name].inverse() @ state.pose(name)
                assert_allclose(X_CF.translation(), 0.0, atol=KNOT)
                if not contact.is_point:
                    assert X_CF.rotation().ToAngleAxis().angle() < KNOT


def multiplier_estimate(solution):
    """Gradient of the Lagrangian with the best multipliers, relative to the cost's.

    Multipliers of equalities are free, those of nearly active bounds push inwards,
    all others are zero: what is left says how far from optimal the knots are.
    """
    program = solution.transcription.program
    point = Point(solution.transcription, 0).at(solution)
    _, values = point.evaluate()
    J = point.differences()
    free = np.arange(2 * point.nb, point.size)
    required = program.frame_equal > 0
    equalities = [
        J["equality"].reshape(-1, point.size),
        J["frame"][required],
        program.rest_scale * J["velocity"][-1],
    ]
    bounds = []
    for bound, sign in ((program.lower, 1.0), (program.upper, -1.0)):
        room = sign * (values.rows - bound)
        active = (room < NEARLY_ACTIVE) & (np.abs(bound) < FREE / 2)
        bounds.append(-sign * J["rows"][active])
    A = np.vstack([*equalities, *bounds])[:, free].T
    low = np.full(A.shape[1], -np.inf)
    low[sum(map(len, equalities)) :] = 0.0
    gradient = J["cost"][free]
    multipliers = lsq_linear(A, -gradient, bounds=(low, np.inf)).x
    active = len(low) - sum(map(len, equalities))
    return np.linalg.norm(A @ multipliers + gradient) / np.linalg.norm(gradient), active


@pytest.mark.parametrize("name", ["squat", "weak", "seated"])
def test_the_gradient_of_the_lagrangian_vanishes(name, solutions):
    residual, active = multiplier_estimate(solutions[name])
    assert residual < STATIONARY_POLISHED
    assert (active > 0) == (name != "squat")
    # A point that is as feasible, but not optimal, is told apart.
    if name == "squat":
        still = squat(tasks=[])
        elsewhere = replace(solve(still), transcription=solutions[name].transcription)
        assert multiplier_estimate(elsewhere)[0] > 10 * STATIONARY_POLISHED


@pytest.mark.parametrize("name", ["squat", "weak"])
def test_without_the_polish_it_vanishes_further(name, solutions):
    thorough = solve(PROBLEMS[name](), THOROUGH)
    assert thorough.is_solved
    assert multiplier_estimate(thorough)[0] < STATIONARY
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
        assert len(warm.log) < len(cold.log)
        assert warm.cost <= (1 + SAME_COST) * cold.cost


@pytest.mark.parametrize("seed", range(4))
def test_other_starts_lead_to_the_same_motion(seed, solutions):
    problem = squat()
    q = np.tile(problem.q_start, (problem.num_knots, 1))
    away = np.sin(np.pi * problem.times / problem.times[-1])[:, None]
    q[:, 7:] += 0.1 * away * np.random.default_rng(seed).normal(size=30)
    s = solve(replace(problem, guess=q))
    assert s.is_solved
    assert s.cost == pytest.approx(solutions["squat"].cost, rel=SAME_COST)
    assert_allclose(s.q, solutions["squat"].q, atol=SAME_MOTION)


def reaching(frame, p_W, **changes):
    problem = squat(**changes)
    task = FrameTask(frame, np.array([8]), RigidTransform(np.array(p_W)), "x y z")
    return replace(problem, tasks=[*problem.tasks, task])


IMPOSSIBLE = {
    "too weak": (lambda: squat(limits=Limits(torque=0.05)), "torque of ._leg_kny"),
    "too slow": (
        lambda: reaching("l_hand", [0.6, 0.4, 1.3], limits=Limits(velocity=0.01)),
        "velocity of l_arm_",
    ),
    "out of reach": (lambda: reaching("l_hand", [3.0, 0.0, 1.0]), "target of l_hand"),
    "held down": (lambda: squat(limits=Limits(contact_force=0.3)), "dynamics"),
    "no footing": (lambda: reaching("l_foot", [0.0, 0.2, 0.1]), "target of l_foot"),
    "no time to rest": (
        lambda: replace(
            reaching("l_hand", [0.6, 0.4, 1.3]), times=np.linspace(0, 0.05, 11)
        ),
        "dynamics|torque|target|velocity|rest",
    ),
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_what_is_impossible_ends_with_a_name(name):
    make, what = IMPOSSIBLE[name]
    s = solve(make())
    assert not s.is_solved
    assert s.status
    for array in (s.q, s.w, s.rows, s.equality, s.frame, s.velocity):
        assert np.isfinite(array).all()
    assert np.isfinite(s.cost)
    times, names, amounts = zip(*s.violations(), strict=True)
    assert amounts[0] > 100 * KNOT
    assert list(amounts) == sorted(amounts, reverse=True)
    assert 0 <= times[0] <= s.transcription.problem.times[-1]
    assert re.match(what, names[0]), s.violations()[:3]


def test_giving_up_early_is_no_solution():
    seen = []
    transcription = Transcription(squat())
    options = InteriorPointOptions(max_iterations=3)
    s = InteriorPoint(transcription, options).solve(progress=seen.append)
    assert not s.is_solved
    assert s.status == "iteration limit"
    assert [entry["iteration"] for entry in seen] == [0, 1, 2]
    assert list(s.iterations["barrier"]) == [entry["barrier"] for entry in seen]


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
