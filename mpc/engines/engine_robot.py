"""A simulated robot that an engine moves, in the place of Drake's plant."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from pydrake.systems.framework import Context, DiagramBuilder, OutputPort

from backbeat.mpc.disturbances.model_mismatch import ModelMismatch
from backbeat.mpc.disturbances.simulated_world import SimulatedWorld
from backbeat.mpc.engines.engine_plant import EnginePlant
from backbeat.mpc.engines.engine_setup import (
    EngineSetup,
    MakeEngine,
    set_up_engine,
)
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.world.simulated_robot import (
    PlantSettings,
    SimulatedRobot,
    add_disturbance,
    add_real_world,
    add_servo,
)


@dataclass(frozen=True)
class EngineRobot(SimulatedRobot):
    """A simulated robot whose `contact_log` is an `EnginePlant`.

    Attributes:
        moving: the engine in the diagram.
        setup: the world in a diagram of its own.
    """

    moving: EnginePlant
    setup: EngineSetup

    def start(
        self, context: Context, q: np.ndarray, error: ModelMismatch, seed: int
    ) -> None:
        """Puts the robot at rest; the engine was made with its masses and locks."""
        self.set_state(context, q, np.zeros(self.world.robot.num_velocities))

    def set_state(self, context: Context, q: np.ndarray, v: np.ndarray) -> None:
        """Puts the robot where it shall be, in the root Context."""
        own = self.moving.GetMyMutableContextFromRoot(context)
        self.moving.set_moment(own, self.moving.engine.reset(q, v))

    def true_state(self, context: Context) -> np.ndarray:
        """(nq + nv,) true [q, v] of the robot model, from the root Context."""
        own = self.moving.GetMyContextFromRoot(context)
        return self.moving.moment(own).state

    def set_friction(self, context: Context, friction: float) -> None:
        """Gives soles, ground and chair another coefficient, in the root Context."""
        own = self.moving.GetMyMutableContextFromRoot(context)
        moment = replace(self.moving.moment(own), friction=friction)
        self.moving.set_moment(own, moment)

    def add_felt_effort(self, builder: DiagramBuilder) -> OutputPort:
        """What measures (nj,) efforts behind the friction of joints [N m]."""
        port: OutputPort = self.moving.GetOutputPort("felt_effort")
        return port


class EngineChoice(NamedTuple):
    """Which engine moves a robot, and with which robot.

    Attributes:
        make: makes the engine.
        law: name of how contact yields.
        error: how far masses and damping are from the model's.
        seed: of the run.
    """

    make: MakeEngine
    law: str
    error: ModelMismatch
    seed: int


def add_engine_robot(
    builder: DiagramBuilder,
    reference: Reference,
    real: SimulatedWorld,
    plant: PlantSettings,
    choice: EngineChoice,
    remembers: bool = True,
    by_hand: bool = True,
) -> EngineRobot:
    """Adds a robot that an engine moves, connected but for its controller.

    Args:
        builder: of the diagram.
        reference: the behavior.
        real: the world as it is, see `draw_world`.
        plant: how it is simulated; of its contact, the friction.
        choice: the engine.
        remembers: whether joint commands may ask for integrals and measured friction.
        by_hand: whether disturbances may be added to those of the scenario.

    Raises:
        BackbeatError: the engine cannot simulate this world.
    """
    robot, scene = reference.robot, reference.behavior.scene
    apart = DiagramBuilder()
    world = add_real_world(apart, reference, real, plant)
    setup = set_up_engine(apart, world, scene, choice.law, choice.error, choice.seed)
    engine = choice.make(setup)
    start = engine.reset(reference.table.q[0], np.zeros(robot.num_velocities))
    moving = EnginePlant(engine, setup.contact_log, start)
    builder.AddNamedSystem("engine", moving)
    servo = add_servo(builder, world, real, plant, remembers)
    effort = servo.GetOutputPort("joint_effort")
    builder.Connect(effort, moving.GetInputPort("joint_effort"))
    forces = moving.GetInputPort("spatial_forces")
    state = moving.GetOutputPort("state")
    disturbance = add_disturbance(builder, world, plant, state, forces, by_hand)
    return EngineRobot(world, servo, state, disturbance, moving, moving, setup)
