"""Explanations of a run that is over, from its log.

The log has states every 5 ms and all plans. A tick is computed again from the last
sample before the given time: the tick of the run if one fell on the sample, and
otherwise the one that the controller would have made there. The plan is the one then in
force, with the weights of the run.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.analysis.survival import plan_in_force
from backbeat.mpc.analysis.task_space_explanation import (
    TaskSpaceExplanation,
    explain_task_space,
)
from backbeat.mpc.control.controllers import make_upper_body
from backbeat.mpc.driving.carried_plan import on_walk
from backbeat.mpc.plans.explanation import PlanExplanation, TickExplanation
from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.plans.weights import PredictiveWeights
from backbeat.mpc.predictive.plan_explanation import explain_plan
from backbeat.mpc.predictive.program import PredictiveProgram
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.scenario.settings import settings_at
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.run import SimulationRun
from backbeat.mpc.walking.writer import reference_on
from backbeat.mpc.whole_body.core import WholeBodyCore
from backbeat.mpc.whole_body.programs.momentum import (
    gains_of,
    make_whole_body_program,
)
from backbeat.mpc.whole_body.tick_explanation import explain_tick


@dataclass(frozen=True)
class RunExplanation:
    """What the controllers did at a time of a run.

    Attributes:
        time: of the sample that was used, in time of the behavior [s].
        tick: the whole-body tick, in that time too, or that in task space; None where
            the joint command is of a controller of the user's own.
        plan: the plan in force, in that time too; None in task space, which has none.
    """

    time: float
    tick: TickExplanation | TaskSpaceExplanation | None
    plan: PlanExplanation | None

    def __str__(self) -> str:
        """Both in words."""
        head = f"at {self.time:.3f} s of the behavior, from the log's sample there"
        tick = self.tick or "the joint command is of a controller of the user's own"
        return "\n".join(str(part) for part in (head, self.plan, tick) if part)


def check_time(t: float, first: float, last: float) -> None:
    """Refuses a time that a run from `first` to `last` does not have [s].

    Raises:
        BackbeatError: it is outside, or no number.
    """
    if not first <= t <= last + 1e-9:
        raise BackbeatError(
            f"the run goes from {first:.2f} to {last:.2f} s; nothing is known of "
            f"{t:.2f} s"
        )


class PlanExplainer:
    """Computes plans of runs of a behavior again, each with its settings."""

    def __init__(self, reference: Reference, weights: PredictiveWeights) -> None:
        """Takes the behavior, and the weights with which a run began.

        The program is made when it is needed.
        """
        self._reference, self._weights = reference, weights
        self._program: tuple[PredictiveWeights, PredictiveProgram] | None = None

    def __call__(
        self, plan: Plan, before: Plan | None, scenario: Scenario
    ) -> PlanExplanation:
        """A plan, in time of the behavior.

        Args:
            plan: the plan.
            before: the one before it; None without one.
            scenario: of the run, with all that changed up to the plan.
        """
        # Controllers count from the start of the lead-in, callers from the behavior's.
        lead_in, base, walk = scenario.timing.lead_in, self._reference, plan.walk
        made_at = plan.time - lead_in
        settings = settings_at(scenario, base.behavior, made_at).plan
        weights = settings.adapt(self._weights)
        if self._program is None or self._program[0] != weights:
            self._program = weights, PredictiveProgram(base, weights)
        program = self._program[1]
        program.follow(reference_on(base, walk))
        on = None if before is None else on_walk(before, base, walk)
        planned = explain_plan(program, plan, lead_in, on, settings.tempo)
        return replace(planned, time=made_at)


class RunExplainer:
    """Computes plans and ticks of a run again.

    Attributes:
        run: the run.
    """

    def __init__(self, run: SimulationRun) -> None:
        """Programs are made with the weights of the run, when they are asked for."""
        self.run = run

    @cached_property
    def _reference(self) -> Reference:
        return Reference(self.run.behavior)

    @cached_property
    def _explain(self) -> PlanExplainer:
        return PlanExplainer(self._reference, self.run.weights.predictive)

    @cached_property
    def _core(self) -> WholeBodyCore:
        """The whole-body program; a run in task space has none."""
        reference, scenario = self._reference, self.run.scenario
        upper = make_upper_body(reference, scenario.control.upper_body)
        gains = self.run.weights.whole_body, self.run.weights.stance
        robot, patches, points = reference.robot, reference.patches, reference.points
        program = make_whole_body_program(robot, patches, points, gains, upper)
        return WholeBodyCore(program, reference, scenario.tick_timing, upper=upper)

    def at(self, t: float) -> RunExplanation:
        """Explains the run at a time of the behavior [s].

        Raises:
            BackbeatError: the run has no such time, or no state there.
        """
        run = self.run
        check_time(t, float(run.t[0]), float(run.t[-1]))
        i = int(np.searchsorted(run.t, t + 1e-9, side="right")) - 1
        x = run.read[i]
        if not np.isfinite(x).all():
            raise BackbeatError(f"the controllers knew no state at {run.t[i]:.3f} s")
        if (task := run.scenario.control.task_space) is not None:
            hand = explain_task_space(run, task, i)
            return RunExplanation(float(run.t[i]), hand, None)
        # A plan that arrives with a tick is read by the next.
        now, plan = float(run.t[i]), plan_in_force(run, float(run.t[i]) - 1e-6)
        tick = None
        if "command" not in (run.controller or {}).get("replaces", ()):
            tick = self._tick(now, x, plan)
        made = [p for p in run.plans if p.time < plan.time]
        told = self._explain(plan, made[-1] if made else None, run.scenario)
        return RunExplanation(now, tick, told)

    def _tick(self, now: float, x: np.ndarray, plan: Plan) -> TickExplanation:
        """The tick at a time of the behavior [s], of a sensed state."""
        run, core, robot = self.run, self._core, self._reference.robot
        scenario, nq = run.scenario, robot.num_positions
        settings = settings_at(scenario, run.behavior, now)
        gains = run.weights.whole_body, run.weights.stance
        changes = settings.plan.weights
        core.program.weigh(*gains_of(robot, gains, core.upper, changes))
        held = settings.hands
        hands = {hand.part: hand.at(now) for hand in held}
        target, upper = None, core.upper
        if upper is not None:
            hands.pop(upper.part, None)
            own = next((hand for hand in held if hand.part == upper.part), None)
            middle = now + 0.5 * scenario.timing.tick_period
            target = scenario.control.upper_body.told(middle, upper.hand_start, own)
        clock = now + scenario.timing.lead_in
        found = explain_tick(core, clock, x[:nq], x[nq:], plan, None, hands, target)
        return replace(found, time=now)


def explain_run(run: SimulationRun, t: float) -> RunExplanation:
    """Explains a run at a time of the behavior [s]; errors as of `RunExplainer.at`."""
    return RunExplainer(run).at(t)
