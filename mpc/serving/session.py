"""ControllerSession: both controllers without a simulation, driven by requests.

The systems are those of a closed loop, and so is the order in which they work: at the
time of a request everything that is due reads what was there before. Its answers are
therefore those of controllers inside a simulation, bit for bit.
"""

import time
from typing import Any

import numpy as np
from pydrake.common.value import AbstractValue
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

from backbeat.behaviors.library.behavior import Behavior
from backbeat.models.common.collectable_system import free_unused_systems
from backbeat.models.common.processes.frames import ProtocolError
from backbeat.mpc.control.controllers import ControllerSettings, add_controllers
from backbeat.mpc.control.planner_process import PlannerProcess, PlannerSettings
from backbeat.mpc.control.task_space_controllers import TASK_VECTORS
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.remote.contents import ControlSettings, Record, record_message
from backbeat.mpc.remote.exchange import (
    NUM_TASK,
    Answer,
    Request,
    answer_message,
    read_request,
)
from backbeat.mpc.remote.joint_map import JointMap
from backbeat.mpc.remote.schema import Schema
from backbeat.mpc.scenario.settings import first_settings
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.weights.controller_weights import AnyWeights

# Longest time between two requests [s], and most ticks in it: what is due there is done
# before an answer.
PAUSE, MOST_TICKS = 5.0, 2500


class ControllerSession:
    """The controllers of one behavior, from their start.

    Attributes:
        reference: the behavior.
        scenario: what they were made for.
    """

    def __init__(
        self,
        behavior: Behavior,
        scenario: Scenario,
        weights: AnyWeights = None,
    ) -> None:
        """Makes the controllers; one may run in a process of its own."""
        self.reference, self.scenario = Reference(behavior), scenario
        timing = scenario.timing
        settings = first_settings(scenario, behavior)
        self._planner: PlannerProcess | None = None
        self._pause = min(PAUSE, MOST_TICKS * timing.tick_period)
        if scenario.control.planner == "process":
            of = scenario.control.on_weights(weights)
            own = PlannerSettings.of(timing, settings.plan, of)
            self._planner = PlannerProcess(behavior, own)
        free_unused_systems()
        builder = DiagramBuilder()
        made_for = ControllerSettings(
            timing,
            scenario.tick_timing,
            scenario.control,
            scenario.world.mismatch,
            scenario.seed,
        )
        found = add_controllers(
            builder, self.reference, made_for, weights, self._planner
        )
        self._slow, self._fast = found.predictive, found.whole_body
        # Some are of no controller, as forces on feet in task space.
        inputs = {name: ports for name, ports in found.inputs.items() if ports}
        for name, (first, *others) in inputs.items():
            builder.ExportInput(first, name)
            for port in others:
                builder.ConnectInput(name, port)
        self._diagram = builder.Build()
        self._inputs = {n: self._diagram.GetInputPort(n) for n in inputs}
        rest = settings.plan_delay, settings.task
        self._defaults = ControlSettings(settings.plan, (), *rest)
        self._begin(0.0)
        self._warm_up()

    @property
    def in_task_space(self) -> bool:
        """Whether requests have a target and a hand."""
        return self.scenario.control.task_space is not None

    def close(self) -> None:
        """Ends the process that plans, if there is one."""
        if self._planner is not None:
            self._planner.close()

    def _begin(self, t: float) -> None:
        """Resets the state and starts at a time [s]."""
        context = self._diagram.CreateDefaultContext()
        context.SetTime(t)
        self._simulator = Simulator(self._diagram, context)
        self._has_begun = False

    def _warm_up(self) -> None:
        """Does the first ticks once, which loads and compiles what they need."""
        table, robot = self.reference.table, self.reference.robot
        x = np.r_[table.q[0], table.v[0]]
        force = np.full(len(robot.soles), robot.weight / max(1, len(robot.soles)))
        for k in range(3):
            t = k * self.scenario.timing.plan_period
            task = np.zeros(NUM_TASK * self.in_task_space)
            self(Request(0, t, k == 0, x, force, self._defaults, task))
        self._begin(0.0)

    def __call__(self, request: Request) -> Answer:
        """What the joints shall do.

        Raises:
            ProtocolError: the request is not later than the one before, or by more than
                a longest time.
        """
        if request.start:
            self._begin(request.time)
        context = self._simulator.get_mutable_context()
        if self._has_begun:
            is_again = self.in_task_space and request.time == context.get_time()
            if request.time <= context.get_time() and not is_again:
                raise ProtocolError(
                    f"a request at {request.time:g} s after one at "
                    f"{context.get_time():g} s, without a start"
                )
            if request.time > context.get_time() + self._pause:
                raise ProtocolError(
                    f"a request at {request.time:g} s after one at "
                    f"{context.get_time():g} s: begin again after "
                    f"{self._pause:g} s"
                )
            # Up to this time, but not what is due at it: that waits for its inputs.
            if not is_again:
                self._simulator.AdvanceTo(request.time)
        self._fix("state", request.x)
        self._fix("normal_forces", request.force)
        if self.in_task_space:
            ends = np.cumsum([*TASK_VECTORS.values()])[:-1]
            parts = np.split(request.task, ends)
            for name, numbers in zip(TASK_VECTORS, parts, strict=True):
                self._fix(name, numbers)
        if request.changes is not None:
            self._fix("settings", AbstractValue.Make(request.changes.settings))
            self._fix("hands", AbstractValue.Make(request.changes.hands))
            gains = request.changes.settings.weights
            self._fix("gains", AbstractValue.Make(gains))
            self._fix("plan_delay", np.array([request.changes.plan_delay]))
            if self.in_task_space:
                task = request.changes.task or self._defaults.task
                self._fix("task", AbstractValue.Make(task))
        elif not self._has_begun:
            raise ProtocolError("a start needs the settings of the controllers")
        if not self._has_begun:
            self._simulator.Initialize()
            self._has_begun = True
        # In task space the command follows its inputs at once, and a tick is asked for
        # again where a setting changes at it: it is done when time goes on.
        if not self.in_task_space:
            self._simulator.AdvancePendingEvents()
        own = self._fast.GetMyContextFromRoot(context)
        ports = ("command", "joint_acceleration", "fallen")
        command, acceleration, fallen = (
            self._fast.GetOutputPort(name).Eval(own) for name in ports
        )
        return Answer(command, acceleration, bool(fallen[0]))

    def record(self) -> Record:
        """State of the controllers; waits for a plan that is being computed."""
        context = self._simulator.get_context()
        slow, fast = (
            system.GetOutputPort("memory").Eval(system.GetMyContextFromRoot(context))
            for system in (self._slow, self._fast)
        )
        return Record(slow.plan, fast.safety, slow.safety)

    def _fix(self, name: str, value: object) -> None:
        """Gives an input its value, if a controller has it."""
        if name in self._inputs:
            context = self._simulator.get_mutable_context()
            self._inputs[name].FixValue(context, value)


class ControllerService:
    """A session for a client over a connection.

    Attributes:
        schema: the order of its own numbers.
        what: what it controls, in words.
        ticks: wall times from request to answer [s].
    """

    def __init__(self, session: ControllerSession, mine: Schema, theirs: Schema):
        """Puts the numbers of another schema in order."""
        self._session, self._joint_map = session, JointMap(mine, theirs)
        self.schema, self.what = mine, session.reference.behavior.name
        self.ticks: list[float] = []

    def begin(self) -> None:
        """Counts anew; the session begins with the first request."""
        self.ticks = []

    def close(self) -> None:
        """Ends the process that plans, if there is one."""
        self._session.close()

    def reply(self, message: dict[str, Any]) -> dict[str, Any]:
        """The answer to a message.

        Raises:
            ProtocolError: it makes no sense.
        """
        if "record" in message:
            return record_message(self._session.record())
        began, schema = time.perf_counter(), self.schema
        sizes = len(schema.positions) + len(schema.velocities), len(schema.soles)
        request = read_request(message, *sizes, self._session.in_task_space)
        answer = self._session(self._joint_map.request(request))
        answer = self._joint_map.answer(answer)
        self.ticks.append(time.perf_counter() - began)
        return answer_message(request.number, answer)
