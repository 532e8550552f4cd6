"""Crocoddyl's MPC in the place of our controllers, in our simulation."""

import time
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import (
    BasicVector,
    Context,
    DiagramBuilder,
    LeafSystem,
    State,
)
from pydrake.systems.primitives import LogVectorOutput, VectorLogSink

from backbeat.behaviors.library.behavior import Behavior
from backbeat.models.actuation.joint_command import BLOCKS, joint_command
from backbeat.models.robot.model import RobotModel
from backbeat.mpc.disturbances.model_mismatch import draw_world
from backbeat.mpc.predictive.program import PredictiveProgram
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.run import SimulationRun
from backbeat.mpc.world.fall import has_fallen
from backbeat.mpc.world.simulated_robot import (
    LOG_PERIOD,
    ControlledRobot,
    PlantSettings,
    add_simulated_robot,
)

# How often a fall is looked for [s].
WATCH_PERIOD = 0.02


class Standing(Protocol):
    """What keeps a robot standing; see `CrocoddylStanding`."""

    def tick(
        self, t: float, q: np.ndarray, v: np.ndarray, delay: float | None = None
    ) -> tuple[np.ndarray, float]:
        """Torques now, and the time that a plan took."""


class TorqueController(LeafSystem):
    """Torques of another tool, at every step of the plant.

    .. pydrake_system::

        name: TorqueController
        input_ports:
        - state
        output_ports:
        - command

    `state` is the robot model's [q, v] (nq + nv), `command` a `joint_command` (9 nj)
    without gains. The tool remembers its plans itself, outside of the Context.

    Attributes:
        plan_times: processor times of plans [s].
    """

    def __init__(
        self, tool: Standing, robot: RobotModel, scenario: Scenario, delay: float
    ) -> None:
        """Makes the controller, which plans every `plan_period` of the scenario."""
        super().__init__()
        self._tool, self._robot, self._delay = tool, robot, delay
        self._steps = round(scenario.timing.plan_period / scenario.timing.time_step)
        self._period = scenario.timing.time_step
        self._state_port = self.DeclareVectorInputPort(
            "state", robot.num_positions + robot.num_velocities
        )
        self._torque = self.DeclareDiscreteState(robot.num_joints)
        state = {self.all_state_ticket()}
        self.DeclareVectorOutputPort(
            "command", BLOCKS * robot.num_joints, self._calc_command, state
        )
        # Before the step of the plant that begins now, which an update of discrete
        # state would come too late for.
        self.DeclarePeriodicUnrestrictedUpdateEvent(self._period, 0.0, self._update)
        self.plan_times: list[float] = []

    def _calc_command(self, context: Context, output: BasicVector) -> None:
        torque = context.get_discrete_state(self._torque).value()
        output.SetFromVector(joint_command(torque, *[np.zeros_like(torque)] * 4))

    def _update(self, context: Context, state: State) -> None:
        q, v = np.split(self._state_port.Eval(context), [self._robot.num_positions])
        t = context.get_time()
        plans = round(t / self._period) % self._steps == 0
        torque, seconds = self._tool.tick(t, q, v, self._delay if plans else None)
        if plans:
            self.plan_times.append(seconds)
        state.get_mutable_discrete_state(self._torque).SetFromVector(torque)


@dataclass(frozen=True)
class ForeignLoop(ControlledRobot):
    """A built diagram with its named parts; see `ClosedLoop`."""

    controller: TorqueController
    state_log: VectorLogSink

    def make_context(self) -> Context:
        """A context at the start of the behavior, at rest."""
        context = self.diagram.CreateDefaultContext()
        still = np.zeros(self.reference.robot.num_velocities)
        self.body.set_state(context, self.reference.table.q[0], still)
        return context


def build_loop(
    tool: Standing, behavior: Behavior, scenario: Scenario, delay: float
) -> ForeignLoop:
    """Connects the world, servo and pushes of our closed loop to the tool.

    The scenario's world is as the tool believes it, and its state the true one.
    """
    builder, reference = DiagramBuilder(), Reference(behavior)
    world = scenario.world
    real = draw_world(world.mismatch, world.friction, scenario.seed, reference)
    plant = PlantSettings(
        scenario.world.contact,
        scenario.actuation,
        scenario.timing,
        scenario.disturbances.everything(),
    )
    body = add_simulated_robot(builder, reference, real, plant)
    controller = TorqueController(tool, reference.robot, scenario, delay)
    builder.AddSystem(controller)
    for system in (controller, body.servo):
        builder.Connect(body.state, system.GetInputPort("state"))
    builder.Connect(
        controller.GetOutputPort("command"), body.servo.GetInputPort("command")
    )
    log = LogVectorOutput(body.state, builder, LOG_PERIOD)
    return ForeignLoop(builder.Build(), body, reference, scenario, controller, log)


def run_loop(
    tool: Standing, behavior: Behavior, scenario: Scenario, delay: float = 0.0
) -> SimulationRun:
    """Runs a scenario under the tool, to its end or to a fall.

    Args:
        tool: has begun with this behavior.
        behavior: stands still.
        scenario: how; `plan_period` is that of the tool.
        delay: how much later than its state a plan comes into force [s].
    """
    loop = build_loop(tool, behavior, scenario.check(), delay)
    simulator = Simulator(loop.diagram, loop.make_context())
    context, fell_at, started = simulator.get_context(), None, time.perf_counter()
    end = scenario.timing.lead_in + scenario.timing.duration
    while fell_at is None and context.get_time() < end - 1e-9:
        simulator.AdvanceTo(min(end, context.get_time() + WATCH_PERIOD))
        phase = context.get_time() - scenario.timing.lead_in
        if has_fallen(loop, context, phase):
            fell_at = phase
    log, none = loop.state_log.FindLog(context), np.zeros(0)
    # The tool keeps the behavior's tempo, as a plan at rest does.
    rest = PredictiveProgram(loop.reference).rest(0.0, -scenario.timing.lead_in)
    return SimulationRun(
        scenario=scenario,
        behavior=behavior,
        t=np.array(log.sample_times()) - scenario.timing.lead_in,
        x=log.data().T.copy(),
        effort=none,
        contact=none,
        push=none,
        strike_t=none,
        strikes=none,
        tips=(),
        members=(),
        plans=(rest,),
        tick_ms=none,
        plan_ms=1e3 * np.array(loop.controller.plan_times),
        failures=0,
        fell_at=fell_at,
        wall_time=time.perf_counter() - started,
    )
