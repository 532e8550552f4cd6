"""TickSystem: what gives joint commands at every tick, as a Drake system."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from pydrake.common.value import AbstractValue
from pydrake.systems.framework import BasicVector, Context, InputPort, State

from backbeat.models.actuation.joint_command import BLOCKS
from backbeat.models.common.collectable_system import CollectableSystem, weak
from backbeat.models.robot.model import RobotModel
from backbeat.mpc.plans.hand_offset import HandOffset
from backbeat.mpc.plans.plan import Plan, empty_plan


class TickSystem(CollectableSystem):
    """Base of systems that give joint commands, with the ports that all have.

    .. pydrake_system::

        name: TickSystem
        input_ports:
        - state
        - plan
        - hands
        output_ports:
        - command
        - joint_acceleration
        - memory

    `state` is the robot model's [q, v] (nq + nv), `plan` a Plan. `hands` is a tuple of
    HandOffset; it may be left unconnected, and no hand is held elsewhere. `command` is
    a `backbeat.models.actuation.joint_command` (9 nj), `joint_acceleration` (nj) what
    it makes the joints do [rad/s^2]: zero where `acceleration` is not overridden.
    `memory` has at least the command in force, `command`, and how many ticks were
    `lost`.

    Attributes:
        tick_times: wall times [s] for measurements; results do not depend on them.
    """

    def __init__(
        self,
        robot: RobotModel,
        first: Any,
        period: float,
        is_lost: Callable[[float], bool] | None,
    ) -> None:
        """Declares the ports.

        Args:
            robot: the robot.
            first: memory before the first tick, a frozen dataclass.
            period: time between ticks [s].
            is_lost: says of a time [s] whether its tick is lost: nothing is computed
                then, and the command in force goes on; None for never.
        """
        super().__init__()
        self.robot, self._is_lost = robot, is_lost
        nq, nv, nj = robot.num_positions, robot.num_velocities, robot.num_joints
        self._state_port: InputPort = self.DeclareVectorInputPort("state", nq + nv)
        # Of any plan: the type is what counts.
        self._plan_port: InputPort = self.DeclareAbstractInputPort(
            "plan", AbstractValue.Make(empty_plan())
        )
        self._hands_port: InputPort = self.DeclareAbstractInputPort(
            "hands", AbstractValue.Make(())
        )
        self._memory = int(self.DeclareAbstractState(AbstractValue.Make(first)))
        self._output("command", BLOCKS * nj, self._calc_command)
        self._output("joint_acceleration", nj, self._calc_acceleration)
        self.DeclareAbstractOutputPort(
            "memory",
            lambda: AbstractValue.Make(first),
            weak(self._calc_memory),
            {self.all_state_ticket()},
        )
        self.DeclarePeriodicUnrestrictedUpdateEvent(period, 0.0, weak(self._update))
        self.tick_times: list[float] = []

    def tick(self, t: float, context: Context, memory: Any) -> Any:
        """The memory after a tick at t [s], from that before it."""
        raise NotImplementedError

    def acceleration(self, memory: Any) -> np.ndarray | None:
        """(nj,) what a command makes the joints do [rad/s^2]; None for zero."""
        return None

    def _output(
        self, name: str, size: int, calc: Callable[[Context, BasicVector], None]
    ) -> None:
        """Declares an output that follows from the memory."""
        self.DeclareVectorOutputPort(name, size, weak(calc), {self.all_state_ticket()})

    def _read(self, context: Context) -> Any:
        return context.get_abstract_state(self._memory).get_value()

    def _sensed(self, context: Context) -> tuple[np.ndarray, np.ndarray, Plan]:
        """q and v as they are sensed, and the plan in force."""
        x, nq = self._state_port.Eval(context), self.robot.num_positions
        return x[:nq], x[nq:], self._plan_port.Eval(context)

    def _given_hands(self, context: Context) -> tuple[HandOffset, ...]:
        """Where hands are held elsewhere."""
        if not self._hands_port.HasValue(context):
            return ()
        hands: tuple[HandOffset, ...] = self._hands_port.Eval(context)
        return hands

    def _calc_command(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector(self._read(context).command)

    def _calc_acceleration(self, context: Context, output: BasicVector) -> None:
        found = self.acceleration(self._read(context))
        output.SetFromVector(np.zeros(output.size()) if found is None else found)

    def _calc_memory(self, context: Context, output: AbstractValue) -> None:
        output.set_value(self._read(context))

    def _update(self, context: Context, state: State) -> None:
        t, memory = context.get_time(), self._read(context)
        if self._is_lost is not None and self._is_lost(t):
            new = replace(memory, lost=memory.lost + 1)
        else:
            began = time.perf_counter()
            new = self.tick(t, context, memory)
            self.tick_times.append(time.perf_counter() - began)
        state.get_mutable_abstract_state(self._memory).set_value(new)
