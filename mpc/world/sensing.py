"""Sensors, estimator and force detection between true state and controllers."""

from dataclasses import replace

import numpy as np
from pydrake.systems.framework import DiagramBuilder, OutputPort
from pydrake.systems.primitives import DiscreteTimeDelay

from backbeat.models.sensing.sensors import Sensors
from backbeat.mpc.estimation.contact_estimator import ContactThresholds
from backbeat.mpc.estimation.estimator_start import StartUncertainty
from backbeat.mpc.estimation.state_estimation import StateEstimation
from backbeat.mpc.estimation.state_estimator import StateEstimator
from backbeat.mpc.monitoring.force_detection import known_contacts
from backbeat.mpc.monitoring.force_detector import ForceDetector
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.world.contact_log import ContactLog

# Tilt of a pelvis that sits on a level seat [rad].
SEAT_TILT = 5e-4


def add_estimator(
    builder: DiagramBuilder,
    reference: Reference,
    scenario: Scenario,
    true_state: OutputPort,
    contact_log: ContactLog,
    noise_scale: OutputPort | None = None,
) -> StateEstimator:
    """Adds the sensors of a scenario and an estimator with their delay.

    Args:
        builder: diagram under construction.
        reference: the behavior; its start defines heading and place.
        scenario: noise, delay and seed.
        true_state: [q, v] of the robot model.
        contact_log: forces on the feet.
        noise_scale: factor on all errors; None for none.

    Returns:
        The estimator, whose input `joint_acceleration` is left to be connected.
    """
    robot, period = reference.robot, scenario.sensor_period
    sensors = builder.AddNamedSystem(
        "sensors",
        Sensors(
            robot,
            len(robot.soles),
            scenario.noise,
            scenario.sensing_delay,
            period,
            scenario.seed,
        ),
    )
    estimator = builder.AddNamedSystem(
        "state_estimator",
        StateEstimator(
            StateEstimation(
                robot,
                reference.table.q[0],
                scenario.sensing_delay,
                period,
                scenario.actuator_lag,
                thresholds=foot_thresholds(reference),
                uncertainty=start_uncertainty(reference),
            )
        ),
    )
    builder.Connect(true_state, sensors.GetInputPort("state"))
    builder.Connect(
        contact_log.GetOutputPort("normal_forces"), sensors.GetInputPort("force")
    )
    builder.Connect(
        contact_log.GetOutputPort("sole_wrenches"), sensors.GetInputPort("wrenches")
    )
    if noise_scale is not None:
        builder.Connect(noise_scale, sensors.GetInputPort("noise_scale"))
    builder.Connect(sensors.GetOutputPort("reading"), estimator.GetInputPort("reading"))
    return estimator


def start_uncertainty(reference: Reference) -> StartUncertainty:
    """What is not known of a robot at the start of a behavior.

    Feet that play pedals are not flat, and give no information about the level. A robot
    that plays them sits, and has its tilt from the seat; without, the bias of an
    accelerometer would tilt it by a fifth of a degree, and sticks by 4 mm.
    """
    robot = reference.robot
    if robot.rests == robot.soles:
        return StartUncertainty()
    return StartUncertainty(tilt=SEAT_TILT)


def foot_thresholds(reference: Reference) -> ContactThresholds:
    """When feet stand, and from which force on they can be trusted to rest.

    Feet before a seat carry little all the time, which is no sign of sliding: they are
    trusted where they carry the least that the behavior ever leaves them. Doubted, they
    let the heading walk by 0.7 degrees in half a minute.
    """
    usual, robot = ContactThresholds(), reference.robot
    soles = [i for i, n in enumerate(reference.patches) if n in robot.soles]
    heels = [i for i, n in enumerate(reference.points) if n in robot.rests]
    if not (soles or heels) or len(soles) == len(reference.patches):
        return usual
    table = reference.table
    carried = table.wrench[:, soles, 5] * robot.weight
    forces = [carried[table.standing[:, soles]], table.point_force[:, heels, 2].ravel()]
    least = float(np.concatenate(forces).min())
    return replace(usual, full=float(np.clip(least, usual.on, usual.full)))


def add_detector(
    builder: DiagramBuilder,
    reference: Reference,
    scenario: Scenario,
    state: OutputPort,
    effort: OutputPort,
    wrenches: OutputPort,
    settings: OutputPort,
    specific_force: OutputPort | None = None,
) -> ForceDetector:
    """Adds a watch for forces that are not in the model.

    For a robot that is carried by its soles alone the whole force is observed. On a
    seat, or with hands on something, there are no sensors of those forces. Sensors are
    delayed, and so is what
    it is compared with: a jumper's feet let go of its weight within a millisecond.
    Its accelerometer, not the attitude that is estimated, says where its weight goes.

    Args:
        builder: diagram under construction.
        reference: the behavior, whose strikes are known.
        scenario: its periods and sensors.
        state: [q, v] as sensed, when it was.
        effort: of the motors now.
        wrenches: on the soles, as sensed.
        settings: what the plan shall keep to, the tempo among it.
        specific_force: that an accelerometer feels; None without one.
    """
    robot = reference.robot
    # A controller with the true state has no sensors at the feet either.
    is_sensed = scenario.state == "estimated"
    all_soles = bool(robot.soles) and set(robot.patches) == set(robot.soles)
    is_whole = is_sensed and all_soles
    detector = builder.AddNamedSystem(
        "force_detector",
        ForceDetector(
            robot,
            scenario.sensor_period if is_whole else scenario.tick_period,
            known_contacts(reference.behavior.events),
            robot.soles if is_whole else (),
            scenario.noise,
            scenario.lead_in,
            is_whole and specific_force is not None,
        ),
    )
    late = round(scenario.sensing_delay / scenario.sensor_period)
    if is_sensed and late:
        # At the time of a sample, the one of a period before is in force.
        delay = DiscreteTimeDelay(scenario.sensor_period, late - 1, robot.num_joints)
        builder.AddNamedSystem("effort_delay", delay)
        builder.Connect(effort, delay.get_input_port())
        effort = delay.get_output_port()
    builder.Connect(settings, detector.GetInputPort("settings"))
    builder.Connect(state, detector.GetInputPort("state"))
    builder.Connect(effort, detector.GetInputPort("effort"))
    if is_whole:
        builder.Connect(wrenches, detector.GetInputPort("wrenches"))
        if specific_force is not None:
            builder.Connect(specific_force, detector.GetInputPort("specific_force"))
    return detector
