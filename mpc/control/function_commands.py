"""A function of the user's own in place of the whole-body controller."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from pydrake.common.value import AbstractValue
from pydrake.systems.framework import BasicVector, Context, State

from backbeat.models.actuation.joint_command import BLOCKS
from backbeat.models.common.collectable_system import CollectableSystem, weak
from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.control.own_controllers import (
    CommandFunction,
    ControllerInput,
    telling,
)
from backbeat.mpc.control.user_code import UserCode
from backbeat.mpc.plans.plan import empty_plan
from backbeat.mpc.reference.trajectory import Reference


@dataclass(frozen=True)
class CommandMemory:
    """The command in force.

    Attributes:
        command: (9 nj,) of the joints.
        ticks: how many were made.
        lost: ticks that were due and not done.
    """

    command: np.ndarray
    ticks: int = 0
    lost: int = 0

    def __deepcopy__(self, memo: object) -> "CommandMemory":
        """Values in a Context may be shared: this is immutable."""
        return self


class FunctionCommands(CollectableSystem):
    """A function of the user's own in place of the whole-body controller.

    .. pydrake_system::

        name: FunctionCommands
        input_ports:
        - state
        - plan
        - hands
        output_ports:
        - command
        - joint_acceleration
        - memory

    Ports are those of `WholeBodyController`. `joint_acceleration` (nj) is zero: an
    estimator that predicts over the delay of the sensors assumes steady joints.

    Attributes:
        tick_times: wall times [s] for measurements.
    """

    def __init__(
        self,
        function: CommandFunction,
        reference: Reference,
        period: float,
        is_lost: Callable[[float], bool],
        code: UserCode | None,
    ) -> None:
        """Calls a function every period [s], but for ticks that are lost."""
        super().__init__()
        robot = reference.robot
        self._function, self._code, self._is_lost = function, code, is_lost
        self._nq, nj = robot.num_positions, robot.num_joints
        self._state_port = self.DeclareVectorInputPort(
            "state", robot.num_positions + robot.num_velocities
        )
        # Of any plan: the type is what counts.
        self._plan_port = self.DeclareAbstractInputPort(
            "plan", AbstractValue.Make(empty_plan())
        )
        self._hands_port = self.DeclareAbstractInputPort(
            "hands", AbstractValue.Make(())
        )
        first = CommandMemory(np.zeros(BLOCKS * nj))
        self._memory = int(self.DeclareAbstractState(AbstractValue.Make(first)))
        state = {self.all_state_ticket()}
        self.DeclareVectorOutputPort(
            "command", BLOCKS * nj, weak(self._calc_command), state
        )
        self.DeclareVectorOutputPort("joint_acceleration", nj, weak(self._calc_rest))
        self.DeclareAbstractOutputPort(
            "memory", lambda: AbstractValue.Make(first), weak(self._calc_memory), state
        )
        self.DeclarePeriodicUnrestrictedUpdateEvent(period, 0.0, weak(self._update))
        self.tick_times: list[float] = []

    def _read(self, context: Context) -> CommandMemory:
        memory: CommandMemory = context.get_abstract_state(self._memory).get_value()
        return memory

    def _calc_command(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector(self._read(context).command)

    def _calc_rest(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector(np.zeros(output.size()))

    def _calc_memory(self, context: Context, output: AbstractValue) -> None:
        output.set_value(self._read(context))

    def _update(self, context: Context, state: State) -> None:
        t, memory = context.get_time(), self._read(context)
        if self._is_lost(t):
            new = replace(memory, lost=memory.lost + 1)
        else:
            new = replace(memory, command=self._call(context), ticks=memory.ticks + 1)
        state.get_mutable_abstract_state(self._memory).set_value(new)

    def _call(self, context: Context) -> np.ndarray:
        began, t = time.perf_counter(), context.get_time()
        x, plan = self._state_port.Eval(context), self._plan_port.Eval(context)
        hands = self._hands_port.Eval(context)
        nq, size = self._nq, self.get_output_port(0).size()
        now = ControllerInput(t, x[:nq].copy(), x[nq:].copy(), plan, hands=hands)
        with telling(self._code, f"at {t:.3f} s"):
            command = np.array(self._function(now), float)
        if command.shape != (size,) or not np.isfinite(command).all():
            raise BackbeatError(
                f"command(now) returned at {t:.3f} s what is not ({size},) finite "
                f"numbers (shape {command.shape}); `joint_command` makes them"
            )
        self.tick_times.append(time.perf_counter() - began)
        return command
