"""RemoteController: a system in place of controllers in another process.

While answers come, it passes them on. When none comes, it does what a controller does
whose program is not solved (`backbeat.mpc.safety.fail_safe`): the last command goes on
for a moment, then joints hold the posture of that moment, with damping, until the
controller has answered several times in a row again. After a declared fall
the last command, which only damps, stays in force for good.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from pydrake.common.value import AbstractValue
from pydrake.systems.framework import BasicVector, Context, DiagramBuilder, State

from backbeat.behaviors.library.behavior import Behavior
from backbeat.models.actuation.joint_command import BLOCKS, joint_command
from backbeat.models.common.collectable_system import CollectableSystem, weak
from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.control.controllers import (
    ControllerRecord,
    Controllers,
    ControllerSettings,
    memory_of,
)
from backbeat.mpc.control.outside import ConnectControllers
from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.predictive.settings import PlanSettings
from backbeat.mpc.reference.trajectory import Reference, check_flat
from backbeat.mpc.remote.address import Address
from backbeat.mpc.remote.contents import ControlSettings
from backbeat.mpc.remote.exchange import Answer
from backbeat.mpc.remote.link import RemoteLink
from backbeat.mpc.safety.fail_safe import FailSafe, Failure, Mode, Safety, advance
from backbeat.mpc.safety.servo_gains import hold_gains
from backbeat.mpc.scenario.parts.timing import TimingSettings
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.weights.controller_weights import ControllerWeights
from backbeat.mpc.whole_body.core import CARRY


@dataclass(frozen=True)
class RemoteMemory:
    """All memory of this side.

    Attributes:
        command: (9 nj,) the joint command in force.
        acceleration: (nj,) what it makes the joints do [rad/s^2].
        posture: (nj,) of the joints when the controller last answered; the behavior's
            first before that [rad].
        fallen: whether it has declared a fall.
        link: what is done about answers that do not come, and the counts.
        ticks: ticks done.
        session: which of the link's sessions this is; 0 before the first answer.
        lost: ticks that were due and not requested.
    """

    command: np.ndarray
    acceleration: np.ndarray
    posture: np.ndarray
    fallen: bool = False
    link: Safety = field(default_factory=Safety)
    ticks: int = 0
    session: int = 0
    lost: int = 0

    def __deepcopy__(self, memo: object) -> "RemoteMemory":
        """Values in a Context may be shared, for nothing here ever changes."""
        return self


class RemoteController(CollectableSystem):
    """Requests joint commands from another process at every tick.

    .. pydrake_system::

        name: RemoteController
        input_ports:
        - state
        - normal_forces
        - settings
        - hands
        - plan_delay
        output_ports:
        - command
        - joint_acceleration
        - fallen
        - memory

    Ports are those of `PredictiveController` and `WholeBodyController` of the same
    names; `plan_delay` (1) is how long plans take [s]. `memory` is a RemoteMemory. The
    controllers' own memory is in their process: two simulations at once need two.

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
    ) -> None:
        """Makes the stand-in.

        Args:
            link: the connection, open.
            reference: the behavior.
            timing: period of ticks, and lead-in.
            latency: from a motion to the motors' answer [s].
            is_lost: whether the tick at a time since the beginning is lost.

        Raises:
            BackbeatError: plans are not made on ticks.
        """
        super().__init__()
        check_periods(timing)
        check_flat(reference, "a remote controller", "leave --remote out")
        robot = self.robot = reference.robot
        nj, self._nq = robot.num_joints, robot.num_positions
        self.link, self._lead_in = link, timing.lead_in
        self._hold = hold_gains(robot, reference, latency, timing.time_step)
        self._limits, self._is_lost = FailSafe(carry=CARRY), is_lost
        declare = self.DeclareVectorInputPort
        self._state_port = declare("state", robot.num_positions + robot.num_velocities)
        self._force_port = declare("normal_forces", len(robot.soles))
        self._delay_port = declare("plan_delay", 1)
        self._settings_port = self.DeclareAbstractInputPort(
            "settings", AbstractValue.Make(PlanSettings())
        )
        self._hands_port = self.DeclareAbstractInputPort(
            "hands", AbstractValue.Make(())
        )
        z = np.zeros
        posture = reference.table.q[0, self._nq - nj :]
        first = RemoteMemory(z(BLOCKS * nj), z(nj), posture)
        self._memory = self.DeclareAbstractState(AbstractValue.Make(first))
        state = {self.all_state_ticket()}
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
        self.DeclarePeriodicUnrestrictedUpdateEvent(
            timing.tick_period, 0.0, weak(self._update)
        )
        self.tick_times: list[float] = []

    def _read(self, context: Context) -> RemoteMemory:
        memory: RemoteMemory = context.get_abstract_state(int(self._memory)).get_value()
        return memory

    def _calc_command(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector(self._read(context).command)

    def _calc_acceleration(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector(self._read(context).acceleration)

    def _calc_fallen(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector([float(self._read(context).fallen)])

    def _calc_memory(self, context: Context, output: AbstractValue) -> None:
        output.set_value(self._read(context))

    def _update(self, context: Context, state: State) -> None:
        began = time.perf_counter()
        memory, link = self._read(context), self.link
        if self._is_lost(context.get_time()):
            kept = replace(memory, lost=memory.lost + 1)
            state.get_mutable_abstract_state(int(self._memory)).set_value(kept)
            return
        if memory.session and link.has_begun and memory.session != link.sessions:
            raise BackbeatError(
                f"the controller at {link.address} has begun another run: it controls "
                "one simulation at a time; start one more with `backbeat serve`"
            )
        changes = ControlSettings(
            self._settings_port.Eval(context),
            self._hands_port.Eval(context),
            float(self._delay_port.Eval(context)[0]),
        )
        t, x = context.get_time(), self._state_port.Eval(context)
        force = self._force_port.Eval(context)
        found = link.ask(memory.ticks, t, memory.ticks == 0, x, force, changes)
        new = self._after(t, x, found, memory)
        state.get_mutable_abstract_state(int(self._memory)).set_value(new)
        self.tick_times.append(time.perf_counter() - began)

    def _after(
        self, t: float, x: np.ndarray, found: Answer | Failure, memory: RemoteMemory
    ) -> RemoteMemory:
        """The memory after a tick."""
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


class RemotePlans(CollectableSystem):
    """What stands in a diagram for a predictive controller in another process.

    .. pydrake_system::

        name: RemotePlans
        input_ports:
        - memory
        output_ports:
        - plan
        - memory

    The input is the `memory` of a RemoteController. `plan` and the output `memory` are
    a Plan and a Record, requested from the other process when they are read; when it
    is gone, the last ones received.
    """

    def __init__(self, link: RemoteLink) -> None:
        """Makes the stand-in over a connection."""
        super().__init__()
        self._link, first = link, link.record()
        made = RemoteMemory(*np.zeros((3, 0)))
        self._input = self.DeclareAbstractInputPort("memory", AbstractValue.Make(made))
        self.DeclareAbstractOutputPort(
            "plan", lambda: AbstractValue.Make(first.plan), weak(self._calc_plan)
        )
        self.DeclareAbstractOutputPort(
            "memory", lambda: AbstractValue.Make(first), weak(self._calc_memory)
        )

    def _calc_plan(self, context: Context, output: AbstractValue) -> None:
        plan: Plan = self.GetOutputPort("memory").Eval(context).plan
        output.set_value(plan)

    def _calc_memory(self, context: Context, output: AbstractValue) -> None:
        output.set_value(self._link.record())


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
        fast = RemoteController(self._link, reference, timing, latency, is_lost)
        builder.AddNamedSystem("remote_controller", fast)
        slow = RemotePlans(self._link)
        builder.AddNamedSystem("remote_plans", slow)
        builder.Connect(fast.GetOutputPort("memory"), slow.GetInputPort("memory"))
        names = ("state", "normal_forces", "settings", "hands", "plan_delay")
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
