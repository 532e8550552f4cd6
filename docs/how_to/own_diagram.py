"""Backbeat's controllers in a Drake diagram of your own.

Atlas crouches, and a ball hits it in the chest. World, ball and connections are made
here; robot, behavior and controllers come from Backbeat. The robot can be your own:
`own_squat.yaml` is a behavior for the one that `own_robot.yaml` describes.
From the root of the checkout:

    .venv/bin/python docs/how_to/own_diagram.py
    .venv/bin/python docs/how_to/own_diagram.py docs/how_to/own_squat.yaml
    .venv/bin/python docs/how_to/own_diagram.py --show     # in a browser, with Meshcat
"""

import argparse
from pathlib import Path

import numpy as np
from pydrake.geometry import Box, Sphere, StartMeshcat
from pydrake.math import RigidTransform
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
from pydrake.multibody.tree import SpatialInertia
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import Context, Diagram, DiagramBuilder
from pydrake.systems.primitives import MatrixGain
from pydrake.visualization import AddDefaultVisualization

from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.store import Library
from backbeat.models.contact.cones import FLOOR, SOLE, ContactMaterial, assign_material
from backbeat.models.robot.loading import add_robot
from backbeat.models.world.joint_servo import JointServo
from backbeat.models.world.scene import World
from backbeat.mpc.predictive.controller import PredictiveController
from backbeat.mpc.predictive.program import PredictiveProgram
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.whole_body.controller import WholeBodyController
from backbeat.mpc.whole_body.programs.momentum import WholeBodyProgram

START = 0.5  # s that Atlas stands before the behavior starts
DURATION = 3.0  # s of the behavior
BALL_MASS, BALL_RADIUS = 3.0, 0.1  # kg, m
# Dissipation is given twice, because Drake's contact models define it differently.
RUBBER = ContactMaterial(
    friction=0.5, stiffness=2e4, dissipation=0.5, relaxation_time=0.01
)


def add_own_world(builder: DiagramBuilder, behavior: Behavior) -> World:
    """Adds robot, ground and ball in a plant of our own."""
    robot = behavior.robot_model
    plant, scene_graph = AddMultibodyPlantSceneGraph(builder, time_step=1e-3)
    atlas = add_robot(plant, robot.description, robot.equipment)
    for index in plant.GetBodyIndices(atlas):
        assign_material(plant, scene_graph, plant.get_body(index), SOLE)

    X_WG = RigidTransform([0.0, 0.0, -0.5])
    plant.RegisterCollisionGeometry(
        plant.world_body(), X_WG, Box(10, 10, 1), "ground", FLOOR.properties()
    )
    inertia = SpatialInertia.SolidSphereWithMass(BALL_MASS, BALL_RADIUS)
    ball = plant.AddRigidBody("ball", plant.AddModelInstance("ball"), inertia)
    X_BS, shape = RigidTransform(), Sphere(BALL_RADIUS)
    orange = np.array([0.94, 0.35, 0.08, 1.0])
    plant.RegisterVisualGeometry(ball, X_BS, shape, "ball", orange)
    plant.RegisterCollisionGeometry(ball, X_BS, shape, "ball", RUBBER.properties())

    plant.Finalize()
    return World(plant, scene_graph, robot, atlas)


def add_controllers(builder: DiagramBuilder, world: World, behavior: Behavior) -> None:
    """Adds both controllers and the joint servo, and connects them to the plant."""
    robot, plant = behavior.robot_model, world.plant
    reference = Reference(behavior)

    # Fifty times a second: forces, momentum and timing for the next 1.3 s.
    predictive = builder.AddNamedSystem(
        "predictive_controller",
        PredictiveController(PredictiveProgram(reference), start_time=START),
    )
    # Five hundred times a second: the joint torques that track the plan best.
    program = WholeBodyProgram(robot, reference.patches, reference.points)
    whole_body = builder.AddNamedSystem(
        "whole_body_controller",
        WholeBodyController(program, reference, start_time=START),
    )
    # At every step: these torques, and some stiffness of the joints above the legs.
    servo = builder.AddNamedSystem(
        "joint_servo", JointServo(robot, world.actuator_joints())
    )
    # The plant's state includes the ball; the controllers need the robot's [q, v].
    # They get the true state here; an estimator can take its place.
    sensed = builder.AddNamedSystem("true_state", MatrixGain(D=world.state_selection()))

    builder.Connect(plant.get_state_output_port(), sensed.get_input_port())
    for system in (predictive, whole_body, servo):
        builder.Connect(sensed.get_output_port(), system.GetInputPort("state"))
    builder.Connect(predictive.GetOutputPort("plan"), whole_body.GetInputPort("plan"))
    builder.Connect(whole_body.GetOutputPort("command"), servo.GetInputPort("command"))
    builder.Connect(
        servo.GetOutputPort("actuation"), plant.get_actuation_input_port(world.instance)
    )


def start(diagram: Diagram, world: World, behavior: Behavior) -> Context:
    """A context in which Atlas stands where the behavior starts and the ball flies."""
    context = diagram.CreateDefaultContext()
    plant = world.plant
    own = plant.GetMyMutableContextFromRoot(context)
    plant.SetPositions(own, world.instance, behavior.motion.q[0])
    # Two meters in front of the robot, towards its chest.
    ball = plant.GetModelInstanceByName("ball")
    plant.SetPositions(own, ball, [1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 1.3])
    plant.SetVelocities(own, ball, [0.0, 0.0, 0.0, -3.0, 0.0, 3.0])
    return context


def run(behavior: Behavior, show: bool = False) -> tuple[World, Simulator]:
    """Simulates the behavior; returns the world and the simulator at the end."""
    builder = DiagramBuilder()
    world = add_own_world(builder, behavior)
    add_controllers(builder, world, behavior)
    if show:
        AddDefaultVisualization(builder, StartMeshcat())
    diagram = builder.Build()
    simulator = Simulator(diagram, start(diagram, world, behavior))
    if show:
        simulator.set_target_realtime_rate(1.0)
        input("Open the address above in a browser, then press Enter. ")
    simulator.AdvanceTo(START + DURATION)
    return world, simulator


def pelvis_height(world: World, simulator: Simulator) -> float:
    """Height of the pelvis above the ground [m]."""
    context = world.plant.GetMyContextFromRoot(simulator.get_context())
    pelvis = world.plant.GetBodyByName(world.robot.base_name)
    return float(world.plant.EvalBodyPoseInWorld(context, pelvis).translation()[2])


def main() -> None:
    """Builds the behavior, runs it and prints the result."""
    parser = argparse.ArgumentParser(description="Atlas crouches and meets a ball.")
    parser.add_argument("behavior", nargs="?", default="posture-tour")
    parser.add_argument("--library", type=Path, default=Path("library"))
    parser.add_argument("--show", action="store_true", help="show it with Meshcat")
    arguments = parser.parse_args()

    behavior = build(arguments.behavior, Library(arguments.library))
    world, simulator = run(behavior, arguments.show)
    height = pelvis_height(world, simulator)
    planned = Reference(behavior).sample(DURATION).q[6]
    print(f"pelvis {height:.3f} m above the ground, {planned:.3f} m planned")


if __name__ == "__main__":
    main()
