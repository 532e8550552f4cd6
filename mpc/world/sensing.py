"""Sensors, estimator and force detection between true state and controllers."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from pydrake.systems.framework import DiagramBuilder, OutputPort
from pydrake.systems.primitives import DiscreteTimeDelay

from backbeat.models.robot.model import RobotModel
from backbeat.models.sensing.sensors import ReadingFault, Sensors
from backbeat.mpc.disturbances.disturbance import Disturbance
from backbeat.mpc.estimation.contact_estimator import ContactThresholds
from backbeat.mpc.estimation.estimator_start import StartUncertainty
from backbeat.mpc.estimation.state_estimation import StateEstimation
from backbeat.mpc.estimation.state_estimator import StateEstimator
from backbeat.mpc.estimation.state_sampler import StateSampler
from backbeat.mpc.monitoring.force_detection import known_contacts
from backbeat.mpc.monitoring.force_detector import ForceDetector
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.scenario.parts.sensing import SensingSettings
from backbeat.mpc.scenario.parts.timing import TimingSettings
from backbeat.mpc.world.contact_roles import ContactSource

# Tilt of a pelvis that sits on a level seat [rad].
SEAT_TILT = 5e-4


class SensorSetup(NamedTuple):
    """What sensors and estimator are made for.

    Attributes:
        settings: noise and delay.
        timing: lead-in, and periods of samples and ticks.
        lag: time constant of the motors [s].
        seed: of the noise.
        hand: frame of a hand that is sensed too, in task space; "" for none.
        disturbances: some of which may change what is sensed.
    """

    settings: SensingSettings
    timing: TimingSettings
    lag: float
    seed: int
    hand: str = ""
    disturbances: Sequence[Disturbance] = ()


class SensedPorts(NamedTuple):
    """What controllers and detector are told: the truth, or what sensors make of it.

    `sampled` is the state of when wrenches and `specific_force` were felt; on
    the true state there is no accelerometer. `hand` and `hand_rate` are sensed of the
    hand in task space.
    """

    state: OutputPort
    sampled: OutputPort
    normal_forces: OutputPort
    wrenches: OutputPort
    specific_force: OutputPort | None = None
    hand: OutputPort | None = None
    hand_rate: OutputPort | None = None


def add_estimator(
    builder: DiagramBuilder,
    reference: Reference,
    setup: SensorSetup,
    true_state: OutputPort,
    contact_log: ContactSource,
    noise_scale: OutputPort | None = None,
) -> StateEstimator:
    """Adds sensors and an estimator that accounts for their delay.

    Args:
        builder: diagram under construction.
        reference: the behavior; its start defines heading and place.
        setup: noise, delay and seed.
        true_state: [q, v] of the robot model.
        contact_log: forces on the feet.
        noise_scale: factor on all errors; None for none.

    Returns:
        The estimator, whose input `joint_acceleration` is left to be connected.
    """
    robot, settings = reference.robot, setup.settings
    period = setup.timing.sensor_period
    sensors = builder.AddNamedSystem(
        "sensors",
        Sensors(
            robot,
            len(robot.soles),
            settings.noise,
            settings.sensing_delay,
            period,
            setup.seed,
            _faults(setup, robot),
        ),
    )
    estimator = builder.AddNamedSystem(
        "state_estimator",
        StateEstimator(
            StateEstimation(
                robot,
                reference.table.q[0],
                settings.sensing_delay,
                period,
                setup.lag,
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


def _faults(setup: SensorSetup, robot: RobotModel) -> list[ReadingFault]:
    """What changes readings, by the clock of sensors; the behavior begins later."""

    def fault(item: Disturbance) -> ReadingFault:
        start = setup.timing.lead_in
        return lambda time, reading: item.sensed(time - start, reading, robot)

    return [fault(item) for item in setup.disturbances if item.has_faults()]


def add_sampler(
    builder: DiagramBuilder,
    robot: RobotModel,
    setup: SensorSetup,
    true_state: OutputPort,
    noise_scale: OutputPort,
    noise: OutputPort,
) -> tuple[OutputPort, OutputPort, OutputPort]:
    """Adds encoders whose samples nothing filters, and a sensor of a hand.

    Args:
        builder: diagram under construction.
        robot: the robot.
        setup: noise, delay and seed; there are none where the state is the true one.
        true_state: [q, v] of the robot model.
        noise_scale: factor on all errors.
        noise: (2,) deviations of angles and rates, of a robot in task space.

    Returns:
        State, and place and rate of the hand.
    """
    settings, period = setup.settings, setup.timing.sensor_period
    errors = settings.noise if settings.is_sensed else None
    rest = errors, period, settings.delay, setup.seed
    sampler = StateSampler(robot, setup.hand, *rest)
    builder.AddNamedSystem("state_sampler", sampler)
    builder.Connect(true_state, sampler.GetInputPort("state"))
    if errors is not None:
        builder.Connect(noise_scale, sampler.GetInputPort("noise_scale"))
        if setup.hand:
            builder.Connect(noise, sampler.GetInputPort("noise"))
    names = ("state", "hand", "hand_rate")
    state, hand, rate = (sampler.GetOutputPort(name) for name in names)
    return state, hand, rate


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
    setup: SensorSetup,
    sensed: SensedPorts,
    effort: OutputPort,
    settings: OutputPort,
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
        setup: the sensors, their period, and that of ticks.
        sensed: state, wrenches on the soles, and what an accelerometer feels.
        effort: of the motors now.
        settings: what the plan shall keep to, the tempo among it.
    """
    robot, sensing, timing = reference.robot, setup.settings, setup.timing
    # Who is told the true state has no sensors at the feet either.
    is_sensed, specific_force = sensing.is_estimated, sensed.specific_force
    all_soles = bool(robot.soles) and set(robot.patches) == set(robot.soles)
    is_whole = is_sensed and all_soles
    detector = builder.AddNamedSystem(
        "force_detector",
        ForceDetector(
            robot,
            timing.sensor_period if is_whole else timing.tick_period,
            known_contacts(reference.behavior.events),
            robot.soles if is_whole else (),
            sensing.noise,
            timing.lead_in,
            is_whole and specific_force is not None,
        ),
    )
    late = round(sensing.sensing_delay / timing.sensor_period)
    if is_sensed and late:
        # Who asks at the moment of a sample gets what was there a period before.
        delay = DiscreteTimeDelay(timing.sensor_period, late - 1, robot.num_joints)
        builder.AddNamedSystem("effort_delay", delay)
        builder.Connect(effort, delay.get_input_port())
        effort = delay.get_output_port()
    builder.Connect(settings, detector.GetInputPort("settings"))
    builder.Connect(sensed.sampled, detector.GetInputPort("state"))
    builder.Connect(effort, detector.GetInputPort("effort"))
    if is_whole:
        builder.Connect(sensed.wrenches, detector.GetInputPort("wrenches"))
        if specific_force is not None:
            builder.Connect(specific_force, detector.GetInputPort("specific_force"))
    return detector
