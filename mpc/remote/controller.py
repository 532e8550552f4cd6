"""RemoteController: a system in place of controllers in another process.

While answers come, it passes them on. When none comes, it does what a controller does
whose program is not solved (`backbeat.mpc.safety.fail_safe`): the last command goes on
for a moment, then joints hold the posture of that moment, with damping, until the
controller has answered several times in a row again. After a declared fall
the last command, which only damps, stays in force for good.
"""

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from pydrake.common.value import AbstractValue
from pydrake.systems.framework import (
    BasicVector,
    Context,
    DiagramBuilder,
)

from backbeat.behaviors.library.behavior import Behavior
from backbeat.models.actuation.joint_command import BLOCKS, joint_command
from backbeat.models.common.collectable_system import PromptSystem, weak
from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.control.controllers import (
    ControllerRecord,
    Controllers,
    ControllerSettings,
    memory_of,
)
from backbeat.mpc.control.outside import ConnectControllers
from backbeat.mpc.control.task_space_controllers import TASK_VECTORS, task_inputs
from backbeat.mpc.predictive.settings import PlanSettings
from backbeat.mpc.reference.trajectory import Reference, check_flat
from backbeat.mpc.remote.address import Address
from backbeat.mpc.remote.contents import ControlSettings
from backbeat.mpc.remote.exchange import Answer
from backbeat.mpc.remote.link import RemoteLink
from backbeat.mpc.remote.memory import RemoteMemory
from backbeat.mpc.remote.plans import RemotePlans
from backbeat.mpc.safety.fail_safe import FailSafe, Failure, Mode, advance
from backbeat.mpc.safety.servo_gains import hold_gains
from backbeat.mpc.scenario.parts.timing import TimingSettings
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.task_space.settings import TaskSettings
from backbeat.mpc.weights.controller_weights import ControllerWeights
from backbeat.mpc.whole_body.core import CARRY


class RemoteController(PromptSystem):
    """Requests joint commands from another process at every tick.

    .. pydrake_system::

        name: RemoteController
        input_ports:
        - state
        - normal_forces
        - settings
        - hands
        - plan_delay
        - target
        - hand
        - hand_rate
        - base_acceleration
        - task
        output_ports:
        - command
        - joint_acceleration
        - fallen
        - memory

    Ports are those of `PredictiveController` and `WholeBodyController` of the same
    names; `plan_delay` (1) is how long plans take [s]. The last five are those of
    `TaskSpaceController`, connected in task space alone. `memory` is a RemoteMemory.
    The controllers' own memory is in their process: two simulations at once need two.

    Attributes:
        link: the connection.
        tick_times: wall times of questions and answers [s]; they decide nothing.
    """

    def __init__(
        self,
        link: RemoteLink,
        reference: Reference,
        timing: TimingSettings,
        latency: float,
        is_lost: Callable[[float], bool],
        is_direct: bool = False,
    ) -> None:
        """Makes the stand-in.

        Args:
            link: the connection, open.
            reference: the behavior.
            timing: period of ticks, and lead-in.
            latency: from a motion to the motors' answer [s].
            is_lost: whether the tick at a time since the beginning is lost.
            is_direct: whether what a tick computes acts in the step of the plant that
                begins with it, as in task space; else in the next one.

        Raises:
            BackbeatError: plans are not made on ticks.
        """
        super().__init__()
        check_periods(timing)
        check_flat(reference, "a remote controller", "leave --remote out")
        robot = self.robot = reference.robot
        nj, self._nq = robot.num_joints, robot.num_positions
        self.link, self._lead_in = link, timing.lead_in
        self._is_direct = is_direct
        self._hold = hold_gains(robot, reference, latency, timing.time_step)
        self._limits, self._is_lost = FailSafe(carry=CARRY), is_lost
        self._declare_inputs()
        z = np.zeros
        posture = reference.table.q[0, self._nq - nj :]
        first = RemoteMemory(z(BLOCKS * nj), z(nj), posture)
        self._declare_memory(first, timing.tick_period)
        self._declare_outputs(first)
        self.tick_times: list[float] = []

    def _declare_inputs(self) -> None:
        robot, declare = self.robot, self.DeclareVectorInputPort
        self._state_port = declare("state", robot.num_positions + robot.num_velocities)
        self._force_port = declare("normal_forces", len(robot.soles))
        self._delay_port = declare("plan_delay", 1)
        self._settings_port = self.DeclareAbstractInputPort(
            "settings", AbstractValue.Make(PlanSettings())
        )
        self._hands_port = self.DeclareAbstractInputPort(
            "hands", AbstractValue.Make(())
        )
        self._vectors = [declare(name, size) for name, size in TASK_VECTORS.items()]
        self._task_port = self.DeclareAbstractInputPort(
            "task", AbstractValue.Make(TaskSettings())
        )

    def _declare_outputs(self, first: RemoteMemory) -> None:
        nj, sources = self.robot.num_joints, self.all_sources_ticket()
        state = {sources if self._is_direct else self.all_state_ticket()}
        self.DeclareVectorOutputPort(
            "command", BLOCKS * nj, weak(self._calc_command), state
        )
        self.DeclareVectorOutputPort(
            "joint_acceleration", nj, weak(self._calc_acceleration), state
        )
        self.DeclareVectorOutputPort("fallen", 1, weak(self._calc_fallen), state)
        self.DeclareAbstractOutputPort(
            "memory", lambda: AbstractValue.Make(first), weak(self._calc_memory), state
        )

    def _read(self, context: Context) -> RemoteMemory:
        found = self._now(context) if self._is_direct else self._stored(context)
        memory: RemoteMemory = found
        return memory

    def renewed(
        self, context: Context, memory: RemoteMemory, number: int
    ) -> RemoteMemory:
        """The memory with the tick of this period, if it is not done."""
        is_done = number < memory.ticks + memory.lost
        return memory if is_done else self._ticked(context, memory)

    def _calc_command(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector(self._read(context).command)

    def _calc_acceleration(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector(self._read(context).acceleration)

    def _calc_fallen(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector([float(self._read(context).fallen)])

    def _calc_memory(self, context: Context, output: AbstractValue) -> None:
        output.set_value(self._read(context))

    def _ticked(self, context: Context, memory: RemoteMemory) -> RemoteMemory:
        """The memory after a tick."""
        began, link = time.perf_counter(), self.link
        if self._is_lost(context.get_time()):
            return replace(memory, lost=memory.lost + 1)
        if memory.session and link.has_begun and memory.session != link.sessions:
            raise BackbeatError(
                f"the controller at {link.address} has begun another run: it controls "
                "one simulation at a time; start one more with `backbeat serve`"
            )
        task, numbers = None, np.zeros(0)
        if self._task_port.HasValue(context):
            task = self._task_port.Eval(context)
            numbers = np.concatenate(
                [
                    port.Eval(context) if port.HasValue(context) else np.zeros(size)
                    for port, size in zip(
                        self._vectors, TASK_VECTORS.values(), strict=True
                    )
                ]
            )
        changes = ControlSettings(
            self._settings_port.Eval(context),
            self._hands_port.Eval(context),
            float(self._delay_port.Eval(context)[0]),
            task,
        )
        t, x = context.get_time(), self._state_port.Eval(context)
        force = self._force_port.Eval(context)
        found = link.ask(memory.ticks, t, memory.ticks == 0, x, force, changes, numbers)
        new = self._after(t, x, found, memory)
        self.tick_times.append(time.perf_counter() - began)
        return new

    def _after(
        self, t: float, x: np.ndarray, found: Answer | Failure, memory: RemoteMemory
    ) -> RemoteMemory:
        """The memory after an answer, or after none."""
        failure = found if isinstance(found, Failure) else None
        safety = advance(memory.link, t, failure, "", self._limits)
        memory = replace(memory, link=safety, ticks=memory.ticks + 1)
        nj = self.robot.num_joints
        if isinstance(found, Answer):
            memory = replace(memory, session=self.link.sessions)
            if found.fallen or (safety.mode is Mode.TRACKING and not memory.fallen):
                posture = x[self._nq - nj : self._nq].copy()
                known = posture if np.isfinite(posture).all() else memory.posture
                return replace(
                    memory,
                    command=found.command,
                    acceleration=found.acceleration,
                    posture=known,
                    fallen=found.fallen,
                )
        if safety.mode is Mode.HOLDING and not memory.fallen:
            nothing = np.zeros(nj)
            command = joint_command(nothing, memory.posture, nothing, *self._hold)
            return replace(memory, command=command, acceleration=nothing)
        return memory


class RemoteControllers:
    """Both controllers of a closed loop, over a connection."""

    def __init__(self, link: RemoteLink) -> None:
        """Has them behind a connection, which `open` makes."""
        self._link = link

    def open(self) -> None:
        """Connects.

        Raises:
            BackbeatError: no controller listens, it does not get ready, or it refuses.
        """
        self._link.open()

    def close(self) -> None:
        """Hangs up."""
        self._link.close()

    def add(
        self,
        builder: DiagramBuilder,
        reference: Reference,
        settings: ControllerSettings,
    ) -> Controllers:
        """Adds what stands for them in a diagram.

        Raises:
            BackbeatError: plans are not made on ticks.
        """
        timing, is_lost = settings.timing, settings.is_tick_lost
        latency = settings.ticks.latency
        is_direct = settings.control.task_space is not None
        rest = latency, is_lost, is_direct
        fast = RemoteController(self._link, reference, timing, *rest)
        builder.AddNamedSystem("remote_controller", fast)
        slow = RemotePlans(self._link)
        builder.AddNamedSystem("remote_plans", slow)
        builder.Connect(fast.GetOutputPort("memory"), slow.GetInputPort("memory"))
        names = ["state", "normal_forces", "settings", "hands", "plan_delay"]
        if is_direct:
            names += task_inputs(reference.robot)
        inputs = {name: (fast.GetInputPort(name),) for name in names}

        def record(root: Context) -> ControllerRecord:
            made, own = memory_of(slow, root), memory_of(fast, root)
            return ControllerRecord(
                made.tick_safety, made.plan_safety, own.link, own.lost
            )

        return Controllers(slow, fast, inputs, record)


def remote_controllers(address: Address) -> ConnectControllers:
    """What connects a run to the controllers at an address."""

    def connect(
        behavior: Behavior, scenario: Scenario, weights: ControllerWeights | None
    ) -> RemoteControllers:
        return RemoteControllers(RemoteLink(address, behavior, scenario, weights))

    return connect


def check_periods(timing: TimingSettings) -> None:
    """Checks that plans are made on ticks, the only times at which anything is sent.

    Raises:
        BackbeatError: they are not.
    """
    ticks = timing.plan_period / timing.tick_period
    if abs(ticks - round(ticks)) > 1e-6:
        raise BackbeatError(
            f"scenario: with a remote controller plan_period ({timing.plan_period} "
            f"s) must be a multiple of tick_period ({timing.tick_period} s)"
        )
