"""PredictiveController: `PredictiveCore` as a Drake system."""

from typing import Protocol

import numpy as np
from pydrake.common.value import AbstractValue
from pydrake.systems.framework import BasicVector, Context, State

from backbeat.models.common.collectable_system import CollectableSystem, weak
from backbeat.mpc.plans.explanation import PlanExplanation
from backbeat.mpc.plans.weights import PredictiveWeights
from backbeat.mpc.predictive.core import PredictiveCore
from backbeat.mpc.predictive.memory import PredictiveMemory
from backbeat.mpc.predictive.plan_explanation import explain_plan
from backbeat.mpc.predictive.program import PredictiveProgram
from backbeat.mpc.predictive.recovery import STEPPING, Recovery
from backbeat.mpc.predictive.settings import PlanSettings, TempoRamp


class Pending(Protocol):
    """A memory that is computed elsewhere."""

    def result(self) -> PredictiveMemory:
        """Waits for it."""


class Planner(Protocol):
    """Another planner, such as one in another process."""

    def start(
        self,
        t: float,
        q: np.ndarray,
        v: np.ndarray,
        memory: PredictiveMemory,
        force: np.ndarray | None = None,
        settings: PlanSettings | None = None,
    ) -> Pending | PredictiveMemory:
        """Begins what `PredictiveCore` would do, or does it."""


class PredictiveController(CollectableSystem):
    """Plans forces, momentum and timing some fifty times a second.

    .. pydrake_system::

        name: PredictiveController
        input_ports:
        - state
        - normal_forces
        - settings
        output_ports:
        - plan
        - fallen
        - memory

    `state` is the robot model's [q, v] (nq + nv). `normal_forces` (S) are those on its
    soles in the order of its description [N]; it may be left unconnected, and then
    every foot is taken to land when the plan has it. `settings` is the PlanSettings
    that hold now; unconnected, what the program was made for does. `plan` is a Plan,
    the latest one; when a solve fails an older one stays in force, with that in its
    status. `fallen` (1) is 1 from when it has declared a fall. `memory` is a
    PredictiveMemory with the counts.

    Attributes:
        core: what it computes, as a pure function.
    """

    def __init__(
        self,
        program: PredictiveProgram,
        period: float = 0.02,
        start_time: float = 0.0,
        recovery: Recovery | None = STEPPING,
        planning_time: float = 0.0,
        planner: Planner | None = None,
        weights: PredictiveWeights | None = None,
    ) -> None:
        """Makes the controller.

        Args:
            program, period, start_time, recovery: as of `PredictiveCore`.
            planning_time: how much later than its state a plan takes effect [s].
            planner: plans meanwhile in place of this; None plans at once.
            weights: what settings adapt; None for those that ship.
        """
        super().__init__()
        self.core = PredictiveCore(
            program,
            period,
            start_time,
            recovery,
            planning_time=planning_time,
            weights=weights,
        )
        self.plan_with(planner)
        robot = program.reference.robot
        self._nq = robot.num_positions
        self._state_port = self.DeclareVectorInputPort(
            "state", robot.num_positions + robot.num_velocities
        )
        # In a behavior with steps, patches are soles; in others this is not used.
        names = [program.reference.patches[c] for c in program.reference.soles]
        self._soles = [robot.soles.index(name) for name in names]
        self._force_port = self.DeclareVectorInputPort(
            "normal_forces", len(robot.soles)
        )
        self._settings_port = self.DeclareAbstractInputPort(
            "settings", AbstractValue.Make(PlanSettings())
        )
        first = self.core.start()
        self._memory = int(self.DeclareAbstractState(AbstractValue.Make(first)))
        state = {self.all_state_ticket()}
        self.DeclareAbstractOutputPort(
            "plan", lambda: AbstractValue.Make(first.plan), weak(self._calc_plan), state
        )
        self.DeclareVectorOutputPort("fallen", 1, weak(self._calc_fallen), state)
        self.DeclareAbstractOutputPort(
            "memory", lambda: AbstractValue.Make(first), weak(self._calc_memory), state
        )
        self.DeclarePeriodicUnrestrictedUpdateEvent(period, 0.0, weak(self._update))

    def plan_with(self, planner: Planner | None) -> None:
        """Has another planner plan from now on; None for the step itself."""
        self._begin = planner.start if planner else self.core

    def _read(self, context: Context) -> PredictiveMemory:
        memory: PredictiveMemory | Pending = context.get_abstract_state(
            self._memory
        ).get_value()
        return memory if isinstance(memory, PredictiveMemory) else memory.result()

    def _calc_plan(self, context: Context, output: AbstractValue) -> None:
        output.set_value(self._read(context).plan)

    def _calc_fallen(self, context: Context, output: BasicVector) -> None:
        fell_at = self._read(context).safety.fell_at
        output.SetFromVector([float(fell_at is not None)])

    def _calc_memory(self, context: Context, output: AbstractValue) -> None:
        output.set_value(self._read(context))

    def explain(self, context: Context) -> PlanExplanation:
        """What the plan in force costs and what limits it."""
        memory = self._read(context)
        plan, settings = memory.plan, memory.settings
        program = self.core.program_for(settings)
        self.core.follow(program, plan.walk)
        tempo = settings.tempo if settings else TempoRamp()
        return explain_plan(program, plan, self.core.start_time, tempo=tempo)

    def _settings(self, context: Context) -> PlanSettings | None:
        if not self._settings_port.HasValue(context):
            return None
        settings: PlanSettings = self._settings_port.Eval(context)
        return settings

    def _update(self, context: Context, state: State) -> None:
        x = self._state_port.Eval(context)
        t, nq = context.get_time(), self._nq
        force = None
        if self._force_port.HasValue(context):
            force = self._force_port.Eval(context)[self._soles]
        new = self._begin(
            t, x[:nq], x[nq:], self._read(context), force, self._settings(context)
        )
        state.get_mutable_abstract_state(self._memory).set_value(new)
