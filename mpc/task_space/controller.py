"""TaskSpaceController: the task-space law as a Drake system."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from pydrake.common.value import AbstractValue
from pydrake.systems.framework import BasicVector, Context

from backbeat.models.actuation.joint_command import BLOCKS, joint_command
from backbeat.models.common.collectable_system import PromptSystem, weak
from backbeat.mpc.safety.fail_safe import Safety
from backbeat.mpc.task_space.law import TaskSpaceCommand, TaskSpaceLaw
from backbeat.mpc.task_space.settings import TaskSettings


@dataclass(frozen=True)
class TaskSpaceMemory:
    """All memory of the controller.

    Attributes:
        found: the last output of the law.
        command: (9 nj,) the joint command in force.
        tick: number of the last tick; -1 before the first.
        due: number of the tick at which it acts again.
        lost: ticks that were due and not done.
        safety: what is done about programs that are not solved; the law needs nothing.
    """

    found: TaskSpaceCommand
    command: np.ndarray
    tick: int = -1
    due: int = 0
    lost: int = 0
    safety: Safety = field(default_factory=Safety)

    def __deepcopy__(self, memo: object) -> "TaskSpaceMemory":
        """Values in a Context may be shared, for nothing here ever changes."""
        return self


class TaskSpaceController(PromptSystem):
    """Turns the state of a robot and a target for its hand into joint commands.

    .. pydrake_system::

        name: TaskSpaceController
        input_ports:
        - state
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

    `state` is the sensed [q, v] of the controller's model (nq + nv), `target` (9)
    place, velocity and acceleration of the target [m, m/s, m/s^2]. `hand` (3) is where
    the hand is sensed [m], `hand_rate` (3) what is observed of its rate [m/s];
    unconnected, the model's are taken. `base_acceleration` (6) is that of a base that
    others move, [angular, linear]; unconnected, it is zero. `task` is a TaskSettings;
    unconnected, the settings of the law hold, and it acts at every tick. `command` is a
    `backbeat.models.actuation.joint_command` (9 nj) of torques alone. `memory` is a
    TaskSpaceMemory. `joint_acceleration` (nj) and `fallen` (1) are those of a
    `WholeBodyController`, and zero. What a tick computes acts at once, within the step
    of the plant that begins with it.

    Attributes:
        law: what it computes, as a pure function.
        tick_times: wall times [s] for measurements; results do not depend on them.
    """

    def __init__(
        self,
        law: TaskSpaceLaw,
        period: float = 0.001,
        is_lost: Callable[[float], bool] | None = None,
    ) -> None:
        """Makes the controller.

        Args:
            law: what it computes.
            period: time between ticks [s].
            is_lost: says of a time [s] whether its tick is lost; None for never.
        """
        super().__init__()
        self.law, self.tick_times = law, list[float]()
        self._is_lost = is_lost
        robot = law.robot
        nj, self._nq = robot.num_joints, robot.num_positions
        size = self._nq + robot.num_velocities
        self._state = self.DeclareVectorInputPort("state", size)
        self._target = self.DeclareVectorInputPort("target", 9)
        self._hand = self.DeclareVectorInputPort("hand", 3)
        self._rate = self.DeclareVectorInputPort("hand_rate", 3)
        self._base = self.DeclareVectorInputPort("base_acceleration", 6)
        self._task = self.DeclareAbstractInputPort(
            "task", AbstractValue.Make(TaskSettings())
        )
        blank = TaskSpaceCommand(np.zeros(nj), np.zeros(nj, bool), np.zeros(3))
        first = TaskSpaceMemory(blank, np.zeros(BLOCKS * nj))
        self._declare_memory(first, period)
        state = {self.all_state_ticket()}
        self.DeclareVectorOutputPort("command", BLOCKS * nj, weak(self._calc_command))
        for name, size in (("joint_acceleration", nj), ("fallen", 1)):
            self.DeclareVectorOutputPort(name, size, weak(self._calc_nothing), state)
        self.DeclareAbstractOutputPort(
            "memory", lambda: AbstractValue.Make(first), weak(self._calc_memory), state
        )

    def _calc_command(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector(self._now(context).command)

    def _calc_nothing(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector(np.zeros(output.size()))

    def _calc_memory(self, context: Context, output: AbstractValue) -> None:
        # As it is stored: it may be read before the first inputs come.
        output.set_value(self._stored(context))

    def renewed(
        self, context: Context, memory: TaskSpaceMemory, number: int
    ) -> TaskSpaceMemory:
        """The memory with the tick of this period, if one is due and not done."""
        t, tick = context.get_time(), number
        if tick <= memory.tick or tick < memory.due:
            return memory
        if self._is_lost is not None and self._is_lost(t):
            return replace(memory, tick=tick, lost=memory.lost + 1)
        return self._act(context, tick, memory)

    def _act(
        self, context: Context, tick: int, memory: TaskSpaceMemory
    ) -> TaskSpaceMemory:
        """The memory after a tick."""
        began, settings, every = time.perf_counter(), self.law.settings, 1
        if self._task.HasValue(context):
            task: TaskSettings = self._task.Eval(context)
            settings = task.law(settings)
            every = max(1, round(task.period / self._period))
        x, nq = self._state.Eval(context), self._nq
        target = self._target.Eval(context).reshape(3, 3)
        hand, rate, base = (
            port.Eval(context) if port.HasValue(context) else None
            for port in (self._hand, self._rate, self._base)
        )
        found = self.law(x[:nq], x[nq:], target, hand, rate, base, settings)
        none = np.zeros_like(found.tau)
        command = joint_command(found.tau, none, none, none, none)
        self.tick_times.append(time.perf_counter() - began)
        due = tick + every
        return replace(memory, found=found, command=command, tick=tick, due=due)
