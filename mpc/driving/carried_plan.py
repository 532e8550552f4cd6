"""Plans on another reference: what they say of the robot stays, deviations change."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from backbeat.mpc.horizon.sampling import Samples
from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.plans.swing import Swing
from backbeat.mpc.plans.touchdown import Touchdown
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.walking.walk import Walk
from backbeat.mpc.walking.writer import reference_on


def on_walk(plan: Plan, behavior: Reference, walk: Walk | None) -> Plan:
    """A plan as deviations from another walk over a behavior.

    Args:
        plan: as deviations from its own walk.
        behavior: what is walked with.
        walk: the other one; None for the behavior as it is.
    """
    if plan.walk == walk:
        return plan
    old, new = (reference_on(behavior, w) for w in (plan.walk, walk))
    a, b = (Samples(reference, plan.phases) for reference in (old, new))
    deviation, mass = plan.deviation.copy(), old.robot.total_mass
    com = a(old.table.com) - b(new.table.com)
    deviation[:, :3] += com[:, 0]
    deviation[:, 3:6] += com[:, 1]
    momentum = a(old.table.momentum) - b(new.table.momentum)
    deviation[:, 6:9] += momentum[:, 0] / mass
    deviation[:, 11] += _turn(old.table.R_trunk[a.index], new.table.R_trunk[b.index])
    places = a(old.table.p_contact) - b(new.table.p_contact)
    shift = plan.shift + places[:, list(old.soles), :2]
    return replace(
        plan,
        walk=walk,
        deviation=deviation,
        shift=shift,
        swings=_carried_swings(plan.swings, old, new),
        touchdowns=_placed(plan.touchdowns, new),
    )


def _turn(old: np.ndarray, new: np.ndarray) -> np.ndarray:
    """(N,) heading of rotations (N, 3, 3), minus that of others [rad]."""
    R = np.einsum("nij,nkj->nik", old, new)
    return np.asarray(np.arctan2(R[:, 1, 0], R[:, 0, 0]))


def _carried_swings(
    swings: Sequence[Swing], old: Reference, new: Reference
) -> tuple[Swing, ...]:
    """Swings with the same paths and landing places."""

    def moved(c: int, s: float) -> np.ndarray:
        places = [
            reference.sample(s).p_contact[c, :2].copy() for reference in (old, new)
        ]
        return np.asarray(places[0] - places[1])

    return tuple(
        replace(
            w,
            shift=w.shift + moved(w.contact, w.since),
            landing=w.landing + moved(w.contact, w.end),
        )
        for w in swings
    )


def _placed(touchdowns: Sequence[Touchdown], new: Reference) -> tuple[Touchdown, ...]:
    """Touchdowns with the places where another reference lands the feet."""
    return tuple(
        replace(d, place=new.sample(d.end).p_contact[d.contact].copy())
        for d in touchdowns
    )
