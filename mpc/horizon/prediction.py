"""Prediction: predicted motion and forces of a plan over its horizon, in the world.

A plan holds deviations from a behavior. Here are the places that follow from it: the
path of the center of mass, the force on each patch at some instants, and the places
where patches land.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from backbeat.mpc.horizon.sampling import Samples, hold_places
from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.plans.stepping import standing
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.walking.writer import reference_on

# How far ahead a prediction goes [s], and points of the path of the center of mass.
AHEAD, POINTS = 1.2, 8
# Times ahead at which forces are given [s].
INSTANTS = (0.3, 0.6, 0.9, 1.2)
# A contact with less normal force than this bears nothing [N].
LEAST_FORCE = 4.0


class Foothold(NamedTuple):
    """Where a patch lands.

    Attributes:
        contact: name of the patch.
        after: how far ahead it lands [s].
        R_WC: (3, 3) attitude of the patch.
        p_WC: (3,) place of its center [m].
    """

    contact: str
    after: float
    R_WC: np.ndarray
    p_WC: np.ndarray


@dataclass(frozen=True)
class Prediction:
    """What is expected over the next `AHEAD` seconds.

    Attributes:
        com: (POINTS, 3) center of mass, evenly in time [m]; (0, 3) without a plan.
        patches: names of the patches in the order of `forces`.
        forces: (K, C, 6) force on each patch at `INSTANTS`: point where it acts [m] and
            force [N], both in the world; NaN for a patch that bears nothing.
        footholds: landings in order of time.
    """

    com: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    patches: tuple[str, ...] = ()
    forces: np.ndarray = field(default_factory=lambda: np.zeros((0, 0, 6)))
    footholds: tuple[Foothold, ...] = ()


class _Contacts(NamedTuple):
    """Patches in the intervals of a plan."""

    standing: np.ndarray  # (N, C)
    R_WC: np.ndarray  # (N, C, 3, 3)
    p_WC: np.ndarray  # (N, C, 3)


def predict(reference: Reference, plan: Plan | None) -> Prediction:
    """What a plan of a behavior expects, from its own time on.

    Args:
        reference: the behavior.
        plan: the plan; None for none.
    """
    if plan is None or len(plan.com) < 2:
        return Prediction()
    reference = reference_on(reference, plan.walk)
    com = plan.com + [0.0, 0.0, plan.ground]
    ahead = AHEAD * np.arange(1, POINTS + 1) / POINTS
    path = interpolated(np.minimum(ahead, plan.ends[-1]), np.r_[0.0, plan.ends], com)
    contacts = _contacts(reference, plan)
    return Prediction(
        path,
        reference.patches,
        _forces(reference.robot.weight, plan, contacts),
        _footholds(reference.patches, plan, contacts),
    )


def interpolated(at: np.ndarray, times: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Linear interpolation of every column."""
    return np.stack([np.interp(at, times, column) for column in values.T], axis=1)


def acting(wrench: np.ndarray, R_WC: np.ndarray, p_WC: np.ndarray) -> np.ndarray:
    """(6,) point and force in the world of a wrench (6,) in patch axes [N m, N].

    The point is the center of pressure.
    """
    offset = np.zeros(3)
    if abs(wrench[5]) > LEAST_FORCE:
        offset[:2] = [-wrench[1] / wrench[5], wrench[0] / wrench[5]]
    return np.r_[p_WC + R_WC @ offset, R_WC @ wrench[3:]]


def _contacts(reference: Reference, plan: Plan) -> _Contacts:
    """Where patches are in the middles of the intervals of a plan."""
    table, soles = reference.table, list(reference.soles)
    middles = 0.5 * (plan.phases[:-1] + plan.phases[1:])
    sampled = Samples(reference, middles)
    planned = table.standing[sampled.index]
    on = standing(planned, middles, plan.changes)
    p_WC = sampled(table.p_contact)
    hold_places(reference, plan.steps, plan.touchdowns, middles, p_WC)
    p_WC[:, soles, :2] += plan.shift[1:, : len(soles)]
    p_WC[:, :, 2] += plan.ground
    return _Contacts(on, table.R_contact[sampled.index], p_WC)


def _forces(weight: float, plan: Plan, contacts: _Contacts) -> np.ndarray:
    """(K, C, 6), see `Prediction`."""
    last, count = len(plan.durations) - 1, contacts.standing.shape[1]
    found = np.full((len(INSTANTS), count, 6), np.nan)
    for i, after in enumerate(INSTANTS):
        k = min(int(np.searchsorted(plan.ends, after, side="right")), last)
        for c in range(count):
            wrench = weight * plan.wrench[k, c]
            if wrench[5] > LEAST_FORCE:
                found[i, c] = acting(wrench, contacts.R_WC[k, c], contacts.p_WC[k, c])
    return found


def _footholds(
    patches: tuple[str, ...], plan: Plan, contacts: _Contacts
) -> tuple[Foothold, ...]:
    """Landings of a plan in order of time."""
    on = contacts.standing
    found = []
    for k, c in zip(*np.nonzero(~on[:-1] & on[1:]), strict=True):
        after = float(plan.ends[k])
        if after <= AHEAD + 1e-6:
            R_WC, p_WC = contacts.R_WC[k + 1, c], contacts.p_WC[k + 1, c]
            found.append(Foothold(patches[c], after, R_WC, p_WC))
    return tuple(sorted(found, key=lambda foothold: foothold.after))
