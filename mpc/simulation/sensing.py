"""Sensors and estimator between the true state and the controllers."""

from pydrake.systems.framework import DiagramBuilder, OutputPort

from models.sensors import Sensors
from mpc.reference import Reference
from mpc.simulation.contact_log import ContactLog
from mpc.simulation.scenario import Scenario
from mpc.state_estimator import StateEstimator


def add_estimator(
    builder: DiagramBuilder,
    reference: Reference,
    scenario: Scenario,
    true_state: OutputPort,
    contact_log: ContactLog,
    noise_scale: OutputPort | None = None,
) -> StateEstimator:
    """Adds the sensors of a scenario and an estimator that knows their delay.

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
            robot,
            reference.table.q[0],
            scenario.sensing_delay,
            period,
            scenario.actuator_lag,
        ),
    )
    builder.Connect(true_state, sensors.GetInputPort("state"))
    builder.Connect(
        contact_log.GetOutputPort("normal_forces"), sensors.GetInputPort("force")
    )
    if noise_scale is not None:
        builder.Connect(noise_scale, sensors.GetInputPort("noise_scale"))
    builder.Connect(sensors.GetOutputPort("reading"), estimator.GetInputPort("reading"))
    return estimator
