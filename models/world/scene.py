"""The simulated world: robot, ground and what stands on it, in one diagram part."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from pydrake.geometry import (
    ProximityProperties,
    RoleAssign,
    SceneGraph,
)
from pydrake.multibody.plant import (
    AddMultibodyPlant,
    CoulombFriction,
    MultibodyPlant,
    MultibodyPlantConfig,
)
from pydrake.multibody.tree import ModelInstanceIndex, RigidBody
from pydrake.systems.framework import Context, DiagramBuilder

from backbeat.models.collision.patch_geometry import (
    add_patches,
    keep_apart,
    soften_soles,
    support_body,
)
from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.contact.cones import (
    BODY,
    SOLE,
    STICK_TIP,
    assign_material,
    collision_shapes,
)
from backbeat.models.contact.friction import SIMULATED_FRICTION
from backbeat.models.kit.drum_kit import CHAIR, DrumKit
from backbeat.models.robot.fusing import set_joints
from backbeat.models.robot.mimic import Following
from backbeat.models.robot.model import RobotModel
from backbeat.models.urdf.loading.surfaces import apply_surface_extensions
from backbeat.models.world.ground import Ground
from backbeat.models.world.joint_friction import (
    add_joint_friction,
    connect_joint_friction,
    is_brake,
)

DISCRETE_MODELS = ("sap", "similar", "lagged")
# In place of one of them: no steps, and an integrator with error control.
CONTINUOUS = "continuous"
CONTACT_MODELS = (*DISCRETE_MODELS, CONTINUOUS)
# Where friction has its full size in continuous time [m/s]. Soles creep at the share
# of it that is the share of friction in use: at 5 mm/s a robot that drums drifts by a
# millimeter. Less than this, and an integrator does not get over a robot that falls.
STICTION_SPEED = 5e-4
# What soles touch with: points at their corners, or a surface that yields.
FEET = ("point", "hydroelastic")
SCENES = ("drum-kit",)


@dataclass(frozen=True)
class Scene:
    """What stands around the robot.

    Attributes:
        name: one of SCENES, or "" for the bare ground.
        place: origin of the scene in the world [m].
        kit: the kit as text, see `backbeat.models.kit.description`; "" for the usual
            one.
    """

    name: str = ""
    place: tuple[float, float, float] = (0.0, 0.0, 0.0)
    kit: str = ""

    def drum_kit(self, moved: Mapping[str, np.ndarray] | None = None) -> DrumKit:
        """The kit where it stands.

        Args:
            moved: (3,) how far members stand from their place [m], by name.

        Raises:
            BackbeatError: a member that is moved does not exist.
        """
        return DrumKit(self.place, moved, self.kit)


@dataclass(frozen=True)
class ContactSettings:
    """How contact is simulated.

    Attributes:
        model: one of CONTACT_MODELS.
        friction: friction coefficient of the patches that carry the robot, and of
            ground and chair.
        feet: what soles touch with, one of FEET.
    """

    model: str = "lagged"
    friction: float = SIMULATED_FRICTION
    feet: str = "point"

    def check(self) -> None:
        """Checks names.

        Raises:
            BackbeatError: unknown contact model or feet.
        """
        if self.model not in CONTACT_MODELS:
            raise unknown_name("contact model", self.model, CONTACT_MODELS)
        if self.feet not in FEET:
            raise unknown_name("kind of feet", self.feet, FEET)


# Contact where nothing else is said.
_USUAL = ContactSettings()


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
        """Joint of every actuator of the robot, in the plant's actuator order.

        Brakes, which are the friction of joints, take no command and have no name.
        """
        plant = self.plant
        actuators = map(
            plant.get_joint_actuator, plant.GetJointActuatorIndices(self.instance)
        )
        return tuple("" if is_brake(a) else a.joint().name() for a in actuators)

    def effort_selection(self) -> np.ndarray:
        """(nj, actuators) matrix from the plant's net actuation to its joints'.

        What comes through to a joint is the effort of its motor less that of its brake;
        a sensor of effort behind both measures their sum.
        """
        plant, robot = self.plant, self.robot
        order = {name: i for i, name in enumerate(robot.joint_names)}
        actuators = plant.GetJointActuatorIndices(self.instance)
        selection = np.zeros((robot.num_joints, len(actuators)))
        for column, index in enumerate(actuators):
            name = plant.get_joint_actuator(index).joint().name()
            if name in order:
                selection[order[name], column] = 1.0
        return selection

    @cached_property
    def state_places(self) -> np.ndarray:
        """(nq + nv,) where in the plant's state that of the model is."""
        plant, robot = self.plant, self.robot
        joints = [plant.GetJointByName(n, self.instance) for n in robot.joint_names]
        q = [j.position_start() for j in joints]
        v = [j.velocity_start() for j in joints]
        if robot.floating:
            base = plant.GetBodyByName(robot.base_name, self.instance)
            q_base, v_base = (
                base.floating_positions_start(),
                base.floating_velocities_start_in_v(),
            )
            q = [*range(q_base, q_base + robot.base_positions), *q]
            v = [*range(v_base, v_base + robot.base_velocities), *v]
        return np.r_[q, np.array(v, int) + plant.num_positions()].astype(int)

    def state_selection(self) -> np.ndarray:
        """(nq + nv, plant states) matrix from the plant's state to the model's."""
        places = self.state_places
        selection = np.zeros((len(places), self.plant.num_multibody_states()))
        selection[np.arange(len(places)), places] = 1.0
        return selection

    def set_state(self, context: Context, q: np.ndarray, v: np.ndarray) -> None:
        """Puts the robot where it shall be, and what follows its joints.

        Args:
            context: of the plant.
            q, v: (nq,), (nv,) of the robot model.
        """
        x = self.plant.GetPositionsAndVelocities(context)
        x[self.state_places] = np.r_[q, v]
        nq = self.plant.num_positions()
        following = Following(self.plant, self.robot.followers)
        following.place(x[:nq])
        following.move(x[nq:])
        self.plant.SetPositionsAndVelocities(context, x)

    def set_friction(self, context: Context, friction: float) -> None:
        """Gives soles, ground and chair another friction coefficient.

        Args:
            context: of the diagram that the world is in; nothing else is changed.
            friction: the coefficient.
        """
        plant, graph = self.plant, self.scene_graph
        robot, own = self.robot, graph.GetMyMutableContextFromRoot(context)
        bodies = {support_body(plant, robot, n) for n in robot.patches}
        bodies.add(plant.world_body())
        if plant.HasBodyNamed(CHAIR):
            bodies.add(plant.GetBodyByName(CHAIR))
        for body in sorted(bodies, key=lambda b: int(b.index())):
            known = graph.get_query_output_port().Eval(own).inspector()
            for geometry in collision_shapes(plant, known, body):
                properties = ProximityProperties(known.GetProximityProperties(geometry))
                properties.UpdateProperty(
                    "material", "coulomb_friction", CoulombFriction(friction, friction)
                )
                source = plant.get_source_id()
                graph.AssignRole(own, source, geometry, properties, RoleAssign.kReplace)


def add_world(
    builder: DiagramBuilder,
    robot: RobotModel,
    time_step: float = 1e-3,
    contact: ContactSettings = _USUAL,
    scene: Scene | None = None,
    ground: Ground | None = None,
    moved: Mapping[str, np.ndarray] | None = None,
    joint_friction: float = 0.0,
) -> World:
    """Adds a plant with the robot on the ground, and a scene, to a diagram.

    Args:
        builder: diagram under construction.
        robot: the robot model; a welded base and locked joints are honored.
        time_step: discrete step of the plant [s].
        contact: how contact is simulated.
        scene: what stands on the ground; None for nothing.
        ground: the ground; None for a flat one.
        moved: how far members of the kit stand from their place [m], by name.
        joint_friction: Coulomb friction of every moving joint, as a share of its
            effort limit; none where there are no steps.

    Raises:
        BackbeatError: unknown contact model, feet, scene or member.
    """
    contact.check()
    friction = contact.friction
    plant, scene_graph = AddMultibodyPlant(_config(time_step, contact), builder)
    instance = robot.add_to(plant, scene_graph)
    wandering = add_patches(plant, scene_graph, robot)
    links = {support_body(plant, robot, n).name() for n in robot.patches}
    for index in plant.GetBodyIndices(instance):
        body = plant.get_body(index)
        material = SOLE if body.name() in links else BODY
        mu = friction if body.name() in links else None
        assign_material(plant, scene_graph, body, material, mu)
    (ground or Ground()).add_to(plant, friction)
    keep_apart(plant, scene_graph, wandering)
    if contact.feet == "hydroelastic":
        soften_soles(plant, scene_graph, robot, friction)
    for tip in _stick_bodies(plant, robot):
        assign_material(plant, scene_graph, tip, STICK_TIP)
    if scene is not None and scene.name:
        if scene.name not in SCENES:
            raise unknown_name("scene", scene.name, SCENES)
        sits = len(robot.patches) > len(robot.soles)
        scene.drum_kit(moved).add_to(plant, friction if sits else None)
    apply_surface_extensions(plant, scene_graph, instance, robot.urdf, BODY, links)
    shares = joint_friction * robot.effort_limits + robot.friction
    _check_steps(robot, contact.model, shares)
    brakes = dict(zip(robot.joint_names, shares, strict=True))
    add_joint_friction(plant, instance, brakes)
    plant.Finalize()
    connect_joint_friction(builder, plant, instance)
    return World(plant, scene_graph, robot, instance)


def _check_steps(robot: RobotModel, contact_model: str, shares: np.ndarray) -> None:
    """Refuses continuous time where something is simulated in steps.

    Args:
        robot: the robot model.
        contact_model: one of CONTACT_MODELS.
        shares: (nj,) Coulomb friction of its joints [N m].

    Raises:
        BackbeatError: friction in joints, or a joint that follows another.
    """
    if contact_model == CONTINUOUS and shares.any():
        raise BackbeatError(
            f"{robot.name} has friction in its joints, which is simulated in steps; "
            f"take one of the contact models {', '.join(CONTACT_MODELS)}"
        )
    if contact_model == CONTINUOUS and robot.followers:
        raise BackbeatError(
            f"joint {robot.followers[0].name!r} of {robot.name} follows another, which "
            "is simulated in steps; take one of the contact models "
            f"{', '.join(DISCRETE_MODELS)}"
        )


def _config(time_step: float, contact: ContactSettings) -> MultibodyPlantConfig:
    """How a plant steps, and what contact is to it."""
    points = contact.feet == "point"
    config = MultibodyPlantConfig(
        contact_model="point" if points else "hydroelastic_with_fallback"
    )
    if contact.model == CONTINUOUS:
        config.time_step, config.stiction_tolerance = 0.0, STICTION_SPEED
    else:
        config.time_step = time_step
        config.discrete_contact_approximation = contact.model
    return config


def _stick_bodies(plant: MultibodyPlant, robot: RobotModel) -> list[RigidBody]:
    """Bodies of the items that the robot carries."""
    items = robot.equipment_items()
    return [
        plant.get_body(index)
        for name in items
        for index in plant.GetBodyIndices(plant.GetModelInstanceByName(name))
    ]


def lock_joints(
    plant: MultibodyPlant, context: Context, locked: Mapping[str, float]
) -> None:
    """Sets joints to angles and locks them in a context of a discrete plant.

    Raises:
        BackbeatError: the plant has no steps, and Drake locks no joints there.
    """
    if locked and plant.time_step() == 0.0:
        raise BackbeatError(
            f"{', '.join(locked)} cannot be locked in continuous time; take one of "
            f"the contact models {', '.join(DISCRETE_MODELS)}"
        )
    set_joints(plant, context, locked)
    for name in locked:
        plant.GetJointByName(name).Lock(context)
