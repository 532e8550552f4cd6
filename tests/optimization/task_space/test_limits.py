"""What truncation loses at limits, and that programs lose no more than they must."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import lsq_linear

from backbeat.models.common.errors import BackbeatError
from backbeat.models.contact.cones import PATCH_MARGIN, wrench_cone
from backbeat.models.robot.model import RobotModel
from backbeat.optimization.task_space.levels.task_space import TaskSpace
from backbeat.optimization.task_space.limited.limits import JointLimits
from backbeat.optimization.task_space.limited.program import (
    LimitedForces,
    LimitedProgram,
)
from backbeat.optimization.task_space.tasks.force_tasks import (
    JointForceTask,
    ReactionTask,
)
from backbeat.optimization.task_space.tasks.motion_tasks import (
    ContactTask,
    JointTask,
    PointTask,
)
from tests.optimization.task_space.robots import arm, ask, standing
from tests.tolerances import HIERARCHY, LIMITED

FRICTION = 0.6


def limitless(robot: RobotModel) -> JointLimits:
    none = np.full(robot.num_joints, np.inf)
    return JointLimits(none, none, none)


def by_programs(program: LimitedProgram) -> LimitedForces:
    """What programs find for every level, also where none is needed."""
    program._is_nonsingular = lambda: False
    return program.solve()


def saturated(seed: int = 0, share: float = 0.2) -> tuple[TaskSpace, JointLimits]:
    """The UR10 with motors too weak for its weight and what its hand wants."""
    space = arm(seed)
    space.tasks(2)[0].set_desired([4.0, -6.0, 8.0])
    space.update(space.state.q, np.zeros(6))
    robot = space.robot
    wide = np.full(6, np.inf)
    return space, JointLimits(share * robot.effort_limits, wide, wide)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("make", [arm, standing])
def test_without_limits_it_is_the_closed_form(make, seed):
    space = make(seed)
    ask(space, seed)
    free = space.solve()
    found = by_programs(LimitedProgram(space, limitless(space.robot), friction=1e3))
    assert found.is_solved
    assert not found.at_limit.any()
    # Directions that are half given up are so in ways of their own.
    shares = np.concatenate([level.rank.share for level in space.levels.values()])
    if not ((shares > 1e-6) & (shares < 1.0)).any():
        size = np.abs(free.vdot).max()
        assert_allclose(found.vdot, free.vdot, atol=LIMITED * size)
    for priority in space.priorities[:-1]:
        assert np.abs(found.error[priority]).max() < LIMITED


def solved_programs(program: LimitedProgram) -> list[int]:
    """Sizes of the programs that are solved from now on."""
    solve, sizes = program._solver.solve, []

    def counted(quadratic, *dual):
        sizes.append(len(quadratic.g))
        return solve(quadratic, *dual)

    program._solver.solve = counted
    return sizes


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("make", [arm, standing])
def test_within_limits_no_program_is_solved_and_the_torques_are_theirs(make, seed):
    space = make(seed)
    space.update(space.state.q, np.zeros(space.robot.num_velocities))
    for priority in space.priorities:
        for task in space.tasks(priority):
            task.set_desired(np.full(task.dimension, 0.2))
    program = LimitedProgram(space, friction=2.0)
    sizes = solved_programs(program)
    found = program.solve()
    assert not sizes
    assert (np.abs(found.tau) < space.robot.effort_limits).all()
    theirs = by_programs(program)
    assert sizes
    assert_allclose(found.tau, theirs.tau, atol=1e-6 * np.abs(found.tau).max())


def test_levels_above_the_first_at_a_limit_are_not_programs():
    space, limits = saturated(share=0.5)
    program = LimitedProgram(space, limits)
    # The posture is what asks for too much.
    space.tasks(2)[0].set_desired(np.zeros(3))
    space.tasks(3)[0].set_desired(np.full(6, 60.0))
    sizes = solved_programs(program)
    found = program.solve()
    assert found.at_limit.any()
    assert set(sizes) == {3}
    theirs = by_programs(LimitedProgram(space, limits))
    assert_allclose(found.tau, theirs.tau, atol=1e-6 * np.abs(found.tau).max())


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("make", [arm, standing])
def test_skipping_levels_that_can_be_had_in_full_changes_nothing(make, seed):
    """Against programs for all levels."""
    space, rng = make(seed), np.random.default_rng(seed)
    ask(space, seed)
    limits = JointLimits.of(space.robot)
    weak = replace(limits, effort=rng.uniform(0.1, 0.5) * limits.effort)
    program = LimitedProgram(space, weak)
    found, theirs = program.solve(), by_programs(program)
    assert found.is_solved
    assert (np.abs(found.tau) <= weak.effort * (1 + 1e-6)).all()
    for priority in space.priorities:
        R = space.levels[priority].metric
        ours, other = (R @ f.error[priority] for f in (found, theirs))
        size = 1.0 + np.linalg.norm(other)
        assert np.linalg.norm(ours) < np.linalg.norm(other) + LIMITED * size
        assert np.linalg.norm(ours - other) < 3 * LIMITED * size


def test_one_program_is_solved_where_only_the_posture_gives_way():
    """Center of mass and hand are as without limits, which are beyond theirs."""
    space = standing(4)
    ask(space, 4)
    limits = JointLimits.of(space.robot)
    program = LimitedProgram(space, replace(limits, effort=0.37 * limits.effort))
    sizes = solved_programs(program)
    found = program.solve()
    assert sizes == [24 + 6 - 3 - 3]
    assert np.abs(found.error[2]).max() < HIERARCHY
    assert np.abs(found.error[3]).max() < HIERARCHY
    assert np.abs(found.error[4]).max() > 1.0


def test_joint_torques_and_reactions_are_levels_of_it_too():
    robot = RobotModel("ur10")
    space = TaskSpace(robot)
    wall = ContactTask(robot, "tool0", "x")
    along, torques = PointTask(robot, "tool0", axes="y z"), JointForceTask(robot)
    press = ReactionTask(wall, "x")
    space.add(wall)
    space.add(along, 1.0, 2)
    space.add(torques, 1.0, 3)
    space.add(press, 1.0)
    along.set_desired([0.4, -0.7])
    torques.set_desired([-20.0, 9.0, 5.0, 0.02, -0.01, 1e-3])
    press.set_desired([-60.0])
    space.update(robot.posture("ready"), np.full(6, 0.2))
    free, found = space.solve(), LimitedProgram(space).solve()
    assert_allclose(found.vdot, free.vdot, atol=LIMITED * np.abs(free.vdot).max())
    assert found.reaction["tool0"] == pytest.approx(-60.0, abs=1e-2)


def test_truncation_flags_the_joints_it_cuts():
    limits = JointLimits.of(RobotModel("ur10"))
    tau = np.array([400.0, -100.0, -151.0, 54.0, 0.0, -54.1])
    cut, flags = limits.truncate(tau)
    assert_allclose(cut, [330.0, -100.0, -150.0, 54.0, 0.0, -54.0])
    assert flags.tolist() == [True, False, True, False, False, True]


@pytest.fixture(scope="module")
def electric(tmp_path_factory):
    """A UR10 whose motors give less at speed."""
    path = tmp_path_factory.mktemp("electric") / "arm.yaml"
    lines = ["{stall_torque: 60, top_speed: 3}", "{stall_torque: 20, top_speed: 4}"]
    joints = ["shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint"]
    motors = [f"{name}: {lines[0]}" for name in joints]
    motors += [f"wrist_{i}_joint: {lines[1]}" for i in (1, 2, 3)]
    path.write_text(f"name: electric\nlike: ur10\nmotors: {{{', '.join(motors)}}}\n")
    return RobotModel(path)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("closed", [False, True])
def test_programs_and_truncation_heed_what_motors_give_at_speed(electric, seed, closed):
    robot, rng = electric, np.random.default_rng(seed)
    space = TaskSpace(robot)
    hand, posture = PointTask(robot, "tool0"), JointTask(robot)
    space.add(hand, 1.0, 2)
    space.add(posture, 1.0, 3)
    hand.set_desired([42.0, -48.0, 54.0])
    q = robot.posture("ready") + 0.2 * rng.normal(size=6)
    v = rng.uniform(-2.5, 2.5, 6)
    space.update(q, v)
    limits = JointLimits.of(robot)
    program = LimitedProgram(space, limits)
    found = program.solve() if closed else by_programs(program)
    assert found.is_solved
    least, most = robot.motors.at(v)
    assert (most < robot.effort_limits).any()
    tau, flags = limits.truncate(space.solve().tau, v)
    for torques, at_limit in ((found.tau, found.at_limit), (tau, flags)):
        assert (torques >= least - 1e-6).all()
        assert (torques <= most + 1e-6).all()
        assert at_limit.any()
        room = np.minimum(most - torques, torques - least)
        assert (room[at_limit] <= 1e-3 * robot.effort_limits[at_limit]).all()
        assert (np.abs(torques[at_limit]) < robot.effort_limits[at_limit] - 1.0).any()


@pytest.mark.parametrize("seed", range(4))
def test_the_program_misses_less_than_truncation(seed):
    space, limits = saturated(seed)
    tau, flags = limits.truncate(space.solve().tau)
    cut, found = space.outcome(tau, {}), LimitedProgram(space, limits).solve()
    assert flags.any()
    assert found.is_solved
    assert (np.abs(found.tau) <= limits.effort * (1 + 1e-6)).all()
    R = space.levels[2].metric
    missed = [float(np.linalg.norm(R @ x.error[2])) for x in (found, cut)]
    assert missed[0] < 0.9 * missed[1]


@pytest.mark.parametrize("seed", range(4))
def test_the_first_level_is_the_best_there_is(seed):
    """Against another solver: bounded least squares in the torques alone."""
    space, limits = saturated(seed)
    found = LimitedProgram(space, limits).solve()
    level, dynamics = space.levels[2], space.dynamics
    T, R = dynamics.torque_maps()[0], level.metric
    wish = level.desired - level.acceleration_before(dynamics.phi_0)
    best = lsq_linear(R @ level.B @ T * limits.effort, R @ wish, (-1.0, 1.0), tol=1e-12)
    missed = np.linalg.norm(R @ found.error[2])
    assert missed == pytest.approx(np.sqrt(2.0 * best.cost), rel=1e-4, abs=LIMITED)


def test_levels_below_never_cost_those_above_anything():
    space, limits = saturated(1, 0.33)
    with_posture = LimitedProgram(space, limits).solve()
    space.tasks(3)[0].set_desired(np.full(6, 100.0))
    other = LimitedProgram(space, limits).solve()
    assert np.abs(other.tau - with_posture.tau).max() > 0.1
    assert_allclose(other.error[2], with_posture.error[2], atol=LIMITED)
    weighted = LimitedProgram(space, limits, level_weights={2: 1.0, 3: 1.0}).solve()
    R = space.levels[2].metric
    assert np.linalg.norm(R @ weighted.error[2]) > np.linalg.norm(R @ other.error[2])


def test_joints_keep_below_their_speed_and_acceleration():
    """A hand that is thrown ahead, step by step, with joints that may not follow."""
    robot, step = RobotModel("ur10"), 1e-3
    space = TaskSpace(robot)
    hand, posture = PointTask(robot, "tool0"), JointTask(robot)
    space.add(hand, 1.0, 2)
    space.add(posture, 1.0, 3)
    hand.set_desired([0.0, 20.0, 0.0])
    limits = JointLimits(robot.effort_limits, np.full(6, 0.5), np.full(6, 12.0))
    program = LimitedProgram(space, limits)
    q, v = robot.posture("ready"), np.zeros(6)
    fastest, strongest = 0.0, 0.0
    for _ in range(150):
        space.update(q, v)
        found = program.solve()
        assert found.is_solved
        v = v + step * found.vdot
        q = q + step * v
        fastest = max(fastest, np.abs(v).max())
        strongest = max(strongest, np.abs(found.vdot).max())
    assert 0.45 < fastest < 0.5 + 1e-5
    assert 11.0 < strongest < 12.0 + 1e-4


def test_feet_neither_slip_nor_tip():
    """More sideways than friction gives: the closed form slips, programs do not."""
    space = standing(0)
    com = space.tasks(2)[0]
    com.set_desired([0.0, 9.0, 0.0])
    space.update(space.robot.posture("stand"), np.zeros(36))
    robot, state = space.robot, space.state
    found = LimitedProgram(space, friction=FRICTION).solve()
    assert found.is_solved

    def worst(reactions: dict[str, np.ndarray]) -> float:
        values = []
        for name, wrench in reactions.items():
            patch = robot.contacts[name]
            R = state.pose(name).rotation().matrix().T
            cone = wrench_cone(
                PATCH_MARGIN * patch.half_length,
                PATCH_MARGIN * patch.half_width,
                FRICTION,
            )
            values.append((cone @ np.r_[R @ wrench[:3], R @ wrench[3:]]).max())
        return max(values) / robot.weight

    assert worst(space.solve().reaction) > 0.1
    assert worst(found.reaction) < 1e-5
    done = 9.0 - found.error[2][1]
    assert 3.0 < done < FRICTION * robot.gravity


def test_mistakes_are_told():
    space, _ = saturated()
    with pytest.raises(BackbeatError, match="priority 3 needs a positive weight"):
        LimitedProgram(space, level_weights={2: 1.0})
    with pytest.raises(BackbeatError, match="unknown solver 'simplex'"):
        LimitedProgram(space, solver="simplex")
