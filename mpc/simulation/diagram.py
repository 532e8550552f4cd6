"""The closed loop as one Drake diagram."""

from dataclasses import dataclass, replace

import numpy as np
from pydrake.systems.framework import Context, Diagram, DiagramBuilder
from pydrake.systems.primitives import LogVectorOutput, MatrixGain, VectorLogSink

from behaviors.behavior import Behavior
from models.actuation import JointServo
from models.scene import World, add_world, lock_joints
from mpc.predictive_controller import Planner, PredictiveController
from mpc.predictive_program import PredictiveProgram
from mpc.predictive_weights import PredictiveWeights
from mpc.recovery import Recovery
from mpc.reference import Reference
from mpc.simulation.contact_log import ContactLog
from mpc.simulation.disturbance import Disturbance
from mpc.simulation.plan_channel import PlanChannel
from mpc.simulation.scenario import Scenario
from mpc.simulation.sensing import add_estimator
from mpc.simulation.simulated_world import draw_world, scale_masses
from mpc.simulation.uneven_ground import stand_on
from mpc.whole_body_controller import WholeBodyController
from mpc.whole_body_program import WholeBodyProgram

# Time between samples of states and contact forces in the log [s].
LOG_PERIOD = 0.005
# Factor on the weight of what a scenario does not let the plan change.
HELD = 1e3


@dataclass(frozen=True)
class ClosedLoop:
    """A built diagram with its named parts.

    Attributes:
        diagram: the diagram.
        world: plant and scene graph.
        reference: the behavior as controllers see it.
        predictive: slow controller.
        whole_body: fast controller.
        servo: joint servo and motors.
        contact_log: contact forces by name.
        logs: log sinks by name.
        scenario: what it was built for.
        q_start: (nq,) where the robot starts, on the ground as it is.
    """

    diagram: Diagram
    world: World
    reference: Reference
    predictive: PredictiveController
    whole_body: WholeBodyController
    servo: JointServo
    contact_log: ContactLog
    logs: dict[str, VectorLogSink]
    scenario: Scenario
    q_start: np.ndarray

    def make_context(self) -> Context:
        """A context at the start of the behavior, joints locked as it asks."""
        context = self.diagram.CreateDefaultContext()
        plant = self.world.plant
        plant_context = plant.GetMyMutableContextFromRoot(context)
        lock_joints(plant, plant_context, self.reference.behavior.mount.locked)
        error, seed = self.scenario.world, self.scenario.seed
        scale_masses(plant, plant_context, self.world.instance, error, seed)
        x = plant.GetPositionsAndVelocities(plant_context)
        selection = self.world.state_selection()
        start = np.r_[self.q_start, np.zeros(self.reference.robot.num_velocities)]
        chosen = selection.argmax(1)
        x[chosen] = start
        plant.SetPositionsAndVelocities(plant_context, x)
        # The motors hold the robot already.
        own = self.servo.GetMyMutableContextFromRoot(context)
        self.servo.set_effort(own, self.reference.behavior.motion.tau[0])
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
    priority = scenario.beat_priority
    if priority is None:
        priority = behavior.beat_priority
    weights = (weights or PredictiveWeights()).with_beat_priority(priority)
    if not scenario.timing:
        weights = replace(weights, slowest=1.0, fastest=1.0)
    if not scenario.forces:
        weights = replace(
            weights,
            force=HELD * weights.force,
            vertical=HELD * weights.vertical,
            moment=HELD * weights.moment,
        )
    if not scenario.posture:
        weights = replace(
            weights,
            momentum=HELD * weights.momentum,
            rotation=HELD * weights.rotation,
        )
    return replace(weights, stepping=scenario.steps)


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
    builder = DiagramBuilder()
    robot = behavior.robot_model
    reference = Reference(behavior)
    real = draw_world(scenario, reference)
    q_start = stand_on(reference, real.soles) if real.soles else reference.table.q[0]
    world = add_world(
        builder,
        robot,
        scenario.time_step,
        scenario.contact_model,
        scenario.friction,
        behavior.scene,
        real.ground,
        real.moved,
        scenario.joint_friction,
    )
    plant = world.plant
    start = scenario.lead_in
    weights = adapted(weights, scenario, behavior)
    prediction = PredictiveProgram(reference, weights)
    predictive = builder.AddNamedSystem(
        "predictive_controller",
        PredictiveController(
            prediction,
            scenario.plan_period,
            start,
            Recovery() if scenario.steps else None,
            scenario.planning_time,
            planner,
        ),
    )
    channel = builder.AddNamedSystem(
        "plan_channel", PlanChannel(scenario, prediction.rest(0.0, -start))
    )
    program = WholeBodyProgram(robot, reference.patches, reference.points)
    whole_body = builder.AddNamedSystem(
        "whole_body_controller",
        WholeBodyController(
            program,
            reference,
            scenario.tick_period,
            start,
            latency=scenario.latency,
            lead=scenario.actuator_lag,
        ),
    )
    servo = builder.AddNamedSystem(
        "joint_servo",
        JointServo(
            robot,
            world.actuator_joints(),
            effort_limits=real.effort_limits,
            lag=scenario.actuator_lag,
            period=scenario.time_step,
            friction=scenario.joint_friction * robot.effort_limits,
        ),
    )
    truth = builder.AddNamedSystem("true_state", MatrixGain(D=world.state_selection()))
    disturbance = builder.AddNamedSystem(
        "disturbance", Disturbance(plant, scenario.pushes, start)
    )
    contact_log = builder.AddNamedSystem(
        "contact_log", ContactLog(world, behavior.scene)
    )
    connect = builder.Connect
    connect(plant.get_state_output_port(), truth.get_input_port())
    true_state = state = truth.get_output_port()
    force = contact_log.GetOutputPort("normal_forces")
    if scenario.state == "estimated":
        estimator = add_estimator(builder, reference, scenario, true_state, contact_log)
        state = estimator.GetOutputPort("state")
        force = estimator.GetOutputPort("normal_forces")
        connect(
            whole_body.GetOutputPort("joint_acceleration"),
            estimator.GetInputPort("joint_acceleration"),
        )
    connect(force, predictive.GetInputPort("normal_forces"))
    connect(state, predictive.GetInputPort("state"))
    connect(state, whole_body.GetInputPort("state"))
    connect(state, servo.GetInputPort("state"))
    connect(predictive.GetOutputPort("plan"), channel.GetInputPort("sent"))
    connect(channel.GetOutputPort("plan"), whole_body.GetInputPort("plan"))
    connect(whole_body.GetOutputPort("command"), servo.GetInputPort("command"))
    connect(
        servo.GetOutputPort("actuation"), plant.get_actuation_input_port(world.instance)
    )
    connect(
        disturbance.GetOutputPort("spatial_forces"),
        plant.get_applied_spatial_force_input_port(),
    )
    connect(
        plant.get_contact_results_output_port(),
        contact_log.GetInputPort("contact_results"),
    )
    connect(true_state, contact_log.GetInputPort("state"))
    logs = {
        "state": LogVectorOutput(true_state, builder, LOG_PERIOD),
        "sensed": LogVectorOutput(state, builder, LOG_PERIOD),
        "effort": LogVectorOutput(
            servo.GetOutputPort("joint_effort"), builder, LOG_PERIOD
        ),
        "contact": LogVectorOutput(
            contact_log.GetOutputPort("wrenches"), builder, LOG_PERIOD
        ),
        "push": LogVectorOutput(
            disturbance.GetOutputPort("impulse_rate"), builder, LOG_PERIOD
        ),
    }
    if contact_log.tips:
        logs["strike"] = LogVectorOutput(
            contact_log.GetOutputPort("strikes"), builder, scenario.time_step
        )
    diagram = builder.Build()
    diagram.set_name("closed_loop")
    return ClosedLoop(
        diagram,
        world,
        reference,
        predictive,
        whole_body,
        servo,
        contact_log,
        logs,
        scenario,
        q_start,
    )
