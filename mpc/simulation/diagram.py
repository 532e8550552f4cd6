"""The closed loop as one Drake diagram."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from pydrake.systems.framework import Context, DiagramBuilder, OutputPort
from pydrake.systems.primitives import LogVectorOutput, VectorLogSink

from backbeat.behaviors.library.behavior import Behavior
from backbeat.models.common.collectable_system import free_unused_systems
from backbeat.models.world.scene import lock_joints
from backbeat.mpc.monitoring.force_detector import ForceDetector
from backbeat.mpc.plans.weights import PredictiveWeights
from backbeat.mpc.predictive.controller import Planner
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.remote.link import RemoteLink
from backbeat.mpc.safety.joint_modes import takes_efforts_alone
from backbeat.mpc.scenario.settings import SettingsSource, add_settings
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.controllers import (
    Controllers,
    FastController,
    SlowController,
    add_controllers,
    add_remote_controllers,
)
from backbeat.mpc.world.joint_sample import JointSample
from backbeat.mpc.world.joint_softness import add_joint_modes
from backbeat.mpc.world.mismatched_robot import apply_model_mismatch
from backbeat.mpc.world.sensing import add_detector, add_estimator
from backbeat.mpc.world.servo_check import check_servos
from backbeat.mpc.world.simulated_robot import (
    LOG_PERIOD,
    ControlledRobot,
    SimulatedRobot,
    add_simulated_robot,
)
from backbeat.mpc.world.simulated_world import draw_world
from backbeat.mpc.world.uneven_ground import stand_on

# Called with the number of a step, how many there are, and what is made in it.
Progress = Callable[[int, int, str], None]
STEPS = 5


@dataclass(frozen=True)
class ClosedLoop(ControlledRobot):
    """A built diagram with its named parts.

    Attributes:
        predictive: slow controller, or its stand-in here when it is remote.
        whole_body: fast controller, likewise.
        settings: what holds at present, and what is still to come.
        logs: log sinks by name.
        q_start: (nq,) where the robot starts, on the ground as it is.
        detector: of forces that are not in the model.
    """

    predictive: SlowController
    whole_body: FastController
    settings: SettingsSource
    logs: dict[str, VectorLogSink]
    q_start: np.ndarray
    detector: ForceDetector | None = None

    def make_context(self) -> Context:
        """A context at the start of the behavior, with its joints locked."""
        context = self.diagram.CreateDefaultContext()
        plant, behavior = self.world.plant, self.reference.behavior
        own = plant.GetMyMutableContextFromRoot(context)
        lock_joints(plant, own, self.reference.robot.locked)
        error, seed = self.scenario.world, self.scenario.seed
        apply_model_mismatch(plant, own, self.world.instance, error, seed)
        still = np.zeros(self.reference.robot.num_velocities)
        self.body.set_state(context, self.q_start, still)
        # The motors hold the robot already.
        motors = self.body.servo.GetMyMutableContextFromRoot(context)
        self.body.servo.set_effort(motors, behavior.motion.tau[0])
        return context

    def joint_sample(self, root: Context, t: float) -> JointSample:
        """State and torques of the robot in a root Context.

        Args:
            root: the Context.
            t: time of the behavior there [s].
        """
        plant, servo = self.world.plant, self.body.servo
        own = plant.GetMyContextFromRoot(root)
        x = plant.GetPositionsAndVelocities(own)[self.world.state_places]
        effort = servo.GetOutputPort("joint_effort")
        tau = effort.Eval(servo.GetMyContextFromRoot(root)).copy()
        q, v = np.split(x, [self.reference.robot.num_positions])
        return JointSample(t, q, v, tau)


def build_closed_loop(
    behavior: Behavior,
    scenario: Scenario,
    weights: PredictiveWeights | None = None,
    planner: Planner | None = None,
    remote: RemoteLink | None = None,
    progress: Progress | None = None,
) -> ClosedLoop:
    """Connects world, controllers, servo, disturbances and logs.

    Args:
        behavior: what to track.
        scenario: how.
        weights: weights of the predictive program.
        planner: plans in place of the predictive controller; None for itself.
        remote: connection to another process that has both controllers; None for
            controllers of its own.
        progress: called with the number of each step, how many there are, and what it
            is; the last one, what a first tick loads, is the caller's.
    """
    tell = progress or _nothing
    tell(1, STEPS, "the behavior")
    free_unused_systems()
    builder, reference = DiagramBuilder(), Reference(behavior)
    check_servos(reference, scenario)
    tell(2, STEPS, "the robot in its world")
    # What another process asks for is seen when it does.
    remembers = _has_modes(reference, scenario) or remote is not None
    real = draw_world(scenario, reference)
    q_start = stand_on(reference, real.soles) if real.soles else reference.table.q[0]
    body = add_simulated_robot(builder, reference, scenario, real, remembers)
    settings = add_settings(builder, scenario, reference)
    tell(3, STEPS, "the controllers")
    if remote is None:
        found = add_controllers(builder, reference, scenario, weights, planner)
    else:
        found = add_remote_controllers(builder, reference, scenario, remote)
    tell(4, STEPS, "sensors and logs")
    sensed = _add_sensing(builder, reference, scenario, body, settings, found)
    _connect_controllers(builder, found, sensed, settings, body)
    _connect_command(builder, reference, scenario, body, found, sensed)
    detector = _add_detector(builder, reference, scenario, body, settings, sensed)
    logs = body.add_logs(builder, scenario.time_step)
    logs["sensed"] = LogVectorOutput(sensed.state, builder, LOG_PERIOD)
    diagram = builder.Build()
    diagram.set_name("closed_loop")
    return ClosedLoop(
        diagram,
        body,
        reference,
        scenario,
        found.predictive,
        found.whole_body,
        settings,
        logs,
        q_start,
        detector,
    )


def _nothing(step: int, steps: int, what: str) -> None:
    """Reports nothing."""


class _Sensed(NamedTuple):
    """Inputs of controllers and detector: the true state, or that of the sensors.

    `sampled` is the state of when wrenches and `specific_force` were felt; who is told
    the truth has no accelerometer.
    """

    state: OutputPort
    sampled: OutputPort
    normal_forces: OutputPort
    wrenches: OutputPort
    specific_force: OutputPort | None = None


def _add_sensing(
    builder: DiagramBuilder,
    reference: Reference,
    scenario: Scenario,
    body: SimulatedRobot,
    settings: SettingsSource,
    controllers: Controllers,
) -> _Sensed:
    """Adds sensors and estimator, if the scenario has them."""
    force = body.contact_log.GetOutputPort("normal_forces")
    wrenches = body.contact_log.GetOutputPort("sole_wrenches")
    if scenario.state != "estimated":
        return _Sensed(body.state, body.state, force, wrenches)
    scale = settings.GetOutputPort("noise_scale")
    estimator = add_estimator(
        builder, reference, scenario, body.state, body.contact_log, scale
    )
    builder.Connect(
        controllers.whole_body.GetOutputPort("joint_acceleration"),
        estimator.GetInputPort("joint_acceleration"),
    )
    return _Sensed(
        estimator.GetOutputPort("state"),
        estimator.GetOutputPort("sampled_state"),
        estimator.GetOutputPort("normal_forces"),
        estimator.GetOutputPort("wrenches"),
        estimator.GetOutputPort("specific_force"),
    )


def _has_modes(reference: Reference, scenario: Scenario) -> bool:
    """Whether joints are ever commanded otherwise than by efforts and set points."""
    return bool(scenario.compliant) or not takes_efforts_alone(reference.robot)


def _connect_command(
    builder: DiagramBuilder,
    reference: Reference,
    scenario: Scenario,
    body: SimulatedRobot,
    controllers: Controllers,
    sensed: _Sensed,
) -> None:
    """Connects the servo to the command, as the modes of the joints have it."""
    command = controllers.whole_body.GetOutputPort("command")
    if _has_modes(reference, scenario):
        command = add_joint_modes(
            builder, reference, scenario, body, command, sensed.state
        )
    builder.Connect(command, body.servo.GetInputPort("command"))


def _add_detector(
    builder: DiagramBuilder,
    reference: Reference,
    scenario: Scenario,
    body: SimulatedRobot,
    settings: SettingsSource,
    sensed: _Sensed,
) -> ForceDetector | None:
    """Adds what watches for unknown forces, if the scenario has it."""
    if not scenario.watch_forces:
        return None
    return add_detector(
        builder,
        reference,
        scenario,
        sensed.sampled,
        body.servo.GetOutputPort("joint_effort"),
        sensed.wrenches,
        settings.GetOutputPort("plan"),
        sensed.specific_force,
    )


def _connect_controllers(
    builder: DiagramBuilder,
    controllers: Controllers,
    sensed: _Sensed,
    settings: SettingsSource,
    body: SimulatedRobot,
) -> None:
    """Connects controllers, and the servo, to their inputs."""
    sources = {
        "state": sensed.state,
        "normal_forces": sensed.normal_forces,
        "settings": settings.GetOutputPort("plan"),
        "hands": settings.GetOutputPort("hands"),
        "plan_delay": settings.GetOutputPort("plan_delay"),
    }
    for name, ports in controllers.inputs.items():
        for port in ports:
            builder.Connect(sources[name], port)
    builder.Connect(sensed.state, body.servo.GetInputPort("state"))
