"""Force against displacement: a joint is pulled slowly to and fro.

The force of a hand on a joint over its displacement is a curve: a spring without
friction is a straight line, friction widens it to a loop. Half the loop's height is the
friction seen from outside, whatever motors and servo do inside.
"""

from dataclasses import dataclass, replace

import numpy as np
from pydrake.math import RigidTransform
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder
from pydrake.systems.primitives import (
    ConstantVectorSource,
    LogVectorOutput,
    MatrixGain,
    Multiplexer,
    TrajectorySource,
    VectorLogSink,
)
from pydrake.trajectories import PiecewisePolynomial

from backbeat.models.actuation.motors import Motors
from backbeat.models.actuation.servo_modes import compliant_command
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.gravity_compensation import GravityCompensation
from backbeat.models.world.joint_servo import JointServo
from backbeat.models.world.scene import World, add_world, lock_joints

# Damping of the spring over its stiffness [s].
DAMPING_TIME = 0.05
# Step of the plant, and of the log [s].
STEP, LOG_STEP = 1e-3, 5e-3


@dataclass(frozen=True)
class Pull:
    """A joint that is pulled, and the spring that it is meant to be.

    Attributes:
        joint: its name; "" for the last one of the left elbow. All others are locked.
        attractor: where its spring is at rest [rad].
        stiffness: of the spring [N m/rad].
        torque: largest torque from outside [N m].
        friction: Coulomb friction as a share of the effort limit.
        compensation: share of measured friction that the motor makes up for.
        quarter: time from no torque to the largest [s].
        lag, rise: of the motors [s].
    """

    joint: str = ""
    attractor: float = 1.2
    stiffness: float = 30.0
    torque: float = 6.0
    friction: float = 0.03
    compensation: float = 0.0
    quarter: float = 3.0
    lag: float = 0.005
    rise: float = 0.02


@dataclass(frozen=True)
class ForceCurve:
    """What came of it.

    Attributes:
        torque: (M,) from outside [N m], from zero up, down and up again.
        displacement: (M,) of the joint from its attractor [rad].
    """

    torque: np.ndarray
    displacement: np.ndarray

    def friction(self) -> float:
        """Apparent friction: half the mean height of the loop [N m]."""
        # The first quarter enters the loop.
        quarter = (len(self.torque) - 1) // 5
        down, up = slice(quarter, 3 * quarter), slice(3 * quarter, 5 * quarter)
        most = min(self.displacement[up].max(), self.displacement[down].max())
        least = max(self.displacement[up].min(), self.displacement[down].min())
        at = np.linspace(least, most, 41)[5:-5]
        heights = [
            np.interp(at, self.displacement[s][order], self.torque[s][order])
            for s, order in (
                (up, np.argsort(self.displacement[up])),
                (down, np.argsort(self.displacement[down])),
            )
        ]
        return float(0.5 * np.mean(heights[0] - heights[1]))


def pull(pull: Pull, robot: str = "atlas") -> ForceCurve:
    """Simulates a pull on a robot whose base is held.

    Raises:
        BackbeatError: an unknown robot or joint, or no joint is named and the robot
            YAML does not say which are the left elbow.
    """
    whole = RobotModel(robot, X_WB=RigidTransform([0.0, 0.0, 2.0]))
    pull = replace(pull, joint=pull.joint or whole.roles.names("left elbow")[-1])
    only = whole.joint_index(pull.joint)
    locked = {n: 0.0 for i, n in enumerate(whole.joint_names) if i != only}
    model = RobotModel(robot, X_WB=RigidTransform([0.0, 0.0, 2.0]), locked=locked)
    builder = DiagramBuilder()
    world = add_world(builder, model, STEP, joint_friction=pull.friction)
    log = _connect(builder, world, pull)
    simulator = Simulator(builder.Build())
    root = simulator.get_mutable_context()
    context = world.plant.GetMyMutableContextFromRoot(root)
    lock_joints(world.plant, context, locked)
    joint = world.plant.GetJointByName(pull.joint)
    joint.set_angle(context, pull.attractor)
    simulator.AdvanceTo(5 * pull.quarter)
    torque, angle = log.FindLog(root).data()
    return ForceCurve(torque.copy(), angle - pull.attractor)


def _connect(builder: DiagramBuilder, world: World, pull: Pull) -> VectorLogSink:
    """Adds servo, weight, spring and the torque from outside; returns the log."""
    plant, robot, add = world.plant, world.robot, builder.AddSystem
    damping = DAMPING_TIME * pull.stiffness
    command = compliant_command(
        np.array([pull.attractor]),
        np.array([pull.stiffness]),
        np.array([damping]),
        compensation=pull.compensation,
    )
    source, gravity = (
        add(ConstantVectorSource(command)),
        add(GravityCompensation(robot)),
    )
    servo = add(
        JointServo(
            robot,
            world.actuator_joints(),
            Motors(lag=pull.lag, rise=pull.rise),
            period=STEP,
        )
    )
    truth, felt = (
        add(MatrixGain(D=D))
        for D in (world.state_selection(), world.effort_selection())
    )
    times = pull.quarter * np.arange(6)
    shape = pull.torque * np.array([[0, 1, 0, -1, 0, 1]])
    outside = add(TrajectorySource(PiecewisePolynomial.FirstOrderHold(times, shape)))
    index = plant.GetJointByName(pull.joint).velocity_start()
    spread = add(MatrixGain(D=np.eye(plant.num_velocities())[:, [index]]))
    pick = np.array([[1.0, 0.0]])
    angle = add(MatrixGain(D=pick))
    connect = builder.Connect
    connect(source.get_output_port(), gravity.GetInputPort("command"))
    connect(gravity.GetOutputPort("command"), servo.GetInputPort("command"))
    connect(plant.get_state_output_port(), truth.get_input_port())
    for system in (gravity, servo):
        connect(truth.get_output_port(), system.GetInputPort("state"))
    net = plant.get_net_actuation_output_port(world.instance)
    connect(net, felt.get_input_port())
    connect(felt.get_output_port(), servo.GetInputPort("measured_effort"))
    motors = plant.get_actuation_input_port(world.instance)
    connect(servo.GetOutputPort("actuation"), motors)
    connect(outside.get_output_port(), spread.get_input_port())
    port = plant.get_applied_generalized_force_input_port()
    connect(spread.get_output_port(), port)
    connect(truth.get_output_port(), angle.get_input_port())
    both = add(Multiplexer([1, 1]))
    connect(outside.get_output_port(), both.get_input_port(0))
    connect(angle.get_output_port(), both.get_input_port(1))
    return LogVectorOutput(both.get_output_port(), builder, LOG_STEP)
