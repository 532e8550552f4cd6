"""The plan in force where a new one is missing or must not be used.

See `backbeat.mpc.safety.fail_safe`.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.plans.stepping import swing_of
from backbeat.mpc.plans.swing import Swing
from backbeat.mpc.plans.touchdown import behind
from backbeat.mpc.predictive.program import PredictiveProgram
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.safety.fail_safe import Mode, Safety


def fall_back(
    program: PredictiveProgram,
    t: float,
    s: float,
    before: Plan,
    safety: Safety,
    why: str,
    tempo: float,
    ahead: float,
) -> Plan:
    """The behavior from the present places of the feet, or the plan before, by mode.

    Args:
        program: the predictive program.
        t: time [s].
        s: phase of the behavior [s].
        before: the plan so far.
        safety: fail-safe mode.
        why: the failure, in words.
        tempo: factor on the authored tempo.
        ahead: phase until the next plan [s].
    """
    if safety.mode is Mode.HOLDING:
        plan = _settled(program, t, s, before, tempo, ahead)
        return replace(plan, status=f"{why}, holding", is_fresh=False)
    if safety.mode is Mode.FALLEN:
        return replace(before, status=f"fallen, {safety.fall}", is_fresh=False)
    return replace(before, status=f"{why}, carried on", is_fresh=False)


def _settled(
    program: PredictiveProgram,
    t: float,
    s: float,
    before: Plan,
    tempo: float,
    ahead: float,
) -> Plan:
    """The behavior at a tempo, from where the soles of a plan are at phase s.

    Swings and touchdowns under way are completed.
    """
    plan, reference = program.rest(t, s, tempo), program.reference
    k = int(np.searchsorted(before.phases, s, side="right")) - 1
    shift = before.shift[min(max(k, 0), len(before.shift) - 1)].copy()
    if not shift.size:
        return plan
    for swing in (w for w in before.swings if w.start <= s < w.end):
        shift[reference.soles.index(swing.contact)] = swing.landing
    downs = tuple(d for d in before.touchdowns if s < d.end)
    shifts = np.tile(shift, (len(plan.phases), 1, 1))
    for down in (d for d in downs if d.is_put_down):
        after, i = plan.phases >= down.end, reference.soles.index(down.contact)
        shifts[after, i] += behind(reference, down)
    deviation, com = plan.deviation.copy(), plan.com.copy()
    deviation[:, :2] = shifts.mean(1)
    com[:, :2] += shifts.mean(1)
    settled = replace(
        plan,
        deviation=deviation,
        com=com,
        shift=shifts,
        steps=tuple(w for w in before.steps if w.start <= s < w.end),
        touchdowns=downs,
        external_force_z=before.external_force_z,
        ground=before.ground,
        friction_scale=before.friction_scale,
    )
    return replace(settled, swings=_swings(reference, settled, before.swings, ahead))


def _swings(
    reference: Reference, plan: Plan, before: Sequence[Swing], ahead: float
) -> tuple[Swing, ...]:
    """Swings under way continue, and those that begin are those of the behavior."""
    swings, s = [], plan.phase
    for i, c in enumerate(reference.soles):
        old = [w for w in before if w.contact == c and s < max(w.end, w.until)]
        if old or any(d.contact == c for d in plan.touchdowns):
            swings += old
            continue
        found = swing_of(reference, plan.steps, c, s)
        found = found or swing_of(reference, plan.steps, c, s + ahead)
        if found is not None:
            start, end, _ = found
            offset = plan.shift[0, i]
            begun = max(s, start)
            swings.append(Swing(c, start, end, begun, offset, np.zeros(2), offset))
    return tuple(swings)
