"""PredictiveController: the slow loop as a Drake system."""

from pydrake.common.value import AbstractValue
from pydrake.systems.framework import BasicVector, Context, LeafSystem, State

from mpc.explanation import PlanExplanation
from mpc.plan_explanation import explain_plan
from mpc.predictive_program import PredictiveProgram
from mpc.predictive_step import PredictiveMemory, PredictiveStep
from mpc.recovery import Recovery


class PredictiveController(LeafSystem):
    """Plans forces, momentum and timing some fifty times a second.

    .. pydrake_system::

        name: PredictiveController
        input_ports:
        - state
        - normal_forces
        output_ports:
        - plan
        - fallen
        - memory

    `state` is the robot model's [q, v] (nq + nv). `normal_forces` (S) are those on its
    soles in the order of its description [N]; it may be left unconnected, and then
    every foot is taken to land when the plan has it. `plan` is a Plan, the latest
    one; when a solve fails an older one goes on and says so. `fallen` (1) is 1 from
    when it has declared a fall. `memory` is a PredictiveMemory with the counts.

    Attributes:
        step: what it computes, as a pure function.
    """

    def __init__(
        self,
        program: PredictiveProgram,
        period: float = 0.02,
        start_time: float = 0.0,
        recovery: Recovery | None = None,
    ) -> None:
        """Makes the controller; its arguments are those of `PredictiveStep`."""
        super().__init__()
        self.step = PredictiveStep(program, period, start_time, recovery)
        robot = program.reference.robot
        self._nq = robot.num_positions
        self._state_port = self.DeclareVectorInputPort(
            "state", robot.num_positions + robot.num_velocities
        )
        # In a behavior that steps, patches are soles; in another nobody asks.
        names = [program.reference.patches[c] for c in program.reference.soles]
        self._soles = [robot.soles.index(name) for name in names]
        self._force_port = self.DeclareVectorInputPort(
            "normal_forces", len(robot.soles)
        )
        first = self.step.start()
        self._memory = self.DeclareAbstractState(AbstractValue.Make(first))
        state = {self.all_state_ticket()}
        self.DeclareAbstractOutputPort(
            "plan", lambda: AbstractValue.Make(first.plan), self._calc_plan, state
        )
        self.DeclareVectorOutputPort("fallen", 1, self._calc_fallen, state)
        self.DeclareAbstractOutputPort(
            "memory", lambda: AbstractValue.Make(first), self._calc_memory, state
        )
        self.DeclarePeriodicUnrestrictedUpdateEvent(period, 0.0, self._update)

    def _read(self, context: Context) -> PredictiveMemory:
        memory: PredictiveMemory = context.get_abstract_state(
            int(self._memory)
        ).get_value()
        return memory

    def _calc_plan(self, context: Context, output: AbstractValue) -> None:
        output.set_value(self._read(context).plan)

    def _calc_fallen(self, context: Context, output: BasicVector) -> None:
        fell_at = self._read(context).safety.fell_at
        output.SetFromVector([float(fell_at is not None)])

    def _calc_memory(self, context: Context, output: AbstractValue) -> None:
        output.set_value(self._read(context))

    def explain(self, context: Context) -> PlanExplanation:
        """What the plan in force costs and what limits it."""
        plan = self._read(context).plan
        return explain_plan(self.step.program, plan, self.step.start_time)

    def _update(self, context: Context, state: State) -> None:
        x = self._state_port.Eval(context)
        t, nq = context.get_time(), self._nq
        force = None
        if self._force_port.HasValue(context):
            force = self._force_port.Eval(context)[self._soles]
        new = self.step(t, x[:nq], x[nq:], self._read(context), force)
        state.get_mutable_abstract_state(int(self._memory)).set_value(new)
