"""Recovery: steps that the behavior does not have, where standing would be a fall.

When the error of the divergent component of motion (DCM) grows, the predictive program
is solved again for steps that begin with one foot or with the other, or that put down a
foot which the behavior keeps in the air. The plan of least cost is taken.

Sources
    Pratt, Carff, Drakunov, Goswami, "Capture Point: A Step toward Humanoid Push
    Recovery", 2006.
"""

from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

import numpy as np

from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.plans.start import PlanStart
from backbeat.mpc.plans.stepping import UNLOADING, AddedStep, let_wait, recovery_steps
from backbeat.mpc.plans.touchdown import Touchdown, put_down
from backbeat.mpc.predictive.program import PredictiveProgram
from backbeat.mpc.reference.scale import BodyScale
from backbeat.mpc.reference.trajectory import Reference
from backbeat.optimization.terms.declared import number, scaled


@dataclass(frozen=True)
class Recovery:
    """When and how to step; each number is declared once.

    `docs/reference/weights.md` has them as a table.
    """

    watch: float = number(0.03, "m", "DCM error above which steps are considered.")
    alarm: float = number(
        0.16,
        "m",
        "DCM error, extrapolated by `ahead`, above which steps may cost `step_penalty` "
        "more than standing: they only help if taken in time, and a push that has "
        "begun continues.",
    )
    astray: float = number(
        0.1,
        "m",
        "Distance of the soles from their places in the behavior above which a "
        "balanced robot steps back, or goes on stepping.",
    )
    ahead: float = number(0.06, "s", "Time of the extrapolation.")
    step_penalty: float = number(
        0.3, "", "What a step costs in the objective of the predictive program."
    )
    min_saving: float = number(
        0.1,
        "",
        "Decrease of the objective that steps need without an alarm, so that a "
        "balanced robot does not step for a small displacement.",
    )
    sideways: float = number(
        0.7,
        "",
        "Ratio of sideways to forward motion above which it determines the order of "
        "steps.",
    )
    intervals: int = number(
        4,
        "",
        "Intervals of the horizon that a swing takes, at a scale of one. They are "
        "shorter for smaller robots, delays and the speed of joints are not: there are "
        "more of them, so that a swing takes no less time.",
    )
    urgent: int = number(
        4,
        "",
        "The same of the first swing of a robot that is off balance to a side, where "
        "it has to widen its stance before it falls over the edge of a sole.",
    )
    count: int = number(6, "", "Number of steps of a recovery.")
    held: float = number(
        0.3,
        "s",
        "A foot that the behavior would keep in the air for so long after it could be "
        "put down, may be put down.",
    )

    def at(self, scale: BodyScale) -> "Recovery":
        """The same for a robot of another scale."""
        usual = ceil(self.intervals / scale.time - 1e-9)
        intervals = max(self.intervals, usual)
        return scaled(self, scale.length, intervals=intervals)

    def improve(
        self,
        program: PredictiveProgram,
        start: PlanStart,
        plan: Plan | None,
        before: Plan,
        elapsed: float,
        undecided: Plan | None = None,
    ) -> Plan | None:
        """The plan given, or one with steps that is better.

        Args:
            program: the predictive program.
            start: initial state, and the requested tempo.
            plan: the best plan without steps; None when there is none.
            before: the plan in force.
            elapsed: time since that was made [s].
            undecided: the plan in force when it has steps that are to come, and may
                be given up for more than `step_penalty`; None for none.
        """
        best, least = plan, np.inf if plan is None else plan.objective
        if not program.may_step:
            return plan
        shift = program.shift(start)
        off, astray = program.off_balance(start.deviation, shift), shift.mean(axis=0)
        is_balanced = bool(np.hypot(*off) < self.watch)
        if plan is not None and is_balanced and np.hypot(*astray) < self.astray:
            return plan
        is_alarmed = self._is_alarmed(program, off, before, elapsed)
        least += self.step_penalty if is_alarmed else -self.min_saving
        for down in self._put_downs(program, start):
            candidate = program.solve_anew(start.with_touchdown(down))
            # A foot that the behavior keeps in the air has to be worth the penalty.
            if (
                candidate is not None
                and candidate.objective + self.step_penalty < least
            ):
                best, least = candidate, candidate.objective
        way = -astray if is_balanced else off
        for steps in self._sequences(program, start, way, is_balanced):
            saved = 0.0
            if undecided is not None and undecided.steps == steps:
                candidate = program.solve(start, steps, undecided)
                saved = self.step_penalty
            else:
                candidate = program.solve_anew(start, steps)
            if candidate is not None and candidate.objective - saved < least:
                best, least = candidate, candidate.objective - saved
        return best

    def cut_short(
        self,
        program: PredictiveProgram,
        start: PlanStart,
        plan: Plan,
        before: Plan,
        elapsed: float,
    ) -> Plan:
        """A plan with steps, or one that ends after the step under way if possible.

        With its soles in place, a robot that goes on stepping would keep its CoM
        lowered without need. Steps that began with an alarm are kept while it lasts.

        Args:
            program: the predictive program.
            start: initial state, and the requested tempo.
            plan: with steps.
            before, elapsed: as of `improve`.
        """
        shift, s = program.shift(start), start.s
        if np.hypot(*shift.T).max(initial=0.0) > self.astray:
            return plan
        off = program.off_balance(start.deviation, shift)
        if self._is_alarmed(program, off, before, elapsed):
            return plan
        begun = tuple(w for w in plan.steps if w.start <= s)
        can_wait = program.weights.can_wait
        steps = let_wait(program.reference, begun, s, can_wait)
        if steps is None or len(steps) == len(plan.steps):
            return plan
        shorter = program.solve_anew(start, steps)
        if shorter is None or shorter.objective > plan.objective + self.step_penalty:
            return plan
        return shorter

    def _is_alarmed(
        self,
        program: PredictiveProgram,
        off: np.ndarray,
        before: Plan,
        elapsed: float,
    ) -> bool:
        """Whether the (2,) DCM error `off`, extrapolated, exceeds the alarm."""
        rate = np.zeros(2)
        if before.iterations and elapsed > 0:
            rate = off - program.off_balance(before.deviation[0], before.shift[0])
            rate = rate / elapsed
        return bool(np.hypot(*(off + self.ahead * rate)) > self.alarm)

    def _sequences(
        self,
        program: PredictiveProgram,
        start: PlanStart,
        way: np.ndarray,
        is_balanced: bool,
    ) -> list[tuple[AddedStep, ...]]:
        """Steps in a direction (2,) that may be taken at once, or after a landing.

        Where the plan may change the tempo, one more than fits in: the next swing of
        the behavior is delayed for it.
        """
        reference, spacing = program.reference, program.weights.spacing
        s, can_wait = start.s, program.weights.can_wait
        window = self._window(program, start)
        along, forward = _components(reference, s, way)
        is_sideways = abs(along) > self.sideways * forward
        first = self.urgent if is_sideways and not is_balanced else self.intervals
        soles = list(reference.soles)
        if window.before is not None:
            # After a step of the behavior it is the other foot's turn.
            others = [c for c in soles if c != window.before]
            orders = [[*others, window.before]]
        else:
            # Sideways, the one ahead goes first.
            orders = [soles, soles[::-1]]
            if is_sideways:
                orders = orders[:1] if along > 0 else orders[1:]
        sequences = []
        for order in orders:
            steps = recovery_steps(
                order,
                window.start,
                spacing,
                [first, *[self.intervals] * (self.count - 1)],
                window.settled,
                reference.scale.time * UNLOADING,
            )
            # A second one that is far off is decided when it is near.
            if window.settled > steps[0].end + first * spacing:
                steps = steps[:1]
            most = sum(w.end < window.end + 1e-6 for w in steps)
            # No foot steps twice in a row: the behavior's own step can go elsewhere.
            last = order[(most - 1) % len(order)]
            counts = {most - 1 if last == window.after else most}
            if most < self.count and last == window.after:
                counts.add(most + 1)
            for count in sorted(counts - {0, -1}):
                found = let_wait(reference, steps[:count], s, can_wait)
                if found is not None:
                    sequences.append(found)
        return sequences

    def _put_downs(
        self, program: PredictiveProgram, start: PlanStart
    ) -> list[Touchdown]:
        """Touchdowns of feet that the behavior keeps in the air for long."""
        reference, s = program.reference, start.s
        landing = s + self.urgent * program.weights.spacing
        known = {d.contact for d in start.touchdowns}
        return [
            put_down(reference, c, landing, float(end))
            for c in reference.soles
            for begin, end in reference.swings[c]
            if c not in known and begin <= s and end - landing > self.held
        ]

    def _window(self, program: PredictiveProgram, start: PlanStart) -> "_Window":
        """When every sole is on the ground, next.

        A foot that is put down is so from when it lands.
        """
        reference, s = program.reference, start.s
        landings = {
            (d.contact, d.end): d.start for d in start.touchdowns if d.is_put_down
        }
        swings = [(c, *w) for c in reference.soles for w in reference.swings[c]]
        in_the_air = [(end, c) for c, begin, end in swings if begin <= s < end]
        settled, before = max(in_the_air, default=(s, None))
        since = max((landings.get((c, end), end) for end, c in in_the_air), default=s)
        nexts = [(begin, c) for c, begin, end in swings if end > settled and begin > s]
        end, after = min(nexts, default=(np.inf, None))
        return _Window(float(max(s, since)), float(settled), float(end), before, after)


# The default.
STEPPING = Recovery()


def _components(reference: Reference, s: float, way: np.ndarray) -> tuple[float, float]:
    """Parts of a direction (2,): toward the first sole, and across it, unsigned."""
    place = reference.sample(s).p_contact[list(reference.soles), :2]
    side = place[0] - place[1]
    side = side / max(float(np.hypot(*side)), 1e-6)
    along = float(side @ way)
    return along, float(np.hypot(*(way - along * side)))


class _Window(NamedTuple):
    """Phases between which every sole stands, and the soles that swing around them.

    The sole before can be lifted again from when it is `settled` on.
    """

    start: float
    settled: float
    end: float
    before: int | None
    after: int | None
