"""Joints that are soft in a run: their part of the diagram, and its records."""

import math
from collections.abc import Sequence

import numpy as np
from pydrake.systems.framework import DiagramBuilder, OutputPort

from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.disturbances.kinds.compliant_period import CompliantPeriod
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.safety.joint_modes import JointModes, SoftPeriod, soft_damping
from backbeat.mpc.safety.servo_gains import standing_joints
from backbeat.mpc.scenario.parts.timing import TimingSettings
from backbeat.mpc.world.simulated_robot import SimulatedRobot


def soft_periods(
    compliant: Sequence[CompliantPeriod],
    reference: Reference,
    timing: TimingSettings,
    latency: float,
) -> list[SoftPeriod]:
    """The compliant periods of a run, in time of the diagram.

    Args:
        compliant: in time of the behavior.
        reference: the behavior.
        timing: lead-in and step of the run.
        latency: from a motion to the motors' answer [s].

    Raises:
        BackbeatError: an unknown joint, or one of a limb that carries the robot.
    """
    return [_soft(p, reference, timing, latency) for p in compliant]


def _soft(
    period: CompliantPeriod,
    reference: Reference,
    timing: TimingSettings,
    latency: float,
) -> SoftPeriod:
    robot = reference.robot
    joints = np.unique(robot.joint_indices(period.joints))
    carrying = [j for j in joints.tolist() if j in standing_joints(robot, reference)]
    if carrying:
        raise BackbeatError(
            f"scenario: {robot.joint_names[carrying[0]]!r} carries the robot, which "
            "would sink on soft springs; choose joints of arms, back or neck"
        )
    damping = (
        soft_damping(reference, joints, period.stiffness, latency, timing.time_step)
        if period.damping is None
        else np.full(len(joints), period.damping)
    )
    return SoftPeriod(
        start=timing.lead_in + period.start,
        end=math.inf if period.end is None else timing.lead_in + period.end,
        joints=joints,
        stiffness=np.full(len(joints), period.stiffness),
        damping=damping,
        compensation=period.compensation,
    )


def add_joint_modes(
    builder: DiagramBuilder,
    modes: JointModes,
    body: SimulatedRobot,
    command: OutputPort,
    state: OutputPort,
) -> OutputPort:
    """Adds the modes of joints; returns the command for the servo.

    The servo measures friction behind the motors where a joint is to make up for it.
    """
    builder.AddNamedSystem("joint_modes", modes)
    builder.Connect(command, modes.GetInputPort("command"))
    builder.Connect(state, modes.GetInputPort("state"))
    if modes.periods:
        measured = body.servo.GetInputPort("measured_effort")
        builder.Connect(body.add_felt_effort(builder), measured)
    return modes.GetOutputPort("command")
