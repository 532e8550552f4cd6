import numpy as np
import pytest
from numpy.testing import assert_allclose
from pydrake.math import RigidTransform
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder
from pydrake.systems.primitives import ConstantVectorSource, MatrixGain

from backbeat.models.actuation.joint_command import INTEGRAL, joint_command
from backbeat.models.actuation.motors import Motors
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel
from backbeat.models.world.joint_servo import JointServo
from backbeat.models.world.scene import add_world
from tests.models.sliders import make_sliders
from tests.tolerances import EXACT, INTEGRATION

STEP, LAG = 1e-3, 0.005


@pytest.fixture(scope="module")
def world():
    """Atlas on the ground; the builder owns the plant."""
    builder = DiagramBuilder()
    yield add_world(builder, RobotModel())
    del builder


def response(robot, world, command, q, v):
    """Actuation and joint effort of a servo at one state."""
    servo = JointServo(robot, world.actuator_joints())
    context = servo.CreateDefaultContext()
    servo.GetInputPort("command").FixValue(context, command)
    servo.GetInputPort("state").FixValue(context, np.r_[q, v])
    return tuple(
        servo.GetOutputPort(port).Eval(context)
        for port in ("actuation", "joint_effort")
    )


def random_state(robot, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=robot.num_positions), rng.normal(size=robot.num_velocities)


def test_every_joint_gets_what_its_own_name_says(world):
    """Effort, stiffness and damping act on their joint, in the actuators' order."""
    rng = np.random.default_rng(1)
    robot = world.robot
    q, v = random_state(robot)
    effort, target, speed = rng.normal(size=(3, 30))
    stiffness, damping = rng.uniform(0, 5, (2, 30))
    command = joint_command(effort, target, speed, stiffness, damping)
    actuation, joint_effort = response(robot, world, command, q, v)
    for k, name in enumerate(world.actuator_joints()):
        i = robot.joint_index(name)
        u = effort[i] + stiffness[i] * (target[i] - q[7 + i])
        u += damping[i] * (speed[i] - v[6 + i])
        assert abs(u) < world.robot.effort_limits[i]
        assert actuation[k] == pytest.approx(u, rel=EXACT)
        assert joint_effort[i] == actuation[k]


def test_a_servo_that_remembers_nothing_gives_the_same_and_refuses_integrals(world):
    rng, robot = np.random.default_rng(3), world.robot
    effort, target, speed = rng.normal(size=(3, 30))
    gains = rng.uniform(0, 5, (2, 30))
    command = joint_command(effort, target, speed, *gains)
    state = random_state(robot)
    right = response(robot, world, command, *random_state(robot))
    servo = JointServo(robot, world.actuator_joints(), remembers=False)
    context = servo.CreateDefaultContext()
    assert context.num_total_states() == 0
    port = servo.GetInputPort("command")
    port.FixValue(context, command)
    servo.GetInputPort("state").FixValue(context, np.concatenate(state))
    found = servo.GetOutputPort("actuation").Eval(context)
    assert_allclose(found, right[0], rtol=0, atol=0)
    command[INTEGRAL * 30] = 1.0
    port.FixValue(context, command)
    with pytest.raises(BackbeatError, match="remembers nothing"):
        servo.GetOutputPort("actuation").Eval(context)


def test_actuators_turn_the_joints_that_are_meant(world):
    """Through Drake's actuation matrix the efforts arrive at their joints."""
    effort = np.arange(1.0, 31.0)
    zero = np.zeros(30)
    command = joint_command(effort, zero, zero, zero, zero)
    actuation, _ = response(world.robot, world, command, *random_state(world.robot))
    tau = world.plant.MakeActuationMatrix() @ actuation
    assert_allclose(tau[:6], 0.0)
    for i, name in enumerate(world.robot.joint_names):
        assert tau[world.plant.GetJointByName(name).velocity_start()] == effort[i]


def test_zero_gains_make_a_pure_torque_interface(world):
    rng = np.random.default_rng(2)
    effort, target, speed = rng.normal(size=(3, 30))
    zero = np.zeros(30)
    command = joint_command(effort, target, speed, zero, zero)
    _, joint_effort = response(world.robot, world, command, *random_state(world.robot))
    assert_allclose(joint_effort, effort, rtol=0, atol=0)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_effort_ends_at_the_limits(world, sign):
    zero = np.zeros(30)
    command = joint_command(np.full(30, sign * 1e6), zero, zero, zero, zero)
    _, joint_effort = response(world.robot, world, command, *random_state(world.robot))
    assert_allclose(joint_effort, sign * world.robot.effort_limits, rtol=0, atol=0)


def test_locked_joints_get_nothing(world):
    locked = {"neck_ay": 0.1, "l_leg_kny": 1.0}
    robot = RobotModel("atlas", X_WB=RigidTransform(), locked=locked)
    one, zero = np.ones(robot.num_joints), np.zeros(robot.num_joints)
    command = joint_command(one, zero, zero, zero, zero)
    actuation, _ = response(robot, world, command, *random_state(robot))
    expected = [0.0 if name in locked else 1.0 for name in world.actuator_joints()]
    assert_allclose(actuation, expected)


@pytest.fixture
def rail(tmp_path):
    """`rail(command, **options)`: time and state of sliding blocks under a servo."""
    path = make_sliders(tmp_path, [2.0, 0.5], [1e3, 1e3])
    robot = RobotModel(path, X_WB=RigidTransform([0.0, 0.0, 1.0]))

    def run(command, duration):
        builder = DiagramBuilder()
        world = add_world(builder, robot, time_step=0.0)
        servo = builder.AddSystem(JointServo(robot, world.actuator_joints()))
        source = builder.AddSystem(ConstantVectorSource(command))
        sensed = builder.AddSystem(MatrixGain(world.state_selection()))
        builder.Connect(source.get_output_port(), servo.GetInputPort("command"))
        builder.Connect(world.plant.get_state_output_port(), sensed.get_input_port())
        builder.Connect(sensed.get_output_port(), servo.GetInputPort("state"))
        port = world.plant.get_actuation_input_port()
        builder.Connect(servo.GetOutputPort("actuation"), port)
        simulator = Simulator(builder.Build())
        simulator.get_mutable_integrator().set_target_accuracy(1e-8)
        context = world.plant.GetMyContextFromRoot(simulator.get_context())
        times, states = np.linspace(0.0, duration, 21), []
        for t in times:
            simulator.AdvanceTo(t)
            states.append(world.plant.GetPositionsAndVelocities(context).copy())
        return times, np.array(states)

    return run


def test_a_critically_damped_step_follows_its_formula(rail):
    """q = 1 - (1 + w t) exp(-w t) with kp = m w^2 and kd = 2 m w."""
    mass, w = np.array([2.0, 0.5]), np.array([12.0, 20.0])
    zero = np.zeros(2)
    command = joint_command(
        zero, np.array([0.1, -0.2]), zero, mass * w**2, 2 * mass * w
    )
    t, state = rail(command, 0.5)
    s = np.outer(t, w)
    expected = np.array([0.1, -0.2]) * (1 - (1 + s) * np.exp(-s))
    assert_allclose(state[:, :2], expected, rtol=0, atol=INTEGRATION)


def test_an_effort_alone_accelerates_evenly(rail):
    zero = np.zeros(2)
    command = joint_command(np.array([4.0, 1.0]), zero, zero, zero, zero)
    t, state = rail(command, 0.5)
    expected = 0.5 * np.outer(t**2, [4.0 / 2.0, 1.0 / 0.5])
    assert_allclose(state[:, :2], expected, rtol=0, atol=INTEGRATION)


def test_a_damped_joint_reaches_its_speed(rail):
    """v = v_d (1 - exp(-kd t / m)) without stiffness."""
    mass, damping = np.array([2.0, 0.5]), np.array([10.0, 5.0])
    zero, speed = np.zeros(2), np.array([0.3, -0.4])
    t, state = rail(joint_command(zero, zero, speed, zero, damping), 0.5)
    expected = speed * (1 - np.exp(-np.outer(t, damping / mass)))
    assert_allclose(state[:, 2:], expected, rtol=0, atol=INTEGRATION)


@pytest.mark.parametrize("period", [5e-4, 1e-3, 2e-3])
def test_motors_follow_a_step_with_their_lag(world, period):
    """The state of the motors is u (1 - exp(-t / T)) at every step."""
    motors = Motors(lag=0.005)
    servo = JointServo(world.robot, world.actuator_joints(), motors, period)
    simulator = Simulator(servo)
    context = simulator.get_mutable_context()
    zero = np.zeros(30)
    command = joint_command(np.full(30, 5.0), zero, zero, zero, zero)
    servo.GetInputPort("command").FixValue(context, command)
    servo.GetInputPort("state").FixValue(context, np.zeros(73))
    impulse, steps = 0.0, round(0.02 / period)
    for k in range(steps):
        simulator.AdvanceTo((k + 0.999) * period)
        motors = context.get_discrete_state_vector().value()[:30]
        t = (k + 1) * period
        assert_allclose(motors, 5.0 * (1 - np.exp(-t / 0.005)), rtol=EXACT)
    # Nothing is lost: means over steps add up to the integral of the response.
    servo.set_effort(context, zero)
    for _ in range(steps):
        impulse += period * servo.GetOutputPort("joint_effort").Eval(context)[0]
        before = context.get_discrete_state_vector().value()[:30].copy()
        decay = np.exp(-period / 0.005)
        servo.set_effort(context, 5.0 + decay * (before - 5.0))
    expected = 5.0 * (0.02 - 0.005 * (1 - np.exp(-0.02 / 0.005)))
    assert impulse == pytest.approx(expected, rel=1e-9)


def test_the_servo_makes_up_for_friction_it_knows(world):
    robot, zero = world.robot, np.zeros(30)
    friction, speed = 0.03 * robot.effort_limits, np.linspace(-0.2, 0.2, 30)
    servo = JointServo(robot, world.actuator_joints(), friction=friction)
    context = servo.CreateDefaultContext()
    command = joint_command(zero, zero, speed, zero, zero)
    servo.GetInputPort("command").FixValue(context, command)
    # What counts is the planned velocity, not the noisy one.
    noisy = np.r_[np.zeros(43), 10 * np.random.default_rng(0).normal(size=30)]
    servo.GetInputPort("state").FixValue(context, noisy)
    effort = servo.GetOutputPort("joint_effort").Eval(context)
    fast = np.abs(speed) > 0.05
    assert_allclose(effort[fast], (np.sign(speed) * friction)[fast], rtol=EXACT)
    assert (np.abs(effort[~fast]) < friction[~fast]).all()


def test_the_servo_turns_against_friction_before_the_joint_turns(world):
    """What counts is the velocity to come: motors need their time to follow."""
    robot, zero, down = world.robot, np.zeros(30), np.full(30, -1.0)
    friction = 0.03 * robot.effort_limits
    servo = JointServo(robot, world.actuator_joints(), friction=friction)
    context = servo.CreateDefaultContext()
    servo.GetInputPort("state").FixValue(context, np.zeros(73))
    for coming, way in ((None, -1.0), (down, -1.0), (-down, 1.0)):
        command = joint_command(zero, zero, down, zero, zero, coming)
        servo.GetInputPort("command").FixValue(context, command)
        effort = servo.GetOutputPort("joint_effort").Eval(context)
        assert_allclose(effort, way * friction, rtol=EXACT)


def test_friction_is_never_made_up_for_by_more_than_there_is(world):
    """Whatever the error of a stiff joint, what is added cannot move it alone."""
    rng, robot, zero = np.random.default_rng(1), world.robot, np.zeros(30)
    friction = 0.03 * robot.effort_limits
    target, stiffness = 0.01 * rng.normal(size=30), np.full(30, 2.0)
    stiffness[:10] = 0.0
    command = joint_command(zero, target, zero, stiffness, zero)
    efforts = []
    for known in (None, friction):
        servo = JointServo(robot, world.actuator_joints(), friction=known)
        context = servo.CreateDefaultContext()
        servo.GetInputPort("command").FixValue(context, command)
        servo.GetInputPort("state").FixValue(context, np.zeros(73))
        efforts.append(servo.GetOutputPort("joint_effort").Eval(context).copy())
    added = efforts[1] - efforts[0]
    assert (np.abs(added) <= friction * (1 + EXACT)).all()
    assert (added[:10] == 0).all()
    assert (added[10:] * target[10:] > 0).all()


def test_motors_go_on_from_what_they_gave_the_plant():
    """In a diagram, where the state that is sensed changes with every step."""
    builder, robot, zero = DiagramBuilder(), RobotModel(), np.zeros(30)
    world = add_world(builder, robot, STEP)
    servo = builder.AddSystem(
        JointServo(robot, world.actuator_joints(), Motors(lag=LAG), STEP)
    )
    truth = builder.AddSystem(MatrixGain(D=world.state_selection()))
    bent = joint_command(zero, zero + 0.1, zero, zero + 10.0, zero + 0.01)
    command = builder.AddSystem(ConstantVectorSource(bent))
    connect, plant = builder.Connect, world.plant
    connect(command.get_output_port(), servo.GetInputPort("command"))
    connect(plant.get_state_output_port(), truth.get_input_port())
    connect(truth.get_output_port(), servo.GetInputPort("state"))
    connect(
        servo.GetOutputPort("actuation"), plant.get_actuation_input_port(world.instance)
    )
    simulator = Simulator(builder.Build())
    simulator.Initialize()
    own = servo.GetMyContextFromRoot(simulator.get_context())
    before, decay = np.zeros(30), np.exp(-STEP / LAG)
    share = LAG / STEP * (1 - decay)
    for k in range(1, 21):
        mean = servo.GetOutputPort("joint_effort").Eval(own).copy()
        simulator.AdvanceTo((k - 0.5) * STEP)
        after = own.get_discrete_state_vector().value()[:30]
        # Mean and end of a step are of one exponential, towards what was told.
        told = (mean - share * before) / (1 - share)
        assert_allclose(after, told + decay * (before - told), rtol=1e-9, atol=1e-9)
        before = after.copy()
    assert np.ptp(before) > 0.1
