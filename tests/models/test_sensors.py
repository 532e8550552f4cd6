"""Sensors say what is true, as late and as wrong as they are told to."""

import numpy as np
import pytest
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder, LeafSystem

from backbeat.models.dynamics.rotations import box_plus, quaternion_to_matrix
from backbeat.models.robot.model import RobotModel
from backbeat.models.sensing.sensors import SensorMemory, SensorNoise, Sensors
from backbeat.models.sensing.sole_wrenches import SoleWrenches
from backbeat.models.state.configuration import Configuration
from tests.tolerances import EXACT

SILENT = SensorNoise(*[0.0] * 10)
PERIOD, SAMPLES = 1e-3, 4000


@pytest.fixture(scope="module")
def robot():
    return RobotModel()


class Spin(LeafSystem):
    """A robot that turns and accelerates evenly, as a source of true states."""

    def __init__(self, robot):
        super().__init__()
        self.robot = robot
        rng = np.random.default_rng(0)
        self.q = robot.posture("stand")
        self.v, self.a = rng.normal(size=(2, robot.num_velocities))
        self.a[:3] = 0.0
        size = robot.num_positions + robot.num_velocities
        self.DeclareVectorOutputPort("state", size, self._calc_state)
        self.DeclareVectorOutputPort("force", 2, self._calc_force)

    def state(self, t):
        q = np.zeros_like(self.q)
        box_plus(self.q, self.v + 0.5 * t * self.a, t, True, q)
        return np.r_[q, self.v + t * self.a]

    def _calc_state(self, context, output):
        output.SetFromVector(self.state(context.get_time()))

    def _calc_force(self, context, output):
        output.SetFromVector([800.0 + context.get_time(), 300.0])


def play(robot, noise, delay, seed=0, period=PERIOD):
    """A simulator of sensors on a spinning robot, and how to read them."""
    builder = DiagramBuilder()
    source = builder.AddSystem(Spin(robot))
    sensors = builder.AddSystem(Sensors(robot, 2, noise, delay, period, seed))
    for name in ("state", "force"):
        builder.Connect(source.GetOutputPort(name), sensors.GetInputPort(name))
    simulator = Simulator(builder.Build())
    simulator.Initialize()

    def read(t):
        simulator.AdvanceTo(t)
        context = sensors.GetMyContextFromRoot(simulator.get_context())
        return sensors.GetOutputPort("reading").Eval(context)

    return source, read


@pytest.mark.parametrize("delay", [0, 1, 2, 7])
def test_a_reading_is_as_old_as_the_delay_says(robot, delay):
    source, read = play(robot, SILENT, delay * PERIOD)
    for k in (0, 1, 3, 10, 11, 50):
        # Within a period nothing new comes.
        for t in (k * PERIOD, (k + 0.4) * PERIOD):
            reading = read(t)
            index = max(0, k - delay)
            x = source.state(index * PERIOD)
            assert reading.index == index
            np.testing.assert_allclose(reading.position, x[7:37], atol=EXACT)
            np.testing.assert_allclose(reading.velocity, x[43:], atol=EXACT)
            assert reading.force[0] == pytest.approx(800.0 + index * PERIOD)


def test_the_imu_measures_in_base_axes_and_against_free_fall(robot):
    source, read = play(robot, SILENT, 0.0)
    for k in (1, 20, 300):
        reading, x = read(k * PERIOD), source.state(k * PERIOD)
        R = np.zeros((3, 3))
        quaternion_to_matrix(x, R)
        np.testing.assert_allclose(R @ reading.gyro, source.v[:3], atol=1e-10)
        specific = R @ reading.accelerometer - [0, 0, robot.gravity]
        np.testing.assert_allclose(specific, source.a[3:6], atol=1e-9)


def samples(robot, noise, seed=0, count=SAMPLES):
    """Readings of a robot at rest, and the biases they had."""
    sensors = Sensors(robot, 2, noise, seed=seed)
    x = np.r_[robot.posture("stand"), np.zeros(robot.num_velocities)]
    context = sensors.CreateDefaultContext()
    memory: SensorMemory = context.get_abstract_state(0).get_value()
    readings, biases = [], []
    for _ in range(count):
        biases.append(memory.bias)
        memory = sensors.sample(x, np.array([800.0, 600.0]), memory)
        readings.append(memory.readings[-1])
    return x, readings, np.array(biases)


def test_errors_have_the_deviations_they_should(robot):
    noise = SensorNoise()
    x, readings, biases = samples(robot, noise)
    upright = [0, 0, robot.gravity]
    errors = {
        "position": np.array([r.position - x[7:37] for r in readings]),
        "velocity": np.array([r.velocity for r in readings]),
        "gyro": np.array([r.gyro for r in readings]) - biases[:, 0],
        "accelerometer": np.array([r.accelerometer for r in readings])
        - upright
        - biases[:, 1],
        "force": np.array([r.force - [800.0, 600.0] for r in readings]),
    }
    for name, error in errors.items():
        wanted = getattr(noise, name)
        scaled = error / wanted
        # Four standard errors of the mean and of the deviation.
        allowed = 4 / np.sqrt(len(scaled))
        assert np.abs(scaled.mean(axis=0)).max() < allowed, name
        assert np.abs(scaled.std(axis=0) - 1).max() < allowed, name
        # White: what comes next does not know what was before.
        neighbors = (scaled[1:] * scaled[:-1]).mean(axis=0)
        assert np.abs(neighbors).max() < 1.3 * allowed, name
    crossed = np.corrcoef(np.concatenate(list(errors.values()), axis=1).T)
    assert np.abs(crossed - np.eye(len(crossed))).max() < 6 / np.sqrt(SAMPLES)


def test_a_foot_feels_a_wrench_with_one_normal_force(robot):
    noise, wrench = SensorNoise(), np.arange(12.0).reshape(2, 6)
    sensors = Sensors(robot, 2, noise)
    memory = sensors.CreateDefaultContext().get_abstract_state(0).get_value()
    x = np.r_[robot.posture("stand"), np.zeros(36)]
    errors = []
    for _ in range(SAMPLES):
        memory = sensors.sample(x, wrench[:, 5], memory, 1.0, wrench)
        reading = memory.readings[-1]
        assert (reading.wrenches[:, 5] == reading.force).all()
        errors.append(reading.wrenches - wrench)
    scaled = np.array(errors) / np.r_[[noise.moment] * 3, [noise.force] * 3]
    allowed = 4 / np.sqrt(SAMPLES)
    assert np.abs(scaled.mean(axis=0)).max() < allowed
    assert np.abs(scaled.std(axis=0) - 1).max() < allowed
    crossed = np.corrcoef(scaled.reshape(SAMPLES, 12).T)
    assert np.abs(crossed - np.eye(12)).max() < 6 / np.sqrt(SAMPLES)


def test_wrenches_turn_with_the_soles(robot):
    """The power of a wrench is the same in whatever axes and about whatever point."""
    rng = np.random.default_rng(0)
    q = np.r_[rng.normal(size=4), rng.normal(size=3), 0.5 * rng.normal(size=30)]
    q[:4] /= np.linalg.norm(q[:4])
    v, state = rng.normal(size=36), Configuration(robot, q)
    about_world = rng.normal(size=(2, 6))
    felt = SoleWrenches(robot).at(q, about_world)
    for sole, wrench, W in zip(robot.soles, felt, about_world, strict=True):
        X, V = state.pose(sole), state.jacobian(sole) @ v
        R = X.rotation().matrix()
        # Velocity of the sole's body where the origin of the world is.
        there = V[3:] - np.cross(V[:3], X.translation())
        power = W[:3] @ V[:3] + W[3:] @ there
        assert (R @ wrench[:3]) @ V[:3] + (R @ wrench[3:]) @ V[3:] == pytest.approx(
            power
        )


def test_biases_start_somewhere_and_walk_slowly(robot):
    noise = SensorNoise()
    starts, steps = [], []
    for seed in range(40):
        _, _, biases = samples(robot, noise, seed, count=50)
        starts.append(biases[0])
        steps.append(np.diff(biases, axis=0))
    starts, steps = np.array(starts), np.concatenate(steps)
    for k, (start, walk) in enumerate(
        [
            (noise.gyro_bias, noise.gyro_walk),
            (noise.accelerometer_bias, noise.accelerometer_walk),
        ]
    ):
        assert np.sqrt((starts[:, k] ** 2).mean()) == pytest.approx(start, rel=0.3)
        deviation = steps[:, k].std()
        assert deviation == pytest.approx(walk * np.sqrt(PERIOD), rel=0.1)


def test_a_seed_says_it_all(robot):
    _, first, _ = samples(robot, SensorNoise(), seed=3, count=20)
    _, again, _ = samples(robot, SensorNoise(), seed=3, count=20)
    _, other, _ = samples(robot, SensorNoise(), seed=4, count=20)
    for name in ("position", "velocity", "gyro", "accelerometer", "force"):
        a, b, c = (
            np.array([getattr(r, name) for r in x]) for x in (first, again, other)
        )
        np.testing.assert_array_equal(a, b)
        assert (a != c).all()


def test_sensors_of_a_fixed_base(robot):
    from pydrake.math import RigidTransform

    seated = RobotModel(X_WB=RigidTransform([0, 0, 1.0]))
    sensors = Sensors(seated, 2, SILENT)
    x = np.arange(60.0)
    context = sensors.CreateDefaultContext()
    memory = sensors.sample(x, np.zeros(2), context.get_abstract_state(0).get_value())
    np.testing.assert_array_equal(memory.readings[-1].position, x[:30])
    np.testing.assert_array_equal(memory.readings[-1].velocity, x[30:])
