"""Where a tick aims, in one call: phase, servo gains, behavior and target."""

from typing import NamedTuple

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Array3, Matrix, Vector
from backbeat.models.compiled.bound import Bound
from backbeat.mpc.plans.plan import PlanArrays, phase_and_rate
from backbeat.mpc.reference.sampling import ReferenceSample, sample_or_rest
from backbeat.mpc.reference.table import ReferenceTable
from backbeat.mpc.safety.servo_gains import SPACING, blend
from backbeat.mpc.whole_body.target_filling import TargetParts, fill_from

# Time before a strike at which a stick still comes down [s].
JUST = 1e-6


class Aim(NamedTuple):
    """What aiming reads and writes.

    Attributes:
        table: the behavior.
        schedule: (K, 2, nj) servo gains every `SPACING`.
        strikes: phases of its strikes [s], in order.
        duration: of the behavior [s].
        period: time between ticks [s].
        lead: how much earlier accelerations are commanded than motion [s].
        parts: the target, written, and what it is written from; its sample is
            written, too.
        ahead: written: the behavior a lead later if there is one.
        gains: (2, nj) written: stiffness and damping of the servo.
    """

    table: ReferenceTable
    schedule: Array3
    strikes: Vector
    duration: float
    period: float
    lead: float
    parts: TargetParts
    ahead: ReferenceSample
    gains: Matrix


@compiled
def aim(
    bound: Bound[Aim],
    plan: Bound[PlanArrays],
    t: float,
    made: float,
    first_rate: float,
    ground: float,
) -> tuple[float, float]:
    """Writes the target of a tick, but for what steps of the plan change.

    Args:
        bound: what is read and written.
        plan: arrays of the plan in force.
        t: time of the tick [s].
        made: the plan's own time [s].
        first_rate: its phase rate then [-].
        ground: height of the ground, as it has it [m].

    Returns:
        Phase [s] and phase rate of the tick.
    """
    of, p = bound.content, plan.content
    sample, floating = of.parts.sample, of.parts.floating
    # A command holds until the next tick; its references are for the middle.
    elapsed = t + 0.5 * of.period - made
    s, rate = phase_and_rate(p, elapsed, first_rate)
    blend(of.schedule, s / SPACING, of.gains)
    following = _still_striking(of, s)
    sample_or_rest(of.table, sample, following, of.duration, floating)
    if of.lead > 0.0:
        later, _ = phase_and_rate(p, elapsed + of.lead, first_rate)
        sample_or_rest(of.table, of.ahead, later, of.duration, floating)
        _take_accelerations(sample, of.ahead)
    fill_from(of.parts, p, rate, max(0.0, elapsed), ground)
    return s, rate


@compiled
def _still_striking(of, s):
    """The phase to follow: for a tick after a strike that of just before it.

    A stick that is half a millimeter behind would be called back before it hits by
    motors that follow at once; those that lag are late enough by themselves.
    """
    if of.lead > 0.0 or of.strikes.shape[0] == 0 or s < of.strikes[0]:
        return s
    last = of.strikes[np.searchsorted(of.strikes, s, side="right") - 1]
    return last - JUST if s - last < of.period else s


@compiled
def _take_accelerations(sample, ahead):
    """Overwrites the accelerations of a sample by those of a later one."""
    sample.vdot[:] = ahead.vdot
    sample.com[2] = ahead.com[2]
    sample.momentum[1] = ahead.momentum[1]
    sample.trunk[1] = ahead.trunk[1]
    sample.point[2] = ahead.point[2]
    sample.contact_motion[1] = ahead.contact_motion[1]
