"""PredictiveCore: the predictive controller as a pure function of state and memory.

    core = PredictiveCore(program)
    memory = core.start()
    memory = core(t, q, v, memory)    # memory.plan is an input of the whole-body core

No diagram, context or simulator is needed; `PredictiveController` is the same as a
Drake system.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from backbeat.models.state.check import is_state
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.driving.steered_plan import steered
from backbeat.mpc.horizon.landing import find_landings
from backbeat.mpc.plans.external_force import (
    estimate_external_acceleration,
    estimate_external_force,
)
from backbeat.mpc.plans.friction_scale import estimate_friction_scale
from backbeat.mpc.plans.measurement import (
    measure_deviation,
    measure_shift,
    measure_soles,
)
from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.plans.planning_time import carry
from backbeat.mpc.plans.start import PlanStart
from backbeat.mpc.plans.stepping import swing_of
from backbeat.mpc.plans.swings import next_swings
from backbeat.mpc.plans.touchdown import delay_steps
from backbeat.mpc.plans.weights import PredictiveWeights
from backbeat.mpc.predictive.fallback import fall_back
from backbeat.mpc.predictive.memory import PredictiveMemory
from backbeat.mpc.predictive.program import PredictiveProgram
from backbeat.mpc.predictive.recovery import STEPPING, Recovery
from backbeat.mpc.predictive.settings import PlanSettings, TempoRamp
from backbeat.mpc.reference.sampling import ReferenceSample
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.safety.fail_safe import (
    Cause,
    FailSafe,
    Failure,
    Mode,
    advance,
    attempt,
)
from backbeat.mpc.safety.fall_detection import FallLimits, fall_signs
from backbeat.mpc.walking.walk import Velocity, Walk
from backbeat.mpc.walking.writer import reference_on
from backbeat.optimization.terms.changes import changed, of_section

# A plan covers 1.3 s; without feedback its prediction gets less and less accurate, and
# it is used for so long [s].
CARRY = 0.5
# Pushes are estimated for a balanced robot only: later, contact forces below those of
# the plan would be taken for a lasting push. DCM error of a balanced robot [m], and
# time after it in which a push may be detected [s], for a scale of one.
BALANCED, PUSHED = 0.06, 0.2
# How many programs of recent settings are kept: a slider that is moved needs many.
KEPT = 8


class _Measured(NamedTuple):
    """Measurements from which a plan is made."""

    t: float  # time [s]
    s: float  # phase of the behavior [s]
    now: Configuration  # the robot
    sample: ReferenceSample  # the behavior at s
    force: np.ndarray | None  # (C,) normal forces on patches [N]


class PredictiveCore:
    """Plans forces, momentum and timing; equal calls give equal results.

    When no plan is found, the last one stays in force for a while, then the behavior
    itself, from the present places of the feet; after a fall nothing is planned.
    `backbeat.mpc.safety.fail_safe` defines these modes.

    Attributes:
        program: the program it solves.
        reference: the behavior.
        period: time between plans [s].
        start_time: time at which the behavior's phase is zero [s].
        limits: durations of the modes without a solved program.
        fall_limits: thresholds of the detection of falls.
    """

    def __init__(
        self,
        program: PredictiveProgram,
        period: float = 0.02,
        start_time: float = 0.0,
        recovery: Recovery | None = STEPPING,
        limits: FailSafe | None = None,
        fall_limits: FallLimits | None = None,
        planning_time: float = 0.0,
        weights: PredictiveWeights | None = None,
    ) -> None:
        """Makes the function.

        Args:
            program: the program it solves.
            period: time between plans [s].
            start_time: time at which the behavior's phase is zero [s].
            recovery: when and how to step where the behavior stands; None for a
                robot whose feet never leave the ground otherwise than planned.
            limits: durations of the modes without a solved program.
            fall_limits: thresholds of the detection of falls.
            planning_time: how much later than its state a plan takes effect [s], at
                most a period.
            weights: base weights, which settings modify; None for the defaults.
        """
        self.program, self.period, self._steps = program, period, recovery
        self._given = weights or PredictiveWeights()
        self._weights = self._given.for_leg(program.weights.leg)
        self._programs: dict[PredictiveWeights, PredictiveProgram] = {}
        # What was asked for last, for that is asked for again, and its program.
        self._adapted: tuple[PlanSettings, PredictiveProgram] | None = None
        self.reference: Reference = program.reference
        self.limits = limits or FailSafe(carry=CARRY)
        self.fall_limits = fall_limits or FallLimits()
        self._recovery = self._usual = recovery and recovery.at(self.reference.scale)
        self.start_time, self._planning_time = start_time, planning_time
        self._base, self._sample = self.reference, self.reference.sampler()
        # Overwritten by the measured state at each plan.
        self._now = Configuration(self.reference.robot, self.reference.table.q[0])

    def program_for(self, settings: PlanSettings | None) -> PredictiveProgram:
        """The program with settings; None for the initial one.

        Recent ones are cached, which does not influence results.
        """
        if settings is None:
            return self.program
        if self._adapted is None or self._adapted[0] is not settings:
            self._adapted = settings, self._adapt(settings)
        return self._adapted[1]

    def _adapt(self, settings: PlanSettings) -> PredictiveProgram:
        """The program with settings."""
        weights = settings.adapt(self._given if settings.weights else self._weights)
        if weights == self.program.weights:
            return self.program
        found = self._programs.pop(weights, None)
        found = found or PredictiveProgram(self.reference, weights)
        self._programs[weights] = found
        while len(self._programs) > KEPT:
            del self._programs[next(iter(self._programs))]
        return found

    def _recovery_for(self, settings: PlanSettings | None) -> Recovery | None:
        told = of_section(settings.weights, "recovery") if settings else {}
        of = self._steps
        return changed(of, told).at(self._base.scale) if of and told else self._usual

    def start(self) -> PredictiveMemory:
        """Memory before the first plan."""
        return PredictiveMemory(self.program.rest(0.0, -self.start_time))

    def __call__(
        self,
        t: float,
        q: np.ndarray,
        v: np.ndarray,
        memory: PredictiveMemory,
        force: np.ndarray | None = None,
        settings: PlanSettings | None = None,
    ) -> PredictiveMemory:
        """One plan.

        Args:
            t: time [s].
            q: (nq,) configuration of the robot model.
            v: (nv,) its velocity.
            memory: what the last step returned.
            force: (C,) normal forces on the behavior's patches [N]; without them
                every foot is taken to land when the plan has it.
            settings: of the plan; None for those of the initial program, at the
                authored tempo.

        Returns:
            The memory after it, with the plan in force from a planning time later.
        """
        program, before = self.program_for(settings), memory.plan
        self._recovery = self._recovery_for(settings)
        if settings is not None and settings.drive is not None:
            before = self._steered(t, q, v, before, settings.drive)
        self.follow(program, before.walk)
        tempo = settings.tempo if settings else TempoRamp()
        when = t + self._planning_time
        if not self.reference.patches:
            plan = self._unhindered(program, when, tempo)
            return replace(memory, plan=plan, plans=memory.plans + 1, settings=settings)
        if memory.safety.mode is Mode.FALLEN:
            return replace(memory, plans=memory.plans + 1)
        s = before.phase_at(t)
        found: Plan | Failure = Failure(Cause.STATE)
        fall = ""
        if is_state(q, v, self.reference.robot.floating):
            sample = self._sample(s)
            now = self._now.update(q, v)
            fall = fall_signs(now, self.reference, sample).judge(self.fall_limits)
            found = attempt(
                lambda: self._replan(
                    program, _Measured(t, s, now, sample, force), before, tempo
                )
            )
        failure = found if isinstance(found, Failure) else None
        safety = advance(memory.safety, t, failure, fall, self.limits)
        if isinstance(found, Failure) or safety.mode is not Mode.TRACKING:
            why = str(failure) if failure else "solved again"
            factor = tempo.factor(when - self.start_time)
            s = before.phase_at(when)
            ahead = self._ahead(before)
            plan = fall_back(program, when, s, before, safety, why, factor, ahead)
        else:
            plan = replace(found, time=when)
        plan = replace(plan, walk=before.walk)
        return PredictiveMemory(plan, memory.plans + 1, safety, settings)

    def follow(self, program: PredictiveProgram, walk: Walk | None) -> None:
        """Plans for a walk from now on; for the behavior itself without one."""
        reference = reference_on(self._base, walk)
        if reference is not self.reference:
            self.reference, self._sample = reference, reference.sampler()
        if program.reference is not reference:
            program.follow(reference)

    def _steered(
        self, t: float, q: np.ndarray, v: np.ndarray, before: Plan, command: Velocity
    ) -> Plan:
        """The plan in force, on the walk that a command asks for."""
        if not is_state(q, v, self._base.robot.floating):
            return before
        now, s = self._now.update(q, v), before.phase_at(t)
        phase, weights = (s, s + self._ahead(before)), self.program.weights
        return steered(self._base, before, phase, now, command, weights)

    def _unhindered(
        self, program: PredictiveProgram, when: float, tempo: TempoRamp
    ) -> Plan:
        """The plan of a robot without contacts, which needs no balance."""
        t = when - self.start_time
        return replace(
            program.rest(t, tempo.requested_phase(t), tempo.factor(t)), time=when
        )

    def _ahead(self, before: Plan) -> float:
        """Phase until the next plan is surely in force, at the rate so far [s]."""
        return 1.3 * self.period * max(1.0, before.rate)

    def _replan(
        self,
        program: PredictiveProgram,
        seen: _Measured,
        before: Plan,
        tempo: TempoRamp,
    ) -> Plan | Failure:
        """A plan from what is measured."""
        t, s, now, sample, force = seen
        reference, friction = self.reference, before.friction_scale
        late, gravity = self._planning_time, reference.robot.gravity
        when = t + late
        elapsed, factor = when - before.time, tempo.factor(when - self.start_time)
        rate, ahead = before.rate_at(t), self._ahead(before)
        soles = measure_soles(now, reference, sample, rate)
        rest = before, elapsed, ahead, force
        ground, downs = find_landings(reference, sample, s, soles, *rest)
        # Rates of the behavior at the requested tempo.
        sample.com[1] *= factor
        sample.momentum[0] *= factor
        deviation = measure_deviation(now, sample)
        deviation[2] -= ground
        shift = measure_shift(now, reference, before, s, downs, soles)
        # A robot that may not step resists pushes, where a plan with them would yield.
        acceleration = np.zeros(2)
        dcm_error = np.hypot(*program.off_balance(deviation, shift))
        scale = reference.scale
        is_near = dcm_error < scale.length * BALANCED
        balanced_at = t if is_near else before.balanced_at
        if program.may_step and t - balanced_at < scale.time * PUSHED:
            acceleration = estimate_external_acceleration(before, t, deviation, late)
        is_small = dcm_error < program.weights.dcm_error_low
        is_balanced = is_small and not acceleration.any()
        # A sample represents one period since a plan, not a hold of several.
        if force is not None and is_balanced and before.is_fresh:
            friction = estimate_friction_scale(
                reference, sample, before, rate * soles[:, 1], elapsed, force
            )
        vertical = estimate_external_force(before, t, deviation, gravity, late)
        if when > t:
            deviation = carry(deviation, before, t, when, now)
            known = before.external_acceleration_xy if before.is_fresh else np.zeros(2)
            deviation[3:5] += late * (acceleration - known)
            s = before.phase_at(when)
        begun = PlanStart(
            tempo.requested_phase(when - self.start_time),
            s,
            deviation,
            shift,
            downs,
            external_force_z=vertical,
            external_acceleration_xy=acceleration,
            friction_scale=friction,
            tempo=factor,
        )
        plan = self._plan(program, begun.going_on(before), before, elapsed)
        if isinstance(plan, Failure):
            return plan
        swings = next_swings(reference, plan, before.swings, s, ahead, soles)
        return replace(plan, swings=swings, ground=ground, balanced_at=balanced_at)

    def _plan(
        self,
        program: PredictiveProgram,
        start: PlanStart,
        before: Plan,
        elapsed: float,
    ) -> Plan | Failure:
        """A plan with the steps under way, or with recovery steps if those help."""
        reference, s = self.reference, start.s
        downs, can_wait = start.touchdowns, program.weights.can_wait
        steps = delay_steps(reference, before.steps, downs, s, can_wait)
        down = {d.contact for d in downs if d.is_put_down and not d.is_to_come(s)}
        others = (c for c in reference.soles if c not in down)
        swinging = any(swing_of(reference, (), c, s) for c in others)
        previous = before if before.is_fresh and before.iterations else None
        undecided, recovery = None, self._recovery
        to_come = bool(steps) and steps[0].start > s + self._ahead(before)
        if to_come and swinging:
            # They begin when the behavior's own swing ends: decided again until then.
            steps, undecided = (), previous
            plan = program.solve_anew(start)
        else:
            plan = program.solve(start, steps, previous)
            if steps and plan is not None and recovery is not None:
                plan = recovery.cut_short(program, start, plan, before, elapsed)
        status = program.status
        if recovery is not None and not steps:
            plan = recovery.improve(program, start, plan, before, elapsed, undecided)
        if plan is None:
            known = status in {str(cause) for cause in Cause}
            return Failure(Cause(status) if known else Cause.NUMERICS)
        return plan
