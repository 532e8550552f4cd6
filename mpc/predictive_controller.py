"""PredictiveController: the slow loop as a Drake system."""

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from pydrake.common.value import AbstractValue
from pydrake.systems.framework import Context, LeafSystem, State

from models.configuration import Configuration
from models.rotations import quaternion_to_matrix, relative_log
from mpc.plan import Plan
from mpc.planning_time import carry
from mpc.predictive_program import PredictiveProgram
from mpc.recovery import Recovery
from mpc.reference import Reference, ReferenceSample
from mpc.stepping import next_swings


@dataclass(frozen=True)
class PredictiveMemory:
    """All memory of the predictive controller.

    Attributes:
        plan: the plan in force.
        plans: plans made.
        failures: solves that found no plan.
    """

    plan: Plan
    plans: int = 0
    failures: int = 0

    def __deepcopy__(self, memo: object) -> "PredictiveMemory":
        """Values in a Context may be shared, for nothing here ever changes."""
        return self


class Pending(Protocol):
    """A memory that somebody else is working on."""

    def result(self) -> PredictiveMemory:
        """Waits for it."""


class Planner(Protocol):
    """Somebody else who plans, such as another process."""

    def start(self, t: float, x: np.ndarray, memory: PredictiveMemory) -> Pending:
        """Begins what `PredictiveController.advance` would do."""


class PredictiveController(LeafSystem):
    """Plans forces, momentum and timing some fifty times a second.

    .. pydrake_system::

        name: PredictiveController
        input_ports:
        - state
        output_ports:
        - plan
        - memory

    `state` is the robot model's [q, v] (nq + nv). `plan` is a Plan, the latest
    one; when a solve fails the last good plan goes on and says so. `memory` is a
    PredictiveMemory with the counts.
    """

    def __init__(
        self,
        program: PredictiveProgram,
        period: float = 0.02,
        start_time: float = 0.0,
        recovery: Recovery | None = None,
        planning_time: float = 0.0,
        planner: Planner | None = None,
    ) -> None:
        """Makes the controller.

        Args:
            program: the program it solves.
            period: time between plans [s].
            start_time: time at which the behavior's phase is zero [s].
            recovery: when and how to step where the behavior stands; None never.
            planning_time: how much later than its state a plan takes effect [s], at
                most a period.
            planner: plans meanwhile in place of this; None plans at once.
        """
        super().__init__()
        self._program, self._start = program, start_time
        self._period, self._recovery = period, recovery
        self._planning_time, self._planner = planning_time, planner
        self._reference: Reference = program.reference
        robot = self._reference.robot
        self._sample = self._reference.make_sample()
        self._state_port = self.DeclareVectorInputPort(
            "state", robot.num_positions + robot.num_velocities
        )
        first = PredictiveMemory(program.rest(0.0, -start_time))
        self._memory = self.DeclareAbstractState(AbstractValue.Make(first))
        self.DeclareAbstractOutputPort(
            "plan",
            lambda: AbstractValue.Make(first.plan),
            self._calc_plan,
            {self.all_state_ticket()},
        )
        self.DeclareAbstractOutputPort(
            "memory",
            lambda: AbstractValue.Make(first),
            self._calc_memory,
            {self.all_state_ticket()},
        )
        self.DeclarePeriodicUnrestrictedUpdateEvent(period, 0.0, self._update)

    def _read(self, context: Context) -> PredictiveMemory:
        memory: PredictiveMemory | Pending = context.get_abstract_state(
            int(self._memory)
        ).get_value()
        return memory if isinstance(memory, PredictiveMemory) else memory.result()

    def _calc_plan(self, context: Context, output: AbstractValue) -> None:
        output.set_value(self._read(context).plan)

    def _calc_memory(self, context: Context, output: AbstractValue) -> None:
        output.set_value(self._read(context))

    def _update(self, context: Context, state: State) -> None:
        memory = self._read(context)
        advance = self._planner.start if self._planner else self.advance
        new = advance(context.get_time(), self._state_port.Eval(context), memory)
        state.get_mutable_abstract_state(int(self._memory)).set_value(new)

    def advance(
        self, t: float, x: np.ndarray, memory: PredictiveMemory
    ) -> PredictiveMemory:
        """One plan as a function of state and memory.

        Args:
            t: time of the state [s].
            x: (nq + nv) state.
            memory: with the plan in force from t until the new one takes effect.
        """
        robot, program = self._reference.robot, self._program
        s, when = memory.plan.phase_at(t), t + self._planning_time
        if not self._reference.patches:
            return replace(memory, plan=program.rest(when, when - self._start))
        plan = None
        if np.isfinite(x).all():
            q, v = x[: robot.num_positions], x[robot.num_positions :]
            reference = self._reference.sample(s, self._sample)
            now = Configuration(robot, q, v)
            deviation = measure_deviation(now, reference)
            shift = self._measure_shift(now, reference, memory.plan, s)
            if self._planning_time > 0:
                spin = robot.total_mass * np.linalg.inv(now.centroidal_inertia)
                delay = self._planning_time
                deviation = carry(deviation, memory.plan, t, delay, spin)
                s = memory.plan.phase_at(when)
            plan = self._plan(when - self._start, s, deviation, shift, memory.plan)
        if plan is None:
            carried = replace(
                memory.plan, status="no plan found, carried on", is_fresh=False
            )
            return PredictiveMemory(carried, memory.plans + 1, memory.failures + 1)
        return PredictiveMemory(
            replace(plan, time=when), memory.plans + 1, memory.failures
        )

    def _plan(
        self,
        t: float,
        s: float,
        deviation: np.ndarray,
        shift: np.ndarray,
        before: Plan,
    ) -> Plan | None:
        """A plan with the steps under way, or with recovery steps if those help."""
        program, reference = self._program, self._reference
        steps = tuple(w for w in before.steps if w.end > s)
        previous = before if before.is_fresh and before.iterations else None
        plan = program.solve(t, s, deviation, shift, steps, previous)
        if self._recovery is not None and not steps:
            elapsed = t + self._start - before.time
            plan = self._recovery.improve(
                program, t, s, deviation, shift, plan, before, elapsed
            )
        if plan is None:
            return None
        ahead = 1.3 * self._period
        swings = next_swings(
            reference,
            plan.steps,
            before.swings,
            s,
            ahead,
            shift,
            plan.shift,
            plan.phases,
        )
        return replace(plan, swings=swings)

    def _measure_shift(
        self, state: Configuration, reference: ReferenceSample, plan: Plan, s: float
    ) -> np.ndarray:
        """(S, 2) where the soles are, or where those in the air will land."""
        shift = np.zeros((len(self._reference.soles), 2))
        for i, c in enumerate(self._reference.soles):
            swing = next((w for w in plan.swings if w.contact == c), None)
            if swing is not None and swing.start <= s < swing.end:
                shift[i] = swing.landing
                continue
            place = state.pose(self._reference.patches[c]).translation()
            shift[i] = place[:2] - reference.p_contact[c, :2]
        return shift


def measure_deviation(state: Configuration, reference: ReferenceSample) -> np.ndarray:
    """(12,) measured minus reference: CoM, its velocity, momentum/mass, rotation.

    The body's rotation is the mean of base and trunk, so that neither a bent
    waist nor a leaning pelvis alone counts as a fallen body.
    """
    robot = state.robot
    momentum = state.momentum / robot.total_mass
    R_base, base, trunk = np.zeros((3, 3)), np.zeros(3), np.zeros(3)
    R_ref = np.zeros((3, 3))
    quaternion_to_matrix(state.q, R_base)
    quaternion_to_matrix(reference.q, R_ref)
    relative_log(R_base, R_ref, base)
    R_trunk = state.pose(robot.trunk).rotation().matrix()
    relative_log(R_trunk, reference.R_trunk, trunk)
    return np.r_[
        state.center_of_mass - reference.com[0],
        momentum[3:] - reference.com[1],
        momentum[:3] - reference.momentum[0] / robot.total_mass,
        0.5 * (base + trunk),
    ]
