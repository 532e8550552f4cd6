"""A function of the user's own in place of the whole-body controller."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from pydrake.systems.framework import Context

from backbeat.models.actuation.joint_command import BLOCKS
from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.control.own_controllers import (
    CommandFunction,
    ControllerInput,
    telling,
)
from backbeat.mpc.control.user_code import UserCode
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.whole_body.tick_system import TickSystem


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


class FunctionCommands(TickSystem):
    """A function of the user's own in place of the whole-body controller.

    `joint_acceleration` is zero: an estimator that predicts over the delay of the
    sensors assumes steady joints.
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
        nj = reference.robot.num_joints
        first = CommandMemory(np.zeros(BLOCKS * nj))
        super().__init__(reference.robot, first, period, is_lost)
        self._function, self._code = function, code

    def tick(self, t: float, context: Context, memory: CommandMemory) -> CommandMemory:
        """Calls the function.

        Raises:
            BackbeatError: it fails, or returns no command.
        """
        q, v, plan = self._sensed(context)
        hands = self._given_hands(context)
        now = ControllerInput(t, q.copy(), v.copy(), plan, hands=hands)
        with telling(self._code, f"at {t:.3f} s"):
            command = np.array(self._function(now), float)
        size = memory.command.size
        if command.shape != (size,) or not np.isfinite(command).all():
            raise BackbeatError(
                f"command(now) returned at {t:.3f} s what is not ({size},) finite "
                f"numbers (shape {command.shape}); `joint_command` makes them"
            )
        return replace(memory, command=command, ticks=memory.ticks + 1)
