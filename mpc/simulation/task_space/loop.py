"""A hand that follows its target in closed loop: robot, sensing, controller, servo.

The controller has a model of its own and gets samples only. An arm is bolted to the
ground. Atlas has its legs held and its pelvis moved, which for the rest of it is all
that legs could do: what joints feel of a prescribed base is its motion. Or its feet are
welded to the ground, and the motors of its legs move the pelvis.
"""

from dataclasses import dataclass

import numpy as np
from pydrake.multibody.plant import AddMultibodyPlant, MultibodyPlantConfig
from pydrake.systems.framework import Context, Diagram, DiagramBuilder
from pydrake.systems.primitives import LogVectorOutput, SparseMatrixGain, VectorLogSink
from scipy.sparse import csc_matrix

from backbeat.models.actuation.motors import Motors
from backbeat.models.common.collectable_system import free_unused_systems
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.fusing import set_joints
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.models.world.joint_servo import JointServo
from backbeat.models.world.scene import (
    CONTINUOUS,
    ContactSettings,
    World,
    add_world,
    lock_joints,
)
from backbeat.mpc.control.outside import OutsideTaskSpace
from backbeat.mpc.control.task_space_setup import TaskSpaceSetup, set_up
from backbeat.mpc.scenario.base_motion import BaseDrive, BaseMotion
from backbeat.mpc.scenario.glide import Glide, Sway
from backbeat.mpc.scenario.model_mismatch import ModelMismatch
from backbeat.mpc.scenario.target_motion import TargetSource
from backbeat.mpc.scenario.task_sensing import TaskSensing
from backbeat.mpc.scenario.task_space_scenario import TaskSpaceScenario
from backbeat.mpc.task_space.controller import TaskSpaceController
from backbeat.mpc.task_space.system import TaskSpaceSystem
from backbeat.mpc.world.mismatched_robot import apply_model_mismatch
from backbeat.mpc.world.welded_feet import LegDrive, WeldedLegs


@dataclass(frozen=True)
class TaskSpaceLoop:
    """A built diagram with its named parts.

    Attributes:
        diagram: the diagram.
        scenario: what it was built for.
        world: plant and scene graph.
        robot: model of the robot, joints that are held locked.
        controller: the controller, or its stand-in here when it is elsewhere.
        q_start: (nq,) where the robot begins.
        hand: name of the hand's frame.
        hand_start: (3,) where the hand begins [m].
        logs: log sinks by name.
        legs: those between welded feet and base; None where legs are held.
        outside: the controller where it is elsewhere.
    """

    diagram: Diagram
    scenario: TaskSpaceScenario
    world: World
    robot: RobotModel
    controller: TaskSpaceSystem
    q_start: np.ndarray
    hand: str
    hand_start: np.ndarray
    logs: dict[str, VectorLogSink]
    legs: WeldedLegs | None = None
    outside: OutsideTaskSpace | None = None

    def make_context(self) -> Context:
        """A context at the start."""
        context = self.diagram.CreateDefaultContext()
        plant = self.world.plant
        own = plant.GetMyMutableContextFromRoot(context)
        if self.legs is None:
            lock_joints(plant, own, self.robot.locked)
        else:
            set_joints(plant, own, self.robot.locked)
        error = ModelMismatch(mass_scale=self.scenario.mass_scale)
        apply_model_mismatch(plant, own, self.world.instance, error, self.scenario.seed)
        self.world.set_state(own, self.q_start, np.zeros(self.robot.num_velocities))
        return context


def build_task_space_loop(
    scenario: TaskSpaceScenario,
    is_live: bool = False,
    outside: OutsideTaskSpace | None = None,
) -> TaskSpaceLoop:
    """Connects world, sensing, controller and servo.

    Args:
        scenario: what to build.
        is_live: whether target and base go where parameters of their sources say, from
            the start on; the hand is sensed in any case, and nothing is logged.
        outside: the controller, open, where it is elsewhere; None for one inside.

    Raises:
        BackbeatError: unknown robot, frame or posture, or a value that makes no sense.
    """
    setup = set_up(scenario)
    robot, hand, q = setup.robot, setup.hand, setup.q
    p_WH = np.array(Configuration(robot, q).pose(hand).translation())
    free_unused_systems()
    builder = DiagramBuilder()
    welded = _welded_legs(robot, q, scenario) if robot.floating else None
    world = _add_plant(builder, robot, scenario, welded)
    controller: TaskSpaceSystem = TaskSpaceController(setup.law)
    if outside is not None:
        controller = outside.system(setup.law, q, scenario.time_step)
    source: Glide | TargetSource = (
        Glide(p_WH, scenario.time_step)
        if is_live
        else TargetSource(scenario.target, p_WH)
    )
    logs = _connect(
        builder, world, scenario, setup, controller, source, is_live, welded
    )
    diagram = builder.Build()
    diagram.set_name("task_space_loop")
    return TaskSpaceLoop(
        diagram=diagram,
        scenario=scenario,
        world=world,
        robot=robot,
        controller=controller,
        q_start=q,
        hand=hand,
        hand_start=p_WH,
        logs=logs,
        legs=welded,
        outside=outside,
    )


def _welded_legs(
    robot: RobotModel, q: np.ndarray, scenario: TaskSpaceScenario
) -> WeldedLegs | None:
    """Legs with welded feet, if the scenario has them and they reach."""
    if scenario.base.feet != "welded":
        return None
    whole = RobotModel(scenario.robot)
    places = [whole.joint_index(n) for n in robot.joint_names]
    held = [whole.joint_index(n) for n in robot.locked]
    start = np.r_[q[:7], np.zeros(whole.num_joints)]
    start[np.add(7, held)] = list(robot.locked.values())
    start[np.add(7, places)] = q[7:]
    legs = WeldedLegs(whole, start)
    legs.check(scenario.base, start, scenario.duration)
    return legs


def _add_plant(
    builder: DiagramBuilder,
    robot: RobotModel,
    scenario: TaskSpaceScenario,
    legs: WeldedLegs | None,
) -> World:
    """The simulated robot, on the ground or, with a base that is moved, without one."""
    step, model = scenario.time_step, scenario.contact_model
    if not robot.floating:
        return add_world(builder, robot, step, ContactSettings(model))
    config = MultibodyPlantConfig(time_step=step)
    if model == CONTINUOUS:
        raise BackbeatError("a base is moved in steps; take sap, similar or lagged")
    config.discrete_contact_approximation = model
    plant, graph = AddMultibodyPlant(config, builder)
    instance = robot.add_to(plant)
    if legs is not None:
        legs.weld(plant, instance)
    plant.Finalize()
    return World(plant, graph, robot, instance)


def _connect(
    builder: DiagramBuilder,
    world: World,
    scenario: TaskSpaceScenario,
    setup: TaskSpaceSetup,
    controller: TaskSpaceSystem,
    source: Glide | TargetSource,
    is_live: bool,
    legs: WeldedLegs | None,
) -> dict[str, VectorLogSink]:
    """Adds all but the plant, and says where logs are."""
    plant, add, connect = world.plant, builder.AddNamedSystem, builder.Connect
    robot, q, joints = setup.robot, setup.q, world.actuator_joints()
    add("task_space_controller", controller)
    servo = add("joint_servo", JointServo(robot, joints, Motors(setup.effort_limits)))
    truth = add("true_state", SparseMatrixGain(csc_matrix(world.state_selection())))
    target = add("target_source", source)
    sensing = add("task_sensing", _make_sensing(scenario, setup))
    state = truth.get_output_port()
    connect(plant.get_state_output_port(), truth.get_input_port())
    connect(state, sensing.GetInputPort("state"))
    connect(target.GetOutputPort("target"), sensing.GetInputPort("target"))
    for port in ("state", "target"):
        connect(sensing.GetOutputPort(port), controller.GetInputPort(port))
    if scenario.hand_sensing or is_live:
        for port in ("hand", "hand_rate"):
            connect(sensing.GetOutputPort(port), controller.GetInputPort(port))
    connect(state, servo.GetInputPort("state"))
    connect(controller.GetOutputPort("command"), servo.GetInputPort("command"))
    motors = servo.GetOutputPort("actuation")
    if legs is not None:
        drive = _add_leg_drive(builder, world, legs, scenario.base, q)
        connect(servo.GetOutputPort("joint_effort"), drive.GetInputPort("effort"))
        connect(motors, drive.GetInputPort("actuation"))
        motors = drive.GetOutputPort("actuation")
    elif robot.floating:
        drive = _add_base_drive(builder, world, robot, scenario, q, is_live)
        connect(state, drive.GetInputPort("state"))
        connect(servo.GetOutputPort("joint_effort"), drive.GetInputPort("effort"))
    connect(motors, plant.get_actuation_input_port(world.instance))
    if robot.floating and scenario.base.feedforward:
        connect(
            drive.GetOutputPort("acceleration"),
            controller.GetInputPort("base_acceleration"),
        )
    if is_live:
        return {}
    ports = {
        "state": state,
        "effort": servo.GetOutputPort("joint_effort"),
        "at_limit": controller.GetOutputPort("at_limit"),
    }
    if legs is not None:
        ports["leg_effort"] = drive.GetOutputPort("leg_effort")
    step = scenario.time_step
    return {n: LogVectorOutput(p, builder, step) for n, p in ports.items()}


def _make_sensing(scenario: TaskSpaceScenario, setup: TaskSpaceSetup) -> TaskSensing:
    """Inputs of the controller, with delays and errors."""
    noise, period, delay = scenario.noise, scenario.period, scenario.delay
    return TaskSensing(setup.robot, setup.hand, noise, period, delay, scenario.seed)


def _add_base_drive(
    builder: DiagramBuilder,
    world: World,
    robot: RobotModel,
    scenario: TaskSpaceScenario,
    q: np.ndarray,
    is_live: bool,
) -> BaseDrive:
    """What moves a base whose legs are held."""
    plant = world.plant
    base = plant.GetBodyByName(robot.base_name, world.instance).index()
    drive = BaseDrive(robot, scenario.base, q, base)
    builder.AddNamedSystem("base_drive", drive)
    builder.Connect(
        drive.GetOutputPort("spatial_forces"),
        plant.get_applied_spatial_force_input_port(),
    )
    if is_live:
        sway = builder.AddNamedSystem("sway", Sway(scenario.time_step))
        builder.Connect(sway.GetOutputPort("sway"), drive.GetInputPort("sway"))
    return drive


def _add_leg_drive(
    builder: DiagramBuilder,
    world: World,
    legs: WeldedLegs,
    motion: BaseMotion,
    q: np.ndarray,
) -> LegDrive:
    """What moves a base on legs with welded feet."""
    whole = World(world.plant, world.scene_graph, legs.robot, world.instance)
    truth = SparseMatrixGain(csc_matrix(whole.state_selection()))
    builder.AddNamedSystem("whole_state", truth)
    joints = world.actuator_joints()
    drive = LegDrive(legs, world.robot, motion, q[:7], joints)
    builder.AddNamedSystem("leg_drive", drive)
    builder.Connect(world.plant.get_state_output_port(), truth.get_input_port())
    builder.Connect(truth.get_output_port(), drive.GetInputPort("state"))
    return drive
