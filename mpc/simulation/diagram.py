"""The closed loop as one Drake diagram."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from pydrake.systems.framework import Context, DiagramBuilder, LeafSystem, OutputPort
from pydrake.systems.primitives import LogVectorOutput, VectorLogSink

from backbeat.behaviors.library.behavior import Behavior
from backbeat.models.common.collectable_system import free_unused_systems
from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.control.controllers import (
    Controllers,
    ControllerSettings,
    add_controllers,
    make_own,
)
from backbeat.mpc.control.task_space_setup import hand_of, hand_start
from backbeat.mpc.disturbances.kinds.compliant_period import CompliantPeriod
from backbeat.mpc.disturbances.model_mismatch import draw_world
from backbeat.mpc.disturbances.simulated_world import SimulatedWorld
from backbeat.mpc.engines.choosing import choose_engine
from backbeat.mpc.engines.engine_robot import EngineChoice, add_engine_robot
from backbeat.mpc.monitoring.force_detector import ForceDetector
from backbeat.mpc.moved_base.robot import MovedRobot, add_moved_robot
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.safety.joint_modes import JointModes, takes_efforts_alone
from backbeat.mpc.scenario.settings import SettingsSource, add_settings
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.scenario.target_motion import TargetSource
from backbeat.mpc.simulation.loop_processes import LoopProcesses, Replacements
from backbeat.mpc.weights.controller_weights import AnyWeights
from backbeat.mpc.world.joint_sample import JointSample
from backbeat.mpc.world.joint_softness import add_joint_modes, soft_periods
from backbeat.mpc.world.sensing import (
    SensedPorts,
    SensorSetup,
    add_detector,
    add_estimator,
    add_sampler,
)
from backbeat.mpc.world.servo_check import check_servos
from backbeat.mpc.world.simulated_robot import (
    LOG_PERIOD,
    ControlledRobot,
    PlantSettings,
    SimulatedRobot,
    add_simulated_robot,
)
from backbeat.mpc.world.start_posture import stand_on

# Called with the number of a step, how many there are, and what is made in it.
Progress = Callable[[int, int, str], None]
STEPS = 5


@dataclass(frozen=True)
class ClosedLoop(ControlledRobot):
    """A built diagram with its named parts.

    Attributes:
        controllers: both controllers, or their stand-ins here.
        settings: what holds at present, and what is still to come.
        logs: log sinks by name.
        q_start: (nq,) where the robot starts, on the ground as it is.
        detector: of forces that are not in the model.
    """

    controllers: Controllers
    settings: SettingsSource
    logs: dict[str, VectorLogSink]
    q_start: np.ndarray
    detector: ForceDetector | None = None

    @property
    def predictive(self) -> LeafSystem:
        """The slow controller, or its stand-in."""
        return self.controllers.predictive

    @property
    def whole_body(self) -> LeafSystem:
        """The fast controller, or its stand-in."""
        return self.controllers.whole_body

    def make_context(self) -> Context:
        """A context at the start of the behavior, with its joints locked."""
        context = self.diagram.CreateDefaultContext()
        error, seed = self.scenario.world.mismatch, self.scenario.seed
        self.body.start(context, self.q_start, error, seed)
        # The motors hold the robot already.
        motors = self.body.servo.GetMyMutableContextFromRoot(context)
        tau = self.reference.behavior.motion.tau[0]
        self.body.servo.set_effort(motors, tau)
        self.body.servo.set_held(motors, tau)
        return context

    def joint_sample(self, root: Context, t: float) -> JointSample:
        """State and torques of the robot in a root Context.

        Args:
            root: the Context.
            t: time of the behavior there [s].
        """
        servo, x = self.body.servo, self.body.true_state(root)
        effort = servo.GetOutputPort("joint_effort")
        tau = effort.Eval(servo.GetMyContextFromRoot(root)).copy()
        q, v = np.split(x, [self.reference.robot.num_positions])
        return JointSample(t, q, v, tau)


def build_closed_loop(
    behavior: Behavior,
    scenario: Scenario,
    weights: AnyWeights = None,
    processes: LoopProcesses | None = None,
    progress: Progress | None = None,
    by_hand: bool = True,
    replacements: Replacements | None = None,
) -> ClosedLoop:
    """Connects world, controllers, servo, disturbances and logs.

    Args:
        behavior: what to track.
        scenario: how.
        weights: of the controllers, below those of the scenario.
        processes: a planner, or both controllers, open, where they are elsewhere.
        progress: called with the number of each step, how many there are, and what it
            is; the last one, what a first tick loads, is the caller's.
        by_hand: whether disturbances may be added to those of the scenario.
        replacements: what takes the place of parts of it; None for nothing.
    """
    free_unused_systems()
    (tell := progress or _nothing)(1, STEPS, "the behavior")
    builder, reference = DiagramBuilder(), Reference(behavior)
    if scenario.control.task_space is None:
        check_servos(reference, scenario.latency, scenario.sampling)
    tell(2, STEPS, "the robot in its world")
    modes = _joint_modes(reference, scenario)
    timing, world, seed = scenario.timing, scenario.world, scenario.seed
    real = draw_world(world.mismatch, world.friction, seed, reference)
    q_start = stand_on(reference, real.soles) if real.soles else reference.table.q[0]
    # What controllers elsewhere ask for is seen when they do.
    is_outside = processes is not None and processes.outside is not None
    remembers, instead = modes is not None or is_outside, replacements or Replacements()
    rest = choose_engine(scenario, instead.engine), remembers, by_hand
    body = _add_robot(builder, reference, scenario, real, *rest)
    settings = add_settings(builder, scenario, reference, weights)
    moving = _add_target(builder, scenario, reference, settings, body)
    tell(3, STEPS, "the controllers")
    about = reference, scenario, weights
    found = _add_controllers(builder, *about, processes, instead, by_hand)
    tell(4, STEPS, "sensors and logs")
    hand = hand_of(behavior) if "target" in moving else ""
    lag = scenario.actuation.actuator_lag
    setup = SensorSetup(scenario.sensing, timing, lag, seed, hand, scenario.active)
    sensed = _add_sensing(builder, reference, setup, body, settings, found)
    _connect_controllers(builder, found, sensed, settings, body, moving)
    _connect_command(builder, modes, body, found, sensed)
    detector = None
    if scenario.monitoring.watch_forces and not isinstance(body, MovedRobot):
        ports = body.servo.GetOutputPort("joint_effort"), settings.GetOutputPort("plan")
        detector = add_detector(builder, reference, setup, sensed, *ports)
    logs = body.add_logs(builder, timing.time_step)
    if "target" in moving:
        logs["target"] = LogVectorOutput(moving["target"], builder, LOG_PERIOD)
    logs["sensed"] = LogVectorOutput(sensed.state, builder, LOG_PERIOD)
    (whole := builder.Build()).set_name("closed_loop")
    return ClosedLoop(
        whole, body, reference, scenario, found, settings, logs, q_start, detector
    )


def _add_controllers(
    builder: DiagramBuilder,
    reference: Reference,
    scenario: Scenario,
    weights: AnyWeights,
    processes: LoopProcesses | None,
    replacements: Replacements,
    by_hand: bool,
) -> Controllers:
    """Adds the controllers, or what stands for those that are elsewhere."""
    made_for, make = controller_settings(scenario), replacements.controller
    if processes is not None and processes.outside is not None:
        return processes.outside.add(builder, reference, made_for)
    return add_controllers(
        builder,
        reference,
        made_for,
        weights,
        None if processes is None else processes.planner,
        # Where plans take as long throughout, those on their way need no memory.
        is_steady=not by_hand
        and all(e.plan_delay is None for e in scenario.disturbances.sorted_events()),
        own=make_own(make, reference, made_for) if make else None,
    )


def _add_robot(
    builder: DiagramBuilder,
    reference: Reference,
    scenario: Scenario,
    real: SimulatedWorld,
    chosen: EngineChoice | None,
    remembers: bool,
    by_hand: bool,
) -> SimulatedRobot:
    """Adds the robot in its world, moved by Drake's plant or by an engine."""
    contact, timing = scenario.world.contact, scenario.timing
    forceful = [item for item in scenario.active if item.has_forces()]
    plant = PlantSettings(contact, scenario.actuation, timing, forceful, scenario.seed)
    task = scenario.control.task_space
    if task is not None:
        real = replace(real, effort_limits=task.effort_share * real.effort_limits)
    rest = reference, real, plant
    if task is not None and reference.robot.floating:
        if chosen is not None:
            raise BackbeatError(
                "a pelvis is moved in Drake alone: take engine: drake, or an arm"
            )
        return add_moved_robot(builder, *rest, task, by_hand)
    if chosen is None:
        return add_simulated_robot(builder, *rest, remembers, by_hand)
    return add_engine_robot(builder, *rest, chosen, remembers, by_hand)


def controller_settings(scenario: Scenario) -> ControllerSettings:
    """What controllers are made for."""
    rest = scenario.control, scenario.world.mismatch, scenario.seed
    return ControllerSettings(scenario.timing, scenario.tick_timing, *rest)


def _nothing(step: int, steps: int, what: str) -> None:
    """Reports nothing."""


def _add_sensing(
    builder: DiagramBuilder,
    reference: Reference,
    setup: SensorSetup,
    body: SimulatedRobot,
    settings: SettingsSource,
    controllers: Controllers,
) -> SensedPorts:
    """Adds sensors and estimator, where the state is an estimated one."""
    force = body.contact_log.GetOutputPort("normal_forces")
    wrenches = body.contact_log.GetOutputPort("sole_wrenches")
    scale, state = settings.GetOutputPort("noise_scale"), body.state
    noise = settings.GetOutputPort("noise")
    hand: Sequence[OutputPort | None] = (None, None)
    if setup.hand or setup.settings.state == "sampled":
        state, *hand = add_sampler(builder, reference.robot, setup, state, scale, noise)
    if not setup.settings.is_estimated:
        return SensedPorts(state, state, force, wrenches, None, *hand)
    estimator = add_estimator(
        builder, reference, setup, body.state, body.contact_log, scale
    )
    for name in ("joint_acceleration", "edges"):
        if controllers.whole_body.HasOutputPort(name):
            source = controllers.whole_body.GetOutputPort(name)
            builder.Connect(source, estimator.GetInputPort(name))
    return SensedPorts(
        estimator.GetOutputPort("state"),
        estimator.GetOutputPort("sampled_state"),
        estimator.GetOutputPort("normal_forces"),
        estimator.GetOutputPort("wrenches"),
        estimator.GetOutputPort("specific_force"),
        *hand,
    )


def _add_target(
    builder: DiagramBuilder,
    scenario: Scenario,
    reference: Reference,
    settings: SettingsSource,
    body: SimulatedRobot,
) -> dict[str, OutputPort]:
    """Adds what the hand follows in task space; what moves, by port of controllers."""
    task, timing = scenario.control.task_space, scenario.timing
    if task is None:
        return {}
    start = hand_start(reference.behavior)
    source = TargetSource(task.target, start, timing.time_step, timing.lead_in)
    builder.AddNamedSystem("target_source", source)
    told = settings.GetOutputPort("task")
    builder.Connect(told, source.GetInputPort("task"))
    found = {"target": source.GetOutputPort("target")}
    if isinstance(body, MovedRobot):
        builder.Connect(told, body.base.GetInputPort("task"))
        found["base_acceleration"] = body.base.GetOutputPort("acceleration")
    return found


def _joint_modes(reference: Reference, scenario: Scenario) -> JointModes | None:
    """What joints take; None where it is never anything but efforts and set points."""
    compliant = scenario.disturbances.of(CompliantPeriod)
    timing = scenario.timing
    if not compliant and takes_efforts_alone(reference.robot):
        return None
    latency = scenario.latency
    periods = soft_periods(compliant, reference, timing, latency)
    return JointModes(reference, latency, periods, scenario.sampling)


def _connect_command(
    builder: DiagramBuilder,
    modes: JointModes | None,
    body: SimulatedRobot,
    controllers: Controllers,
    sensed: SensedPorts,
) -> None:
    """Connects the servo to the command, as the modes of the joints have it."""
    command = controllers.whole_body.GetOutputPort("command")
    if modes is not None:
        command = add_joint_modes(builder, modes, body, command, sensed.state)
    builder.Connect(command, body.servo.GetInputPort("command"))


def _connect_controllers(
    builder: DiagramBuilder,
    controllers: Controllers,
    sensed: SensedPorts,
    settings: SettingsSource,
    body: SimulatedRobot,
    moving: Mapping[str, OutputPort],
) -> None:
    """Connects controllers, and the servo, to their inputs."""
    sources = {
        "state": sensed.state,
        "normal_forces": sensed.normal_forces,
        "settings": settings.GetOutputPort("plan"),
        "hands": settings.GetOutputPort("hands"),
        "gains": settings.GetOutputPort("gains"),
        "plan_delay": settings.GetOutputPort("plan_delay"),
        "task": settings.GetOutputPort("task"),
        "hand": sensed.hand,
        "hand_rate": sensed.hand_rate,
        **moving,
    }
    for name, ports in controllers.inputs.items():
        for port in ports:
            builder.Connect(sources[name], port)
    builder.Connect(sensed.state, body.servo.GetInputPort("state"))
