"""The invariant filter against motions whose every quantity has a formula."""

from dataclasses import dataclass

import numpy as np
import pytest
from pydrake.math import RollPitchYaw, RotationMatrix

from backbeat.models.dynamics.rolling import FLAT
from backbeat.models.dynamics.rotations import (
    box_plus,
    quaternion_to_matrix,
    rotation_exp,
)
from backbeat.mpc.estimation.filter_correction import correct, retract
from backbeat.mpc.estimation.filter_measurement import MeasuredRows, measure
from backbeat.mpc.estimation.invariant_filter import (
    BaseEstimate,
    ContactKinematics,
    FilterNoise,
    add_rotation_noise,
    apply_transition,
    propagate,
)
from tests.tolerances import EXACT, FILTER_HORIZON, INVARIANCE, LINEARIZED

G, DT, N = 9.81, 1e-3, 21
UP = np.array([0.0, 0.0, G])
FEET = np.array([[0.05, 0.12, 0.0], [-0.02, -0.11, 0.0]])
BOTH = np.ones(2, bool)
NONE = np.zeros(2, bool)
EXACT_SENSORS = FilterNoise(gyro=1e-6, accelerometer=1e-6)


def rotation(q):
    """(3, 3) rotation of a quaternion."""
    R = np.zeros((3, 3))
    quaternion_to_matrix(q, R)
    return R


def exp(w):
    """(3, 3) rotation of a rotation vector."""
    E = np.zeros((3, 3))
    rotation_exp(np.asarray(w, float), E)
    return E


def estimate(rpy=(0, 0, 0), p=(0, 0, 0.9), v=(0, 0, 0), P=None, feet=FEET):
    """An estimate without biases."""
    quaternion = RollPitchYaw(rpy).ToQuaternion().wxyz()
    x = np.array([v, p, *feet], float)
    P = np.eye(N) * 1e-4 if P is None else np.array(P)
    return BaseEstimate(np.r_[quaternion, x[1]], x, np.zeros((2, 3)), P)


def seen(truth, rate, moving=0.0):
    """Contacts at rest and flat, as encoders without errors see them."""
    R, (v, p, *feet) = rotation(truth.q), truth.x
    place = np.array([R.T @ (d - p) for d in feet])
    velocity = np.array([-R.T @ v - np.cross(rate, z) for z in place])
    normal = np.tile(R.T @ [0, 0, 1], (2, 1))
    J = np.tile(np.eye(3, 6), (2, 1, 1))
    ahead = np.tile(R.T @ [1, 0, 0], (2, 1))
    return ContactKinematics(
        place, normal, velocity + moving, J, ahead, np.full(2, FLAT), place
    )


def random_estimate(seed):
    rng = np.random.default_rng(seed)
    e = estimate(0.4 * rng.normal(size=3), 3 * rng.normal(size=3), rng.normal(size=3))
    e.x[2:, :2] = rng.normal(size=(2, 2))
    e.b[:] = 0.1 * rng.normal(size=(2, 3))
    return e


def copied(e):
    return BaseEstimate(*(a.copy() for a in e))


def moved(e, xi):
    """exp(xi) e, biases added: the truth that an error xi belongs to."""
    out = copied(e)
    retract(out, np.asarray(xi, float))
    return out


def difference(a, b):
    """The error xi with a = exp(xi) b, for small ones."""
    E = rotation(a.q) @ rotation(b.q).T
    phi = RotationMatrix(E).ToAngleAxis()
    phi = phi.angle() * phi.axis()
    x = a.x - b.x @ E.T
    return np.concatenate([phi, *x, *(a.b - b.b)])


@pytest.mark.parametrize("seed", range(4))
def test_the_transition_is_the_derivative_of_the_motion(seed):
    rng = np.random.default_rng(seed + 100)
    e, gyro, acceleration = random_estimate(seed), rng.normal(size=3), UP + 1.0
    F = np.eye(N)
    apply_transition(F, rotation(e.q), e.x, G, DT)
    after = copied(e)
    propagate(after, gyro, acceleration, G, DT, FilterNoise(), np.zeros(2))
    step = 1e-6
    for j in range(N):
        other = moved(e, step * np.eye(N)[j])
        propagate(other, gyro, acceleration, G, DT, FilterNoise(), np.zeros(2))
        column = difference(other, after) / step
        # What a bias does within a step, the filter knows to first order.
        far = np.abs(e.x).max()
        np.testing.assert_allclose(F[:, j], column, atol=LINEARIZED * DT * far)


def test_without_biases_the_error_moves_the_same_whatever_the_estimate():
    """A turn by a radian and a shift by meters obey the linear equation exactly."""
    xi = np.zeros(N)
    xi[2], xi[6:9] = 1.0, [3.0, -2.0, 0.5]
    motions, _gyro = [], np.array([0.3, -0.2, 0.5])
    for seed in range(3):
        e = random_estimate(seed)
        e.b[:] = 0.0
        other = moved(e, xi)
        for _ in range(50):
            for one in (e, other):
                propagate(
                    one,
                    np.array([0.3, -0.2, 0.5]),
                    UP,
                    G,
                    DT,
                    FilterNoise(),
                    NONE * 1.0,
                )
        motions.append(difference(other, e))
    for error in motions:
        np.testing.assert_allclose(error, motions[0], atol=INVARIANCE)


def copies(arrays):
    return [a.copy() for a in arrays]


@pytest.mark.parametrize("seed", range(4))
def test_rows_are_the_derivatives_of_what_is_measured(seed):
    rng = np.random.default_rng(seed)
    truth = random_estimate(seed)
    truth.x[2:, 2] = 0.0
    rate = rng.normal(size=3)
    kinematics = seen(truth, rate)
    gyro, noise = rate + truth.b[0], FilterNoise(flat=1.0, level=1.0)
    for j in range(N):
        xi = np.zeros(N)
        xi[j] = 1e-5
        e = moved(truth, -xi)
        index, h = np.zeros((18, 4), int), np.zeros((18, 4))
        y, variance = np.zeros(18), np.zeros(18)
        out = MeasuredRows(index, h, y, variance)
        rows = measure(e, kinematics, gyro, BOTH, BOTH, True, noise, out)
        assert rows == 18
        # Uneven ground says nothing of heights and normals, nor a foot that tips.
        other = MeasuredRows(*copies(out))
        assert measure(e, kinematics, gyro, BOTH, BOTH, False, noise, other) == 12
        other = MeasuredRows(*copies(out))
        assert measure(e, kinematics, gyro, BOTH, NONE, True, noise, other) == 6
        linear = (h * xi[index]).sum(axis=1)
        np.testing.assert_allclose(y, linear, atol=1e-5 * LINEARIZED)
        assert (variance > 0).all()


def test_a_turn_of_the_base_is_noise_about_the_base():
    """Samples of turned estimates have the covariance that is added."""
    e, rng = random_estimate(5), np.random.default_rng(0)
    e.b[:] = 0.0
    turns = 1e-3 * rng.normal(size=(20000, 3))
    xi = np.hstack([turns, *(np.cross(x, turns) for x in e.x)])
    # The errors leave every place where it is, to first order.
    other = moved(e, np.r_[xi[0], np.zeros(6)])
    np.testing.assert_allclose(other.x, e.x, atol=1e-5)
    P = np.zeros((N, N))
    add_rotation_noise(P, e.x, 1e-6)
    np.testing.assert_allclose(P[:15, :15], xi.T @ xi / len(xi), atol=2e-6)
    assert not P[15:].any()


@dataclass
class Robot:
    """A base over two standing feet, with a filter that starts somewhere else."""

    truth: BaseEstimate
    filter: BaseEstimate
    noise: FilterNoise
    seed: int = 0

    def run(self, seconds, bias=((0, 0, 0), (0, 0, 0)), sigma=0.0, feet=BOTH):
        """At rest, with errors `sigma` times those of the sensors."""
        rng = np.random.default_rng(self.seed)
        R, slip = rotation(self.truth.q), np.full(2, self.noise.slip)
        self.truth.b[:] = bias
        exact = seen(self.truth, np.zeros(3))
        errors = []
        for _ in range(round(seconds / DT)):
            gyro = np.array(bias[0]) + sigma * 5e-3 * rng.normal(size=3)
            specific = R.T @ UP + bias[1] + sigma * 0.05 * rng.normal(size=3)
            place = exact.place + sigma * 1e-3 * rng.normal(size=(2, 3))
            kinematics = ContactKinematics(
                place,
                exact.normal,
                exact.velocity + sigma * 20e-3 * rng.normal(size=(2, 3)),
                exact.J,
                exact.ahead,
                exact.rolls,
                place,
            )
            propagate(self.filter, gyro, specific, G, DT, self.noise, slip)
            correct(self.filter, kinematics, gyro, feet, NONE, feet, False, self.noise)
            errors.append(difference(self.truth, self.filter))
        return np.array(errors)


def standing(rpy=(0, 0, 0), off=(0, 0, 0), noise=None, tilt=0.05, seed=0):
    """A robot at rest whose filter starts turned by `off`."""
    truth = estimate(rpy)
    start = estimate(rpy)
    turn = np.r_[off, np.zeros(3)]
    box_plus(truth.q.copy(), turn, 1.0, True, start.q)
    P = start.P
    P[:] = np.diag(np.r_[np.zeros(3), np.full(3, 1e-4), np.full(9, 1e-9), np.zeros(6)])
    P[15:18, 15:18], P[18:, 18:] = np.eye(3) * 2.5e-5, np.eye(3) * 2.5e-3
    # The feet are where the tilted base sees them, and turn with it.
    add_rotation_noise(P, np.array([start.x[0], *[start.x[1]] * 3]), tilt**2)
    start.x[2:] = start.x[1] + (FEET - truth.x[1]) @ exp(off).T
    return Robot(truth, start, noise or FilterNoise(), seed)


def test_the_accelerometer_levels_a_tilted_base():
    """No flatness, no level ground: gravity alone says where down is."""
    noise = FilterNoise(flat=0.0, level=0.0, accelerometer_walk=0.0)
    robot = standing(off=(0.03, -0.02, 0.0), noise=noise)
    robot.filter.P[18:] = robot.filter.P[:, 18:] = 0.0
    errors = robot.run(2.0)
    assert np.linalg.norm(errors[0, :2]) > 0.03
    assert np.linalg.norm(errors[-1, :2]) < 1e-3
    # The heading is not seen by anything, and left as it was.
    assert abs(errors[-1, 2]) < 1e-3


def test_flat_feet_tell_the_accelerometers_bias_from_tilt():
    bias = ((2e-3, -3e-3, 1e-3), (0.03, -0.04, 0.02))
    errors = standing(tilt=1e-2, seed=1).run(20.0, bias, sigma=1.0)
    late = errors[-2000:]
    assert np.abs(late[:, :2]).max() < 1.5e-3
    np.testing.assert_allclose(late[:, 15:18].mean(axis=0), 0.0, atol=1e-3)
    np.testing.assert_allclose(late[:, 18:].mean(axis=0), 0.0, atol=0.01)


def test_a_standing_robot_does_not_drift():
    errors = standing(tilt=1e-2, seed=2).run(30.0, sigma=1.0)
    place = errors[:, 6:9]
    assert np.abs(place[1000:] - place[1000]).max() < 3e-3
    assert np.sqrt((errors[1000:, 3:6] ** 2).mean()) < 3e-3
    assert np.abs(errors[1000:, 3:6].mean(axis=0)).max() < 3e-4


def test_without_feet_the_velocity_drifts():
    """Must fail: a biased accelerometer alone runs away."""
    bias = ((0, 0, 0), (0.03, 0, 0))
    robot = standing(noise=EXACT_SENSORS)
    errors = robot.run(10.0, bias, feet=NONE)
    assert abs(errors[-1, 3] + 0.3) < 0.01
    robot = standing(noise=EXACT_SENSORS)
    assert abs(robot.run(10.0, bias)[-1, 3]) < 1e-3


def test_the_covariance_stays_symmetric_and_positive():
    robot = standing(tilt=1e-2, seed=3)
    for _ in range(10):
        robot.run(0.5, sigma=1.0)
        P = robot.filter.P
        np.testing.assert_array_equal(P, P.T)
        assert np.linalg.eigvalsh(P)[0] > 0


def test_the_errors_are_as_large_as_the_filter_says():
    """Squared errors over variances, averaged, for all that can be seen."""
    ratios = []
    for seed in range(6):
        robot = standing(tilt=1e-2, seed=seed)
        errors = robot.run(3.0, sigma=1.0)
        variance = np.diag(robot.filter.P)
        ratios.append(errors[-500:, :6] ** 2 / variance[:6])
    # It assumes one and a half to three times the noise there is, so less than one.
    mean = np.mean(ratios, axis=(0, 1))
    assert (mean[[0, 1, 3, 4, 5]] < 1.5).all()


@pytest.mark.parametrize("heading", [0.8, 3.0])
def test_heading_and_place_of_the_start_do_not_matter(heading):
    """The same run, turned and shifted, gives the same estimate, turned and shifted."""
    shift, turn = np.array([4.0, -7.0, 0.0]), exp([0, 0, heading])
    here = standing(rpy=(0.02, -0.03, 0.0), off=(0.01, 0.02, 0.0), seed=4)
    there = standing(rpy=(0.02, -0.03, 0.0), off=(0.01, 0.02, 0.0), seed=4)
    A = np.eye(N)
    for k in range(5):
        A[3 * k : 3 * k + 3, 3 * k : 3 * k + 3] = turn
    S = np.cross(np.eye(3), shift)
    for k in (2, 3, 4):
        A[3 * k : 3 * k + 3, :3] = S @ turn
    for e in (there.truth, there.filter):
        spin = np.r_[0, 0, heading, np.zeros(3)]
        box_plus(e.q.copy(), spin, 1.0, True, e.q)
        e.x[:] = e.x @ turn.T
        e.x[1:] += shift
        e.q[4:] = e.x[1]
    there.filter.P[:] = A @ here.filter.P @ A.T
    for robot in (here, there):
        robot.run(0.5, sigma=1.0)
    np.testing.assert_allclose(
        rotation(there.filter.q), turn @ rotation(here.filter.q), atol=FILTER_HORIZON
    )
    expected = here.filter.x @ turn.T
    expected[1:] += shift
    np.testing.assert_allclose(there.filter.x, expected, atol=FILTER_HORIZON)
    np.testing.assert_allclose(there.filter.b, here.filter.b, atol=FILTER_HORIZON)


def test_a_foot_that_lands_is_where_it_is_seen():
    robot = standing(tilt=1e-2, seed=5)
    robot.run(0.5, sigma=1.0)
    e, one = robot.filter, np.array([True, False])
    base_variance = np.diag(e.P)[6:9].copy()
    kinematics = seen(robot.truth, np.zeros(3))
    correct(e, kinematics, np.zeros(3), BOTH, ~one, NONE, False, robot.noise)
    R = rotation(e.q)
    np.testing.assert_allclose(
        e.x[3], e.x[1] + R @ kinematics.place[1], atol=10 * EXACT + 1e-6
    )
    # As uncertain as the base and the encoders together, not more and not less.
    variance = np.diag(e.P)
    np.testing.assert_allclose(variance[12:15], variance[6:9] + 1e-6, rtol=0.2)
    assert (variance[6:9] <= base_variance + 1e-12).all()


def test_ground_that_is_not_level_is_left_alone():
    """A foot on a step 3 cm high is not pressed into the ground."""
    robot = standing(tilt=1e-3, seed=6)
    for e in (robot.truth, robot.filter):
        e.x[3, 2] = 0.03
    errors = robot.run(2.0, sigma=1.0)
    assert np.abs(errors[-1, :2]).max() < 2e-3
    assert abs(robot.filter.x[3, 2] - 0.03) < 3e-3
