"""WholeBodyController: `WholeBodyCore` as a Drake system."""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from pydrake.common.value import AbstractValue
from pydrake.systems.framework import BasicVector, Context, State

from backbeat.models.actuation.joint_command import BLOCKS
from backbeat.models.common.collectable_system import CollectableSystem, weak
from backbeat.mpc.plans.explanation import TickExplanation
from backbeat.mpc.plans.hand_offset import HandOffset
from backbeat.mpc.plans.plan import Plan, empty_plan
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.whole_body.core import WholeBodyCore
from backbeat.mpc.whole_body.memory import WholeBodyMemory
from backbeat.mpc.whole_body.programs.momentum import WholeBodyProgram
from backbeat.mpc.whole_body.programs.upper_body import UpperBody
from backbeat.mpc.whole_body.tick_explanation import explain_tick
from backbeat.mpc.whole_body.timing import TickTiming

HandMotion = Callable[[float, np.ndarray, HandOffset | None], np.ndarray]


class WholeBodyController(CollectableSystem):
    """Turns a plan and the state into joint commands, 500 times a second or more.

    .. pydrake_system::

        name: WholeBodyController
        input_ports:
        - state
        - plan
        - hands
        output_ports:
        - command
        - contact_wrenches
        - joint_acceleration
        - edges
        - fallen
        - memory

    `state` is the robot model's [q, v] (nq + nv), `plan` a Plan. `hands` is a tuple of
    HandOffset; it may be left unconnected, and no hand is held elsewhere. `command` is
    a `backbeat.models.actuation.joint_command` (9 nj). `contact_wrenches` (6 C) are the
    wrenches the controller counts on, in patch axes [N m, N], of patches on an edge
    about that, `joint_acceleration` (nj) what it makes the joints do [rad/s^2], `edges`
    (S) how far ahead of the middles of the robot's soles the edges are on which those
    are to stand [m], 0 of flat ones. `fallen` (1) is 1 from when it has
    declared a fall. `memory` is a WholeBodyMemory with the counts.

    Attributes:
        core: what it computes, as a pure function.
        tick_times: wall times [s] for measurements; results do not depend on them.
    """

    def __init__(
        self,
        program: WholeBodyProgram,
        reference: Reference,
        timing: TickTiming | None = None,
        start_time: float = 0.0,
        upper: UpperBody | None = None,
        motion: HandMotion | None = None,
        is_lost: Callable[[float], bool] | None = None,
    ) -> None:
        """Makes the controller.

        Args:
            program, reference, timing, upper: as of `WholeBodyCore`.
            start_time: time at which the behavior's phase is zero [s].
            motion: (3, 3) place, velocity and acceleration of what the upper body's
                hand follows, at a time of the behavior [s], with where it begins
                (3,) [m] and an offset in the settings; None without one.
            is_lost: says of a time [s] whether its tick is lost: nothing is computed
                then, and the command in force goes on; None for never.
        """
        super().__init__()
        self.core = WholeBodyCore(program, reference, timing, upper=upper)
        self._upper, self._motion = upper, motion
        self._start, self._is_lost = start_time, is_lost
        robot = self.robot = reference.robot
        C, nj = len(program.contacts), robot.num_joints
        self._state_port = self.DeclareVectorInputPort(
            "state", robot.num_positions + robot.num_velocities
        )
        self._plan_port = self.DeclareAbstractInputPort(
            "plan", AbstractValue.Make(empty_plan())
        )
        self._hands_port = self.DeclareAbstractInputPort(
            "hands", AbstractValue.Make(())
        )
        first = self.core.start()
        self._memory = int(self.DeclareAbstractState(AbstractValue.Make(first)))
        state = {self.all_state_ticket()}
        self.DeclareVectorOutputPort(
            "command", BLOCKS * nj, weak(self._calc_command), state
        )
        self.DeclareVectorOutputPort(
            "contact_wrenches", 6 * C, weak(self._calc_wrenches), state
        )
        self.DeclareVectorOutputPort(
            "joint_acceleration", nj, weak(self._calc_acceleration), state
        )
        self.DeclareVectorOutputPort(
            "edges", len(robot.soles), weak(self._calc_edges), state
        )
        self.DeclareVectorOutputPort("fallen", 1, weak(self._calc_fallen), state)
        self.DeclareAbstractOutputPort(
            "memory", lambda: AbstractValue.Make(first), weak(self._calc_memory), state
        )
        self.DeclarePeriodicUnrestrictedUpdateEvent(
            self.core.period, 0.0, weak(self._update)
        )
        self.tick_times: list[float] = []

    def _read(self, context: Context) -> WholeBodyMemory:
        memory: WholeBodyMemory = context.get_abstract_state(self._memory).get_value()
        return memory

    def _calc_command(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector(self._read(context).command)

    def _calc_wrenches(self, context: Context, output: BasicVector) -> None:
        wrench = self._read(context).wrench * self.robot.weight
        output.SetFromVector(wrench.ravel())

    def _calc_acceleration(self, context: Context, output: BasicVector) -> None:
        acceleration = self._read(context).acceleration
        nothing = np.zeros(self.robot.num_joints)
        output.SetFromVector(nothing if acceleration is None else acceleration)

    def _calc_edges(self, context: Context, output: BasicVector) -> None:
        edge, contacts = self._read(context).edge, self.core.program.contacts
        found = np.zeros(output.size())
        if edge is not None:
            for i, name in enumerate(self.robot.soles):
                found[i] = edge[contacts.index(name)] if name in contacts else 0.0
        output.SetFromVector(found)

    def _calc_fallen(self, context: Context, output: BasicVector) -> None:
        fell_at = self._read(context).safety.fell_at
        output.SetFromVector([float(fell_at is not None)])

    def _calc_memory(self, context: Context, output: AbstractValue) -> None:
        output.set_value(self._read(context))

    def explain(self, context: Context) -> TickExplanation:
        """What a tick would do now, in the controller's own context, and why."""
        x, nq = self._state_port.Eval(context), self.robot.num_positions
        plan: Plan = self._plan_port.Eval(context)
        t, memory, hands = context.get_time(), self._read(context), self._hands(context)
        target = self._target(context)
        return explain_tick(self.core, t, x[:nq], x[nq:], plan, memory, hands, target)

    def _hands(self, context: Context) -> Mapping[str, np.ndarray]:
        """How far hands shall be from where the behavior has them, by name [m]."""
        if not self._hands_port.HasValue(context):
            return {}
        hands: tuple[HandOffset, ...] = self._hands_port.Eval(context)
        if not hands:
            return {}
        # The upper body has its own.
        own = None if self._upper is None else self._upper.part
        now = context.get_time() - self._start
        return {hand.part: hand.at(now) for hand in hands if hand.part != own}

    def _target(self, context: Context) -> np.ndarray | None:
        """(3, 3) what the upper body's hand follows now; None without one."""
        upper = self._upper
        if upper is None or self._motion is None:
            return None
        hands: tuple[HandOffset, ...] = ()
        if self._hands_port.HasValue(context):
            hands = self._hands_port.Eval(context)
        own = next((hand for hand in hands if hand.part == upper.part), None)
        # A command holds until the next tick: the target is that of its middle.
        t = context.get_time() + 0.5 * self.core.period - self._start
        return self._motion(t, upper.hand_start, own)

    def _update(self, context: Context, state: State) -> None:
        if self._is_lost is not None and self._is_lost(context.get_time()):
            memory = self._read(context)
            kept = replace(memory, lost=memory.lost + 1)
            state.get_mutable_abstract_state(self._memory).set_value(kept)
            return
        started = time.perf_counter()
        x = self._state_port.Eval(context)
        plan: Plan = self._plan_port.Eval(context)
        nq = self.robot.num_positions
        t = context.get_time()
        memory, hands = self._read(context), self._hands(context)
        target = self._target(context)
        new = self.core(t, x[:nq], x[nq:], plan, memory, hands, target)
        state.get_mutable_abstract_state(self._memory).set_value(new)
        self.tick_times.append(time.perf_counter() - started)
