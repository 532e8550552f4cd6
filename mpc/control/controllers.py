"""Both controllers of a loop and the channel between them, for any diagram.

A closed loop adds them to its own diagram, a controller process to one that has
nothing else: they are the same systems, connected in the same way.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from pydrake.systems.framework import Context, DiagramBuilder, InputPort

from backbeat.models.common.collectable_system import CollectableSystem
from backbeat.mpc.control.plan_channel import PlanChannel, PlanDelivery
from backbeat.mpc.predictive.controller import Planner, PredictiveController
from backbeat.mpc.predictive.program import PredictiveProgram
from backbeat.mpc.reference.trajectory import Reference, check_flat
from backbeat.mpc.safety.fail_safe import Safety
from backbeat.mpc.scenario.model_mismatch import ModelMismatch
from backbeat.mpc.scenario.parts.control import ControlOptions
from backbeat.mpc.scenario.parts.timing import TimingSettings
from backbeat.mpc.scenario.tick_loss import tick_losses
from backbeat.mpc.scenario.upper_body_task import UpperBodyTask
from backbeat.mpc.weights.controller_weights import AnyWeights, ControllerWeights
from backbeat.mpc.whole_body.controller import WholeBodyController
from backbeat.mpc.whole_body.programs.preset import make_whole_body_program
from backbeat.mpc.whole_body.programs.upper_body import UpperBody
from backbeat.mpc.whole_body.timing import TickTiming


@dataclass(frozen=True)
class ControllerSettings:
    """What both controllers of a loop are made for.

    Attributes:
        timing: lead-in, and when plans are made.
        ticks: when ticks are due, and when their commands act.
        control: what is asked of them.
        error: how many plans and ticks are lost, and how long plans take.
        seed: decides which.
    """

    timing: TimingSettings
    ticks: TickTiming
    control: ControlOptions
    error: ModelMismatch
    seed: int

    @property
    def delivery(self) -> PlanDelivery:
        """How plans get to the whole-body controller."""
        return PlanDelivery(self.timing, self.error, self.seed)

    @property
    def is_tick_lost(self) -> Callable[[float], bool]:
        """Says of a time since the simulation began [s] whether its tick is lost."""
        return tick_losses(self.error, self.seed, self.ticks.period)


class ControllerRecord(NamedTuple):
    """What controllers have done about programs and answers that did not come.

    Attributes:
        tick_safety, plan_safety: about programs that were not solved, by tick and plan.
        link_safety: about answers of controllers that are not in the simulation; None
            where they are.
        lost: ticks that were due and not done.
    """

    tick_safety: Safety
    plan_safety: Safety
    link_safety: Safety | None
    lost: int


@dataclass(frozen=True)
class Controllers:
    """The controllers of a loop.

    Attributes:
        predictive: slow controller, or its stand-in here when it is elsewhere. It has
            the outputs `plan` and `memory`.
        whole_body: fast controller, likewise. It has the outputs `command`,
            `joint_acceleration` and `memory`, and wall times as `tick_times`.
        inputs: what is to be connected to each of `state`, `normal_forces`,
            `settings`, `hands` and `plan_delay`.
        record: what they have done so far, from the root Context.
    """

    predictive: CollectableSystem
    whole_body: CollectableSystem
    inputs: Mapping[str, tuple[InputPort, ...]]
    record: Callable[[Context], ControllerRecord]


def memory_of(system: CollectableSystem, root: Context) -> Any:
    """The value of a system's output `memory` in the root Context."""
    return system.GetOutputPort("memory").Eval(system.GetMyContextFromRoot(root))


def add_controllers(
    builder: DiagramBuilder,
    reference: Reference,
    settings: ControllerSettings,
    weights: AnyWeights = None,
    planner: Planner | None = None,
    is_steady: bool = False,
) -> Controllers:
    """Adds both controllers and the channel that plans come through.

    Args:
        builder: of the diagram.
        reference: the behavior.
        settings: periods, delays and switches.
        weights: of the controllers, or of the predictive program alone, on which are
            those that the settings give; None for those that ship.
        planner: plans in place of the predictive controller; None for itself.
        is_steady: whether the delay of plans never changes.
    """
    timing = settings.timing
    first = settings.control.plan_settings(reference.behavior)
    own = settings.control.on_weights(weights)
    program = PredictiveProgram(reference, first.adapt(own.predictive))
    predictive = PredictiveController(
        program,
        timing.plan_period,
        timing.lead_in,
        own.recovery,
        timing.planning_time,
        planner,
        own.predictive,
    )
    builder.AddNamedSystem("predictive_controller", predictive)
    rest = program.rest(0.0, -timing.lead_in)
    channel = PlanChannel(settings.delivery, rest, is_steady)
    builder.AddNamedSystem("plan_channel", channel)
    builder.Connect(predictive.GetOutputPort("plan"), channel.GetInputPort("sent"))
    whole_body = _add_whole_body(builder, reference, settings, own)
    builder.Connect(channel.GetOutputPort("plan"), whole_body.GetInputPort("plan"))
    slow, fast = predictive.GetInputPort, whole_body.GetInputPort
    inputs = {
        "state": (slow("state"), fast("state")),
        "normal_forces": (slow("normal_forces"),),
        "settings": (slow("settings"),),
        "hands": (fast("hands"),),
        "plan_delay": (channel.GetInputPort("delay"),),
    }

    def record(root: Context) -> ControllerRecord:
        slow, fast = memory_of(predictive, root), memory_of(whole_body, root)
        return ControllerRecord(fast.safety, slow.safety, None, fast.lost)

    return Controllers(predictive, whole_body, inputs, record)


def make_upper_body(reference: Reference, task: UpperBodyTask) -> UpperBody | None:
    """Joints above the legs that go their own way, if a task says so.

    Raises:
        BackbeatError: the robot or the behavior does not allow it.
    """
    return UpperBody(reference, task.hand, task.control) if task.hand else None


def _add_whole_body(
    builder: DiagramBuilder,
    reference: Reference,
    settings: ControllerSettings,
    weights: ControllerWeights,
) -> WholeBodyController:
    """The fast controller."""
    robot, patches, points = reference.robot, reference.patches, reference.points
    control = settings.control
    upper = make_upper_body(reference, control.upper_body)
    if control.preset:
        check_flat(reference, "a preset of tasks", "leave the preset out")
    controller = WholeBodyController(
        make_whole_body_program(
            robot,
            patches,
            points,
            control.preset,
            upper,
            (weights.whole_body, weights.stance),
        ),
        reference,
        settings.ticks,
        settings.timing.lead_in,
        upper=upper,
        motion=control.upper_body.told,
        is_lost=settings.is_tick_lost,
    )
    builder.AddNamedSystem("whole_body_controller", controller)
    return controller
