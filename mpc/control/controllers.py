"""Both controllers of a loop and the channel between them, for any diagram.

A closed loop adds them to its own diagram, a controller process to one that has
nothing else: they are the same systems, connected in the same way.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from pydrake.systems.framework import Context, DiagramBuilder, InputPort, LeafSystem

from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.control.function_commands import FunctionCommands
from backbeat.mpc.control.own_controllers import FunctionPlanner, OwnControllers
from backbeat.mpc.control.plan_channel import PlanChannel, PlanDelivery
from backbeat.mpc.control.task_space_controllers import (
    add_task_space,
    resting_planner,
)
from backbeat.mpc.control.user_code import UserCode
from backbeat.mpc.disturbances.model_mismatch import ModelMismatch
from backbeat.mpc.predictive.controller import Planner, PredictiveController
from backbeat.mpc.predictive.program import PredictiveProgram
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.safety.fail_safe import Safety
from backbeat.mpc.scenario.parts.control import ControlOptions
from backbeat.mpc.scenario.parts.timing import TimingSettings
from backbeat.mpc.scenario.upper_body_task import UpperBodyTask
from backbeat.mpc.weights.controller_weights import AnyWeights, ControllerWeights
from backbeat.mpc.whole_body.controller import WholeBodyController
from backbeat.mpc.whole_body.programs.momentum import make_whole_body_program
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
        error, seed, period = self.error, self.seed, self.ticks.period
        return lambda t: error.loses_tick(round(t / period), seed)


MakeControllers = Callable[[Reference, ControllerSettings], OwnControllers]


def make_own(
    make: MakeControllers | UserCode,
    reference: Reference,
    settings: ControllerSettings,
) -> OwnControllers:
    """Controllers of a user's own for a behavior.

    Raises:
        BackbeatError: the user's code fails, or returns something else, or what cannot
            be connected.
    """
    code = make if isinstance(make, UserCode) else None
    if isinstance(make, UserCode):
        with make.running("does not make controllers"):
            own = make.function(reference, settings)
    else:
        own = make(reference, settings)
    if not isinstance(own, OwnControllers):
        raise BackbeatError(
            f"{code or 'the controller'} returned {type(own).__name__}, not "
            "OwnControllers(plan=..., command=...)"
        )
    (own := replace(own, code=code)).check(settings.control)
    return own


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
        predictive: slow controller, or what takes its place. It has the output `plan`.
        whole_body: fast controller, likewise. It has the output `command`, and
            `joint_acceleration` and `edges` where an estimator may use them.
        inputs: what is to be connected to each of `state`, `normal_forces`,
            `settings`, `hands`, `gains` and `plan_delay`, in task space also of
            TASK_VECTORS and `task`.
        record: what they have done so far, from the root Context.
        own: those of a user's own among them; None for none.
    """

    predictive: LeafSystem
    whole_body: LeafSystem
    inputs: Mapping[str, tuple[InputPort, ...]]
    record: Callable[[Context], ControllerRecord]
    own: OwnControllers | None = None

    @property
    def tick_times(self) -> list[float]:
        """Wall times of ticks [s], where they are measured; they decide nothing."""
        found: list[float] = getattr(self.whole_body, "tick_times", [])
        return found


def memory_of(system: LeafSystem, root: Context) -> Any:
    """The value of a system's output `memory` in the root Context."""
    return system.GetOutputPort("memory").Eval(system.GetMyContextFromRoot(root))


def add_controllers(
    builder: DiagramBuilder,
    reference: Reference,
    settings: ControllerSettings,
    weights: AnyWeights = None,
    planner: Planner | None = None,
    is_steady: bool = False,
    own: OwnControllers | None = None,
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
        own: what takes the place of either; None for ours.
    """
    timing, given, own = settings.timing, own, own or OwnControllers()
    first = settings.control.plan_settings(reference.behavior)
    of = settings.control.on_weights(weights)
    program = PredictiveProgram(reference, first.adapt(of.predictive))
    if settings.control.task_space is not None:
        planner = resting_planner(program, reference, timing)
    elif callable(own.plan):
        planner = FunctionPlanner(own.plan, reference, own.code)
    predictive = (
        own.plan
        if isinstance(own.plan, LeafSystem)
        else PredictiveController(
            program,
            timing.plan_period,
            timing.lead_in,
            of.recovery,
            timing.planning_time,
            planner,
            of.predictive,
        )
    )
    builder.AddNamedSystem("predictive_controller", predictive)
    rest = program.rest(0.0, -timing.lead_in)
    channel = PlanChannel(settings.delivery, rest, is_steady)
    builder.AddNamedSystem("plan_channel", channel)
    builder.Connect(predictive.GetOutputPort("plan"), channel.GetInputPort("sent"))
    whole_body, more = _add_fast(builder, reference, settings, of, own)
    if whole_body.HasInputPort("plan"):
        builder.Connect(channel.GetOutputPort("plan"), whole_body.GetInputPort("plan"))
    both = predictive, whole_body
    inputs = {
        name: tuple(
            system.GetInputPort(name) for system in both if system.HasInputPort(name)
        )
        for name in ("state", "normal_forces", "settings", "hands", "gains")
    }
    inputs |= more | {"plan_delay": (channel.GetInputPort("delay"),)}
    return Controllers(*both, inputs, _recorder(*both), given)


def _add_fast(
    builder: DiagramBuilder,
    reference: Reference,
    settings: ControllerSettings,
    weights: ControllerWeights,
    own: OwnControllers,
) -> tuple[LeafSystem, dict[str, tuple[InputPort, ...]]]:
    """Adds what commands joints; it, and inputs that only it has."""
    if (task := settings.control.task_space) is not None:
        rest = settings.timing, settings.is_tick_lost
        return add_task_space(builder, reference, task, *rest)
    whole_body = _make_whole_body(reference, settings, weights, own)
    builder.AddNamedSystem("whole_body_controller", whole_body)
    return whole_body, {}


def _recorder(
    predictive: LeafSystem, whole_body: LeafSystem
) -> Callable[[Context], ControllerRecord]:
    """Reads what controllers have done; those of a user's own may keep no record."""

    def safety(system: LeafSystem, root: Context) -> Safety:
        memory = memory_of(system, root) if system.HasOutputPort("memory") else None
        found: Safety = getattr(memory, "safety", Safety())
        return found

    def record(root: Context) -> ControllerRecord:
        has_memory = whole_body.HasOutputPort("memory")
        lost = memory_of(whole_body, root).lost if has_memory else 0
        return ControllerRecord(
            safety(whole_body, root), safety(predictive, root), None, lost
        )

    return record


def make_upper_body(reference: Reference, task: UpperBodyTask) -> UpperBody | None:
    """Joints above the legs that go their own way, if a task says so.

    Raises:
        BackbeatError: the robot or the behavior does not allow it.
    """
    return UpperBody(reference, task.hand, task.control) if task.hand else None


def _make_whole_body(
    reference: Reference,
    settings: ControllerSettings,
    weights: ControllerWeights,
    own: OwnControllers,
) -> LeafSystem:
    """The fast controller."""
    if isinstance(own.command, LeafSystem):
        return own.command
    control, is_lost = settings.control, settings.is_tick_lost
    if own.command is not None:
        period = settings.ticks.period
        return FunctionCommands(own.command, reference, period, is_lost, own.code)
    robot, patches, points = reference.robot, reference.patches, reference.points
    upper = make_upper_body(reference, control.upper_body)
    gains = weights.whole_body, weights.stance
    return WholeBodyController(
        make_whole_body_program(robot, patches, points, gains, upper),
        reference,
        settings.ticks,
        settings.timing.lead_in,
        upper=upper,
        motion=control.upper_body.told,
        is_lost=is_lost,
        gains=gains,
    )
