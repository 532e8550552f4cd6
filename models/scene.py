"""The simulated world: robot, ground and what stands on it, in one diagram part."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from pydrake.geometry import HalfSpace, SceneGraph

from pydrake.multibody.plant import (
    AddMultibodyPlant,
    MultibodyPlant,
    MultibodyPlantConfig,
)
from pydrake.multibody.tree import ModelInstanceIndex
from pydrake.systems.framework import DiagramBuilder

from models.contact import BODY, FLOOR, SOLE, assign_material
from models.errors import unknown_name
from models.robot import RobotModel, add_robot

CONTACT_MODELS = ("sap", "similar", "lagged")


@dataclass(frozen=True)
class World:
    """A plant with a robot in a scene, not yet part of a built diagram.

    Attributes:
        plant: finalized plant.
        scene_graph: its scene graph.
        robot: the robot model it was made for.
        instance: the robot's model instance in the plant.
    """

    plant: MultibodyPlant
    scene_graph: SceneGraph
    robot: RobotModel
    instance: ModelInstanceIndex

    def actuator_joints(self) -> tuple[str, ...]:
        """Joint of every actuator, in the plant's actuator order."""
        plant = self.plant
        return tuple(
            plant.get_joint_actuator(i).joint().name()
            for i in plant.GetJointActuatorIndices()
        )

    def state_selection(self) -> np.ndarray:
        """(nq + nv, plant states) matrix from the plant's state to the model's."""
        plant, robot = self.plant, self.robot
        joints = [plant.GetJointByName(n) for n in robot.joint_names]
        q = [*range(robot.base_positions), *(j.position_start() for j in joints)]
        v = [*range(robot.base_velocities), *(j.velocity_start() for j in joints)]
        rows = np.r_[q, np.array(v, int) + plant.num_positions()].astype(int)
        selection = np.zeros((len(rows), plant.num_multibody_states()))
        selection[np.arange(len(rows)), rows] = 1.0
        return selection


def add_world(
    builder: DiagramBuilder,
    robot: RobotModel,
    time_step: float = 1e-3,
    contact_model: str = "lagged",
    friction: float = 0.8,
) -> World:
    """Adds a plant with the robot on flat ground to a diagram.

    Args:
        builder: diagram under construction.
        robot: the robot model; a welded base and locked joints are honored.
        time_step: discrete step of the plant [s].
        contact_model: Drake's discrete contact approximation.
        friction: friction coefficient between soles and ground.

    Raises:
        BackbeatError: unknown contact model.
    """
    if contact_model not in CONTACT_MODELS:
        raise unknown_name("contact model", contact_model, CONTACT_MODELS)
    config = MultibodyPlantConfig(
        time_step=time_step, discrete_contact_approximation=contact_model
    )
    plant, scene_graph = AddMultibodyPlant(config, builder)
    instance = add_robot(plant, robot.description, robot.equipment)
    if not robot.floating:
        frame = plant.GetFrameByName(robot.base_name)
        X_WB = robot.plant.EvalBodyPoseInWorld(
            robot.plant.CreateDefaultContext(),
            robot.plant.GetBodyByName(robot.base_name),
        )
        plant.WeldFrames(plant.world_frame(), frame, X_WB)
    soles = {robot.contact_link(n) for n, c in robot.contacts.items() if not c.is_point}
    for index in plant.GetBodyIndices(instance):
        body = plant.get_body(index)
        material = SOLE if body.name() in soles else BODY
        mu = friction if body.name() in soles else None
        assign_material(plant, scene_graph, body, material, mu)
    plant.RegisterCollisionGeometry(
        plant.world_body(),
        HalfSpace.MakePose(np.array([0.0, 0, 1]), np.zeros(3)),
        HalfSpace(),
        "ground",
        FLOOR.properties(friction),
    )
    plant.Finalize()
    return World(plant, scene_graph, robot, instance)


def lock_joints(
    plant: MultibodyPlant, context: object, locked: Mapping[str, float]
) -> None:
    """Sets joints to angles and locks them in a context of a discrete plant."""
    for name, angle in locked.items():
        joint = plant.GetJointByName(name)
        joint.SetPositions(context, [angle])
        joint.Lock(context)


