"""Levels as one triangle, against levels with all of their matrices."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from backbeat.models.robot.model import RobotModel
from backbeat.optimization.task_space.levels.reflections import (
    reflect_rows,
    rotate,
    rotate_back,
    rotate_columns,
    solve_lower,
    solve_upper,
)
from backbeat.optimization.task_space.levels.task_space import TaskSpace
from backbeat.optimization.task_space.limited.limits import JointLimits
from backbeat.optimization.task_space.limited.program import LimitedProgram
from backbeat.optimization.task_space.tasks.force_tasks import JointForceTask
from backbeat.optimization.task_space.tasks.motion_tasks import (
    BaseTask,
    ContactTask,
    JointTask,
    MassCenterTask,
    OrientationTask,
    PointTask,
    PoseTask,
)
from tests.optimization.task_space.robots import arm, ask, standing
from tests.tolerances import HIERARCHY, RECURSION


def moved_base(seed: int) -> TaskSpace:
    """Atlas on a base that others move: a hand, torques, and what is left below."""
    robot, rng = RobotModel("atlas"), np.random.default_rng(seed)
    space = TaskSpace(robot)
    base = space.add(BaseTask(robot))
    space.add(PoseTask(robot, "r_hand"), 1.0, 2)
    torques = space.add(JointForceTask(robot), 1.0, 3)
    space.add(JointTask(robot, ["l_arm"]), 1.0, 4)
    base.set_desired(rng.normal(size=6))
    torques.set_desired(20.0 * rng.normal(size=36))
    q = robot.posture("reaching")
    space.update(q, 0.3 * rng.normal(size=36), rng.normal(size=36))
    return space


def pressing(seed: int) -> TaskSpace:
    """The UR10 against a wall, with torques below its hand."""
    robot, rng = RobotModel("ur10"), np.random.default_rng(seed)
    space = TaskSpace(robot)
    space.add(ContactTask(robot, "tool0", "x"))
    space.add(PointTask(robot, "tool0", axes="y z"), np.array([1.0, 3.0]), 2)
    torques = space.add(JointForceTask(robot), 1.0, 3)
    torques.set_desired(rng.normal(size=6))
    space.update(robot.posture("ready"), 0.2 * rng.normal(size=6))
    return space


def many(seed: int) -> TaskSpace:
    """Atlas with a constraint, two tasks a level, a posture, and tasks below it."""
    robot, rng = RobotModel("atlas"), np.random.default_rng(seed)
    space = TaskSpace(robot)
    for foot in ("l_foot", "r_foot"):
        space.add(ContactTask(robot, foot))
    space.add(PointTask(robot, "r_hand", axes="z"))
    space.add(MassCenterTask(), 2.0, 2)
    space.add(OrientationTask(robot, "utorso"), np.array([1.0, 2.0, 3.0]), 2)
    space.add(PointTask(robot, "l_hand", (0.1, 0.0, 0.0)), 1.0, 4)
    space.add(JointTask(robot, ["neck"]), 1.0, 4)
    space.add(JointTask(robot), 1.0, 5)
    space.add(PointTask(robot, "head"), 1.0, 6)
    q = robot.posture("stand")
    q[7:] += rng.uniform(-0.1, 0.1, 30)
    space.update(q, rng.normal(size=36))
    return space


def decided(seed: int) -> TaskSpace:
    """The UR10 against a wall, all of it decided by its hand, and a posture below."""
    robot, rng = RobotModel("ur10"), np.random.default_rng(seed)
    space = TaskSpace(robot)
    space.add(ContactTask(robot, "tool0", "z"))
    space.add(PoseTask(robot, "tool0", "rx ry rz x y"), 1.0, 2)
    space.add(JointTask(robot), 1.0, 3)
    space.update(robot.posture("ready"), 0.2 * rng.normal(size=6))
    return space


def wish(space: TaskSpace, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for priority in space.priorities:
        for task in space.tasks(priority):
            task.set_desired(3.0 * rng.normal(size=len(task.desired)))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("make", [arm, standing, moved_base, pressing, decided, many])
def test_the_triangle_comes_to_what_levels_with_matrices_do(make, seed):
    space = make(seed)
    wish(space, seed)
    assert space.nonsingular is not None
    found = space.solve()
    space.nonsingular = None
    theirs = space.solve()
    assert space.is_nonsingular
    assert found.tau.tobytes() != theirs.tau.tobytes()
    for ours, other in (
        (found.tau, theirs.tau),
        (found.vdot, theirs.vdot),
        *((found.reaction[n], theirs.reaction[n]) for n in theirs.reaction),
        *((found.level_force[p], theirs.level_force[p]) for p in space.priorities),
        *((found.error[p], theirs.error[p]) for p in theirs.error),
    ):
        size = max(1.0, np.abs(other).max())
        assert_allclose(ours, other, rtol=0, atol=HIERARCHY * size)
    assert found.error.keys() == theirs.error.keys()


@pytest.mark.parametrize("elbow", [0.05, 0.0])
def test_near_a_singularity_levels_have_their_matrices(elbow):
    robot = RobotModel("ur10")
    space = TaskSpace(robot)
    space.add(PointTask(robot, "wrist_1_link"), 1.0, 2)
    space.update(
        np.array([0.0, -0.5 * elbow, elbow, -0.5 * elbow, 0.2, 0]), np.zeros(6)
    )
    assert space.nonsingular is None
    assert not space.levels[2].rank.is_full
    space.update(robot.posture("ready"), np.zeros(6))
    assert space.nonsingular is not None


def test_what_becomes_of_the_arrays_of_a_state_is_none_of_its_levels_business():
    space = standing(0)
    q, v = space.state.q.copy(), space.state.v.copy()
    space.update(q, v)
    before = space.solve().tau
    q[7:], v[:] = 0.0, 9.0
    assert space.solve().tau.tobytes() == before.tobytes()
    G = space.tasks(2)[0].jacobian(space.state)
    assert_allclose(space.levels[2].G, G, rtol=0, atol=0)


def test_tasks_and_weights_that_change_count_from_the_next_state_on():
    space = arm(1)
    ask(space, 1)
    before = space.solve()
    added = space.add(PointTask(space.robot, "tool0"), np.array([1.0, 2.0, 4.0]), 2)
    added.set_desired(np.full(3, 9.0))
    space.update(space.state.q, space.state.v)
    first = space.solve()
    assert len(first.error[2]) == 2 * len(before.error[2])
    added.weight = np.array([4.0, 2.0, 1.0])
    space.update(space.state.q, space.state.v)
    assert np.abs(space.solve().vdot - first.vdot).max() > 0.1


def test_rows_come_to_a_triangle():
    rng = np.random.default_rng(0)
    G = rng.normal(size=(5, 9))
    B, diagonal, scale = G.copy(), np.empty(5), np.empty(5)
    reflect_rows(B, diagonal, scale, 0, 3)
    for row in B[3:]:
        rotate(B, scale, 3, row)
    reflect_rows(B, diagonal, scale, 3, 5)
    L = np.tril(B[:, :5], -1) + np.diag(diagonal)
    Q = np.eye(9)
    rotate_columns(B, scale, 5, Q)
    assert_allclose(Q @ Q.T, np.eye(9), atol=1e-14)
    assert_allclose(L @ Q[:5], G, atol=1e-14)
    x = rng.normal(size=9)
    back = x.copy()
    rotate(B, scale, 5, back)
    assert_allclose(back, Q @ x, atol=1e-14)
    rotate_back(B, scale, 5, back)
    assert_allclose(back, x, atol=1e-14)
    for solve, matrix in ((solve_lower, L), (solve_upper, L.T)):
        y = x.copy()
        solve(B, diagonal, 5, y)
        assert_allclose(matrix @ y[:5], x[:5], atol=1e-13)


def weak(space: TaskSpace, share: float) -> LimitedProgram:
    limits = JointLimits.of(space.robot)
    return LimitedProgram(space, replace(limits, effort=share * limits.effort))


def sway(space: TaskSpace, count: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """States and wishes of a posture that goes where motors are too weak for it."""
    q, rng = space.state.q, np.random.default_rng(0)
    found, ways = [], rng.uniform(-1.0, 1.0, 30)
    for k in range(count):
        there = q.copy()
        there[7:] += 0.02 * np.sin(0.02 * k) * ways
        found.append((there, 40.0 * np.sin(0.02 * k + 6.0 * ways)))
    return found


@pytest.mark.parametrize("share", [0.3, 0.37])
def test_where_a_search_begins_does_not_change_where_it_ends(share):
    """From nothing, from the last tick, and from a wrong guess."""
    space, rng = standing(4), np.random.default_rng(1)
    ask(space, 4)
    program, still, runs, saved = weak(space, share), np.zeros(36), [], 0
    ticks = sway(space, 25)
    for _ in range(2):
        last, torques = None, []
        for q, posture in ticks:
            space.update(q, still)
            space.tasks(4)[0].set_desired(posture)
            cold, warm = program.solve(), program.solve(last)
            wrong = {p: rng.choice([-1, 0, 1], len(a)) for p, a in warm.active.items()}
            other = program.solve(replace(warm, active=wrong))
            for found in (warm, other):
                size = np.abs(cold.tau).max()
                assert_allclose(found.tau, cold.tau, rtol=0, atol=1e-6 * size)
                assert_allclose(found.error[2], cold.error[2], rtol=0, atol=1e-6)
            assert np.abs(warm.error[2]).max() < HIERARCHY
            assert (np.abs(warm.tau) <= share * space.robot.effort_limits).all()
            saved += warm.at_limit.any() and bool(warm.active)
            torques.append(warm.tau)
            last = warm
        runs.append(np.array(torques))
    assert saved > 20
    assert runs[0].tobytes() == runs[1].tobytes()


def test_configurations_say_of_many_frames_what_they_say_of_each():
    space = many(0)
    rows, state = space.nonsingular.rows, space.state
    tasks = [*space.contacts, *(t for p in space.priorities for t in space.tasks(p))]
    G = np.vstack([t.jacobian(state) for t in tasks])
    bias = np.concatenate([t.bias(state) for t in tasks])
    assert_allclose(rows.G, G, atol=RECURSION)
    assert_allclose(rows.bias, bias, atol=RECURSION * np.abs(bias).max())
    for task in tasks:
        assert_allclose(
            task.velocity(state), task.jacobian(state) @ state.v, atol=RECURSION
        )
