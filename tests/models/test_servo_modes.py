"""Modes of the servo by the physics they promise, on blocks that slide on a rail."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from pydrake.math import RigidTransform
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder
from pydrake.systems.primitives import ConstantVectorSource, MatrixGain

from backbeat.models.actuation.joint_command import CommandModes, joint_command
from backbeat.models.actuation.motors import Motors
from backbeat.models.actuation.servo_law import HELD
from backbeat.models.actuation.servo_modes import (
    compliant_command,
    position_command,
    torque_command,
    velocity_command,
)
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.gravity_compensation import GravityCompensation
from backbeat.models.world.force_displacement import Pull, pull
from backbeat.models.world.joint_servo import JointServo
from backbeat.models.world.scene import add_world, lock_joints
from tests.models.sliders import make_sliders
from tests.tolerances import APPARENT_FRICTION, COMPLIANCE, SERVO_STEP, WEIGHTLESS

MASS, LIMIT = 2.0, 40.0


class Block:
    """One block on a rail, its servo, and a force from outside."""

    def __init__(self, folder, friction=0.0, **servo):
        robot = RobotModel(
            make_sliders(folder, [MASS], [LIMIT]), X_WB=RigidTransform([0, 0, 1.0])
        )
        builder = DiagramBuilder()
        world = add_world(builder, robot, joint_friction=friction)
        self.plant, add, connect = world.plant, builder.AddSystem, builder.Connect
        self.servo = add(JointServo(robot, world.actuator_joints(), **servo))
        truth = add(MatrixGain(world.state_selection()))
        felt = add(MatrixGain(D=world.effort_selection()))
        net = self.plant.get_net_actuation_output_port(world.instance)
        connect(self.plant.get_state_output_port(), truth.get_input_port())
        connect(truth.get_output_port(), self.servo.GetInputPort("state"))
        connect(net, felt.get_input_port())
        connect(felt.get_output_port(), self.servo.GetInputPort("measured_effort"))
        port = self.plant.get_actuation_input_port(world.instance)
        connect(self.servo.GetOutputPort("actuation"), port)
        self.simulator = Simulator(builder.Build())
        root = self.simulator.get_mutable_context()
        self.context = self.plant.GetMyMutableContextFromRoot(root)
        self.own = self.servo.GetMyMutableContextFromRoot(root)
        self.push(0.0)

    def push(self, force):
        port = self.plant.get_applied_generalized_force_input_port()
        port.FixValue(self.context, [force])

    def tell(self, command):
        self.servo.GetInputPort("command").FixValue(self.own, command)

    def go_on(self, duration):
        """(q, v, effort) at every millisecond of some more time."""
        rows, start = [], self.simulator.get_context().get_time()
        for k in range(round(duration * 1e3)):
            self.simulator.AdvanceTo(start + (k + 1) * 1e-3)
            x = self.plant.GetPositionsAndVelocities(self.context)
            effort = self.servo.GetOutputPort("joint_effort").Eval(self.own)
            rows.append([*x, *effort])
        return np.array(rows)


@pytest.fixture
def block(tmp_path):
    return lambda friction=0.0, **servo: Block(tmp_path, friction, **servo)


def one(value):
    return np.array([float(value)])


@pytest.mark.parametrize("ratio", [0.3, 1.0, 2.0])
def test_a_step_at_a_kilohertz_is_the_analytic_one(block, ratio):
    """Second order with kp = m w^2, kd = 2 r m w, from under- to overdamped."""
    w, goal, body = 10.0, 0.1, block()
    kp, kd = MASS * w**2, 2 * ratio * MASS * w
    body.tell(position_command(one(goal), one(kp), one(kd)))
    found = body.go_on(1.0)[:, 0]
    t = 1e-3 * np.arange(1, 1001)
    roots = np.roots([1.0, 2 * ratio * w, w**2]).astype(complex)
    if ratio == 1.0:
        expected = goal * (1 - (1 + w * t) * np.exp(-w * t))
    else:
        a, b = roots
        step = 1 - (b * np.exp(a * t) - a * np.exp(b * t)) / (b - a)
        expected = goal * step.real
    assert np.abs(found - expected).max() < SERVO_STEP * goal


def test_a_speed_is_reached_and_kept(block):
    body = block()
    body.tell(velocity_command(one(0.4), one(20.0)))
    t = 1e-3 * np.arange(1, 601)
    expected = 0.4 * (1 - np.exp(-20.0 / MASS * t))
    assert np.abs(body.go_on(0.6)[:, 1] - expected).max() < SERVO_STEP * 0.4


def test_the_integral_takes_away_what_a_load_leaves(block):
    """Without it the block stands where kp e = load; with it on its mark."""
    load, kp, kd = -6.0, 200.0, 40.0
    left = []
    for ki in (0.0, 400.0):
        body = block()
        body.push(load)
        body.tell(position_command(one(0.1), one(kp), one(kd), one(ki)))
        left.append(0.1 - body.go_on(4.0)[-1, 0])
    assert left[0] == pytest.approx(-load / kp, rel=SERVO_STEP)
    assert abs(left[1]) < 0.01 * left[0]


def test_the_integral_does_not_wind_up(block):
    """A mark that is out of reach for a second leaves no more than its share."""
    body = block()
    body.push(-1.2 * LIMIT)
    body.tell(position_command(one(2.0), one(200.0), one(40.0), one(1e3)))
    body.go_on(0.3)
    held = body.own.get_discrete_state_vector().value().reshape(4, -1)[HELD]
    assert abs(held[0]) <= 0.25 * LIMIT


def test_new_gains_act_at_the_next_tick(block):
    """And no gain but that of the feedforward leaves the torque alone."""
    body = block()
    goal = one(0.5)
    body.tell(position_command(goal, one(30.0), one(5.0), one(50.0)))
    x = body.go_on(0.5)[-1]
    body.tell(torque_command(one(3.25)))
    effort = body.servo.GetOutputPort("joint_effort").Eval(body.own)
    assert effort[0] == 3.25
    assert_allclose(body.go_on(0.01)[:, 2], 3.25, rtol=0, atol=0)
    body.tell(position_command(goal, one(7.0), one(0.0)))
    q = body.plant.GetPositions(body.context)
    effort = body.servo.GetOutputPort("joint_effort").Eval(body.own)
    assert effort[0] == pytest.approx(7.0 * (0.5 - q[0]), rel=1e-12)
    assert x[0] != q[0]


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_the_feedforward_gain_is_a_share_of_the_effort(block, share):
    body, zero = block(), np.zeros(1)
    modes = CommandModes(feedforward=one(share))
    body.tell(joint_command(one(8.0), zero, zero, zero, zero, modes=modes))
    assert body.go_on(0.002)[-1, 2] == 8.0 * share


@pytest.mark.parametrize("force", [-8.0, 2.5, 8.0])
@pytest.mark.parametrize("friction", [0.0, 0.05])
def test_a_soft_joint_gives_way_by_force_over_stiffness(block, force, friction):
    """Also to forces near that of the friction (2 N), and with late motors."""
    body, stiffness = block(friction, motors=Motors(lag=0.005, rise=0.02)), 50.0
    body.push(force)
    body.tell(compliant_command(one(0.0), one(stiffness), one(20.0)))
    q = body.go_on(2.0)[-1, 0]
    assert q == pytest.approx(force / stiffness, rel=COMPLIANCE)


def test_without_compensation_friction_holds_what_is_soft(block):
    """So that the test above can fail."""
    body = block(0.05)
    body.push(2.5)
    command = compliant_command(one(0.0), one(50.0), one(20.0), compensation=0.0)
    body.tell(command)
    assert abs(body.go_on(2.0)[-1, 0]) < 0.5 * 2.5 / 50.0


@pytest.mark.slow
def test_compensated_friction_is_felt_ten_times_less():
    """The elbow of Atlas, pulled to and fro."""
    friction = [pull(Pull(compensation=c, quarter=2.0)).friction() for c in (0.0, 0.97)]
    robot = RobotModel()
    limit = robot.effort_limits[robot.joint_index("l_arm_elx")]
    # Without compensation, it is what the simulation was told, and the damping.
    assert friction[0] == pytest.approx(0.03 * limit, rel=APPARENT_FRICTION)
    assert friction[0] > 10.0 * friction[1]


def test_an_arm_without_stiffness_stays_where_it_is():
    """Gravity alone is made up for; in ten seconds no joint turns by a degree."""
    pose, whole = RigidTransform([0.0, 0.0, 2.0]), RobotModel()
    arm = set(whole.groups["l_arm"].tolist())
    names = [n for i, n in enumerate(whole.joint_names) if i not in arm]
    robot = RobotModel("atlas", X_WB=pose, locked=dict.fromkeys(names, 0.0))
    angles = np.array([-0.2, -0.6, 1.2, 0.9, 0.3, -0.4, 0.2])
    drifts = []
    for carried in (True, False):
        builder = DiagramBuilder()
        world = add_world(builder, robot)
        plant, add, connect = world.plant, builder.AddSystem, builder.Connect
        servo = add(JointServo(robot, world.actuator_joints()))
        source = add(ConstantVectorSource(torque_command(np.zeros(7))))
        truth = add(MatrixGain(D=world.state_selection()))
        connect(plant.get_state_output_port(), truth.get_input_port())
        connect(truth.get_output_port(), servo.GetInputPort("state"))
        command = source.get_output_port()
        if carried:
            gravity = add(GravityCompensation(robot))
            connect(command, gravity.GetInputPort("command"))
            connect(truth.get_output_port(), gravity.GetInputPort("state"))
            command = gravity.GetOutputPort("command")
        connect(command, servo.GetInputPort("command"))
        port = plant.get_actuation_input_port(world.instance)
        connect(servo.GetOutputPort("actuation"), port)
        simulator = Simulator(builder.Build())
        context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
        lock_joints(plant, context, robot.locked)
        for name, angle in zip(robot.joint_names, angles, strict=True):
            plant.GetJointByName(name).set_angle(context, angle)
        simulator.AdvanceTo(10.0 if carried else 0.5)
        ends = [plant.GetJointByName(n).get_angle(context) for n in robot.joint_names]
        drifts.append(np.abs(ends - angles).max())
    assert drifts[0] < WEIGHTLESS < drifts[1]
