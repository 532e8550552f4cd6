"""The motion between knots: near them, on its contacts, and with its forces."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from pydrake.math import RigidTransform, RotationMatrix

from backbeat.models.state.configuration import Configuration
from backbeat.optimization.interior_point.iterate import Guess
from backbeat.optimization.interior_point.options import InteriorPointOptions
from backbeat.optimization.interior_point.solver import InteriorPoint
from backbeat.optimization.problem.contact_schedule import ContactSchedule
from backbeat.optimization.reconstruction.curves import Curves
from backbeat.optimization.reconstruction.knot_splines import knot_spline
from backbeat.optimization.reconstruction.rebounds import MOST_SPEED
from backbeat.optimization.reconstruction.reconstruct import reconstruct
from backbeat.optimization.transcription.transcribe import Transcription
from tests.optimization.problems import jump, squat, stroke
from tests.tolerances import (
    CONTACT,
    EXACT,
    FLIGHT,
    MOMENTUM_RATE,
    ON_KNOTS,
    ON_THE_BEAT,
    RECURSION,
    TRAPEZOID_SPEED,
)

THOROUGH = InteriorPointOptions(
    refine_after=1000, refine_at=1000, max_iterations=100, tolerance=1e-9,
    end_barrier=1e-7,
)  # fmt: skip
PROBLEMS = {
    "squat": squat,
    "jump": lambda: jump(34),
    "stroke": lambda: stroke(25),
    "seated": lambda: stroke(25, seated=True),
}


class Motion:
    def __init__(self, problem, options=None, dt_max=0.005):
        self.solution = InteriorPoint(Transcription(problem), options).solve()
        assert self.solution.is_solved
        self.problem, self.robot = problem, problem.robot
        self.dense = reconstruct(self.solution, dt_max)

    def at(self, t):
        """Index of the last sample at a time."""
        return int(np.where(np.abs(self.dense.t - t) < 1e-9)[0][-1])

    def state(self, i):
        return Configuration(self.robot, self.dense.q[i], self.dense.v[i])

    def sides_of_impact(self):
        """Indices of the samples just before and just after the only impact."""
        (impact,) = self.problem.impacts
        t = self.problem.times[impact.knot]
        left, right = np.where(np.abs(self.dense.t - t) < 1e-9)[0]
        return left, right


@pytest.fixture(scope="module", params=PROBLEMS)
def motion(request):
    return Motion(PROBLEMS[request.param]())


def test_its_grid_is_fine_and_runs_from_end_to_end(motion):
    t = motion.dense.t
    assert (np.diff(t) >= 0).all()
    assert np.diff(t).max() <= 0.005 + EXACT
    assert (t[0], t[-1]) == (0.0, motion.problem.times[-1])
    for knot in motion.problem.times:
        motion.at(knot)


@pytest.mark.parametrize("motion", ["squat", "stroke"], indirect=True)
def test_the_base_moves_as_the_transcription_says(motion):
    """Its velocity and acceleration at a knot, and a place between three of them."""
    times, q, d = motion.problem.times, motion.solution.q, motion.solution.velocity
    h, dense = times[1], motion.dense
    for k in range(1, len(times) - 1):
        i = motion.at(times[k])
        place = (q[k - 1, 4:7] + 4 * q[k, 4:7] + q[k + 1, 4:7]) / 6
        v, a = 0.5 * (d[k] + d[k + 1]), (d[k + 1] - d[k]) / h
        assert_allclose(dense.q[i, 4:7], place, rtol=0, atol=ON_KNOTS)
        assert_allclose(dense.v[i, 3:6], v[3:6], rtol=0, atol=ON_KNOTS)
        assert_allclose(dense.vdot[i, 3:6], a[3:6], rtol=0, atol=ON_KNOTS)


def test_joints_pass_the_knots_closely(motion):
    """Within what acceleration bends the path over one interval."""
    dense, nq = motion.dense, motion.robot.base_positions
    here = [motion.at(t) for t in motion.problem.times]
    near = motion.problem.times[1] ** 2 * np.abs(dense.vdot).max() / 4
    assert_allclose(dense.q[here][:, nq:], motion.solution.q[:, nq:], atol=near)


@pytest.mark.parametrize("motion", ["seated"], indirect=True)
def test_a_seated_drummer_is_at_its_drum_on_the_beat(motion):
    head = motion.problem.tasks[0].X_WG
    for i in motion.sides_of_impact():
        tip = motion.state(i).pose("r_stick_tip").translation()
        assert_allclose(head.inverse().multiply(tip), 0.0, atol=ON_THE_BEAT)


def test_it_starts_and_ends_at_rest(motion):
    dense = motion.dense
    for end in (0, -1):
        assert_allclose(dense.v[end], 0.0, atol=0)
        assert_allclose(dense.vdot[end], 0.0, atol=0)
    assert dense.t[1] == dense.t[0]
    assert dense.t[-2] == dense.t[-1]


def test_contacts_stay_exactly_where_they_stand(motion):
    """Place, velocity and acceleration; the rotation of a patch as well."""
    dense, robot = motion.dense, motion.robot
    assert dense.contacts == motion.solution.transcription.contacts
    for i in range(0, len(dense.t), 3):
        state = motion.state(i)
        for c, name in enumerate(dense.contacts):
            if not dense.standing[i, c]:
                assert_allclose(dense.wrench[i, c], 0.0, atol=0)
                continue
            R = RotationMatrix(dense.R_WC[i, c])
            X_CF = RigidTransform(R, dense.p_WC[i, c]).inverse() @ state.pose(name)
            first = 3 if robot.contacts[name].is_point else 0
            turn = X_CF.rotation().ToAngleAxis().angle() if first == 0 else 0.0
            assert np.linalg.norm(X_CF.translation()) + turn < CONTACT
            assert np.abs(state.velocity(name)[first:]).max() < CONTACT
            A = state.jacobian(name) @ dense.vdot[i] + state.bias_acceleration(name)
            assert np.abs(A[first:]).max() < CONTACT


def test_contacts_stand_as_scheduled(motion):
    problem, dense = motion.problem, motion.dense
    for c, name in enumerate(dense.contacts):
        for i, t in enumerate(dense.t):
            scheduled = problem.schedule.standing(t)
            if dense.standing[i, c]:
                X_WC = scheduled[name]
                assert_allclose(dense.p_WC[i, c], X_WC.translation())
            else:
                # Inside a phase, or at the end of one.
                assert name not in problem.schedule.standing(t + 1e-6)
    if "l_stick_tip" in dense.contacts:
        c = dense.contacts.index("l_stick_tip")
        assert dense.standing[:, c].any()
        assert not dense.standing[:, c].all()


def test_forces_balance_the_motion(motion):
    """M vdot + bias + damping = torques + contact wrenches, at every sample."""
    dense, robot = motion.dense, motion.robot
    nf = robot.base_velocities
    for i in range(0, len(dense.t), 3):
        state = motion.state(i)
        tau = state.mass_matrix @ dense.vdot[i] + state.bias
        tau[nf:] += robot.damping * dense.v[i, nf:]
        for c, name in enumerate(dense.contacts):
            R, w = dense.R_WC[i, c], dense.wrench[i, c]
            tau -= state.jacobian(name).T @ np.r_[R @ w[:3], R @ w[3:]]
        scale = np.abs(tau).max() + robot.weight
        assert_allclose(tau[:nf], 0.0, atol=RECURSION * scale)
        assert_allclose(tau[nf:], dense.tau[i], rtol=0, atol=RECURSION * scale)


def test_speeds_are_derivatives(motion):
    """Central differences over a sample, but for the instant of the impact."""
    dense, robot = motion.dense, motion.robot
    nf, nq = robot.base_velocities, robot.base_positions
    for i in range(1, len(dense.t) - 1):
        before, after = dense.t[i] - dense.t[i - 1], dense.t[i + 1] - dense.t[i]
        if (
            min(before, after) < 1e-9
            or (dense.standing[i + 1] != dense.standing[i]).any()
        ):
            continue
        mean = (dense.q[i + 1, nq:] - dense.q[i, nq:]) / after
        expected = 0.5 * (dense.v[i + 1, nf:] + dense.v[i, nf:])
        # Euler and Maclaurin's term of a stick's fast rebound.
        expected -= after / 12 * (dense.vdot[i + 1, nf:] - dense.vdot[i, nf:])
        assert_allclose(mean, expected, rtol=0, atol=TRAPEZOID_SPEED)


@pytest.mark.parametrize("motion", ["stroke", "seated"], indirect=True)
def test_an_impact_breaks_the_speed_of_its_limb_alone(motion):
    dense, robot = motion.dense, motion.robot
    left, right = motion.sides_of_impact()
    assert_allclose(dense.q[left], dense.q[right], rtol=0, atol=ON_KNOTS)
    jump = dense.v[right] - dense.v[left]
    limb = robot.base_velocities + robot.contacts["r_stick_tip"].limb
    assert np.abs(jump[limb]).max() > 0.1
    others = np.setdiff1d(np.arange(len(jump)), limb)
    # The other limbs on contacts follow the base, which does not jump.
    assert_allclose(jump[others], 0.0, atol=ON_KNOTS)
    # Down before the head, up after it.
    head = motion.problem.tasks[0].X_WG.rotation().col(2)
    speeds = [motion.state(i).velocity("r_stick_tip")[3:] @ head for i in (left, right)]
    assert speeds[0] < -0.2
    assert speeds[1] > 0.2


@pytest.mark.parametrize("motion", ["stroke", "seated"], indirect=True)
def test_joints_leave_an_impact_as_a_blow_has_it(motion):
    """Their jump is what an impulse along the normal does to the limb, if they can."""
    dense, robot = motion.dense, motion.robot
    (impact,) = motion.problem.impacts
    left, right = motion.sides_of_impact()
    limb = robot.contacts["r_stick_tip"].limb
    rows = robot.base_velocities + limb
    state = motion.state(right)
    inertia = state.mass_matrix[np.ix_(rows, rows)]
    impulse = inertia @ (dense.v[right] - dense.v[left])[rows]
    J = state.jacobian("r_stick_tip")[3:, rows]
    along = np.asarray(impact.normal) @ J
    asked = along * (impulse @ along) / (along @ along)
    within = (
        np.abs(dense.v[right, rows]) < (MOST_SPEED - 0.01) * robot.velocity_limits[limb]
    )
    assert within.all(), "the problem no longer asks for what joints can do"
    assert_allclose(impulse, asked, rtol=0, atol=ON_KNOTS)


@pytest.mark.parametrize("motion", ["stroke", "seated"], indirect=True)
def test_a_resting_tip_leaves_without_a_jerk(motion):
    """Its swing starts with the velocity that its head allowed: none."""
    dense = motion.dense
    c = dense.contacts.index("l_stick_tip")
    leaves = int(np.argmin(dense.standing[:, c]))
    assert dense.standing[leaves - 1, c]
    speed = motion.state(leaves).velocity("l_stick_tip")[3:]
    assert np.linalg.norm(speed) < CONTACT
    later = motion.state(leaves + 8).velocity("l_stick_tip")[3:]
    assert np.linalg.norm(later) > 100 * CONTACT


def test_halving_the_spacing_divides_the_errors_by_four():
    """Of joints and speeds at knots, and of wrenches at and between them.

    Away from the ends, where the motion starts from rest within one interval.
    """
    errors = []
    for num_knots in (21, 41):
        motion = Motion(squat(num_knots), THOROUGH, dt_max=0.0125)
        s, dense, times = motion.solution, motion.dense, motion.problem.times
        weight = motion.robot.weight
        knots = np.where((times > 0.3) & (times < 0.7))[0]
        here = [motion.at(t) for t in times[knots]]
        between = [motion.at(t) for t in times[knots] + 0.5 * times[1]]
        v = 0.5 * (s.velocity[knots] + s.velocity[knots + 1])
        mean = 0.5 * (s.w[knots] + s.w[knots + 1])
        errors.append(
            [
                np.abs(dense.q[here] - s.q[knots]).max(),
                np.abs(dense.v[here] - v).max(),
                np.abs(dense.wrench[here] / weight - s.w[knots]).max(),
                np.abs(dense.wrench[between] / weight - mean).max(),
            ]
        )
    ratios = np.array(errors[0]) / errors[1]
    assert (ratios > 3.0).all(), ratios
    assert (np.array(errors[1]) < [1e-3, 1e-3, 1e-4, 1e-4]).all(), errors


@pytest.mark.parametrize("motion", ["jump"], indirect=True)
def test_in_flight_only_gravity_changes_the_momentum(motion):
    """The center of mass falls, and angular momentum about it stays what it is."""
    dense, robot = motion.dense, motion.robot
    air = np.where(~dense.standing.any(axis=1))[0]
    start, end = dense.t[air[0]], dense.t[air[-1]]
    assert end - start > 0.2
    momentum = np.array([motion.state(i).momentum for i in air])
    fall = np.zeros_like(momentum)
    fall[:, 5] = -robot.weight * (dense.t[air] - start)
    changed = (momentum - momentum[0] - fall) / robot.weight
    assert_allclose(changed, 0.0, atol=FLIGHT)
    assert np.abs(momentum[0, :3]).max() / robot.weight > 10 * FLIGHT
    com = np.array([motion.state(i).center_of_mass for i in air])
    t = (dense.t[air] - start)[:, None]
    v = momentum[0, 3:] / robot.total_mass
    path = com[0] + v * t + 0.5 * np.array([0, 0, -robot.gravity]) * t**2
    assert_allclose(com, path, atol=ON_THE_BEAT)


@pytest.mark.parametrize("motion", ["jump"], indirect=True)
def test_on_the_ground_contacts_change_the_momentum(motion):
    """The rate of momentum is gravity and the wrenches, up to lift-off and after."""
    dense, robot = motion.dense, motion.robot
    state = [motion.state(i) for i in range(len(dense.t))]
    force = np.zeros((len(dense.t), 6))
    for i, x in enumerate(state):
        force[i, 5] = -robot.weight
        for c in range(len(dense.contacts)):
            R, w = dense.R_WC[i, c], dense.wrench[i, c]
            arm = dense.p_WC[i, c] - x.center_of_mass
            F = R @ w[3:]
            force[i] += np.r_[R @ w[:3] + np.cross(arm, F), F]
    momentum = np.array([x.momentum for x in state])
    dt = np.diff(dense.t)[:, None]
    off = np.diff(momentum, axis=0) - 0.5 * dt * (force[1:] + force[:-1])
    inside = (dt[:, 0] > 1e-9) & (dense.standing[1:] == dense.standing[:-1]).all(axis=1)
    rate = off[inside] / dt[inside] / robot.weight
    assert_allclose(rate, 0.0, atol=MOMENTUM_RATE)


def test_a_stick_does_not_shake_where_knots_get_closer():
    """An arm whose control points are those of a smooth swing swings smoothly."""
    problem = stroke(25, seated=True)
    steps = np.repeat([0.05, 0.025, 0.05], [6, 12, 6])
    times = np.r_[0.0, np.cumsum(steps)]
    first, second = problem.schedule.phases
    first = replace(first, duration=times[14])
    second = replace(second, duration=times[-1] - times[14])
    schedule = ContactSchedule((first, second))
    problem = replace(problem, times=times, schedule=schedule)
    at = problem.robot.groups["r_arm"]
    centers = np.r_[0.0, (times[:-2] + times[1:-1] + times[2:]) / 3, times[-1]]
    turn = 2 * np.pi / times[-1]
    q = np.tile(problem.q_start, (len(times), 1))
    q[:, at] += 0.15 * (1 - np.cos(turn * centers))[:, None]
    contacts = len(problem.contact_names)
    guess = Guess(q, np.zeros((len(times), contacts, 6)))
    solution = InteriorPoint(Transcription(problem)).evaluate(guess)
    # The first two knots of a problem and its end are given, at rest.
    # Beside the impact the motion is that of a blow.
    knots = np.setdiff1d(np.arange(6, len(times) - 6), [12, 13, 14, 15])
    _, _, vdot = Curves(solution).sample(times[knots], knots)
    most = 0.15 * turn**2
    wanted = most * np.cos(turn * times[knots])
    assert_allclose(vdot[:, at], np.tile(wanted, (len(at), 1)).T, atol=0.05 * most)


@pytest.mark.parametrize("count", [2, 3, 4, 5, 9])
@pytest.mark.parametrize("given", [(False, False), (True, False), (True, True)])
def test_a_stick_passes_its_knots_however_few_there_are(count, given):
    breaks = np.linspace(0.0, 0.2, count) ** 1.2
    sites, values = breaks.copy(), np.sin(9.0 * breaks)[:, None]
    sites[1:-1] = (breaks[:-2] + breaks[1:-1] + breaks[2:]) / 3
    rates = [
        9.0 * np.cos(9.0 * breaks[[i]]) if x else None
        for i, x in zip((0, -1), given, strict=True)
    ]
    spline = knot_spline(sites, values, breaks, (rates[0], rates[1]))
    assert_allclose(spline(sites), values, atol=1e-12)
    for i, rate in zip((0, -1), rates, strict=True):
        if rate is not None:
            assert_allclose(spline(breaks[i], 1), rate, atol=1e-9)
