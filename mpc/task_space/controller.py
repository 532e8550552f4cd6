"""TaskSpaceController: the task-space law as a Drake system."""

import time

import numpy as np
from pydrake.common.value import AbstractValue
from pydrake.systems.framework import (
    BasicVector,
    Context,
    ValueProducer,
)

from backbeat.models.actuation.joint_command import BLOCKS, joint_command
from backbeat.models.common.collectable_system import weak
from backbeat.mpc.task_space.law import TaskSpaceCommand, TaskSpaceLaw
from backbeat.mpc.task_space.system import TaskSpaceSystem


class TaskSpaceController(TaskSpaceSystem):
    """Turns samples of a robot and a target for its hand into joint commands.

    .. pydrake_system::

        name: TaskSpaceController
        input_ports:
        - state
        - target
        - hand
        - hand_rate
        - base_acceleration
        output_ports:
        - command
        - at_limit
        - modeled_hand

    `state` is the sensed [q, v] of the controller's model (nq + nv), `target` (9)
    place, velocity and acceleration of the target [m, m/s, m/s^2]. `hand` (3) is where
    the hand is sensed [m], `hand_rate` (3) what is observed of its rate [m/s];
    unconnected, the model's are taken. `base_acceleration` (6) is that of a base that
    others move, [angular, linear]; unconnected, it is zero. `command` is a
    `backbeat.models.actuation.joint_command` (9 nj) of torques alone, `at_limit` (nj)
    is 1 where a limit took something away, `modeled_hand` (3) where the model has the
    hand [m].
    The system has no memory: outputs hold as long as its inputs do, so a system that
        samples
    the inputs says how often it acts. Its settings are a parameter of the Context.

    Attributes:
        law: what it computes, as a pure function.
        tick_times: wall times [s] for measurements; results do not depend on them.
    """

    def __init__(self, law: TaskSpaceLaw) -> None:
        """Makes the controller."""
        super().__init__(law.settings)
        self.law, self.tick_times = law, list[float]()
        robot = law.robot
        nj = robot.num_joints
        size = robot.num_positions + robot.num_velocities
        self._state = self.DeclareVectorInputPort("state", size)
        self._target = self.DeclareVectorInputPort("target", 9)
        self._hand = self.DeclareVectorInputPort("hand", 3)
        self._rate = self.DeclareVectorInputPort("hand_rate", 3)
        self._base = self.DeclareVectorInputPort("base_acceleration", 6)
        blank = TaskSpaceCommand(np.zeros(nj), np.zeros(nj, bool), np.zeros(3))
        self._found = self.DeclareCacheEntry(
            "torques",
            ValueProducer(lambda: AbstractValue.Make(blank), weak(self._calc)),
            {self.all_input_ports_ticket(), self.all_parameters_ticket()},
        ).cache_index()
        # The last inputs and outputs: held samples are evaluated many times.
        self._known: tuple[object, TaskSpaceCommand] = (None, blank)
        self.DeclareVectorOutputPort("command", BLOCKS * nj, weak(self._calc_command))
        self.DeclareVectorOutputPort("at_limit", nj, weak(self._calc_limits))
        self.DeclareVectorOutputPort("modeled_hand", 3, weak(self._calc_hand))

    def _calc(self, context: Context, output: AbstractValue) -> None:
        x, nq = self._state.Eval(context), self.law.robot.num_positions
        hand, rate, base = (
            port.Eval(context) if port.HasValue(context) else None
            for port in (self._hand, self._rate, self._base)
        )
        target = self._target.Eval(context).reshape(3, 3)
        given = (x, target, hand, rate, base)
        inputs = [None if i is None else i.tobytes() for i in given]
        settings = self.settings(context)
        known = (inputs, self.law.posture.tobytes(), settings)
        if known != self._known[0]:
            started = time.perf_counter()
            found = self.law(x[:nq], x[nq:], target, hand, rate, base, settings)
            self._known = known, found
            self.tick_times.append(time.perf_counter() - started)
        output.set_value(self._known[1])

    def _read(self, context: Context) -> TaskSpaceCommand:
        found: TaskSpaceCommand = self.get_cache_entry(self._found).Eval(context)
        return found

    def _calc_command(self, context: Context, output: BasicVector) -> None:
        tau = self._read(context).tau
        none = np.zeros_like(tau)
        output.SetFromVector(joint_command(tau, none, none, none, none))

    def _calc_limits(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector(self._read(context).at_limit.astype(float))

    def _calc_hand(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector(self._read(context).hand)
