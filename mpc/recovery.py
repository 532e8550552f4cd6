"""Recovery: steps where the behavior stands, when standing would be a fall.

When the divergent component of motion leaves the place where it belongs, the
predictive program is solved again for robots that begin to step with one foot or with
the other. Whichever costs the least goes on.

Sources
    Pratt, Carff, Drakunov, Goswami, "Capture Point: A Step toward Humanoid Push
    Recovery", 2006.
"""

from dataclasses import dataclass

import numpy as np

from mpc.plan import Plan
from mpc.predictive_program import PredictiveProgram
from mpc.stepping import recovery_steps


@dataclass(frozen=True)
class Recovery:
    """When and how to step.

    Attributes:
        alarm: distance of the divergent component from its place from which steps
            are considered [m].
        gain: a step must cost at most this share of standing.
        intervals: intervals of the horizon that a swing takes.
        count: number of steps of a recovery.
    """

    alarm: float = 0.03
    gain: float = 0.7
    intervals: int = 4
    count: int = 6

    def improve(
        self,
        program: PredictiveProgram,
        t: float,
        s: float,
        deviation: np.ndarray,
        shift: np.ndarray,
        plan: Plan | None,
    ) -> Plan | None:
        """The plan given, or one with steps that is better.

        Args:
            program: the predictive program.
            t, s, deviation, shift: as of `PredictiveProgram.solve`.
            plan: the best plan without steps; None when there is none.
        """
        reference, spacing = program.reference, program.weights.spacing
        soles = reference.soles
        if not program.weights.stepping or len(soles) < 2:
            return plan
        omega = np.sqrt(9.81 / max(float(reference.table.com[0, 0, 2]), 0.1))
        off = deviation[:2] + deviation[3:5] / omega - shift.mean(0)
        if plan is not None and np.hypot(*off) < self.alarm:
            return plan
        best, least = plan, np.inf if plan is None else self.gain * plan.objective
        for first in range(len(soles)):
            order = [*soles[first:], *soles[:first]]
            steps = recovery_steps(order, s, spacing, self.intervals, self.count)
            if not self._stands(program, s, steps[-1].end):
                return plan
            candidate = program.solve(t, s, deviation, shift, steps)
            if candidate is not None and candidate.objective < least:
                best, least = candidate, candidate.objective
        return best

    def _stands(self, program: PredictiveProgram, start: float, end: float) -> bool:
        """Whether the behavior itself has every sole on the ground meanwhile."""
        swings = program.reference.swings
        return not any(
            ((swings[c][:, 0] < end) & (swings[c][:, 1] > start)).any()
            for c in program.reference.soles
        )
