"""Swings: soles in the air, as the whole-body controller follows them.

A plan that changes a landing place, or adds a step, adds an offset to the path that the
foot has in the behavior.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.plans.stepping import swing_of
from backbeat.mpc.plans.swing import Swing
from backbeat.mpc.plans.touchdown import Touchdown
from backbeat.mpc.reference.sampling import ReferenceSample
from backbeat.mpc.reference.trajectory import Reference

# A recovery step goes so high, and aims so far into the ground [m]. Lengths here are
# for a scale of one.
STEP_HEIGHT, STEP_DEPTH = 0.07, 0.004
# A foot that is so far from where it should be has caught on something, and goes on
# from where it is: what pulls it there harder and harder holds it there [m].
SNAG = 0.03


def next_swings(
    reference: Reference,
    plan: Plan,
    before: Sequence[Swing],
    s: float,
    ahead: float,
    soles: np.ndarray,
) -> tuple[Swing, ...]:
    """Swings of a new plan.

    Args:
        reference: the behavior.
        plan: the plan, without them.
        before: swings of the plan so far.
        s: phase now [s].
        ahead: phase until the next plan [s]; what leaves by then is a swing too.
        soles: (S, 2, 3) measured offset of each sole [m] and its change per phase.
    """
    swings = []
    for i, c in enumerate(reference.soles):
        touchdown = next((d for d in plan.touchdowns if d.contact == c), None)
        old = next((w for w in before if w.contact == c), None)
        if touchdown is not None and touchdown.is_to_come(s):
            landing = plan.shift[_knot(plan.phases, touchdown.start), i]
            swings.append(_descent(reference, touchdown, old, s, landing))
            continue
        leaves = touchdown is not None and touchdown.ends_standing(s + ahead)
        if touchdown is not None and not leaves:
            last = [w for w in before if w.contact == c and not touchdown.stands]
            swings += [replace(w, until=touchdown.end) for w in last]
            continue
        found = None if leaves else swing_of(reference, plan.steps, c, s)
        found = found or swing_of(reference, plan.steps, c, s + ahead)
        if found is not None:
            landing = plan.shift[_knot(plan.phases, found[1]), i]
            scale = reference.scale.length
            swings.append(_swing(c, found, old, s, soles[i], landing, scale))
    return tuple(swings)


def ways_to_go(
    reference: Reference,
    swings: Sequence[Swing],
    sample: ReferenceSample,
    soles: np.ndarray,
) -> np.ndarray:
    """(C,) how far feet in the air are from where they are going to land [m].

    Args:
        reference: the behavior.
        swings: of the plan so far.
        sample: the behavior at the phase of now.
        soles: (S, 2, 3) measured offset of each sole [m] and its change per phase.
    """
    out = np.zeros(len(reference.patches))
    for i, c in enumerate(reference.soles):
        swing = next((w for w in swings if w.contact == c), None)
        if swing is not None:
            landing = reference.sample(swing.end).p_contact[c, :2] + swing.landing
            now = sample.p_contact[c, :2] + soles[i, 0, :2]
            out[c] = np.hypot(*(landing - now))
    return out


def _swing(
    contact: int,
    found: tuple[float, float, bool],
    old: Swing | None,
    s: float,
    sole: np.ndarray,
    landing: np.ndarray,
    scale: float,
) -> Swing:
    """The swing at phase s of a foot that leaves, or goes on as it is or should be.

    `found` is what `swing_of` gives, `scale` that of lengths.
    """
    start, end, is_added = found
    swing = Swing(
        contact=contact,
        start=start,
        end=end,
        since=max(s, start),
        shift=sole[0, :2].copy(),
        rate=np.zeros(2),
        landing=landing.copy(),
        height=scale * STEP_HEIGHT if is_added else 0.0,
        depth=scale * STEP_DEPTH if is_added else 0.0,
        rise=float(sole[0, 2]) if s <= start else 0.0,
    )
    if old is None or old.end != end or s <= start:
        return swing
    now = old.offset(s)
    if np.hypot(*(sole[0, :2] - now[0, :2])) > scale * SNAG:
        now = sole
    return replace(swing, shift=now[0, :2], rate=now[1, :2], rise=old.rise)


def _knot(phases: np.ndarray, s: float) -> int:
    """Number of the first knot at phase s or later, or of the last one."""
    return min(int(np.searchsorted(phases, s - 1e-6)), len(phases) - 1)


def _descent(
    reference: Reference,
    down: Touchdown,
    old: Swing | None,
    s: float,
    landing: np.ndarray,
) -> Swing:
    """The swing at phase s of a foot that is put down before the behavior lands it."""
    now = np.zeros((3, 3)) if old is None else old.offset(s)
    deep = reference.scale.length * STEP_DEPTH
    if old is not None and old.depth > deep:
        # It is on its way. One that has missed the ground goes on.
        until = down.start if down.start > old.end else old.until
        old = replace(old, since=s, shift=now[0, :2], rate=now[1, :2])
        return replace(old, landing=landing.copy(), until=until)
    c = down.contact
    above = reference.sample(down.start).p_contact[c, 2]
    return Swing(
        contact=c,
        start=s,
        end=down.start,
        since=s,
        shift=now[0, :2],
        rate=now[1, :2],
        landing=landing.copy(),
        depth=float(above - down.place[2]) + deep,
        rise=float(now[0, 2]),
    )
