"""The equations of prioritized task-space control, on random states of both robots."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from backbeat.models.robot.model import RobotModel
from backbeat.optimization.task_space.levels.level import WAYS, Level
from backbeat.optimization.task_space.levels.task_space import TaskSpace
from backbeat.optimization.task_space.tasks.motion_tasks import JointTask, PointTask
from tests.optimization.task_space.robots import FEET, arm, ask, contact_rows, standing
from tests.tolerances import HIERARCHY

SEEDS = range(5)
CASES = [(make, seed) for make in (arm, standing) for seed in SEEDS]


@pytest.fixture(params=CASES, ids=lambda c: f"{c[0].__name__}{c[1]}", scope="module")
def space(request) -> TaskSpace:
    make, seed = request.param
    result = make(seed)
    ask(result, seed)
    return result


def levels(space: TaskSpace) -> list[Level]:
    return [space.levels[p] for p in space.priorities]


def close(a: np.ndarray, b: np.ndarray) -> None:
    scale = max(1.0, float(np.abs(b).max(initial=0.0)))
    assert_allclose(a, b, rtol=0, atol=HIERARCHY * scale)


def test_the_jacobian_of_a_level_stacks_those_of_its_tasks():
    robot = RobotModel("ur10")
    one, other = PointTask(robot, "tool0"), PointTask(robot, "forearm_link", axes="z")
    space = TaskSpace(robot)
    space.add(one, 1.0)
    space.add(other, 2.0)
    space.update(robot.posture("ready"), np.ones(6))
    (level,) = space.levels.values()
    assert level.G.shape == (4, 6)
    close(level.G[:3], one.jacobian(space.state))
    close(level.G[3:], other.jacobian(space.state))
    assert_allclose(level.weight, [1, 1, 1, 2])


def test_equations_of_motion_and_constraints_hold(space):
    """M vdot = f_0 + S' tau + G' F, and contacts do what is asked of them."""
    found, state = space.solve(), space.state
    G, bias = contact_rows(space)
    reaction = np.concatenate([np.zeros(0), *found.reaction.values()])
    tau = space.dynamics.generalized(found.tau)
    damping = space.dynamics.generalized(space.robot.damping) * state.v
    close(
        state.mass_matrix @ found.vdot,
        -state.bias - damping + tau + G.T @ reaction,
    )
    close(G @ found.vdot + bias, np.zeros(len(bias)))


def test_jacobian_compliance_inertia_and_inverse_of_each_level(space):
    M = space.state.mass_matrix
    for level in levels(space):
        G, N = level.G, level.null_space_above
        G_star = level.prioritized_jacobian
        close(G_star, G @ N)
        A = G_star @ np.linalg.solve(M, G_star.T)
        close(level.compliance, A)
        # One projection is enough.
        close(level.compliance, G @ np.linalg.solve(M, G_star.T))
        if level.rank.is_full:
            close(level.inertia @ A, np.eye(len(A)))
        close(A @ level.inertia @ A, A)
        G_bar = level.generalized_inverse
        close(G_bar, np.linalg.solve(M, G_star.T @ level.inertia))
        close(G_star @ G_bar @ G_star, G_star)


def test_null_spaces_are_projectors_that_nest(space):
    n = space.robot.num_velocities
    for level in levels(space):
        N, above = level.null_space, level.null_space_above
        G_bar, G_star = level.generalized_inverse, level.prioritized_jacobian
        close(N, above @ (np.eye(n) - G_bar @ G_star))
        close(N @ N, N)
        close(N @ above, N)
        close(N @ G_bar, np.zeros_like(G_bar))
        close(level.G @ N, np.zeros_like(level.G))


def test_nothing_is_left_below_a_whole_posture(space):
    last = space.levels[max(space.priorities)]
    close(last.projector_below, np.zeros_like(last.projector_below))


def test_forces_add_up_and_change_no_task_above(space):
    """The accumulated accelerations, level by level, in their own null spaces."""
    found, state, dynamics = space.solve(), space.state, space.dynamics
    M = state.mass_matrix
    vdot = np.linalg.solve(M, dynamics.C @ dynamics.contact_acceleration())
    done: list[Level] = []
    for priority in space.priorities:
        level, force = space.levels[priority], found.level_force[priority]
        before = level.acceleration_before(state_acceleration(space, vdot))
        close(before, level.G @ vdot + level.bias)
        change = np.linalg.solve(M, force)
        close(level.null_space_above.T @ force, force)
        for above in done:
            close(above.G @ change, np.zeros(len(above.bias)))
        if level.rank.is_full:
            close(level.G @ change, level.desired - before)
        vdot = vdot + change
        done.append(level)
    close(found.vdot, vdot)


def state_acceleration(space: TaskSpace, vdot: np.ndarray) -> np.ndarray:
    return space.dynamics.C.T @ vdot


def test_the_first_tasks_never_feel_the_later_ones(space):
    before = space.solve()
    ask_last = space.tasks(max(space.priorities))[0]
    kept = ask_last.desired.copy()
    ask_last.set_desired(kept + 50.0)
    after = space.solve()
    ask_last.set_desired(kept)
    assert np.abs(after.tau - before.tau).max() > 1.0
    for priority in space.priorities[:-1]:
        level = space.levels[priority]
        change = level.G @ (after.vdot - before.vdot)
        assert np.abs(change).max() < HIERARCHY


def test_tasks_that_can_be_done_are_done(space):
    found = space.solve()
    for priority in space.priorities[:-1]:
        assert np.abs(found.error[priority]).max() < HIERARCHY


@pytest.mark.parametrize("seed", SEEDS)
def test_khatibs_force_costs_the_least_acceleration_energy(seed):
    """Both ways do the task; of all forces that do, the first has the least energy."""
    space = arm(seed)
    hand = space.tasks(2)[0]
    hand.set_desired(np.random.default_rng(seed).normal(size=3))
    space._tasks.pop(3)
    space.update(space.state.q, space.state.v)
    M = space.state.mass_matrix
    energies, norms = [], []
    for way in WAYS:
        found = space.solve(way)
        close(found.error[2], np.zeros(3))
        force = found.level_force[2]
        energies.append(force @ np.linalg.solve(M, force))
        norms.append(np.linalg.norm(force))
    assert energies[0] < energies[1]
    # And the second the least torques, for nothing is above it.
    assert norms[1] < norms[0]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_task_force_is_inertia_times_wish_with_gravity_and_inertial_forces(seed):
    """F = L desired + mu + p, for a first level, as Khatib has it."""
    space = arm(seed)
    ask(space, seed)
    level, dynamics = space.levels[2], space.dynamics
    change = level.wanted_change(dynamics.phi_0)
    expected = level.inertia @ level.desired
    expected = expected + level.inertial_force() + level.gravity_force()
    close(level.task_force(change), expected)
    # At rest, gravity alone is felt: no more and no less than the hand weighs.
    space.update(space.state.q, np.zeros(6))
    level, held = space.levels[2], space.state.bias
    close(level.inertial_force(), np.zeros(3))
    close(level.gravity_force(), level.generalized_inverse.T @ held)


@pytest.mark.parametrize("seed", SEEDS)
def test_least_squares_forces_stay_in_the_null_space_too(seed):
    space = standing(seed)
    ask(space, seed)
    found = space.solve("least squares")
    for priority in (2, 3):
        assert np.abs(found.error[priority]).max() < HIERARCHY


@pytest.mark.parametrize("weights", [(1.0, 1.0), (1.0, 3.0), (1.0, 1e-3), (7.0, 2.0)])
def test_conflicting_tasks_meet_at_the_weighted_mean(weights):
    space = arm(0)
    robot = space.robot
    space = TaskSpace(robot)
    wishes = np.array([[1.0, -2.0, 3.0], [-2.0, 0.5, 1.0]])
    for weight, wish in zip(weights, wishes, strict=True):
        task = PointTask(robot, "tool0")
        space.add(task, weight)
        task.set_desired(wish)
    space.update(robot.posture("ready"), np.full(6, 0.3))
    found = space.solve()
    level = space.levels[2]
    mean = np.average(wishes, axis=0, weights=weights)
    done = level.G[:3] @ found.vdot + level.bias[:3]
    assert_allclose(done, mean, atol=HIERARCHY)


def test_a_conflict_of_different_tasks_is_weighted_least_squares():
    """A posture and a hand at one level: 9 wishes for 6 joints."""
    robot, rng = RobotModel("ur10"), np.random.default_rng(4)
    space = TaskSpace(robot)
    hand, posture = PointTask(robot, "tool0"), JointTask(robot)
    space.add(hand, np.array([5.0, 1.0, 2.0]))
    space.add(posture, 0.3)
    for task in (hand, posture):
        task.set_desired(rng.normal(size=task.dimension))
    space.update(robot.posture("ready"), rng.normal(size=6))
    found, level = space.solve(), space.levels[2]
    root = np.sqrt(level.weight)
    best = np.linalg.lstsq(
        root[:, None] * level.G, root * (level.desired - level.bias), rcond=None
    )[0]
    assert_allclose(found.vdot, best, atol=HIERARCHY)


def test_a_constraint_is_above_every_weight():
    """Without a weight a task is a constraint, whatever the others weigh."""
    robot = RobotModel("ur10")
    space = TaskSpace(robot)
    hard, soft = PointTask(robot, "tool0"), PointTask(robot, "tool0")
    space.add(soft, 1e6)
    space.add(hard)
    soft.set_desired([9.0, 9.0, 9.0])
    hard.set_desired([1.0, 2.0, 3.0])
    assert (hard.is_hard, soft.is_hard) == (True, False)
    assert space.priorities == [1, 2]
    space.update(robot.posture("ready"), np.zeros(6))
    found = space.solve()
    assert np.abs(found.error[1]).max() < HIERARCHY
    assert_allclose(found.error[2], [8.0, 7.0, 6.0], atol=HIERARCHY)


def test_torques_that_atlas_cannot_feel_are_the_smallest():
    """Two feet press against each other only where a task asks for it."""
    space = standing(0)
    ask(space, 0)
    found = space.solve()
    motion, _ = space.dynamics.torque_maps()
    _, s, V = np.linalg.svd(motion)
    still = V[int(np.sum(s > 1e-8 * s[0])) :]
    assert len(still) == 6
    assert np.abs(still @ found.tau).max() < HIERARCHY * np.abs(found.tau).max()
    assert set(found.reaction) == set(FEET)
