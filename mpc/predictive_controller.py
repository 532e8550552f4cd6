"""PredictiveController: the slow loop as a Drake system."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from pydrake.common.value import AbstractValue
from pydrake.systems.framework import Context, LeafSystem, State

from models.configuration import Configuration
from models.rotations import quaternion_to_matrix, relative_log
from mpc.plan import Plan
from mpc.predictive_program import PredictiveProgram
from mpc.recovery import Recovery
from mpc.reference import Reference, ReferenceSample
from mpc.stepping import next_swings, swing_of
from mpc.touchdown import EARLY, Touchdown, delay_steps, find_touchdowns

# How fast the body follows the ground up and down [m/s].
GROUND_SPEED = 0.15


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


class PredictiveController(LeafSystem):
    """Plans forces, momentum and timing some fifty times a second.

    .. pydrake_system::

        name: PredictiveController
        input_ports:
        - state
        - normal_forces
        output_ports:
        - plan
        - memory

    `state` is the robot model's [q, v] (nq + nv). `normal_forces` are those on its
    patches in the order of its description [N]; it may be left unconnected, and then
    every foot is taken to land when the plan has it. `plan` is a Plan, the latest
    one; when a solve fails the last good plan goes on and says so. `memory` is a
    PredictiveMemory with the counts.
    """

    def __init__(
        self,
        program: PredictiveProgram,
        period: float = 0.02,
        start_time: float = 0.0,
        recovery: Recovery | None = None,
    ) -> None:
        """Makes the controller.

        Args:
            program: the program it solves.
            period: time between plans [s].
            start_time: time at which the behavior's phase is zero [s].
            recovery: when and how to step where the behavior stands; None never.
        """
        super().__init__()
        self._program, self._start = program, start_time
        self._recovery = recovery
        # Phase until the next plan is surely in force.
        self._ahead = 1.3 * period
        self._reference: Reference = program.reference
        robot = self._reference.robot
        self._sample = self._reference.make_sample()
        self._state_port = self.DeclareVectorInputPort(
            "state", robot.num_positions + robot.num_velocities
        )
        patches = [n for n, c in robot.contacts.items() if not c.is_point]
        self._patches = [patches.index(n) for n in self._reference.patches]
        self._force_port = self.DeclareVectorInputPort("normal_forces", len(patches))
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
        memory: PredictiveMemory = context.get_abstract_state(
            int(self._memory)
        ).get_value()
        return memory

    def _calc_plan(self, context: Context, output: AbstractValue) -> None:
        output.set_value(self._read(context).plan)

    def _calc_memory(self, context: Context, output: AbstractValue) -> None:
        output.set_value(self._read(context))

    def _update(self, context: Context, state: State) -> None:
        memory = self._read(context)
        force = None
        if self._force_port.HasValue(context):
            force = self._force_port.Eval(context)[self._patches]
        x = self._state_port.Eval(context)
        new = self._advance(context.get_time(), x, memory, force)
        state.get_mutable_abstract_state(int(self._memory)).set_value(new)

    def _advance(
        self,
        t: float,
        x: np.ndarray,
        memory: PredictiveMemory,
        force: np.ndarray | None = None,
    ) -> PredictiveMemory:
        robot, program = self._reference.robot, self._program
        s = memory.plan.phase_at(t)
        if not self._reference.patches:
            return replace(memory, plan=program.rest(t, t - self._start))
        plan = None
        if np.isfinite(x).all():
            q, v = x[: robot.num_positions], x[robot.num_positions :]
            reference = self._reference.sample(s, self._sample)
            now, before = Configuration(robot, q, v), memory.plan
            ground = self._measure_ground(now, reference, before, t, force)
            touchdowns: tuple[Touchdown, ...] = ()
            if force is not None:
                touchdowns = find_touchdowns(
                    self._reference,
                    before.steps,
                    before.touchdowns,
                    s,
                    self._ahead,
                    force,
                )
            deviation = measure_deviation(now, reference)
            deviation[2] -= ground
            plan = self._plan(
                t - self._start,
                s,
                deviation,
                self._measure_shift(now, reference, before, s, touchdowns),
                before,
                touchdowns,
            )
        if plan is None:
            carried = replace(
                memory.plan, status="no plan found, carried on", is_fresh=False
            )
            return PredictiveMemory(carried, memory.plans + 1, memory.failures + 1)
        return PredictiveMemory(
            replace(plan, time=t, ground=ground),
            memory.plans + 1,
            memory.failures,
        )

    def _plan(
        self,
        t: float,
        s: float,
        deviation: np.ndarray,
        shift: np.ndarray,
        before: Plan,
        touchdowns: Sequence[Touchdown],
    ) -> Plan | None:
        """A plan with the steps under way, or with recovery steps if those help."""
        program, reference = self._program, self._reference
        steps = delay_steps(before.steps, touchdowns, s)
        steps = tuple(w for w in steps if w.end > s)
        swinging = any(swing_of(reference, (), c, s) for c in reference.soles)
        if steps and swinging and steps[0].start > s + self._ahead:
            # They begin when the behavior's own swing ends: decided again until then.
            steps = ()
        previous = before if before.is_fresh and before.iterations else None
        plan = program.solve(t, s, deviation, shift, steps, previous, touchdowns)
        if self._recovery is not None and not steps:
            elapsed = t + self._start - before.time
            plan = self._recovery.improve(
                program,
                t,
                s,
                deviation,
                shift,
                plan,
                before,
                elapsed,
                touchdowns,
            )
        if plan is None:
            return None
        swings = next_swings(
            reference,
            plan.steps,
            before.swings,
            s,
            self._ahead,
            shift,
            plan.shift,
            plan.phases,
            touchdowns,
        )
        return replace(plan, swings=swings)

    def _measure_ground(
        self,
        state: Configuration,
        reference: ReferenceSample,
        plan: Plan,
        t: float,
        force: np.ndarray | None,
    ) -> float:
        """Height of the lowest sole that stands, minus planned, as it is followed."""
        if force is None or not self._reference.soles:
            return plan.ground
        heights = [
            state.pose(self._reference.patches[c]).translation()[2]
            - reference.p_contact[c, 2]
            for c in self._reference.soles
            if reference.standing[c] and force[c] > EARLY
        ]
        most = GROUND_SPEED * (t - plan.time)
        if not heights:
            return plan.ground
        return plan.ground + float(np.clip(min(heights) - plan.ground, -most, most))

    def _measure_shift(
        self,
        state: Configuration,
        reference: ReferenceSample,
        plan: Plan,
        s: float,
        touchdowns: Sequence[Touchdown],
    ) -> np.ndarray:
        """(S, 2) where the soles are, or where those in the air will land."""
        shift = np.zeros((len(self._reference.soles), 2))
        for i, c in enumerate(self._reference.soles):
            swing = next((w for w in plan.swings if w.contact == c), None)
            down = next((d for d in touchdowns if d.contact == c), None)
            is_late = down is not None and not down.stands
            in_the_air = swing is not None and swing.start <= s < swing.end
            if swing is not None and (is_late or (in_the_air and down is None)):
                shift[i] = swing.landing
                continue
            planned = reference.p_contact[c] if down is None else down.place
            place = state.pose(self._reference.patches[c]).translation()
            shift[i] = place[:2] - planned[:2]
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
