"""The closed loop as one Drake diagram."""

from dataclasses import dataclass

import numpy as np
from pydrake.systems.framework import Context, DiagramBuilder
from pydrake.systems.primitives import LogVectorOutput, VectorLogSink

from behaviors.behavior import Behavior
from models.scene import lock_joints
from mpc.predictive_controller import Planner, PredictiveController
from mpc.predictive_program import PredictiveProgram
from mpc.predictive_weights import PredictiveWeights
from mpc.recovery import Recovery
from mpc.reference import Reference
from mpc.simulation.plan_channel import PlanChannel
from mpc.simulation.scenario import Scenario
from mpc.simulation.sensing import add_estimator
from mpc.simulation.settings import SettingsSource, add_settings, first_settings
from mpc.simulation.simulated_robot import (
    LOG_PERIOD,
    ControlledRobot,
    add_simulated_robot,
)
from mpc.simulation.simulated_world import draw_world, scale_masses
from mpc.simulation.uneven_ground import stand_on
from mpc.whole_body_controller import WholeBodyController
from mpc.whole_body_program import WholeBodyProgram


@dataclass(frozen=True)
class ClosedLoop(ControlledRobot):
    """A built diagram with its named parts.

    Attributes:
        predictive: slow controller.
        whole_body: fast controller.
        settings: what holds at present, and what is still to come.
        logs: log sinks by name.
        q_start: (nq,) where the robot starts, on the ground as it is.
    """

    predictive: PredictiveController
    whole_body: WholeBodyController
    settings: SettingsSource
    logs: dict[str, VectorLogSink]
    q_start: np.ndarray

    def make_context(self) -> Context:
        """A context at the start of the behavior, joints locked as it asks."""
        context = self.diagram.CreateDefaultContext()
        plant, behavior = self.world.plant, self.reference.behavior
        own = plant.GetMyMutableContextFromRoot(context)
        lock_joints(plant, own, self.reference.robot.locked)
        error, seed = self.scenario.world, self.scenario.seed
        scale_masses(plant, own, self.world.instance, error, seed)
        still = np.zeros(self.reference.robot.num_velocities)
        self.body.set_state(context, self.q_start, still)
        # The motors hold the robot already.
        motors = self.body.servo.GetMyMutableContextFromRoot(context)
        self.body.servo.set_effort(motors, behavior.motion.tau[0])
        return context


def adapted(
    weights: PredictiveWeights | None, scenario: Scenario, behavior: Behavior
) -> PredictiveWeights:
    """The weights of a run: its musical knob, and what is held to the behavior.

    Args:
        weights: to start from; None for those that ship.
        scenario: says what is switched off, and may have a beat priority.
        behavior: has one otherwise.
    """
    plan = first_settings(scenario, behavior).plan
    return plan.adapt(weights or PredictiveWeights())


def build_closed_loop(
    behavior: Behavior,
    scenario: Scenario,
    weights: PredictiveWeights | None = None,
    planner: Planner | None = None,
) -> ClosedLoop:
    """Connects world, controllers, servo, disturbances and logs.

    Args:
        behavior: what to track.
        scenario: how.
        weights: weights of the predictive program.
        planner: plans in place of the predictive controller; None for itself.
    """
    builder, reference = DiagramBuilder(), Reference(behavior)
    real = draw_world(scenario, reference)
    q_start = stand_on(reference, real.soles) if real.soles else reference.table.q[0]
    body = add_simulated_robot(builder, reference, scenario, real)
    settings = add_settings(builder, scenario, reference)
    predictive, channel = _add_planning(builder, reference, scenario, weights, planner)
    whole_body = _add_whole_body(builder, reference, scenario)
    connect, state = builder.Connect, body.state
    force = body.contact_log.GetOutputPort("normal_forces")
    if scenario.state == "estimated":
        scale = settings.GetOutputPort("noise_scale")
        estimator = add_estimator(
            builder, reference, scenario, state, body.contact_log, scale
        )
        state = estimator.GetOutputPort("state")
        force = estimator.GetOutputPort("normal_forces")
        connect(
            whole_body.GetOutputPort("joint_acceleration"),
            estimator.GetInputPort("joint_acceleration"),
        )
    connect(force, predictive.GetInputPort("normal_forces"))
    connect(settings.GetOutputPort("plan"), predictive.GetInputPort("settings"))
    connect(settings.GetOutputPort("hands"), whole_body.GetInputPort("hands"))
    connect(settings.GetOutputPort("plan_delay"), channel.GetInputPort("delay"))
    for system in (predictive, whole_body, body.servo):
        connect(state, system.GetInputPort("state"))
    connect(channel.GetOutputPort("plan"), whole_body.GetInputPort("plan"))
    connect(whole_body.GetOutputPort("command"), body.servo.GetInputPort("command"))
    logs = body.add_logs(builder, scenario.time_step)
    logs["sensed"] = LogVectorOutput(state, builder, LOG_PERIOD)
    diagram = builder.Build()
    diagram.set_name("closed_loop")
    return ClosedLoop(
        diagram,
        body,
        reference,
        scenario,
        predictive,
        whole_body,
        settings,
        logs,
        q_start,
    )


def _add_planning(
    builder: DiagramBuilder,
    reference: Reference,
    scenario: Scenario,
    weights: PredictiveWeights | None,
    planner: Planner | None,
) -> tuple[PredictiveController, PlanChannel]:
    """The slow controller, and the channel that its plans come through."""
    start = adapted(weights, scenario, reference.behavior)
    program = PredictiveProgram(reference, start)
    predictive = PredictiveController(
        program,
        scenario.plan_period,
        scenario.lead_in,
        Recovery(),
        scenario.planning_time,
        planner,
        weights,
    )
    builder.AddNamedSystem("predictive_controller", predictive)
    channel = PlanChannel(scenario, program.rest(0.0, -scenario.lead_in))
    builder.AddNamedSystem("plan_channel", channel)
    builder.Connect(predictive.GetOutputPort("plan"), channel.GetInputPort("sent"))
    return predictive, channel


def _add_whole_body(
    builder: DiagramBuilder, reference: Reference, scenario: Scenario
) -> WholeBodyController:
    """The fast controller."""
    robot, patches, points = reference.robot, reference.patches, reference.points
    controller = WholeBodyController(
        WholeBodyProgram(robot, patches, points),
        reference,
        scenario.tick_period,
        scenario.lead_in,
        latency=scenario.latency,
        lead=scenario.actuator_lag,
    )
    builder.AddNamedSystem("whole_body_controller", controller)
    return controller
