"""The plan in force when no new one is to be used; `mpc.fail_safe` says when."""

from dataclasses import replace

import numpy as np

from mpc.fail_safe import Mode, Safety
from mpc.plan import Plan
from mpc.predictive_program import PredictiveProgram


def fall_back(
    program: PredictiveProgram,
    t: float,
    s: float,
    before: Plan,
    safety: Safety,
    why: str,
    tempo: float,
) -> Plan:
    """The behavior from where the feet are, or the plan before, as the mode says.

    Args:
        program: the predictive program.
        t: time [s].
        s: phase of the behavior [s].
        before: the plan so far.
        safety: what is done about programs that are not solved.
        why: what happened, in words.
        tempo: factor on the authored tempo.
    """
    if safety.mode is Mode.HOLDING:
        plan = _settled(program, t, s, before, tempo)
        return replace(plan, status=f"{why}, holding", is_fresh=False)
    if safety.mode is Mode.FALLEN:
        return replace(before, status=f"fallen, {safety.fall}", is_fresh=False)
    return replace(before, status=f"{why}, carried on", is_fresh=False)


def _settled(
    program: PredictiveProgram, t: float, s: float, before: Plan, tempo: float
) -> Plan:
    """The behavior at a tempo, from where the soles of a plan are at phase s."""
    plan = program.rest(t, s, tempo)
    k = int(np.searchsorted(before.phases, s, side="right")) - 1
    shift = before.shift[min(max(k, 0), len(before.shift) - 1)]
    if not shift.size:
        return plan
    deviation, com = plan.deviation.copy(), plan.com.copy()
    deviation[:, :2] = shift.mean(0)
    com[:, :2] += shift.mean(0)
    return replace(
        plan,
        deviation=deviation,
        com=com,
        shift=np.tile(shift, (len(com), 1, 1)),
        lift=before.lift,
        ground=before.ground,
        grip=before.grip,
    )
