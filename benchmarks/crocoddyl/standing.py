"""Crocoddyl's MPC of a standing robot in our closed loop."""

import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import Context, Diagram, DiagramBuilder, LeafSystem, State
from pydrake.systems.primitives import LogVectorOutput, MatrixGain, VectorLogSink

from behaviors.behavior import Behavior
from benchmarks.worker import Worker, bare_urdf
from models.actuation import JointServo, joint_command
from models.contact import PATCH_MARGIN
from models.scene import World, add_world
from mpc.predictive_program import PredictiveProgram
from mpc.reference import Reference
from mpc.simulation.contact_log import ContactLog
from mpc.simulation.diagram import LOG_PERIOD
from mpc.simulation.disturbance import Disturbance
from mpc.simulation.fall import has_fallen
from mpc.simulation.run import SimulationRun
from mpc.simulation.scenario import Scenario

WORKER = Path(__file__).with_name("control.py")


@dataclass(frozen=True)
class StandingSettings:
    """Crocoddyl's program and its weights; costs are per second."""

    knots: int = 50
    knot: float = 0.02
    solver: str = "BoxFDDP"
    friction: float = 0.6
    com: float = 1e3
    com_speed: float = 1e2
    spin: float = 1e1
    rotation: float = 1e2
    joints: float = 1e1
    base_speed: float = 1.0
    joint_speed: float = 1.0
    effort: float = 1e0
    cone: float = 1e-2
    joint_limits: float = 1e3
    terminal: float = 1.0
    contact_gains: tuple[float, float] = (0.0, 30.0)
    regularization: float = 1e-9
    first_iterations: int = 50
    moving: bool = True
    threads: int = 1
    least_force: float = 0.0
    box: float = 1.0
    rollout: bool = False
    accept: float = 0.1
    accept_neg: float = 2.0


def standing_of(behavior: Behavior) -> dict[str, Any]:
    """Robot, start and soles for Crocoddyl."""
    robot, q = behavior.robot_model, behavior.motion.q[0]
    patches = {name: robot.contacts[name] for name in robot.soles}
    joints = q[robot.base_positions :]
    return {
        "urdf": bare_urdf(robot),
        "quaternion": q[:4].tolist(),
        "position": q[4:7].tolist(),
        "joints": dict(zip(robot.joint_names, joints.tolist(), strict=True)),
        "limits": robot.effort_limits.tolist(),
        "soles": {
            name: {
                "link": robot.contact_link(name),
                "position": robot.contact_in_link(name).translation().tolist(),
            }
            for name in patches
        },
        "halves": {
            name: [PATCH_MARGIN * c.half_length, PATCH_MARGIN * c.half_width]
            for name, c in patches.items()
        },
    }


class CrocoddylStanding(Worker):
    """A running MPC."""

    def __init__(self, python: Path) -> None:
        super().__init__("Crocoddyl", python, WORKER)

    def begin(self, behavior: Behavior, settings: StandingSettings) -> None:
        self.ask({"motion": standing_of(behavior), "settings": asdict(settings)})


class CrocoddylController(LeafSystem):
    def __init__(self, worker, robot, period, delay, tick=1e-3) -> None:
        super().__init__()
        self._worker, self._robot = worker, robot
        self._period, self._delay = period, delay
        self._port = self.DeclareVectorInputPort(
            "state", robot.num_positions + robot.num_velocities
        )
        index = self.DeclareDiscreteState(robot.num_joints)
        self._index = index
        self.DeclareVectorOutputPort(
            "command", 5 * robot.num_joints, self._calc, {self.all_state_ticket()}
        )
        self.DeclarePeriodicUnrestrictedUpdateEvent(tick, 0.0, self._update)
        self.answers: list[dict[str, float]] = []
        self._due = 0.0

    def _calc(self, context, output) -> None:
        nothing = np.zeros(self._robot.num_joints)
        u = context.get_discrete_state(self._index).value()
        output.SetFromVector(joint_command(u, *[nothing] * 4))

    def _update(self, context, state) -> None:
        x, t = self._port.Eval(context), context.get_time()
        nq = self._robot.num_positions
        request = {"t": t, "q": x[:nq].tolist(), "v": x[nq:].tolist()}
        if t > self._due - 1e-9:
            request["delay"] = self._delay
            self._due += self._period
        answer = self._worker.ask(request)
        if "delay" in request:
            self.answers.append(answer)
        state.get_mutable_discrete_state(self._index).SetFromVector(answer["torque"])


@dataclass(frozen=True)
class Loop:
    diagram: Diagram
    world: World
    reference: Reference
    controller: CrocoddylController
    contact_log: ContactLog
    logs: dict[str, VectorLogSink]
    scenario: Scenario


def build(worker, behavior, scenario, delay) -> Loop:
    builder = DiagramBuilder()
    robot, reference = behavior.robot_model, Reference(behavior)
    world = add_world(builder, robot, scenario.time_step, scenario.contact_model, scenario.friction)
    plant = world.plant
    controller = builder.AddSystem(CrocoddylController(worker, robot, scenario.plan_period, delay))
    servo = builder.AddSystem(JointServo(robot, world.actuator_joints()))
    truth = builder.AddSystem(MatrixGain(D=world.state_selection()))
    push = builder.AddSystem(Disturbance(plant, scenario.pushes, scenario.lead_in))
    log = builder.AddSystem(ContactLog(world, behavior.scene))
    state = truth.get_output_port()
    connect = builder.Connect
    connect(plant.get_state_output_port(), truth.get_input_port())
    for system in (controller, servo, log):
        connect(state, system.GetInputPort("state"))
    connect(controller.get_output_port(), servo.GetInputPort("command"))
    connect(servo.GetOutputPort("actuation"), plant.get_actuation_input_port(world.instance))
    connect(push.GetOutputPort("spatial_forces"), plant.get_applied_spatial_force_input_port())
    connect(plant.get_contact_results_output_port(), log.GetInputPort("contact_results"))
    logs = {"state": LogVectorOutput(state, builder, LOG_PERIOD)}
    return Loop(builder.Build(), world, reference, controller, log, logs, scenario)


def run(worker, behavior, scenario, settings, delay=0.0) -> tuple[SimulationRun, list]:
    worker.begin(behavior, settings)
    loop = build(worker, behavior, scenario, delay)
    simulator = Simulator(loop.diagram)
    context = simulator.get_mutable_context()
    plant = loop.world.plant
    own = plant.GetMyMutableContextFromRoot(context)
    x = plant.GetPositionsAndVelocities(own)
    start = np.r_[behavior.motion.q[0], np.zeros(loop.reference.robot.num_velocities)]
    x[loop.world.state_selection().argmax(1)] = start
    plant.SetPositionsAndVelocities(own, x)
    end, fell_at, started = scenario.lead_in + scenario.duration, None, time.perf_counter()
    while context.get_time() < end - 1e-9:
        simulator.AdvanceTo(min(end, context.get_time() + 0.02))
        if has_fallen(loop, context):
            fell_at = context.get_time() - scenario.lead_in
            break
    found = loop.logs["state"].FindLog(context)
    plan = PredictiveProgram(loop.reference).rest(0.0, -scenario.lead_in)
    t = np.array(found.sample_times()) - scenario.lead_in
    answers = loop.controller.answers
    none = np.zeros(0)
    return SimulationRun(
        scenario=scenario, behavior=behavior, t=t, x=found.data().T.copy(),
        effort=none, contact=none, push=none, strike_t=none, strikes=none, tips=(),
        members=(), plans=(plan,), tick_ms=none,
        plan_ms=1e3 * np.array([a["seconds"] for a in answers]), failures=0,
        fell_at=fell_at, wall_time=time.perf_counter() - started,
    ), answers
