"""A soft hand: it rests on a drum, and turns a valve that comes to a stop.

Atlas's pelvis is held, its left arm is free. Every joint of the arm is a soft spring
with compensation of its weight and friction, driven by a model of a hydraulic motor
with lag and a limited rate. The force of the hand is bounded by the distance of its
set point behind the surface, and can be computed from joint angles alone. A stiff arm
with the same commands pushes many times as hard. From the root of the checkout:

    .venv/bin/python docs/how_to/compliant_hand.py
    .venv/bin/python docs/how_to/compliant_hand.py --show  # in a browser, with Meshcat
"""

import argparse
from dataclasses import dataclass
from functools import cache

import numpy as np
from pydrake.geometry import Box, StartMeshcat
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.plant import (
    AddMultibodyPlantSceneGraph,
    DiscreteContactApproximation,
    MultibodyPlant,
)
from pydrake.multibody.tree import (
    FixedOffsetFrame,
    RevoluteJoint,
    SpatialInertia,
    UnitInertia,
)
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import Context, DiagramBuilder
from pydrake.systems.primitives import MatrixGain, TrajectorySource
from pydrake.trajectories import PiecewisePolynomial
from pydrake.visualization import AddDefaultVisualization

from backbeat.models.actuation.motors import (
    HYDRAULIC_FRICTION,
    HYDRAULIC_LAG,
    HYDRAULIC_RISE,
    Motors,
)
from backbeat.models.actuation.servo_modes import compliant_command, position_command
from backbeat.models.contact.cones import BODY, assign_material
from backbeat.models.kit.drum_kit import DrumKit
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.models.state.gravity_compensation import GravityCompensation
from backbeat.models.world.joint_friction import (
    add_joint_friction,
    connect_joint_friction,
)
from backbeat.models.world.joint_servo import JointServo
from backbeat.models.world.scene import World, lock_joints
from backbeat.optimization.kinematics.inverse_kinematics import (
    IKTarget,
    InverseKinematics,
)

PELVIS = RigidTransform([0.0, 0.0, 0.9])
HAND = "l_hand_face"
# Fingers point forward and down, and the hand is so far above what it touches [m].
FORWARD = RotationMatrix(np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]))
SLOPING = RotationMatrix.MakeYRotation(np.radians(50.0)) @ FORWARD
UNDERSIDE = 0.06
# Stiffness [N m/rad] from shoulder to wrist, soft and stiff, and damping [N m s/rad]:
# with motor lag, joints with little inertia are stable only with low gains.
SOFT = np.array([80.0, 80.0, 80.0, 80.0, 20.0, 20.0, 9.0])
STIFF = np.array([500.0, 500.0, 500.0, 500.0, 25.0, 25.0, 9.0])
DAMPING = np.array([6.0, 10.0, 6.0, 6.0, 0.4, 0.4, 0.09])
STEP = 1e-3
# Time in which the set point goes down, and stays there [s].
MOVE, REST = 1.5, 1.0
# The valve: a bar that turns about its end, its friction [N m] and its stop [rad].
BAR, VALVE_FRICTION, VALVE_STOP = 0.3, 3.0, 0.5


@dataclass(frozen=True)
class Push:
    """Result of a push.

    Attributes:
        time: (M,) [s].
        force: (M,) of the hand on what it touches, along the vertical [N].
        angle: (M,) of the valve [rad]; zeros for the drum.
        springs: the force in the end as joint angles alone tell it [N].
    """

    time: np.ndarray
    force: np.ndarray
    angle: np.ndarray
    springs: float


@cache
def arm() -> RobotModel:
    """Atlas with all joints held but those of its left arm."""
    whole = RobotModel("atlas", X_WB=PELVIS)
    free = set(whole.groups["l_arm"].tolist())
    stand = whole.posture_joints("stand")
    names = [n for i, n in enumerate(whole.joint_names) if i not in free]
    return RobotModel(
        "atlas", X_WB=PELVIS, locked={n: stand.get(n, 0.0) for n in names}
    )


def hand_at(place: np.ndarray, q_near: np.ndarray | None = None) -> np.ndarray:
    """(7,) joint angles with the hand at a place [m]."""
    robot = arm()
    near = robot.posture("stand") if q_near is None else q_near
    target = IKTarget(RigidTransform(SLOPING, place))
    return InverseKinematics(robot).solve(near, {HAND: target}).q


def spring_force(q: np.ndarray, attractor: np.ndarray, stiffness: np.ndarray) -> float:
    """Downward force of the springs of an arm at rest [N].

    What is in balance with their torques, J' w = K (q_d - q), is the wrench w of the
    hand on what it touches; it follows from joint angles alone.
    """
    J = Configuration(arm(), q).jacobian(HAND)
    wrench = np.linalg.lstsq(J.T, stiffness * (attractor - q), rcond=None)[0]
    return float(-wrench[5])


def add_valve(plant: MultibodyPlant, tip: np.ndarray) -> None:
    """A bar whose tip the hand presses down, with dry friction and a stop."""
    instance = plant.AddModelInstance("valve")
    inertia = UnitInertia.SolidBox(BAR, 0.06, 0.02)
    bar = plant.AddRigidBody("bar", instance, SpatialInertia(1.0, np.zeros(3), inertia))
    shape = Box(BAR, 0.06, 0.02)
    middle = RigidTransform()
    plant.RegisterCollisionGeometry(bar, middle, shape, "bar", BODY.properties())
    red = np.array([0.8, 0.1, 0.1, 1.0])
    plant.RegisterVisualGeometry(bar, middle, shape, "bar", red)
    # It turns about its far end, so that the hand need not reach over anything.
    X_WP = RigidTransform(tip + [BAR - 0.06, 0.0, -0.01])
    X_BP = RigidTransform([0.5 * BAR, 0.0, 0.0])
    axis, world = np.array([0.0, -1.0, 0.0]), plant.world_frame()
    pivot = plant.AddFrame(FixedOffsetFrame("pivot", world, X_WP))
    end = plant.AddFrame(FixedOffsetFrame("end", bar.body_frame(), X_BP))
    joint = RevoluteJoint("valve", pivot, end, axis, -0.01, VALVE_STOP, 0.1)
    plant.AddJoint(joint).set_default_angle(0.0)
    add_joint_friction(plant, instance, {"valve": VALVE_FRICTION})


def add_own_world(builder: DiagramBuilder, what: str, place: np.ndarray) -> World:
    """Adds the robot and what its hand will push, to a plant of our own."""
    robot = arm()
    plant, graph = AddMultibodyPlantSceneGraph(builder, time_step=STEP)
    plant.set_discrete_contact_approximation(DiscreteContactApproximation.kLagged)
    atlas = robot.add_to(plant)
    for index in plant.GetBodyIndices(atlas):
        assign_material(plant, graph, plant.get_body(index), BODY)
    if what == "valve":
        add_valve(plant, place)
    else:
        drum = DrumKit().strike_pose("floor_tom").translation()
        DrumKit(tuple(place - drum)).add_to(plant, None)
    share = HYDRAULIC_FRICTION * robot.effort_limits
    brakes = dict(zip(robot.joint_names, share, strict=True))
    add_joint_friction(plant, atlas, brakes)
    plant.Finalize()
    connect_joint_friction(builder, plant, atlas)
    if what == "valve":
        valve = plant.GetModelInstanceByName("valve")
        connect_joint_friction(builder, plant, valve)
    return World(plant, graph, robot, atlas)


def add_servo(builder: DiagramBuilder, world: World, commands: np.ndarray) -> None:
    """Adds motors, servo and gravity compensation, which get the commands in turn.

    Args:
        builder: diagram under construction.
        world: of `add_own_world`.
        commands: (2, 9 nj) at the start and after `MOVE`, between which it goes evenly.
    """
    robot, plant, add = world.robot, world.plant, builder.AddNamedSystem
    path = PiecewisePolynomial.FirstOrderHold(
        [0.0, MOVE, MOVE + REST], np.array([commands[0], commands[1], commands[1]]).T
    )
    told = add("commands", TrajectorySource(path))
    gravity = add("gravity", GravityCompensation(robot))
    servo = add(
        "joint_servo",
        JointServo(
            robot,
            world.actuator_joints(),
            Motors(lag=HYDRAULIC_LAG, rise=HYDRAULIC_RISE),
            period=STEP,
        ),
    )
    sensed = add("true_state", MatrixGain(D=world.state_selection()))
    felt = add("effort_sensor", MatrixGain(D=world.effort_selection()))

    connect, x = builder.Connect, sensed.get_output_port()
    connect(plant.get_state_output_port(), sensed.get_input_port())
    connect(x, gravity.GetInputPort("state"))
    connect(x, servo.GetInputPort("state"))
    net = plant.get_net_actuation_output_port(world.instance)
    connect(net, felt.get_input_port())
    connect(felt.get_output_port(), servo.GetInputPort("measured_effort"))
    connect(told.get_output_port(), gravity.GetInputPort("command"))
    connect(gravity.GetOutputPort("command"), servo.GetInputPort("command"))
    motors = plant.get_actuation_input_port(world.instance)
    connect(servo.GetOutputPort("actuation"), motors)


def hand_force(plant: MultibodyPlant, context: Context) -> float:
    """Force of the hand on whatever it touches, downwards [N]."""
    results = plant.get_contact_results_output_port().Eval(context)
    hand, total = plant.GetBodyByName("l_hand").index(), 0.0
    for i in range(results.num_point_pair_contacts()):
        contact = results.point_pair_contact_info(i)
        if hand in (contact.bodyA_index(), contact.bodyB_index()):
            # The force is the one on body B.
            sign = 1.0 if contact.bodyB_index() == hand else -1.0
            total += sign * float(contact.contact_force()[2])
    return total


def push(what: str, depth: float, soft: bool = True, show: bool = False) -> Push:
    """The hand goes down to `depth` [m] below a surface, and stays there.

    Args:
        what: "drum" or "valve".
        depth: of its attractor below the surface [m].
        soft: with soft springs, or with stiff ones.
        show: in a browser.
    """
    builder, surface = DiagramBuilder(), np.array([0.62, 0.30, 1.0])
    world = add_own_world(builder, what, surface)
    above = surface + [0.0, 0.0, UNDERSIDE + 0.02]
    start = hand_at(above)
    goal = hand_at(surface + [0.0, 0.0, UNDERSIDE - depth], start)
    K = SOFT if soft else STIFF
    modes = compliant_command if soft else position_command
    commands = np.array([modes(q, K, DAMPING) for q in (start, goal)])
    add_servo(builder, world, commands)
    if show:
        AddDefaultVisualization(builder, StartMeshcat())
    simulator = Simulator(builder.Build())
    plant, root = world.plant, simulator.get_mutable_context()
    context = plant.GetMyMutableContextFromRoot(root)
    lock_joints(plant, context, arm().locked)
    for name, angle in zip(arm().joint_names, start, strict=True):
        plant.GetJointByName(name).set_angle(context, angle)
    if show:
        simulator.set_target_realtime_rate(1.0)
        input("Open the address above in a browser, then press Enter. ")
    times = np.arange(0.0, MOVE + REST, 5 * STEP)
    force, angle = np.zeros(len(times)), np.zeros(len(times))
    for k, t in enumerate(times):
        simulator.AdvanceTo(t)
        force[k] = hand_force(plant, context)
        if what == "valve":
            angle[k] = plant.GetJointByName("valve").get_angle(context)
    q = np.array(
        [plant.GetJointByName(n).get_angle(context) for n in arm().joint_names]
    )
    return Push(times, force, angle, spring_force(q, goal, K))


def main() -> None:
    """Rests on the drum and turns the valve, and prints the forces."""
    parser = argparse.ArgumentParser(description="A soft hand pushes.")
    parser.add_argument("--show", action="store_true", help="show it with Meshcat")
    show = parser.parse_args().show
    for what, depth, soft in (
        ("drum", 0.05, True),
        ("valve", 0.25, True),
        ("valve", 0.25, False),
    ):
        done = push(what, depth, soft, show)
        turned = f", turned by {done.angle[-1]:.2f} rad" if what == "valve" else ""
        print(
            f"{'soft' if soft else 'stiff'} hand on the {what}: at most "
            f"{done.force.max():.0f} N, {done.force[-1]:.0f} N in the end "
            f"({done.springs:.0f} N by joint angles){turned}"
        )


if __name__ == "__main__":
    main()
