"""Both controllers of a loop and the channel between them, for any diagram.

A closed loop adds them to its own diagram, a controller process to one that has
nothing else: they are the same systems, connected in the same way.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from pydrake.systems.framework import DiagramBuilder, InputPort

from backbeat.behaviors.library.behavior import Behavior
from backbeat.mpc.control.plan_channel import PlanChannel
from backbeat.mpc.plans.weights import PredictiveWeights
from backbeat.mpc.predictive.controller import Planner, PredictiveController
from backbeat.mpc.predictive.program import PredictiveProgram
from backbeat.mpc.predictive.recovery import STEPPING
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.remote.controller import RemoteController, RemotePlans
from backbeat.mpc.remote.link import RemoteLink
from backbeat.mpc.scenario.settings import first_settings
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.scenario.tick_loss import tick_losses
from backbeat.mpc.whole_body.controller import WholeBodyController
from backbeat.mpc.whole_body.programs.preset import make_whole_body_program
from backbeat.mpc.whole_body.programs.upper_body import UpperBody

SlowController = PredictiveController | RemotePlans
FastController = WholeBodyController | RemoteController


@dataclass(frozen=True)
class Controllers:
    """The controllers of a loop.

    Attributes:
        predictive: slow controller.
        whole_body: fast controller.
        inputs: what is to be connected to each of `state`, `normal_forces`,
            `settings`, `hands` and `plan_delay`.
    """

    predictive: SlowController
    whole_body: FastController
    inputs: Mapping[str, tuple[InputPort, ...]]


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


def add_controllers(
    builder: DiagramBuilder,
    reference: Reference,
    scenario: Scenario,
    weights: PredictiveWeights | None = None,
    planner: Planner | None = None,
) -> Controllers:
    """Adds both controllers and the channel that plans come through.

    Args:
        builder: of the diagram.
        reference: the behavior.
        scenario: periods, delays and switches.
        weights: weights of the predictive program.
        planner: plans in place of the predictive controller; None for itself.
    """
    program = PredictiveProgram(
        reference, adapted(weights, scenario, reference.behavior)
    )
    predictive = PredictiveController(
        program,
        scenario.plan_period,
        scenario.lead_in,
        STEPPING,
        scenario.planning_time,
        planner,
        weights,
    )
    builder.AddNamedSystem("predictive_controller", predictive)
    channel = PlanChannel(scenario, program.rest(0.0, -scenario.lead_in))
    builder.AddNamedSystem("plan_channel", channel)
    builder.Connect(predictive.GetOutputPort("plan"), channel.GetInputPort("sent"))
    whole_body = _add_whole_body(builder, reference, scenario)
    builder.Connect(channel.GetOutputPort("plan"), whole_body.GetInputPort("plan"))
    slow, fast = predictive.GetInputPort, whole_body.GetInputPort
    inputs = {
        "state": (slow("state"), fast("state")),
        "normal_forces": (slow("normal_forces"),),
        "settings": (slow("settings"),),
        "hands": (fast("hands"),),
        "plan_delay": (channel.GetInputPort("delay"),),
    }
    return Controllers(predictive, whole_body, inputs)


def add_remote_controllers(
    builder: DiagramBuilder, reference: Reference, scenario: Scenario, link: RemoteLink
) -> Controllers:
    """Adds what stands here for controllers in another process.

    Args:
        builder: of the diagram.
        reference: the behavior.
        scenario: periods and delays.
        link: the connection, open.
    """
    whole_body = RemoteController(link, reference, scenario)
    builder.AddNamedSystem("remote_controller", whole_body)
    predictive = RemotePlans(link)
    builder.AddNamedSystem("remote_plans", predictive)
    builder.Connect(
        whole_body.GetOutputPort("memory"), predictive.GetInputPort("memory")
    )
    names = ("state", "normal_forces", "settings", "hands", "plan_delay")
    inputs = {name: (whole_body.GetInputPort(name),) for name in names}
    return Controllers(predictive, whole_body, inputs)


def make_upper_body(reference: Reference, scenario: Scenario) -> UpperBody | None:
    """Joints above the legs with a controller of their own, if the scenario has one.

    Raises:
        BackbeatError: the robot or the behavior does not allow it.
    """
    task = scenario.upper_body
    return UpperBody(reference, task.hand, task.control) if task.hand else None


def _add_whole_body(
    builder: DiagramBuilder, reference: Reference, scenario: Scenario
) -> WholeBodyController:
    """The fast controller."""
    robot, patches, points = reference.robot, reference.patches, reference.points
    upper = make_upper_body(reference, scenario)
    controller = WholeBodyController(
        make_whole_body_program(robot, patches, points, scenario.preset, upper),
        reference,
        scenario.tick_timing,
        scenario.lead_in,
        upper=upper,
        motion=scenario.upper_body.told,
        is_lost=tick_losses(scenario),
    )
    builder.AddNamedSystem("whole_body_controller", controller)
    return controller
