"""Common part of closed loops: a robot in its world, motors, disturbances."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from pydrake.systems.framework import (
    Context,
    Diagram,
    DiagramBuilder,
    InputPort,
    OutputPort,
)
from pydrake.systems.primitives import LogVectorOutput, SparseMatrixGain, VectorLogSink
from scipy.sparse import csc_matrix

from backbeat.models.actuation.motors import Motors
from backbeat.models.actuation.safety_law import SafetyLaws
from backbeat.models.state.frame_rotation import FrameRotation
from backbeat.models.world.joint_servo import JointServo
from backbeat.models.world.scene import (
    ContactSettings,
    World,
    add_world,
    lock_joints,
)
from backbeat.mpc.disturbances.disturbance import Disturbance
from backbeat.mpc.disturbances.model_mismatch import ModelMismatch
from backbeat.mpc.disturbances.simulated_world import SimulatedLinks, SimulatedWorld
from backbeat.mpc.reference.sampling import ReferenceSampler
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.scenario.parts.actuation import ActuationSettings
from backbeat.mpc.scenario.parts.timing import TimingSettings
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.world.contact_log import add_contact_log
from backbeat.mpc.world.contact_roles import ContactSource
from backbeat.mpc.world.disturbance_forces import DisturbanceForces

# Time between samples of states and contact forces in the log [s].
LOG_PERIOD = 0.005


@dataclass(frozen=True)
class SimulatedRobot:
    """The parts of a diagram that a controller acts on.

    Attributes:
        world: plant and scene graph.
        servo: joint servo and motors; its "command" waits for a controller, and its
            "state" for the controller's state.
        state: the true [q, v] (nq + nv) of the robot model.
        disturbance: forces of the disturbances of the scenario.
        contact_log: contact forces by name.
    """

    world: World
    servo: JointServo
    state: OutputPort
    disturbance: DisturbanceForces
    contact_log: ContactSource

    def start(
        self, context: Context, q: np.ndarray, error: ModelMismatch, seed: int
    ) -> None:
        """Puts the robot at rest, as heavy as it is and with its joints locked.

        Args:
            context: of the whole diagram.
            q: (nq,) of the robot model.
            error: how far masses and damping are from the model's.
            seed: of the run.
        """
        plant, robot = self.world.plant, self.world.robot
        own = plant.GetMyMutableContextFromRoot(context)
        self.hold(own)
        error.change_links(SimulatedLinks(plant, own, self.world.instance, seed))
        self.set_state(context, q, np.zeros(robot.num_velocities))

    def hold(self, own: Context) -> None:
        """Locks the joints that stay still, in the context of the plant."""
        lock_joints(self.world.plant, own, self.world.robot.locked)

    def true_state(self, context: Context) -> np.ndarray:
        """(nq + nv,) true [q, v] of the robot model, from the root Context."""
        plant = self.world.plant
        own = plant.GetMyContextFromRoot(context)
        x: np.ndarray = plant.GetPositionsAndVelocities(own)[self.world.state_places]
        return x

    def set_friction(self, context: Context, friction: float) -> None:
        """Gives soles, ground and chair another coefficient, in the root Context."""
        self.world.set_friction(context, friction)

    def add_felt_effort(self, builder: DiagramBuilder) -> OutputPort:
        """Adds what measures (nj,) efforts behind the friction of joints [N m]."""
        felt = SparseMatrixGain(csc_matrix(self.world.effort_selection()))
        builder.AddNamedSystem("effort_sensor", felt)
        net = self.world.plant.get_net_actuation_output_port(self.world.instance)
        builder.Connect(net, felt.get_input_port())
        port: OutputPort = felt.get_output_port()
        return port

    def set_state(self, context: Context, q: np.ndarray, v: np.ndarray) -> None:
        """Puts the robot where it shall be.

        Args:
            context: of the whole diagram.
            q, v: (nq,), (nv,) of the robot model.
        """
        own = self.world.plant.GetMyMutableContextFromRoot(context)
        self.world.set_state(own, q, v)

    def add_logs(
        self, builder: DiagramBuilder, time_step: float
    ) -> dict[str, VectorLogSink]:
        """Logs of what is true, by name; strikes at every step [s] of the plant."""
        parts = {
            "state": self.state,
            "effort": self.servo.GetOutputPort("joint_effort"),
            "contact": self.contact_log.GetOutputPort("wrenches"),
            "push": self.disturbance.GetOutputPort("impulse_rate"),
        }
        logs = {n: LogVectorOutput(p, builder, LOG_PERIOD) for n, p in parts.items()}
        if self.contact_log.tips:
            strikes = self.contact_log.GetOutputPort("strikes")
            logs["strike"] = LogVectorOutput(strikes, builder, time_step)
        return logs


@dataclass(frozen=True)
class ControlledRobot:
    """A diagram in which something controls a simulated robot.

    Attributes:
        diagram: the diagram.
        body: the robot in its world, motors, disturbances and contact forces.
        reference: the behavior as controllers see it.
        scenario: what it was built for.
    """

    diagram: Diagram
    body: SimulatedRobot
    reference: Reference
    scenario: Scenario

    @property
    def world(self) -> World:
        """Plant and scene graph."""
        return self.body.world

    @property
    def contact_log(self) -> ContactSource:
        """Contact forces by name."""
        return self.body.contact_log

    @cached_property
    def sampler(self) -> ReferenceSampler:
        """The behavior at a phase, valid until the next call."""
        return self.reference.sampler()

    @cached_property
    def trunk(self) -> FrameRotation:
        """How the robot's trunk is turned at a configuration."""
        return FrameRotation(self.reference.robot, self.reference.robot.trunk)


@dataclass(frozen=True)
class PlantSettings:
    """How a robot is simulated.

    Attributes:
        contact: with the ground.
        actuation: of its joints.
        timing: lead-in and step of the run.
        disturbances: in time of the behavior.
        seed: of the run.
    """

    contact: ContactSettings
    actuation: ActuationSettings
    timing: TimingSettings
    disturbances: Sequence[Disturbance] = ()
    seed: int = 0


def add_simulated_robot(
    builder: DiagramBuilder,
    reference: Reference,
    real: SimulatedWorld,
    plant: PlantSettings,
    remembers: bool = True,
    by_hand: bool = True,
) -> SimulatedRobot:
    """Adds a robot in its world to a diagram, connected but for its controller.

    Args:
        builder: of the diagram.
        reference: the behavior.
        real: the world as it is, see `draw_world`.
        plant: how it is simulated.
        remembers: whether joint commands may ask for integrals and measured friction.
        by_hand: whether disturbances may be added to those of the scenario.
    """
    world = add_real_world(builder, reference, real, plant)
    body = world.plant
    servo = add_servo(builder, world, real, plant, remembers)
    actuation = body.get_actuation_input_port(world.instance)
    builder.Connect(servo.GetOutputPort("actuation"), actuation)
    forces = body.get_applied_spatial_force_input_port()
    state, log = add_contact_log(builder, world, reference.behavior.scene)
    disturbance = add_disturbance(builder, world, plant, state, forces, by_hand)
    return SimulatedRobot(world, servo, state, disturbance, log)


def add_real_world(
    builder: DiagramBuilder,
    reference: Reference,
    real: SimulatedWorld,
    plant: PlantSettings,
) -> World:
    """Adds a plant of the robot in its world as it is; see `add_simulated_robot`."""
    return add_world(
        builder,
        reference.robot,
        plant.timing.time_step,
        plant.contact,
        reference.behavior.scene,
        real.ground,
        real.moved,
        plant.actuation.joint_friction,
    )


def add_servo(
    builder: DiagramBuilder,
    world: World,
    real: SimulatedWorld,
    plant: PlantSettings,
    remembers: bool,
) -> JointServo:
    """Adds the servo of the joints, with the motors as they are; not connected yet."""
    robot, actuation, laws = world.robot, plant.actuation, None
    if actuation.safety_law:
        laws = SafetyLaws(robot.safety_laws(), robot.joint_names)
    servo: JointServo = JointServo(
        robot,
        world.actuator_joints(),
        Motors(real.effort_limits, actuation.actuator_lag, actuation.actuator_rise),
        period=plant.timing.time_step,
        friction=actuation.joint_friction * robot.effort_limits + robot.friction,
        safety=laws,
        remembers=remembers,
    )
    return builder.AddNamedSystem("joint_servo", servo)


def add_disturbance(
    builder: DiagramBuilder,
    world: World,
    plant: PlantSettings,
    state: OutputPort,
    forces: InputPort,
    by_hand: bool,
) -> DisturbanceForces:
    """Adds forces of disturbances, connected to a port if there can be any.

    Args:
        builder: of the diagram.
        world: plant and robot.
        plant: how it is simulated, and what disturbs it.
        state: the true [q, v] of the robot model.
        forces: where they act on the plant.
        by_hand: whether disturbances may be added to those of the scenario.
    """
    items = [item.placed(world.robot) for item in plant.disturbances]
    start = plant.timing.lead_in
    system = DisturbanceForces(world.plant, items, start, world.robot, plant.seed)
    builder.AddNamedSystem("disturbance", system)
    builder.Connect(state, system.GetInputPort("state"))
    if items or by_hand:
        # To ask at every step for what never comes takes 2 % of a run.
        builder.Connect(system.GetOutputPort("spatial_forces"), forces)
    return system
