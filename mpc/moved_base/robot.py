"""A simulated robot whose base is moved as prescribed, on no ground.

What joints feel of a prescribed base is its motion: legs are held and nothing else
moves the base, or their feet are welded and the motors of the legs move it.
"""

from dataclasses import dataclass

import numpy as np
from pydrake.multibody.plant import AddMultibodyPlant, MultibodyPlantConfig
from pydrake.systems.framework import Context, DiagramBuilder, OutputPort
from pydrake.systems.primitives import LogVectorOutput, SparseMatrixGain, VectorLogSink
from scipy.sparse import csc_matrix

from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.fusing import set_joints
from backbeat.models.robot.model import RobotModel
from backbeat.models.world.scene import CONTINUOUS, World
from backbeat.mpc.disturbances.simulated_world import SimulatedWorld
from backbeat.mpc.moved_base.drive import BaseDrive
from backbeat.mpc.moved_base.welded_feet import LegDrive, WeldedLegs
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.scenario.base_motion import BaseSource
from backbeat.mpc.scenario.task_space_task import TaskSpaceTask
from backbeat.mpc.world.contact_log import add_contact_log
from backbeat.mpc.world.simulated_robot import (
    LOG_PERIOD,
    PlantSettings,
    SimulatedRobot,
    add_disturbance,
    add_servo,
)


@dataclass(frozen=True)
class MovedRobot(SimulatedRobot):
    """A simulated robot whose base is moved.

    Attributes:
        base: what the base does; its input `task` waits for settings.
        legs: those between welded feet and base; None where legs are held.
        leg_effort: (L,) what welded legs give [N m]; None where they are held.
    """

    base: BaseSource
    legs: WeldedLegs | None
    leg_effort: OutputPort | None

    def hold(self, own: Context) -> None:
        """Locks legs that are held; welded ones begin where those would be."""
        if self.legs is None:
            super().hold(own)
        else:
            set_joints(self.world.plant, own, self.world.robot.locked)

    def add_logs(
        self, builder: DiagramBuilder, time_step: float
    ) -> dict[str, VectorLogSink]:
        """Logs of what is true, by name, with the efforts of welded legs."""
        logs = super().add_logs(builder, time_step)
        if self.leg_effort is not None:
            logs["leg_effort"] = LogVectorOutput(self.leg_effort, builder, LOG_PERIOD)
        return logs


def add_moved_robot(
    builder: DiagramBuilder,
    reference: Reference,
    real: SimulatedWorld,
    plant: PlantSettings,
    task: TaskSpaceTask,
    by_hand: bool = True,
) -> MovedRobot:
    """Adds a robot whose base is moved, connected but for its controller.

    Args:
        builder: of the diagram.
        reference: the behavior, in which it rests.
        real: the world as it is, see `draw_world`.
        plant: how it is simulated.
        task: what its base does.
        by_hand: whether disturbances may be added to those of the scenario.

    Raises:
        BackbeatError: there are no steps to move it in, or legs do not reach.
    """
    robot, q = reference.robot, reference.table.q[0]
    legs = _welded_legs(reference, task) if task.base.feet == "welded" else None
    world = _add_plant(builder, robot, plant, legs)
    own, connect = world.plant, builder.Connect
    servo = add_servo(builder, world, real, plant, remembers=False)
    state, log = add_contact_log(builder, world, reference.behavior.scene)
    step, start = plant.timing.time_step, plant.timing.lead_in
    base = builder.AddNamedSystem("base_source", BaseSource(task.base, q, step, start))
    motors, leg_effort = servo.GetOutputPort("actuation"), None
    drive: LegDrive | BaseDrive
    if legs is None:
        first = robot.num_positions
        places = world.state_places[first : first + 6] - own.num_positions()
        drive = BaseDrive(robot, q, places, own.num_velocities())
        connect(state, builder.AddNamedSystem("drive", drive).GetInputPort("state"))
        forces = own.get_applied_generalized_force_input_port()
        connect(drive.GetOutputPort("generalized_forces"), forces)
    else:
        drive = _add_leg_drive(builder, world, legs)
        connect(motors, drive.GetInputPort("actuation"))
        motors = drive.GetOutputPort("actuation")
        leg_effort = drive.GetOutputPort("leg_effort")
    connect(servo.GetOutputPort("joint_effort"), drive.GetInputPort("effort"))
    connect(base.GetOutputPort("motion"), drive.GetInputPort("motion"))
    connect(motors, own.get_actuation_input_port(world.instance))
    applied = own.get_applied_spatial_force_input_port()
    disturbance = add_disturbance(builder, world, plant, state, applied, by_hand)
    parts = world, servo, state, disturbance, log
    return MovedRobot(*parts, base, legs, leg_effort)


def _welded_legs(reference: Reference, task: TaskSpaceTask) -> WeldedLegs:
    """Legs with welded feet, if they reach."""
    robot, behavior = reference.robot, reference.behavior
    whole, q = RobotModel(behavior.robot), reference.table.q[0]
    places = [whole.joint_index(n) for n in robot.joint_names]
    held = [whole.joint_index(n) for n in robot.locked]
    start = np.r_[q[:7], np.zeros(whole.num_joints)]
    start[np.add(7, held)] = list(robot.locked.values())
    start[np.add(7, places)] = q[7:]
    legs = WeldedLegs(whole, start)
    legs.check(task.base, start, behavior.duration)
    return legs


def _add_plant(
    builder: DiagramBuilder,
    robot: RobotModel,
    settings: PlantSettings,
    legs: WeldedLegs | None,
) -> World:
    """The robot alone: its feet touch nothing while its base is moved."""
    if settings.contact.model == CONTINUOUS:
        raise BackbeatError("a base is moved in steps; take sap, similar or lagged")
    config = MultibodyPlantConfig(time_step=settings.timing.time_step)
    config.discrete_contact_approximation = settings.contact.model
    plant, graph = AddMultibodyPlant(config, builder)
    instance = robot.add_to(plant)
    if legs is not None:
        legs.weld(plant, instance)
    plant.Finalize()
    return World(plant, graph, robot, instance)


def _add_leg_drive(builder: DiagramBuilder, world: World, legs: WeldedLegs) -> LegDrive:
    """What moves a base on legs with welded feet."""
    whole = World(world.plant, world.scene_graph, legs.robot, world.instance)
    truth = SparseMatrixGain(csc_matrix(whole.state_selection()))
    builder.AddNamedSystem("whole_state", truth)
    drive = LegDrive(legs, world.robot, world.actuator_joints())
    builder.AddNamedSystem("drive", drive)
    builder.Connect(world.plant.get_state_output_port(), truth.get_input_port())
    builder.Connect(truth.get_output_port(), drive.GetInputPort("state"))
    return drive
