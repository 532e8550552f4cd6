"""WholeBodyController: `WholeBodyCore` as a Drake system."""

from collections.abc import Callable, Mapping

import numpy as np
from pydrake.common.value import AbstractValue
from pydrake.systems.framework import BasicVector, Context

from backbeat.mpc.plans.explanation import TickExplanation
from backbeat.mpc.plans.hand_offset import HandOffset
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.whole_body.core import WholeBodyCore
from backbeat.mpc.whole_body.memory import WholeBodyMemory
from backbeat.mpc.whole_body.programs.momentum import WholeBodyProgram, gains_of
from backbeat.mpc.whole_body.programs.tasks import STANCE_GAINS, WholeBodyGains
from backbeat.mpc.whole_body.programs.upper_body import UpperBody
from backbeat.mpc.whole_body.tick_explanation import explain_tick
from backbeat.mpc.whole_body.tick_system import TickSystem
from backbeat.mpc.whole_body.timing import TickTiming

Gains = tuple[WholeBodyGains, WholeBodyGains]
HandMotion = Callable[[float, np.ndarray, HandOffset | None], np.ndarray]


class WholeBodyController(TickSystem):
    """Turns a plan and the state into joint commands, 500 times a second or more.

    .. pydrake_system::

        name: WholeBodyController
        output_ports:
        - contact_wrenches
        - edges
        - fallen
        input_ports:
        - gains

    Besides the ports of `TickSystem`, `contact_wrenches` (6 C) are the wrenches the
    controller counts on, in patch axes [N m, N], of patches on an edge about that,
    `edges` (S) how far ahead of the middles of the robot's soles the edges are on which
    those are to stand [m], 0 of flat ones. `fallen` (1) is 1 from when it has declared
    a fall. `memory` is a WholeBodyMemory with the counts. `gains` are weights and gains
    that are not those that it was made with, a tuple of (section.key, value); it may be
    left unconnected, and there are none.

    Attributes:
        core: what it computes, as a pure function.
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
        gains: Gains | None = None,
    ) -> None:
        """Makes the controller.

        Args:
            program, reference, timing, upper: as of `WholeBodyCore`.
            start_time: time at which the behavior's phase is zero [s].
            motion: (3, 3) place, velocity and acceleration of what the upper body's
                hand follows, at a time of the behavior [s], with where it begins
                (3,) [m] and an offset in the settings; None without one.
            is_lost: as of `TickSystem`.
            gains: that the program was made with, at a scale of one, and in stance;
                None for those that ship.
        """
        self.core = WholeBodyCore(program, reference, timing, upper=upper)
        super().__init__(reference.robot, self.core.start(), self.core.period, is_lost)
        self._upper, self._motion, self._start = upper, motion, start_time
        self._gains, self._changes = gains or (WholeBodyGains(), STANCE_GAINS), ()
        self._gains_port = self.DeclareAbstractInputPort(
            "gains", AbstractValue.Make(())
        )
        self._output("contact_wrenches", 6 * len(program.contacts), self._calc_wrenches)
        self._output("edges", len(self.robot.soles), self._calc_edges)
        self._output("fallen", 1, self._calc_fallen)

    def acceleration(self, memory: WholeBodyMemory) -> np.ndarray | None:
        """(nj,) of the last solution [rad/s^2]; None without one."""
        return memory.acceleration

    def _calc_wrenches(self, context: Context, output: BasicVector) -> None:
        wrench = self._read(context).wrench * self.robot.weight
        output.SetFromVector(wrench.ravel())

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

    def tick(
        self, t: float, context: Context, memory: WholeBodyMemory
    ) -> WholeBodyMemory:
        """A tick of the core."""
        self._weigh(context)
        hands, target = self._hands(context), self._target(context)
        return self.core(t, *self._sensed(context), memory, hands, target)

    def explain(self, context: Context) -> TickExplanation:
        """What a tick would do now, in the controller's own context, and why."""
        t, memory = context.get_time(), self._read(context)
        hands, target = self._hands(context), self._target(context)
        self._weigh(context)
        sensed = self._sensed(context)
        return explain_tick(self.core, t, *sensed, memory, hands, target)

    def _weigh(self, context: Context) -> None:
        """Has the program take the weights and gains that hold now."""
        changes = ()
        if self._gains_port.HasValue(context):
            changes = self._gains_port.Eval(context)
        if changes != self._changes:
            self._changes, upper = changes, self._upper
            self.core.program.weigh(*gains_of(self.robot, self._gains, upper, changes))

    def _hands(self, context: Context) -> Mapping[str, np.ndarray]:
        """How far hands shall be from where the behavior has them, by name [m]."""
        # The upper body has its own.
        own = None if self._upper is None else self._upper.part
        now = context.get_time() - self._start
        given = self._given_hands(context)
        return {hand.part: hand.at(now) for hand in given if hand.part != own}

    def _target(self, context: Context) -> np.ndarray | None:
        """(3, 3) what the upper body's hand follows now; None without one."""
        upper = self._upper
        if upper is None or self._motion is None:
            return None
        given = self._given_hands(context)
        own = next((hand for hand in given if hand.part == upper.part), None)
        # A command holds until the next tick: the target is that of its middle.
        t = context.get_time() + 0.5 * self.core.period - self._start
        return self._motion(t, upper.hand_start, own)
