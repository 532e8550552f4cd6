"""The whole-body program against Drake and against itself stated in full."""

from copy import copy

import numpy as np
import pytest
from pydrake.math import RollPitchYaw, RotationMatrix
from scipy.optimize import nnls

from backbeat.models.contact.cones import PATCH_MARGIN
from backbeat.mpc.whole_body.programs import momentum as whole_body_program
from backbeat.mpc.whole_body.programs.contact_motion import MOST_PULL, MOST_TURN
from backbeat.mpc.whole_body.programs.momentum import (
    WholeBodyProgram,
    WholeBodySolution,
)
from backbeat.mpc.whole_body.programs.tasks import WholeBodyGains
from backbeat.mpc.whole_body.tick_explanation import report_tasks
from backbeat.optimization.qp.program import DaqpSolver, QuadraticProgram
from tests.mpc.full_program import FRICTION, FullProgram
from tests.mpc.whole_body_cases import FEET, TIPS, Stance
from tests.tolerances import ELIMINATION, EXACT, QP_RESIDUAL, RECURSION


def relative(a: np.ndarray, b: np.ndarray) -> float:
    """Largest difference relative to the largest entry."""
    return float(np.abs(a - b).max() / np.abs(b).max())


def easy(seed: int) -> Stance:
    return Stance(seed)


def loaded(seed: int) -> Stance:
    """A stick that rests on a drum."""
    stance = Stance(seed)
    stance.target.point_force[0] = [1.0, -2.0, 12.0]
    stance.target.point_on[0] = 0.0
    return stance


def pushed_sideways(seed: int) -> Stance:
    """More than friction gives."""
    stance = Stance(seed)
    stance.target.com[2] = [1.0, 9.0, 0.0]
    return stance


def lifted(seed: int) -> Stance:
    """More than the knees can do."""
    stance = Stance(seed)
    stance.target.com[2] = [0.0, 0.0, 25.0]
    return stance


def stepping(seed: int) -> Stance:
    """The left foot swings; the weight is over the right one."""
    stance = Stance(seed)
    stance.target.standing[:] = [False, True]
    stance.target.com[0, :2] = stance.drake.pose("r_foot").translation()[:2]
    stance.target.contact[0] += [0.05, 0.0, 0.08]
    stance.target.R_contact[0] = (
        RollPitchYaw(-0.01, 0.02, 0.0).ToRotationMatrix().matrix()
    )
    stance.target.contact_motion[0, 0] = [0.0, 0.2, 0.0, 0.3, 0.0, 0.4]
    stance.target.contact_motion[1, 0] = [1.0, 0.0, 0.0, 2.0, 0.0, -3.0]
    return stance


CASES = [
    (make, seed)
    for make in (easy, loaded, pushed_sideways, lifted, stepping)
    for seed in range(3)
]


@pytest.fixture(params=CASES, ids=lambda c: f"{c[0].__name__}-{c[1]}", scope="module")
def stance(request) -> Stance:
    make, seed = request.param
    return make(seed)


@pytest.fixture(scope="module")
def solution(stance) -> WholeBodySolution:
    return stance.program.solve(stance.q, stance.v, stance.target)


def test_torques_and_wrenches_make_the_accelerations_that_it_promises(stance, solution):
    assert solution.is_solved
    drake, total = stance.drake, stance.drake.inverse_dynamics(solution.vdot)
    for name, w in zip(FEET, solution.wrench, strict=True):
        total -= drake.jacobian(name).T @ stance.wrench(name, w)
    for name, load in zip(TIPS, stance.target.point_force, strict=True):
        total -= drake.jacobian(name)[3:].T @ load
    assert np.abs(total[:6]).max() < RECURSION * stance.robot.weight
    error = np.abs(total[6:] - solution.tau).max()
    assert error < RECURSION * np.abs(solution.tau).max()


def test_wrenches_are_sums_of_forces_at_the_corners_within_friction(stance, solution):
    """Four corners, each with the edges of the pyramid inside its friction cone."""
    m = FRICTION / np.sqrt(2)
    edges = [[x * m, y * m, 1.0] for x in (1, -1) for y in (1, -1)]
    for name, w in zip(FEET, solution.wrench, strict=True):
        corners = PATCH_MARGIN * stance.robot.contacts[name].corners()
        rays = [np.r_[np.cross(p, f), f] for p in corners for f in np.array(edges)]
        _, residual = nnls(np.array(rays).T, w)
        assert residual < QP_RESIDUAL


def test_torques_stay_within_their_limits(stance, solution):
    excess = np.abs(solution.tau) - stance.robot.effort_limits
    assert excess.max() < QP_RESIDUAL


@pytest.fixture
def electric(tmp_path):
    """Stances of an Atlas whose legs have rotors, and less torque at speed."""
    path, line = tmp_path / "electric.yaml", "{stall_torque: 1000, top_speed: 2}"
    path.write_text(
        "name: electric\nlike: atlas\narmature: {left leg: 0.5, right leg: 0.5}\n"
        f"motors: {{left leg: {line}, right leg: {line}}}\n"
    )

    def call(seed, lift):
        stance = Stance(seed, speed=0.8, robot=path)
        stance.target.com[2] = [0.0, 0.0, lift]
        solution = stance.program.solve(stance.q, stance.v, stance.target)
        return stance, solution

    return call


@pytest.mark.parametrize("seed", range(3))
def test_rotors_are_part_of_what_a_program_promises(electric, seed):
    stance, solution = electric(seed, 0.0)
    drake, total = stance.drake, stance.drake.inverse_dynamics(solution.vdot)
    for name, w in zip(FEET, solution.wrench, strict=True):
        total -= drake.jacobian(name).T @ stance.wrench(name, w)
    assert np.abs(total[:6]).max() < RECURSION * stance.robot.weight
    error = np.abs(total[6:] - solution.tau).max()
    assert error < RECURSION * np.abs(solution.tau).max()


@pytest.mark.parametrize("seed", range(2))
def test_a_program_heeds_what_motors_give_at_their_speed(electric, seed):
    stance, solution = electric(seed, 25.0)
    assert solution.is_solved
    limits, v = stance.robot.motors, stance.v[6:]
    shares = limits.shares(solution.tau, v)
    assert shares.max() == pytest.approx(1.0, abs=QP_RESIDUAL)
    least, most = limits.at(v)
    slow = np.minimum(most, -least) < 0.99 * limits.effort
    assert shares[slow].max() == pytest.approx(1.0, abs=QP_RESIDUAL)


@pytest.mark.parametrize("seed", range(3))
def test_a_program_heeds_motors_that_drive_two_joints(tmp_path, seed):
    """So weak that they limit an ankle whose joints could do twice as much."""
    pair = "motor_torques: [[0.5, 0.7], [0.6, -0.8]], effort: 40, stall_torque: 55"
    path = tmp_path / "paired.yaml"
    path.write_text(
        "name: paired\nlike: atlas\nparallel:\n"
        f"  left: {{joints: [l_leg_aky, l_leg_akx], {pair}, top_speed: 4}}\n"
        f"  right: {{joints: [r_leg_aky, r_leg_akx], {pair}, top_speed: 4}}\n"
    )
    stances = {robot: Stance(seed, speed=0.5, robot=robot) for robot in (path, "atlas")}
    found = {}
    for robot, stance in stances.items():
        stance.target.com[2] = [8.0, 0.0, 0.0]
        found[robot] = stance.program.solve(stance.q, stance.v, stance.target)
        assert found[robot].is_solved
    limits, v = stances[path].robot.motors, stances[path].v[6:]
    shares = limits.shares(found[path].tau, v)
    assert shares.max() == pytest.approx(1.0, abs=QP_RESIDUAL)
    ankles = stances[path].robot.joint_indices(["l_leg_aky", "r_leg_aky"])
    both = {r: limits.shares(f.tau, v)[ankles].max() for r, f in found.items()}
    assert both["atlas"] > 1.05
    assert both[path] < 1.0 + QP_RESIDUAL
    drake = stances[path].drake
    total = drake.inverse_dynamics(found[path].vdot)
    for name, w in zip(FEET, found[path].wrench, strict=True):
        total -= drake.jacobian(name).T @ stances[path].wrench(name, w)
    assert np.abs(total[6:] - found[path].tau).max() < 1e-6


def test_some_case_takes_a_joint_to_its_limit():
    stance = lifted(0)
    solution = stance.program.solve(stance.q, stance.v, stance.target)
    share = np.abs(solution.tau) / stance.robot.effort_limits
    assert share.max() == pytest.approx(1.0, abs=QP_RESIDUAL)


def test_contacts_move_as_the_target_says(stance, solution):
    drake, target = stance.drake, stance.target
    gains = stance.program.gains_for(target)
    for c, name in enumerate(FEET):
        J = drake.jacobian(name)
        V = J @ stance.v
        a = J @ solution.vdot + drake.bias_acceleration(name)
        R = drake.pose(name).rotation().matrix()
        turn, off = R @ solution.swing_slack[c, :3], R @ solution.swing_slack[c, 3:]
        if target.standing[c]:
            wanted = -gains.contact_damping * V[3:]
        else:
            wanted = stance.wanted_motion(c, a[:3] - turn)
            assert np.abs(solution.wrench[c]).max() < EXACT
        assert relative(a[3:] - off, wanted) < ELIMINATION


@pytest.mark.parametrize("seed", range(3))
def test_a_leg_that_cannot_follow_its_path_does_not_throw_the_body_about(seed):
    stance = stepping(seed)
    program, target = stance.program, stance.target
    (c,) = np.flatnonzero(~target.standing)
    drake, J = stance.drake, stance.drake.jacobian(FEET[c])
    easy = program.solve(stance.q, stance.v, target)
    target.contact_motion[1, c] += [300.0, 300.0, 300.0, 400.0, 400.0, 400.0]
    hard = program.solve(stance.q, stance.v, target)
    assert hard.is_solved
    assert np.linalg.norm((J @ (hard.vdot - easy.vdot))[3:]) > 20.0
    change = drake.center_of_mass_acceleration(hard.vdot)
    change = change - drake.center_of_mass_acceleration(easy.vdot)
    # Without limits on what a foot is asked it was up to 23.
    assert np.abs(change).max() < 0.6 * stance.robot.gravity


@pytest.mark.parametrize("seed", range(3))
def test_a_leg_whose_motors_are_too_weak_leaves_its_path(seed):
    stance = stepping(seed)
    is_swinging = [name.startswith("l_leg") for name in stance.robot.joint_names]
    weak = copy(stance.robot)
    weak.effort_limits = np.where(is_swinging, 0.2, 1.0) * weak.effort_limits
    program = WholeBodyProgram(weak, FEET, TIPS)
    stance.target.contact_motion[1, 0] += [300.0, 300.0, 300.0, 400.0, 400.0, 400.0]
    strong = stance.program.solve(stance.q, stance.v, stance.target)
    solution = program.solve(stance.q, stance.v, stance.target)
    assert solution.is_solved
    assert (np.abs(solution.tau) - weak.effort_limits).max() < QP_RESIDUAL
    assert np.abs(solution.swing_slack[0]).max() > 50.0
    assert np.abs(strong.swing_slack[0]).max() < 2.0


def test_no_more_is_asked_of_a_foot_than_a_leg_can_do():
    """Turning and moving have a limit each."""
    stance = stepping(0)
    program, target = stance.program, stance.target
    (c,) = np.flatnonzero(~target.standing)
    stance.v[:], target.contact_motion[:] = 0.0, 0.0
    stance.drake.set(stance.q, stance.v)
    J, R = (
        stance.drake.jacobian(FEET[c]),
        stance.drake.pose(FEET[c]).rotation().matrix(),
    )
    way = np.array([2.0, -1.0, 2.0]) / 3.0

    def asked(turn, pull):
        target.R_contact[c] = R
        target.contact[c] = stance.drake.pose(FEET[c]).translation()
        target.contact_motion[1, c] = np.r_[turn * way, pull * way]
        solution = program.solve(stance.q, stance.v, target)
        return J @ solution.vdot - np.kron(np.eye(2), R) @ solution.swing_slack[c]

    wanted = np.r_[30.0 * way, 20.0 * way]
    assert relative(asked(30.0, 20.0), wanted) < ELIMINATION
    # The lowest corner of a foot that turns so hard has to go up besides.
    most = asked(3000.0, 2000.0).reshape(2, 3)
    assert relative(most[0], MOST_TURN * way) < ELIMINATION
    sizes = np.linalg.norm(most, axis=1)
    assert relative(sizes, np.array([MOST_TURN, MOST_PULL])) < ELIMINATION


def test_a_foot_that_is_tilted_goes_higher_to_keep_its_lowest_corner_off_the_ground():
    stance = stepping(0)
    program, target = stance.program, stance.target
    (c,) = np.flatnonzero(~target.standing)
    side = FEET[c][0]
    stance.q[7 + stance.robot.joint_names.index(f"{side}_leg_akx")] += 0.4
    stance.v[:], target.contact_motion[:] = 0.0, 0.0
    stance.drake.set(stance.q, stance.v)
    R, J = stance.drake.pose(FEET[c]).rotation(), stance.drake.jacobian(FEET[c])
    flat = RotationMatrix.MakeZRotation(R.ToRollPitchYaw().yaw_angle())
    patch = stance.robot.contacts[FEET[c]]
    corners = patch.corners() @ R.matrix().T
    lowest = corners[corners[:, 2].argmin()]
    lift = -lowest[2]

    def upward(planned):
        target.R_contact[c] = planned.matrix()
        solution = program.solve(stance.q, stance.v, target)
        off = np.kron(np.eye(2), R.matrix()) @ solution.swing_slack[c]
        a = J @ solution.vdot - off
        return (a[3:] + np.cross(a[:3], lowest))[2]

    assert lift > 0.8 * patch.half_width * np.sin(0.4)
    more = program.gains_for(target).swing_stiffness * lift
    assert upward(flat) - upward(R) == pytest.approx(more, rel=ELIMINATION)


def test_the_answer_is_that_of_the_program_stated_in_full(stance, solution):
    vdot, tau, wrench = FullProgram(stance).solve()
    assert relative(solution.vdot, vdot) < ELIMINATION
    assert relative(solution.tau, tau) < ELIMINATION
    assert relative(solution.wrench, wrench) < ELIMINATION


def test_every_task_costs_what_it_does_in_full(stance, solution):
    """Term by term, with the rows of Drake and the test's own formulas."""
    stance.program.solve(stance.q, stance.v, stance.target)
    costs = {}
    for task in report_tasks(stance.program, solution):
        # Turn and path of a foot in the air, and wrenches of it, which are none.
        name = task.name.removeprefix("turn of ")
        name = name.removeprefix("path of ") if "in the air" in name else name
        costs[name] = costs.get(name, 0.0) + task.cost
    full = FullProgram(stance).costs(solution.vdot, solution.wrench)
    planned = stance.target.wrench[~stance.target.standing]
    gains = stance.program.gains_for(stance.target)
    full["wrenches as planned"] -= 0.5 * gains.wrench_weight * (planned**2).sum()
    total = sum(full.values())
    assert set(costs) == {name for name in full if name in costs or full[name]}
    for name, cost in costs.items():
        # The inverse of a limb is damped, and so is what its slack does.
        close = 1e-2 if "in the air" in name else 1e-5
        assert cost == pytest.approx(full[name], rel=close, abs=1e-7 * total), name


def test_the_solution_satisfies_the_optimality_conditions(stance):
    """Stationary, feasible, multipliers of the right sign on active bounds alone."""
    stance.program.solve(stance.q, stance.v, stance.target)
    tick = stance.program.workspace
    program = QuadraticProgram(tick.H, tick.g, tick.A, tick.lower, tick.upper)
    solution = DaqpSolver().solve(program)
    n = program.num_bounds
    gradient = program.H @ solution.x + program.g
    gradient += program.A.T @ solution.dual[n:]
    gradient[:n] += solution.dual[:n]
    size = np.abs(program.g).max()
    assert np.abs(gradient).max() < RECURSION * size
    values = np.r_[solution.x[:n], program.A @ solution.x]
    assert (values - program.upper).max() < QP_RESIDUAL
    assert (program.lower - values).max() < QP_RESIDUAL
    pushing = np.abs(solution.dual) > EXACT * size
    at_upper = np.abs(values - program.upper) < QP_RESIDUAL
    at_lower = np.abs(values - program.lower) < QP_RESIDUAL
    assert (solution.dual[pushing & ~at_lower] > 0).all()
    assert (solution.dual[pushing & ~at_upper] < 0).all()
    assert (at_upper | at_lower)[pushing].all()


@pytest.mark.parametrize("contacts", [(), FEET], ids=["no patches", "feet in the air"])
def test_without_contact_the_robot_falls_freely(contacts):
    stance = Stance(1, contacts=contacts)
    stance.target.standing[:] = False
    solution = stance.program.solve(stance.q, stance.v, stance.target)
    assert solution.is_solved
    a = stance.drake.center_of_mass_acceleration(solution.vdot)
    assert np.abs(a - [0, 0, -stance.robot.gravity]).max() < RECURSION * 100


def test_momentum_changes_as_wanted_when_it_can():
    stance = Stance(0, spread=0.01, speed=0.02)
    stance.target.point_on[:] = 0.0
    target, m = stance.target, stance.robot.total_mass
    gains = stance.program.gains_for(target)
    target.com[2] = [0.3, -0.5, 1.0]
    solution = stance.program.solve(stance.q, stance.v, target)
    drake = stance.drake
    wanted = target.com[2] + gains.com_stiffness * (
        target.com[0] - drake.center_of_mass()
    )
    wanted -= gains.com_damping * drake.momentum()[3:] / m
    got = drake.center_of_mass_acceleration(solution.vdot)
    # The other tasks want a little too.
    assert np.linalg.norm(got - wanted) < 0.05 * np.linalg.norm(wanted)


def test_a_joint_near_its_stop_is_slowed_before_it():
    stance = Stance(0, spread=0.0, speed=0.0)
    stance.target.point_on[:] = 0.0
    robot, time = stance.robot, 0.05
    j = robot.joint_index("l_arm_elx")
    stance.q[7 + j] = robot.position_upper[j] - 0.05
    stance.v[6 + j] = 1.5
    stance.target.joints[0, j] = robot.position_upper[j] + 0.5
    solution = stance.program.solve(stance.q, stance.v, stance.target)
    ahead = stance.q[7 + j] + 1.5 * time + 0.5 * solution.vdot[6 + j] * time**2
    assert ahead < robot.position_upper[j] + QP_RESIDUAL


def test_what_cannot_be_done_is_said():
    stance = Stance(0, spread=0.0, speed=0.0)
    knee = stance.robot.joint_index("l_leg_kny")
    stance.v[6 + knee] = 60.0
    assert not stance.program.solve(stance.q, stance.v, stance.target).is_solved
    # The next program is solved as if nothing had been.
    rest = np.zeros_like(stance.v)
    after = stance.program.solve(stance.q, rest, stance.target)
    fresh = Stance(0, spread=0.0, speed=0.0)
    expected = fresh.program.solve(fresh.q, rest, fresh.target)
    assert after.is_solved
    np.testing.assert_array_equal(after.tau, expected.tau)


def test_a_warm_start_changes_nothing_but_the_work():
    stance = lifted(0)
    cold = stance.program.solve(stance.q, stance.v, stance.target)
    v = stance.v * 1.001
    warm = stance.program.solve(stance.q, v, stance.target, cold.dual)
    again = stance.program.solve(stance.q, v, stance.target)
    assert warm.iterations < again.iterations
    assert np.abs(warm.tau - again.tau).max() < QP_RESIDUAL


def neighbor(stance: Stance, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Configuration and velocity of a robot a little elsewhere."""
    rng = np.random.default_rng(seed)
    q, v = stance.q.copy(), stance.v + 0.05 * rng.normal(size=len(stance.v))
    q[7:] += 0.01 * rng.normal(size=len(q) - 7)
    return q, v


def test_from_the_active_set_of_a_neighbor_the_answer_is_that_of_daqp(stance, solution):
    program: WholeBodyProgram = stance.program
    for seed in range(4):
        q, v = neighbor(stance, seed)
        found = program.solve(q, v, stance.target, solution.dual)
        tick = program.workspace
        full = QuadraticProgram(tick.H, tick.g, tick.A, tick.lower, tick.upper)
        right = DaqpSolver().solve(full)
        n = len(tick.g) - 6 * len(FEET)
        assert found.is_solved
        by_contact = (found.wrench + found.swing_slack).ravel()
        assert np.abs(by_contact - right.x[n:]).max() < QP_RESIDUAL


@pytest.mark.parametrize("make", [pushed_sideways, lifted, stepping])
def test_bounds_that_come_and_go_are_found(make):
    """Cones and torques that bind now did not before, and the other way around."""
    cases = [s.program.solve(s.q, s.v, s.target) for s in (easy(0), make(0))]
    active = [solution.dual != 0.0 for solution in cases]
    assert (active[0] != active[1]).any()
    for stance, right, before in (
        (easy(0), cases[0], cases[1]),
        (make(0), cases[1], cases[0]),
    ):
        found = stance.program.solve(stance.q, stance.v, stance.target, before.dual)
        assert found.is_solved
        assert np.abs(found.wrench - right.wrench).max() < QP_RESIDUAL
        assert relative(found.tau, right.tau) < ELIMINATION


def test_a_program_remembers_nothing():
    """Equal calls give equal answers, whatever was solved in between."""
    stance, other = lifted(0), pushed_sideways(1)
    program: WholeBodyProgram = stance.program
    first = program.solve(stance.q, stance.v, stance.target)
    program.solve(other.q, other.v, other.target, first.dual)
    second = program.solve(stance.q, stance.v, stance.target)
    for a, b in zip(
        (first.tau, first.vdot, first.wrench, first.dual),
        (second.tau, second.vdot, second.wrench, second.dual),
        strict=True,
    ):
        np.testing.assert_array_equal(a, b)


def test_gains_in_whole_numbers_are_good_enough():
    stance = Stance(0)

    def solve(damping):
        gains = WholeBodyGains(com_damping=damping)
        program = WholeBodyProgram(stance.robot, FEET, TIPS, gains)
        return program.solve(stance.q, stance.v, stance.target).tau.copy()

    np.testing.assert_array_equal(solve(2.0), solve(2))


def test_an_answer_whose_residuals_are_too_large_is_not_believed(monkeypatch):
    """Neither one that is found from the last tick's, nor one from scratch."""
    stance = easy(0)
    right = stance.program.solve(stance.q, stance.v, stance.target)
    assert right.is_solved
    monkeypatch.setattr(whole_body_program, "DUAL_TOLERANCE", 1e-18)
    for guess in (right.dual, None):
        found = stance.program.solve(stance.q, stance.v, stance.target, guess)
        assert not found.is_solved
        assert found.status == "inaccurate"
