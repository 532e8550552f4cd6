"""Where a tick aims, in one call: phase, servo gains, behavior and target."""

from typing import NamedTuple

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Array3, Flags, Indices, Matrix, Vector
from backbeat.models.compiled.bound import Bound
from backbeat.mpc.plans.plan import PlanArrays, interpolate, phase_and_rate
from backbeat.mpc.reference.sampling import ReferenceSample, sample_or_rest
from backbeat.mpc.reference.table import ReferenceTable
from backbeat.mpc.safety.servo_gains import SPACING, blend
from backbeat.mpc.whole_body.programs.arguments import Target
from backbeat.mpc.whole_body.target_filling import fill_from, place_patches

# Time before a strike at which a stick still comes down [s].
JUST = 1e-6


class Aim(NamedTuple):
    """What aiming reads and writes.

    Attributes:
        table: the behavior.
        schedule: (K, 2, nj) servo gains every `SPACING`.
        strikes: phases of its strikes [s], in order.
        soles: patches that the robot steps with.
        mass, gravity: of the robot [kg, m/s^2].
        duration: of the behavior [s].
        period: time between ticks [s].
        lead: how much earlier accelerations are commanded than motion [s].
        floating: whether the base is free.
        is_elsewhere, elsewhere: (C,), (C, 3) patches that have landed elsewhere than
            the behavior lands them, and where [m].
        sample, ahead: written: the behavior now, and a lead later if there is one.
        gains: (2, nj) written: stiffness and damping of the servo.
        target: written.
    """

    table: ReferenceTable
    schedule: Array3
    strikes: Vector
    soles: Indices
    mass: float
    gravity: float
    duration: float
    period: float
    lead: float
    floating: bool
    is_elsewhere: Flags
    elsewhere: Matrix
    sample: ReferenceSample
    ahead: ReferenceSample
    gains: Matrix
    target: Target


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
    # A command holds until the next tick; its references are for the middle.
    elapsed = t + 0.5 * of.period - made
    s, rate = phase_and_rate(p, elapsed, first_rate)
    blend(of.schedule, s / SPACING, of.gains)
    following = _still_striking(of, s)
    sample_or_rest(of.table, of.sample, following, of.duration, of.floating)
    if of.lead > 0.0:
        later, _ = phase_and_rate(p, elapsed + of.lead, first_rate)
        sample_or_rest(of.table, of.ahead, later, of.duration, of.floating)
        _take_accelerations(of.sample, of.ahead)
    deviation, turning = np.empty(12), np.empty((2, 3))
    since = max(0.0, elapsed)
    k = interpolate(p.ends, p.durations, p.deviation, since, deviation, turning)
    deviation[2] += ground
    places = of.sample.p_contact.copy()
    place_patches(
        places, of.is_elsewhere, of.elsewhere, of.soles, p.shift[k + 1], ground
    )
    fill_from(
        of.target,
        of.sample,
        places,
        of.mass,
        of.gravity,
        of.floating,
        rate,
        deviation,
        p.wrench[k],
        turning,
    )
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
